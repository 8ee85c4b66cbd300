"""The Gomoku search in plain Python: the same moves, values, lines and node counts as the kernels.

It is the same algorithm, written for an interpreter: lists of ints, a dict for the lines that
come up, and a note of what a stone changed, from which it is taken back. Names and their order
are those of `lines`, `board`, `alphabeta` and `searcher` in `engine.games.gomoku`, so that a
change of the search can be carried over function by function; what a name means is told there.
There is no clock. Cells are numbered as the game numbers them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterable
from functools import cache
from itertools import combinations_with_replacement

import numpy as np

from engine.games.gomoku import Gomoku, Rule
from engine.games.gomoku.board import CELLS, STONES_A_STEP, WHOLE, padded
from engine.games.gomoku.weights import Weights, read
from engine.position import Move, Position, cells_of
from engine.search import Limits, SearchOptions, SearchResult
from engine.values import HEURISTIC_MAX, WIN, Bound, distance, is_decisive
from tests.oracles.plain_network import network_value

# What follows is in `lines` there.

NOTHING, ONE, OPEN_ONE, TWO, OPEN_TWO, THREE, OPEN_THREE, FOUR, OPEN_FOUR, FIVE = range(10)
_KINDS = [
    *((NOTHING, 0), (ONE, 0), (OPEN_ONE, 0), (OPEN_ONE, 5), (TWO, 0), (OPEN_TWO, 0), (OPEN_TWO, 3)),
    *((OPEN_TWO, 4), (THREE, 0), (OPEN_THREE, 0), (OPEN_THREE, 2), (FOUR, 0), (OPEN_FOUR, 0)),
    (FIVE, 0),
]
_FREE, _OWN, _BLOCKED = range(3)

Line = tuple[int, ...]


def _makes_five(line: Line, exactly_five: bool) -> bool:
    for start in range(1, 6):
        if line[start : start + 5] == (_OWN,) * 5:
            longer = line[start - 1] == _OWN or line[start + 5] == _OWN
            if not (exactly_five and longer):
                return True
    return False


@cache
def _strength(line: Line, exactly_five: bool) -> tuple[int, int]:
    """What the row through the centre of the eleven cells is, and how many ways lead on."""
    if _makes_five(line, exactly_five):
        return FIVE, 0
    after = [
        _strength((*line[:cell], _OWN, *line[cell + 1 :]), exactly_five)[0]
        for cell in range(1, 10)
        if line[cell] == _FREE
    ]
    strongest = max(after, default=NOTHING)
    ways = after.count(strongest)
    if strongest == FIVE:
        return OPEN_FOUR if ways > 1 else FOUR, ways
    return max(NOTHING, strongest - 2), ways


def _kind(line: Line, exactly_five: bool) -> int:
    """The number of the kind of the row through the centre."""
    strength, ways = _strength(line, exactly_five)
    return max(n for n, kind in enumerate(_KINDS) if kind[0] == strength and kind[1] <= ways)


def _rows_of(key: int, exactly_five: bool) -> int:
    """What a stone makes on the line `key`, ten places of two bits: of dark, and of light << 16."""
    codes = [key >> 2 * place & 3 for place in range(10)]
    rows = 0
    for colour in range(2):
        kinds = [_FREE if c == 0 else _OWN if c == colour + 1 else _BLOCKED for c in codes]
        for end in (0, 9):
            if not exactly_five or kinds[end] == _FREE:
                kinds[end] = _BLOCKED
        rows |= _kind((*kinds[:5], _OWN, *kinds[5:]), exactly_five) << 16 * colour
    return rows


# What follows is in `board` there.

MAX_PLY = 96
STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))
EMPTY, WALL = 0, 3
PLAIN, OPEN_THREE_MOVE, DOUBLE_THREE, FOUR_MOVE, FOUR_THREE, OPEN_FOURS, FIVE_MOVE = range(7)
LEVELS = 7
MOVER, WAITER = range(2)
_FEW = (0, 4, 1, 2, 1, 2)
_PATTERNS = 1 << 16
_PATTERN = _PATTERNS - 1
# What a cell is worth to the side to move and to the other are added up in one number: the
# latter, which may be negative, in its lowest bits.
_WAITER_BITS = 32
_MOVER_UNIT, _WAITER_OFFSET = 1 << _WAITER_BITS, 1 << _WAITER_BITS - 1
_ZOBRIST_SEED = 5


class State:
    """The board and what the search keeps beside it.

    The patterns of a cell are one number: dark's in the lower, light's in the upper sixteen bits.
    """

    def __init__(self, size: int, exactly_five: bool, weights: Weights) -> None:
        self.size = size
        self.exactly_five = exactly_five
        self.reach = 5 if exactly_five else 4
        self.cells = range(size * size)
        fill_pattern_tables(self, weights)
        self.tempo = weights.tempo
        self.network = weights.network
        self.threat_worth: list[int] = weights.threats[0].tolist()
        self.correction: dict[object, int] = {}
        numbers = np.random.Generator(np.random.PCG64(_ZOBRIST_SEED)).integers(
            1, 1 << 63, 2 * CELLS, dtype=np.uint64
        )
        self.zobrist = [
            [int(numbers[colour * CELLS + padded(at, size)]) for at in self.cells]
            for colour in range(2)
        ]
        self.central = [
            2 * size - abs(2 * (at // size) - size + 1) - abs(2 * (at % size) - size + 1)
            for at in self.cells
        ]
        # For each direction, by line: both colours' rows in their places among the patterns.
        self.rows: list[dict[int, int]] = [{} for _ in STEPS]
        self._connect()
        self.excluded: frozenset[int] = frozenset()
        # Of quiet moves, then of threats, by dark and by light.
        self.history = [[0] * len(self.cells) for _ in range(2 * 2)]
        self.killers = [[-1, -1] for _ in range(MAX_PLY)]
        self.static_at = [0] * (MAX_PLY + 2)
        self.level_at, self.extended, self.left_out = [0] * MAX_PLY, [0] * MAX_PLY, [-1] * MAX_PLY
        self.pv: list[tuple[int, ...]] = [()] * MAX_PLY
        self.best_line: tuple[int, ...] = ()
        self.best_value = self.best_depth = 0
        self.settled = False
        self.guesses = self.nodes = 0
        self.node_limit = 0

    def _connect(self) -> None:
        """For each cell: who sees a stone on it, and at which place of the line."""
        size = self.size
        self.near_cells: list[list[int]] = []
        self.walls = [[0] * len(self.cells) for _ in STEPS]
        # By colour, cell and direction: the cells that see the stone, with its code in their line.
        self.seen_by: list[list[list[list[tuple[int, int]]]]] = [[], []]
        for at in self.cells:
            near = []
            seen: list[list[list[tuple[int, int]]]] = [[], []]
            for direction, (up, right) in enumerate(STEPS):
                watchers = []
                for offset in (-5, -4, -3, -2, -1, 1, 2, 3, 4, 5):
                    row, column = at // size + offset * up, at % size + offset * right
                    if not (0 <= row < size and 0 <= column < size):
                        place = 5 + offset if offset < 0 else 4 + offset
                        self.walls[direction][at] |= WALL << 2 * place
                    elif abs(offset) <= self.reach:
                        other = row * size + column
                        # A stone after a cell is before it as seen from there.
                        place = 5 - offset if offset > 0 else 4 - offset
                        watchers.append((other, 2 * place))
                        if abs(offset) <= 2:
                            near.append(other)
                for colour in range(2):
                    seen[colour].append([(o, colour + 1 << shift) for o, shift in watchers])
            self.near_cells.append(near)
            for colour in range(2):
                self.seen_by[colour].append(seen[colour])


def fill_pattern_tables(s: State, weights: Weights) -> None:
    """By pattern: its level, what it is worth, and what that counts in the order of moves."""
    combinations = {
        kinds: number
        for number, kinds in enumerate(combinations_with_replacement(range(len(_KINDS)), 4))
    }
    s.level_of = []
    s.worth_of, s.own_rank, s.other_rank = [], [], []
    for pattern in range(_PATTERNS):
        numbers = (pattern >> 4 * place & 15 for place in range(4))
        kinds = sorted(min(number, len(_KINDS) - 1) for number in numbers)
        rows = [_KINDS[kind][0] for kind in kinds]
        level = PLAIN
        if FIVE in rows:
            level = FIVE_MOVE
        elif OPEN_FOUR in rows or rows.count(FOUR) >= 2:
            level = OPEN_FOURS
        elif FOUR in rows:
            level = FOUR_THREE if OPEN_THREE in rows else FOUR_MOVE
        elif OPEN_THREE in rows:
            level = DOUBLE_THREE if rows.count(OPEN_THREE) >= 2 else OPEN_THREE_MOVE
        s.level_of.append(level)
        number = combinations[tuple(kinds)]
        mover, waiter = (int(weights.worth[0][side][number]) for side in (MOVER, WAITER))
        s.worth_of.append(mover * _MOVER_UNIT + waiter)
        mover, waiter = (int(weights.policy[0][side][number]) for side in (MOVER, WAITER))
        # A sure win is taken before a longer one is looked for.
        s.own_rank.append(_POLICY_RANK * mover + (level * _FIRST if level >= OPEN_FOURS else 0))
        s.other_rank.append(_POLICY_RANK * waiter)


def threats(s: State) -> int:
    """The number of what both sides threaten."""
    own, other = s.colour * LEVELS, (1 - s.colour) * LEVELS
    number = 0
    for level in range(PLAIN + 1, OPEN_FOURS + 1):
        for side in (own, other):
            if side == other or level < OPEN_FOURS:
                count = s.level_count[side + level]
                number = 3 * number + (2 if count > _FEW[level] else count > 0)
    return number


def _row_at(s: State, at: int, direction: int) -> int:
    """Both colours' rows on one line of `at`, in their places among the patterns."""
    table, key = s.rows[direction], s.line[direction][at]
    if key not in table:
        table[key] = _rows_of(key, s.exactly_five) << 4 * direction
    return table[key]


