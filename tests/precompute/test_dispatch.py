"""Searches are done wherever workers are, and a worker that dies costs its search alone."""

import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from book.rows.encoding import Searched
from book.storage.address import AnyAddress
from book.whole.export import records
from book.writer import PlannedTask, Task
from engine import registry
from engine.search import Limits, SearchOptions
from fivebook.cli import cli
from precompute import cluster
from precompute.backend import Backend
from precompute.builder import Builder, BuildOptions, BuildState
from precompute.cluster import ClusterDispatch, is_protected
from precompute.dispatch import Dispatch, ProcessDispatch, ThreadDispatch, WorkersLost
from precompute.job import Search
from precompute.modes.explore import Explore
from tests.books import Fivebook
from tests.precompute.clusters import LocalCluster, local_cluster

NAME = "gomoku-9"
NODES = Limits(nodes=200)
POSITIONS = 40
SEARCH = Search(NAME, NODES, SearchOptions())

Content = list[dict[str, object]]


def content(path: AnyAddress) -> Content:
    return list(records(path, reproducible=True))


def options(**others: object) -> BuildOptions:
    given = {"mode": Explore(POSITIONS), "limits": NODES} | others
    return BuildOptions(registry.get(NAME), **given)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Content:
    """The book that every build of these options has to make."""
    path = tmp_path_factory.mktemp("whole") / "book.db"
    Builder(path, options()).run()
    return content(path)


def planned(number: int, line: str = "e5") -> PlannedTask:
    game = registry.get(NAME)
    canonical = game.canonical(game.play_line(game.parse_line(line)))
    task = Task(canonical.key, canonical.stones, True, frozenset())
    return PlannedTask(number, 1, task, None)


def all_results(workers: Dispatch[PlannedTask, Searched]) -> dict[int, Searched]:
    found: dict[int, Searched] = {}
    take_all(workers, found)
    return found


def take_all(workers: Dispatch[PlannedTask, Searched], found: dict[int, Searched]) -> None:
    while workers.busy:
        found |= {task.id: searched for task, searched in workers.finished(0.05)}


@pytest.mark.parametrize(
    ("backend", "jobs"),
    [(Backend.LOKY, 2), (Backend.THREADING, 1), (Backend.THREADING, 2), (Backend.THREADING, 8)],
)
def test_a_book_is_the_same_for_any_number_of_jobs(
    whole: Content, backend: Backend, jobs: int, tmp_path: Path
) -> None:
    Builder(tmp_path / "book.db", options(backend=backend, jobs=jobs)).run()
    assert content(tmp_path / "book.db") == whole


@pytest.mark.slow
def test_a_book_is_the_same_for_eight_processes(whole: Content, tmp_path: Path) -> None:
    Builder(tmp_path / "book.db", options(jobs=8)).run()
    assert content(tmp_path / "book.db") == whole


def test_dask_workers_build_the_same_book(
    whole: Content, two_workers: LocalCluster, tmp_path: Path
) -> None:
    on = options(backend=Backend.DASK, scheduler=two_workers.address)
    Builder(tmp_path / "book.db", on).run()
    assert content(tmp_path / "book.db") == whole


@pytest.mark.slow
def test_a_dask_worker_killed_in_the_middle_costs_nothing(whole: Content, tmp_path: Path) -> None:
    with local_cluster(tmp_path, workers=2) as running:
        killed: list[int] = []

        def kill_one(state: BuildState) -> None:
            if state.searches >= 10 and not killed:
                running.workers[0].kill()
                killed.append(running.workers[0].wait())

        on = options(backend=Backend.DASK, scheduler=running.address)
        state = Builder(tmp_path / "book.db", on, kill_one).run()
    assert killed == [-signal.SIGKILL]
    assert state.searches > 10
    assert content(tmp_path / "book.db") == whole


@pytest.mark.slow
def test_a_build_that_lost_all_its_workers_says_so_and_goes_on_with_a_new_one(
    whole: Content, tmp_path: Path
) -> None:
    with local_cluster(tmp_path, workers=1) as running:

        def kill_the_first(state: BuildState) -> None:
            if state.deserted and len(running.workers) == 1:
                running.add_worker()
            elif state.searches == 10:
                running.workers[0].kill()

        on = options(backend=Backend.DASK, scheduler=running.address)
        Builder(tmp_path / "book.db", on, kill_the_first).run()
        assert len(running.workers) == 2
    assert content(tmp_path / "book.db") == whole


@pytest.mark.slow
def test_a_build_that_lost_all_its_workers_can_be_stopped_and_goes_on(
    whole: Content, tmp_path: Path
) -> None:
    with local_cluster(tmp_path, workers=1) as running:

        def kill_and_stop(state: BuildState) -> None:
            if state.searches == 10:
                running.workers[0].kill()
            if state.deserted:
                builder.stop()

        on = options(backend=Backend.DASK, scheduler=running.address)
        builder = Builder(tmp_path / "book.db", on, kill_and_stop)
        builder.run()
        assert not builder.complete
    Builder(tmp_path / "book.db", options()).run()
    assert content(tmp_path / "book.db") == whole


