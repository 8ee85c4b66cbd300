"""Reading a book: the entry of a position, in the orientation of whoever asks."""

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, func, literal_column, select

from book.closing import Closing
from book.entry import BookMove, Entry
from book.errors import BookUnreadable, PositionNotFound
from book.rows.encoding import BOUNDS, lookup_of, unpack_line
from book.rows.lookup import GameRows
from book.rows.propagation import BookValue, can_be_worth, flipped
from book.storage.address import Address, AnyAddress
from book.storage.database import Access, Prepared, explained, open_engine
from book.storage.schema import WITH_MOVE, RestState, counts, moves, positions
from book.storage.schema import games as games_table
from engine import registry
from engine.game import Canonical, Game
from engine.position import Move, Position
from engine.values import from_child

_LINE_PLIES = 8

_REQUIRED = ("value", "bound", "proven", "depth", "nodes", "milliseconds", "rest_state")
_REST = ("rest_value", "rest_bound", "rest_proven", "rest_line")
_OF_CHILD = ("value", "bound", "proven", "depth")


class _Row(NamedTuple):
    """A position with one of its stored children, whose columns are None if there is none."""

    value: int
    bound: int
    proven: bool
    depth: int
    nodes: int
    milliseconds: int
    rest_state: int
    rest_value: int
    rest_bound: int
    rest_proven: bool
    rest_line: bytes
    move: Move | None
    child_value: int
    child_bound: int
    child_proven: bool
    child_depth: int


_child = positions.alias("child")
# One statement, so that a position and its children come from the same moment of a build.
_lookup = (
    select(
        *(positions.c[name] for name in (*_REQUIRED, *_REST)),
        moves.c.move,
        *(_child.c[name] for name in _OF_CHILD),
    )
    .outerjoin(moves, moves.c.parent == positions.c.id)
    .outerjoin(_child, _child.c.id == moves.c.child)
    .where(
        positions.c.lookup == bindparam("lookup"),
        positions.c.stones == bindparam("stones"),
        positions.c.game == bindparam("game"),
    )
)
# The stored move that is best for the parent is the one to the child worth least.
_lookup_best = _lookup.order_by(_child.c.value, moves.c.move).limit(literal_column("1"))
_names = select(games_table.c.name, games_table.c.id).order_by(games_table.c.id)
_count = (
    select(func.coalesce(func.sum(counts.c.positions), 0))
    .select_from(counts.join(games_table))
    .where(games_table.c.name == bindparam("name"))
)


