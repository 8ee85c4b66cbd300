"""Closeness: a published Pentago-swap agent that keeps its stones together.

As its author's report describes it:

- **Opening.** A side's own first and second stone go to centres of quadrants.
- **Evaluation.** The opponent's sum minus one's own sum, over all pairs of stones of a colour, of
  the absolute differences of their columns and of their rows; signs are turned on the
  opponent's move. A finished game is worth 100000, or -100000 to the side that lost it.
- **Search.** Alpha-beta over all moves.
- **Depth.** 3, within 2 seconds a move.

Where the report is silent, the simplest choice:

- In the opening the first empty centre is taken, and the first swap.
- Moves are searched in the order of their numbers: by cell, then by swap. The first of equally
  good ones is played; a win counts the same however far it is.
- A draw is worth 0.
- Distances are measured with each stone where it was put, before the quadrants change places:
  at the end of a line on the board before the last swap. Whether that swap ends the game is
  asked of the board after it, as the rules say.

So the agent does not see how a swap tears its stones apart or brings the opponent's together:
after the last stone of a line all six swaps are worth the same to it, unless one ends the game.
"""

# Boards are packed as in `engine.games.quadrants.alphabeta`, whose kernels carry numba's types.

from typing import Any

import numpy as np
from numba import types

from engine.games.quadrants.alphabeta import (
    BIT_OF_CELL,
    CELL_OF_BIT,
    CELLS,
    SIZE,
    has_five,
    pack_board,
    popcount,
    swapped,
)
from engine.games.quadrants.pentago_swap import PentagoSwap
from engine.kernels import entry_kernel, kernel
from engine.players.base import Agent, Choice
from engine.position import Position

DEPTH = 3
FINISHED = 100_000
# The middle cells of the quadrants: b2, e2, b5 and e5.
CENTRES = (7, 10, 25, 28)

_SWAPS = 6
_NO_MOVE = -1
_INFINITY = FINISHED + 1


def _halves() -> np.ndarray[Any, np.dtype[np.uint64]]:
    """For each of the ten lines between neighbouring columns or rows, the cells on one side."""
    columns, rows = CELL_OF_BIT % SIZE, CELL_OF_BIT // SIZE
    sides = [places < line for places in (columns, rows) for line in range(1, SIZE)]
    bits = np.uint64(1) << np.arange(CELLS, dtype=np.uint64)
    return np.array([bits[side].sum() for side in sides], dtype=np.uint64)


_HALVES = _halves()


class Closeness(Agent):
    """Plays Pentago-swap; `depth` is 3 unless given."""

    name = "closeness"
    plays = PentagoSwap

    def choose(self, position: Position) -> Choice:
        own, other = position.dark, position.light
        if not position.dark_to_move:
            own, other = other, own
        if own.bit_count() < 2:
            centre = next(cell for cell in CENTRES if not (own | other) >> cell & 1)
            return Choice(centre * _SWAPS)
        depth = self.depth or DEPTH
        move, value, nodes = think(pack_board(own), pack_board(other), depth)
        return Choice(move, value, depth, nodes)


@kernel(types.int64(types.uint64))
def distances(board: Any) -> int:
    """The sum, over all pairs of stones, of the differences of their columns and of their rows.

    Two stones differ by as many columns, or rows, as there are lines between them.
    """
    stones = np.int64(popcount(board))
    total = np.int64(0)
    for half in _HALVES:
        on_one_side = np.int64(popcount(board & half))
        total += on_one_side * (stones - on_one_side)
    return int(total)


@kernel("UniTuple(int64, 2)(uint64, uint64, int64, int64, int64, int64[::1])")
def _alphabeta(
    own: Any, other: Any, depth: int, alpha: int, beta: int, nodes: Any
) -> tuple[int, int]:
    """The best move of the side `own` and its value, exact between `alpha` and `beta`.

    Adds the moves made to ``nodes[0]``.
    """
    best_move, best_value = _NO_MOVE, -_INFINITY
    last_stone = popcount(own | other) == CELLS - 1
    for cell in range(CELLS):
        stone = np.uint64(1) << np.uint64(BIT_OF_CELL[cell])
        if (own | other) & stone:
            continue
        for swap in range(_SWAPS):
            nodes[0] += 1
            mine, theirs = swapped(own | stone, swap), swapped(other, swap)
            won, lost = has_five(mine), has_five(theirs)
            if won or lost:
                value = FINISHED * (won - lost)
            elif last_stone:
                value = 0
            elif depth == 1:
                # Before the swap.
                value = distances(other) - distances(own | stone)
            else:
                reply = _alphabeta(theirs, mine, depth - 1, -beta, -max(alpha, best_value), nodes)
                value = -reply[1]
            if value > best_value:
                best_move, best_value = cell * _SWAPS + swap, value
            if best_value >= beta:
                return best_move, best_value
    return best_move, best_value


@entry_kernel("UniTuple(int64, 3)(uint64, uint64, int64)")
def think(own: Any, other: Any, depth: int) -> tuple[int, int, int]:
    """The best move of the side `own`, its value and the number of moves made in the tree."""
    nodes = np.zeros(1, dtype=np.int64)
    move, value = _alphabeta(own, other, depth, -_INFINITY, _INFINITY, nodes)
    return move, value, nodes[0]