def test_a_worker_of_another_version_is_refused(
    two_workers: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = cluster.edition_of(NAME)
    monkeypatch.setattr(cluster, "edition_of", lambda game: replace(here, version="0.0.1"))
    with pytest.raises(WorkersLost, match=r"has fivebook \d.*, this builder fivebook 0\.0\.1 with"):
        ClusterDispatch(SEARCH, two_workers.address)


def test_a_worker_that_comes_later_with_another_version_is_refused(
    two_workers: LocalCluster,
) -> None:
    with ClusterDispatch(SEARCH, two_workers.address) as workers:
        workers._edition = replace(workers._edition, evaluation="other")
        workers.send(planned(1))
        with pytest.raises(WorkersLost, match="their results would differ"):
            all_results(workers)


WITHOUT_FIVEBOOK = "import sys; sys.modules['precompute'] = None"
OF_ANOTHER_VERSION = "import engine; engine.__version__ = '0.0.1'"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheduler_runs", "worker_runs", "sentence"),
    [
        ("pass", WITHOUT_FIVEBOOK, "cannot do its work; it and the scheduler need fivebook"),
        (WITHOUT_FIVEBOOK, "pass", "cannot do its work; it and the scheduler need fivebook"),
        ("pass", OF_ANOTHER_VERSION, "has fivebook 0.0.1 with"),
    ],
)
def test_an_installation_that_cannot_search_is_told_in_one_sentence(
    tmp_path: Path, scheduler_runs: str, worker_runs: str, sentence: str
) -> None:
    with local_cluster(tmp_path, workers=0, scheduler_runs=scheduler_runs) as running:
        running.add_worker(worker_runs)
        command = ["build", str(tmp_path / "book.db"), "--game", NAME, "--positions", "3"]
        where = ["--backend", "dask", "--scheduler", running.address]
        told = CliRunner().invoke(cli, [*command, *where])
    assert told.exit_code == 2
    assert sentence in told.stderr
    assert "\n" not in told.stderr.strip().removeprefix("Error: ")


@pytest.mark.slow
def test_a_worker_that_comes_later_without_fivebook_is_told(tmp_path: Path) -> None:
    with (
        local_cluster(tmp_path, workers=1) as running,
        ClusterDispatch(SEARCH, running.address) as workers,
    ):
        running.workers[0].kill()
        running.add_worker(WITHOUT_FIVEBOOK)
        workers.send(planned(1))
        with pytest.raises(WorkersLost, match="cannot do its work; it and the scheduler"):
            all_results(workers)


