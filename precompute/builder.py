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

from sqlalchemy import Connection

from book.plan import open_plan
from book.rows.encoding import Searched
from book.storage.address import AnyAddress
from book.writer import BookWriter, PlannedTask
from engine.position import Move, Position
from engine.search import Limits, SearchOptions
from precompute.backend import Backend, Workers
from precompute.build import BuildRun, CommonOptions
from precompute.job import Search
from precompute.modes.frontier import BATCH_SIZE, SearchMode, Site

# While one batch waits for its last results, the other keeps the jobs busy.
_OPEN_BATCHES = 2
USUAL_LEASE = 60.0
# How soon a builder sees that it is to stop, or that another has planned what it may begin.
_SECONDS_BETWEEN_LOOKS = 0.1


@dataclass(frozen=True, slots=True)
class BuildOptions(CommonOptions):
    """A build by searches: what `mode` chooses, each within `limits`.

    `roots` are the lines after which the book grows where there are several, by turns; those modes
    that grow from one position take none. `table` is the size of each search's transposition table
    in MiB; the result depends on limits and table.
    `jobs`, `backend` and `scheduler` are those of `Workers`. Where several builders share a book,
    one that gives no sign for `lease` seconds loses the searches it was at to the others.

    Raises:
        InvalidOptions: if only one of dask and its scheduler is given.
    """

    mode: SearchMode
    limits: Limits
    table: int = SearchOptions().table
    backend: Backend = Backend.LOKY
    scheduler: str | None = None
    lease: float = USUAL_LEASE
    roots: tuple[tuple[Move, ...], ...] = ()

    def __post_init__(self) -> None:
        assert self.workers

    @property
    def starts(self) -> list[Position]:
        """The positions from which on the book grows."""
        return [self.game.play_line(line) for line in self.roots or (self.line,)]

    @property
    def workers(self) -> Workers:
        """Who searches."""
        return Workers(self.jobs, self.backend, self.scheduler)

    @property
    def decides(self) -> str:
        """What a planned search's result depends on, besides its task, and why it was planned.

        The usual table is left out: plans from before it could be chosen are still good.
        """
        decides = self.limits.as_dict() | _where_it_grows(self)
        if self.table != SearchOptions().table:
            decides["table"] = self.table
        return json.dumps(decides, sort_keys=True)

    @property
    def search(self) -> SearchOptions:
        """What each search is given: one thread, since with several its result is not one."""
        return SearchOptions(table=self.table)


@dataclass(frozen=True, slots=True)
class BuildState:
    """How far a build is: the book's positions, and what this invocation did so far.

    `search_seconds` are those of all searches together. `searching` is the share of their time
    that the jobs were searching, since each had ended a search; 0 until then. `deserted`: every
    worker is gone, and the build waits for one. `cut_off`: so is the book's server.
    """

    positions: int
    added: int
    searches: int
    nodes: int
    seconds: float
    search_seconds: float = 0.0
    searching: float = 0.0
    deserted: bool = False
    cut_off: bool = False

    def after(self, before: "BuildState") -> "BuildState":
        """The state of two builds, this one after the other, as one."""
        return replace(
            self,
            added=before.added + self.added,
            searches=before.searches + self.searches,
            nodes=before.nodes + self.nodes,
            seconds=before.seconds + self.seconds,
            search_seconds=before.search_seconds + self.search_seconds,
        )


@dataclass(frozen=True, slots=True)
class _Step:
    """What one transaction has done: it counts once it is stored."""

    taken: list[PlannedTask]
    positions: int | None
    added: int
    kept: bool
    complete: bool


