"""Reading a book: the entry of a position, in the orientation of whoever asks."""

import time
from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from threading import local
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    bindparam,
    func,
    literal_column,
    select,
)

from book.closing import Closing
from book.entry import BookMove, Entry
from book.errors import BookAway, BookUnreadable, PositionNotFound
from book.imported import Imported, look_up
from book.rows.digests import digest_of_position
from book.rows.encoding import BOUNDS, lookup_of, stones_by_name
from book.rows.imports import Imports
from book.rows.known_moves import (
    CHILD,
    FIRST_OF_CHILD,
    PositionRow,
    are_sound,
    known_moves,
    with_children,
)
from book.rows.lookup import GameRows
from book.rows.recent import Recent, Stored
from book.storage.address import Address, AnyAddress
from book.storage.database import Access, Prepared, explained, open_engine
from book.storage.revisions import has_digests, has_imports
from book.storage.schema import RestState, counts, moves, positions, sources
from book.storage.schema import games as games_table
from book.storage.store import DATABASE_ERRORS
from engine import registry
from engine.game import Canonical, Game
from engine.position import Move, Position

_LINE_PLIES = 8
_RECENT = "recently read"


def _lookup(*, has_digests: bool) -> Select[*tuple[Any, ...]]:
    """One statement, so that a position and its children come from the same moment of a build."""
    return with_children(has_digests=has_digests).where(
        positions.c.lookup == bindparam("lookup"),
        positions.c.stones == bindparam("stones"),
        positions.c.game == bindparam("game"),
    )


def _best(lookup: Select[*tuple[Any, ...]]) -> Select[*tuple[Any, ...]]:
    """The stored move that is best for the parent is the one to the child worth least."""
    # As parameters they would be looked at anew with every lookup.
    one: ColumnElement[int] = literal_column("1")
    return lookup.order_by(CHILD.c.value, moves.c.move).limit(one).offset(literal_column("0"))


# A table that was restored on a server has another number.
_tables: ColumnElement[int] = literal_column("positions.tableoid")
_names = select(games_table.c.name, games_table.c.id).order_by(games_table.c.id)
_any_import = select(sources.c.id).limit(1)
_SECONDS_BETWEEN_LOOKS = 1.0
_count = (
    select(func.coalesce(func.sum(counts.c.positions), 0))
    .select_from(counts.join(games_table))
    .where(games_table.c.name == bindparam("name"))
)


FileNumber = tuple[int, int]


