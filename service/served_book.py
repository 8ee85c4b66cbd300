"""A book as it is served: opened anew when another is put in its place, or when it is back."""

import time
from contextlib import AbstractContextManager
from threading import Lock
from typing import Any

from book.closing import Closing
from book.errors import BookAway, BookError
from book.reader import BookReader, file_number
from book.storage.address import Address, AnyAddress
from engine.game import Game

# How long a book that could not be opened is left alone, and how long opening it may take.
_SECONDS_BETWEEN_TRIES = 0.5
_LONGEST_TRY = 10.0
# A book may be replaced just when it is opened, or its connection have died at rest.
_TRIES = 5


class _Edition:
    """An open book, and how many are reading it."""

    def __init__(self, reader: BookReader) -> None:
        self.reader = reader
        self.users = 0
        self.is_over = False


class ServedBook(Closing):
    """The book at `address`, whichever that is; any number of threads may read it.

    Where a file is replaced, every reader that begins afterwards, in any process, has the new book,
    and those that began before finish on the old one, which is closed then.

    Raises:
        BookError: if it cannot be opened.
    """

    def __init__(self, address: AnyAddress) -> None:
        self.address = Address.of(address)
        self._lock = Lock()
        self._away: BookAway | None = None
        self._next_try = 0.0
        self.generation = 1
        self._edition: _Edition | None = _Edition(BookReader(self.address))
        self.games: tuple[Game, ...] = self._edition.reader.games

    def close(self) -> None:
        """Let go of the book; whoever reads it finishes."""
        with self._lock:
            self._retire()

    @property
    def is_away(self) -> bool:
        """Whether the book was away when it was last looked for."""
        # While it is opened anew there is no edition either.
        return self._away is not None

    def at_hand(self, *, ask_first: bool = False) -> AbstractContextManager[BookReader]:
        """A reader of the book as it is now, which reads that book to the end of the block.

        With `ask_first` the book has to give a sign before.

        Raises:
            BookAway: on entering, if the book is away: deleted, replaced by what is none, out of
                reach.
        """
        return _AtHand(self, ask_first)

    def _taken(self, ask_first: bool) -> tuple[_Edition, AbstractContextManager[object]]:
        """An edition for somebody to leave, and the block at its hand, entered."""
        away: BookAway | None = None
        for _ in range(_TRIES):
            edition = self._enter()
            try:
                block = edition.reader.at_hand(ask_first=ask_first)
                block.__enter__()
            except BookError as error:
                self._leave(edition)
                if not isinstance(error, BookAway):
                    raise
                away = error
                self._give_up(edition)
            else:
                return edition, block
        assert away is not None
        with self._lock:
            self._set_away(away)
        raise away

    def _enter(self) -> _Edition:
        with self._lock:
            # Asking for a file's number takes microseconds, so that every request can afford it.
            path = self.address.path
            number = None if path is None else file_number(path)
            edition = self._edition
            if edition is None or edition.reader.file_number != number:
                if self._away is not None and time.monotonic() < self._next_try:
                    raise self._away
                edition = self._opened()
            edition.users += 1
            return edition

    def _give_up(self, edition: _Edition) -> None:
        """Have the book opened anew if `edition` is the one that is read."""
        with self._lock:
            if self._edition is edition:
                self._retire()

    def _leave(self, edition: _Edition) -> None:
        with self._lock:
            edition.users -= 1
            if edition.is_over and not edition.users:
                edition.reader.close()

    def _opened(self) -> _Edition:
        """The edition that is there now. The lock is held.

        But nobody waits for a server that was away when it was asked before.
        """
        unlocked = self.address.path is None and self._away is not None
        if self._away is not None:
            self._set_away(self._away)
            self._next_try += _LONGEST_TRY
        if unlocked:
            self._lock.release()
        try:
            opened: _Edition | BookError = _Edition(_open(self.address))
        except BookError as error:
            opened = error
        finally:
            if unlocked:
                self._lock.acquire()
        if isinstance(opened, BookError):
            raise self._set_away(opened)
        self._retire()
        self._edition, self._away = opened, None
        self.generation += 1
        self.games = opened.reader.games
        return opened

    def _set_away(self, error: BookError) -> BookAway:
        self._retire()
        self._away = error if isinstance(error, BookAway) else BookAway(str(error))
        self._next_try = time.monotonic() + _SECONDS_BETWEEN_TRIES
        return self._away

    def _retire(self) -> None:
        """Close the present edition, when nobody reads it any more."""
        edition, self._edition = self._edition, None
        if edition is not None:
            edition.is_over = True
            if not edition.users:
                edition.reader.close()


class _AtHand(AbstractContextManager[BookReader]):
    """The block of `ServedBook.at_hand`; a class, as every request enters one."""

    __slots__ = ("_ask_first", "_book", "_edition", "_held")

    def __init__(self, book: ServedBook, ask_first: bool) -> None:
        self._book = book
        self._ask_first = ask_first

    def __enter__(self) -> BookReader:
        self._edition, self._held = self._book._taken(self._ask_first)
        return self._edition.reader

    def __exit__(self, *error: Any) -> None:
        try:
            self._held.__exit__(*error)
        finally:
            self._book._leave(self._edition)


def _open(address: Address) -> BookReader:
    """A reader of the book at `address`, even if it is replaced meanwhile."""
    for _ in range(_TRIES):
        try:
            return BookReader(address)
        except BookAway as error:
            if address.path is None:
                raise
            away = error
    raise away
