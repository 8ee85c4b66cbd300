"""The proof of a draw, step by step, until it is complete or cut off."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from book.certificates.gomoku.board import Rules
from book.certificates.gomoku_draw.file import Answer, Certificate, Entry
from engine.errors import FivebookError
from engine.games.gomoku.breaker.finder import BreakerSearch, Holds
from precompute.certificates.gomoku_draw.kept_search import load, save

# A second or so. The course of a search depends on where it is cut off, so it always is here.
_NODES_A_STEP = 1000
_SECONDS_BETWEEN_SAVES = 15.0
# No more than this part of the time goes into saving.
_SHARE_OF_SAVES = 0.1


class NotADraw(FivebookError):
    """The breaker does not hold the board."""


@dataclass(frozen=True, slots=True)
class DrawState:
    """How far a proof is: positions visited and proven."""

    nodes: int
    proofs: int
    seconds: float


class DrawProof:
    """The proof that neither side can force five in a row on a board of this size.

    What the file at `path` keeps of an earlier one it goes on from; then `memory` does not matter,
    which bounds, in bytes, the table of open positions. `report` is called after every step.

    Raises:
        KeptSearchError: if the file cannot be read, or is of another size.
        ValueError: if boards of this size are not searched.
    """

    def __init__(
        self,
        size: int,
        path: Path,
        *,
        memory: int,
        report: Callable[[DrawState], None] = lambda state: None,
    ) -> None:
        self._size = size
        self._path = path
        self._report = report
        self._search = BreakerSearch(size, memory)
        self._stopping = False
        self.holds = Holds.UNKNOWN
        if path.exists():
            load(self._search, size, path)

    def stop(self) -> None:
        """Begin no further step; `run` returns within a second or so."""
        self._stopping = True

    def run(self) -> bool:
        """Search on; whether the proof is complete, and not stopped.

        Raises:
            KeptSearchError: if the search cannot be kept.
            NotADraw: if the breaker does not hold the board.
        """
        started = saved = time.monotonic()
        pause = _SECONDS_BETWEEN_SAVES
        while self.holds is Holds.UNKNOWN and not self._stopping:
            self.holds = self._search.run(_NODES_A_STEP)
            now = time.monotonic()
            self._report(DrawState(self._search.nodes, self._search.proofs, now - started))
            if now > saved + pause:
                save(self._search, self._size, self._path)
                saved = time.monotonic()
                pause = max(_SECONDS_BETWEEN_SAVES, (saved - now) / _SHARE_OF_SAVES)
        if self.holds is Holds.UNKNOWN:
            save(self._search, self._size, self._path)
        if self.holds is Holds.NO:
            raise NotADraw(
                "whoever moves first fills five in a row here if the other side only defends: "
                "that shows neither a draw nor a win"
            )
        return self.holds is Holds.YES

    def certificate(self) -> Certificate:
        """The certificate of a proof that is complete."""
        return Certificate(
            Rules(self._size, exact=False),
            tuple(
                Entry(
                    step.stones,
                    step.pairs,
                    tuple(Answer(a.cell, a.step, a.symmetry) for a in step.answers),
                )
                for step in self._search.strategy()
            ),
        )