class BookReader(Closing):
    """Opens a book for reading. A context manager; safe to share among threads.

    Threads that read at the same time do so over connections of their own. What a builder
    commits is seen by the next call, and neither waits for the other.

    Raises:
        BookError: if the file is missing, no book, damaged, or of a later schema.
    """

    def __init__(self, address: AnyAddress) -> None:
        self.address = Address.of(address)
        self._engine = open_engine(self.address, Access.READ)
        # Connections at rest. A deque may be shared among threads without a lock.
        self._idle: deque[Connection] = deque()
        self._lookup = Prepared(_lookup, self._engine.dialect)
        self._lookup_best = Prepared(_lookup_best, self._engine.dialect)
        self._numbers = self._read_numbers()
        self.games: tuple[Game, ...] = tuple(map(registry.get, self._numbers))

    def close(self) -> None:
        """Let go of the file."""
        while self._idle:
            self._idle.pop().close()
        self._engine.dispose()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A connection for one thread, that reads and holds no transaction open."""
        with explained(self.address):
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self._engine.connect()
                connection.execution_options(isolation_level="AUTOCOMMIT")
            yield connection
        self._idle.append(connection)

    @contextmanager
    def rows_of(self, game: Game) -> Iterator[GameRows]:
        """The rows of a game that the book holds, over a `connection` of their own."""
        with self.connection() as connection:
            yield GameRows(connection, game, self._numbers[game.id])

    def positions(self, game: Game) -> int:
        """The number of stored positions of `game`."""
        with self.connection() as connection:
            return int(connection.execute(_count, {"name": game.id}).scalar_one())

    def find(
        self, game: Game, position: Position, *, lines: int = 1, best_only: bool = False
    ) -> Entry:
        """The entry of `position`; see `get`.

        Raises:
            PositionNotFound: if the book does not hold it.
        """
        entry = self.get(game, position, lines=lines, best_only=best_only)
        if entry is None:
            raise PositionNotFound(f"'{self.address}' does not hold this position of {game.id}")
        return entry

    def get(
        self, game: Game, position: Position, *, lines: int = 1, best_only: bool = False
    ) -> Entry | None:
        """The entry of `position`, None if the book does not hold it.

        The lines of the `lines` best moves are followed through the book, which costs a lookup
        a ply; that of any other stored move is the move alone. With `best_only` the best move is
        the only one, which is several times as fast where many are stored.
        """
        canonical = game.canonical(position)
        rows = self._best_rows(game, canonical) if best_only else self._rows(game, canonical)
        if not rows:
            return None
        back = game.inverse(canonical.symmetry)
        known_moves = _known_moves(game, rows)
        moves = [
            BookMove(
                move := game.map_move(known.move, back),
                known.value,
                known.bound,
                known.proven,
                known.depth,
                known.in_book,
                self._line(game, position, canonical, known)
                if rank < lines or not known.in_book
                else (move,),
            )
            for rank, known in enumerate(known_moves[:1] if best_only else known_moves)
        ]
        row = rows[0]
        return Entry(
            position=position,
            value=row.value,
            bound=BOUNDS[row.bound],
            proven=bool(row.proven),
            depth=row.depth,
            nodes=row.nodes,
            seconds=row.milliseconds / 1000,
            moves=tuple(moves),
        )

    def _best_rows(self, game: Game, canonical: Canonical) -> list[_Row]:
        """As `_rows`, with no more children than it takes to tell the best move."""
        rows = self._rows(game, canonical, self._lookup_best)
        # The child that looks best may be worth less.
        is_kept = rows and rows[0].rest_state == RestState.KEPT
        return self._rows(game, canonical) if is_kept else rows

    def _rows(self, game: Game, canonical: Canonical, lookup: Prepared | None = None) -> list[_Row]:
        """The position's row once for each child that `lookup` finds; none if not stored.

        Without a `lookup` for all its children.
        """
        if game.id not in self._numbers:
            # A builder may have begun with another game since.
            self._numbers = self._read_numbers()
            if game.id not in self._numbers:
                return []
        values = {
            "lookup": lookup_of(canonical.key),
            "stones": canonical.stones,
            "game": self._numbers[game.id],
        }
        with self.connection() as connection:
            rows = list(map(_Row._make, (lookup or self._lookup).all(connection, values)))
        for row in rows:
            # A page that lost its contents reads as nulls, and a link as one to nowhere.
            if None in row[: len(_REQUIRED)] or (
                row.move is not None and None in row[-len(_OF_CHILD) :]
            ):
                raise self._damaged(f"the row of the key {canonical.key.hex()} is incomplete")
        return rows

    def _read_numbers(self) -> dict[str, int]:
        with self.connection() as connection:
            numbers = {row.name: row.id for row in connection.execute(_names)}
        if None in numbers:
            raise self._damaged("a game has lost its name")
        return numbers

    def _damaged(self, how: str) -> BookUnreadable:
        return BookUnreadable(f"'{self.address}' is damaged: {how}")

    def _line(
        self, game: Game, position: Position, canonical: Canonical, known: BookMove
    ) -> tuple[Move, ...]:
        """What the book expects from `position` on, along best moves, `known` being the first."""
        line: list[Move] = []
        while known.in_book:
            line.append(game.map_move(known.move, game.inverse(canonical.symmetry)))
            if len(line) == _LINE_PLIES:
                return tuple(line)
            position = game.play(position, line[-1])
            canonical = game.canonical(position)
            known = _known_moves(game, self._best_rows(game, canonical))[0]
        back = game.inverse(canonical.symmetry)
        line += [game.map_move(move, back) for move in known.line]
        return tuple(line[:_LINE_PLIES])


def _known_moves(game: Game, rows: Sequence[_Row]) -> list[BookMove]:
    """The moves in the rows of one position, best first; of equal ones the smallest first.

    In the canonical orientation; only the rest move has a line yet.
    """
    row = rows[0]
    known = [_stored_move(child) for child in rows if child.move is not None]
    if row.rest_state not in WITH_MOVE:
        return _best_first(known)
    line = unpack_line(game, row.rest_line)
    bound, proven = BOUNDS[row.rest_bound], bool(row.rest_proven)
    rest = BookMove(line[0], row.rest_value, bound, proven, row.depth, False, line)
    if row.rest_state == RestState.KEPT:
        # The slot's own move may lead to a stored position that is not proven.
        known = [
            move
            for move in known
            if can_be_worth(row, BookValue(move.value, move.bound, move.proven))
            and (move.move != rest.move or move.value > rest.value)
        ]
    return _best_first([*known, rest])


def _best_first(known: list[BookMove]) -> list[BookMove]:
    return sorted(known, key=lambda move: (-move.value, move.move))


def _stored_move(child: _Row) -> BookMove:
    assert child.move is not None
    return BookMove(
        child.move,
        from_child(child.child_value),
        flipped(BOUNDS[child.child_bound]),
        bool(child.child_proven),
        child.child_depth,
        True,
        (),
    )
