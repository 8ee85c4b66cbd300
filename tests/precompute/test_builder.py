"""A build is the same however it is run, and goes on from wherever it was stopped."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import Connection, Engine, event, select

from book.errors import BookError, BookUnwritable
from book.reader import BookReader
from book.rows.digests import digest_all
from book.storage.address import AnyAddress
from book.storage.schema import games
from book.storage.sqlite import driver_of
from book.whole.export import records
from book.whole.summary import summarise
from book.writer import BookWriter
from engine import registry
from engine.search import Limits, SearchOptions
from precompute.backend import Backend
from precompute.builder import Builder, BuildOptions, BuildState
from precompute.modes.explore import Explore
from precompute.modes.full import Full
from tests.books import change, rows_of, seal, slowly_on_a_server
from tests.oracles.book_checker import assert_sound
from tests.oracles.slow_rules import SlowGomoku, SlowPentagoSwap
from tests.servers import postgresql_book

Content = list[dict[str, object]]

NODES = Limits(nodes=400)


# Builds with two jobs, and kills itself and them with the search asked for.
KILLED_BUILD = """
import os, signal, sys
from engine import registry
from engine.search import Limits, SearchOptions
from precompute.builder import Builder, BuildOptions
from precompute.modes.explore import Explore

path, name, searches = sys.argv[1:]
options = BuildOptions(registry.get(name), Explore(60), Limits(nodes=400), jobs=2)

def kill(state):
    if state.searches == int(searches):
        os.killpg(0, signal.SIGKILL)

