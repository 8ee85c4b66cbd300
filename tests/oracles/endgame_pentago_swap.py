"""The last plies of Pentago-swap by brute force, for very many positions; knows no engine.

Full width to the end of the game; the only short cut is that a side which can win at once does.
Boards are remembered for one question. A board is the stones of the side to move and those of
the other, bit ``row * 6 + column``, rows from the bottom; a move is ``cell * 6 + swap``.
"""

from itertools import combinations
from typing import Any

import numpy as np
from numba import njit, types
from numba.typed import Dict
from numpy.typing import NDArray

FULL = (1 << 36) - 1
MOVES = 36 * 6
BLOCK = 0b111_000111_000111
# The lower left cells of the quadrants, 1 2 over 3 4.
SWAPS = np.array(list(combinations((18, 21, 0, 3), 2)))
FIVES = np.array(
    [
        sum(1 << (row + k * down) * 6 + column + k * right for k in range(5))
        for row in range(6)
        for column in range(6)
        for down, right in ((0, 1), (1, 0), (1, 1), (-1, 1))
        if 0 <= row + 4 * down < 6 and column + 4 * right < 6
    ]
)
# A win in n plies is worth WIN - n, a loss n - WIN, a draw 0.
WIN = 100
GOES_ON = 2

_BOARD = types.UniTuple(types.int64, 2)
_KNOWN = types.DictType(_BOARD, types.int64)


@njit("boolean(int64)", cache=True)
def has_five(stones: int) -> bool:
    for five in FIVES:  # noqa: SIM110 numba knows no generators
        if stones & five == five:
            return True
    return False


@njit("int64(int64, int64)", cache=True)
def swapped(stones: int, swap: int) -> int:
    first, second = SWAPS[swap]
    one, other = stones >> first & BLOCK, stones >> second & BLOCK
    return stones & ~(BLOCK << first | BLOCK << second) | one << second | other << first


@njit(_BOARD(types.int64, types.int64, types.int64), cache=True)
def after(mine: int, theirs: int, move: int) -> tuple[int, int]:
    """The stones of who moved, then those of the other side."""
    cell, swap = move // 6, move % 6
    return swapped(mine | 1 << cell, swap), swapped(theirs, swap)


@njit("int64(int64, int64)", cache=True)
def verdict(mover: int, other: int) -> int:
    """For who has just moved: 1, 0 or -1 where the game is over, else GOES_ON."""
    won, lost = has_five(mover), has_five(other)
    if won and lost:
        return 0
    if won:
        return 1
    if lost:
        return -1
    return 0 if mover | other == FULL else GOES_ON


@njit("boolean(int64, int64)", cache=True)
def wins_now(mine: int, theirs: int) -> bool:
    """Whether a move of the side to move wins at once."""
    for move in range(MOVES):
        if (mine | theirs) >> move // 6 & 1 == 0:
            mover, other = after(mine, theirs, move)
            if verdict(mover, other) == 1:
                return True
    return False


@njit(types.int64(types.int64, types.int64, types.int64[:], _KNOWN), cache=True)
def search(mine: int, theirs: int, each: NDArray[np.int64], known: Any) -> int:
    """The value of an unfinished board; `each`, unless it is empty, gets that of every move."""
    if len(each) == 0:
        if (mine, theirs) in known:
            return known[mine, theirs]
        if wins_now(mine, theirs):
            return WIN - 1
    best = -WIN
    for move in range(MOVES):
        if (mine | theirs) >> move // 6 & 1 == 1:
            continue
        mover, other = after(mine, theirs, move)
        result = verdict(mover, other)
        if result == GOES_ON:
            reply = search(other, mover, each[:0], known)
            # A win or loss is one ply further away.
            value = 1 - reply if reply > 0 else -1 - reply if reply < 0 else 0
        else:
            value = result * (WIN - 1)
        best = max(best, value)
        if len(each) > 0:
            each[move] = value
    known[mine, theirs] = best
    return best


def values(mine: int, theirs: int) -> dict[int, int]:
    """What each move of an unfinished board is worth to the side to move."""
    each = np.full(MOVES, -WIN)
    search(mine, theirs, each, Dict.empty(_BOARD, types.int64))
    return {move: int(value) for move, value in enumerate(each) if value > -WIN}


def solve(mine: int, theirs: int) -> tuple[int, list[int]]:
    """The value of an unfinished board for the side to move, and all moves that reach it."""
    worth = values(mine, theirs)
    best = max(worth.values())
    return best, [move for move, value in worth.items() if value == best]
