"""Several builders on one PostgreSQL book: together they build what one would have built alone."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from book.errors import BookUnwritable
from book.plan import LeasedPlan
from book.rows.encoding import Searched
from book.storage.address import Address
from book.whole.export import records
from book.writer import BookWriter, PlannedTask, Task
from engine import registry
from engine.search import Limits
from precompute.builder import Builder, BuildOptions, BuildState
from precompute.job import run_task
from precompute.modes.explore import Explore, ExploreFrontier
from precompute.modes.frontier import Site
from precompute.modes.full import Full
from tests.books import change, rows_of
from tests.oracles.book_checker import assert_sound
from tests.servers import postgresql_book

NAME = "gomoku-9"
GAME = registry.get(NAME)
NODES = Limits(nodes=200)
PARAMETERS = {"limits": NODES.as_dict()}
_SECONDS = 300
# Whenever a builder takes a task, its number goes into the table `leased`.
_RECORD_LEASES = """
    CREATE TABLE leased (task integer);
    CREATE FUNCTION record() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO leased VALUES (NEW.id); RETURN NEW; END $$;
    CREATE TRIGGER record BEFORE UPDATE OF leased_by ON tasks FOR EACH ROW
        WHEN (NEW.leased_by IS NOT NULL AND NEW.leased_by IS DISTINCT FROM OLD.leased_by)
        EXECUTE FUNCTION record();
"""
# Every result takes its time to be kept, so that a builder is seen at work.
_KEEP_SLOWLY = """
    CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_sleep(0.1); RETURN NEW; END $$;
    CREATE TRIGGER wait BEFORE UPDATE OF result ON tasks FOR EACH ROW EXECUTE FUNCTION wait();
