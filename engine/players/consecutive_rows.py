"""Consecutive rows: a gobang agent of depth 3 that values every unbroken row on the board.

- Evaluation: a scan of the whole board. Every unbroken row of two stones or more has a worth by
  its length, by the number of empty cells next to it and by whose turn it is; dark's rows count
  for dark, light's against. The steps are so steep that a nearer win outranks all farther ones
  together, and two open ends are far above one.
- Candidates: the empty cells next to a stone, diagonals included.
- Search: minimax with alpha-beta. At every node the moves are ranked by the evaluation after
  each, ascending for the minimizer (light), descending for the maximizer (dark). The board is
  changed and restored in place.
- Depth: 3 plies.

What lies beyond the cells next to a row is not looked at: a gap hides a row, and a row that can
never become five is worth as much as one that can.

The report is silent on the rest, and these are the simplest choices: the numbers below; a row
of more than five wins too; a five counts one more for every ply left, so that the sooner one is
preferred; moves of equal rank in ascending order of their cells, of equal value the first; the
centre on an empty board.
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

DEPTH = 3
FIVE = 10**18

# By whose turn it is (the opponent's, the row's own), open ends (0, 1, 2) and length (0 to 4).
# Wins by the plies they take if nothing comes between: a four to move 1, an open four 2, an open
# three to move 3, an open three 4. Each is worth 1000 times the next. No board up to 26×26 has
# room for 1000 rows of one colour, so that no number of lesser rows adds up to a win.
WORTH = np.array(
    [
        [[0, 0, 0, 0, 0], [0, 0, 1, 10**2, 10**3], [0, 0, 10**2, 10**6, 10**12]],
        [[0, 0, 0, 0, 0], [0, 0, 10, 10**3, 10**15], [0, 0, 10**3, 10**9, 10**15]],
    ]
)


@kernel(types.int64(Board, types.int64))
def evaluate(s: Any, turn: int) -> int:
    """The worth of all rows for dark with `turn` (1 dark, -1 light) to move.

    Within ±`FIVE`, which is reached by a five and by nothing else.
    """
    value = 0
    for at in range(s.width, s.width * (s.width - 1)):
        colour = s.cell[at]
        if colour != DARK_STONE and colour != LIGHT_STONE:
            continue
        for step in steps(s):
            length, open_ends = row_from(s, at, step)
            if length >= 5:
                return int(colour * FIVE)
            value += colour * WORTH[int(colour == turn), open_ends, length]
    return int(value)


@kernel(types.boolean(Board, types.int64))
def _is_candidate(s: Any, at: int) -> bool:
    if s.cell[at] != EMPTY:
        return False
    for step in steps(s):  # noqa: SIM110 numba compiles no generator
        if abs(s.cell[at - step]) == 1 or abs(s.cell[at + step]) == 1:
            return True
    return False


@kernel(types.UniTuple(types.int64[::1], 2)(Board, types.int64))
def _ranked_moves(s: Any, colour: int) -> Any:
    """The candidates for `colour`, best first, and the evaluation after each."""
    moves = np.empty(s.width * s.width, dtype=np.int64)
    values = np.empty(s.width * s.width, dtype=np.int64)
    count = 0
    for move in range(s.width, s.width * (s.width - 1)):
        if not _is_candidate(s, move):
            continue
        s.cell[move] = colour
        s.nodes += 1
        value = evaluate(s, -colour)
        s.cell[move] = EMPTY
        rank = count
        while rank > 0 and colour * values[rank - 1] < colour * value:
            moves[rank], values[rank] = moves[rank - 1], values[rank - 1]
            rank -= 1
        moves[rank], values[rank] = move, value
        count += 1
    return moves[:count], values[:count]


@entry_kernel(types.int64(Board, types.int64, types.int64, types.int64, types.int64))
def search(s: Any, colour: int, depth: int, alpha: int, beta: int) -> int:
    """The value for dark, held between `alpha` and `beta`, with `colour` to move.

    The board has a stone, and at least `depth` cells, one or more, are empty. A move made to
    rank it and made again to look deeper counts as two nodes.
    """
    best = -1
    moves, values = _ranked_moves(s, colour)
    for move, value in zip(moves, values):  # noqa: B905 numba knows no strict
        if abs(value) == FIVE:
            value += depth if value > 0 else -depth
        elif depth > 1:
            s.cell[move] = colour
            s.nodes += 1
            value = search(s, -colour, depth - 1, alpha, beta)
            s.cell[move] = EMPTY
        if colour == DARK_STONE and value > alpha:
            alpha, best = value, move
        if colour == LIGHT_STONE and value < beta:
            beta, best = value, move
        if alpha >= beta:
            break
    s.move = best
    return alpha if colour == DARK_STONE else beta


class ConsecutiveRows(Agent):
    """Depth-3 alpha-beta on unbroken rows."""

    name = "consecutive-rows"
    plays = Gomoku

    def choose(self, position: Position) -> Choice:
        if position.ply == 0:
            return Choice(centre_of(self.game))
        depth = min(self.depth or DEPTH, self.game.cell_count - position.ply)
        colour = stone_to_move(position)
        board = board_of(self.game, position)
        value = search(board, colour, depth, -INFINITY, INFINITY)
        return Choice(move_of(board), colour * value, depth, int(board["nodes"]))
