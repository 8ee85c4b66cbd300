"""Boards that are scanned for unbroken rows, for the agents that value those."""

from typing import Any

import numpy as np
from numba import from_dtype, types

from engine.game import Game
from engine.kernels import kernel
from engine.players.stones import EMPTY, stones_of
from engine.position import Move, Position

# A board of up to 26×26 with a border of one cell, in rows of `width`; of its cells each is
# empty, dark, light or outside. `nodes` counts the moves made on it; `move` is the best one of
# the node that was searched last.
BOARD = np.dtype(
    [("cell", np.int8, 28 * 28), ("width", np.int64), ("nodes", np.int64), ("move", np.int64)],
    align=True,
)
Board = from_dtype(BOARD)

# Beyond every agent's values.
INFINITY = 1 << 62
_OUTSIDE = 2


def board_of(game: Game, position: Position) -> Any:
    """A fresh record of `BOARD`."""
    board = np.zeros(1, dtype=BOARD)[0]
    cells = np.pad(stones_of(game, position), 1, constant_values=_OUTSIDE).ravel()
    board["cell"][: cells.size] = cells
    board["width"] = game.width + 2
    return board


def move_of(board: Any) -> Move:
    """The best move, as the game numbers it."""
    row, column = divmod(int(board["move"]), int(board["width"]))
    return (row - 1) * (int(board["width"]) - 2) + column - 1


@kernel(types.UniTuple(types.int64, 4)(Board))
def steps(s: Any) -> tuple[int, int, int, int]:
    """From a cell to the next one in each of the four directions."""
    return 1, s.width - 1, s.width, s.width + 1


@kernel(types.int64(Board, types.int64, types.int64))
def _stones_ahead(s: Any, at: int, step: int) -> int:
    """How many stones in that direction continue the row that the stone on `at` is part of."""
    count = 0
    while s.cell[at + (count + 1) * step] == s.cell[at]:
        count += 1
    return count


@kernel(types.UniTuple(types.int64, 2)(Board, types.int64, types.int64))
def row_from(s: Any, at: int, step: int) -> tuple[int, int]:
    """Length and open ends of the unbroken row that starts with the stone on `at`.

    (0, 0) if that stone continues a row.
    """
    before = s.cell[at - step]
    if before == s.cell[at]:
        return 0, 0
    length = 1 + _stones_ahead(s, at, step)
    return length, int(before == EMPTY) + int(s.cell[at + length * step] == EMPTY)