"""

Content = list[dict[str, object]]


@pytest.fixture
def shared() -> Iterator[str]:
    with postgresql_book() as address:
        yield address


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> tuple[Content, BuildState]:
    """The book that one builder makes, and what it took."""
    path = tmp_path_factory.mktemp("alone") / "book.db"
    state = Builder(path, BuildOptions(GAME, Explore(60), NODES)).run()
    return list(records(path, reproducible=True)), state


def start(book: str, *options: str, positions: int = 60) -> subprocess.Popen[str]:
    limits = ("--game", NAME, "--nodes", "200", "--positions", str(positions), "--json")
    return subprocess.Popen(
        [sys.executable, "-m", "fivebook.cli", "build", book, *limits, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def result(process: subprocess.Popen[str]) -> dict[str, int]:
    output, errors = process.communicate(timeout=_SECONDS)
    assert process.returncode == 0, errors
    told: dict[str, int] = json.loads(output)
    return told


def wait_for(book: str, script: str) -> None:
    """Until the first row that `script` finds says so."""
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        if any(row["found"] for row in rows_of(book, script)):
            return
        time.sleep(0.02)
    raise AssertionError(f"it never came to '{script}'")


def leases_of(process: subprocess.Popen[str]) -> str:
    return f"SELECT leased_by LIKE '%:{process.pid}:%' AS found FROM tasks"


def test_two_builders_do_each_search_once_and_make_the_book_of_one(
    shared: str, alone: tuple[Content, BuildState]
) -> None:
    BookWriter(shared, GAME).close()
    change(shared, _RECORD_LEASES)
    builders = [start(shared), start(shared)]
    told = [result(builder) for builder in builders]
    content, state = alone
    assert list(records(shared, reproducible=True)) == content
    assert sum(each["searches"] for each in told) == state.searches
    leased = [row["task"] for row in rows_of(shared, "SELECT task FROM leased")]
    assert len(leased) == len(set(leased)) == state.searches
    assert all(each["complete"] for each in told)
    assert_sound(shared, GAME)


@pytest.mark.slow
def test_what_a_killed_builder_was_at_is_done_by_the_other(
    shared: str, alone: tuple[Content, BuildState]
) -> None:
    BookWriter(shared, GAME).close()
    change(shared, _KEEP_SLOWLY)
    killed = start(shared, "--lease", "3s")
    wait_for(shared, leases_of(killed))
    # Stopped where it has leases, so that it takes some along.
    os.killpg(killed.pid, signal.SIGSTOP)
    other = start(shared, "--lease", "3s")
    wait_for(shared, "SELECT count(*) = 2 AS found FROM runs")
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()
    result(other)
    assert list(records(shared, reproducible=True)) == alone[0]


@pytest.mark.parametrize(
    ("options", "difference"),
    [
        ({"limits": Limits(nodes=300)}, "limits nodes=200 instead of nodes=300"),
        ({"mode": Explore(61)}, "positions none instead of 61"),
        ({"table": 1}, "table 4 instead of 1"),
        ({"mode": Full(1)}, "plies none instead of 1"),
        ({"game": registry.get("gomoku-11")}, "game gomoku-9 instead of gomoku-11"),
    ],
)
def test_a_builder_with_other_parameters_is_refused_while_one_is_at_work(
    options: dict[str, object], difference: str, shared: str
) -> None:
    given: dict[str, object] = {"game": GAME, "mode": Explore(), "limits": NODES} | options
    refused: list[str] = []

    def join(state: BuildState) -> None:
        first.stop()
        with pytest.raises(BookUnwritable) as error:
            Builder(shared, BuildOptions(**given)).run()  # type: ignore[arg-type]
        refused.append(str(error.value))

    first = Builder(shared, BuildOptions(GAME, Explore(), NODES), join)
    first.run()
    assert set(refused) == {
        f"'{Address.of(shared)}' is being built by another process with {difference}: "
        "join it with the same, or wait for its end"
    }
    assert {row["name"] for row in rows_of(shared, "SELECT name FROM games")} == {NAME}


def test_whoever_needs_the_book_alone_is_refused_while_builders_share_it(shared: str) -> None:
    with BookWriter(shared, GAME, shared=PARAMETERS) as first:
        first.start_run(PARAMETERS)
        first.share()
        with (
            BookWriter(shared, GAME, shared=PARAMETERS) as second,
            pytest.raises(BookUnwritable, match=r"is being built by another process$"),
        ):
            BookWriter(shared, GAME)
        assert not second.alone
    BookWriter(shared, GAME).close()


# Leases


@pytest.fixture
def plans(shared: str) -> Iterator[tuple[LeasedPlan, LeasedPlan]]:
    """The plan of a position's children, as two builders have it whose leases never end."""
    with (
        BookWriter(shared, GAME, shared=PARAMETERS) as first,
        LeasedPlan(first, "", 1e6) as ours,
    ):
        first.start_run(PARAMETERS)
        first.share()
        with first.transaction() as connection:
            children = GAME.children(GAME.play_line(GAME.parse_line("e5")))[:4]
            tasks = [
                Task(child.canonical.key, child.canonical.stones, True, frozenset())
                for child in children
            ]
            ours.add(connection, 1, tasks)
        with (
            BookWriter(shared, GAME, shared=PARAMETERS) as second,
            LeasedPlan(second, "", 1e6) as theirs,
        ):
            yield ours, theirs


def expire(book: str) -> None:
    change(book, "UPDATE tasks SET leased_until = clock_timestamp() - interval '1 second'")


def take(plan: LeasedPlan, most: int) -> list[PlannedTask]:
    with plan._writer.transaction() as connection:
        return plan.take(connection, most)


def keep(plan: LeasedPlan, planned: PlannedTask, searched: Searched) -> bool:
    with plan._writer.transaction() as connection:
        return plan.keep(connection, planned.id, searched)


def ids(plan: LeasedPlan, most: int) -> list[int]:
    return [planned.id for planned in take(plan, most)]


def test_a_leased_search_is_not_begun_by_another(plans: tuple[LeasedPlan, LeasedPlan]) -> None:
    ours, theirs = plans
    taken = ids(ours, 3)
    assert taken == sorted(taken)
    assert ids(theirs, 3) == [taken[-1] + 1]
    assert ids(ours, 3) == ids(theirs, 3) == []


