"""A board record from Python's side: made for a rule, and set up with a position."""

from typing import Any

import numpy as np

from engine.games.gomoku import Rule, board, lines
from engine.games.gomoku.weights import Weights, read
from engine.position import Position, cells_of

_ZOBRIST_SEED = 5
_FREESTYLE_FLAGS = (1 << 16) - 1
_EXACT_FLAGS = (1 << 18) - 1
UNLIMITED = np.iinfo(np.int64).max


def new_state(rule: Rule, weights: Weights | None = None) -> Any:
    """A record with the tables of `rule`, to be set up before it is used.

    Without `weights` its evaluation uses those in their file.
    """
    states = np.zeros(1, dtype=board.STATE)
    flags = _FREESTYLE_FLAGS if rule is Rule.FREESTYLE else _EXACT_FLAGS
    for colour in (board.DARK, board.LIGHT):
        table = states["table"][0, colour * lines.TABLE_SIZE :][: flags + 1]
        restricted = rule is Rule.RENJU and colour == board.DARK
        lines.fill_table(table, colour, rule is Rule.STANDARD or restricted, restricted)
    states["forbidding"] = rule is Rule.RENJU
    weights = weights or read()
    rows, levels = (np.array(each, np.int64) for each in (weights.rows, weights.levels))
    board.fill_pattern_tables(states[0], rows, levels)
    states["tempo"] = weights.tempo
    random = np.random.Generator(np.random.PCG64(_ZOBRIST_SEED))
    states["zobrist"] = random.integers(1, 1 << 63, 2 * board.CELLS, dtype=np.uint64)
    states["reach"] = 4 if rule is Rule.FREESTYLE else 5
    states["flags"] = flags
    return states[0]


def set_up(state: Any, size: int, position: Position) -> None:
    """Put the stones of `position` on an empty board of `size`."""
    dark, light = cells_of(position.dark), cells_of(position.light)
    stones = np.empty(len(dark) + len(light), dtype=np.int64)
    stones[0::2] = [board.padded(cell, size) for cell in dark]
    stones[1::2] = [board.padded(cell, size) for cell in light]
    board.set_up(state, size, stones)
