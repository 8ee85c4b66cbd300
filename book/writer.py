"""The one writer of a book: runs, the plan, and the results that become rows."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from sqlalchemy import Connection, CursorResult, bindparam, delete, insert, select, update

import engine
from book import postgresql
from book.address import Address, AnyAddress
from book.closing import Closing
from book.counts import Tally
from book.database import Access, explained, open_engine
from book.errors import BookUnwritable
from book.finding import count_positions, find, rest_child
from book.history import note
from book.propagation import propagate
from book.rows import BOUND_NUMBERS, AnyRow, Searched, join_keys, lookup_of, pack_line, split_keys
from book.schema import RestState, cells, games, move_names, moves, positions, runs, tasks
from engine.games.base import Game, Key
from engine.values import Bound

_set_row = update(positions).where(positions.c.id == bindparam("at"))
_set_result = update(tasks).where(tasks.c.id == bindparam("at"))
_count_run = (
    update(runs)
    .where(runs.c.id == bindparam("at"))
    .values(
        positions=runs.c.positions + bindparam("more_positions"),
        searches=runs.c.searches + bindparam("more_searches"),
        nodes=runs.c.nodes + bindparam("more_nodes"),
    )
)


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

    Only one writer has a book at a time; readers never wait for it.

    Raises:
        BookError: if the file cannot be used.
    """

    def __init__(self, address: AnyAddress, game: Game) -> None:
        self.address = Address.of(address)
        self.game = game
        # What is there is looked at before a lock is left beside it.
        self._engine = open_engine(self.address, Access.WRITE)
        with ExitStack() as opened:
            if isinstance(self.address.place, Path):
                opened.enter_context(_alone_at(self.address.place))
            with explained(self.address):
                self._connection = self._engine.connect()
            opened.callback(self._engine.dispose)
            opened.callback(self._connection.close)
            if not isinstance(self.address.place, Path):
                with self.transaction() as connection:
                    if not postgresql.lock_for_building(connection):
                        raise BookUnwritable(f"'{self.address}' is being built by another process")
            with self.transaction() as connection:
                self.game_number = _register(connection, game)
            self._opened = opened.pop_all()

    def close(self) -> None:
        """Let go of the book and of the lock."""
        self._opened.close()

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """One transaction: all of it is stored, or nothing."""
        with explained(self.address), self._connection.begin():
            yield self._connection

    def start_run(self, parameters: dict[str, Any]) -> int:
        """Record an invocation of the builder; returns the run's number."""
        with self.transaction() as connection:
            result = connection.execute(
                insert(runs).values(
                    game=self.game_number,
                    started=_now(),
                    version=engine.__version__,
                    evaluation=_evaluation_hash(self.game),
                    parameters=json.dumps(parameters, sort_keys=True),
                    positions=0,
                    searches=0,
                    nodes=0,
                )
            )
            return _inserted_id(result)

    def end_run(self, run: int) -> None:
        """Record that the run came to its end."""
        with self.transaction() as connection:
            connection.execute(update(runs).where(runs.c.id == run).values(ended=_now()))

    def count(self) -> int:
        """The number of stored positions of this game."""
        with self.transaction() as connection:
            return count_positions(connection, self.game_number)

    def planned(self, limits: str) -> list[PlannedTask]:
        """The plan as an earlier run left it, in order; what had other limits is dropped."""
        mine = tasks.c.game == self.game_number
        with self.transaction() as connection:
            connection.execute(delete(tasks).where(mine, tasks.c.limits != limits))
            return [
                PlannedTask(
                    row.id,
                    row.batch,
                    Task(row.key, row.stones, row.new, frozenset(split_keys(row.excluded))),
                    None if row.result is None else Searched.from_json(row.result),
                )
                for row in connection.execute(select(tasks).where(mine).order_by(tasks.c.id))
            ]

    def plan(
        self, connection: Connection, batch: int, chosen: Sequence[Task], limits: str
    ) -> list[PlannedTask]:
        """Put tasks into the plan as one batch."""
        rows = []
        for task in chosen:
            result = connection.execute(
                insert(tasks).values(
                    game=self.game_number,
                    batch=batch,
                    key=task.key,
                    stones=task.stones,
                    new=task.new,
                    excluded=join_keys(task.excluded),
                    limits=limits,
                )
            )
            rows.append(PlannedTask(_inserted_id(result), batch, task, None))
        return rows

    def keep_result(self, task_id: int, searched: Searched) -> None:
        """Store a result with its task, so that it is not lost should the builder be killed."""
        with self.transaction() as connection:
            connection.execute(_set_result, {"at": task_id, "result": searched.to_json()})

    def enter_batch(
        self, connection: Connection, batch: Sequence[tuple[Task, Searched]], number: int, run: int
    ) -> None:
        """Make the results of a complete batch part of the book, and forget its tasks."""
        tally = Tally()
        changed: set[int] = set()
        for task, searched in batch:
            changed |= self._enter(connection, task, searched, run, tally)
        propagate(connection, changed, tally)
        tally.store(connection, self.game_number)
        note(connection, self.game, self.game_number, run)
        connection.execute(
            delete(tasks).where(tasks.c.game == self.game_number, tasks.c.batch == number)
        )
        connection.execute(
            _count_run,
            {
                "at": run,
                "more_positions": sum(task.new for task, _ in batch),
                "more_searches": len(batch),
                "more_nodes": sum(searched.nodes for _, searched in batch),
            },
        )

    def _enter(
        self, connection: Connection, task: Task, searched: Searched, run: int, tally: Tally
    ) -> set[int]:
        """Enter one result; returns the numbers of the positions whose slot or links changed."""
        if task.new:
            return self._enter_new(connection, task, searched, run, tally)
        rest = searched.rest
        keys = [task.key] if rest is None or rest.child is None else [task.key, rest.child]
        stored = find(connection, self.game, self.game_number, keys)
        before = stored[task.key]
        row = self._rest_columns(searched, stored) | {"run": run}
        if rest:
            row |= _effort(searched)
            counted = {"positions": 1, "proven": int(before.proven)}
            tally.add(before.ply, searched.depth, nodes=searched.nodes, **counted)
            fewer = {name: -count for name, count in counted.items()}
            tally.add(before.ply, before.depth, nodes=-before.nodes, **fewer)
        connection.execute(_set_row, row | {"at": before.id})
        return {before.id}

    def _enter_new(
        self, connection: Connection, task: Task, searched: Searched, run: int, tally: Tally
    ) -> set[int]:
        position = self.game.unpack(task.stones)
        parents = self.game.parents(position)
        stored = find(connection, self.game, self.game_number, [*searched.children, *parents])
        rest = searched.rest
        value, bound, proven = (
            (rest.value, rest.bound, rest.proven) if rest else (0, Bound.EXACT, False)
        )
        result = connection.execute(
            insert(positions).values(
                game=self.game_number,
                lookup=lookup_of(task.key),
                stones=task.stones,
                ply=position.ply,
                value=value,
                bound=BOUND_NUMBERS[bound],
                proven=proven,
                run=run,
                **self._rest_columns(searched, stored),
                **_effort(searched),
            )
        )
        new = _inserted_id(result)
        tally.add(
            position.ply, searched.depth, positions=1, proven=int(proven), nodes=searched.nodes
        )
        links = [
            {"parent": new, "move": move, "child": stored[child].id}
            for child, move in searched.children.items()
            if child in stored
        ] + [
            {"parent": stored[parent].id, "move": move, "child": new}
            for parent, move in parents.items()
            if parent in stored
        ]
        if links:
            connection.execute(insert(moves), links)
        for parent in parents:
            if parent in stored and rest_child(self.game, stored[parent]) == task.key:
                connection.execute(_set_row, _pending() | {"at": stored[parent].id})
        return {new, *(link["parent"] for link in links)}

    def _rest_columns(self, searched: Searched, stored: Mapping[Key, AnyRow]) -> dict[str, Any]:
        """The columns of the rest slot; `stored` tells whether its position is in the book."""
        rest = searched.rest
        if rest is None:
            return _empty_slot(RestState.NONE)
        if rest.child in stored:
            return _pending()
        return {
            "rest_state": int(RestState.ENDS if rest.child is None else RestState.OPEN),
            "rest_value": rest.value,
            "rest_bound": BOUND_NUMBERS[rest.bound],
            "rest_proven": rest.proven,
            "rest_line": pack_line(self.game, self.game.parse_line(rest.line)),
        }