def level_after(s: State, colour: int, at: int, blocked: int) -> int:
    """The level of the empty cell `at` for `colour` after a stone of the other side elsewhere."""
    if at == blocked:
        return PLAIN
    patterns = s.pattern[at]
    for direction, seen_by in enumerate(s.seen_by[1 - colour][blocked]):
        for other, code in seen_by:
            if other == at:
                rows = _rows_of(s.line[direction][at] ^ code, s.exactly_five)
                patterns = patterns & ~(0xF_000F << 4 * direction) | rows << 4 * direction
    return s.level_of[patterns >> 16 * colour & _PATTERN]


def place(s: State, at: int) -> None:
    """Put a stone of the side to move on the empty cell `at`; the other side is to move.

    Long, because a call for each cell on the lines through `at` would cost more than its work.
    """
    colour = s.colour
    cell, patterns = s.cell, s.pattern
    level_of, worth_of = s.level_of, s.worth_of
    changes: list[tuple[int, int]] = []
    s.changes.append((s.worth, s.level_count, s.level_sum, changes))
    s.level_count = count = s.level_count[:]
    s.level_sum = total = s.level_sum[:]
    dark_worth, light_worth = s.worth

    dark, light = patterns[at] & _PATTERN, patterns[at] >> 16
    dark_level, light_level = level_of[dark], LEVELS + level_of[light]
    count[dark_level] -= 1
    total[dark_level] -= at
    count[light_level] -= 1
    total[light_level] -= at
    dark_worth -= worth_of[dark]
    light_worth -= worth_of[light]

    cell[at] = colour + 1
    seen_by = s.seen_by[colour][at]
    for direction in range(4):
        line, table = s.line[direction], s.rows[direction]
        others = ~(0xF_000F << 4 * direction)
        for other, code in seen_by[direction]:
            line[other] = key = line[other] ^ code
            if cell[other]:
                continue
            old = patterns[other]
            try:
                new = old & others | table[key]
            except KeyError:
                new = old & others | _row_at(s, other, direction)
            if new == old:
                continue
            patterns[other] = new
            changes.append((other, old))
            before, after = old & _PATTERN, new & _PATTERN
            if before != after:
                dark_worth += worth_of[after] - worth_of[before]
                before, after = level_of[before], level_of[after]
                if before != after:
                    count[before] -= 1
                    total[before] -= other
                    count[after] += 1
                    total[after] += other
            before, after = old >> 16, new >> 16
            if before != after:
                light_worth += worth_of[after] - worth_of[before]
                before, after = level_of[before], level_of[after]
                if before != after:
                    before, after = before + LEVELS, after + LEVELS
                    count[before] -= 1
                    total[before] -= other
                    count[after] += 1
                    total[after] += other
    s.worth = dark_worth, light_worth
    near = s.near
    for other in s.near_cells[at]:
        near[other] += 1
    s.hash ^= s.zobrist[colour][at]
    s.empties -= 1
    s.colour = 1 - colour
    s.played.append(at)


