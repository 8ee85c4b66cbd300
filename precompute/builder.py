"""Building a book: the plan goes out to the jobs, the results come back to one writer.

The plan lies in the book, `_OPEN_BATCHES` batches ahead of what has been entered. A result is
stored with its task as soon as it is there; a batch enters the book as a whole, in the order of
the plan, in one transaction with the planning of the next. The content of the book therefore
depends neither on the number of jobs nor on when a build was killed and resumed.
"""

import json
import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError
from sqlalchemy import Connection

from book.address import Address, AnyAddress
from book.errors import BookError
from book.processes import follow
from book.rows import Searched
from book.writer import BookWriter, PlannedTask, Task
from engine.games.base import Game
from engine.position import Position
from engine.search import Limits, SearchOptions
from precompute.frontier import Explore, Frontier, Full
from precompute.job import run_task
from precompute.proving import Goal, Proving

# While one batch waits for its last results, the other keeps the jobs busy.
_OPEN_BATCHES = 2
_BATCH_SIZE = 16


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What to build, and until when.

    `limits` hold for each search, and `table` is the size of its transposition table in MiB; its
    result depends on both. With `plies` every position up to that ply is built, otherwise
    the cheapest frontier is, up to `positions` stored ones, with `learn` the positions that
    the book was asked for, and with `goal` those that may prove it. `seconds` bounds this
    invocation.
    """

    game: Game
    limits: Limits
    jobs: int = 1
    positions: int | None = None
    plies: int | None = None
    seconds: float | None = None
    table: int = SearchOptions().table
    learn: bool = False
    goal: Goal | None = None

    @property
    def root(self) -> Position:
        """Where the book begins, or the proof that is to be made."""
        return self.game.play_line(() if self.goal is None else self.goal.line)

    @property
    def search(self) -> SearchOptions:
        """What each search is given: one thread, since with several its result is not one."""
        return SearchOptions(table=self.table)


@dataclass(frozen=True, slots=True)
class BuildState:
    """How far a build is: the book's positions, and what this invocation did so far."""

    positions: int
    added: int
    searches: int
    nodes: int
    seconds: float


