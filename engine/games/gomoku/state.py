"""A board record from Python's side: made for a rule, and set up with a position."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.games.gomoku import Rule, board, line_table, patterns
from engine.games.gomoku.ranks import ranks
from engine.games.gomoku.weights import Weights, by_pattern, read
from engine.position import Position, cells_of

_ZOBRIST_SEED = 5
UNLIMITED = np.iinfo(np.int64).max


def new_state(rule: Rule, weights: Weights | None = None) -> Any:
    """A record with the tables of `rule`, to be set up before it is used.

    Without `weights` it evaluates and orders moves by those in the rule's file.
    """
    states = np.zeros(1, dtype=board.STATE)
    table = _row_table(rule)
    states["rows"][0, : len(table)] = table
    states["line_shift"] = 2 if rule is Rule.FREESTYLE else 0
    states["line_mask"] = len(table) - 1
    states["forbidding"] = rule is Rule.RENJU
    weights = weights or read(rule)
    for name, table in (*_pattern_tables().items(), *_weight_tables(weights).items()):
        states[name][0] = table
    states["tempo"] = weights.tempo
    states["last_bias"] = weights.network.last_bias
    random = np.random.Generator(np.random.PCG64(_ZOBRIST_SEED))
    states["zobrist"] = random.integers(1, 1 << 63, 2 * board.CELLS, dtype=np.uint64)
    states["reach"] = 4 if rule is Rule.FREESTYLE else 5
    return states[0]


@lru_cache
def _pattern_tables() -> dict[str, NDArray[Any]]:
    """What does not depend on the weights."""
    return {"level_of": patterns.levels(), "rank_of": ranks().ravel()}


@lru_cache(maxsize=8)
def _weight_tables(weights: Weights) -> dict[str, NDArray[np.integer[Any]]]:
    """The weights as a state has them, those for dark before those for light."""
    network = weights.network
    for_light = network.first[0].reshape(-1, 2, board.FEATURES)[:, ::-1]
    return {
        "embedding": _by_pair(network.embedding),
        "first_layer": np.append(network.first[-1], for_light),
        "first_bias": network.first_bias[[-1, 0]].ravel(),
        "second_layer": network.second.ravel(),
        "second_bias": network.second_bias,
        "last_layer": network.last,
        "worth_of": by_pattern(weights.worth).ravel(),
        "policy_of": by_pattern(weights.policy).ravel(),
        "threat_worth": weights.threats[[-1, 0]].ravel(),
    }


def _by_pair(embedding: NDArray[np.int16]) -> NDArray[np.int16]:
    """What a pair of rows stands for: dark's and light's features, by dark's kind and light's."""
    by_pair = np.zeros((16, 16, 2, board.FEATURES), dtype=np.int16)
    kinds = embedding.shape[1]
    # The kind of dark's row is in the lower bits of a pair.
    by_pair[:kinds, :kinds, board.DARK_COLOUR] = embedding[-1].swapaxes(0, 1)
    by_pair[:kinds, :kinds, board.LIGHT_COLOUR] = embedding[0]
    return by_pair.ravel()


@lru_cache
def _row_table(rule: Rule) -> NDArray[np.uint8]:
    """The joined tables of a rule. In freestyle the fifth cell on each side does not matter."""
    size = line_table.SHORT_LINES if rule is Rule.FREESTYLE else 4 * line_table.SHORT_LINES
    dark, light = (np.empty(size, dtype=np.uint8) for _ in range(2))
    restricted = rule is Rule.RENJU
    line_table.fill_table(dark, board.DARK_COLOUR, rule is Rule.STANDARD or restricted, restricted)
    line_table.fill_table(light, board.LIGHT_COLOUR, rule is Rule.STANDARD, False)
    table = np.empty(size if rule is Rule.FREESTYLE else line_table.LINES, dtype=np.uint8)
    line_table.join_tables(table, dark, light)
    return table


def set_up(state: Any, size: int, position: Position) -> None:
    """Put the stones of `position` on an empty board of `size`."""
    dark, light = cells_of(position.dark), cells_of(position.light)
    stones = np.empty(len(dark) + len(light), dtype=np.int64)
    stones[0::2] = [board.padded(cell, size) for cell in dark]
    stones[1::2] = [board.padded(cell, size) for cell in light]
    board.set_up(state, size, stones)
