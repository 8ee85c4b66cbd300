"""What the Gomoku evaluation counts: its value is the sum of these features times the weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from engine.games.gomoku.board import (
    CELLS,
    CLASSES,
    EMPTY,
    FIVE_MOVE,
    LEVELS,
    MOVER,
    OPEN_FOURS,
    PLAIN,
    WAITER,
    State,
)
from engine.games.gomoku.line_table import FIVE, NOTHING, OPEN_FOUR
from engine.games.gomoku.searcher import GomokuSearcher
from engine.games.gomoku.weights import FILE, Weights, read
from engine.kernels import kernel
from engine.position import Position

if TYPE_CHECKING:
    from engine.games.gomoku import Gomoku

# The features of each side, in the order of a `Weights`: classes of rows, then levels.
_OF_SIDE = CLASSES + LEVELS
COUNT = 2 * _OF_SIDE + 1


@kernel(types.void(State, types.int64[::1]))
def count_features(s: Any, features: Any) -> None:
    """Fill `features`, of length COUNT; those of the side that is not to move are negative."""
    features[:] = 0
    for index in range(s.size * s.size):
        at = int(s.cells[index])
        if s.cell[at] != EMPTY:
            continue
        for side, colour, sign in ((MOVER, s.colour, 1), (WAITER, 1 - s.colour, -1)):
            start = side * _OF_SIDE
            pattern = int(s.pattern[colour * CELLS + at])
            for direction in range(4):
                features[start + (pattern >> (3 * direction) & 7)] += sign
            features[start + CLASSES + s.level_of[pattern]] += sign
    features[COUNT - 1] = 1


class GomokuEvaluation:
    """The evaluation of one Gomoku game, see `engine.evaluation.LinearEvaluation`."""

    file: Path = FILE
    # A cell on which nothing can be made is worth nothing. Who has a five or, being to move, an
    # open four at hand wins before the evaluation is asked.
    held: Sequence[int] = (
        *(side * _OF_SIDE + row for side in (MOVER, WAITER) for row in (NOTHING, FIVE)),
        *(
            side * _OF_SIDE + CLASSES + level
            for side in (MOVER, WAITER)
            for level in (PLAIN, FIVE_MOVE)
        ),
        MOVER * _OF_SIDE + OPEN_FOUR,
        MOVER * _OF_SIDE + CLASSES + OPEN_FOURS,
    )

    def __init__(self, game: Gomoku) -> None:
        self._game = game
        weights = read()
        self.weights: Sequence[int] = tuple(weights)
        self._searcher = GomokuSearcher(game, weights=weights)

    def features(self, position: Position) -> NDArray[np.int64] | None:
        state = self._searcher.state_of(position)
        mover, waiter = int(state["colour"]) * LEVELS, (1 - int(state["colour"])) * LEVELS
        count = state["level_count"]
        if count[mover + FIVE_MOVE] or count[waiter + FIVE_MOVE] or count[mover + OPEN_FOURS]:
            return None
        features = np.empty(COUNT, dtype=np.int64)
        count_features(state, features)
        return features

    def searcher(self, weights: Sequence[int]) -> GomokuSearcher:
        return GomokuSearcher(self._game, weights=Weights.of(weights))

    def write(self, weights: Sequence[int], origin: Mapping[str, object]) -> None:
        Weights.of(weights).write(self.file, origin)
