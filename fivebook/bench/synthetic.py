"""Books of any size in a few minutes: made up but for their shape, to measure a book by.

The positions, their keys and all links among them are real ones of a game of `gomoku`; values and
rest slots are drawn at random, and values and costs follow from them as in any book. A search
takes longer than a row: nobody has to wait for ten million searches to see how a book of ten
million positions behaves.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray
from sqlalchemy import Connection, insert

from book.rows.counts import CountChanges
from book.rows.digests import DigestChanges
from book.rows.encoding import lookup_of
from book.rows.propagation import step_cost
from book.storage.address import AnyAddress
from book.storage.schema import RestState, moves, positions
from book.writer import BookWriter
from engine.game import Game
from engine.kernels import kernel
from engine.search import Limits

GAME_ID = "gomoku-15"
# Stored positions have their stones within this distance of the middle; rest moves lead out of
# it, so that no position behind one is stored.
_REGION = 4
_CROWDING = 1.0
_PLY_SPREAD = 1.5
_DEPTHS = (6, 10)
_LINE_PLIES = 8
_LINE_STRIDE = 7
_MOST_ROWS = 100_000
_MOST_VALUE = 1_000
_CACHE_KIBIBYTES = 4 << 20
_SPREAD = 120

_Cells = NDArray[np.uint8]
_Numbers = NDArray[np.int64]
_U8 = types.Array(types.uint8, 2, "C")
_I64 = types.Array(types.int64, 1, "C")


@dataclass(slots=True)
class _Layer:
    """The positions of one ply: packed stones, and how they hang together with the ply before.

    `stones` has a row of cells for each position, `hashes` tell them apart. `parents` and
    `children` are the ends of the links, as rows of the layer before and of this one.
    """

    stones: _Cells
    hashes: _Numbers
    parents: _Numbers
    children: _Numbers
    link_moves: _Numbers


def fill(address: AnyAddress, game: Game, size: int, seed: int = 1) -> None:
    """Make a book of `size` positions of `game` at `address`, where there must be none.

    Raises:
        BookError: if it cannot be written.
    """
    random = np.random.default_rng(seed)
    layers = _grow(game, size, random)
    with BookWriter(address, game) as writer:
        run = writer.start_run({"limits": Limits(nodes=20_000).as_dict(), "synthetic": True})
        with writer.transaction() as connection:
            _store(connection, writer, layers, run, random)
        writer.end_run(run)


def _grow(game: Game, size: int, random: np.random.Generator) -> list[_Layer]:
    maps = np.array(
        [[game.map_cell(cell, s) for cell in range(game.cell_count)] for s in game.symmetries],
        dtype=np.uint8,
    )
    # Stones crowd in the middle, so that games meet again as often as real ones do.
    rows, columns = np.divmod(np.arange(game.cell_count), game.width)
    off = np.maximum(abs(rows - game.width // 2), abs(columns - game.width // 2))
    weights = np.where(off <= _REGION, np.exp(-0.5 * (off / _CROWDING) ** 2), 0.0)
    weights /= weights.sum()
    none = np.zeros(0, dtype=np.int64)
    root = _Layer(np.zeros((1, 0), np.uint8), np.zeros(1, np.int64), none, none, none)
    layers = [root]
    left = size - 1
    # The games of a large book are longer: most positions lie about half a natural logarithm deep.
    middle = np.log(size) / 2
    shares = [math.exp(-0.5 * ((ply - middle) / _PLY_SPREAD) ** 2) for ply in range(100)]
    last = math.ceil(middle + 3 * _PLY_SPREAD)
    while left > 0:
        ply = len(layers)
        share = shares[ply] / sum(shares[ply : last + 1]) if ply < last else 1.0
        layers.append(_next_layer(layers[-1], math.ceil(left * share), maps, weights, random))
        left -= len(layers[-1].stones)
    return layers


def _next_layer(
    before: _Layer,
    wanted: int,
    maps: _Cells,
    weights: NDArray[np.float64],
    random: np.random.Generator,
) -> _Layer:
    # Some positions have many children and most have few.
    tries = 2 * wanted + 64
    parents = (len(before.stones) * random.random(tries) ** 3).astype(np.int64)
    cells = random.choice(len(weights), tries, p=weights)
    ply = before.stones.shape[1] + 1
    stones = np.zeros((tries, ply), np.uint8)
    hashes = np.zeros(tries, np.int64)
    add_stones(before.stones, parents, cells, maps, stones, hashes)
    found, first = np.unique(hashes, return_index=True)
    first = first[found != 0]
    chosen = random.permutation(first)[:wanted]
    chosen = chosen[~is_over(stones[chosen], math.isqrt(len(weights)))]
    stones, hashes = np.ascontiguousarray(stones[chosen]), hashes[chosen]
    order = np.argsort(before.hashes)
    links = []
    for taken in range((ply + 1) // 2):
        above = np.zeros((len(stones), ply - 1), np.uint8)
        above_hashes = np.zeros(len(stones), np.int64)
        link_moves = np.zeros(len(stones), np.int64)
        take_stones(stones, taken, maps, above, above_hashes, link_moves)
        at = np.searchsorted(before.hashes, above_hashes, sorter=order)
        row = order[np.minimum(at, len(order) - 1)]
        is_stored = before.hashes[row] == above_hashes
        links.append(np.stack((row[is_stored], np.flatnonzero(is_stored), link_moves[is_stored])))
    ends = np.concatenate(links, axis=1)
    # By child, then by parent, and of several moves the smallest.
    ends = ends[:, np.lexsort((ends[2], ends[0], ends[1]))]
    is_first = np.ones(ends.shape[1], dtype=bool)
    is_first[1:] = (ends[:2, 1:] != ends[:2, :-1]).any(axis=0)
    return _Layer(stones, hashes, *ends[:, is_first])


def is_over(stones: _Cells, size: int) -> NDArray[np.bool_]:
    """Which of these positions have five in a row, on a board of that many rows."""
    over = np.zeros(len(stones), dtype=bool)
    dark = (stones.shape[1] + 1) // 2
    for start in range(0, len(stones), _MOST_ROWS):
        part = stones[start : start + _MOST_ROWS]
        for side in (part[:, :dark], part[:, dark:]):
            board = np.zeros((len(part), size, size), dtype=bool)
            np.put_along_axis(board.reshape(len(part), -1), side.astype(np.int64), True, axis=1)
            for lines in (
                board,
                board.transpose(0, 2, 1),
                _slanted(board),
                _slanted(board[:, ::-1]),
            ):
                five = lines[..., :-4] & lines[..., 1:-3] & lines[..., 2:-2]
                five &= lines[..., 3:-1] & lines[..., 4:]
                over[start : start + _MOST_ROWS] |= five.any(axis=(1, 2))
    return over


def _slanted(board: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The boards with each row moved one further than the one before: diagonals become columns,
    and are turned to be rows."""
    count, size, _ = board.shape
    moved = np.zeros((count, size, 2 * size), dtype=bool)
    for row in range(size):
        moved[:, row, row : row + size] = board[:, row]
    return moved.transpose(0, 2, 1)


