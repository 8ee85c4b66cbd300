"""Pairings: disjoint pairs of free cells, such that every open window holds both cells of one.

With a pairing the breaker holds the position, moving second: he answers in the pair.
"""

from typing import Any

import numpy as np
from numba import types

from engine.games.gomoku.breaker.board import (
    ALL_FIVE,
    LINES_THROUGH_A_CELL,
    MAX_SIZE,
    TOO_MANY,
    WINDOW,
    Board,
    count,
    free_cells,
    has,
    only,
    open_windows,
    pairs_needed,
    windows_without,
)
from engine.kernels import Word, kernel

# Pairs of the cells of one window, and three numbers for each.
_OPTIONS, _OPTION = 10, 3
# A pair that serves one more window is better whatever other windows want its cells.
_A_WINDOW_MORE = 100


@kernel(types.boolean(types.int64, types.int64))
def _serves(windows: int, place: int) -> bool:
    """Whether a place of a line is in one of these windows."""
    served = 0
    for window in range(max(0, place - WINDOW + 1), place + 1):
        served |= windows >> window & 1
    return served != 0


@kernel(types.int64(Board))
def _deficit(s: Any) -> int:
    """Cells that the lines need for their pairs, less those that can serve."""
    needed = 0
    usable = np.uint64(0)
    for line in range(s.lines):
        windows = s.without_pair[line]
        if windows == 0:
            continue
        pairs = pairs_needed(s, line, windows, s.free_on[line])
        if pairs == TOO_MANY:
            return TOO_MANY
        needed += 2 * pairs
        for place in range(s.length[line]):
            cell = s.cell[line * MAX_SIZE + place]
            if s.free_on[line] >> place & 1 and _serves(windows, place):
                usable |= only(cell)
    return needed - int(count(usable))


@kernel(types.int64(Board))
def _narrowest(s: Any) -> int:
    """The window that fewest pairs can serve, as line * 8 + window; -1 if all have one."""
    narrowest, fewest = -1, 1 << 30
    for line in range(s.lines):
        windows = s.without_pair[line]
        for window in range(s.length[line] - WINDOW + 1):
            if windows >> window & 1:
                free = s.bits[s.free_on[line] >> window & ALL_FIVE]
                # Of equals, that on the line with most windows to serve.
                options = 2 * free * (free - 1) - s.bits[windows]
                if options < fewest:
                    narrowest, fewest = line * MAX_SIZE + window, options
    return narrowest


@kernel(types.int64(Board, types.int64, types.int64))
def _demand(s: Any, line: int, place: int) -> int:
    """How many windows of other lines want the cell at `place` of a line."""
    cell = s.cell[line * MAX_SIZE + place]
    wanting = 0
    for n in range(s.through[cell]):
        slot = cell * LINES_THROUGH_A_CELL + n
        other, there = s.line_of[slot], s.place_of[slot]
        if other != line:
            last = min(there, s.length[other] - WINDOW)
            for window in range(max(0, there - WINDOW + 1), last + 1):
                wanting += s.without_pair[other] >> window & 1
    return wanting


@kernel(types.int64(Board, types.int64, types.int64, types.int64[::1]))
def _list_options(s: Any, line: int, window: int, options: Any) -> int:
    """List the pairs that serve a window, the best first: two places and a score for each."""
    windows = s.without_pair[line]
    listed = 0
    for low in range(window, window + WINDOW):
        for high in range(low + 1, window + WINDOW):
            pair = 1 << low | 1 << high
            if s.free_on[line] & pair != pair:
                continue
            served = s.bits[windows & ~windows_without(windows, low, high)]
            demand = _demand(s, line, low) + _demand(s, line, high)
            score = _A_WINDOW_MORE * served - demand
            at = listed
            while at > 0 and options[_OPTION * (at - 1) + 2] < score:
                for n in range(_OPTION):
                    options[_OPTION * at + n] = options[_OPTION * (at - 1) + n]
                at -= 1
            options[_OPTION * at], options[_OPTION * at + 1] = low, high
            options[_OPTION * at + 2] = score
            listed += 1
    return listed


@kernel(types.void(Board, types.int64))
def _flip(s: Any, cell: int) -> None:
    """Use a cell for a pair, or give it back."""
    for n in range(s.through[cell]):
        slot = cell * LINES_THROUGH_A_CELL + n
        s.free_on[s.line_of[slot]] ^= 1 << s.place_of[slot]


@kernel(types.boolean(Board))
def _pair_further(s: Any) -> bool:
    """Whether the windows without a pair can have one each, besides the pairs there are."""
    s.pairing_nodes += 1
    if s.pairing_nodes > s.pairing_limit:
        return False
    narrowest = _narrowest(s)
    if narrowest < 0:
        return True
    if _deficit(s) > 0:
        return False
    line, window = narrowest // MAX_SIZE, narrowest % MAX_SIZE
    options = np.empty(_OPTIONS * _OPTION, dtype=np.int64)
    windows = s.without_pair[line]
    for n in range(_list_options(s, line, window, options)):
        low, high = options[_OPTION * n], options[_OPTION * n + 1]
        first, second = s.cell[line * MAX_SIZE + low], s.cell[line * MAX_SIZE + high]
        s.without_pair[line] = windows_without(windows, low, high)
        s.pair[2 * s.pairs], s.pair[2 * s.pairs + 1] = first, second
        s.pairs += 1
        _flip(s, first)
        _flip(s, second)
        if _pair_further(s):
            return True
        _flip(s, second)
        _flip(s, first)
        s.pairs -= 1
        s.without_pair[line] = windows
        if s.pairing_nodes > s.pairing_limit:
            return False
    return False


@kernel(types.boolean(Board, types.uint64))
def pair_up(s: Any, allowed: Word) -> bool:
    """Whether a pairing of free cells among those `allowed` was found, within `pairing_limit`.

    If so, it is in `pair`. Otherwise `deficit` tells how many cells are missing at the least.
    """
    free = free_cells(s) & allowed
    for line in range(s.lines):
        s.without_pair[line] = open_windows(s, line)
        s.free_on[line] = 0
        for place in range(s.length[line]):
            if has(free, s.cell[line * MAX_SIZE + place]):
                s.free_on[line] |= 1 << place
    s.pairing_nodes = s.pairs = 0
    s.deficit = _deficit(s)
    return bool(s.deficit <= 0 and _pair_further(s))


@kernel(types.uint64(Board))
def paired(s: Any) -> Word:
    """The cells of the pairing that was found."""
    cells = np.uint64(0)
    for n in range(2 * s.pairs):
        cells |= only(s.pair[n])
    return cells
