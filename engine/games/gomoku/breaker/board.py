"""The board of the breaker's game, as its kernels see it.

The *maker* moves first and wants to fill a *window*, five cells in a row; the *breaker* wants a
stone in every window. A window without a stone of the breaker's is *open*. Cells are numbered row
by row from the lower left, and a set of cells is a word of 64 bits, one for each: boards have at
most 64 cells. A *line* is a row, column or diagonal of at least five cells, and the stones on it
are kept as well, in 8 bits.
"""

from typing import Any

import numpy as np
from numba import from_dtype, types

from engine.kernels import Word, kernel

MIN_SIZE, MAX_SIZE = 5, 8
MAX_CELLS = MAX_SIZE * MAX_SIZE
WINDOW = 5
ALL_FIVE = (1 << WINDOW) - 1
"""All cells of a line's first window."""

MAKER, BREAKER = 0, 1
SYMMETRIES = 8
MOST_LINES = 2 * MAX_SIZE + 2 * (2 * (MAX_SIZE - WINDOW) + 1)
LINES_THROUGH_A_CELL = 4
_LENGTHS = MAX_SIZE - WINDOW + 1
_SETS = 1 << MAX_SIZE
_WINDOW_SETS = 1 << _LENGTHS
TOO_MANY = 64
"""Pairs needed where no pairs are enough."""

# Any will do; the tables of a search that was cut off depend on them. An empty board must not have
# the hash 0, which stands for an empty place in a table.
_SEED = 5
_EMPTY_BOARD = 0x9E3779B97F4A7C15

BOARD = np.dtype(
    [
        ("cells", np.int64),
        ("lines", np.int64),
        ("length", np.int64, MOST_LINES),
        ("cell", np.int64, MOST_LINES * MAX_SIZE),
        ("through", np.int64, MAX_CELLS),
        ("line_of", np.int64, MAX_CELLS * LINES_THROUGH_A_CELL),
        ("place_of", np.int64, MAX_CELLS * LINES_THROUGH_A_CELL),
        ("image", np.int64, SYMMETRIES * MAX_CELLS),
        ("inverse", np.int64, SYMMETRIES),
        ("random", np.uint64, 2 * MAX_CELLS),
        ("stones", np.uint64, 2),
        ("stones_on", np.int64, 2 * MOST_LINES),
        ("hash", np.uint64, SYMMETRIES),
        ("bits", np.int64, _SETS),
        ("open_windows", np.int64, _LENGTHS * _SETS),
        ("pairs_needed", np.int64, _LENGTHS * _WINDOW_SETS * _SETS),
        # Of the last pairing; what is still free on a line, and its windows without a pair.
        ("free_on", np.int64, MOST_LINES),
        ("without_pair", np.int64, MOST_LINES),
        ("pair", np.int64, MAX_CELLS),
        ("pairs", np.int64),
        ("pairing_nodes", np.int64),
        ("pairing_limit", np.int64),
        ("deficit", np.int64),
        # Of the last search for fours: the cells of the win.
        ("fours", np.uint64),
        ("four_nodes", np.int64),
    ],
    align=True,
)
"""The stones, the tables of one board size, and what was found of the last position."""

Board = from_dtype(BOARD)

_ONE = np.uint64(1)


def new_board(size: int) -> Any:
    """An empty board of `size` times `size` cells."""
    s = np.zeros(1, dtype=BOARD)[0]
    s["cells"] = size * size
    lines = _lines(size)
    s["lines"] = len(lines)
    for number, line in enumerate(lines):
        s["length"][number] = len(line)
        for place, cell in enumerate(line):
            s["cell"][number * MAX_SIZE + place] = cell
            slot = cell * LINES_THROUGH_A_CELL + s["through"][cell]
            s["line_of"][slot], s["place_of"][slot] = number, place
            s["through"][cell] += 1
    s["image"].reshape(SYMMETRIES, MAX_CELLS)[:, : size * size] = images = _images(size)
    for number, image in enumerate(images):
        back = np.argsort(image)
        s["inverse"][number] = next(n for n, other in enumerate(images) if (other == back).all())
    s["random"] = np.random.default_rng(_SEED).integers(1 << 64, size=2 * MAX_CELLS, dtype="u8")
    s["hash"] = _EMPTY_BOARD
    s["bits"] = [number.bit_count() for number in range(_SETS)]
    _fill_tables(s)
    return s


def _lines(size: int) -> list[list[int]]:
    lines = []
    for column_step, row_step in ((1, 0), (0, 1), (1, 1), (-1, 1)):
        for start in range(size * size):
            row, column = divmod(start, size)
            line = []
            if not (0 <= row - row_step < size and 0 <= column - column_step < size):
                while 0 <= row < size and 0 <= column < size:
                    line.append(row * size + column)
                    row, column = row + row_step, column + column_step
            if len(line) >= WINDOW:
                lines.append(line)
    return lines


