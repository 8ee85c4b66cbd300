"""What the kinds of rows on the four lines of a cell are together, whatever line each is on."""

from functools import cache
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from engine.games.gomoku.board import (
    DOUBLE_THREE,
    FIVE_MOVE,
    FOUR_MOVE,
    FOUR_THREE,
    NUMBER_BITS,
    NUMBERS,
    OPEN_FOURS,
    OPEN_THREE_MOVE,
    PAIRS_OF_ROWS,
    PATTERNS,
    PLAIN,
)
from engine.games.gomoku.line_table import FIVE, FOUR, KINDS, OPEN_FOUR, OPEN_THREE

_STRENGTHS = np.array([strength for strength, _ in KINDS])

COMBINATIONS = tuple(combinations_with_replacement(range(len(KINDS)), 4))
"""Every choice of four kinds, each in ascending order. Weights are in the order of this."""


def _kinds() -> NDArray[np.int64]:
    """The four kinds of every pattern, shape (65536, 4); 0 for a number that no kind has."""
    kinds = np.arange(PATTERNS)[:, None] >> 4 * np.arange(4) & 15
    return np.where(kinds < len(KINDS), kinds, 0)


def pairs() -> NDArray[np.uint8]:
    """The number of the pair of kinds in a byte, whatever their order. Shape (256,).

    The number of a pattern is that of its lower byte's pair plus `PAIRS_OF_ROWS` times that of its
    upper byte's, and for a side that has forbidden points `NUMBERS` more. There are fewer numbers
    than patterns, and those of the weakest kinds come first: tables by number have what is asked
    for most side by side.
    """
    kinds = np.sort(_kinds()[:256, :2], axis=1)
    return np.asarray(kinds[:, 1] * (kinds[:, 1] + 1) // 2 + kinds[:, 0], dtype=np.uint8)


def pairs_of_both() -> NDArray[np.uint32]:
    """The numbers of both sides' pairs of kinds, light's moved up by `NUMBER_BITS`, by the kinds on
    two lines, dark's and light's on the one before those on the other. Shape (65536,).
    """
    one, other = np.arange(1 << 16) & 0xFF, np.arange(1 << 16) >> 8
    dark, light = (pairs()[one >> bits & 15 | (other >> bits & 15) << 4] for bits in (0, 4))
    return np.asarray(dark | light.astype(np.uint32) << NUMBER_BITS)


@cache
def by_number() -> NDArray[np.int64]:
    """For every number, of a side without forbidden points, a pattern. Shape (NUMBERS,)."""
    pair, all_patterns = pairs().astype(np.int64), np.arange(PATTERNS)
    found = np.zeros(NUMBERS, dtype=np.int64)
    found[pair[all_patterns & 0xFF] + PAIRS_OF_ROWS * pair[all_patterns >> 8]] = all_patterns
    return found


def strengths() -> NDArray[np.int64]:
    """The strengths of the four rows of every pattern. Shape (65536, 4)."""
    return np.asarray(_STRENGTHS[_kinds()])


@cache
def combination_of() -> NDArray[np.int64]:
    """For every pattern, the number of its combination in COMBINATIONS. Shape (65536,)."""
    # Read as digits, the combinations are numbers in ascending order.
    digits = len(KINDS) ** np.arange(3, -1, -1)
    return np.searchsorted(np.array(COMBINATIONS) @ digits, np.sort(_kinds(), axis=1) @ digits)


def levels() -> NDArray[np.uint8]:
    """What a stone achieves over its four lines, by pattern; then by pattern of a restricted side.

    To a side that has forbidden points two fours are not OPEN_FOURS. Shape (2 * 65536,).
    """
    rows = strengths()
    open_fours, fours, threes = (
        (rows == each).sum(axis=1) for each in (OPEN_FOUR, FOUR, OPEN_THREE)
    )
    plain_fours = np.where(threes > 0, FOUR_THREE, FOUR_MOVE)
    found = []
    for restricted in (False, True):
        two_ways = (open_fours > 0) | (fours > 1)
        if restricted:
            two_ways &= open_fours + fours < 2
        level = np.select(
            [
                (rows == FIVE).any(axis=1),
                two_ways,
                open_fours + fours > 0,
                threes > 1,
                threes > 0,
            ],
            [FIVE_MOVE, OPEN_FOURS, plain_fours, DOUBLE_THREE, OPEN_THREE_MOVE],
            PLAIN,
        )
        found.append(level)
    return np.concatenate(found).astype(np.uint8)


def fouls() -> NDArray[np.bool_]:
    """By pattern, whether a side with forbidden points may be forbidden it. Shape (65536,).

    Two open threes count, although one of them may be false. A five is never forbidden.
    """
    rows = strengths()
    fours = ((rows == OPEN_FOUR) | (rows == FOUR)).sum(axis=1)
    threes = (rows == OPEN_THREE).sum(axis=1)
    five = (rows == FIVE).any(axis=1)
    return np.asarray((np.maximum(fours, threes) > 1) & ~five)
