"""Five-cell bins: a published Gobang agent that builds its tree first and values it afterwards.

As its author's report describes it:

- **Search.** A tree of moves next to any stone is built to its full depth, every node of it
  kept, and only then valued, with alpha-beta.
- **Evaluation.** From every cell, in eight directions, two, three, four and five in a row of one
  colour are counted in bins of that colour, weighted 2, 6, 1000 and 50000; one's own sum minus
  the opponent's.
- **Time.** 0.05 to 1 second a move on a board of any size.

Where the report is silent, the simplest choice:

- The depth is 2, the deepest that keeps to that time on boards full of scattered stones.
- Where two to five cells that start at a cell are all of one colour, each of these rows counts:
  a row of three also counts as two rows of two, and all of them from both of their ends. Whether
  a row can grow, or is part of a longer one, is not asked.
- Moves are in the order of the cells, and the first of equally good ones is played.
- A move that makes five or more in a row ends its branch. Where a game asks for exactly five,
  the agent does not know.
- On the empty board it plays the centre.
"""

from typing import Any

import numpy as np
from numba import from_dtype, types

from engine.games.gomoku import Gomoku
from engine.kernels import entry_kernel, kernel
from engine.players.base import Agent, Choice
from engine.players.stones import (
    EMPTY,
    centre_of,
    stone_to_move,
    stones_of,
)
from engine.position import Position

DEPTH = 2
# The weights of rows of that length.
WEIGHTS = (0, 0, 2, 6, 1000, 50_000)

_DOWN = (0, 1, 1, 1, 0, -1, -1, -1)
_ACROSS = (1, 1, 0, -1, -1, -1, 0, 1)
_INFINITY = 1 << 62

# The root is node 0; a node's children follow each other, in the order of the cells.
NODE = np.dtype([("cell", np.int16), ("children", np.int16), ("first_child", np.int64)], align=True)

_Stones = types.int8[:, ::1]
_Tree = from_dtype(NODE)[::1]
_Counter = types.int64[::1]


class FiveCellBins(Agent):
    """Plays Gomoku of any size; `depth` is 2 unless given."""

    name = "five-cell-bins"
    plays = Gomoku

    def choose(self, position: Position) -> Choice:
        if position.ply == 0:
            return Choice(centre_of(self.game))
        depth = self.depth or DEPTH
        colour = stone_to_move(position)
        stones = stones_of(self.game, position)
        tree = np.empty(_most_nodes(count_moves(stones), depth), dtype=NODE)
        length = np.ones(1, dtype=np.int64)
        build(tree, length, 0, stones, colour, depth)
        child, value = value_of(tree, 0, stones, colour, -_INFINITY, _INFINITY)
        return Choice(int(tree["cell"][child]), value, depth, int(length[0]) - 1)


def _most_nodes(moves: int, depth: int) -> int:
    """As many nodes as a tree can have: each stone makes at most 8 new moves and takes one."""
    total = level = 1
    for ply in range(depth):
        level *= moves + 7 * ply
        total += level
    return total


@kernel(types.boolean(_Stones, types.int64, types.int64))
def _is_move(stones: Any, row: int, column: int) -> bool:
    """Whether the cell is empty and next to a stone."""
    if stones[row, column] != EMPTY:
        return False
    for r in range(max(row - 1, 0), min(row + 2, len(stones))):
        for c in range(max(column - 1, 0), min(column + 2, len(stones))):
            if stones[r, c] != EMPTY:
                return True
    return False


@entry_kernel(types.int64(_Stones))
def count_moves(stones: Any) -> int:
    """The number of empty cells next to a stone."""
    count = 0
    for row in range(len(stones)):
        for column in range(len(stones)):
            count += _is_move(stones, row, column)
    return count


@kernel(types.int64(_Stones, types.int64, types.int64, types.int64))
def _run(stones: Any, row: int, column: int, direction: int) -> int:
    """How many stones of one colour, five at most, follow each other from a stone on."""
    size, length = len(stones), 1
    r, c = row + _DOWN[direction], column + _ACROSS[direction]
    while length < 5 and 0 <= r < size and 0 <= c < size and stones[r, c] == stones[row, column]:
        length += 1
        r, c = r + _DOWN[direction], c + _ACROSS[direction]
    return length


@kernel(types.boolean(_Stones, types.int64, types.int64))
def _makes_five(stones: Any, row: int, column: int) -> bool:
    """Whether the stone on the cell is in a row of five or more."""
    for direction in range(4):
        # The stone itself is in both runs.
        both_ways = _run(stones, row, column, direction) + _run(stones, row, column, direction + 4)
        if both_ways > 5:
            return True
    return False


@kernel(types.int64(_Stones, types.int64))
def evaluate(stones: Any, colour: int) -> int:
    """The weighted bins of `colour` minus those of the other."""
    value = 0
    for row in range(len(stones)):
        for column in range(len(stones)):
            if stones[row, column] != EMPTY:
                sign = 1 if stones[row, column] == colour else -1
                for direction in range(8):
                    for length in range(2, _run(stones, row, column, direction) + 1):
                        value += sign * WEIGHTS[length]
    return value


@entry_kernel(types.void(_Tree, _Counter, types.int64, _Stones, types.int64, types.int64))
def build(tree: Any, length: Any, node: int, stones: Any, colour: int, depth: int) -> None:
    """Add everything below `node`, where `colour` is to move, to the ``length[0]`` nodes."""
    size = len(stones)
    first = length[0]
    if depth > 0:
        for cell in range(size * size):
            if _is_move(stones, cell // size, cell % size):
                tree[length[0]].cell = cell
                length[0] += 1
    tree[node].first_child = first
    tree[node].children = length[0] - first
    for child in range(first, first + tree[node].children):
        row, column = divmod(tree[child].cell, size)
        stones[row, column] = colour
        left = 0 if _makes_five(stones, row, column) else depth - 1
        build(tree, length, child, stones, -colour, left)
        stones[row, column] = EMPTY


@entry_kernel(
    types.UniTuple(types.int64, 2)(
        _Tree, types.int64, _Stones, types.int64, types.int64, types.int64
    )
)
def value_of(
    tree: Any, node: int, stones: Any, colour: int, alpha: int, beta: int
) -> tuple[int, int]:
    """The best child of `node` and its value for `colour`, which is to move.

    The value is exact between `alpha` and `beta`, and a bound outside them. A node without
    children is worth its evaluation, and its best child is -1.
    """
    if tree[node].children == 0:
        return -1, evaluate(stones, colour)
    best_child = -1
    best_value = -_INFINITY
    first = tree[node].first_child
    for child in range(first, first + tree[node].children):
        row, column = divmod(tree[child].cell, len(stones))
        stones[row, column] = colour
        value = -value_of(tree, child, stones, -colour, -beta, -max(alpha, best_value))[1]
        stones[row, column] = EMPTY
        if value > best_value:
            best_child, best_value = child, value
        if best_value >= beta:
            break
    return best_child, best_value
