"""Building a book: the plan goes out to the jobs, the results come back to one writer.

The plan lies in the book, `_OPEN_BATCHES` batches ahead of what has been entered. A result is
stored with its task as soon as it is there; a batch enters the book as a whole, in the order of
the plan, in one transaction with its last result and the planning of the next. The content of the
book therefore depends neither on the number of jobs, nor on how many builders share it, nor on when
one was killed and resumed.
"""

import json
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from enum import StrEnum

from sqlalchemy import Connection

from book.plan import open_plan
from book.rows.encoding import Searched
from book.rows.lookup import count_positions
from book.storage.address import Address, AnyAddress
from book.writer import BookWriter, PlannedTask
from engine.errors import InvalidOptions
from engine.game import Game
from engine.position import Move, Position
from engine.search import Limits, SearchOptions
from precompute.cluster import Cluster
from precompute.dispatch import Dispatch, Done, Processes, Search, Threads
from precompute.modes.frontier import Explore, Frontier, Full, Refine
from precompute.modes.prove_by_book import Goal, Proving
from precompute.slots import LossLimits

# While one batch waits for its last results, the other keeps the jobs busy.
_OPEN_BATCHES = 2
_BATCH_SIZE = 16
USUAL_LEASE = 60.0
# How soon a builder sees that it is to stop, or that another has planned what it may begin.
_SECONDS_BETWEEN_LOOKS = 0.1


