"""The writer of a book: runs, and the results that become rows."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from itertools import count
from typing import Any, TypeVar

from sqlalchemy import (
    Connection,
    Executable,
    bindparam,
    insert,
    select,
    update,
)

import engine
from book.closing import Closing
from book.errors import BookError, BookOutOfReach, BookUnwritable
from book.patience import Patience, Trial
from book.rows.counts import CountChanges
from book.rows.digests import DigestChanges, begin
from book.rows.encoding import (
    BOUND_NUMBERS,
    AnyRow,
    Searched,
    inserted_id,
    lookup_of,
    now,
    pack_line,
)
from book.rows.history import note
from book.rows.links import rest_child, ways_to
from book.rows.lookup import GameRows
from book.rows.propagation import propagate
from book.storage.address import Address, AnyAddress
from book.storage.database import Access, open_engine
from book.storage.notation import store_notation
from book.storage.schema import RestState, games, moves, runs, tasks
from book.storage.store import store_of
from engine.game import Game, Key
from engine.values import Bound

_count_run = (
    update(runs)
    .where(runs.c.id == bindparam("at"))
    .values(
        positions=runs.c.positions + bindparam("more_positions"),
        searches=runs.c.searches + bindparam("more_searches"),
        nodes=runs.c.nodes + bindparam("more_nodes"),
    )
)
_last_run = (
    select(games.c.name, runs.c.version, runs.c.evaluation, runs.c.parameters)
    .join(games)
    .order_by(runs.c.id.desc())
    .limit(1)
)
# How long, and for how many transactions, what was stored is in the log alone.
_SECONDS_IN_LOG = 30.0
_TRANSACTIONS_IN_LOG = 200
# What of a run's parameters may be different for each of several builders of one book.
_OF_ONE_BUILDER = {"jobs", "seconds", "backend"}

Outcome = TypeVar("Outcome")


@dataclass(frozen=True, slots=True)
class Task:
    """A search to be done: of a new position, or of the rest slot of a stored one.

    The stones are canonical. `excluded` are the children that the search leaves out.
    """

    key: Key
    stones: bytes
    new: bool
    excluded: frozenset[Key]


@dataclass(frozen=True, slots=True)
class PlannedTask:
    """A task with its place in the plan, and its result once there is one."""

    id: int
    batch: int
    task: Task
    result: Searched | None


class BookWriter(Closing):
    """Opens a book for building, and creates it where there is none. A context manager.

    Only one writer has a book at a time; readers never wait for it. But several builders may
    share a PostgreSQL book if each gives the parameters of its run as `shared` and these agree;
    `alone` tells whether this one found no other, until it calls `share`. `rows` are those of the
    game, to be read and changed within a `transaction`. With `patience` a lost connection is made
    anew, which `connections` counts.

    Raises:
        BookError: if the file cannot be used, or those at work on the book do not agree.
    """

    def __init__(
        self,
        address: AnyAddress,
        game: Game,
        *,
        shared: Mapping[str, Any] | None = None,
        patience: Patience | None = None,
    ) -> None:
        self.address = Address.of(address)
        self.game = game
        self.alone = True
        self.connections = 1
        self._shared, self._is_sharing = shared, False
        self._silence: float | None = None
        self._patience = patience or Patience(0.0)
        self._transactions, self._checked_in = 0, time.monotonic()
        self.store = store_of(self.address)
        # What is there is looked at before a lock is left beside it.
        self._engine = open_engine(self.address, Access.WRITE)
        with ExitStack() as opened:
            # The lock is let go of last.
            lock = opened.enter_context(ExitStack())
            self._connection = Trial(self._patience).outlast(self._connect)
            opened.callback(self._engine.dispose)
            opened.callback(self._connection.close)
            with self.store.explained():
                self.alone = lock.enter_context(self.store.locked(self._connection))
                self._place = self.store.place()
            if not self.alone and not self._join():
                raise self.store.is_being_built()
            self._is_sharing = not self.alone
            self.rows = GameRows(self._connection, game, self._number())
            opened.callback(self._empty_log)
            self._opened = opened.pop_all()

    def _connect(self) -> Connection:
        with self.store.explained():
            return self._engine.connect()

    def _number(self) -> int:
        with self.store.explained(), self._connection.begin() as looking:
            self._session = self.store.session(self._connection)
            number = _number_of(self._connection, self.game)
            # Committing writes to the file, even if nothing was changed.
            looking.rollback()
        if number is not None:
            return number
        return self.lasting(lambda connection: register(connection, self.game))

    def close(self) -> None:
        """Let go of the book and of the lock; what was stored is in the book's own file then."""
        self._opened.close()

    def share(self) -> None:
        """Let builders join whose runs agree with the one that was started, where they may."""
        if self.alone:
            self.lasting(self.store.let_others_join)
        self._is_sharing = True

    def limit_silence(self, seconds: float) -> None:
        """Have the book's server, if it has one, take back a transaction when nothing comes from
        this builder for so long: others wait for it."""
        self._silence = seconds
        self.lasting(lambda connection: self.store.limit_silence(connection, seconds))

    def aside(self, statement: Executable, values: Mapping[str, Any]) -> None:
        """Execute one statement on a connection of its own, for another thread.

        Alone, so that it locks nothing longer than it takes.
        """
        with self.store.explained(), self._engine.connect() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT").execute(statement, values)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """One transaction: all of it is stored, or nothing.

        Raises:
            BookUnwritable: also if the book was moved, or another is in its place; what was stored
                is then in a file beside it, which the message names.
        """
        with self.store.explained(), self._connection.begin():
            yield self._connection
        self._transactions += 1
        if self.store.place() != self._place:
            self._rescue()
        if (
            self._transactions >= _TRANSACTIONS_IN_LOG
            or time.monotonic() >= self._checked_in + _SECONDS_IN_LOG
        ):
            self._checkpoint()

    def lasting(self, work: Callable[[Connection], Outcome]) -> Outcome:
        """What `work` returns once the one transaction that it is done in is stored.

        Where the connection is lost it is made anew, and the work done again unless it had been
        stored. Nothing but the book may tell whether the work was begun before: what it changes
        elsewhere is to be changed with what it returns.

        Raises:
            BookOutOfReach: if the book was not to be reached for too long; whether the last work
                was stored is not known then.
            BookUnwritable: as `transaction`, or if others have the book by then.
        """
        trial = Trial(self._patience)
        while True:
            number = None
            try:
                with self.transaction() as connection:
                    outcome = work(connection)
                    number = self.store.transaction_number(connection)
                return outcome
            except BookOutOfReach as lost:
                trial.wait(lost)
            if trial.outlast(partial(self._come_back, number)):
                return outcome

    def _come_back(self, number: str | None) -> bool:
        """Connect anew, with the locks of before.

        Returns whether the transaction `number` of the former connection was committed.
        """
        self._connection.invalidate()
        with self.transaction() as connection:
            if not self.store.end_session(connection, self._session):
                raise BookOutOfReach(
                    f"the server still holds a former connection to '{self.address}'"
                )
            was_committed = number is not None and self.store.was_committed(connection, number)
            self._session = self.store.session(connection)
            if self._silence is not None:
                self.store.limit_silence(connection, self._silence)
        self.connections += 1
        self._lock_again()
        return was_committed

    def _lock_again(self) -> None:
        """Have the lock of before, if nobody has built something else meanwhile."""
        with self.store.explained():
            if not self._is_sharing and self.store.lock_again(self._connection):
                return
        if not self._join():
            raise BookOutOfReach(str(self.store.is_being_built()))
        self.alone, self._is_sharing = False, True

    def _checkpoint(self, *, wholly: bool = False) -> None:
        with self.store.explained():
            self.store.checkpoint(self._connection, wholly=wholly)
        self._transactions, self._checked_in = 0, time.monotonic()

    def _empty_log(self) -> None:
        # What cannot be put into the file, as on a full disk, stays in its log.
        with suppress(BookError):
            self._checkpoint(wholly=True)

    def _rescue(self) -> None:
        """Write the book as it is now, wherever its file went, into a new one.

        Raises:
            BookUnwritable: always.
        """
        names = (self.address.beside(f"found-{number}") for number in count(1))
        copy = next(name for name in names if not name.exists())
        self._place = self.store.place()
        self.store.copy(self._connection, copy)
        raise BookUnwritable(
            f"'{self.address}' was moved, or something else was put in its place, while it was "
            f"being built; all that was found is in '{copy}', a whole book to go on with"
        )

    def start_run(self, parameters: dict[str, Any]) -> int:
        """Record an invocation of the builder; returns the run's number."""

        def start(connection: Connection) -> int:
            result = connection.execute(
                insert(runs).values(
                    game=self.rows.number,
                    started=now(),
                    version=engine.__version__,
                    evaluation=evaluation_hash(self.game),
                    parameters=json.dumps(parameters, sort_keys=True),
                    positions=0,
                    searches=0,
                    nodes=0,
                )
            )
            number = inserted_id(result)
            self._digest_run(number)
            return number

        number = self.lasting(start)
        # A proof may take hours before anything else is stored.
        self._checkpoint()
        return number

    def end_run(self, run: int) -> None:
        """Record that the run came to its end."""
        statement = update(runs).where(runs.c.id == run).values(ended=now())

        def end(connection: Connection) -> None:
            connection.execute(statement)
            self._digest_run(run)

        self.lasting(end)

    def _digest_run(self, run: int) -> None:
        digests = DigestChanges(self.rows)
        digests.seal(runs, runs.c.id == run)
        digests.store()

    def count(self) -> int:
        """The number of stored positions of this game."""
        return self.lasting(lambda connection: self.rows.count())

    def enter_batch(self, batch: Sequence[tuple[Task, Searched]], number: int, run: int) -> int:
        """Make the results of a complete batch part of the book, and forget its tasks.

        Returns how many positions are new. A `transaction` is to be open.
        """
        connection = self._connection
        counts, digests = CountChanges(), DigestChanges(self.rows)
        changed: set[int] = set()
        for task, searched in batch:
            changed |= self._enter(task, searched, run, counts, digests)
        propagate(connection, changed, counts, digests)
        added = counts.added
        counts.store(connection, self.rows.number)
        note(self.rows, run, digests)
        digests.forget_tasks(tasks.c.game == self.rows.number, tasks.c.batch == number)
        connection.execute(
            _count_run,
            {
                "at": run,
                "more_positions": added,
                "more_searches": len(batch),
                "more_nodes": sum(searched.nodes for _, searched in batch),
            },
        )
        digests.seal(runs, runs.c.id == run)
        digests.store()
        return added

    def enter_missing(self, entries: Sequence[tuple[Task, Searched]], run: int) -> int:
        """As `enter_batch`, for those of `entries` that are not in the book, outside the plan."""
        stored = self.rows.find([task.key for task, _ in entries])
        return self.enter_batch([each for each in entries if each[0].key not in stored], 0, run)

    def _join(self) -> bool:
        """Share the book with the builders at work on it, if their runs agree with this one's.

        Returns whether they share it by now.
        """
        shared = self._shared
        if shared is None or not self.store.is_shareable:
            raise self.store.is_being_built()
        with self.transaction() as connection:
            if not self.store.join(connection):
                return False
            last = connection.execute(_last_run).one_or_none()
        differences = [] if last is None else list(self._differences(last, shared))
        if differences:
            raise BookUnwritable(
                f"'{self.address}' is being built by another process with "
                f"{', '.join(differences)}: join it with the same, or wait for its end"
            )
        return True

    def _differences(self, last: AnyRow, shared: Mapping[str, Any]) -> Iterator[str]:
        """In what the run of those at work, which agree, is other than `shared`."""
        theirs = json.loads(last.parameters) | {
            "game": last.name,
            "version": last.version,
            "evaluation": last.evaluation,
        }
        ours = json.loads(json.dumps(shared)) | {
            "game": self.game.id,
            "version": engine.__version__,
            "evaluation": evaluation_hash(self.game),
        }
        for name in sorted((theirs.keys() | ours.keys()) - _OF_ONE_BUILDER):
            if theirs.get(name) != ours.get(name):
                yield f"{name} {_shown(theirs.get(name))} instead of {_shown(ours.get(name))}"

    def _enter(
        self,
        task: Task,
        searched: Searched,
        run: int,
        counts: CountChanges,
        digests: DigestChanges,
    ) -> set[int]:
        """Enter one result; returns the numbers of the positions whose slot or links changed."""
        if task.new:
            return self._enter_new(task, searched, run, counts, digests)
        rest = searched.rest
        keys = [task.key] if rest is None or rest.child is None else [task.key, rest.child]
        stored = self.rows.find(keys)
        before = stored[task.key]
        row = self._rest_columns(searched, stored) | {"run": run}
        if rest:
            row |= _effort(searched)
            counted = {"positions": 1, "proven": int(before.proven)}
            counts.add(before.ply, searched.depth, nodes=searched.nodes, **counted)
            fewer = {name: -count for name, count in counted.items()}
            counts.add(before.ply, before.depth, nodes=-before.nodes, **fewer)
        digests.change(before, row)
        return {before.id}

    def _enter_new(
        self,
        task: Task,
        searched: Searched,
        run: int,
        counts: CountChanges,
        digests: DigestChanges,
    ) -> set[int]:
        position = self.game.unpack(task.stones)
        ways = ways_to(self.game, position)
        keys = [task.key, *searched.children, *ways.parents]
        stored = self.rows.find(keys)
        if task.key in stored:
            # A proof may have stored it since it was planned.
            return set()
        rest = searched.rest
        value, bound, proven = (
            (rest.value, rest.bound, rest.proven) if rest else (0, Bound.EXACT, False)
        )
        new = digests.insert(
            {
                "game": self.rows.number,
                "lookup": lookup_of(task.key),
                "stones": task.stones,
                "ply": position.ply,
                "value": value,
                "bound": BOUND_NUMBERS[bound],
                "proven": proven,
                "run": run,
                **self._rest_columns(searched, stored),
                **_effort(searched),
            }
        )
        counts.add(
            position.ply, searched.depth, positions=1, proven=int(proven), nodes=searched.nodes
        )
        parents = ways.links(stored)
        links = [
            {"parent": new, "move": move, "child": stored[child].id}
            for child, move in searched.children.items()
            if child in stored
        ] + [
            {"parent": stored[parent].id, "move": move, "child": new}
            for (parent, _), move in parents.items()
        ]
        if links:
            self._connection.execute(insert(moves), links)
        for parent, _ in parents:
            if rest_child(self.game, stored[parent]) == task.key:
                digests.change(stored[parent], _pending())
        return {new, *(link["parent"] for link in links)}

    def _rest_columns(self, searched: Searched, stored: Mapping[Key, AnyRow]) -> dict[str, Any]:
        """The columns of the rest slot; `stored` tells whether its position is in the book."""
        rest = searched.rest
        if rest is None:
            return empty_slot(RestState.NONE)
        if rest.child in stored:
            return _pending()
        return {
            "rest_state": int(RestState.ENDS if rest.child is None else RestState.OPEN),
            "rest_value": rest.value,
            "rest_bound": BOUND_NUMBERS[rest.bound],
            "rest_proven": rest.proven,
            "rest_line": pack_line(self.game, rest.line),
        }


