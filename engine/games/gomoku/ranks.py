"""In what order the searches for threats try moves.

What a stone on a cell makes on each of its lines, and what it achieves over all four, has a
weight. These are the weights of an evaluation fitted to 6,000 games at 5,000 nodes a move; proofs
have been searched in this order, and their node counts depend on it.
"""

import numpy as np
from numpy.typing import NDArray

from engine.games.gomoku import patterns
from engine.games.gomoku.board import LEVELS, PATTERNS

# By strength, from NOTHING to FIVE, and by level, from PLAIN to FIVE_MOVE: for the side to move,
# and for the other side.
_ROWS = (
    (0, 0, 0, 5, 8, 33, -12, 525, 90, 220),
    (0, 0, 0, 3, 5, 33, -87, -193, -258, 220),
)
_LEVELS = ((0, 94, 132, -366, 998, 40, 0), (0, 149, 265, 343, 960, 643, 0))


def ranks() -> NDArray[np.int16]:
    """The rank of every pattern to the side to move, and to the other side.

    Shape (2, 65536, 2): the second half is for a side that has forbidden points, to which a
    pattern that it may be forbidden has rank 0.
    """
    rows, levels = np.array(_ROWS), np.array(_LEVELS)
    assert levels.shape[1] == LEVELS
    by_rows = rows[:, patterns.strengths()].sum(axis=2)
    found = by_rows + levels[:, patterns.levels()].reshape(2, 2, PATTERNS).swapaxes(0, 1)
    found[1][:, patterns.fouls()] = 0
    return np.asarray(found.swapaxes(1, 2), dtype=np.int16)
