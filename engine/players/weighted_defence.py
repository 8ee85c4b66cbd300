"""Weighted defence: a gomoku agent of depth 1 or 2 that minds the opponent's rows most.

- Evaluation: every unbroken row in the four directions has a worth that grows tenfold with each
  stone; two open ends, one, or none, which is worth nothing. An open four equals a win. The
  opponent's rows weigh more than one's own.
- Candidates: all empty cells, in board order.
- Search: depth-limited minimax with alpha-beta; a five ends the line.
- Depth: 1 ply, and 2 once five stones are on the board.

What lies beyond the cells next to a row is not looked at: a gap hides a row.

The report is silent on the rest, and these are the simplest choices: an open row of n stones is
worth 10^n, single stones included, and a closed end costs as much as a stone; the opponent's
rows weigh 11 to one's own 10; a five that is played outweighs any sum of rows, and a row of more
than five wins too; among moves of equal value the first; the centre on an empty board.
"""

from typing import Any

import numpy as np
from numba import types

from engine.games.gomoku import Gomoku
from engine.kernels import entry_kernel, kernel
from engine.players.base import Agent, Choice
from engine.players.row_boards import INFINITY, Board, board_of, move_of, row_from, steps
from engine.players.stones import DARK_STONE, EMPTY, LIGHT_STONE, centre_of, stone_to_move
from engine.position import Position

STONES_FOR_DEPTH_2 = 5
FIVE = 10**12
OWN_WEIGHT, OPPONENT_WEIGHT = 10, 11

# By open ends (0, 1, 2) and length (0 to 5, or more).
WORTH = np.array(
    [
        [0, 0, 0, 0, 0, 10**5],
        [0, 1, 10, 10**2, 10**3, 10**5],
        [0, 10, 10**2, 10**3, 10**5, 10**5],
    ]
)


@kernel(types.boolean(Board, types.int64))
def _makes_five(s: Any, at: int) -> bool:
    """Whether the stone on `at` is part of a row of five or more."""
    for step in steps(s):
        start = at
        while s.cell[start - step] == s.cell[at]:
            start -= step
        if row_from(s, start, step)[0] >= 5:
            return True
    return False


@kernel(types.int64(Board, types.int64))
def evaluate(s: Any, own: int) -> int:
    """The worth of all rows for the colour `own` (1 dark, -1 light)."""
    value = 0
    for at in range(s.width, s.width * (s.width - 1)):
        colour = s.cell[at]
        if colour != DARK_STONE and colour != LIGHT_STONE:
            continue
        weight = OWN_WEIGHT if colour == own else -OPPONENT_WEIGHT
        for step in steps(s):
            length, open_ends = row_from(s, at, step)
            value += weight * WORTH[open_ends, min(length, 5)]
    return int(value)


@entry_kernel(types.int64(Board, types.int64, types.int64, types.int64, types.int64, types.int64))
def search(s: Any, own: int, colour: int, depth: int, alpha: int, beta: int) -> int:
    """The value for `own`, held between `alpha` and `beta`, with `colour` to move.

    At least `depth` cells are empty.
    """
    if depth == 0:
        return int(evaluate(s, own))
    best = -1
    for move in range(s.width, s.width * (s.width - 1)):
        if s.cell[move] != EMPTY:
            continue
        s.cell[move] = colour
        s.nodes += 1
        if _makes_five(s, move):
            value = FIVE if colour == own else -FIVE
        else:
            value = search(s, own, -colour, depth - 1, alpha, beta)
        s.cell[move] = EMPTY
        if colour == own and value > alpha:
            alpha, best = value, move
        if colour != own and value < beta:
            beta, best = value, move
        if alpha >= beta:
            break
    s.move = best
    return alpha if colour == own else beta


class WeightedDefence(Agent):
    """Alpha-beta over all empty cells, one ply deep, then two."""

    name = "weighted-defence"
    plays = Gomoku

    def choose(self, position: Position) -> Choice:
        if position.ply == 0:
            return Choice(centre_of(self.game))
        depth = self.depth or (2 if position.ply >= STONES_FOR_DEPTH_2 else 1)
        depth = min(depth, self.game.cell_count - position.ply)
        own = stone_to_move(position)
        board = board_of(self.game, position)
        value = search(board, own, own, depth, -INFINITY, INFINITY)
        return Choice(move_of(board), value, depth, int(board["nodes"]))
