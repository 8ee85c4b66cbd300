"""Six-cell frames: a published Gobang agent that scores moves and never the board.

As its author's report describes it:

- **Evaluation.** A stone on a cell is worth, on each of the four axes, the best of the six-cell
  frames that slide over the cell and the four cells on each side of it, by a table of frames;
  the axes are added up. A move gains what its stone is worth to its own side and what a stone on
  the same cell would be worth to the opponent, whom it blocks. The board as a whole is never
  evaluated.
- **Candidates.** The best cells next to stones; the neighbours of each stone that is played in
  the tree are added on the way down and removed on the way back.
- **Search.** Negamax by sign change: a move is worth its gain minus the worth of the best reply.
- **Depth.** 3, or 4.

Where the report is silent, the simplest choice:

- The patterns of the table and their worth are those of `PATTERNS`; a cell off the board blocks
  like a stone of the opponent.
- A node has ten candidates; equal gains are taken in the order of the cells. Nothing is pruned.
- A stone that completes five or more is played without looking at anything else, and ends the
  line. Where a game asks for exactly five, the agent does not know.
- On the empty board it plays the centre.

Since the axes are merely added up, two open threes at once are worth twice one, which is less
than a single four.
"""

from itertools import product
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

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

DEPTH = 3
CANDIDATES = 10

FIVE = 1_000_000
# What a frame is worth to the owner of its stones if it, or its mirror image, holds the pattern:
# `o` is an own stone and `.` an empty cell. The best pattern counts.
PATTERNS = (
    (FIVE, "ooooo"),
    (50_000, ".oooo."),
    (5_000, "oooo. ooo.o oo.oo"),
    (2_000, ".ooo.."),
    (1_500, ".oo.o."),
    (300, "ooo.. oo.o. o.oo. .ooo. oo..o o.o.o"),
    (100, "..oo.. .oo... .o.o.. .o..o."),
    (20, "oo... .oo.. o.o.. .o.o. o..o. o...o"),
    (5, "o.... .o... ..o.."),
)

_REACH = 4
_DOWN = (0, 1, 1, 1)
_ACROSS = (1, 0, 1, -1)

_Stones = types.int8[:, ::1]
_Numbers = types.int64[::1]


def _frame_table() -> NDArray[np.int64]:
    """The worth of every frame; its cells are the digits of the index in base 3.

    A digit is 0 for an empty cell, 1 for an own stone, 2 for a blocked cell.
    """
    frames = map("".join, product(".o#", repeat=6))
    return np.array([_worth_of_frame(frame) for frame in frames], dtype=np.int64)


def _worth_of_frame(frame: str) -> int:
    for worth, patterns in PATTERNS:
        if any(pattern in image for pattern in patterns.split() for image in (frame, frame[::-1])):
            return worth
    return 0


FRAMES = _frame_table()


class SixCellFrames(Agent):
    """Plays Gomoku of any size; `depth` is 3 unless given."""

    name = "six-cell-frames"
    plays = Gomoku

    def choose(self, position: Position) -> Choice:
        if position.ply == 0:
            return Choice(centre_of(self.game))
        depth = self.depth or DEPTH
        colour = stone_to_move(position)
        cell, value, nodes = think(stones_of(self.game, position), colour, depth)
        return Choice(cell, value, depth, nodes)


@entry_kernel(types.int64(_Stones, types.int64, types.int64, types.int64))
def worth(stones: Any, row: int, column: int, colour: int) -> int:
    """What a stone of `colour` on the cell is worth: its best frame on each axis, added up."""
    total = 0
    for axis in range(4):
        best = frame = 0
        for step in range(-_REACH, _REACH + 1):
            r, c = row + step * _DOWN[axis], column + step * _ACROSS[axis]
            digit = 2
            if step == 0:
                digit = 1
            elif 0 <= r < len(stones) and 0 <= c < len(stones):
                digit = 0 if stones[r, c] == EMPTY else 1 if stones[r, c] == colour else 2
            frame = frame % 3**5 * 3 + digit
            # From the sixth cell on there is a whole frame; each holds the new stone.
            if step > 0:
                best = max(best, FRAMES[frame])
        total += best
    return total


@kernel(types.void(_Stones, types.int64, types.int64, types.int64))
def _count_neighbour(near: Any, row: int, column: int, change: int) -> None:
    """Add `change` to the number of stones next to each cell around (`row`, `column`)."""
    for r in range(max(row - 1, 0), min(row + 2, len(near))):
        for c in range(max(column - 1, 0), min(column + 2, len(near))):
            near[r, c] += change


@kernel(types.int64(_Stones, _Stones, types.int64, _Numbers, _Numbers))
def _list_candidates(stones: Any, near: Any, colour: int, cells: Any, gains: Any) -> int:
    """Fill `cells` and `gains` with the best moves, best first; returns their number.

    A stone that completes five is listed alone.
    """
    size, count = len(stones), 0
    for cell in range(size * size):
        row, column = divmod(cell, size)
        if stones[row, column] != EMPTY or near[row, column] == 0:
            continue
        own = worth(stones, row, column, colour)
        gain = own + worth(stones, row, column, -colour)
        if own >= FIVE:
            cells[0], gains[0] = cell, gain
            return 1
        if count == CANDIDATES and gain <= gains[count - 1]:
            continue
        at = min(count, CANDIDATES - 1)
        while at > 0 and gains[at - 1] < gain:
            cells[at], gains[at] = cells[at - 1], gains[at - 1]
            at -= 1
        cells[at], gains[at] = cell, gain
        count = min(count + 1, CANDIDATES)
    return count


@kernel("UniTuple(int64, 2)(int8[:, ::1], int8[:, ::1], int64, int64, int64[::1])")
def _negamax(stones: Any, near: Any, colour: int, depth: int, nodes: Any) -> tuple[int, int]:
    """The best move of `colour` and its worth; (-1, 0) without depth or candidates.

    Adds the moves made to ``nodes[0]`` and leaves the board as it was.
    """
    best_cell, best_value = -1, 0
    if depth == 0:
        return best_cell, best_value
    cells = np.empty(CANDIDATES, dtype=np.int64)
    gains = np.empty(CANDIDATES, dtype=np.int64)
    for index in range(_list_candidates(stones, near, colour, cells, gains)):
        row, column = divmod(cells[index], len(stones))
        completes_five = worth(stones, row, column, colour) >= FIVE
        nodes[0] += 1
        value = gains[index]
        if not completes_five:
            stones[row, column] = colour
            _count_neighbour(near, row, column, 1)
            value -= _negamax(stones, near, -colour, depth - 1, nodes)[1]
            _count_neighbour(near, row, column, -1)
            stones[row, column] = EMPTY
        if best_cell < 0 or value > best_value:
            best_cell, best_value = cells[index], value
    return best_cell, best_value


@entry_kernel("UniTuple(int64, 3)(int8[:, ::1], int64, int64)")
def think(stones: Any, colour: int, depth: int) -> tuple[int, int, int]:
    """The best move of `colour`, its worth and the number of moves made in the tree.

    `stones` has the shape (size, size), 0 on empty cells and at least one stone.
    """
    near = np.zeros_like(stones)
    for row in range(len(stones)):
        for column in range(len(stones)):
            if stones[row, column] != EMPTY:
                _count_neighbour(near, row, column, 1)
    nodes = np.zeros(1, dtype=np.int64)
    cell, value = _negamax(stones, near, colour, depth, nodes)
    return cell, value, nodes[0]