def test_a_lease_that_is_over_is_taken_by_another_and_not_by_its_own(
    plans: tuple[LeasedPlan, LeasedPlan], shared: str
) -> None:
    ours, theirs = plans
    taken = ids(ours, 4)
    expire(shared)
    assert ids(ours, 4) == []
    assert ids(theirs, 4) == taken


def test_a_late_result_counts_if_it_is_the_first(
    plans: tuple[LeasedPlan, LeasedPlan], shared: str
) -> None:
    ours, theirs = plans
    (planned,) = take(ours, 1)
    expire(shared)
    assert ids(theirs, 1) == [planned.id]
    searched = run_task(NAME, planned.task, NODES)
    assert keep(ours, planned, searched)
    assert not keep(theirs, planned, searched)


def test_a_builder_that_leaves_gives_its_searches_back(
    plans: tuple[LeasedPlan, LeasedPlan],
) -> None:
    ours, theirs = plans
    taken = ids(theirs, 2)
    theirs.close()
    assert ids(ours, 2) == taken


def site_of(writer: BookWriter) -> Site:
    """The site of a build that plans one task at a time."""
    return Site(writer.address, writer.rows, [GAME.initial], NODES, batch_size=1)


def test_leases_are_renewed_as_long_as_their_builder_lives(shared: str) -> None:
    with (
        BookWriter(shared, GAME, shared=PARAMETERS) as writer,
        LeasedPlan(writer, "", 0.3) as plan,
    ):
        with writer.transaction() as connection:
            frontier = ExploreFrontier(site_of(writer))
            plan.add(connection, 1, frontier.next_batch([]))
        take(plan, 1)
        (before,) = rows_of(shared, "SELECT leased_until AS time FROM tasks")
        wait_for(shared, f"SELECT leased_until > '{before['time']}' AS found FROM tasks")


def test_a_first_builder_finds_no_leases_of_the_dead(shared: str) -> None:
    with BookWriter(shared, GAME, shared=PARAMETERS) as writer:
        plan = LeasedPlan(writer, "", 1e6)
        with writer.transaction() as connection:
            frontier = ExploreFrontier(site_of(writer))
            plan.add(connection, 1, frontier.next_batch([]))
        taken = ids(plan, 1)
        plan._closed.set()
    with (
        BookWriter(shared, GAME, shared=PARAMETERS) as writer,
        LeasedPlan(writer, "", 1e6) as later,
    ):
        assert ids(later, 1) == taken


def test_a_plan_for_other_limits_is_dropped_by_the_first_builder(shared: str) -> None:
    with BookWriter(shared, GAME, shared=PARAMETERS) as writer:
        with LeasedPlan(writer, "old", 60) as plan, writer.transaction() as connection:
            frontier = ExploreFrontier(site_of(writer))
            plan.add(connection, 1, frontier.next_batch([]))
        with LeasedPlan(writer, "new", 60) as plan, writer.transaction() as connection:
            assert plan.empty(connection)


def test_a_stop_gives_every_lease_back(shared: str) -> None:
    builder = Builder(
        shared,
        BuildOptions(GAME, Explore(), NODES),
        lambda state: builder.stop() if state.searches >= 20 else None,
    )
    builder.run()
    assert not builder.complete
    assert {row["leased_by"] for row in rows_of(shared, "SELECT leased_by FROM tasks")} == {None}


def test_a_file_has_one_builder_and_no_leases(tmp_path: Path) -> None:
    seen: set[str | None] = set()

    def look(state: BuildState) -> None:
        seen.update(row["leased_by"] for row in rows_of(path, "SELECT leased_by FROM tasks"))
        with pytest.raises(BookUnwritable, match="is being built by another process"):
            Builder(path, BuildOptions(GAME, Explore(5), NODES)).run()

    path = tmp_path / "book.db"
    Builder(path, BuildOptions(GAME, Explore(5), NODES), look).run()
    assert seen == {None}
