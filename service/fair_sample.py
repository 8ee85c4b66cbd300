"""A fair sample of who asked for what, in bounded memory, decided while they ask.

The next thing that would count for a client, of whom n things count already, has the rank n + a
draw within [0, 1): a hash of client and n, under a key that nobody outside knows and that lasts an
hour. It counts if its rank is among the `size` lowest of the hour so far; the highest of these is
the limit, which only falls until the hour is over. What follows:

- A pair of client and thing counts once an hour, and asking on changes nothing: what counts is
  remembered, and a client that is refused keeps its rank, while the limit never rises.
- The first things of all clients come before the second of any, whoever comes first. After c
  clients that asked for all they could, about size / (c + 1) things of a further one still count,
  or all of its `most` where that is less. Where c is greater than `size` its first one counts
  with the chance size / c. Nobody improves on that by what he asks for, or how often.
- Memory is that of what counts. Of clients that come one after the other the c-th has about
  size / c things, all together about size * (1 + ln(c * most / size)) in an hour: nine times the
  size where ten thousand clients ask for all they can.

The clients of the lowest ranks in each layer, that of first things, of second ones and so on, are
a bottom-k sample (Cohen and Kaplan, 2007).
"""

import os
import time
from collections import Counter
from hashlib import blake2b
from heapq import heappush, heapreplace
from threading import Lock

_HOUR = 3600.0
_SPAN = 1 << 64


class FairSample:
    """Has things count for clients, at most `most` for each of them in an hour.

    Any number of threads may ask.
    """

    def __init__(self, *, size: int, most: int) -> None:
        self._size = size
        self._most = most
        self._lock = Lock()
        self._begin(0.0)

    def admits(self, client: str, thing: bytes) -> bool:
        """Whether `thing` counts now, for the first time in this hour, for `client`."""
        with self._lock:
            now = time.monotonic()
            if now >= self._ends:
                self._begin(now + _HOUR)
            pair = self._hash(client, thing)
            count = self._counts[client]
            if pair in self._counted or count >= self._most:
                return False
            draw = self._hash(client, count.to_bytes(8, "little")) / _SPAN
            if not self._is_low(count + draw):
                return False
            self._counts[client] += 1
            self._counted.add(pair)
            return True

    def _begin(self, ends: float) -> None:
        self._ends = ends
        self._key = os.urandom(32)
        self._counts: Counter[str] = Counter()
        self._counted: set[int] = set()
        # Negative: the heap's first is the highest rank.
        self._ranks: list[float] = []

    def _hash(self, client: str, thing: bytes) -> int:
        told = client.encode()
        parts = len(told).to_bytes(4, "little") + told + thing
        return int.from_bytes(blake2b(parts, digest_size=8, key=self._key).digest(), "little")

    def _is_low(self, rank: float) -> bool:
        """Whether `rank` is among the lowest, which then has it."""
        if len(self._ranks) < self._size:
            heappush(self._ranks, -rank)
            return True
        if rank >= -self._ranks[0]:
            return False
        heapreplace(self._ranks, -rank)
        return True