def register(connection: Connection, game: Game) -> int:
    """The number of `game` in this book, which gets its notation on first use."""
    number = _number_of(connection, game)
    if number is not None:
        return number
    result = connection.execute(insert(games).values(name=game.id))
    number = inserted_id(result)
    store_notation(connection, game, number)
    begin(connection, number)
    digests = DigestChanges(GameRows(connection, game, number))
    digests.seal(games, games.c.id == number)
    digests.store()
    return number


def _number_of(connection: Connection, game: Game) -> int | None:
    number: int | None = connection.execute(
        select(games.c.id).where(games.c.name == game.id)
    ).scalar()
    return number


def _effort(searched: Searched) -> dict[str, Any]:
    return {
        "depth": searched.depth,
        "nodes": searched.nodes,
        "milliseconds": searched.milliseconds,
    }


def _pending() -> dict[str, Any]:
    return empty_slot(RestState.PENDING)


def empty_slot(state: RestState) -> dict[str, Any]:
    """The columns of a rest slot without a move."""
    columns = ("rest_value", "rest_bound", "rest_proven", "rest_line")
    return {"rest_state": int(state)} | dict.fromkeys(columns)


def _shown(value: Any) -> str:
    """A parameter as a sentence has it."""
    if isinstance(value, dict):
        return " ".join(f"{name}={limit}" for name, limit in value.items() if limit)
    return "none" if value is None else str(value)


def evaluation_hash(game: Game) -> str:
    """The hash of the file of the game's evaluation weights; empty where there is none."""
    evaluation = game.evaluation()
    if evaluation is None:
        return ""
    return blake2b(evaluation.file.read_bytes(), digest_size=8).hexdigest()
