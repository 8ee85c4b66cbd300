"""Counting what no book held, for `fivebook build --mode learn`."""

import logging
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from threading import Event, Thread

from book.closing import Closing
from book.errors import BookError
from book.misses import Misses
from book.storage.address import Address
from engine.game import Game
from engine.position import Position
from service.fair_sample import FairSample

# Questions remembered until they are written; with more of them the oldest are lost.
_MOST = 10_000
_SECONDS_BETWEEN_WRITES = 5.0
_OF_EACH_CLIENT = 1_000
# A twentieth of what the file holds.
_OF_ALL_CLIENTS = 5_000

_log = logging.getLogger(__name__)


class MissCounter(Closing):
    """Counts positions beside the books that lacked them; any number of threads may add to it.

    Where `client` tells who asks, a position is counted once for each of them in an hour, and
    only a fair sample of what they ask for, `each_client` positions of one at most and about
    `all_clients` in all: see `service.fair_sample`. So no client can put a position at the head
    of the others', or theirs out of the file, and no number of clients shuts out a later one.

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
        all_clients: int = _OF_ALL_CLIENTS,
    ) -> None:
        self._seconds = seconds
        self._client = client
        self._sample = FairSample(size=all_clients, most=each_client)
        # May be shared among threads without a lock. A sample is bounded by itself.
        self._noted: deque[tuple[Address, Game, bytes]] = deque(maxlen=None if client else _MOST)
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
        canonical = game.canonical(position)
        if self._client is None or self._sample.admits(self._client(), canonical.key):
            self._noted.append((book, game, canonical.stones))

    def _write_until_the_end(self) -> None:
        while not self._ending.wait(self._seconds):
            self._write()
        self._write()

    def _write(self) -> None:
        counts: defaultdict[tuple[Address, Game], Counter[bytes]] = defaultdict(Counter)
        while self._noted:
            book, game, stones = self._noted.popleft()
            if book not in self._given_up:
                counts[book, game][stones] += 1
        for (book, game), missed in counts.items():
            try:
                Misses(book).add(game, missed)
            except BookError as error:
                self._given_up.add(book)
                _log.warning("positions that %s lacks are no longer counted: %s", book.name, error)
