"""The positions that a book was asked for and did not hold, counted in a file beside it.

Services write it while they answer, the builder takes out what the book holds by then; all of
them may do so at once. The book itself is only read by those who answer.
"""

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager

from sqlite_utils import Database

from book.errors import BookUnreadable, BookUnwritable
from book.storage.address import Access, Address, AnyAddress
from book.storage.sqlite import connect
from engine.game import Canonical, Game

_COLUMNS = {"game": str, "stones": bytes, "key": bytes, "ply": int, "count": int}
# Enough for days of building; what is asked of an open service is not to fill its disk.
_MOST = 100_000

_ADD = (
    "INSERT INTO asked (game, stones, key, ply, count) VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT (game, stones) DO UPDATE SET count = count + excluded.count"
)
# The least asked go first, of these the latest in a game, then the oldest in the file.
_TRIM = (
    "DELETE FROM asked WHERE rowid IN (SELECT rowid FROM asked ORDER BY count, ply DESC, rowid "
    "LIMIT max(0, (SELECT count(*) FROM asked) - ?))"
)
_FORGET = "DELETE FROM asked WHERE game = ? AND stones = ?"


class Asked:
    """The positions that `book` was asked for; the file is made by the first that is added."""

    def __init__(self, book: AnyAddress, *, most: int = _MOST) -> None:
        self.path = Address.of(book).beside("asked")
        self._most = most

    def add(self, game: Game, counts: Mapping[bytes, int]) -> None:
        """Count positions of `game`, by their canonical stones, so many times more.

        Raises:
            BookUnwritable: if the file cannot be written.
        """
        rows = [
            (game.id, stones, game.key(stones), game.unpack(stones).ply, count)
            for stones, count in counts.items()
        ]
        with self._open(Access.WRITE) as database:
            database.conn.executemany(_ADD, rows)
            database.conn.execute(_TRIM, (self._most,))

    def count(self, game: Game) -> int:
        """How many positions of `game` are in the file.

        Raises:
            BookUnreadable: if the file cannot be read.
        """
        if not self.path.exists():
            return 0
        with self._open(Access.READ) as database:
            return int(database.table("asked").count_where("game = ?", [game.id]))

    def most_asked(self, game: Game, most: int) -> list[tuple[Canonical, int]]:
        """Up to `most` positions of `game` with their counts.

        The most asked first, then those with fewer stones, then by key.

        Raises:
            BookUnreadable: if the file cannot be read, or holds what is no position.
        """
        if not self.path.exists():
            return []
        with self._open(Access.READ) as database:
            rows = database.table("asked").rows_where(
                "game = ?", [game.id], order_by="count DESC, ply, key", limit=most
            )
            return [(self._canonical(game, row["stones"]), row["count"]) for row in rows]

    def forget(self, game: Game, stones: Collection[bytes]) -> None:
        """Take the positions with these canonical stones out of the file.

        Raises:
            BookUnwritable: if the file cannot be written.
        """
        with self._open(Access.WRITE) as database:
            database.conn.executemany(_FORGET, [(game.id, each) for each in stones])

    @contextmanager
    def _open(self, access: Access) -> Iterator[Database]:
        try:
            with closing(connect(self.path, access)) as connection, connection:
                database = Database(connection)
                if access is Access.WRITE:
                    # SQLite lets nobody wait who has read in a transaction before it writes.
                    connection.execute("BEGIN IMMEDIATE")
                    _set_up(database)
                yield database
        except sqlite3.Error as error:
            kind = BookUnwritable if access is Access.WRITE else BookUnreadable
            raise kind(f"cannot use '{self.path}': {error}") from error

    def _canonical(self, game: Game, stones: bytes) -> Canonical:
        try:
            position = game.unpack(stones)
        except (TypeError, ValueError):
            raise self._damaged() from None
        canonical = game.canonical(position)
        if canonical.stones != stones or game.outcome(position) is not None:
            raise self._damaged()
        return canonical

    def _damaged(self) -> BookUnreadable:
        return BookUnreadable(f"'{self.path}' is damaged: delete it, and counting begins anew")


def _set_up(database: Database) -> None:
    table = database.table("asked")
    table.create(_COLUMNS, pk=("game", "stones"), if_not_exists=True)
    table.create_index(["game", "count", "ply", "key"], if_not_exists=True)
