"""What the Gomoku evaluation counts: its value is the sum of these features times the weights.

The order of moves is made of the same patterns, with weights of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from engine.games.gomoku import Rule, board, patterns
from engine.games.gomoku.board import (
    CELLS,
    EMPTY,
    FIVE_MOVE,
    LEVELS,
    MOVER,
    OPEN_FOURS,
    PATTERNS,
    WAITER,
    State,
)
from engine.games.gomoku.searcher import GomokuSearcher
from engine.games.gomoku.weights import Weights, file_of, read
from engine.kernels import kernel
from engine.position import Move, Position

if TYPE_CHECKING:
    from engine.games.gomoku import Gomoku

_COMBINATIONS = len(patterns.COMBINATIONS)


@kernel(types.void(State, types.int64[::1], types.int64[::1]))
def count_patterns(s: Any, combination_of: Any, counts: Any) -> None:
    """Count the combinations of the empty cells; those of the side not to move are negative.

    `counts` has the tables of a `Weights`, the last of them for dark if there are two; in each the
    combinations for the side to move, then those for the other side.
    """
    dark_table = len(counts) - 2 * _COMBINATIONS
    counts[:] = 0
    for index in range(s.size * s.size):
        at = int(s.cells[index])
        if s.cell[at] != EMPTY:
            continue
        for side, colour, sign in ((MOVER, s.colour, 1), (WAITER, 1 - s.colour, -1)):
            start = dark_table if colour == board.DARK_COLOUR else 0
            pattern = int(s.pattern[colour * CELLS + at]) & (PATTERNS - 1)
            counts[start + side * _COMBINATIONS + combination_of[pattern]] += sign


class GomokuEvaluation:
    """The evaluation of one Gomoku game, see `engine.evaluation.LinearEvaluation`."""

    def __init__(self, game: Gomoku) -> None:
        self._game = game
        self.file: Path = file_of(game.rule)
        self._weights = read(game.rule, self.file)
        self.weights: Sequence[int] = (*self._weights.worth.ravel().tolist(), self._weights.tempo)
        self.policy: Sequence[int] = self._weights.policy.ravel().tolist()
        self._searcher = GomokuSearcher(game, weights=self._weights)

    def features(self, position: Position) -> NDArray[np.int64] | None:
        state = self._quiet(position)
        if state is None:
            return None
        features = np.empty(len(self.weights), dtype=np.int64)
        count_patterns(state, patterns.combination_of(), features[:-1])
        features[-1] = 1
        return features

    def choices(self, position: Position) -> tuple[list[Move], NDArray[np.int64]] | None:
        state = self._quiet(position)
        if state is None:
            return None
        size, colour = self._game.size, int(state["colour"])
        moves = [
            move
            for move in self._game.legal_moves(position)
            if state["near"][board.padded(move, size)]
        ]
        cells = np.array([board.padded(move, size) for move in moves], dtype=np.int64)
        features = np.stack(
            [
                self._start(each) + side * _COMBINATIONS
                + patterns.combination_of()[state["pattern"][each * CELLS + cells] % PATTERNS]
                for side, each in ((MOVER, colour), (WAITER, 1 - colour))
            ],
            axis=1,
        )  # fmt: skip
        return moves, features

    def searcher(self, weights: Sequence[int], policy: Sequence[int]) -> GomokuSearcher:
        return GomokuSearcher(self._game, weights=self._joined(weights, policy))

    def write(
        self, weights: Sequence[int], policy: Sequence[int], origin: Mapping[str, object]
    ) -> None:
        self._joined(weights, policy).write(self.file, self._game.rule, origin)

    def _joined(self, weights: Sequence[int], policy: Sequence[int]) -> Weights:
        *worth, tempo = weights
        shape = self._weights.worth.shape
        return Weights(
            np.array(worth, np.int16).reshape(shape),
            np.array(policy, np.int16).reshape(shape),
            tempo,
        )

    def _start(self, colour: int) -> int:
        """Where the weights of the table for `colour` begin."""
        restricted = self._game.rule is Rule.RENJU and colour == board.DARK_COLOUR
        return 2 * _COMBINATIONS if restricted else 0

    def _quiet(self, position: Position) -> Any:
        """The state with `position`, None if a win is at hand or a move is forced."""
        state = self._searcher.state_of(position)
        mover, waiter = int(state["colour"]) * LEVELS, (1 - int(state["colour"])) * LEVELS
        count = state["level_count"]
        if count[mover + FIVE_MOVE] or count[waiter + FIVE_MOVE] or count[mover + OPEN_FOURS]:
            return None
        return state