Builder(path, options, kill).run()
"""


def build(path: AnyAddress, name: str = "gomoku-9", **options: object) -> BuildState:
    given = {"mode": Explore(60), "limits": NODES} | options
    return Builder(path, BuildOptions(registry.get(name), **given)).run()  # type: ignore[arg-type]


def build_until(path: AnyAddress, name: str, searches: int) -> bool:
    """Build, but stop softly after some searches; returns whether the book is complete."""
    builder = Builder(
        path,
        BuildOptions(registry.get(name), Explore(60), NODES),
        lambda state: builder.stop() if state.searches >= searches else None,
    )
    builder.run()
    return builder.complete


def content(path: AnyAddress) -> Content:
    return list(records(path, reproducible=True))


def command(path: AnyAddress, *options: str) -> list[str]:
    return [sys.executable, "-m", "fivebook.cli", "build", str(path), *options]


@pytest.fixture(
    scope="module", params=["gomoku-9", pytest.param("pentago-swap", marks=pytest.mark.slow)]
)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def book(name: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("built") / "book.db"
    build(path, name)
    return path


def test_a_build_holds_as_many_positions_as_asked_for(book: Path, name: str) -> None:
    assert len(content(book)) == 60


def test_everything_in_a_built_book_follows_from_its_rows(book: Path, name: str) -> None:
    assert_sound(book, registry.get(name))


@slowly_on_a_server
def test_two_jobs_build_the_same_book_as_one(book: Path, name: str, place: AnyAddress) -> None:
    build(place, name, jobs=2)
    assert content(place) == content(book)


@slowly_on_a_server
def test_a_build_killed_at_any_moment_and_resumed_gives_the_same_book(
    book: Path, name: str, place: AnyAddress
) -> None:
    for searches in (5, 40):
        process = subprocess.run(
            [sys.executable, "-c", KILLED_BUILD, str(place), name, str(searches)],
            start_new_session=True,
        )
        assert process.returncode == -signal.SIGKILL
    assert len(content(place)) < 60
    state = build(place, name, jobs=2)
    assert content(place) == content(book)
    # Nothing that was found before a kill was searched again.
    assert state.searches == search_count(book, name) - 5 - 40
    with BookReader(place) as reader:
        runs = summarise(reader, registry.get(name)).runs
    assert [run.ended is None for run in runs] == [True, True, False]


@pytest.mark.slow
def test_results_kept_by_fivebook_0_3_with_lines_in_notation_enter_the_book(
    book: Path, name: str, tmp_path: Path
) -> None:
    path, game = tmp_path / "kept.db", registry.get(name)
    assert not build_until(path, name, searches=20)
    kept = rows_of(path, "SELECT id, result FROM tasks WHERE result IS NOT NULL")
    assert kept
    for row in kept:
        result = json.loads(row["result"])
        result["rest"]["line"] = game.format_line(result["rest"]["line"])
        change(
            path, "UPDATE tasks SET result = :r WHERE id = :id", r=json.dumps(result), id=row["id"]
        )
    seal(path)
    state = build(path, name)
    assert content(path) == content(book)
    # The searches in flight had ended too.
    assert state.searches <= search_count(book, name) - 20


@pytest.mark.slow
def test_a_build_killed_every_so_often_gives_the_same_book(
    book: Path, name: str, tmp_path: Path
) -> None:
    path = tmp_path / "killed.db"
    options = ("--game", name, "--nodes", "400", "--positions", "60", "--jobs", "2")
    random = Random(1)
    kills = 0
    while True:
        process = subprocess.Popen(
            command(path, *options), stdout=subprocess.DEVNULL, start_new_session=True
        )
        try:
            assert process.wait(timeout=random.uniform(0.5, 6.0)) == 0
            break
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            kills += 1
    assert kills > 0
    assert content(path) == content(book)


@pytest.mark.slow
def test_the_workers_of_a_killed_builder_end_by_themselves(tmp_path: Path) -> None:
    path = tmp_path / "book.db"
    process = subprocess.Popen(
        command(path, "--game", "gomoku-9", "--nodes", "400", "--jobs", "2"),
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    wait_for_searches(path, 10, process)
    group = process.pid
    process.kill()
    process.wait()
    for _ in range(600):
        if not processes_of(group):
            return
        time.sleep(0.1)
    raise AssertionError(f"still running: {processes_of(group)}")


def processes_of(group: int) -> list[str]:
    """The commands of the processes of a group, but for those that have ended."""
    if shutil.which("ps") is None:
        pytest.skip("there is no ps program to list processes")
    listed = subprocess.run(
        ["ps", "-e", "-o", "pgid=,stat=,args="], capture_output=True, text=True, check=True
    )
    rows = [line.split(maxsplit=2) for line in listed.stdout.splitlines()]
    return [row[2] for row in rows if int(row[0]) == group and not row[1].startswith("Z")]


def wait_for_searches(path: AnyAddress, wanted: int, process: subprocess.Popen[bytes]) -> None:
    """Until `wanted` searches are entered or wait to be; a build that ends first is an error."""
    while process.poll() is None:
        if searches_so_far(path) >= wanted:
            return
        time.sleep(0.1)
    raise AssertionError("the build ended before it could be killed")


def searches_so_far(path: AnyAddress) -> int:
    script = (
        "SELECT (SELECT coalesce(sum(searches), 0) FROM runs)"
        " + (SELECT count(*) FROM tasks WHERE result IS NOT NULL)"
    )
    try:
        with BookReader(path) as reader, reader.connection() as connection:
            return int(connection.exec_driver_sql(script).scalar_one())
    except BookError:
        # The tables are not there yet.
        return 0


def search_count(path: AnyAddress, name: str) -> int:
    with BookReader(path) as reader:
        return sum(run.searches for run in summarise(reader, registry.get(name)).runs)


@slowly_on_a_server
def test_a_build_stopped_softly_goes_on_to_the_same_book(
    book: Path, name: str, place: AnyAddress
) -> None:
    stops = 0
    while not build_until(place, name, searches=37):
        stops += 1
    assert stops >= 2
    assert content(place) == content(book)


ENDED_BY = pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, 143, marks=pytest.mark.slow)],
)


@ENDED_BY
def test_a_signal_ends_a_build_in_order_with_its_status(
    tmp_path: Path, number: signal.Signals, status: int
) -> None:
    assert_ends_in_order(tmp_path / "book.db", number, status)


@pytest.mark.slow
@ENDED_BY
def test_a_signal_ends_a_build_on_a_server_in_order_with_its_status(
    number: signal.Signals, status: int
) -> None:
    with postgresql_book() as address:
        assert_ends_in_order(address, number, status)


def assert_ends_in_order(place: AnyAddress, number: signal.Signals, status: int) -> None:
    process = subprocess.Popen(
        command(place, "--game", "gomoku-9", "--nodes", "400", "--jobs", "2"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_for_searches(place, 10, process)  # type: ignore[arg-type]
    process.send_signal(number)
    output, errors = process.communicate()
    assert process.returncode == status, errors
    assert "goes on from here" in output
    assert "Traceback" not in errors
    with BookReader(place) as reader:
        assert summarise(reader, registry.get("gomoku-9")).runs[0].ended is not None


@slowly_on_a_server
def test_building_further_keeps_what_is_there(book: Path, name: str, place: AnyAddress) -> None:
    build(place, name, mode=Explore(20))
    before = {record["position"] for record in content(place)}
    state = build(place, name)
    assert state.added == 40
    assert before < {record["position"] for record in content(place)}
    assert_sound(place, registry.get(name))


def test_a_finished_build_has_nothing_more_to_do(book: Path, name: str) -> None:
    before = content(book)
    state = build(book, name)
    assert (state.added, state.searches) == (0, 0)
    assert content(book) == before


def test_each_search_is_one_write_to_the_disk(tmp_path: Path) -> None:
    written: set[tuple[int, int]] = set()

    def note(connection: Connection) -> None:
        driver = driver_of(connection)
        written.add((id(driver), driver.total_changes))

    event.listen(Engine, "commit", note)
    try:
        state = build(tmp_path / "book.db", limits=Limits(nodes=50))
    finally:
        event.remove(Engine, "commit", note)
    # Besides, there are the tables and the game, the run and its end, and the first plan.
    assert state.searches < len(written) <= state.searches + 6


def test_time_ends_a_build(tmp_path: Path) -> None:
    # Kernels are loaded before the time counts.
    build(tmp_path / "first.db")
    state = build(tmp_path / "book.db", mode=Explore(), seconds=0.5)
    assert state.searches >= 1
    assert state.positions == len(content(tmp_path / "book.db"))


@slowly_on_a_server
@pytest.mark.parametrize("changes", [{"limits": Limits(nodes=500)}, {"table": 1}])
def test_other_searches_replan_what_was_not_searched(
    changes: dict[str, object], place: AnyAddress
) -> None:
    assert not build_until(place, "gomoku-9", searches=20)
    state = build(place, **changes)
    assert state.positions == 60
    assert_sound(place, registry.get("gomoku-9"))


@pytest.mark.parametrize(
    ("game_id", "plies", "nodes"),
    [
        ("gomoku-5", 2, 50),
        pytest.param("gomoku-5", 3, 50, marks=pytest.mark.slow),
        ("pentago-swap", 1, 50),
        pytest.param("pentago-swap", 2, 50, marks=pytest.mark.slow),
    ],
)
def test_a_full_build_holds_every_position_up_to_its_ply(
    game_id: str, plies: int, nodes: int, place: AnyAddress
) -> None:
    limits = Limits(nodes=nodes)
    build(place, game_id, mode=Full(plies), limits=limits, jobs=2, backend=Backend.THREADING)
    with BookReader(place) as reader:
        layers = summarise(reader, registry.get(game_id)).layers
    slow = SlowPentagoSwap() if game_id == "pentago-swap" else SlowGomoku(5)
    assert [layer.positions for layer in layers] == [1, *slow.unfinished_positions(plies)]
    # All moves of an inner position lead to stored ones.
    inner = [record for record in content(place) if record["ply"] < plies]
    assert {record["rest"] for record in inner} == {"none"}
    assert_sound(place, registry.get(game_id))


def test_games_share_a_book_without_touching_each_other(place: AnyAddress) -> None:
    build(place, "gomoku-9", mode=Explore(20))
    alone = content(place)
    build(place, "pentago-swap", mode=Explore(10))
    assert [record for record in content(place) if record["game"] == "gomoku-9"] == alone
    with BookReader(place) as reader:
        assert [game.id for game in reader.games] == ["gomoku-9", "pentago-swap"]


def test_only_one_builder_has_a_book_at_a_time(place: AnyAddress) -> None:
    game = registry.get("gomoku-9")
    with (
        BookWriter(place, game),
        pytest.raises(BookUnwritable, match="being built by another"),
    ):
        BookWriter(place, game)
    BookWriter(place, game).close()


def test_a_reader_is_answered_while_a_book_is_built(place: AnyAddress) -> None:
    game = registry.get("gomoku-9")
    build(place, mode=Explore(10))
    with BookReader(place) as reader, BookWriter(place, game) as writer:
        with writer.transaction() as connection:
            connection.exec_driver_sql("UPDATE positions SET value = 77")
            for number in connection.execute(select(games.c.id)).scalars().all():
                digest_all(connection, number)
            assert reader.find(game, game.initial).value != 77
        assert reader.find(game, game.initial).value == 77


def test_a_full_disk_is_said_and_costs_nothing_that_was_stored(
    book: Path, name: str, tmp_path: Path
) -> None:
    path = tmp_path / "book.db"
    options = ["--game", name, "--nodes", "400", "--positions", "60"]
    # Blocks of 1024 bytes: the tables fit, a few dozen positions do not.
    limited = ["bash", "-c", 'ulimit -f 220; exec "$@"', "limited", *command(path, *options)]
    result = subprocess.run(limited, capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert "the disk is full" in result.stderr
    assert 0 < len(content(path)) < 60
    build(path, name)
    assert content(path) == content(book)


def test_json_output_is_one_document(tmp_path: Path) -> None:
    options = ["--game", "gomoku-9", "--nodes", "100", "--positions", "5", "--json"]
    result = subprocess.run(
        command(tmp_path / "book.db", *options), capture_output=True, text=True, check=True
    )
    document = json.loads(result.stdout)
    assert document["positions"] == 5
    assert document["complete"] is True


def test_the_size_of_the_table_is_kept_with_the_run(tmp_path: Path) -> None:
    path = tmp_path / "book.db"
    build(path, mode=Explore(20))
    build(path, mode=Explore(40), table=1)
    with BookReader(path) as reader:
        usual, small = summarise(reader, reader.games[0]).runs
    assert usual.parameters["table"] == SearchOptions().table
    assert small.parameters["table"] == 1