@contextmanager
def _alone_at(path: Path) -> Iterator[None]:
    """Holds the file at `path` against other builders.

    Raises:
        BookUnwritable: if there is one.
    """
    lock = FileLock(f"{path}.lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise BookUnwritable(f"'{path}' is being built by another process") from None
    except OSError as error:
        raise BookUnwritable(f"cannot write '{lock.lock_file}': {error.strerror}") from error
    try:
        yield
    finally:
        # Removed while it is held, so that no other builder's lock is taken away.
        Path(lock.lock_file).unlink(missing_ok=True)
        lock.release()


def _register(connection: Connection, game: Game) -> int:
    """The number of `game` in this book, which gets its notation on first use."""
    number = connection.execute(select(games.c.id).where(games.c.name == game.id)).scalar()
    if number is not None:
        return int(number)
    result = connection.execute(insert(games).values(name=game.id))
    number = _inserted_id(result)
    connection.execute(
        insert(cells),
        [
            {
                "game": number,
                "number": cell,
                "code": game.pack_cell(cell),
                "name": game.format_cell(cell),
            }
            for cell in range(game.cell_count)
        ],
    )
    connection.execute(
        insert(move_names),
        [
            {
                "game": number,
                "move": move,
                "code": pack_line(game, [move]),
                "name": game.format_move(move),
            }
            for move in range(game.move_count)
        ],
    )
    return number


def _effort(searched: Searched) -> dict[str, Any]:
    return {
        "depth": searched.depth,
        "nodes": searched.nodes,
        "milliseconds": searched.milliseconds,
    }


def _pending() -> dict[str, Any]:
    return _empty_slot(RestState.PENDING)


def _empty_slot(state: RestState) -> dict[str, Any]:
    columns = ("rest_value", "rest_bound", "rest_proven", "rest_line")
    return {"rest_state": int(state)} | dict.fromkeys(columns)


def _inserted_id(result: CursorResult[*tuple[Any, ...]]) -> int:
    assert result.inserted_primary_key is not None
    return int(result.inserted_primary_key[0])


def _evaluation_hash(game: Game) -> str:
    """The hash of the file of the game's evaluation weights; empty where there is none."""
    evaluation = game.evaluation()
    if evaluation is None:
        return ""
    return blake2b(evaluation.file.read_bytes(), digest_size=8).hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
