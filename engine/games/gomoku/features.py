"""What the Gomoku evaluation counts: its value is the sum of the weights, as often as they count.

The order of moves is made of the same patterns, with weights of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from engine.games.gomoku import Rule, alphabeta, board, network, patterns
from engine.games.gomoku.board import (
    EMPTY,
    FIVE_MOVE,
    LEVELS,
    MOVER,
    OPEN_FOURS,
    THREATS,
    WAITER,
    State,
)
from engine.games.gomoku.searcher import GomokuSearcher
from engine.games.gomoku.weights import Network, Weights, file_of, read
from engine.kernels import kernel
from engine.position import Move, Position

if TYPE_CHECKING:
    from engine.games.gomoku import Gomoku

_COMBINATIONS = len(patterns.COMBINATIONS)
_NUMBERS = 1 << board.NUMBER_BITS


@kernel(types.void(State, types.int64[::1], types.int64[::1]))
def count_patterns(s: Any, combination_of: Any, counts: Any) -> None:
    """Count the combinations of the empty cells; those of the side not to move are negative.

    Those without a two or more are not counted, so that a larger board is not another position.
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
            pattern = board.pattern_of(s, colour, at)
            if pattern & network.COUNTING:
                counts[start + side * _COMBINATIONS + combination_of[pattern]] += sign


@kernel(types.int64(State, types.uint32[::1]))
def list_cells(s: Any, found: Any) -> int:
    """List what the network sees of each cell for the side to move; returns how many there are.

    The kind of the own row on a line and, four bits higher, that of the other side's make a byte.
    Those of a cell's four lines are in ascending order, from the lowest byte on.
    """
    count = 0
    lines = np.empty(4, dtype=np.int64)
    for index in range(s.size * s.size):
        at = int(s.cells[index])
        if network.counts(s, at):
            own = board.pattern_of(s, s.colour, at)
            other = board.pattern_of(s, 1 - s.colour, at)
            for direction in range(4):
                shift = 4 * direction
                lines[direction] = own >> shift & 15 | (other >> shift & 15) << 4
            lines.sort()
            found[count] = lines[0] | lines[1] << 8 | lines[2] << 16 | lines[3] << 24
            count += 1
    return count


class GomokuEvaluation:
    """The evaluation of one Gomoku game, see `engine.evaluation.LinearEvaluation`."""

    def __init__(self, game: Gomoku) -> None:
        self._game = game
        self.file: Path = file_of(game.rule)
        self._weights = read(game.rule, self.file)
        of_cells, of_threats = self._weights.worth.ravel(), self._weights.threats.ravel()
        self.weights: Sequence[int] = (*of_cells, *of_threats, self._weights.tempo)
        self._counts = np.empty(len(of_cells), dtype=np.int64)
        self.tables = len(self._weights.worth)
        self.policy: Sequence[int] = self._weights.policy.ravel().tolist()
        linear = replace(self._weights, network=Network.silent(game.rule))
        self._searcher = GomokuSearcher(game, weights=linear)

    def features(self, position: Position) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        state = self._quiet(position)
        if state is None:
            return None
        counts = self._counts
        count_patterns(state, patterns.combination_of(), counts)
        numbers = np.flatnonzero(counts)
        table = THREATS if self._is_restricted(int(state["colour"])) else 0
        besides = len(counts) + table + board.threats(state), len(self.weights) - 1
        return np.append(numbers, besides), np.append(counts[numbers], (1, 1))

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
        combinations = patterns.combination_of()[patterns.by_number()]
        numbers = state["patterns"][cells] >> board.NUMBERS_AT
        features = np.stack(
            [
                self._start(each) + side * _COMBINATIONS
                + combinations[(numbers >> each * board.NUMBER_BITS) % _NUMBERS % board.NUMBERS]
                for side, each in ((MOVER, colour), (WAITER, 1 - colour))
            ],
            axis=1,
        )  # fmt: skip
        return moves, features

    def cells(self, position: Position) -> tuple[NDArray[np.uint32], int, int] | None:
        """What `list_cells` lists, the static value without the network, in centi-units, and the
        table of the side to move; None where `features` has none.
        """
        state = self._quiet(position)
        if state is None:
            return None
        found = np.empty(self._game.cell_count, dtype=np.uint32)
        count = list_cells(state, found)
        return (
            found[:count],
            alphabeta.evaluate(state),
            int(self._is_restricted(int(state["colour"]))),
        )

    def searcher(self, weights: Sequence[int], policy: Sequence[int]) -> GomokuSearcher:
        return GomokuSearcher(self._game, weights=self._joined(weights, policy))

    def write(
        self, weights: Sequence[int], policy: Sequence[int], origin: Mapping[str, object]
    ) -> None:
        self._joined(weights, policy).write(self.file, self._game.rule, origin)

    def write_network(self, found: Network, origin: Mapping[str, object]) -> None:
        """Put a network into `file`, with what there is to say of its `origin`."""
        found.write(self.file, origin)

    def _joined(self, weights: Sequence[int], policy: Sequence[int]) -> Weights:
        own, of_cells = self._weights, self._weights.worth.size
        return Weights(
            np.array(weights[:of_cells], np.int16).reshape(own.worth.shape),
            np.array(policy, np.int16).reshape(own.policy.shape),
            np.array(weights[of_cells:-1], np.int16).reshape(own.threats.shape),
            weights[-1],
            Network.silent(self._game.rule),
        )

    def _start(self, colour: int) -> int:
        """Where the weights of the table for `colour` begin."""
        return 2 * _COMBINATIONS if self._is_restricted(colour) else 0

    def _is_restricted(self, colour: int) -> bool:
        """Whether `colour` has forbidden points, and thereby tables of its own."""
        return self._game.rule is Rule.RENJU and colour == board.DARK_COLOUR

    def _quiet(self, position: Position) -> Any:
        """The state with `position`, None if a win is at hand or a move is forced."""
        state = self._searcher.state_of(position)
        mover, waiter = int(state["colour"]) * LEVELS, (1 - int(state["colour"])) * LEVELS
        count = state["level_count"]
        if count[mover + FIVE_MOVE] or count[waiter + FIVE_MOVE] or count[mover + OPEN_FOURS]:
            return None
        return state
