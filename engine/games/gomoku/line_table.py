"""What a stone would make on one line: the table behind the Gomoku evaluation.

For each side it gives the kind of the strongest row that its stone would be part of if it played on
a cell, by what is before and after that on the line. Gaps are seen, ends are counted, and a row
that can no longer become five is worth nothing.

What lies beyond a stone of the other side, or off the board, does not matter to a side. So few
halves of a line, the cells before or after one, differ that a table by two of them stays where the
processor has it at once.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from engine.kernels import kernel

# What a stone on the cell makes, weakest first. A four has one cell that completes the five, an
# open four two or more; an open three can become an open four, a three only a four, and so on.
NOTHING, ONE, OPEN_ONE, TWO, OPEN_TWO, THREE, OPEN_THREE, FOUR, OPEN_FOUR, FIVE = range(10)

KINDS = (
    (NOTHING, 0),
    (ONE, 0),
    (OPEN_ONE, 0),
    (OPEN_ONE, 5),
    (TWO, 0),
    (OPEN_TWO, 0),
    (OPEN_TWO, 3),
    (OPEN_TWO, 4),
    (THREE, 0),
    (OPEN_THREE, 0),
    (OPEN_THREE, 2),
    (FOUR, 0),
    (OPEN_FOUR, 0),
    (FIVE, 0),
)
"""Kinds of rows: a strength, and the least number of cells on which one more stone makes a row of
the next strength of the same openness. The more there are, the harder it is to block.
"""

REACH = 5
"""So many cells on each side of a stone matter to the row that it is in."""

HALF_LINES = 1 << 7
"""A power of two that is no less than the number of halves of a line that differ."""

# A half of a line has the nearest cell first. A cell is what both sides can have there, a bit each.
_LIGHT, _DARK, _EMPTY = 1, 2, 3
_STONES = (_DARK, _LIGHT)

# A cell as one side sees it. Beyond the fourth only an own stone counts, which makes a five longer.
_FREE, _OWN, _BLOCKED = 0, 1, 2


@kernel(types.boolean(types.int8[::1], types.boolean))
def _makes_five(line: Any, exactly_five: bool) -> bool:
    """Whether five cells in a row with the centre among them are own; `line` has eleven cells."""
    for start in range(1, 6):
        owned = True
        for cell in range(start, start + 5):
            if line[cell] != _OWN:
                owned = False
                break
        if owned and not (exactly_five and (line[start - 1] == _OWN or line[start + 5] == _OWN)):
            return True
    return False


@kernel(types.int64(types.int8[::1], types.boolean, types.boolean, types.int8[::1]))
def _kind(line: Any, exactly_five: bool, straight: bool, known: Any) -> int:
    """The kind of the row through the centre of `line`; `known` holds what was found before.

    Where `straight`, cells that complete a five make an open four only as the two ends of one
    unbroken row; otherwise they belong to two fours, which count as one here.
    """
    number = 0
    for cell in range(1, 10):
        number = number * 3 + line[cell]
    number = number * 4 + (line[0] == _OWN) * 2 + (line[10] == _OWN)
    if known[number] >= 0:
        return int(known[number])
    strength, ways = FIVE, 0
    if not _makes_five(line, exactly_five):
        strongest = NOTHING
        first = last = 0
        for cell in range(1, 10):
            if line[cell] == _FREE:
                line[cell] = _OWN
                after = KINDS[_kind(line, exactly_five, straight, known)][0]
                line[cell] = _FREE
                if after > strongest:
                    strongest, ways, first = after, 0, cell
                if after == strongest:
                    ways, last = ways + 1, cell
        if strongest == FIVE:
            strength = OPEN_FOUR if ways >= 2 and (not straight or last - first == 5) else FOUR
        else:
            # One stone short of an open four is an open three, and so on down.
            strength = max(NOTHING, strongest - 2)
    kind = 0
    for index, (least, least_ways) in enumerate(KINDS):
        if strength == least and ways >= least_ways:
            kind = index
    known[number] = kind
    return kind


def _seen(half: Sequence[int], stone: int) -> tuple[int, ...]:
    """A half of a line as the side that has `stone` sees it."""
    seen = [_BLOCKED] * REACH
    for place, cell in enumerate(half):
        if not cell & stone:
            break
        if cell == stone:
            seen[place] = _OWN
        elif place < REACH - 1:
            seen[place] = _FREE
    return tuple(seen)


@lru_cache
def half_lines(reach: int) -> tuple[NDArray[np.int8], NDArray[np.uint16]]:
    """The halves of `reach` cells that differ, as dark and light see them, shape (halves, 2,
    REACH), and the number of each among them by its cells, shape (4,) * reach.
    """
    seen: dict[tuple[tuple[int, ...], ...], int] = {}
    numbers = np.empty((_EMPTY + 1,) * reach, dtype=np.uint16)
    for half in product(range(_EMPTY + 1), repeat=reach):
        by_side = tuple(_seen(half, stone) for stone in _STONES)
        numbers[half] = seen.setdefault(by_side, len(seen))
    return np.array(list(seen), dtype=np.int8), numbers


@kernel(
    types.void(
        types.int8[:, :, ::1], types.int64, types.boolean, types.boolean, types.uint8[:, ::1]
    )
)
def add_kinds(halves: Any, colour: int, exactly_five: bool, straight: bool, rows: Any) -> None:
    """Put the kinds of `colour`, 0 dark or 1 light, into four bits of `rows`, by the numbers of
    what is after a stone and before it. Where `straight`, two fours on one line are no open four.
    """
    known = np.full(3**9 * 4, -1, dtype=np.int8)
    line = np.empty(2 * REACH + 1, dtype=np.int8)
    line[REACH] = _OWN
    for after in range(len(halves)):
        for before in range(len(halves)):
            for place in range(REACH):
                line[REACH + 1 + place] = halves[after, colour, place]
                line[REACH - 1 - place] = halves[before, colour, place]
            rows[after, before] |= _kind(line, exactly_five, straight, known) << 4 * colour