class Backend(StrEnum):
    """Where searches are done."""

    LOKY = "loky"
    """In processes of this machine; a single one at a time is done in this process."""
    THREADING = "threading"
    """In threads of this process."""
    DASK = "dask"
    """By the workers of a dask scheduler."""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What to build, and until when.

    `limits` hold for each search, and `table` is the size of its transposition table in MiB; its
    result depends on both. The book grows from the position after `line` on. With `plies` every
    position up to so many plies later is built, with `learn` those that the book was asked for,
    and with `goal`, about the position after `line`, those that may prove it. Otherwise the
    cheapest slots within `losses` come first: they are expanded; or, with `refine`, searched again,
    until so many positions as `searches` were searched with such limits. A book grows up to
    `positions` stored ones. `seconds` bounds this invocation.

    `jobs` searches are done at a time; with the backend dask, as many as the workers of
    `scheduler` have threads. Where several builders share a book, one that gives no sign for
    `lease` seconds loses the searches it was at to the others.

    Raises:
        InvalidOptions: if only one of dask and its scheduler is given.
    """

    game: Game
    limits: Limits
    jobs: int = 1
    positions: int | None = None
    plies: int | None = None
    seconds: float | None = None
    table: int = SearchOptions().table
    backend: Backend = Backend.LOKY
    scheduler: str | None = None
    lease: float = USUAL_LEASE
    line: tuple[Move, ...] = ()
    losses: LossLimits = LossLimits()
    refine: bool = False
    searches: int | None = None
    learn: bool = False
    goal: Goal | None = None

    def __post_init__(self) -> None:
        if self.backend is Backend.DASK and self.scheduler is None:
            raise InvalidOptions("the backend dask needs a scheduler, such as tcp://HOST:8786")
        if self.backend is not Backend.DASK and self.scheduler is not None:
            raise InvalidOptions(f"a scheduler needs the backend dask, not {self.backend}")

    @property
    def root(self) -> Position:
        """The position from which on the book grows, or that the proof is about."""
        return self.game.play_line(self.line)

    @property
    def search(self) -> SearchOptions:
        """What each search is given: one thread, since with several its result is not one."""
        return SearchOptions(table=self.table)


@dataclass(frozen=True, slots=True)
class BuildState:
    """How far a build is: the book's positions, and what this invocation did so far.

    `search_seconds` are those of all searches together. `searching` is the share of their time
    that the jobs were searching, since each had ended a search; 0 until then. `deserted`: every
    worker is gone, and the build waits for one.
    """

    positions: int
    added: int
    searches: int
    nodes: int
    seconds: float
    search_seconds: float = 0.0
    searching: float = 0.0
    deserted: bool = False


class Builder:
    """One build run. `report` is called after every search, and while there are no workers."""

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
        self._complete = False
        self._stopping = False

    def stop(self) -> None:
        """Begin no further search; `run` returns once those in flight have ended."""
        self._stopping = True

    def run(self) -> BuildState:
        """Build until the book is complete, the time is over, or `stop` is called.

        Raises:
            BookError: if the book cannot be written; what was stored before is safe.
            WorkersLost: if a search cannot be done; likewise.
        """
        options = self._options
        self._started = time.monotonic()
        self._end = self._started + options.seconds if options.seconds else float("inf")
        # Compiles the kernels, where that has not been done, before any worker would.
        options.game.searcher(options.search)
        parameters = self._parameters()
        with ExitStack() as opened:
            writer = BookWriter(self._address, options.game, shared=parameters)
            self._writer = opened.enter_context(writer)
            self._frontier = self._make_frontier(writer)
            self._state = BuildState(writer.count(), 0, 0, 0, 0.0)
            self._run = writer.start_run(parameters)
            self._plan = opened.enter_context(open_plan(writer, self._limits, options.lease))
            with writer.transaction() as connection:
                self._settle(connection)
                self._complete = self._plan.empty(connection)
            writer.share()
            if not self._complete:
                self._dispatch = opened.enter_context(_open_dispatch(options))
                self._occupancy = _Occupancy()
                self._work()
            writer.end_run(self._run)
        return self._state

    @property
    def complete(self) -> bool:
        """Whether nothing was left to do when `run` returned."""
        return self._complete

    @property
    def _over(self) -> bool:
        return self._stopping or time.monotonic() >= self._end

    def _work(self) -> None:
        """Have searches done, and take in their results as they come, until the plan is empty."""
        self._step()
        while self._dispatch.busy or not (self._over or self._complete):
            finished = self._dispatch.finished(_SECONDS_BETWEEN_LOOKS)
            for done in finished:
                self._step(done)
            if not finished:
                # Another builder may have planned or kept something, and died since.
                self._step()
                if not self._dispatch.jobs:
                    if self._over:
                        break
                    self._report(replace(self._state, deserted=True))

    def _step(self, done: Done | None = None) -> None:
        """Take in a search that is done, if there is one, and begin others.

        All that follows from it is one transaction: so it costs one write to the disk.
        """
        room = 0 if self._over else self._dispatch.room
        with self._writer.transaction() as connection:
            # Where its lease was over, another builder may have been sooner.
            is_kept = done is not None and self._plan.keep(connection, done[0].id, done[1])
            if self._plan.ripe(connection):
                self._settle(connection)
            taken = self._plan.take(connection, room) if room else []
            self._complete = self._plan.empty(connection)
        for planned in taken:
            self._dispatch.send(planned)
        if done is not None and is_kept:
            self._count(done[1])

    def _count(self, searched: Searched) -> None:
        self._state = replace(
            self._state,
            searches=self._state.searches + 1,
            nodes=self._state.nodes + searched.nodes,
            seconds=time.monotonic() - self._started,
            search_seconds=self._state.search_seconds + searched.milliseconds / 1000,
            searching=self._occupancy.after(searched, self._dispatch.jobs),
        )
        self._report(self._state)

    def _settle(self, connection: Connection) -> None:
        """Enter the batches that are complete, in order, and keep the plan ahead of the jobs.

        All of it at once: what is planned depends on the book, and whichever builder comes next
        has to find the plan as any other would have made it.
        """
        self._plan.enter_alone(connection)
        added = 0
        moving = True
        while moving:
            batch = self._plan.ripe_batch(connection)
            if batch:
                added += self._enter(connection, batch)
            moving = self._plan_next(connection) or bool(batch)
        positions = count_positions(connection, self._writer.game_number)
        self._state = replace(self._state, positions=positions, added=self._state.added + added)

    def _enter(self, connection: Connection, batch: list[PlannedTask]) -> int:
        """Make a batch part of the book; returns how many positions are new."""
        results = [(planned.task, planned.result) for planned in batch if planned.result]
        return self._writer.enter_batch(connection, results, batch[0].batch, self._run)

    def _plan_next(self, connection: Connection) -> bool:
        """Put the next tasks into the plan; returns whether there were any."""
        last, count = self._plan.batches(connection)
        if count >= _OPEN_BATCHES:
            return False
        tasks = self._frontier.next_batch(connection, self._plan.opened(connection))
        for number, start in enumerate(range(0, len(tasks), _BATCH_SIZE), last + 1):
            self._plan.add(connection, number, tasks[start : start + _BATCH_SIZE])
        return bool(tasks)

    def _make_frontier(self, writer: BookWriter) -> Frontier:
        options = self._options
        game, number, root = options.game, writer.game_number, options.root
        if options.plies is not None:
            return Full(game, number, plies=options.plies, root=root)
        if options.learn:
            # Only here, since what it loads is nothing that a job needs.
            from precompute.modes.learn import Learn

            return Learn(
                game, number, self._address, batch_size=_BATCH_SIZE, most=options.positions
            )
        if options.goal is not None:
            return Proving(
                game, number, options.goal, batch_size=_BATCH_SIZE, most=options.positions
            )
        if options.refine:
            return Refine(
                game,
                number,
                batch_size=_BATCH_SIZE,
                limits=options.limits,
                most=options.searches,
                root=root,
                losses=options.losses,
            )
        return Explore(
            game,
            number,
            batch_size=_BATCH_SIZE,
            most=options.positions,
            root=root,
            losses=options.losses,
        )

    def _parameters(self) -> dict[str, object]:
        options = self._options
        return {
            "limits": options.limits.as_dict(),
            "table": options.table,
            "backend": options.backend,
            "jobs": options.jobs,
            "positions": options.positions,
            "plies": options.plies,
            "seconds": options.seconds,
            "searches": options.searches,
            **_where_it_grows(options),
        }


def _what_decides(options: BuildOptions) -> dict[str, object]:
    """What a planned search's result depends on, besides its task, and why it was planned.

    The usual table is left out, so that plans from before it could be chosen are still good.
    """
    decides = options.limits.as_dict() | _where_it_grows(options)
    if options.table != SearchOptions().table:
        decides["table"] = options.table
    return decides


def _open_dispatch(options: BuildOptions) -> Dispatch:
    search = Search(options.game.id, options.limits, options.search)
    if options.scheduler is not None:
        return Cluster(search, options.scheduler)
    # A process of its own would be one more copy of the engine, for nothing.
    if options.backend is Backend.THREADING or options.jobs == 1:
        return Threads(search, options.jobs)
    return Processes(search, options.jobs)


class _Occupancy:
    """The share of their time that jobs are searching, once each has ended a first search."""

    def __init__(self) -> None:
        self._results = 0
        self._milliseconds = 0
        self._since = 0.0

    def after(self, searched: Searched, jobs: int) -> float:
        """The share up to now, when a result has come; 0 before there can be one."""
        self._results += 1
        if self._results <= jobs:
            self._since = time.monotonic()
            return 0.0
        self._milliseconds += searched.milliseconds
        return self._milliseconds / (1000 * jobs * (time.monotonic() - self._since))


def _where_it_grows(options: BuildOptions) -> dict[str, object]:
    """Where a build with these options goes that others do not; nothing for the usual ones."""
    goal = options.goal
    modes = {"prove": goal, "learn": options.learn, "refine": options.refine}
    grows = {
        "mode": next((mode for mode, is_this in modes.items() if is_this), None),
        "side": goal and goal.side,
        "root": options.game.format_line(options.line) if options.line else None,
        "max_loss": options.losses.each,
        "total_loss": options.losses.together,
    }
    return {name: value for name, value in grows.items() if value is not None}
