"""An evaluation that is a sum of weights, as seen by what fits them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from engine.position import Move, Position
from engine.search import Searcher

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class LinearEvaluation(Protocol):
    """The static value of one game's positions, and its order of moves. For one thread at a time.

    `file` is where the engine reads its weights when a searcher is made; `weights` are those of the
    value, in centi-units, the last of them the worth of being to move, and `policy` are those of
    moves, in hundredths of the natural logarithm of odds.
    """

    file: Path
    weights: Sequence[int]
    policy: Sequence[int]

    def features(self, position: Position) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """The numbers of weights, and how often each counts for the side to move.

        None where a search would not ask for the static value, since a win is at hand or a move
        is forced.
        """
        ...

    def choices(self, position: Position) -> tuple[list[Move], NDArray[np.int64]] | None:
        """The moves that a search lists, and for each the numbers of the weights in `policy` that
        add up to its rank: shape (moves, features). None where `features` has none.
        """
        ...

    def searcher(self, weights: Sequence[int], policy: Sequence[int]) -> Searcher:
        """A searcher that uses these weights."""
        ...

    def write(
        self, weights: Sequence[int], policy: Sequence[int], origin: Mapping[str, object]
    ) -> None:
        """Put the weights into `file`, with what there is to say of their `origin`."""
        ...