class Builder:
    """One build run. `report` is called after every search."""

    def __init__(
        self,
        address: AnyAddress,
        options: BuildOptions,
        report: Callable[[BuildState], None] = lambda state: None,
    ) -> None:
        self._address = Address.of(address)
        self._options = options
        self._report = report
        self._limits = json.dumps(_what_decides(options), sort_keys=True)
        self._waiting: deque[PlannedTask] = deque()
        self._batches: dict[int, list[PlannedTask]] = {}
        self._results: dict[int, Searched] = {}
        self._stopping = False

    def stop(self) -> None:
        """Begin no further search; `run` returns once those in flight have ended."""
        self._stopping = True

    def run(self) -> BuildState:
        """Build until the book is complete, the time is over, or `stop` is called.

        Raises:
            BookError: if the book cannot be written; what was stored before is safe.
        """
        options = self._options
        started = time.monotonic()
        self._end = started + options.seconds if options.seconds else float("inf")
        # Compiles the kernels, where that has not been done, before any worker would.
        options.game.searcher(options.search)
        with BookWriter(self._address, options.game) as writer:
            self._writer = writer
            self._frontier = self._make_frontier(writer)
            self._state = BuildState(writer.count(), 0, 0, 0, 0.0)
            self._run = writer.start_run(self._parameters())
            self._resume()
            self._settle()
            with Parallel(
                n_jobs=options.jobs,
                return_as="generator_unordered",
                batch_size=1,
                pre_dispatch="2*n_jobs",
                initializer=follow,
                initargs=(os.getpid(),),
            ) as parallel:
                while self._waiting and not self._over:
                    self._work(parallel, started)
            writer.end_run(self._run)
        return self._state

    @property
    def complete(self) -> bool:
        """Whether nothing was left to do when `run` returned."""
        return not self._batches

    @property
    def _over(self) -> bool:
        return self._stopping or time.monotonic() >= self._end

    def _work(self, parallel: Parallel, started: float) -> None:
        """Send tasks to the jobs until none waits, and take in the results as they come."""
        try:
            for task_id, searched in parallel(self._calls()):
                self._writer.keep_result(task_id, searched)
                self._results[task_id] = searched
                self._state = replace(
                    self._state,
                    searches=self._state.searches + 1,
                    nodes=self._state.nodes + searched.nodes,
                    seconds=time.monotonic() - started,
                )
                self._settle()
                self._report(self._state)
        except TerminatedWorkerError as error:
            raise BookError(
                "a job was killed, perhaps for lack of memory; the same command goes on from here"
            ) from error

    def _calls(self) -> Iterator[object]:
        """The waiting tasks as joblib's calls. Runs in joblib's threads: must never wait."""
        while self._waiting and not self._over:
            planned = self._waiting.popleft()
            yield delayed(_run_numbered)(
                planned.id,
                self._options.game.id,
                planned.task,
                self._options.limits,
                self._options.search,
            )

    def _settle(self) -> None:
        """Enter the batches that are complete, in order, and keep the plan ahead of the jobs."""
        moving = True
        while moving:
            complete = self._complete_batch()
            if complete is None and len(self._batches) >= _OPEN_BATCHES:
                return
            with self._writer.transaction() as connection:
                if complete is not None:
                    self._enter(connection, complete)
                planned = self._plan(connection)
            moving = planned or complete is not None

    def _complete_batch(self) -> int | None:
        """The number of the oldest batch, if all its results are there."""
        number = next(iter(self._batches), None)
        if number is None or any(t.id not in self._results for t in self._batches[number]):
            return None
        return number

    def _enter(self, connection: Connection, number: int) -> None:
        batch = [(t.task, self._results.pop(t.id)) for t in self._batches.pop(number)]
        self._writer.enter_batch(connection, batch, number, self._run)
        added = sum(task.new for task, _ in batch)
        self._state = replace(
            self._state,
            positions=self._state.positions + added,
            added=self._state.added + added,
        )

    def _plan(self, connection: Connection) -> bool:
        """Put the next tasks into the plan; returns whether there were any."""
        if len(self._batches) >= _OPEN_BATCHES:
            return False
        opened = [planned for batch in self._batches.values() for planned in batch]
        tasks = self._frontier.next_batch(connection, opened)
        for start in range(0, len(tasks), _BATCH_SIZE):
            number = max(self._batches, default=0) + 1
            self._batches[number] = self._writer.plan(
                connection, number, tasks[start : start + _BATCH_SIZE], self._limits
            )
            self._waiting.extend(self._batches[number])
        return bool(tasks)

    def _resume(self) -> None:
        """Take up the plan that an earlier run left in the book."""
        for planned in self._writer.planned(self._limits):
            self._batches.setdefault(planned.batch, []).append(planned)
            if planned.result is None:
                self._waiting.append(planned)
            else:
                self._results[planned.id] = planned.result

    def _make_frontier(self, writer: BookWriter) -> Frontier:
        options = self._options
        if options.plies is not None:
            return Full(options.game, writer.game_number, plies=options.plies)
        if options.learn:
            # Only here, since what it loads is nothing that a job needs.
            from precompute.learning import Learn

            return Learn(
                options.game,
                writer.game_number,
                self._address,
                batch_size=_BATCH_SIZE,
                most=options.positions,
            )
        if options.goal is not None:
            return Proving(
                options.game,
                writer.game_number,
                options.goal,
                batch_size=_BATCH_SIZE,
                most=options.positions,
            )
        return Explore(
            options.game, writer.game_number, batch_size=_BATCH_SIZE, most=options.positions
        )

    def _parameters(self) -> dict[str, object]:
        options = self._options
        return {
            "limits": options.limits.as_dict(),
            "table": options.table,
            "jobs": options.jobs,
            "positions": options.positions,
            "plies": options.plies,
            "seconds": options.seconds,
            **_mode(options),
        }


def _mode(options: BuildOptions) -> dict[str, object]:
    """What else is to be told of a run."""
    goal = options.goal
    if goal is not None:
        root = options.game.format_line(goal.line)
        return {"mode": "prove", "root": root, "side": "dark" if goal.dark else "light"}
    return {"mode": "learn"} if options.learn else {}


def _what_decides(options: BuildOptions) -> dict[str, object]:
    """What a planned search's result depends on, besides its task. The usual table is left out,
    so that plans from before it could be chosen are still good."""
    decides = options.limits.as_dict()
    if options.table != SearchOptions().table:
        decides["table"] = options.table
    return decides


def _run_numbered(
    task_id: int, game_id: str, task: Task, limits: Limits, search: SearchOptions
) -> tuple[int, Searched]:
    return task_id, run_task(game_id, task, limits, search)