def take_back(s: State, at: int) -> None:
    """Undo `place`, which must have been the last one not undone."""
    s.colour = colour = 1 - s.colour
    s.played.pop()
    s.empties += 1
    s.hash ^= s.zobrist[colour][at]
    s.cell[at] = EMPTY
    s.worth, s.level_count, s.level_sum, changes = s.changes.pop()
    patterns = s.pattern
    for other, old in changes:
        patterns[other] = old
    for line, watchers in zip(s.line, s.seen_by[colour][at], strict=True):
        for other, code in watchers:
            line[other] ^= code
    near = s.near
    for other in s.near_cells[at]:
        near[other] -= 1


def set_up(s: State, stones: Iterable[int]) -> None:
    """An empty board, then `stones`, dark and light in turn."""
    s.cell = [EMPTY] * len(s.cells)
    s.near = [0] * len(s.cells)
    s.line = [list(walls) for walls in s.walls]
    s.hash = s.colour = 0
    s.empties = len(s.cells)
    s.played: list[int] = []
    s.changes: list[tuple[tuple[int, int], list[int], list[int], list[tuple[int, int]]]] = []
    s.pattern = [sum(_row_at(s, at, direction) for direction in range(4)) for at in s.cells]
    s.level_count = [0] * (2 * LEVELS)
    s.level_sum = [0] * (2 * LEVELS)
    worth = [0, 0]
    for at, patterns in enumerate(s.pattern):
        for colour, pattern in enumerate((patterns & _PATTERN, patterns >> 16)):
            s.level_count[colour * LEVELS + s.level_of[pattern]] += 1
            s.level_sum[colour * LEVELS + s.level_of[pattern]] += at
            worth[colour] += s.worth_of[pattern]
    s.worth = worth[0], worth[1]
    for at in stones:
        place(s, at)


def find(s: State, colour: int, level: int) -> int:
    """The last of the cells of which the level for `colour` is `level`; one must be."""
    if s.level_count[colour * LEVELS + level] == 1:
        return s.level_sum[colour * LEVELS + level]
    shift = 16 * colour
    for at in reversed(s.cells):
        if s.cell[at] == EMPTY and s.level_of[s.pattern[at] >> shift & _PATTERN] == level:
            return at
    raise AssertionError


# What follows is in `alphabeta` there.

# hash, value, move, depth, bound, guessed
Entry = tuple[int, int, int, int, int, bool]
Table = list[Entry]

_NOTHING, _EXACT, _LOWER, _UPPER = range(4)
_VACANT: Entry = (0, 0, -1, 0, _NOTHING, False)
_BUCKET = 2
_INFINITY = WIN + 1
_EVALUATION_MAX = HEURISTIC_MAX - 1
_FIRST = 1 << 27
_PLY = 8
_QUIET_MOVES, _QUIET_MOVES_PER_PLY = 3, 2
_WINDOW, _WINDOW_GROWTH, _WINDOW_FROM_DEPTH = 100, 3, 4
_KILLER_RANK = 1024
_POLICY_RANK = 20
_STATIC_MARGIN = 160
_FOURS_TO_DEPTH, _FOURS_MARGIN, _FOURS_MARGIN_PER_PLY = 21, 38, 28
_UNKNOWN_SHORTER, _LESS_KNOWN_SHARE, _LESS_KNOWN_MAX = 3, 18, 29
_REPLY_DEEPER = 2
_AHEAD_MARGIN, _AHEAD_MARGIN_PER_PLY = -18, 30
_SINGULAR_FROM_DEPTH, _SINGULAR_KNOWN, _SINGULAR_SHARE, _SINGULAR_MARGIN = 53, 16, 30, 2
_SINGULAR_TWICE, _SINGULAR_LESS, _EXTENDED_MAX = 50, 12, 80
_FINE = 8
_REDUCED_BY_HISTORY, _REDUCED_ALWAYS = 50, 13
_REDUCED_NOT_GROWN, _REDUCED_WHERE_CUT, _LESS_IN_OPEN = 64, 115, 32
_BETTER, _BETTER_PER_PLY, _MUCH_BETTER, _MUCH_BETTER_PER_PLY = 68, 22, 576, 52
_RAISED_FROM, _RAISED_TO = 3, 11
_FOURS_IN_A_ROW, _NODES_FOR_FOURS = 8, 60
_CORRECTION_UNIT, _CORRECTION_MAX = 64, 400
_CORRECTION_STEPS, _CORRECTION_STEPS_BY_MOVE, _CORRECTION_DEPTH_MAX = 256, 512, 8
_HISTORY_MAX, _HISTORY_STEP_MAX = 4096, 1024


