"""Wins of the maker by fours alone, each of which the breaker has to answer at once."""

from typing import Any

import numpy as np
from numba import types

from engine.games.gomoku.breaker.board import (
    BREAKER,
    LINES_THROUGH_A_CELL,
    MAKER,
    MAX_SIZE,
    WINDOW,
    Board,
    has,
    makers_in,
    only,
    open_windows,
    put,
)
from engine.kernels import Word, kernel

# Nodes of a search: enough for nearly all wins that there are.
_NODES = 300
_NONE, _TWO = -1, -2


@kernel(types.uint64(Board, types.int64))
def _empty_in_windows(s: Any, makers: int) -> Word:
    """The empty cells of the open windows with so many stones of the maker's."""
    cells = np.uint64(0)
    for line in range(s.lines):
        windows = open_windows(s, line)
        for window in range(s.length[line] - WINDOW + 1):
            if windows >> window & 1:
                stones = makers_in(s, line, window)
                if s.bits[stones] == makers:
                    for place in range(WINDOW):
                        if stones >> place & 1 == 0:
                            cells |= only(s.cell[line * MAX_SIZE + window + place])
    return cells


@kernel(types.int64(Board, types.int64))
def _parry(s: Any, cell: int) -> int:
    """The cell that fills a window with the maker's new stone on `cell`; `_TWO` if there are two.

    Such a second one is added to `fours`, as is the first.
    """
    parry = _NONE
    for n in range(s.through[cell]):
        slot = cell * LINES_THROUGH_A_CELL + n
        line = s.line_of[slot]
        windows = open_windows(s, line)
        for window in range(s.length[line] - WINDOW + 1):
            stones = makers_in(s, line, window)
            if windows >> window & 1 and s.bits[stones] == WINDOW - 1:
                place = 0
                while stones >> place & 1:
                    place += 1
                found = s.cell[line * MAX_SIZE + window + place]
                if parry >= 0 and parry != found:
                    s.fours |= only(parry) | only(found)
                    return _TWO
                parry = found
    return parry


@kernel(types.boolean(Board))
def _wins_by_fours(s: Any) -> bool:
    s.four_nodes += 1
    if s.four_nodes > _NODES:
        return False
    moves = _empty_in_windows(s, WINDOW - 2)
    for cell in range(s.cells):
        if not has(moves, cell):
            continue
        before = s.fours
        put(s, MAKER, cell)
        parry = _parry(s, cell)
        won = parry == _TWO
        if parry >= 0:
            put(s, BREAKER, parry)
            won = _wins_by_fours(s)
            s.fours |= only(parry)
            put(s, BREAKER, parry)
        put(s, MAKER, cell)
        if won:
            s.fours |= only(cell)
            return True
        s.fours = before
    return False


@kernel(types.boolean(Board))
def maker_wins_at_once(s: Any) -> bool:
    """Whether the maker, to move, fills a window or wins by fours.

    If so, `fours` are the cells of that win: a breaker's stone elsewhere does not stop it.
    """
    s.fours = _empty_in_windows(s, WINDOW - 1)
    if s.fours != np.uint64(0):
        for cell in range(s.cells):
            if has(s.fours, cell):
                s.fours = only(cell)
                return True
    s.four_nodes = 0
    return bool(_wins_by_fours(s))
