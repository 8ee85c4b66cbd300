"""The misses of a book: positions that were asked for and not held, counted in a file beside it.

Services write it while they answer, the builder takes out what the book holds by then; all of
them may do so at once. The book itself is only read by those who answer.
"""

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sqlite_utils import Database

from book.beside import reading, writing_alone
from book.errors import BookUnreadable
from book.storage.address import Address, AnyAddress
from engine.game import Canonical, Game

# The file's ending, and the name of its table; fivebook 0.3 calls both by the former one.
_NAME, _FORMER_NAME = "misses", "asked"
_COLUMNS = {"game": str, "stones": bytes, "key": bytes, "ply": int, "count": int}
# Enough for days of building; what is asked of an open service is not to fill its disk.
_MOST = 100_000

_ADD = (
    "INSERT INTO misses (game, stones, key, ply, count) VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT (game, stones) DO UPDATE SET count = count + excluded.count"
)
# The least asked for go first, of these the latest in a game, then the oldest in the file.
_TRIM = (
    "DELETE FROM misses WHERE rowid IN (SELECT rowid FROM misses ORDER BY count, ply DESC, rowid "
    "LIMIT max(0, (SELECT count(*) FROM misses) - ?))"
)
_FORGET = "DELETE FROM misses WHERE game = ? AND stones = ?"
_FORMER = "SELECT game, stones, key, ply, count FROM asked ORDER BY rowid"


class Misses:
    """The misses of `book`; the file is made by the first that is added.

    A file under its former name is read as long as there is no other; whoever writes first takes
    over what it holds, and removes it.
    """

    def __init__(self, book: AnyAddress, *, most: int = _MOST) -> None:
        address = Address.of(book)
        self.path = address.beside(_NAME)
        self._former = address.beside(_FORMER_NAME)
        self._most = most

    def add(self, game: Game, counts: Mapping[bytes, int]) -> None:
        """Add `counts` to those of positions of `game`, which are given by their canonical stones.

        Raises:
            BookUnwritable: if the file cannot be written.
        """
        rows = [
            (game.id, stones, game.key(stones), game.unpack(stones).ply, count)
            for stones, count in counts.items()
        ]
        with self._writing() as connection:
            connection.executemany(_ADD, rows)
            connection.execute(_TRIM, (self._most,))

    def count(self, game: Game) -> int:
        """How many positions of `game` are in the file.

        Raises:
            BookUnreadable: if the file cannot be read.
        """
        if (path := self._readable()) is None:
            return 0
        with reading(path) as database:
            return int(database.table(_name_of(path)).count_where("game = ?", [game.id]))

    def most_missed(self, game: Game, most: int) -> list[tuple[Canonical, int]]:
        """Up to `most` positions of `game` with their counts.

        Those asked for most often come first, then those with fewer stones, then by key.

        Raises:
            BookUnreadable: if the file cannot be read, or holds what is no position.
        """
        if (path := self._readable()) is None:
            return []
        with reading(path) as database:
            rows = database.table(_name_of(path)).rows_where(
                "game = ?", [game.id], order_by="count DESC, ply, key", limit=most
            )
            return [(_canonical(game, row["stones"], path), row["count"]) for row in rows]

    def forget(self, game: Game, stones: Collection[bytes]) -> None:
        """Take the positions with these canonical stones out of the file.

        Raises:
            BookUnwritable: if the file cannot be written.
        """
        with self._writing() as connection:
            connection.executemany(_FORGET, [(game.id, each) for each in stones])

    def _readable(self) -> Path | None:
        return next((path for path in (self.path, self._former) if path.exists()), None)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with writing_alone(self.path) as connection:
            _set_up(connection)
            if self._former.exists() and not _is_taken_over(connection):
                connection.executemany(_ADD, _former_rows(self._former))
                _set_taken_over(connection, True)
            yield connection
        if self._former.exists():
            with writing_alone(self.path) as connection:
                # Only now: a kill in between neither loses a count nor has it twice.
                if _is_taken_over(connection):
                    self._former.unlink(missing_ok=True)
                    _set_taken_over(connection, False)


def _is_taken_over(connection: sqlite3.Connection) -> bool:
    """Whether what the file under the former name holds is in this one as well."""
    return bool(connection.execute("PRAGMA user_version").fetchone()[0])


def _set_taken_over(connection: sqlite3.Connection, is_taken_over: bool) -> None:
    connection.execute(f"PRAGMA user_version = {int(is_taken_over)}")


def _former_rows(path: Path) -> list[tuple[object, ...]]:
    # Written by nobody until it is read: a service of the former version waits.
    with writing_alone(path) as connection:
        return connection.execute(_FORMER).fetchall()


def _name_of(path: Path) -> str:
    """The name of the table in the file."""
    return path.suffix.removeprefix(".")


def _canonical(game: Game, stones: bytes, path: Path) -> Canonical:
    damaged = BookUnreadable(f"'{path}' is damaged: delete it, and counting begins anew")
    try:
        position = game.unpack(stones)
    except (TypeError, ValueError):
        raise damaged from None
    canonical = game.canonical(position)
    if canonical.stones != stones or game.outcome(position) is not None:
        raise damaged
    return canonical


def _set_up(connection: sqlite3.Connection) -> None:
    table = Database(connection).table(_NAME)
    table.create(_COLUMNS, pk=("game", "stones"), if_not_exists=True)
    table.create_index(["game", "count", "ply", "key"], if_not_exists=True)