def _images(size: int) -> Any:
    """Where each symmetry takes each cell: bit 0 exchanges row and column, 1 and 2 mirror them."""
    rows, columns = np.divmod(np.arange(size * size), size)
    images = []
    for symmetry in range(SYMMETRIES):
        row, column = (columns, rows) if symmetry & 1 else (rows, columns)
        column = size - 1 - column if symmetry & 2 else column
        row = size - 1 - row if symmetry & 4 else row
        images.append(row * size + column)
    return np.array(images)


@kernel(types.int64(types.int64, types.int64, types.int64))
def windows_without(windows: int, low: int, high: int) -> int:
    """The windows of a line but those that hold both places `low` and `high`, the higher one."""
    left = windows
    for window in range(max(0, high - WINDOW + 1), low + 1):
        left &= ~(1 << window)
    return left


@kernel(types.void(Board))
def _fill_tables(s: Any) -> None:
    """Which windows are open on a line, and how many disjoint pairs of free cells these need."""
    for extra in range(_LENGTHS):
        for stones in range(1 << (WINDOW + extra)):
            for window in range(extra + 1):
                if stones & (ALL_FIVE << window) == 0:
                    s.open_windows[extra * _SETS + stones] |= 1 << window
        for windows in range(1, 1 << (extra + 1)):
            for free in range(1 << (WINDOW + extra)):
                best = TOO_MANY
                first = 0
                while windows >> first & 1 == 0:
                    first += 1
                for low in range(first, first + WINDOW):
                    for high in range(low + 1, first + WINDOW):
                        pair = 1 << low | 1 << high
                        if free & pair == pair:
                            left = windows_without(windows, low, high)
                            at = (extra * _WINDOW_SETS + left) * _SETS + (free & ~pair)
                            best = min(best, 1 + s.pairs_needed[at])
                s.pairs_needed[(extra * _WINDOW_SETS + windows) * _SETS + free] = best


@kernel(types.int64(Board, types.int64, types.int64, types.int64))
def pairs_needed(s: Any, line: int, windows: int, free: int) -> int:
    """How many disjoint pairs of the free cells of a line these windows need; or `TOO_MANY`."""
    extra = s.length[line] - WINDOW
    return int(s.pairs_needed[(extra * _WINDOW_SETS + windows) * _SETS + free])


@kernel(types.int64(Board, types.int64))
def open_windows(s: Any, line: int) -> int:
    """Which windows of a line have no stone of the breaker's."""
    extra = s.length[line] - WINDOW
    return int(s.open_windows[extra * _SETS + s.stones_on[MOST_LINES * BREAKER + line]])


@kernel(types.int64(Board, types.int64, types.int64))
def makers_in(s: Any, line: int, window: int) -> int:
    """The maker's stones in a window, as five bits."""
    return int(s.stones_on[MOST_LINES * MAKER + line] >> window & ALL_FIVE)


@kernel(types.void(Board, types.int64, types.int64))
def put(s: Any, side: int, cell: int) -> None:
    """Put a stone on a cell, or take it away again."""
    s.stones[side] ^= _ONE << np.uint64(cell)
    for n in range(s.through[cell]):
        slot = cell * LINES_THROUGH_A_CELL + n
        s.stones_on[MOST_LINES * side + s.line_of[slot]] ^= 1 << s.place_of[slot]
    for symmetry in range(SYMMETRIES):
        image = s.image[symmetry * MAX_CELLS + cell]
        s.hash[symmetry] ^= s.random[MAX_CELLS * side + image]


@kernel(types.uint64(types.int64))
def only(cell: int) -> Word:
    """The set of this one cell."""
    return _ONE << np.uint64(cell)


@kernel(types.boolean(types.uint64, types.int64))
def has(cells: Word, cell: int) -> bool:
    """Whether a cell is in a set."""
    return bool(cells >> np.uint64(cell) & _ONE != np.uint64(0))


@kernel(types.int64(types.uint64))
def count(cells: Word) -> int:
    """How many cells are in a set."""
    number = 0
    while cells != np.uint64(0):
        cells &= cells - _ONE
        number += 1
    return number


@kernel(types.uint64(Board))
def free_cells(s: Any) -> Word:
    """The cells without a stone."""
    every = ~np.uint64(0) >> np.uint64(MAX_CELLS - s.cells)
    return every & ~(s.stones[MAKER] | s.stones[BREAKER])


@kernel(types.int64(Board))
def canonical_symmetry(s: Any) -> int:
    """The symmetry that takes the position to its canonical image, that of the smallest hash."""
    best = 0
    for symmetry in range(1, SYMMETRIES):
        if s.hash[symmetry] < s.hash[best]:
            best = symmetry
    return best


@kernel(types.uint64(Board, types.int64, types.uint64))
def image_of(s: Any, symmetry: int, cells: Word) -> Word:
    """Where a symmetry takes a set of cells."""
    image = np.uint64(0)
    for cell in range(s.cells):
        if has(cells, cell):
            image |= only(s.image[symmetry * MAX_CELLS + cell])
    return image