class _Stop(Exception):
    """The nodes are used up; what was searched is left as it stands."""


@cache
def _by_place(plies: int, index: int) -> int:
    """What the search of the move at `index` is shortened by, in 64 parts of a ply."""
    return int(64 * (0.75 * math.log(min(plies, MAX_PLY - 1)) * math.log(index + 1)))


def evaluate(s: State, correction: int = 0) -> int:
    """What the rows that each side could still make are worth, for the side to move."""
    own, other = s.worth[s.colour], s.worth[1 - s.colour]
    mover = own + _WAITER_OFFSET >> _WAITER_BITS
    waiter = (other + _WAITER_OFFSET & _MOVER_UNIT - 1) - _WAITER_OFFSET
    value = mover - waiter + s.threat_worth[threats(s)] + s.tempo
    patterns = [(p & _PATTERN, p >> 16) for at, p in enumerate(s.pattern) if not s.cell[at]]
    value += network_value(patterns, s.colour, s.network)
    stones = s.size * s.size - s.empties
    value = value * int(s.network.fading[stones // STONES_A_STEP]) // WHOLE + correction
    return max(-_EVALUATION_MAX, min(_EVALUATION_MAX, value))


def _expected(s: State) -> int:
    """The static value, corrected by how it was wrong where both sides threatened as much, and
    after the same last moves.
    """
    by_moves = sum(s.correction.get(after, 0) for after in _last_moves(s))
    return evaluate(s, (s.correction.get(threats(s), 0) + by_moves) // _CORRECTION_UNIT)


def _last_moves(s: State) -> list[tuple[int, int, int]]:
    """The last move and the one before it, each with how far back it is and the side to move."""
    return [(back, s.colour, at) for back, at in enumerate(s.played[:-3:-1])]


def _correct(s: State, depth: int, missing: int) -> None:
    """A search found `missing` more than was expected: expect part of it next time."""
    missing = max(-_CORRECTION_MAX, min(_CORRECTION_MAX, missing))
    step = _CORRECTION_UNIT * missing * min(depth + 1, _CORRECTION_DEPTH_MAX)
    number = threats(s)
    s.correction[number] = s.correction.get(number, 0) + step // _CORRECTION_STEPS
    for after in _last_moves(s):
        s.correction[after] = s.correction.get(after, 0) + step // _CORRECTION_STEPS_BY_MOVE


def _list(s: State, ply: int, cells: Collection[int]) -> tuple[list[int], list[int]]:
    """The moves on `cells`, without those excluded at the root, and their ranks."""
    moves = [at for at in cells if ply or at not in s.excluded] if s.excluded else list(cells)
    own, other = 16 * s.colour, 16 * (1 - s.colour)
    own_rank, other_rank = s.own_rank, s.other_rank
    patterns, central, level_of = s.pattern, s.central, s.level_of
    quiet, threats = s.history[s.colour], s.history[2 + s.colour]
    order = [
        own_rank[patterns[at] >> own & _PATTERN]
        + other_rank[patterns[at] >> other & _PATTERN]
        + central[at]
        + (quiet[at] if level_of[patterns[at] >> own & _PATTERN] == PLAIN else 2 * threats[at])
        for at in moves
    ]
    for killer in s.killers[ply]:
        if killer in moves:
            order[moves.index(killer)] += _KILLER_RANK
    return moves, order


def _list_all(s: State, ply: int) -> tuple[list[int], list[int]]:
    """Every legal move."""
    return _list(s, ply, [at for at, stone in enumerate(s.cell) if stone == EMPTY])


def _list_centre(s: State, ply: int) -> tuple[list[int], list[int]]:
    """The moves of an empty board that are nearest to its centre."""
    allowed = [at for at in s.cells if ply or at not in s.excluded]
    most = max((s.central[at] for at in allowed), default=0)
    return _list(s, ply, [at for at in allowed if s.central[at] == most])


def _list_near(s: State, ply: int) -> tuple[list[int], list[int]]:
    """The moves within two cells of a stone on a line."""
    cell = s.cell
    return _list(s, ply, [at for at, near in enumerate(s.near) if near and cell[at] == EMPTY])


def _list_parries(s: State, ply: int) -> tuple[list[int], list[int]]:
    """Every move that may parry the opponent's threat of an open four."""
    own, other = 16 * s.colour, 16 * (1 - s.colour)
    free = [at for at, stone in enumerate(s.cell) if stone == EMPTY]
    threats = [at for at in free if s.level_of[s.pattern[at] >> other & _PATTERN] == OPEN_FOURS]
    parries = [
        at
        for at in free
        if s.level_of[s.pattern[at] >> own & _PATTERN] >= FOUR_MOVE
        or all(level_after(s, 1 - s.colour, threat, at) < OPEN_FOURS for threat in threats)
    ]
    moves, order = _list(s, ply, parries)
    return (moves, order) if moves else _list(s, ply, threats[:1])


def _list_moves(s: State, ply: int, depth: int) -> tuple[list[int], list[int], bool]:
    """The moves to search, their ranks, and whether they are all that matter."""
    opponent = (1 - s.colour) * LEVELS
    if s.level_count[s.colour * LEVELS + FIVE_MOVE]:
        return *_list_all(s, ply), True
    if s.level_count[opponent + FIVE_MOVE]:
        forced = find(s, 1 - s.colour, FIVE_MOVE)
        if ply == 0 and forced in s.excluded:
            return *_list_all(s, ply), True
        return *_list(s, ply, [forced]), True
    complete = True
    if s.level_count[opponent + OPEN_FOURS]:
        moves, order = _list_parries(s, ply)
    elif depth >= s.empties:
        return *_list_all(s, ply), True
    else:
        complete = False
        is_first = s.empties == len(s.cells)
        moves, order = _list_centre(s, ply) if is_first else _list_near(s, ply)
    if not moves:
        return *_list_all(s, ply), True
    return moves, order, complete


def _earned(s: State, at: int) -> list[int]:
    """What moves of the side to move have earned: threats, if the one on `at` is, or quiet ones."""
    level = s.level_of[s.pattern[at] >> 16 * s.colour & _PATTERN]
    return s.history[s.colour if level == PLAIN else 2 + s.colour]


def _remember(s: State, ply: int, depth: int, moves: list[int], index: int, attacked: bool) -> None:
    """The move at `index` failed high: rank it higher from now on, those before it lower."""
    killers, best = s.killers[ply], moves[index]
    of_quiet = s.history[s.colour]
    quiet = _earned(s, best) is of_quiet and not attacked
    if quiet and killers[0] != best:
        killers[:] = best, killers[0]
    step = min(16 * (depth // _PLY) ** 2, _HISTORY_STEP_MAX)
    for at in moves[: index + 1]:
        history = _earned(s, at)
        if quiet or history is not of_quiet:
            earned = step if at == best else -step
            history[at] += earned - history[at] * step // _HISTORY_MAX


def _pick(moves: list[int], order: list[int], index: int) -> int:
    """Bring the highest ranked of the moves from `index` on to `index`; returns it."""
    best = order.index(max(order[index:]), index)
    move = moves[best]
    moves[best], order[best], moves[index], order[index] = (
        moves[index],
        order[index],
        move,
        order[best],
    )
    return move


def _bring_to_front(moves: list[int], order: list[int], move: int) -> None:
    """Put `move`, which is one of those listed, before the others."""
    index = moves.index(move)
    moves[index], order[index] = moves[0], order[0]
    moves[0] = move


def _drop_quiet(s: State, moves: list[int], order: list[int], index: int) -> None:
    """Take the quiet moves from `index` on off the list."""
    own = 16 * s.colour
    others = [
        other
        for other in range(index, len(moves))
        if s.level_of[s.pattern[moves[other]] >> own & _PATTERN] != PLAIN
    ]
    moves[index:], order[index:] = [moves[o] for o in others], [order[o] for o in others]


def _put_line(s: State, ply: int, move: int) -> None:
    """The line from this ply on is `move`, then the line of the next ply."""
    s.pv[ply] = (move, *s.pv[ply + 1])


def _from_root(value: int, ply: int) -> int:
    """A value counted from this ply, counted from the root."""
    if value > HEURISTIC_MAX:
        return value - ply
    if value < -HEURISTIC_MAX:
        return value + ply
    return value


def _look_up(s: State, table: Table) -> Entry:
    """What the table holds of the position, or the vacant entry."""
    start = s.hash & len(table) - _BUCKET
    for entry in table[start : start + _BUCKET]:
        if entry[4] != _NOTHING and entry[0] == s.hash:
            return entry
    return _VACANT


def _store(
    s: State, table: Table, ply: int, depth: int, value: int, bound: int, move: int, guessed: bool
) -> None:
    """Keep a result, in the slot of the same position or of a shallower one, else the last one."""
    slot = s.hash & len(table) - _BUCKET
    for _ in range(_BUCKET - 1):
        if table[slot][0] == s.hash or table[slot][3] <= depth:
            break
        slot += 1
    table[slot] = (s.hash, _from_root(value, -ply), move, depth, bound, guessed)


def _reduced(
    s: State,
    depth: int,
    next_depth: int,
    ply: int,
    index: int,
    move: int,
    is_open: bool,
    grown: bool,
    cut: bool,
    attacked: bool,
) -> int:
    """The depth of the first search of the move at `index`."""
    if depth < 2 * _PLY:
        return next_depth
    fine = _by_place(depth // _PLY, index)
    if is_open:
        fine = max(fine - _LESS_IN_OPEN, 0)
    elif not grown and fine > _FINE * _PLY:
        fine += _REDUCED_NOT_GROWN
    earned = _earned(s, move)
    is_killer = earned is s.history[s.colour] and not attacked and move in s.killers[ply]
    if cut and not is_killer:
        fine += _REDUCED_WHERE_CUT
    fine += _REDUCED_ALWAYS - earned[move] * _REDUCED_BY_HISTORY // _HISTORY_MAX
    return max(min(next_depth - fine // _FINE, next_depth + _PLY), min(next_depth, _PLY))


def _deeper(value: int, lowest: int, best: int, next_depth: int, reduced: int) -> int:
    """The depth of the next search of a late move that was better than `lowest`."""
    plies = (next_depth - reduced) // _PLY
    if value > lowest + _BETTER + _BETTER_PER_PLY * plies:
        next_depth += _PLY
    if value > lowest + _MUCH_BETTER + _MUCH_BETTER_PER_PLY * plies:
        next_depth += _PLY
    if value < best + next_depth // 4:
        next_depth -= _PLY
    return next_depth


def _count_fours(s: State, colour: int) -> int:
    """How many cells there are on which `colour`, which has no five, makes a four."""
    own = colour * LEVELS
    return sum(s.level_count[own + FOUR_MOVE : own + FIVE_MOVE])


def _find_two_threats(s: State) -> int | None:
    """A cell on which a stone makes an open three, and on another line one more or a four; None if
    there is none, or if the opponent could make a four.
    """
    own = s.colour * LEVELS
    for level in (FOUR_THREE, DOUBLE_THREE):
        if s.level_count[own + level] and not _count_fours(s, 1 - s.colour):
            return find(s, s.colour, level)
    return None


def _win_in_sight(s: State, ply: int) -> int:
    """The value of a win in one, three or five plies, with its first move as the line; 0 if none
    is seen.
    """
    count, own = s.level_count, s.colour * LEVELS
    s.pv[ply] = ()
    if count[own + FIVE_MOVE]:
        s.pv[ply] = (find(s, s.colour, FIVE_MOVE),)
        return WIN - ply - 1
    if count[LEVELS - own + FIVE_MOVE]:
        return 0
    if count[own + OPEN_FOURS]:
        s.pv[ply] = (find(s, s.colour, OPEN_FOURS),)
        return WIN - ply - 3
    move = _find_two_threats(s)
    if move is None:
        return 0
    s.pv[ply] = (move,)
    return WIN - ply - 5


def _are_in_line(s: State, one: int, other: int) -> bool:
    """Whether two cells are on a line, and near enough to be in one row of five."""
    (row, column), (other_row, other_column) = divmod(one, s.size), divmod(other, s.size)
    rows, columns = abs(row - other_row), abs(column - other_column)
    return max(rows, columns) <= 4 and (rows == 0 or columns == 0 or rows == columns)


def _win_by_fours(s: State, ply: int, last: int | None, left: int, end: int) -> int:
    """The value of a win by up to `left` fours, one after the other; 0 if none is found."""
    if ply >= MAX_PLY - 4:
        return 0
    own, patterns, level_of = 16 * s.colour, s.pattern, s.level_of
    colour, levels, opponent = s.colour, s.colour * LEVELS, (1 - s.colour) * LEVELS
    fours = _count_fours(s, colour)
    moves = [
        at
        for at in s.cells
        if level_of[patterns[at] >> own & _PATTERN] >= FOUR_MOVE
        and s.cell[at] == EMPTY
        and (last is None or _are_in_line(s, last, at))
    ]
    for move in moves:
        if s.nodes >= end:
            break
        place(s, move)
        s.nodes += 1
        value = 0
        makes_way = s.level_count[levels + OPEN_FOURS] + s.level_count[levels + FIVE_MOVE] > 1
        if makes_way or (left > 1 and _count_fours(s, colour) > fours):
            reply = find(s, 1 - s.colour, FIVE_MOVE)
            place(s, reply)
            s.nodes += 1
            value = _win_in_sight(s, ply + 2)
            if value == 0 and left > 1 and s.level_count[opponent + FIVE_MOVE] == 0:
                value = _win_by_fours(s, ply + 2, move, left - 1, end)
            take_back(s, reply)
            _put_line(s, ply + 1, reply)
        take_back(s, move)
        if value > 0:
            _put_line(s, ply, move)
            return value
    return 0


def _at_horizon(s: State, table: Table, beta: int, ply: int) -> int:
    """The value where the depth ends: the evaluation, or a win by fours."""
    value = _expected(s)
    if value < beta and _count_fours(s, s.colour) > 0:
        _, known, _, _, bound, _ = _look_up(s, table)
        if bound == _NOTHING:
            end = min(s.nodes + _NODES_FOR_FOURS, s.node_limit - 1)
            won = _win_by_fours(s, ply, None, _FOURS_IN_A_ROW, end)
            if won > 0:
                _store(s, table, ply, 0, won, _LOWER, s.pv[ply][0], False)
                return won
            s.pv[ply] = ()
            _store(s, table, ply, 0, value, _EXACT, -1, True)
        elif bound != _UPPER and known > HEURISTIC_MAX:
            return _from_root(known, ply)
    s.guesses += 1
    return value


def _made_two_fours(s: State, ply: int) -> bool:
    """Whether the side to move made fours with its last two moves."""
    return ply >= 4 and min(s.level_at[ply - 2], s.level_at[ply - 4]) >= FOUR_MOVE


def _is_far_above(s: State, lead: int, depth: int, ply: int, grown: bool) -> bool:
    """Whether the static value has such a `lead` that hardly any reply will bring it down."""
    plies = depth - _PLY - _PLY * grown
    return lead >= max(_STATIC_MARGIN * plies // _PLY, 0) and not _made_two_fours(s, ply)


def search(s: State, table: Table, alpha: int, beta: int, depth: int, ply: int, cut: bool) -> int:
    """The value of the position, fail-soft: exact between `alpha` and `beta`, else a bound."""
    if s.nodes >= s.node_limit:
        raise _Stop
    value = _win_in_sight(s, ply)
    if value > 0 or s.empties == 0:
        return value
    opponent = (1 - s.colour) * LEVELS
    fives = s.level_count[opponent + FIVE_MOVE]
    if fives > 1:
        return -(WIN - ply - 2)
    if fives == 0 and depth <= 0:
        return _at_horizon(s, table, beta, ply)
    if ply >= MAX_PLY - 2:
        s.guesses += 1
        return evaluate(s)

    left_out, s.left_out[ply] = s.left_out[ply], -1
    entry = _look_up(s, table) if left_out < 0 else _VACANT
    _, known, known_move, known_depth, bound, guessed = entry
    known_value, known_bound = _from_root(known, ply), bound
    if bound != _NOTHING:
        value = known_value
        if (known_depth >= depth or abs(value) > HEURISTIC_MAX) and (
            bound == _EXACT
            or (bound == _LOWER and value >= beta)
            or (bound == _UPPER and value <= alpha)
        ):
            s.guesses += guessed
            return value

    guesses = s.guesses
    attacked = s.level_count[opponent + OPEN_FOURS] > 0
    exhaustive = depth >= s.empties * _PLY
    whole = fives > 0 or attacked or exhaustive
    is_open = beta - alpha > 1
    static = -s.static_at[ply + 1] if whole else _expected(s)
    grown = not whole and static > s.static_at[ply]
    s.static_at[ply + 2] = static
    if not whole and not is_open and -HEURISTIC_MAX < beta <= HEURISTIC_MAX:
        missing = _FOURS_MARGIN + _FOURS_MARGIN_PER_PLY * depth // _PLY
        if depth < _FOURS_TO_DEPTH and alpha - static > missing:
            return _at_horizon(s, table, beta, ply)
        if _is_far_above(s, static - beta, depth, ply, grown):
            s.guesses += 1
            return static
    if is_open and fives == 0 and not exhaustive:
        less_known = (depth - known_depth) * _LESS_KNOWN_SHARE // 64
        less_known = max(min(less_known, _LESS_KNOWN_MAX), 0)
        depth -= less_known if known_move >= 0 else _UNKNOWN_SHORTER
        if depth <= 0:
            return _at_horizon(s, table, beta, ply)
    lead = static - beta - _AHEAD_MARGIN - _AHEAD_MARGIN_PER_PLY * depth // _PLY
    is_ahead = cut and not whole and not is_open and lead >= 0
    best, best_move, lowest = -_INFINITY, -1, alpha
    level_of, patterns, own = s.level_of, s.pattern, 16 * s.colour
    most = _QUIET_MOVES + _QUIET_MOVES_PER_PLY * (depth // _PLY)
    # The known move often fails high, and then there is no need for a list.
    moves, order = [known_move], [0]
    listed, complete = False, True
    if known_move < 0:
        moves, order, complete = _list_moves(s, ply, depth // _PLY)
        listed = True
    index = less = 0
    while True:
        if index == len(moves):
            if listed:
                break
            moves, order, complete = _list_moves(s, ply, depth // _PLY)
            _bring_to_front(moves, order, known_move)
            listed = True
            continue
        move = _pick(moves, order, index) if listed else known_move
        if move == left_out:
            index += 1
            continue
        level = level_of[patterns[move] >> own & _PATTERN]
        quiet = level == PLAIN and not whole
        if quiet and index >= most and best > -HEURISTIC_MAX:
            complete = False
            _drop_quiet(s, moves, order, index)
            continue
        next_depth = depth - _PLY - less
        may_be_singular = (
            depth >= _SINGULAR_FROM_DEPTH
            and known_depth >= depth - _SINGULAR_KNOWN
            and known_bound == _LOWER
            and abs(known) < HEURISTIC_MAX
        )
        if fives:
            next_depth = depth + _REPLY_DEEPER
        elif index == 0 and known_move >= 0 and not exhaustive and may_be_singular:
            aim = max(known_value - _SINGULAR_MARGIN * depth // _PLY, 1 - HEURISTIC_MAX)
            s.left_out[ply] = move
            value = search(s, table, aim - 1, aim, depth * _SINGULAR_SHARE // 64, ply, cut)
            if value > HEURISTIC_MAX:
                return value
            if value < aim:
                twice = not is_open and value < aim - _SINGULAR_TWICE
                twice = twice and s.extended[ply] < _EXTENDED_MAX
                next_depth += 2 * _PLY if twice else _PLY
            elif aim >= beta:
                s.guesses += 1
                return aim
            elif known_value >= beta:
                next_depth -= _SINGULAR_LESS
        if is_ahead and level < FOUR_MOVE:
            next_depth -= _PLY
        elif is_ahead and ply >= 2 and s.level_at[ply - 2] >= FOUR_MOVE:
            next_depth += _PLY
        s.level_at[ply] = level
        s.extended[ply + 1] = s.extended[ply] + max(next_depth - depth, 0)
        reduced = next_depth
        if index > 0 and fives == 0 and not exhaustive:
            reduced = _reduced(
                s, depth, next_depth, ply, index, move, is_open, grown, cut, attacked
            )
        place(s, move)
        s.nodes += 1
        if index == 0:
            cut_next = not is_open and not cut
            value = -search(s, table, -beta, -lowest, next_depth, ply + 1, cut_next)
        else:
            cut_next = reduced < next_depth or not cut
            value = -search(s, table, -lowest - 1, -lowest, reduced, ply + 1, cut_next)
            if value > lowest and reduced < next_depth:
                next_depth = _deeper(value, lowest, best, next_depth, reduced)
                if reduced < next_depth:
                    value = -search(s, table, -lowest - 1, -lowest, next_depth, ply + 1, not cut)
            if lowest < value < beta:
                value = -search(s, table, -beta, -lowest, next_depth, ply + 1, cut)
        take_back(s, move)
        if value > best:
            best, best_move = value, move
            if value > lowest:
                lowest = value
                _put_line(s, ply, move)
                if _RAISED_FROM <= depth // _PLY <= _RAISED_TO and not exhaustive:
                    less = _PLY
            if value >= beta:
                if fives == 0 and left_out < 0:
                    _remember(s, ply, depth, moves, index, attacked)
                break
        index += 1
    if left_out >= 0:
        return alpha if best == -_INFINITY else best
    if best < beta and not complete:
        s.guesses += 1
        best = max(best, -HEURISTIC_MAX)
    bound = _LOWER if best >= beta else _EXACT if best > alpha else _UPPER
    as_expected = best <= static if bound == _LOWER else bound == _UPPER and best >= static
    if not whole and abs(best) < HEURISTIC_MAX and not as_expected:
        _correct(s, depth // _PLY, best - static)
    if abs(best) > HEURISTIC_MAX:
        s.guesses = guesses
    _store(s, table, ply, max(depth, 0), best, bound, best_move, s.guesses > guesses)
    return best


def _keep(s: State, value: int, depth: int) -> None:
    """Make the root's line the result so far."""
    s.best_value = value
    s.best_depth = depth
    s.settled = abs(value) > HEURISTIC_MAX
    s.best_line = s.pv[0]


def _search_root(
    s: State, table: Table, alpha: int, beta: int, depth: int, moves: list[int], complete: bool
) -> int:
    """The value of the best of the root's moves, which comes to the front of them."""
    best, lowest = -_INFINITY, alpha
    opponent = (1 - s.colour) * LEVELS
    threats = s.level_count[opponent + OPEN_FOURS] + s.level_count[opponent + FIVE_MOVE]
    whole = threats > 0 or depth >= s.empties
    for index, move in enumerate(moves):
        level = s.level_of[s.pattern[move] >> 16 * s.colour & _PATTERN]
        if level == FIVE_MOVE:
            value = WIN - 1
            s.pv[1] = ()
        else:
            reduced = next_depth = _PLY * (depth - 1)
            if index > 0 and level == PLAIN and not whole:
                reduced = _reduced(
                    s, _PLY * depth, next_depth, 0, index, move, True, True, False, False
                )
            s.level_at[0] = level
            place(s, move)
            s.nodes += 1
            if index == 0:
                value = -search(s, table, -beta, -lowest, next_depth, 1, False)
            else:
                value = -search(s, table, -lowest - 1, -lowest, reduced, 1, True)
                if value > lowest and reduced < next_depth:
                    value = -search(s, table, -lowest - 1, -lowest, next_depth, 1, True)
                if lowest < value < beta:
                    value = -search(s, table, -beta, -lowest, next_depth, 1, False)
            take_back(s, move)
        if value > best:
            best = value
            if value > lowest:
                lowest = value
                _put_line(s, 0, move)
                moves.insert(0, moves.pop(index))
                _keep(s, max(best, -HEURISTIC_MAX), depth)
            if value >= beta or value > HEURISTIC_MAX:
                return best
    if not complete:
        s.guesses += 1
        best = max(best, -HEURISTIC_MAX)
    if best > alpha:
        _keep(s, best, depth)
    return best


def _search_line(s: State, table: Table, depth: int, moves: list[int], complete: bool) -> None:
    """One iteration, around the value of the one before."""
    alpha, beta = -_INFINITY, _INFINITY
    margin = _WINDOW
    if depth >= _WINDOW_FROM_DEPTH:
        alpha, beta = s.best_value - margin, s.best_value + margin
    guesses = s.guesses
    while True:
        value = _search_root(s, table, alpha, beta, depth, moves, complete)
        if alpha < value < beta or value > HEURISTIC_MAX:
            break
        margin *= _WINDOW_GROWTH
        if value <= alpha:
            alpha = value - margin if value - margin > -HEURISTIC_MAX else -_INFINITY
        else:
            beta = value + margin if value + margin < HEURISTIC_MAX else _INFINITY
    s.settled |= s.guesses == guesses


def think(s: State, table: Table, max_depth: int) -> None:
    """Search deeper and deeper until the nodes are used up or nothing is left to find out."""
    table[:] = [_VACANT] * len(table)
    s.history = [[0] * len(s.cells) for _ in range(2 * 2)]
    s.correction = {}
    s.static_at = [0] * (MAX_PLY + 2)
    s.static_at[2] = evaluate(s)
    s.level_at, s.extended, s.left_out = [0] * MAX_PLY, [0] * MAX_PLY, [-1] * MAX_PLY
    s.killers = [[-1, -1] for _ in range(MAX_PLY)]
    s.nodes = s.guesses = 0
    moves: list[int] = []
    complete = False
    for depth in range(1, max_depth + 1):
        if depth == 1 or depth == s.empties:
            moves, order, complete = _list_moves(s, 0, depth)
            for index in range(len(moves)):
                _pick(moves, order, index)
        if depth == 1:
            s.pv[0] = (moves[0],)
            _keep(s, evaluate(s), 0)
        try:
            _search_line(s, table, depth, moves, complete)
        except _Stop:
            return
        if s.settled:
            return


# What follows is in `searcher` there.

# As many entries as the kernels', so that the same positions are forgotten.
_ENTRIES_PER_MEBIBYTE = 1 << 16
_SURE_DISTANCE = 4
_UNLIMITED = 1 << 63


class ReferenceSearcher:
    """Searches as the game's own searcher does, by depth and nodes alone."""

    def __init__(
        self,
        game: Gomoku,
        options: SearchOptions = SearchOptions(),
        weights: Weights | None = None,
    ) -> None:
        self._state = State(game.size, game.rule is Rule.STANDARD, weights or read(game.rule))
        mebibytes = 1 << options.table.bit_length() - 1
        self._table = [_VACANT] * (mebibytes * _ENTRIES_PER_MEBIBYTE)

    def search(
        self, position: Position, limits: Limits, *, exclude: Collection[Move] = ()
    ) -> SearchResult:
        """Search `position` until a limit, leaving out the root moves in `exclude`."""
        started = time.perf_counter()
        s = self._state
        dark, light = cells_of(position.dark), cells_of(position.light)
        stones = [0] * (len(dark) + len(light))
        stones[0::2], stones[1::2] = dark, light
        set_up(s, stones)
        s.excluded = frozenset(exclude)
        s.node_limit = limits.nodes or _UNLIMITED
        think(s, self._table, min(limits.depth or s.empties, s.empties))
        return SearchResult(
            move=s.best_line[0],
            value=s.best_value,
            bound=_bound(s.best_value),
            proven=s.settled,
            depth=s.best_depth,
            nodes=s.nodes,
            seconds=time.perf_counter() - started,
            line=s.best_line,
        )


def _bound(value: int) -> Bound:
    if not is_decisive(value) or (distance(value) or 0) <= _SURE_DISTANCE:
        return Bound.EXACT
    return Bound.LOWER if value > 0 else Bound.UPPER