@pytest.mark.slow
def test_a_search_that_kills_dask_workers_is_named_and_costs_nothing_else(
    whole: Content, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_do_there", deadly_there)
    book, found = tmp_path / "book.db", list[BuildState]()
    with local_cluster(tmp_path, workers=3, allowed_failures=1) as running:
        on = options(backend=Backend.DASK, scheduler=running.address)
        with pytest.raises(WorkersLost) as refused:
            Builder(book, on, found.append).run()
        assert [worker.poll() for worker in running.workers].count(-signal.SIGKILL) == 2
    assert str(refused.value).startswith("the search of gomoku-9 with dark ")
    assert str(refused.value).endswith(
        "was in flight on each of 2 workers that died, perhaps for lack of memory; the same "
        "command tries it again"
    )
    undisturbed = Builder(tmp_path / "undisturbed.db", options()).run()
    again = Builder(book, options()).run()
    assert found[-1].searches + again.searches == undisturbed.searches
    assert content(book) == whole


def deadly_there(edition: cluster.Edition, search: Search, planned_: PlannedTask) -> Searched:
    """What a worker is given: a search that one position is the death of."""
    if planned_.task.stones == planned(0, "e5 d4").task.stones:
        os.kill(os.getpid(), signal.SIGKILL)
    return search.do(planned_)


def test_without_dask_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(WorkersLost, match=r"needs dask: pip install 'fivebook\[dask\]'$"):
        ClusterDispatch(SEARCH, "tcp://127.0.0.1:9")


def test_without_a_scheduler_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    monkeypatch.setattr(cluster, "_SECONDS_TO_CONNECT", 0.5)
    with pytest.raises(WorkersLost, match=r"no dask scheduler at 'tcp://127\.0\.0\.1:9'"):
        ClusterDispatch(SEARCH, "tcp://127.0.0.1:9")


def test_a_scheduler_without_workers_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with local_cluster(tmp_path, workers=0) as running:
        monkeypatch.setattr(cluster, "_SECONDS_TO_CONNECT", 3)
        with pytest.raises(
            WorkersLost, match=f"has no worker: start some with dask worker {running.address}"
        ):
            ClusterDispatch(SEARCH, running.address)


@pytest.mark.slow
def test_a_scheduler_that_goes_away_ends_the_build_in_one_sentence_and_it_goes_on(
    whole: Content, tmp_path: Path, two_workers: LocalCluster
) -> None:
    with local_cluster(tmp_path, workers=1) as running:
        on = options(backend=Backend.DASK, scheduler=running.address)
        with pytest.raises(WorkersLost, match="is gone; the same command goes on from here"):
            Builder(
                tmp_path / "book.db",
                on,
                lambda state: running.stop_scheduler() if state.searches == 5 else None,
            ).run()
    Builder(tmp_path / "book.db", replace(on, scheduler=two_workers.address)).run()
    assert content(tmp_path / "book.db") == whole


# Processes of this machine


def kill_a_worker(workers: ProcessDispatch[PlannedTask, Searched]) -> None:
    os.kill(next(iter(workers._executor._processes)), signal.SIGKILL)


def test_searches_are_done_again_when_their_process_is_killed() -> None:
    with ProcessDispatch(SEARCH, 2) as workers:
        for number in range(4):
            workers.send(planned(number))
        kill_a_worker(workers)
        found = all_results(workers)
    with ThreadDispatch(SEARCH, 1) as thread:
        thread.send(planned(0))
        (expected,) = all_results(thread).values()
    assert sorted(found) == [0, 1, 2, 3]
    assert {replace(each, milliseconds=0) for each in map(_hashable, found.values())} == {
        replace(_hashable(expected), milliseconds=0)
    }


def _hashable(searched: Searched) -> Searched:
    return replace(searched, children=tuple(searched.children.items()))  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_build_goes_on_after_its_workers_were_killed(whole: Content, tmp_path: Path) -> None:
    built = Builder(tmp_path / "book.db", options(jobs=2), lambda state: kill(state))
    deaths: list[int] = []

    def kill(state: BuildState) -> None:
        if state.searches in (10, 20) and state.searches not in deaths:
            deaths.append(state.searches)
            kill_a_worker(built._dispatch)  # type: ignore[arg-type]

    built.run()
    assert deaths == [10, 20]
    assert content(tmp_path / "book.db") == whole


def test_a_process_killed_while_nothing_is_searched_is_replaced() -> None:
    with ProcessDispatch(SEARCH, 1) as workers:
        workers.send(planned(1))
        all_results(workers)
        kill_a_worker(workers)
        time.sleep(0.5)
        workers.send(planned(2))
        assert list(all_results(workers)) == [2]


class Deadly(Search):
    """Searches that one position is the death of."""

    __slots__ = ()

    def do(self, task: PlannedTask) -> Searched:
        if task.task.stones == planned(0, "a1").task.stones:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().do(task)


@pytest.mark.slow
def test_of_all_searches_in_flight_the_one_that_kills_its_worker_is_named() -> None:
    found: dict[int, Searched] = {}
    with ProcessDispatch(Deadly(NAME, NODES, SearchOptions()), 2) as workers:
        for number, line in enumerate(("e5", "e5 f6", "a1", "e5 a1")):
            workers.send(planned(number, line))
        with pytest.raises(WorkersLost) as refused:
            take_all(workers, found)
    assert str(refused.value) == (
        "the search of gomoku-9 with dark a1 has killed its worker 3 times, perhaps for lack of "
        "memory; the same command tries it again"
    )
    assert 2 not in found


def test_a_position_is_named_by_its_stones() -> None:
    assert SEARCH.name(planned(0, "")) == "the search of the empty board of gomoku-9"
    assert SEARCH.name(planned(0, "e5")) == "the search of gomoku-9 with dark e5"
    game = registry.get(NAME)
    text = SEARCH.name(planned(0, "e5 f6 g7"))
    text = text.removeprefix("the search of gomoku-9 with dark ")
    dark, light = text.split(" and light ")
    line = " ".join(pair for pair in (dark.split()[0], light, dark.split()[1]))
    again = game.canonical(game.play_line(game.parse_line(line)))
    assert again.stones == planned(0, "e5 f6 g7").task.stones


@pytest.mark.parametrize(
    "address",
    ["tcp://127.0.0.1:8786", "127.0.0.1:8786", "localhost:8786", "tcp://[::1]:8786", "tls://x:1"],
)
def test_a_scheduler_on_this_machine_or_behind_tls_is_protected(address: str) -> None:
    assert is_protected(address)


@pytest.mark.parametrize(
    "address", ["tcp://10.0.0.1:8786", "host:8786", "tcp://localhost.example.org:1", "tcp://", ""]
)
def test_no_other_scheduler_is_used_unless_that_is_asked_for(
    address: str, tmp_path: Path, fivebook: Fivebook
) -> None:
    assert not is_protected(address)
    book = tmp_path / "book.db"
    options = ("--game", NAME, "--backend", "dask", "--scheduler", address)
    result = fivebook("build", book, *options)
    assert result.exit_code == 2
    assert "--insecure" in result.stderr
    assert not book.exists()
