"""The board as the search sees it: stones, line patterns and their sums, kept up to date.

All of it is one record, so that kernels pass a single pointer. Cells are numbered on a board
with a margin, in rows of 32, so that a step along any line is one addition and never wraps.
Colours are 0 (dark) and 1 (light).
"""

from typing import Any

import numpy as np
from numba import from_dtype, types

from engine.games.gomoku.line_table import HALF_LINES, KINDS, OPEN_THREE, REACH
from engine.kernels import entry_kernel, i64, kernel, u64
from engine.vectors import LANES, add_bytes, at_least, load, lowest, store

STRIDE = 32
MARGIN = 5
# One row more than the margins need: a step off the last corner must stay inside the arrays.
CELLS = (26 + 2 * MARGIN + 1) * STRIDE
MAX_CELLS = 26 * 26
BEFORE_ALL = MARGIN * STRIDE
MAX_PLY = 96
STEPS = (1, STRIDE, STRIDE + 1, STRIDE - 1)

DARK_COLOUR, LIGHT_COLOUR = 0, 1
EMPTY, WALL = 0, 3
_DARK_STONE = DARK_COLOUR + 1

# What a stone on a cell achieves over its four lines together. From OPEN_FOURS on, the opponent
# cannot parry it without a five of his own.
PLAIN, OPEN_THREE_MOVE, DOUBLE_THREE, FOUR_MOVE, FOUR_THREE, OPEN_FOURS, FIVE_MOVE = range(7)
LEVELS = 7
# The level of a cell that is taken or off the board.
_TAKEN = -1
# A pattern is the kinds of rows on the four lines of a cell, four bits each. Those of a side that
# has forbidden points (dark in renju) follow those of other sides.
PATTERNS = 1 << 16
# Both patterns of a cell are one number: from the lowest bit dark's kind and light's on each line,
# then the numbers of dark's pattern and of light's, see `patterns.pairs`, by which tables are.
NUMBERS_AT, NUMBER_BITS = 32, 16
# What a pattern is worth to the side to move and to the other side is one number, too: the latter
# moved up by so many bits and the former together.
WAITER_AT = 32
# Above the number of a cell, bits for the level that it had.
_LEVEL_AT = 12
PAIRS_OF_ROWS = len(KINDS) * (len(KINDS) + 1) // 2
NUMBERS = PAIRS_OF_ROWS**2
_STRENGTHS = tuple(strength for strength, _ in KINDS)

# A cell is worth more to the side to move, which is the first to use it. What a cell is worth and
# the sums of that are therefore kept for both cases, side by side.
MOVER, WAITER = range(2)

# Positions are told apart by how many cells each side has of every level from OPEN_THREE_MOVE to
# OPEN_FOURS: none, up to so many, or more. The side to move that had OPEN_FOURS would win at once.
_FEW = np.array([0, 4, 1, 2, 1, 2])
THREATS = 3 ** (2 * (OPEN_FOURS - PLAIN) - 1)
# The lines of a direction, by number: those that fall are told apart by row less column.
_LINES_A_DIRECTION = 2 * STRIDE
# A line has two bits a cell, from the lowest: none off the board, both where it is empty, the upper
# for dark, the lower for light.
_OPEN, _LOWER_BITS = 3, 0x5555555555555555
# By how many rows away they are, a byte for each cell of a row, from two before a stone on: whether
# it is on a line with that.
_NEAR = (0x0101000101, 0x0001010100, 0x0100010001)
# So many moves say, besides the threats, how static values may be wrong.
LAST_MOVES = 2

# A stone changes so many cells: its own, and those on its lines.
_MOST_CELLS = 41

# The sizes of `network`: numbers for each side, those of both, and the nodes of two layers.
FEATURES = 16
WIDTH, HIDDEN, SECOND_HIDDEN = 2 * FEATURES, 32, 16
PAIRS = 1 << 8
# Values fade as the board fills, by steps of so many stones, in parts of a whole.
STONES_A_STEP, FADING_AT = 8, 8
WHOLE = 1 << FADING_AT
FADING_STEPS = MAX_CELLS // STONES_A_STEP + 1
# What it keeps: an entry for each cell of the root, then for those that each stone changes and its
# own; a step for each position that was asked about. `common` is how many of the first stones have
# stayed where they were since the last step.
_STEPS = MAX_PLY + 2
_ENTRIES = 1 + MAX_CELLS + _MOST_CELLS * _STEPS

