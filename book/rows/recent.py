"""What a connection has read lately: the same positions are asked for again and again."""

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

    Whether it has changed is asked before something is found here, which is soon enough: what was
    read later than the book changed is only forgotten with the rest. Where the storage does not
    tell when it changes, nothing is kept.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._edition_of = kind_of(connection).edition
        self._edition = self._edition_of(connection)
        self._found: dict[Key, Stored | None] = {}
        self._moves = 0

    def renew(self) -> None:
        """Forget everything if the book has changed."""
        edition = self._edition_of(self._connection)
        if edition != self._edition:
            self._edition = edition
            self._forget()

    def holds(self, key: Key, *, is_renewed: bool = False) -> bool:
        """Whether this key was read since the book changed.

        With `is_renewed` what the last call of `renew` found is recent enough.
        """
        if key not in self._found:
            return False
        if not is_renewed:
            self.renew()
        # Gone, if the book has changed.
        return key in self._found

    def __getitem__(self, key: Key) -> Stored | None:
        return self._found[key]

    def __setitem__(self, key: Key, stored: Stored | None) -> None:
        if self._edition is None:
            return
        moves = 1 if stored is None else len(stored.known)
        if self._moves + moves > _MOST_MOVES:
            self._forget()
        self._moves += moves
        self._found[key] = stored

    def _forget(self) -> None:
        self._found.clear()
        self._moves = 0
