"""Waiting for a book whose server is away for a while."""

import time
from collections.abc import Callable
from typing import NoReturn, TypeVar

from book.errors import BookOutOfReach

USUAL_PATIENCE = 300.0
"""For how many seconds a builder tries to reach its book again."""

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 10.0
_SECONDS_BETWEEN_LOOKS = 0.1

Outcome = TypeVar("Outcome")


class Patience:
    """How long a book that is out of reach is tried again: for `seconds`, if not `given_up` before.

    `waiting` is called all the while.
    """

    def __init__(
        self,
        seconds: float = USUAL_PATIENCE,
        given_up: Callable[[], bool] = lambda: False,
        waiting: Callable[[], None] = lambda: None,
    ) -> None:
        self.seconds = seconds
        self.given_up = given_up
        self.waiting = waiting


class Trial:
    """What is tried until it succeeds: at once after the first loss, then after growing pauses.

    The time runs from the first loss to the end of the trial, however often the book comes back
    meanwhile: nothing that brings a server down is done again for ever.
    """

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._end: float | None = None
        self._pause = 0.0

    def outlast(self, attempt: Callable[[], Outcome]) -> Outcome:
        """What `attempt` returns, as soon as the book is within reach.

        Raises:
            BookOutOfReach: if that takes too long.
        """
        while True:
            try:
                return attempt()
            except BookOutOfReach as lost:
                self.wait(lost)

    def wait(self, lost: BookOutOfReach) -> None:
        """Let the next pause pass.

        Raises:
            BookOutOfReach: if no patience is left.
        """
        now = time.monotonic()
        until = now + self._pause
        if self._end is None:
            # A server that only ended the connection is there, also for who is about to give up.
            self._end = now + self._patience.seconds
        elif now >= self._end or self._patience.given_up():
            self._give_up(lost)
        while (left := min(until, self._end) - time.monotonic()) > 0:
            self._patience.waiting()
            time.sleep(min(left, _SECONDS_BETWEEN_LOOKS))
            if self._patience.given_up():
                self._give_up(lost)
        self._pause = min(max(_FIRST_PAUSE, 2 * self._pause), _LONGEST_PAUSE)

    def _give_up(self, lost: BookOutOfReach) -> NoReturn:
        raise BookOutOfReach(
            f"{lost}; what was stored before is safe, and the same command goes on from there"
        ) from lost