# What `take_back` restores: `level_count`, `level_sum` and `worth`, which make one vector.
_SUMS = 4 * LEVELS + 4
assert _SUMS == LANES == 2 * SECOND_HIDDEN

STATE = np.dtype(
    [
        # What is read as vectors begins on lines of the processor's cache.
        ("embedding", np.int16, PAIRS * WIDTH),
        ("first_layer", np.int16, 2 * HIDDEN * WIDTH),
        ("first_bias", np.int32, 2 * HIDDEN),
        ("second_layer", np.int16, SECOND_HIDDEN * HIDDEN),
        ("second_bias", np.int32, HIDDEN),
        ("last_layer", np.int32, HIDDEN),
        ("features", np.int32, _STEPS * WIDTH),
        ("cell_features", np.int16, _ENTRIES * WIDTH),
        ("kept", np.int32, MAX_CELLS * _SUMS),
        ("level_count", np.int32, 2 * LEVELS),
        ("level_sum", np.int32, 2 * LEVELS),
        ("worth", np.int32, 4),
        ("rows", np.uint8, HALF_LINES * HALF_LINES),
        ("before", np.uint16, 1 << 2 * REACH),
        ("after", np.uint16, 1 << 2 * REACH),
        ("pairs_of", np.uint32, 1 << 16),
        ("level_of", np.uint8, 2 * NUMBERS),
        ("worth_of", np.int64, 2 * NUMBERS),
        ("odds_of", np.int16, 2 * 2 * NUMBERS),
        ("rank_of", np.int16, 2 * 2 * NUMBERS),
        ("threat_worth", np.int16, 2 * THREATS),
        ("fading", np.int32, FADING_STEPS),
        ("last_bias", np.int64),
        ("step_stones", np.int32, _STEPS),
        ("step_entries", np.int32, _STEPS),
        ("steps", np.int64),
        ("common", np.int64),
        ("entry_cell", np.int16, _ENTRIES),
        ("former_entry", np.int16, _ENTRIES),
        ("entry", np.int16, CELLS),
        ("entries", np.int64),
        ("played", np.int16, MAX_CELLS),
        ("cell", np.int8, CELLS),
        ("near", np.int8, CELLS),
        ("lines", np.uint64, 4 * _LINES_A_DIRECTION),
        ("patterns", np.int64, CELLS),
        ("level", np.int8, 2 * CELLS),
        ("central", np.int8, CELLS),
        ("zobrist", np.uint64, 2 * CELLS),
        ("cells", np.int16, MAX_CELLS),
        ("excluded", np.uint8, CELLS),
        ("marks", np.int64, CELLS // STRIDE),
        ("correction", np.int32, THREATS),
        ("move_correction", np.int32, LAST_MOVES * 2 * CELLS),
        # What quiet moves have earned, then threats.
        ("history", np.int32, 2 * 2 * CELLS),
        ("killers", np.int16, 2 * MAX_PLY),
        # By ply: the static value two places on, the level of the move that is searched, one that
        # is to be left out, and by how much all moves before were searched deeper.
        ("static_at", np.int32, MAX_PLY + 2),
        ("level_at", np.int8, MAX_PLY),
        ("left_out", np.int16, MAX_PLY),
        ("extended", np.int16, MAX_PLY),
        ("changed", np.int16, MAX_CELLS * _MOST_CELLS),
        ("former_patterns", np.int64, MAX_CELLS * _MOST_CELLS),
        ("changes_before", np.int32, MAX_CELLS),
        ("changes", np.int64),
        ("former_level", np.int16, 2 * MAX_CELLS * _MOST_CELLS),
        ("levels_before", np.int32, MAX_CELLS),
        ("level_changes", np.int64),
        ("stones", np.int64),
        ("tempo", np.int64),
        ("moves", np.int16, MAX_PLY * MAX_CELLS),
        ("order", np.int32, MAX_PLY * MAX_CELLS),
        ("pv", np.int16, MAX_PLY * MAX_PLY),
        ("pv_length", np.int16, MAX_PLY),
        ("best_line", np.int16, MAX_CELLS * MAX_PLY),
        ("best_length", np.int16, MAX_CELLS),
        ("best_value", np.int16, MAX_CELLS),
        ("best_depth", np.int16, MAX_CELLS),
        ("proven", np.uint8, MAX_CELLS),
        ("results", np.int64),
        ("size", np.int64),
        ("reach", np.int64),
        ("forbidding", np.int64),
        ("empties", np.int64),
        ("colour", np.int64),
        ("hash", np.uint64),
        ("complete", np.int64),
        ("guesses", np.int64),
        ("nodes", np.int64),
        ("node_limit", np.int64),
        ("next_check", np.int64),
        ("deadline", np.int64),
        ("soft_deadline", np.int64),
        ("generation", np.int64),
        ("oldest", np.int64),
        ("thread", np.int64),
        ("stop", np.int64),
    ],
    align=True,
)
State = from_dtype(STATE)


def padded(cell: int, size: int) -> int:
    """The number on the board with margin of a cell numbered ``row * size + column``."""
    row, column = divmod(cell, size)
    return (row + MARGIN) * STRIDE + column + MARGIN


def unpadded(cell: int, size: int) -> int:
    """The inverse of `padded`."""
    row, column = divmod(cell, STRIDE)
    return (row - MARGIN) * size + column - MARGIN


@kernel(types.int64(State, types.int64, types.int64, types.int64))
def next_cell(s: Any, colour: int, least: int, before: int) -> int:
    """The first empty cell after `before` that has at least the level `least` for `colour`; 0 if
    there is none.
    """
    row, place = (before + 1) // STRIDE, (before + 1) % STRIDE
    found = at_least(s.level, colour * CELLS + row * STRIDE, least) >> place << place
    while found == 0:
        row += 1
        if row >= MARGIN + s.size:
            return 0
        found = at_least(s.level, colour * CELLS + row * STRIDE, least)
    return int(row * STRIDE + lowest(found))


@kernel(types.int64(types.int64, types.int64))
def _pattern(patterns: int, colour: int) -> int:
    """The pattern of `colour` among both of a cell, or in their lower half alone."""
    own = patterns >> 4 * colour & 0x0F0F0F0F
    own |= own >> 4
    return own & 0xFF | own >> 8 & 0xFF00


@kernel(types.int64(State, types.int64, types.int64))
def pattern_of(s: Any, colour: int, at: int) -> int:
    """The pattern of `colour` on an empty cell."""
    return int(_pattern(s.patterns[at], colour))


@kernel(types.int64(State, types.int64, types.int64))
def number_of(s: Any, colour: int, at: int) -> int:
    """The number of that pattern, by which tables have what there is to know of it."""
    return int(s.patterns[u64(at)] >> NUMBERS_AT + NUMBER_BITS * colour & (1 << NUMBER_BITS) - 1)


@kernel(types.int64(State, types.int64))
def _numbers(s: Any, patterns: int) -> int:
    """The numbers of both patterns, worked out; light's moved up by `NUMBER_BITS`."""
    first, second = s.pairs_of[u64(patterns & 0xFFFF)], s.pairs_of[u64(patterns >> 16 & 0xFFFF)]
    return int(i64(first) + PAIRS_OF_ROWS * i64(second) + s.forbidding * NUMBERS)


@kernel(types.int64(types.int64, types.int64))
def _joined(patterns: int, numbers: int) -> int:
    """Both patterns of a cell and their numbers."""
    return patterns & (1 << NUMBERS_AT) - 1 | numbers << NUMBERS_AT


@kernel(types.void(State, types.int64, types.int64))
def _add_worth(s: Any, colour: int, added: int) -> None:
    """Add numbers of `worth_of` to the worth of the cells for `colour`."""
    for_mover = added << WAITER_AT >> WAITER_AT
    s.worth[u64(2 * colour + MOVER)] += for_mover
    s.worth[u64(2 * colour + WAITER)] += (added - for_mover) >> WAITER_AT


@kernel(types.void(State, types.int64, types.int64, types.int64))
def _count(s: Any, colour: int, at: int, sign: int) -> None:
    """Add the empty cell's potential for `colour` to the sums, or take it away."""
    number = u64(number_of(s, colour, at))
    of_cell = s.level_of[number]
    s.level[u64(colour * CELLS + at)] = of_cell if sign > 0 else _TAKEN
    level = colour * LEVELS + of_cell
    s.level_count[u64(level)] += sign
    s.level_sum[u64(level)] += sign * at
    _add_worth(s, colour, sign * s.worth_of[number])


@kernel(types.int64(State))
def threats(s: Any) -> int:
    """The number, below THREATS, of what both sides threaten."""
    own, other = s.colour * LEVELS, (1 - s.colour) * LEVELS
    number = 0
    for level in range(PLAIN + 1, OPEN_FOURS + 1):
        few = _FEW[u64(level)]
        mine, theirs = s.level_count[u64(own + level)], s.level_count[u64(other + level)]
        if level < OPEN_FOURS:
            number = 3 * number + int(mine > 0) + int(mine > few)
        number = 3 * number + int(theirs > 0) + int(theirs > few)
    return number


@kernel(types.UniTuple(types.int64, 2)(types.int64, types.int64))
def _on_line(direction: int, at: int) -> tuple[int, int]:
    """The number of the line through `at`, and where on it the cell's bits begin."""
    row, column = at // STRIDE, at % STRIDE
    first = direction * _LINES_A_DIRECTION
    if direction == 0:
        return first + row, 2 * column
    if direction == 1:
        return first + column, 2 * row
    if direction == 2:
        return first + STRIDE + row - column, 2 * row
    return first + row + column, 2 * row


@kernel(types.int64(State, types.uint64, types.int64, types.int64))
def _rows_of(s: Any, line: int, bit: int, side: int) -> int:
    """The kinds of rows that dark and light would make on the empty cell of `line` at `bit`, four
    bits each. What matters has `side` bits on each side of it.
    """
    # Without the cell's own two bits.
    half = (u64(1) << u64(side)) - u64(1)
    before = s.before[u64(line) >> u64(bit - side) & half]
    after = s.after[u64(line) >> u64(bit + 2) & half]
    return int(s.rows[u64(after + before)])


@kernel(types.int64(State, *[types.int64] * 3))
def level_after(s: Any, colour: int, at: int, blocked: int) -> int:
    """What a stone of `colour` on the empty cell `at` would achieve after one of the other colour
    on the empty cell `blocked`; PLAIN where the two are one cell.
    """
    if at == blocked:
        return PLAIN
    rows, columns = blocked // STRIDE - at // STRIDE, blocked % STRIDE - at % STRIDE
    on_line = rows == 0 or columns == 0 or abs(rows) == abs(columns)
    if not on_line or max(abs(rows), abs(columns)) > s.reach:
        return int(s.level[u64(colour * CELLS + at)])
    direction, distance = 0, columns
    if rows != 0:
        direction, distance = (1 if columns == 0 else 2 if rows == columns else 3), rows
    line, bit = _on_line(direction, at)
    blocked_line = s.lines[u64(line)] ^ u64(2 - colour) << u64(bit + 2 * distance)
    patterns = int(s.patterns[u64(at)])
    differs = patterns >> 8 * direction ^ _rows_of(s, blocked_line, bit, 2 * s.reach)
    numbers = _numbers(s, patterns ^ (differs & 0xFF) << 8 * direction)
    return int(s.level_of[u64(numbers >> NUMBER_BITS * colour & (1 << NUMBER_BITS) - 1)])


@kernel(types.int64(State, *[types.int64] * 4))
def _renumber(s: Any, colour: int, at: int, former: int, number: int) -> int:
    """Go on from the level of one pattern of the empty cell to that of another, by their numbers;
    returns what that adds to the worth of the cells for `colour`, as `worth_of` has it.
    """
    before, after = u64(s.level_of[u64(former)]), u64(s.level_of[u64(number)])
    if before != after:
        index = u64(colour * CELLS + at)
        s.former_level[u64(s.level_changes)] = index | before << u64(_LEVEL_AT)
        s.level_changes += 1
        s.level[index] = after
        before += u64(colour * LEVELS)
        after += u64(colour * LEVELS)
        s.level_count[before] -= 1
        s.level_sum[before] -= at
        s.level_count[after] += 1
        s.level_sum[after] += at
    return int(s.worth_of[u64(number)] - s.worth_of[u64(former)])


@kernel(types.void(State))
def _keep_sums(s: Any) -> None:
    """Put aside what `_restore_sums` brings back."""
    store(s.kept, s.stones * _SUMS, load(s.level_count, 0))
    s.changes_before[u64(s.stones)] = s.changes
    s.levels_before[u64(s.stones)] = s.level_changes
    s.stones += 1


@kernel(types.void(State))
def _restore_sums(s: Any) -> None:
    """Bring back sums and patterns as they were before the last stone."""
    s.stones -= 1
    first = int(s.changes_before[u64(s.stones)])
    # A cell is on one line with the stone, so that it changed once at most.
    for change in range(first, s.changes):
        s.patterns[u64(s.changed[u64(change)])] = s.former_patterns[u64(change)]
    s.changes = first
    first = int(s.levels_before[u64(s.stones)])
    for change in range(first, s.level_changes):
        former = s.former_level[u64(change)]
        s.level[u64(former & (1 << _LEVEL_AT) - 1)] = former >> _LEVEL_AT
    s.level_changes = first
    store(s.level_count, 0, load(s.kept, s.stones * _SUMS))


@kernel(types.void(State, types.int64, types.int64))
def _count_near(s: Any, at: int, sign: int) -> None:
    """Tell the cells within two of `at` on a line that a stone came there, or that it went."""
    for row in range(-2, 3):
        add_bytes(s.near, at + row * STRIDE - 2, sign * _NEAR[abs(row)])


@kernel(types.void(State, types.int64))
def place(s: Any, at: int) -> None:
    """Put a stone of the side to move on the empty cell `at`; the other side is to move."""
    s.played[u64(s.stones)] = at
    _keep_sums(s)
    _count(s, 0, at, -1)
    _count(s, 1, at, -1)
    s.cell[u64(at)] = s.colour + 1
    # The features of the network follow all that has changed.
    s.changed[u64(s.changes)] = at
    s.former_patterns[u64(s.changes)] = s.patterns[u64(at)]
    changes, dark, light = int(s.changes) + 1, 0, 0
    side = 2 * int(s.reach)
    for direction in range(4):
        number, bit = _on_line(direction, at)
        line = s.lines[u64(number)] ^ u64(s.colour + 1) << u64(bit)
        s.lines[u64(number)] = line
        # The empty cells, of these the ones that see the stone.
        left = line & line >> u64(1) & u64(_LOWER_BITS)
        left &= (u64(4) << u64(2 * side)) - u64(1) << u64(bit - side)
        shift = 8 * direction
        while left != 0:
            there = lowest(i64(left))
            left &= left - u64(1)
            cell = at + (there - bit >> 1) * STEPS[direction]
            former = int(s.patterns[u64(cell)])
            differs = (former >> shift ^ _rows_of(s, line, there, side)) & 0xFF
            if differs:
                s.changed[u64(changes)] = cell
                s.former_patterns[u64(changes)] = former
                changes += 1
                now = former ^ differs << shift
                numbers = _numbers(s, now)
                for_dark, for_light = numbers & (1 << NUMBER_BITS) - 1, numbers >> NUMBER_BITS
                dark += _renumber(s, 0, cell, number_of(s, 0, cell), for_dark)
                light += _renumber(s, 1, cell, number_of(s, 1, cell), for_light)
                s.patterns[u64(cell)] = _joined(now, numbers)
    s.changes = changes
    _add_worth(s, 0, dark)
    _add_worth(s, 1, light)
    _count_near(s, at, 1)
    s.hash ^= s.zobrist[u64(s.colour * CELLS + at)]
    s.empties -= 1
    s.colour = 1 - s.colour


@kernel(types.void(State, types.int64))
def take_back(s: Any, at: int) -> None:
    """Undo `place`, which must have been the last one not undone."""
    s.colour = 1 - s.colour
    s.empties += 1
    s.hash ^= s.zobrist[u64(s.colour * CELLS + at)]
    for direction in range(4):
        number, bit = _on_line(direction, at)
        s.lines[u64(number)] ^= u64(s.colour + 1) << u64(bit)
    _count_near(s, at, -1)
    s.cell[u64(at)] = EMPTY
    for colour in range(2):
        index = u64(colour * CELLS + at)
        s.level[index] = s.level_of[u64(number_of(s, colour, at))]
    _restore_sums(s)
    s.common = min(s.common, s.stones)


@entry_kernel(types.void(State, types.int64, types.int64[::1]))
def set_up(s: Any, size: int, stones: Any) -> None:
    """An empty board of `size`, then `stones` (padded cells), dark and light in turn."""
    s.size = size
    s.cell[:] = WALL
    s.level[:] = _TAKEN
    s.near[:] = 0
    s.lines[:] = 0
    s.level_count[:] = 0
    s.level_sum[:] = 0
    s.worth[:] = 0
    s.changes = s.level_changes = s.stones = s.steps = s.entries = s.common = 0
    s.hash = np.uint64(0)
    s.colour = 0
    s.empties = size * size
    for index in range(size * size):
        at = (index // size + MARGIN) * STRIDE + index % size + MARGIN
        s.cells[index] = at
        s.cell[at] = EMPTY
        off_row, off_column = (
            abs(2 * (index // size) - size + 1),
            abs(2 * (index % size) - size + 1),
        )
        s.central[at] = 2 * size - off_row - off_column
    for index in range(size * size):
        at = int(s.cells[index])
        for direction in range(4):
            number, bit = _on_line(direction, at)
            s.lines[number] |= u64(_OPEN) << u64(bit)
    for index in range(size * size):
        at = int(s.cells[index])
        patterns = 0
        for direction in range(4):
            number, bit = _on_line(direction, at)
            patterns |= _rows_of(s, s.lines[number], bit, 2 * s.reach) << 8 * direction
        s.patterns[at] = _joined(patterns, _numbers(s, patterns))
        for colour in range(2):
            _count(s, colour, at, 1)
    for at in stones:
        place(s, at)


@kernel(types.int64(State, types.int64, types.int64))
def find(s: Any, colour: int, level: int) -> int:
    """A cell of the highest number of which the level for `colour` is `level`; one must be."""
    if s.level_count[u64(colour * LEVELS + level)] == 1:
        return int(s.level_sum[u64(colour * LEVELS + level)])
    found = 0
    at = next_cell(s, colour, level, BEFORE_ALL)
    while at > 0:
        if s.level[u64(colour * CELLS + at)] == level:
            found = at
        at = next_cell(s, colour, level, at)
    return found


@kernel(types.int64(State, types.int64, types.int64))
def _dark_stones(s: Any, at: int, step: int) -> int:
    """How many dark stones follow each other from `at` on."""
    count = 0
    while s.cell[at + count * step] == _DARK_STONE:
        count += 1
    return count


@kernel(types.boolean(State, types.int64, types.int64))
def _is_open(s: Any, at: int, step: int) -> bool:
    """Whether a dark row of four that ends before `at` can become exactly five there."""
    return bool(s.cell[at] == EMPTY and s.cell[at + step] != _DARK_STONE)


@kernel(types.UniTuple(types.int64, 4)(State, types.int64, types.int64))
def _dark_row(s: Any, at: int, step: int) -> tuple[int, int, int, int]:
    """The row of the dark stone on `at`: its length, its fours, and where it can be extended.

    The last two are the cells before and after it that make it a straight four, 0 where none does.
    """
    before = at - (1 + _dark_stones(s, at - step, -step)) * step
    after = at + (1 + _dark_stones(s, at + step, step)) * step
    length = (after - before) // step - 1
    ways = first = last = 0
    if s.cell[before] == EMPTY:
        added = 1 + _dark_stones(s, before - step, -step)
        ways += length + added == 5
        if length + added == 4 and _is_open(s, before - added * step, -step):
            first = before if _is_open(s, after, step) else 0
    if s.cell[after] == EMPTY:
        added = 1 + _dark_stones(s, after + step, step)
        ways += length + added == 5
        if length + added == 4 and _is_open(s, after + added * step, step):
            last = after if _is_open(s, before, -step) else 0
    # The two ways of a straight four belong to one four, other two ways to a four each.
    fours = min(ways, 1) if length == 4 else ways
    return length, fours, first, last


_ALLOWED, _FORBIDDEN, _FIVE = range(3)


@kernel(types.int64(State, types.int64))
def _judge(s: Any, at: int) -> int:
    """What renju says of a dark stone on the empty cell `at`, as `renju.ForbiddenPoints` has it."""
    s.cell[at] = _DARK_STONE
    longest = fours = threes = 0
    five = False
    for step in STEPS:
        length, fours_here, first, last = _dark_row(s, at, step)
        five |= length == 5
        longest = max(longest, length)
        fours += fours_here
        threes += first + last > 0
    verdict = _ALLOWED
    if five:
        verdict = _FIVE
    elif longest > 5 or fours > 1:
        verdict = _FORBIDDEN
    elif threes > 1:
        threes = 0
        for step in STEPS:
            length, fours_here, first, last = _dark_row(s, at, step)
            real = first > 0 and _judge(s, first) == _ALLOWED
            if real or (last > 0 and _judge(s, last) == _ALLOWED):
                threes += 1
        verdict = _FORBIDDEN if threes > 1 else _ALLOWED
    s.cell[at] = EMPTY
    return verdict


@kernel(types.boolean(State, types.int64))
def _makes_six(s: Any, at: int) -> bool:
    """Whether a dark stone on the empty cell `at` is in a row of six or more."""
    for direction in range(4):
        number, bit = _on_line(direction, at)
        near = s.lines[u64(number)] >> u64(bit - 2 * REACH)
        dark = near >> u64(1) & ~near & u64(_LOWER_BITS)
        # Of five before and after it three follow each other.
        if dark & dark >> u64(2) & dark >> u64(4):
            step = STEPS[direction]
            if _dark_stones(s, at - step, -step) + _dark_stones(s, at + step, step) >= 5:
                return True
    return False


@kernel(types.boolean(State, types.int64, types.int64))
def is_forbidden_to(s: Any, colour: int, at: int) -> bool:
    """Whether `colour` must not play on the empty cell `at`."""
    if s.forbidding == 0 or colour != DARK_COLOUR:
        return False
    level = s.level[at]
    if level == FIVE_MOVE:
        return False
    # Two threes, or a four, are the least that another foul than an overline is made of.
    return bool(_judge(s, at) == _FORBIDDEN if level >= DOUBLE_THREE else _makes_six(s, at))


@kernel(types.boolean(State, types.int64))
def is_forbidden(s: Any, at: int) -> bool:
    """Whether the side to move must not play on the empty cell `at`."""
    return bool(is_forbidden_to(s, s.colour, at))


@kernel(types.boolean(State, types.int64, types.int64))
def lasts(s: Any, colour: int, at: int) -> bool:
    """Whether `colour` may play on `at`, a cell of the level OPEN_FOURS, and goes on to be allowed
    to unless the other side plays on a line through it.

    Elsewhere a light stone can turn a false three into a real one, and so forbid a move to dark.
    """
    if s.forbidding == 0 or colour != DARK_COLOUR:
        return True
    threes = 0
    for direction in range(4):
        threes += _STRENGTHS[s.patterns[at] >> 8 * direction & 15] == OPEN_THREE
    return bool(threes < 2 and not _makes_six(s, at))


@kernel(types.int64(State, types.int64))
def find_two_ways(s: Any, colour: int) -> int:
    """A cell of the level OPEN_FOURS on which `colour` may play, 0 if there is none."""
    if s.level_count[colour * LEVELS + OPEN_FOURS] == 0:
        return 0
    if s.forbidding == 0 or colour != DARK_COLOUR:
        return int(find(s, colour, OPEN_FOURS))
    found = 0
    at = next_cell(s, colour, OPEN_FOURS, BEFORE_ALL)
    while at > 0:
        if s.level[at] == OPEN_FOURS and not is_forbidden_to(s, DARK_COLOUR, at):
            found = at
        at = next_cell(s, colour, OPEN_FOURS, at)
    return found


@kernel(types.boolean(State, types.int64))
def has_two_ways(s: Any, colour: int) -> bool:
    """Whether `find_two_ways` finds a cell."""
    if s.forbidding == 0 or colour != DARK_COLOUR:
        return bool(s.level_count[colour * LEVELS + OPEN_FOURS] > 0)
    return bool(find_two_ways(s, colour) > 0)


@kernel(types.boolean(State, types.int64))
def has_lasting_threat(s: Any, colour: int) -> bool:
    """Whether there is a cell of the level OPEN_FOURS for `colour` that `lasts`."""
    if s.forbidding == 0 or colour != DARK_COLOUR:
        return bool(s.level_count[colour * LEVELS + OPEN_FOURS] > 0)
    at = next_cell(s, colour, OPEN_FOURS, BEFORE_ALL)
    while at > 0:
        if s.level[at] == OPEN_FOURS and lasts(s, DARK_COLOUR, at):
            return True
        at = next_cell(s, colour, OPEN_FOURS, at)
    return False


@kernel(types.boolean(State))
def cannot_parry(s: Any) -> bool:
    """Whether the opponent makes a five whatever the side to move does, which has none itself."""
    fives = s.level_count[(1 - s.colour) * LEVELS + FIVE_MOVE]
    if s.forbidding == 0 or fives != 1:
        return bool(fives > 1)
    return bool(is_forbidden(s, find(s, 1 - s.colour, FIVE_MOVE)))
