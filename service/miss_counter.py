"""Counting what no book held, for `fivebook build --mode learn`."""

import logging
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable
from threading import Event, Lock, Thread

from book.closing import Closing
from book.errors import BookError
from book.misses import Misses
from book.storage.address import Address
from engine.game import Game
from engine.position import Position

# Questions remembered until they are written; with more of them the oldest are lost.
_MOST = 10_000
_SECONDS_BETWEEN_WRITES = 5.0
_OF_EACH_CLIENT = 1_000
# Clients remembered within an hour; those that come after them are not counted.
_MOST_CLIENTS = 1_000
_HOUR = 3600.0

_log = logging.getLogger(__name__)


class MissCounter(Closing):
    """Counts positions beside the books that lacked them; any number of threads may add to it.

    Where `client` tells who asks, a position is counted once for each of them in an hour, and
    only the first `each_client` positions of one: so no client can put a position at the head of
    the others', or theirs out of the file.

    Nobody who adds waits for a disk: a thread of its own writes every `seconds`, and once more
    when this is closed. Beside a book where that fails nothing is written from then on, which is
    said in the log.
    """

    def __init__(
        self,
        seconds: float = _SECONDS_BETWEEN_WRITES,
        *,
        client: Callable[[], str] | None = None,
        each_client: int = _OF_EACH_CLIENT,
    ) -> None:
        self._seconds = seconds
        self._client = client
        self._of_clients = _OncePerHour(each_client)
        # May be shared among threads without a lock.
        self._noted: deque[tuple[Address, Game, Position]] = deque(maxlen=_MOST)
        self._given_up: set[Address] = set()
        self._ending = Event()
        self._writer = Thread(target=self._write_until_the_end, daemon=True)
        self._writer.start()

    def close(self) -> None:
        """Write what is not written yet."""
        self._ending.set()
        self._writer.join()

    @property
    def waiting(self) -> int:
        """How many questions are not written yet."""
        return len(self._noted)

    def add(self, book: Address, game: Game, position: Position) -> None:
        """Count `position`, in any orientation, as one that `book` did not hold."""
        if self._client is not None:
            stones = game.canonical(position).stones
            if not self._of_clients.admits(self._client(), (book, game.id, stones)):
                return
        self._noted.append((book, game, position))

    def _write_until_the_end(self) -> None:
        while not self._ending.wait(self._seconds):
            self._write()
        self._write()

    def _write(self) -> None:
        counts: defaultdict[tuple[Address, Game], Counter[bytes]] = defaultdict(Counter)
        while self._noted:
            book, game, position = self._noted.popleft()
            if book not in self._given_up:
                counts[book, game][game.canonical(position).stones] += 1
        for (book, game), missed in counts.items():
            try:
                Misses(book).add(game, missed)
            except BookError as error:
                self._given_up.add(book)
                _log.warning("positions that %s lacks are no longer counted: %s", book.name, error)


class _OncePerHour:
    """Admits each thing once for every client in an hour, and a limited number of things."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._ends = 0.0
        self._admitted: defaultdict[str, set[Hashable]] = defaultdict(set)

    def admits(self, client: str, thing: Hashable) -> bool:
        """Whether `thing` counts, now that `client` has asked for it."""
        with self._lock:
            now = time.monotonic()
            if now >= self._ends:
                self._admitted.clear()
                self._ends = now + _HOUR
            if client not in self._admitted and len(self._admitted) >= _MOST_CLIENTS:
                return False
            admitted = self._admitted[client]
            if thing in admitted or len(admitted) >= self._most:
                return False
            admitted.add(thing)
            return True
