"""What a connection has read lately: the same positions are asked for again and again."""

from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy import Connection

from book.entry import BookMove
from book.rows.known_moves import PositionRow
from book.storage.store import kind_of

# Some ten megabytes a connection.
_MOST_MOVES = 1 << 16


class Stored(NamedTuple):
    """A stored position: its row with one of its children, and its moves, best first, in the
    canonical orientation.
    """

    row: PositionRow
    known: list[BookMove]


Key = tuple[int, bytes, bool]
"""The number of a game in the book, the stones of a canonical position, and what is asked of it."""


class Recent:
    """The positions that a connection has read since the book changed last.

    Where the storage does not tell when it changes, nothing is kept.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._edition_of = kind_of(connection).edition
        self._edition: object = None
        self._found: dict[Key, Stored | None] = {}
        self._moves = 0

    def renew(self) -> None:
        """Forget everything if the book has changed."""
        edition = self._edition_of(self._connection)
        if edition != self._edition:
            self._edition = edition
            self._forget()

    def find(self, key: Key, read: Callable[[], Stored | None]) -> Stored | None:
        """What `read` gives for this key, or gave for it before."""
        if key in self._found:
            return self._found[key]
        stored = read()
        if self._edition is not None:
            moves = 1 if stored is None else len(stored.known)
            if self._moves + moves > _MOST_MOVES:
                self._forget()
            self._moves += moves
            self._found[key] = stored
        return stored

    def _forget(self) -> None:
        self._found.clear()
        self._moves = 0
