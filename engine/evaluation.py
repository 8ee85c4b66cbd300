"""An evaluation that is a sum of features times weights, as seen by what fits the weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from engine.position import Position
from engine.search import Searcher

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class LinearEvaluation(Protocol):
    """The static value of one game's positions, in centi-units. For one thread at a time.

    `file` is where the engine reads its weights when a searcher is made; `weights` are those.
    The last one is the worth of being to move. `held` are the numbers of those that no position
    tells anything about, and that stay as they are.
    """

    file: Path
    weights: Sequence[int]
    held: Sequence[int]

    def features(self, position: Position) -> NDArray[np.int64] | None:
        """One number per weight, signed for the side to move.

        None where a search would not ask for the static value, since a win is at hand or a move
        is forced.
        """
        ...

    def searcher(self, weights: Sequence[int]) -> Searcher:
        """A searcher that uses `weights`."""
        ...

    def write(self, weights: Sequence[int], origin: Mapping[str, object]) -> None:
        """Put `weights` into `file`, with what there is to say of their `origin`."""
        ...