class Builder(BuildRun[BuildState]):
    """A build by searches. `report` is called after every one, and while there are no workers.

    `stop` waits for the searches in flight. `run` raises `WorkersLost` if a search cannot be done;
    what was stored before is safe.
    """

    def __init__(
        self,
        address: AnyAddress,
        options: BuildOptions,
        report: Callable[[BuildState], None] = lambda state: None,
    ) -> None:
        super().__init__(address, options, report)
        self._options = options
        self._state = BuildState(0, 0, 0, 0, 0.0)
        self._complete = False
        self._in_flight: set[int] = set()
        # The frontier is made with the first step.
        self._connections = 0

    def _run(self) -> BuildState:
        options = self._options
        # Compiles the kernels, where that has not been done, before any worker would.
        options.game.searcher(options.search)
        parameters = _parameters(options)
        with ExitStack() as opened:
            writer = opened.enter_context(self._open(parameters))
            self._writer = writer
            self._state = BuildState(writer.count(), 0, 0, 0, 0.0)
            self._run_number = writer.start_run(parameters)
            self._plan = opened.enter_context(open_plan(writer, options.decides, options.lease))
            self._took(writer.lasting(lambda connection: self._stored(connection, ripe=True)))
            writer.share()
            if not self._complete:
                self._dispatch = opened.enter_context(
                    options.workers.open(Search(options.game.id, options.limits, options.search))
                )
                self._occupancy = _Occupancy()
                self._work()
            writer.end_run(self._run_number)
        return self._state

    def _site(self, writer: BookWriter) -> Site:
        options = self._options
        return Site(self._address, writer.rows, options.starts, options.limits)

    @property
    def complete(self) -> bool:
        return self._complete

    def _wait(self) -> None:
        self._report(replace(self._state, cut_off=True))

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

    def _step(self, done: tuple[PlannedTask, Searched] | None = None) -> None:
        """Take in a search that is done, if there is one, and begin others.

        All that follows from it is one transaction: so it costs one write to the disk.
        """
        room = 0 if self._over else self._dispatch.room
        if done is not None:
            self._in_flight.discard(done[0].id)
        step = self._writer.lasting(
            lambda connection: self._stored(connection, done=done, room=room)
        )
        self._took(step)
        for planned in step.taken:
            self._dispatch.send(planned)
            self._in_flight.add(planned.id)
        if done is not None and step.kept:
            self._count(done[1])

    def _stored(
        self,
        connection: Connection,
        *,
        done: tuple[PlannedTask, Searched] | None = None,
        room: int = 0,
        ripe: bool = False,
    ) -> _Step:
        """Do the work of a step in the book; `ripe`: whatever the plan is like, advance."""
        self._recover(connection)
        # Where its lease was over, another builder may have been sooner.
        kept = done is not None and self._plan.keep(connection, done[0].id, done[1])
        positions, added = None, 0
        if ripe or self._plan.ripe(connection):
            added = self._advance(connection)
            positions = self._writer.rows.count()
        taken = self._plan.take(connection, room) if room else []
        return _Step(taken, positions, added, kept, self._plan.empty(connection))

    def _recover(self, connection: Connection) -> None:
        """Forget what may have been taken back with a lost connection.

        That is what the frontier has seen and planned, and what was leased and never sent.
        """
        if self._connections != self._writer.connections:
            self._frontier = self._options.mode.frontier(self._site(self._writer))
            self._plan.leave(connection, self._in_flight)
            self._connections = self._writer.connections

    def _took(self, step: _Step) -> None:
        self._complete = step.complete
        if step.positions is not None:
            added = self._state.added + step.added
            self._state = replace(self._state, positions=step.positions, added=added)

    def _count(self, searched: Searched) -> None:
        self._state = replace(
            self._state,
            searches=self._state.searches + 1,
            nodes=self._state.nodes + searched.nodes,
            seconds=self._elapsed,
            search_seconds=self._state.search_seconds + searched.milliseconds / 1000,
            searching=self._occupancy.after(searched, self._dispatch.jobs),
        )
        self._report(self._state)

    def _advance(self, connection: Connection) -> int:
        """Enter the batches that are complete, in order, and keep the plan ahead of the jobs.

        Returns how many positions are new. All of it at once: what is planned depends on the book,
        and whichever builder comes next has to find the plan as any other would have made it.
        """
        self._plan.enter_alone(connection)
        added = 0
        moving = True
        while moving:
            batch = self._plan.ripe_batch(connection)
            if batch:
                added += self._enter(batch)
            moving = self._plan_next(connection) or bool(batch)
        return added

    def _enter(self, batch: list[PlannedTask]) -> int:
        """Make a batch part of the book; returns how many positions are new."""
        results = [(planned.task, planned.result) for planned in batch if planned.result]
        return self._writer.enter_batch(results, batch[0].batch, self._run_number)

    def _plan_next(self, connection: Connection) -> bool:
        """Put the next tasks into the plan; returns whether there were any."""
        last, count = self._plan.batches(connection)
        if count >= _OPEN_BATCHES:
            return False
        tasks = self._frontier.next_batch(self._plan.opened(connection))
        for number, start in enumerate(range(0, len(tasks), BATCH_SIZE), last + 1):
            self._plan.add(connection, number, tasks[start : start + BATCH_SIZE])
        return bool(tasks)


def _parameters(options: BuildOptions) -> dict[str, object]:
    """What is kept of a run. Builders that share a book have to agree on all of it."""
    return {
        "limits": options.limits.as_dict(),
        "table": options.table,
        "backend": options.backend,
        "jobs": options.jobs,
        "seconds": options.seconds,
        **options.mode.bounds._asdict(),
        **_where_it_grows(options),
    }


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
    told = options.game.format_line
    where: dict[str, object] = {}
    if options.roots:
        where = {"roots": list(map(told, options.roots))}
    elif options.line:
        where = {"root": told(options.line)}
    return options.mode.decides | where
