"""What all builds have in common: those of many searches, and those of one proof."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from book.errors import BookOutOfReach
from book.integrity.digests import refuse_altered
from book.patience import USUAL_PATIENCE, Patience, Trial
from book.storage.address import Address, AnyAddress
from book.writer import BookWriter
from engine.game import Game
from engine.position import Move, Position

State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class CommonOptions:
    """What is built, and until when.

    The book grows from the position after `line` on, by the work of `jobs` at a time. `seconds`
    bounds this invocation. A book whose server is lost is tried again for `patience` seconds.
    """

    game: Game
    _: KW_ONLY
    line: tuple[Move, ...] = ()
    jobs: int = 1
    seconds: float | None = None
    patience: float = USUAL_PATIENCE

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
        self._game = options.game
        self._report = report
        self._patience = Patience(options.patience, lambda: self._stopping, self._wait)
        self._seconds = options.seconds
        self._started = 0.0
        self._stopping = False

    def stop(self) -> None:
        """Begin nothing further; `run` returns soon, and what is known by then is kept."""
        self._stopping = True

    def run(self) -> State:
        """Build until the book is complete, the time is over, or `stop` is called.

        Raises:
            BookError: if the book cannot be written, or its server was away for too long; what was
                stored before is safe.
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

    def _wait(self) -> None:
        """Called again and again while the book is out of reach."""

    def _open(self, shared: Mapping[str, Any] | None = None) -> BookWriter:
        """The writer of the book, which outlasts lost connections; of a sound book, as far as that
        can be told at once."""
        writer = self._connected(shared)
        try:
            # Whoever was first has looked.
            if writer.alone:
                refuse_altered(writer)
        except BaseException:
            writer.close()
            raise
        return writer

    def _connected(self, shared: Mapping[str, Any] | None) -> BookWriter:
        opened = partial(
            BookWriter, self._address, self._game, shared=shared, patience=self._patience
        )
        try:
            return opened()
        except BookOutOfReach as lost:
            # A server that never answered most often has another address.
            if not lost.was_connected:
                raise
            trial = Trial(self._patience)
            trial.wait(lost)
            return trial.outlast(opened)

    @property
    def _elapsed(self) -> float:
        """Seconds since `run` was called."""
        return time.monotonic() - self._started

    @property
    def _over(self) -> bool:
        return self._stopping or (self._seconds is not None and self._elapsed >= self._seconds)
