"""Seats: how much of one kind of work may be done at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock


class Seats:
    """At most `count` seats are taken at a time; any number of threads may ask for them."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._lock = Lock()

    @contextmanager
    def taken(self, number: int) -> Iterator[bool]:
        """Hold so many seats to the end of the block; gives whether they were free."""
        with self._lock:
            are_free = number <= self._free
            if are_free:
                self._free -= number
        try:
            yield are_free
        finally:
            if are_free:
                with self._lock:
                    self._free += number
