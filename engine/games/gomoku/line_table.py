"""What a stone would make on one line: the table behind the Gomoku evaluation.

A line key describes the five cells on each side of a cell, two bits a cell: 0 empty, 1 dark,
2 light, 3 off the board. For each side the table gives the kind of the strongest row that its stone
would be part of if it played there. Gaps are seen, ends are counted, and a row that can no longer
become five is worth nothing.
"""

from typing import Any

import numpy as np
from numba import types

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

# A line as one side sees it: five cells on each side of the stone. Beyond the fourth only an own
# stone counts, which makes a five longer.
_FREE, _OWN, _BLOCKED = 0, 1, 2

LINES = 1 << 20
"""Different line keys. Without the fifth cell on each side there are `SHORT_LINES`."""

SHORT_LINES = 1 << 16

_table_type = types.uint8[::1]


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


@kernel(types.void(_table_type, types.int64, types.boolean, types.boolean))
def fill_table(table: Any, colour: int, exactly_five: bool, straight: bool) -> None:
    """Fill `table` for `colour`, 0 dark or 1 light.

    Its index is a line without the fifth cells and then, if there are four times as many entries,
    a bit for each fifth cell that has an own stone. Where `straight`, two fours on one line are no
    open four.
    """
    known = np.full(3**9 * 4, -1, dtype=np.int8)
    line = np.empty(11, dtype=np.int8)
    line[5] = _OWN
    own = colour + 1
    for index in range(len(table)):
        for place in range(8):
            code = index >> (2 * place) & 3
            cell = place + 1 if place < 4 else place + 2
            line[cell] = _FREE if code == 0 else _OWN if code == own else _BLOCKED
        line[0] = _OWN if index >> 16 & 1 else _BLOCKED
        line[10] = _OWN if index >> 17 & 1 else _BLOCKED
        table[index] = _kind(line, exactly_five, straight, known)


@kernel(types.void(_table_type, _table_type, _table_type))
def join_tables(rows: Any, dark: Any, light: Any) -> None:
    """Fill `rows` with the kinds that dark and light would make, four bits each, by `fill_table`.

    Its index is a line, with the fifth cells if there are `LINES` entries.
    """
    for line in range(len(rows)):
        for_dark = for_light = line
        if len(rows) == LINES:
            middle, first, last = line >> 2 & 0xFFFF, line & 3, line >> 18
            for_dark = middle | (first == 1) << 16 | (last == 1) << 17
            for_light = middle | (first == 2) << 16 | (last == 2) << 17
        rows[line] = dark[for_dark] | light[for_light] << 4