def file_number(path: Path) -> FileNumber | None:
    """What tells the file at `path` from any other that may be put there; None without one."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


class _Lent(AbstractContextManager[Connection]):
    """A connection of `reader` for the length of a block, in which a thread may have no other.

    A class, as a lookup enters a dozen, and a generator's block costs several times as much.
    """

    __slots__ = ("_connection", "_only", "_reader")

    def __init__(self, reader: "BookReader", *, only: bool = False) -> None:
        self._reader = reader
        self._only = only

    def __enter__(self) -> Connection:
        reader = self._reader
        self._connection = reader._take()
        if self._only:
            try:
                reader._recent_of(self._connection).renew()
            except DATABASE_ERRORS as error:
                # This raises what explains it.
                reader._give_back(self._connection, error)
            reader._of_thread.connection = self._connection
        return self._connection

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if self._only:
            self._reader._of_thread.connection = None
        self._reader._give_back(self._connection, error)


class BookReader(Closing):
    """Opens a book for reading. A context manager; safe to share among threads.

    Threads that read at the same time do so over connections of their own. What a builder
    commits is seen by the next call, and neither waits for the other. `has_digests` tells whether
    the rows of the book have any, which are then checked.

    Raises:
        BookError: if the file is missing, no book, damaged, or of a later schema.
    """

    def __init__(self, address: AnyAddress) -> None:
        self.address = Address.of(address)
        path = self.address.path
        self.file_number = None if path is None else file_number(path)
        self._of_thread = local()
        self._engine = open_engine(self.address, Access.READ)
        # Connections at rest. A deque may be shared among threads without a lock.
        self._idle: deque[Connection] = deque()
        with self.connection() as connection:
            self._tables = _tables_of(connection) if path is None else None
            self.has_digests = has_digests(connection)
        lookup = _lookup(has_digests=self.has_digests)
        if self._tables is not None:
            lookup = lookup.add_columns(_tables)
        self._lookup = Prepared(lookup, self._engine.dialect)
        self._lookup_best = Prepared(_best(lookup), self._engine.dialect)
        self._look_for_imports, self._found_imports = 0.0, False
        self._numbers = self._read_numbers()
        self.games: tuple[Game, ...] = tuple(map(registry.get, self._numbers))

    def close(self) -> None:
        """Let go of the file."""
        self.drop_idle()
        self._engine.dispose()

    def at_hand(self, *, ask_first: bool = False) -> AbstractContextManager[object]:
        """Have all that this thread reads in the block come from one connection.

        So it all comes from the book that this reader has opened, even if another is put in its
        place meanwhile. With `ask_first` the database has to give a sign before.

        Raises:
            BookAway: if another book is in its place already, or none can be reached.
        """
        if ask_first:
            with self.connection() as connection:
                self._check_tables(connection)
        return nullcontext() if self._held else _Lent(self, only=True)

    def connection(self) -> AbstractContextManager[Connection]:
        """A connection for one thread, that reads and holds no transaction open."""
        held = self._held
        return _Lent(self) if held is None else nullcontext(held)

    @property
    def _held(self) -> Connection | None:
        """The one connection of this thread, while there is one."""
        return getattr(self._of_thread, "connection", None)

    def _take(self) -> Connection:
        """A connection at rest, or a new one; to be given back."""
        try:
            return self._idle.pop()
        except IndexError:
            with explained(self.address):
                return self._connect()

    def _give_back(self, connection: Connection, error: BaseException | None = None) -> None:
        """Let others have a connection, or close it after an `error`."""
        if error is None:
            self._idle.append(connection)
            return
        connection.close()
        if isinstance(error, DATABASE_ERRORS):
            # It may be dead, and if it is, so are all that are older.
            self.drop_idle()
            with explained(self.address):
                raise error

    def drop_idle(self) -> None:
        """Close the connections at rest."""
        while self._idle:
            self._idle.pop().close()

    def _connect(self) -> Connection:
        connection = self._engine.connect()
        connection.execution_options(isolation_level="AUTOCOMMIT")
        if self.address.path is not None:
            # SQLite opens the log at the first look.
            connection.exec_driver_sql("PRAGMA schema_version")
            if file_number(self.address.path) != self.file_number:
                connection.close()
                raise self._replaced()
        return connection

    def _check_tables(self, connection: Connection) -> None:
        """Make sure that a server answers, and that its tables are those of this book."""
        if self._tables is not None and _tables_of(connection) != self._tables:
            raise self._replaced()

    def _replaced(self) -> BookAway:
        return BookAway(f"another book is in the place of '{self.address}'")

    @contextmanager
    def rows_of(self, game: Game) -> Iterator[GameRows]:
        """The rows of a game that the book holds, over a `connection` of their own."""
        with self.connection() as connection:
            yield GameRows(connection, game, self._numbers[game.id])

    def positions(self, game: Game) -> int:
        """The number of stored positions of `game`."""
        with self.connection() as connection:
            return int(connection.execute(_count, {"name": game.id}).scalar_one())

    def imported(self, game: Game, position: Position) -> Imported | None:
        """What was imported of `position`, None if that is nothing."""
        if not self._has_imports() or not self._knows(game):
            return None
        with self.rows_of(game) as rows:
            return look_up(Imports(rows), game, position)

    def _has_imports(self) -> bool:
        """Whether anything was imported, as of a second ago at most."""
        if time.monotonic() >= self._look_for_imports:
            with self.connection() as connection:
                self._found_imports = (
                    has_imports(connection) and connection.execute(_any_import).first() is not None
                )
            self._look_for_imports = time.monotonic() + _SECONDS_BETWEEN_LOOKS
        return self._found_imports

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
        stored = self._stored(game, canonical, best_only=best_only)
        if stored is None:
            return None
        back = game.inverse(canonical.symmetry)
        row, known = stored
        moves = [
            BookMove(
                move := game.map_move(each.move, back),
                each.value,
                each.bound,
                each.proven,
                each.depth,
                each.in_book,
                self._line(game, position, canonical, each)
                if rank < lines or not each.in_book
                else (move,),
            )
            for rank, each in enumerate(known[:1] if best_only else known)
        ]
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

    def _knows(self, game: Game) -> bool:
        """Whether the book holds the game by now."""
        if game.id not in self._numbers:
            # A builder may have begun with another game since.
            self._numbers = self._read_numbers()
        return game.id in self._numbers

    def _stored(
        self, game: Game, canonical: Canonical, *, best_only: bool = False
    ) -> Stored | None:
        """What is stored of a position, None if it is not; with `best_only` one of its moves at
        least, the best.
        """
        if not self._knows(game):
            return None
        with self.connection() as connection:
            recent = self._recent_of(connection)
            key = self._numbers[game.id], canonical.stones, best_only
            if recent.holds(key, is_renewed=self._held is not None):
                return recent[key]
            stored = recent[key] = self._read(connection, game, canonical, best_only=best_only)
            return stored

    def _recent_of(self, connection: Connection) -> Recent:
        """What this connection has read lately."""
        recent: Recent | None = connection.info.get(_RECENT)
        if recent is None:
            recent = connection.info[_RECENT] = Recent(connection)
        return recent

    def _read(
        self, connection: Connection, game: Game, canonical: Canonical, *, best_only: bool
    ) -> Stored | None:
        lookup = self._lookup_best if best_only else self._lookup
        rows = self._rows(connection, game, canonical, lookup)
        if best_only and rows and rows[0].rest_state == RestState.KEPT:
            # The child that looks best may be worth less.
            rows = self._rows(connection, game, canonical, self._lookup)
        if not rows:
            return None
        if self.has_digests:
            self._check_digest(game, canonical, rows[0])
        return Stored(rows[0], known_moves(game, rows))

    def _rows(
        self, connection: Connection, game: Game, canonical: Canonical, lookup: Prepared
    ) -> list[PositionRow]:
        """The position's row once for each child that `lookup` finds; none if not stored."""
        values = {
            "lookup": lookup_of(canonical.key),
            "stones": canonical.stones,
            "game": self._numbers[game.id],
        }
        found = lookup.all(connection, values)
        if self._tables is not None:
            if not found:
                self._check_tables(connection)
            elif found[0][-1] != self._tables:
                raise self._replaced()
            found = [row[:-1] for row in found]
        rows = list(map(PositionRow._make, found))
        if rows and not are_sound(game, rows):
            raise self._damaged(f"the row of the key {canonical.key.hex()} cannot be right")
        return rows

    def _check_digest(self, game: Game, canonical: Canonical, row: PositionRow) -> None:
        """Make sure that the row of a position is what was written."""
        # By its names each of these would take several times as long.
        own: tuple[Any, ...] = row[:FIRST_OF_CHILD]
        value, bound, proven, depth, nodes, milliseconds, state, *others = own
        rest_value, rest_bound, rest_proven, line, id, cost, run, wish, digest = others
        right = digest_of_position(
            id,
            self._numbers[game.id],
            lookup_of(canonical.key),
            canonical.position.ply,
            value,
            bound,
            proven,
            state,
            rest_value,
            rest_bound,
            rest_proven,
            cost,
            depth,
            nodes,
            milliseconds,
            run,
            wish,
            canonical.stones,
            line,
        )
        if digest != right:
            dark, light = stones_by_name(game, canonical.stones)
            raise self._damaged(
                f"the row of {game.id} dark {dark or '-'}, light {light or '-'} is not what was "
                "written; fivebook repair mends it"
            )

    def _read_numbers(self) -> dict[str, int]:
        with self.connection() as connection:
            numbers = {row.name: row.id for row in connection.execute(_names)}
        if not all(isinstance(name, str) for name in numbers):
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
            stored = self._stored(game, canonical, best_only=True)
            if stored is None:
                raise self._damaged(f"no row of the key {canonical.key.hex()} is found by it")
            known = stored.known[0]
        line += game.map_line(known.line, game.inverse(canonical.symmetry))
        return tuple(line[:_LINE_PLIES])


def _tables_of(connection: Connection) -> int:
    return int(connection.exec_driver_sql("SELECT 'positions'::regclass::oid").scalar_one())
