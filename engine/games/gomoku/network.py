"""What a position is worth beyond the sum of its cells: a small network over the rows of each cell.

On each of its four lines an empty cell has a row that dark could make there and one that light
could make. Such a pair stands for `FEATURES` numbers for either side; those of the four lines are
added, and where the sum is positive it counts. What counts in all cells together, the features of
the position, goes through two layers. (After NNUE: Nasu, 2018.)

Cells from which no side could make a two are left out, so that a larger board is not another
position.

All numbers are whole, so that the value is the same on every machine. The features are kept for
every position on the way from the root, so that taking back a stone costs next to nothing; those
of positions that are not asked about are not worked out.
"""

from typing import Any

from numba import types

from engine.games.gomoku.board import (
    EMPTY,
    HIDDEN,
    WIDTH,
    State,
)
from engine.kernels import kernel, u64
from engine.vectors import (
    add,
    add_halves,
    add_products,
    add_products_of_halves,
    add_up,
    at_most,
    load,
    no_longs,
    none,
    positive,
    shift,
    store,
    subtract,
    sum_of_products,
    vector,
)

_WEIGHT_BITS = 10
WEIGHT_UNIT, LAST_UNIT = 1 << _WEIGHT_BITS, 1 << 16
"""What stands for one in the weights of the first two layers, and in those of the last."""

NODE_MAX = WEIGHT_MAX = (1 << 13) - 1
"""With these no sum of products in a layer is beyond 32 bits."""

EMBEDDING_MAX = (1 << 10) - 1
_CELLS_ADDED = 8
"""With these what four rows stand for is never beyond 16 bits, in so many cells together."""

COUNTING = 0xCCCC
"""The bits that the kinds from a two on have in a pattern, and others have not."""
_COUNTING_ON_LINES = 0xCCCCCCCC


@kernel(types.boolean(State, types.int64))
def counts(s: Any, at: int) -> bool:
    """Whether a cell is among those that the features are of."""
    return bool(s.cell[u64(at)] == EMPTY and s.patterns[u64(at)] & _COUNTING_ON_LINES)


@kernel(types.void(State))
def _step_back(s: Any) -> None:
    """Forget the newest features."""
    s.steps -= 1
    first = s.step_entries[u64(s.steps)]
    for entry in range(s.entries - 1, first - 1, -1):
        s.entry[u64(s.entry_cell[u64(entry)])] = s.former_entry[u64(entry)]
    s.entries = first


@kernel(vector(State, types.int64, types.int64))
def _renew(s: Any, entry: int, at: int) -> Any:
    """Make a new `entry` for a cell; returns what that adds to the features."""
    former = s.entry[u64(at)]
    s.former_entry[u64(entry)] = former
    s.entry_cell[u64(entry)] = at
    s.entry[u64(at)] = entry
    now: Any = none()
    if counts(s, at):
        patterns = int(s.patterns[u64(at)])
        one = load(s.embedding, (patterns & 0xFF) * WIDTH)
        two = load(s.embedding, (patterns >> 8 & 0xFF) * WIDTH)
        three = load(s.embedding, (patterns >> 16 & 0xFF) * WIDTH)
        four = load(s.embedding, (patterns >> 24 & 0xFF) * WIDTH)
        now = positive(add(add(one, two), add(three, four)))
    store(s.cell_features, entry * WIDTH, now)
    return subtract(now, load(s.cell_features, int(former) * WIDTH))


@kernel(types.void(State))
def _begin(s: Any) -> None:
    """Work out the features of the position from all its cells."""
    # Entry 0 stands for cells that have none.
    store(s.cell_features, 0, none())
    s.entry[:] = 0
    s.entries = 1
    features: Any = no_longs()
    for index in range(s.size * s.size):
        at = int(s.cells[u64(index)])
        if counts(s, at):
            features = add_up(features, _renew(s, s.entries, at))
            s.entries += 1
    store(s.features, 0, features)
    s.step_entries[0] = 1


@kernel(types.void(State, types.int64))
def _go_on(s: Any, stones: int) -> None:
    """Work out the features from those of the last step, when there were so many `stones`."""
    features: Any = load(s.features, (s.steps - 1) * WIDTH)
    added: Any = none()
    first = end = int(s.entries)
    for change in range(s.changes_before[u64(stones)], s.changes):
        at = int(s.changed[u64(change)])
        # It may have been changed by several stones.
        if s.entry[u64(at)] < first:
            added = add(added, _renew(s, end, at))
            end += 1
            if (end - first) % _CELLS_ADDED == 0:
                features, added = add_up(features, added), none()
    store(s.features, s.steps * WIDTH, add_up(features, added))
    s.step_entries[u64(s.steps)] = first
    s.entries = end


@kernel(types.void(State))
def _follow(s: Any) -> None:
    """Work out the features of the position, if they are not."""
    while s.steps > 0 and s.step_stones[u64(s.steps - 1)] > s.common:
        _step_back(s)
    if s.steps == 0:
        _begin(s)
    else:
        stones = s.step_stones[u64(s.steps - 1)]
        if stones == s.stones:
            return
        _go_on(s, stones)
    s.step_stones[u64(s.steps)] = s.stones
    s.steps += 1
    s.common = s.stones


@kernel(types.int64(State))
def network_value(s: Any) -> int:
    """What the network adds to the static value for the side to move, in centi-units."""
    _follow(s)
    features: Any = at_most(load(s.features, (s.steps - 1) * WIDTH), NODE_MAX)
    bias: Any = load(s.first_bias, s.colour * HIDDEN)
    nodes: Any = add_products(bias, s.first_layer, s.colour * HIDDEN * WIDTH, features)
    nodes = positive(at_most(shift(nodes, _WEIGHT_BITS), NODE_MAX))
    second: Any = add_products_of_halves(load(s.second_bias, 0), s.second_layer, 0, nodes)
    second = positive(at_most(shift(add_halves(second), _WEIGHT_BITS), NODE_MAX))
    value = s.last_bias + sum_of_products(load(s.last_layer, 0), second)
    return int(value // LAST_UNIT)
