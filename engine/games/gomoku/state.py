"""A board record from Python's side: made for a rule, and set up with a position."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.games.gomoku import Rule, board, patterns
from engine.games.gomoku.line_table import HALF_LINES, REACH, add_kinds, half_lines
from engine.games.gomoku.ranks import ranks
from engine.games.gomoku.weights import Weights, by_number, read
from engine.position import Position, cells_of
from engine.tables import new_record

_ZOBRIST_SEED = 5
UNLIMITED = np.iinfo(np.int64).max


def new_state(rule: Rule, weights: Weights | None = None) -> Any:
    """A record with the tables of `rule`, to be set up before it is used.

    Without `weights` it evaluates and orders moves by those in the rule's file.
    """
    state = new_record(board.STATE)
    state["forbidding"] = rule is Rule.RENJU
    weights = weights or read(rule)
    for tables in (_row_tables(rule), _pattern_tables(), _weight_tables(weights)):
        for name, table in tables.items():
            state[name] = table
    state["tempo"] = weights.tempo
    state["last_bias"] = weights.network.last_bias
    random = np.random.Generator(np.random.PCG64(_ZOBRIST_SEED))
    state["zobrist"] = random.integers(1, 1 << 63, 2 * board.CELLS, dtype=np.uint64)
    state["reach"] = _reach(rule)
    return state


def _reach(rule: Rule) -> int:
    """How far away cells matter. Where more than five win, the fifth on each side does not."""
    return REACH - 1 if rule is Rule.FREESTYLE else REACH


@lru_cache
def _row_tables(rule: Rule) -> dict[str, NDArray[np.integer[Any]]]:
    """What both sides would make on a line, by what is before a cell and after it."""
    halves, numbers = half_lines(_reach(rule))
    rows = np.zeros((HALF_LINES, HALF_LINES), dtype=np.uint8)
    restricted = rule is Rule.RENJU
    add_kinds(halves, board.DARK_COLOUR, rule is not Rule.FREESTYLE, restricted, rows)
    add_kinds(halves, board.LIGHT_COLOUR, rule is Rule.STANDARD, False, rows)
    missing = (0, (1 << 2 * REACH) - numbers.size)
    return {
        "rows": rows.ravel(),
        # Before a cell the nearest one is in the highest bits, after it in the lowest.
        "before": np.pad(numbers.ravel(), missing),
        "after": np.pad(numbers.T.ravel() * HALF_LINES, missing),
    }


@lru_cache
def _pattern_tables() -> dict[str, NDArray[Any]]:
    """What does not depend on the weights."""
    levels = patterns.levels().reshape(2, board.PATTERNS)
    return {
        "pairs_of": patterns.pairs_of_both(),
        "level_of": levels[:, patterns.by_number()].ravel(),
        "rank_of": ranks()[:, patterns.by_number()].ravel(),
    }


@lru_cache(maxsize=8)
def _weight_tables(weights: Weights) -> dict[str, NDArray[np.integer[Any]]]:
    """The weights as a state has them, those for dark before those for light.

    The layer after the first has half as many nodes; those that are missing to as many count for
    nothing.
    """
    network = weights.network
    for_light = network.first[0].reshape(-1, 2, board.FEATURES)[:, ::-1].reshape(board.HIDDEN, -1)
    missing = (0, board.HIDDEN - board.SECOND_HIDDEN)
    worth = by_number(weights.worth).astype(np.int64)
    return {
        "embedding": _by_pair(network.embedding),
        "first_layer": np.append(_in_pairs(network.first[-1]), _in_pairs(for_light)),
        "first_bias": network.first_bias[[-1, 0]].ravel(),
        "second_layer": _in_pairs(_by_halves(network.second)),
        "second_bias": np.pad(network.second_bias, missing),
        "last_layer": np.pad(network.last, missing),
        "fading": network.fading,
        "worth_of": (
            worth[..., board.MOVER] + (worth[..., board.WAITER] << board.WAITER_AT)
        ).ravel(),
        "odds_of": by_number(weights.policy).ravel(),
        "threat_worth": weights.threats[[-1, 0]].ravel(),
    }


def _in_pairs(layer: NDArray[np.int16]) -> NDArray[np.int16]:
    """The weights of a layer, shape (nodes, inputs), as `vectors.add_products` takes them."""
    nodes, inputs = layer.shape
    return layer.reshape(nodes, inputs // 2, 2).swapaxes(0, 1).ravel()


def _by_halves(layer: NDArray[np.int16]) -> NDArray[np.int16]:
    """The weights of a layer, shape (nodes, inputs), as `vectors.add_products_of_halves` takes them
    once they are in pairs: those for the second half of the inputs below those for the first.
    """
    return np.concatenate(np.hsplit(layer, 2))


def _by_pair(embedding: NDArray[np.int16]) -> NDArray[np.int16]:
    """What a pair of rows stands for: dark's and light's features, by dark's kind and light's."""
    by_pair = np.zeros((16, 16, 2, board.FEATURES), dtype=np.int16)
    kinds = embedding.shape[1]
    # The kind of dark's row is in the lower bits of a pair.
    by_pair[:kinds, :kinds, board.DARK_COLOUR] = embedding[-1].swapaxes(0, 1)
    by_pair[:kinds, :kinds, board.LIGHT_COLOUR] = embedding[0]
    return by_pair.ravel()


def set_up(state: Any, size: int, position: Position) -> None:
    """Put the stones of `position` on an empty board of `size`."""
    dark, light = cells_of(position.dark), cells_of(position.light)
    stones = np.empty(len(dark) + len(light), dtype=np.int64)
    stones[0::2] = [board.padded(cell, size) for cell in dark]
    stones[1::2] = [board.padded(cell, size) for cell in light]
    board.set_up(state, size, stones)
