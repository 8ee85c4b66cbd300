"""The positions of Pentago-swap after a few plies, level by level in numpy; knows no engine.

A board is two arrays of bits ``row * 6 + column``, one for each side's stones. Nobody has a five
before the ninth ply, and no further than that does this count.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]

QUADRANTS = [
    [row * 6 + column for row in range(top, top + 3) for column in range(left, left + 3)]
    for top in (0, 3)
    for left in (0, 3)
]
TURN = [column * 6 + 5 - row for row in range(6) for column in range(6)]
MIRROR = [row * 6 + 5 - column for row in range(6) for column in range(6)]
# Boards expanded at a time, to bound the memory.
PARENTS = 20_000


def swaps() -> list[list[int]]:
    """Where each cell goes in each of the six swaps."""
    found = []
    for first, second in combinations(QUADRANTS, 2):
        cells = list(range(36))
        for one, other in zip(first, second, strict=True):
            cells[one], cells[other] = other, one
        found.append(cells)
    return found


def symmetries() -> list[list[int]]:
    """Where each cell goes in each of the eight symmetries."""
    found = []
    for start in (list(range(36)), MIRROR):
        cells = start
        for _ in range(4):
            found.append(cells)
            cells = [TURN[cell] for cell in cells]
    return found


def table(worth: list[int]) -> Numbers:
    """The sum of what the bits of each nine in a row are worth: shape (4, 512)."""
    bits = np.arange(512)[:, None] >> np.arange(9) & 1
    return np.array([bits @ np.array(worth[9 * nine : 9 * nine + 9]) for nine in range(4)])


def summed(worths: Numbers, boards: Numbers) -> Numbers:
    """What all bits of each board are worth."""
    total = worths[0][boards & 511]
    for nine in range(1, 4):
        total += worths[nine][boards >> 9 * nine & 511]
    return total


AFTER_SWAP = [table([1 << cell for cell in cells]) for cells in swaps()]
# A board as one number to the base of three.
CODES = [table([3**cell for cell in cells]) for cells in symmetries()]


def canonical(mover: Numbers, other: Numbers) -> Numbers:
    """The smallest code of each board's images."""
    smallest = None
    for codes in CODES:
        code = summed(codes, mover) + 2 * summed(codes, other)
        smallest = code if smallest is None else np.minimum(smallest, code)
    assert smallest is not None
    return smallest


def boards_of(codes: Numbers) -> tuple[Numbers, Numbers]:
    mover, other = np.zeros_like(codes), np.zeros_like(codes)
    for cell in range(36):
        digit = codes // 3**cell % 3
        mover |= (digit == 1).astype(np.int64) << cell
        other |= (digit == 2).astype(np.int64) << cell
    return mover, other


def levels() -> Iterator[tuple[Numbers, Numbers]]:
    """The codes of the canonical positions after 1, 2, … plies, and how many games lead to each."""
    codes, games = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
    while True:
        parts = [
            children(codes[start : start + PARENTS], games[start : start + PARENTS])
            for start in range(0, len(codes), PARENTS)
        ]
        codes, games = merged([part[0] for part in parts], [part[1] for part in parts])
        yield codes, games


def children(codes: Numbers, games: Numbers) -> tuple[Numbers, Numbers]:
    found, leading = [], []
    # The side that moved last comes first in a code.
    theirs, mine = boards_of(codes)
    for cell in range(36):
        free = (mine | theirs) >> cell & 1 == 0
        placed, rest = mine[free] | 1 << cell, theirs[free]
        for swapped in AFTER_SWAP:
            found.append(canonical(summed(swapped, placed), summed(swapped, rest)))
            leading.append(games[free])
    return merged(found, leading)


def merged(codes: list[Numbers], games: list[Numbers]) -> tuple[Numbers, Numbers]:
    """Each code once, with the sum of its games."""
    every, where = np.unique(np.concatenate(codes), return_inverse=True)
    total = np.zeros(len(every), dtype=np.int64)
    np.add.at(total, where, np.concatenate(games))
    return every, total