@kernel(types.int64(_U8, types.int64, types.int64, _U8, _U8, types.int64, _I64))
def put_canonical(
    stones: _Cells, row: int, dark: int, maps: _Cells, out: _Cells, to: int, cell: _Numbers
) -> Any:
    """Write the smallest image of a row of cells into row `to` of `out`; returns its hash.

    The one number in `cell` is turned along: where several symmetries make that image, as far
    down as they can.
    """
    count = stones.shape[1]
    image = np.empty(count, np.uint8)
    smallest = np.int64(0)
    for symmetry in range(maps.shape[0]):
        for start, end in ((0, dark), (dark, count)):
            for at in range(start, end):
                turned = maps[symmetry, stones[row, at]]
                place = at
                while place > start and image[place - 1] > turned:
                    image[place] = image[place - 1]
                    place -= 1
                image[place] = turned
        order = -1 if symmetry == 0 else 0
        for at in range(count):
            if order == 0 and image[at] != out[to, at]:
                order = -1 if image[at] < out[to, at] else 1
        turned_cell = np.int64(maps[symmetry, cell[0]])
        if order < 0:
            smallest = turned_cell
            for at in range(count):
                out[to, at] = image[at]
        elif order == 0:
            smallest = min(smallest, turned_cell)
    cell[0] = smallest
    # FNV-1a (Fowler, Noll, Vo 1991), never zero, and zero for the empty board.
    digest = np.uint64(14695981039346656037)
    for at in range(count):
        digest = (digest ^ np.uint64(out[to, at])) * np.uint64(1099511628211)
        digest ^= digest >> np.uint64(29)
    return np.int64(digest | np.uint64(1)) if count else np.int64(0)


