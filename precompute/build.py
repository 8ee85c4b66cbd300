"""What all builds have in common: those of many searches, and those of one proof."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Generic, TypeVar

from book.storage.address import Address, AnyAddress
from engine.game import Game
from engine.position import Move, Position

State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class CommonOptions:
    """What is built, and until when.

    The book grows from the position after `line` on, by the work of `jobs` at a time. `seconds`
    bounds this invocation.
    """

    game: Game
    _: KW_ONLY
    line: tuple[Move, ...] = ()
    jobs: int = 1
    seconds: float | None = None

    @property
    def root(self) -> Position:
        """The position from which on the book grows, or that a proof is about."""
        return self.game.play_line(self.line)


class BuildRun(ABC, Generic[State]):
    """One run that adds to the book at `address`; `report` is called with each new state."""

    def __init__(
        self,
        address: AnyAddress,
        options: CommonOptions,
        report: Callable[[State], None] = lambda state: None,
    ) -> None:
        self._address = Address.of(address)
        self._report = report
        self._seconds = options.seconds
        self._started = 0.0
        self._stopping = False

    def stop(self) -> None:
        """Begin nothing further; `run` returns soon, and what is known by then is kept."""
        self._stopping = True

    def run(self) -> State:
        """Build until the book is complete, the time is over, or `stop` is called.

        Raises:
            BookError: if the book cannot be written; what was stored before is safe.
            FivebookError: as the class says.
        """
        self._started = time.monotonic()
        return self._run()

    @property
    @abstractmethod
    def complete(self) -> bool:
        """Whether nothing was left to do when `run` returned."""

    @abstractmethod
    def _run(self) -> State:
        """What `run` does, once the clock runs."""

    @property
    def _elapsed(self) -> float:
        """Seconds since `run` was called."""
        return time.monotonic() - self._started

    @property
    def _over(self) -> bool:
        return self._stopping or (self._seconds is not None and self._elapsed >= self._seconds)