@kernel(types.void(_U8, _I64, _I64, _U8, _U8, _I64))
def add_stones(
    before: _Cells,
    parents: _Numbers,
    cells: _Numbers,
    maps: _Cells,
    out: _Cells,
    hashes: _Numbers,
) -> None:
    """The canonical positions after a stone on each of `cells`; hash 0 where it was taken."""
    count = before.shape[1]
    dark = (count + 1) // 2
    new = np.empty((1, count + 1), np.uint8)
    cell = np.zeros(1, np.int64)
    for row in range(len(parents)):
        is_free = True
        for at in range(count):
            is_free = is_free and before[parents[row], at] != cells[row]
        if not is_free:
            continue
        place = dark if count % 2 == 0 else count
        for at in range(count):
            new[0, at + (at >= place)] = before[parents[row], at]
        new[0, place] = cells[row]
        hashes[row] = put_canonical(new, 0, (count + 2) // 2, maps, out, row, cell)


@kernel(types.void(_U8, types.int64, _U8, _U8, _I64, _I64))
def take_stones(
    stones: _Cells,
    taken: int,
    maps: _Cells,
    above: _Cells,
    hashes: _Numbers,
    moves: _Numbers,
) -> None:
    """The canonical positions before the last mover's stone number `taken` came, and its cell.

    The cells are in the orientation of those positions; hash -1 where there is no such stone.
    """
    count = stones.shape[1]
    dark = (count + 1) // 2
    first, end = (0, dark) if count % 2 else (dark, count)
    old = np.empty((1, count - 1), np.uint8)
    cell = np.zeros(1, np.int64)
    for row in range(len(stones)):
        hashes[row] = -1
        if first + taken >= end:
            continue
        for at in range(count):
            if at != first + taken:
                old[0, at - (at > first + taken)] = stones[row, at]
        cell[0] = stones[row, first + taken]
        hashes[row] = put_canonical(old, 0, count // 2, maps, above, row, cell)
        moves[row] = cell[0]


def _store(
    connection: Connection,
    writer: BookWriter,
    layers: list[_Layer],
    run: int,
    random: np.random.Generator,
) -> None:
    """Write everything, in an order that has nothing to do with where positions lie."""
    if connection.dialect.name == "sqlite":
        # Rows go to all places of the indexes: a page that left the cache would soon come back.
        connection.exec_driver_sql(f"PRAGMA cache_size = -{_CACHE_KIBIBYTES}")
    sizes = [len(layer.stones) for layer in layers]
    ends = np.cumsum([0, *sizes])
    # The root comes first, as in every book; then positions of all plies mixed.
    numbers = np.concatenate(([1], 2 + random.permutation(ends[-1] - 1)))
    rest_values = np.clip(random.normal(0, _SPREAD, ends[-1]).astype(np.int64), -_MOST_VALUE, 999)
    values, open_costs = _settled(layers, ends, rest_values)
    depths = random.integers(*_DEPTHS, ends[-1])
    nodes = random.integers(19_000, 20_001, ends[-1])
    game = writer.game
    edge = np.array(
        [c for c in range(game.cell_count) if abs(c % game.width - game.width // 2) > _REGION],
        dtype=np.uint8,
    )
    # The stride shares no factor with the number of cells, so that no cell comes twice.
    first = random.integers(0, len(edge), (ends[-1], 1))
    rest_lines = edge[(first + _LINE_STRIDE * np.arange(_LINE_PLIES)) % len(edge)]
    order = np.argsort(numbers)
    plies = np.searchsorted(ends, order, side="right") - 1
    counts, digests = CountChanges(), DigestChanges(writer.rows)
    rows: list[dict[str, Any]] = []
    for at, ply in zip(order.tolist(), plies.tolist(), strict=True):
        stones = layers[ply].stones[at - ends[ply]].tobytes()
        rows.append(
            digests.digested(
                {
                    "id": int(numbers[at]),
                    "game": writer.rows.number,
                    "lookup": lookup_of(game.key(stones)),
                    "stones": stones,
                    "ply": ply,
                    "value": int(values[at]),
                    "bound": 0,
                    "proven": False,
                    "rest_state": RestState.OPEN.value,
                    "rest_value": int(rest_values[at]),
                    "rest_bound": 0,
                    "rest_proven": False,
                    "rest_line": rest_lines[at].tobytes(),
                    "open_cost": int(open_costs[at]),
                    "depth": int(depths[at]),
                    "nodes": int(nodes[at]),
                    "milliseconds": int(nodes[at]) // 60,
                    "run": run,
                }
            )
        )
        counts.add(ply, int(depths[at]), positions=1, nodes=int(nodes[at]))
        if len(rows) == _MOST_ROWS:
            connection.execute(insert(positions), rows)
            rows.clear()
    if rows:
        connection.execute(insert(positions), rows)
    counts.store(connection, writer.rows.number)
    digests.store()
    _store_links(connection, layers, ends, numbers)


def _store_links(
    connection: Connection, layers: list[_Layer], ends: _Numbers, numbers: _Numbers
) -> None:
    links = np.concatenate(
        [
            np.stack(
                (
                    numbers[ends[ply] + layers[ply + 1].parents],
                    numbers[ends[ply + 1] + layers[ply + 1].children],
                    layers[ply + 1].link_moves,
                )
            )
            for ply in range(len(layers) - 1)
        ],
        axis=1,
    )
    # A link comes with the later of its two positions.
    links = links[:, np.argsort(links[:2].max(axis=0))]
    for start in range(0, links.shape[1], _MOST_ROWS):
        rows = links[:, start : start + _MOST_ROWS].T.tolist()
        connection.execute(
            insert(moves),
            [{"parent": parent, "child": child, "move": move} for parent, child, move in rows],
        )


def _settled(
    layers: list[_Layer], ends: _Numbers, rest_values: _Numbers
) -> tuple[_Numbers, _Numbers]:
    """Book values and open costs, which follow from the rest values."""
    values = rest_values.copy()
    for ply in range(len(layers) - 1, 0, -1):
        parents = ends[ply - 1] + layers[ply].parents
        np.maximum.at(values, parents, -values[ends[ply] + layers[ply].children])
    open_costs = _steps(values, rest_values)
    for ply in range(len(layers) - 1, 0, -1):
        parents = ends[ply - 1] + layers[ply].parents
        children = ends[ply] + layers[ply].children
        ways = _steps(values[parents], -values[children]) + open_costs[children]
        np.minimum.at(open_costs, parents, ways)
    return values, open_costs


def _steps(best: _Numbers, values: _Numbers) -> _Numbers:
    """`step_cost` of many moves."""
    span = 2 * _MOST_VALUE + 1
    pairs, at = np.unique((best + _MOST_VALUE) * span + values + _MOST_VALUE, return_inverse=True)
    costs = [
        step_cost(int(pair) // span - _MOST_VALUE, int(pair) % span - _MOST_VALUE) for pair in pairs
    ]
    return np.array(costs, dtype=np.int64)[at]
