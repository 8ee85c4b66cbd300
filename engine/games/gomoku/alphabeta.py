"""Alpha-beta over the incremental board: iterative deepening, null windows, transpositions.

Values are from the point of view of the side to move, decisive ones counted from the root: a
win *n* plies from the root is ``WIN - n``. A decisive value is always a proof. Only moves near
stones are looked at, which is enough for the side that wins; the side that loses must have had
every move. Where the moves looked at may not be all that matter, and all of them lose, the
value is therefore cut down to ``-HEURISTIC_MAX``. A move that the rule forbids is never looked
at, and a side that has no other move has lost. A reduced search that ends in a decisive value
proves it all the same, and late quiet moves that are left out count as moves not looked at.

`s.guesses` counts what the search took on trust: evaluations, left-out moves and shorter searches.
Where it did not grow, the value is the game's own.
"""

from typing import Any

import numpy as np
from numba import from_dtype, types
from numpy.typing import NDArray

from engine.games.gomoku.board import (
    BEFORE_ALL,
    CELLS,
    DARK_COLOUR,
    DOUBLE_THREE,
    EMPTY,
    FADING_AT,
    FIVE_MOVE,
    FOUR_MOVE,
    FOUR_THREE,
    LAST_MOVES,
    LEVELS,
    MARGIN,
    MAX_CELLS,
    MAX_PLY,
    MOVER,
    OPEN_FOURS,
    PLAIN,
    STONES_A_STEP,
    STRIDE,
    THREATS,
    WAITER,
    State,
    cannot_parry,
    find,
    find_two_ways,
    has_lasting_threat,
    is_forbidden,
    lasts,
    level_after,
    next_cell,
    number_of,
    place,
    take_back,
    threats,
)
from engine.games.gomoku.limits import NODES_BETWEEN_CHECKS, check_limits
from engine.games.gomoku.network import network_value
from engine.kernels import entry_kernel, i64, kernel, now, u64
from engine.values import HEURISTIC_MAX, WIN
from engine.vectors import at_least, lowest, prefetch, uncounted

ENTRY = np.dtype([("check", np.int64), ("data", np.int64)])
"""An entry of the transposition table: what was found, and that combined with the position's hash.

Threads share the table without locks: an entry half written by another one fails its check
(Hyatt & Mann, 2002). From the lowest bit, `data` has 16 bits of value, 16 of move, 10 of depth,
2 of bound, one for whether the value was guessed, and the number of the search it belongs to.
"""
_Table = from_dtype(ENTRY)[::1]

BUCKET = 2
"""Neighbouring entries, in each of which a position may be kept."""

GENERATIONS = 1 << 18
"""Searches that a table tells apart; after the last one it must be cleared."""

_NOTHING, _EXACT, _LOWER, _UPPER = 0, 1, 2, 3
_MOVE_AT, _DEPTH_AT, _BOUND_AT, _GUESSED_AT, _GENERATION_AT = 16, 32, 42, 44, 45
_MAX_STORED_DEPTH = 1023
_INFINITY = WIN + 1
_EVALUATION_MAX = HEURISTIC_MAX - 1
_FIRST = 1 << 27
# Depths within the search are in parts of a ply.
_PLY = 8
# Below this depth only a win by a four is looked for where the static value is this much and so
# much a ply below what matters (razoring, after Birmingham & Kent, 1977).
_FOURS_TO_DEPTH, _FOURS_MARGIN, _FOURS_MARGIN_PER_PLY = 21, 38, 28
# A static value is believed that is this much a ply, after the first, above what matters (reverse
# futility pruning).
_STATIC_MARGIN = 160
# In a node with an open window whose best move is not known, so much less depth; where it is known,
# this share in 64 of what it is known less deep by, up to a limit (internal iterative reductions).
_UNKNOWN_SHORTER, _LESS_KNOWN_SHARE, _LESS_KNOWN_MAX = 3, 18, 29
# The reply to a four has so much more depth than the four.
_REPLY_DEEPER = 2
# Where a cut is expected, and the static value is this much and so much a ply above beta, moves are
# searched a ply less deep, but for fours (fail-high reductions).
_AHEAD_MARGIN, _AHEAD_MARGIN_PER_PLY = -18, 30
# From this depth on a known move, known no more than so much less deep, is searched a ply deeper if
# without it a search of this share in 64 of the depth finds so much less a ply; two plies if still
# so much less, up to so much in a line; and less deep if others are as good (singular extensions,
# after Anantharaman, Campbell & Hsu, 1988).
_SINGULAR_FROM_DEPTH, _SINGULAR_KNOWN, _SINGULAR_SHARE, _SINGULAR_MARGIN = 53, 16, 30, 2
_SINGULAR_TWICE, _SINGULAR_LESS, _EXTENDED_MAX = 50, 12, 80
# What late moves are reduced by: up to so much less or more by what they have earned, so much more
# in any case, where the static value has not grown in two plies, and where a cut is expected; so
# much less in a node with an open window. In 64 parts of a ply, _FINE to a part.
_FINE = 8
_REDUCED_BY_HISTORY, _REDUCED_ALWAYS = 50, 13
_REDUCED_NOT_GROWN, _REDUCED_WHERE_CUT, _LESS_IN_OPEN = 64, 115, 32
# A late move that is better than alpha by this much, and so much for each ply that it was reduced
# by, is searched again a ply deeper than others; two plies if by that much.
_BETTER, _BETTER_PER_PLY, _MUCH_BETTER, _MUCH_BETTER_PER_PLY = 68, 22, 576, 52
# Between these depths, in plies, a move that raised alpha leaves a ply less to those after it.
_RAISED_FROM, _RAISED_TO = 3, 11
# At the horizon so many fours in a row are tried, in so many nodes.
_FOURS_IN_A_ROW, _NODES_FOR_FOURS = 8, 60
# With d plies left no more quiet moves than 3 + 2·d are searched.
_QUIET_MOVES, _QUIET_MOVES_PER_PLY = 3, 2
# The next iteration is searched with a window of this much to both sides of the last one's value.
_WINDOW, _WINDOW_GROWTH, _WINDOW_FROM_DEPTH = 100, 3, 4
# A hundredth of a logarithm of odds in the order of moves; what killers and history add to it.
_POLICY_RANK = 20
_KILLER_RANK = 1024
# Corrections are kept in parts of a centi-unit. A search of depth d moves one by d + 1 parts in 256
# of what it missed, and those by the last moves by half as much.
_CORRECTION_UNIT, _CORRECTION_MAX = 64, 400
_CORRECTION_STEPS, _CORRECTION_STEPS_BY_MOVE, _CORRECTION_DEPTH_MAX = 256, 512, 8
_HISTORY_MAX, _HISTORY_STEP_MAX = 4096, 1024


def _reductions() -> NDArray[np.int16]:
    """By plies left and by a move's place in the list: what its search is shortened by, in 64 parts
    of a ply.
    """
    plies, places = np.ogrid[1:MAX_PLY, 1:MAX_CELLS]
    table = np.zeros((MAX_PLY, MAX_CELLS), dtype=np.int16)
    table[1:, 1:] = 64 * (0.75 * np.log(plies) * np.log(places + 1))
    return table


_REDUCTIONS = _reductions()


@kernel(types.int64(State, types.int64))
def _static_value(s: Any, correction: int) -> int:
    """What the rows that each side could still make are worth, for the side to move."""
    value = s.worth[u64(2 * s.colour + MOVER)] - s.worth[u64(2 * (1 - s.colour) + WAITER)]
    value += s.threat_worth[u64(s.colour * THREATS + threats(s))] + s.tempo + network_value(s)
    value = correction + (value * s.fading[u64(s.stones // STONES_A_STEP)] >> FADING_AT)
    return int(max(-_EVALUATION_MAX, min(_EVALUATION_MAX, value)))


@kernel(types.int64(State))
def evaluate(s: Any) -> int:
    """The static value for the side to move, as the weights have it."""
    return int(_static_value(s, 0))


@kernel(types.int64(State, types.int64))
def _after_move(s: Any, back: int) -> int:
    """Where the correction by the last move is kept, or by the one `back` moves before it."""
    return int((2 * back + s.colour) * CELLS + s.played[u64(s.stones - 1 - back)])


@kernel(types.int64(State))
def _expected(s: Any) -> int:
    """The static value, corrected by how it was wrong where both sides threatened as much, and
    after the same last moves.
    """
    correction = int(s.correction[u64(threats(s))])
    for back in range(min(s.stones, LAST_MOVES)):
        correction += s.move_correction[u64(_after_move(s, back))]
    return int(_static_value(s, correction // _CORRECTION_UNIT))


@kernel(types.void(State, types.int64, types.int64))
def _correct(s: Any, depth: int, missing: int) -> None:
    """A search of this depth found `missing` more than was expected: expect part of it next time.

    (Correction history, after Caissa, 2023, and Stockfish, 2024.)
    """
    missing = max(-_CORRECTION_MAX, min(_CORRECTION_MAX, missing))
    step = _CORRECTION_UNIT * missing * min(depth + 1, _CORRECTION_DEPTH_MAX)
    s.correction[u64(threats(s))] += step // _CORRECTION_STEPS
    for back in range(min(s.stones, LAST_MOVES)):
        s.move_correction[u64(_after_move(s, back))] += step // _CORRECTION_STEPS_BY_MOVE


@kernel(types.int64(State, types.int64, types.int64, types.int64))
def _odds(s: Any, colour: int, at: int, side: int) -> int:
    """What the rows of `colour`, MOVER or WAITER, add to the odds that a move on `at` is chosen."""
    return int(s.odds_of[u64(2 * number_of(s, colour, at) + side)])


@kernel(types.int64(State, types.int64))
def _earned_at(s: Any, at: int) -> int:
    """Where what a move of the side to move has earned is kept: threats and quiet moves apart."""
    threat = i64(s.level[u64(s.colour * CELLS + at)] != PLAIN)
    return int((2 * threat + s.colour) * CELLS + at)


@kernel(types.boolean(State, types.int64, types.int64))
def _is_killer(s: Any, ply: int, move: int) -> bool:
    """Whether `move` was one of the last two quiet moves that failed high at this ply."""
    return bool(move == s.killers[u64(2 * ply)] or move == s.killers[u64(2 * ply + 1)])


@kernel(types.void(State, types.int64, types.int64, types.int64))
def _list(s: Any, ply: int, count: int, at: int) -> None:
    """Write the move `at` as number `count` into the list of this ply, with its rank."""
    own = _odds(s, s.colour, at, MOVER)
    other = _odds(s, 1 - s.colour, at, WAITER)
    s.moves[u64(ply * MAX_CELLS + count)] = at
    # Among moves that make nothing the most central one comes first.
    order = _POLICY_RANK * (own + other) + s.central[u64(at)]
    level = s.level[u64(s.colour * CELLS + at)]
    earned = s.history[u64(_earned_at(s, at))]
    # What threats have earned counts twice.
    order += earned if level == PLAIN else 2 * earned
    if _is_killer(s, ply, at):
        order += _KILLER_RANK
    if level >= OPEN_FOURS:
        # A sure win is taken before a longer one is looked for.
        order += level * _FIRST
    s.order[u64(ply * MAX_CELLS + count)] = order


@kernel(types.boolean(State, types.int64, types.int64))
def _may_play(s: Any, ply: int, at: int) -> bool:
    """Whether the move on the empty cell `at` is to be looked at."""
    return not (ply == 0 and s.excluded[at]) and not is_forbidden(s, at)


@kernel(types.int64(State, types.int64))
def _list_all(s: Any, ply: int) -> int:
    """List every legal move; returns their number."""
    count = 0
    for index in range(s.size * s.size):
        at = int(s.cells[index])
        if s.cell[at] == EMPTY and _may_play(s, ply, at):
            _list(s, ply, count, at)
            count += 1
    return count


@kernel(types.int64(State, types.int64))
def _list_centre(s: Any, ply: int) -> int:
    """List the moves of an empty board that are nearest to its centre; returns their number."""
    count = most = 0
    for index in range(s.size * s.size):
        at = int(s.cells[index])
        if s.central[at] < most or not _may_play(s, ply, at):
            continue
        if s.central[at] > most:
            most, count = int(s.central[at]), 0
        _list(s, ply, count, at)
        count += 1
    return count


@kernel(types.int64(State, types.int64))
def _list_near(s: Any, ply: int) -> int:
    """List the moves within two cells of a stone on a line; returns their number."""
    count = 0
    for row in range(MARGIN, MARGIN + s.size):
        left = at_least(s.near, row * STRIDE, 1) & at_least(s.level, row * STRIDE, PLAIN)
        while left != 0:
            at = row * STRIDE + lowest(left)
            left &= left - 1
            if _may_play(s, ply, at):
                _list(s, ply, count, at)
                count += 1
    return count


@kernel(types.void(State, types.int64))
def _mark_lines(s: Any, at: int) -> None:
    """Mark the cell `at` and those on its lines that are near enough to matter there."""
    s.marks[:] = 0
    row, place = at // STRIDE, at % STRIDE
    s.marks[u64(row)] = 1 << place
    for distance in range(1, s.reach + 1):
        s.marks[u64(row)] |= 1 << place + distance | 1 << place - distance
        across = 1 << place | 1 << place + distance | 1 << place - distance
        s.marks[u64(row - distance)] = across
        s.marks[u64(row + distance)] = across


@kernel(types.boolean(State, *[types.int64] * 3))
def _parries(s: Any, at: int, start: int, end: int) -> bool:
    """Whether a move on `at` leaves none of the moves of the list from `start` to `end` as strong.

    These are cells where the opponent could make an open four.
    """
    for index in range(start, end):
        if level_after(s, 1 - s.colour, int(s.moves[u64(index)]), at) >= OPEN_FOURS:
            return False
    return True


@kernel(types.int64(State, types.int64))
def _list_parries(s: Any, ply: int) -> int:
    """List every move that may parry the opponent's threat of an open four; returns their number.

    Neither side has a five at hand; the opponent has cells on which he could make an open four,
    and that `lasts`. After a move that leaves one of them as strong, unless the move makes a four,
    he plays there, and wins on the fourth ply from now. Where nothing parries, one move is listed
    all the same, if it may be played.
    """
    opponent = 1 - s.colour
    # Until they are needed, the next ply's moves hold the cells.
    start = (ply + 1) * MAX_CELLS
    end = start
    at = next_cell(s, opponent, OPEN_FOURS, BEFORE_ALL)
    while at > 0:
        if lasts(s, opponent, at):
            s.moves[u64(end)] = at
            end += 1
        at = next_cell(s, opponent, OPEN_FOURS, at)
    # A cell on no line of the first one leaves that as strong.
    _mark_lines(s, int(s.moves[u64(start)]))
    count = 0
    for row in range(MARGIN, MARGIN + s.size):
        first = s.colour * CELLS + row * STRIDE
        left = at_least(s.level, first, FOUR_MOVE) | at_least(s.level, first, PLAIN) & s.marks[row]
        while left != 0:
            at = row * STRIDE + lowest(left)
            left &= left - 1
            if _may_play(s, ply, at) and (
                s.level[u64(s.colour * CELLS + at)] >= FOUR_MOVE or _parries(s, at, start, end)
            ):
                _list(s, ply, count, at)
                count += 1
    if count == 0 and _may_play(s, ply, int(s.moves[u64(start)])):
        _list(s, ply, 0, int(s.moves[u64(start)]))
        count = 1
    return count


@kernel(types.int64(State, types.int64, types.int64))
def _list_moves(s: Any, ply: int, depth: int) -> int:
    """List the moves to search; returns their number.

    Sets `s.complete` to whether every move left out loses within four plies, or none is.
    """
    opponent = (1 - s.colour) * LEVELS
    s.complete = 1
    if s.level_count[s.colour * LEVELS + FIVE_MOVE] > 0:
        # Only at the root: a win at once, unless it is excluded.
        return _list_all(s, ply)
    if s.level_count[opponent + FIVE_MOVE] > 0:
        forced = find(s, 1 - s.colour, FIVE_MOVE)
        if _may_play(s, ply, forced):
            _list(s, ply, 0, forced)
            return 1
        return _list_all(s, ply)
    if has_lasting_threat(s, 1 - s.colour):
        count = _list_parries(s, ply)
    elif depth >= s.empties:
        return _list_all(s, ply)
    else:
        s.complete = 0
        is_first = s.empties == s.size * s.size
        count = _list_centre(s, ply) if is_first else _list_near(s, ply)
    if count == 0:
        s.complete = 1
        count = _list_all(s, ply)
    return count


@kernel(types.void(State, types.int64, types.int64, types.boolean))
def _earn(s: Any, at: int, step: int, failed_high: bool) -> None:
    """Rank a move higher from now on, or lower. What it has earned moves towards ±`_HISTORY_MAX`
    and never beyond it.
    """
    index = u64(_earned_at(s, at))
    s.history[index] += (step if failed_high else -step) - s.history[index] * step // _HISTORY_MAX


@kernel(types.void(State, types.int64, types.int64, types.int64, types.boolean))
def _remember(s: Any, ply: int, depth: int, index: int, attacked: bool) -> None:
    """The move at `index` failed high: rank it higher from now on, those before it lower.

    Quiet moves are left as they are where a threat failed high, or the opponent threatens an open
    four: what parries that says little of other positions.
    """
    moves = ply * MAX_CELLS
    step = min(16 * (depth // _PLY) ** 2, _HISTORY_STEP_MAX)
    best = int(s.moves[u64(moves + index)])
    quiet = s.level[u64(s.colour * CELLS + best)] == PLAIN and not attacked
    if quiet and s.killers[u64(2 * ply)] != best:
        s.killers[u64(2 * ply + 1)] = s.killers[u64(2 * ply)]
        s.killers[u64(2 * ply)] = best
    for other in range(index + 1):
        at = int(s.moves[u64(moves + other)])
        if quiet or s.level[u64(s.colour * CELLS + at)] != PLAIN:
            _earn(s, at, step, other == index)


@kernel(types.int64(State, types.int64, types.int64, types.int64))
def _pick(s: Any, ply: int, index: int, count: int) -> int:
    """Bring the highest ranked of the moves from `index` on to `index`; returns it."""
    first = u64(ply * MAX_CELLS + index)
    # As a loop of its own it becomes vector instructions.
    highest = s.order[first]
    for other in range(1, count - index):
        highest = max(highest, s.order[first + u64(other)])
    best = first
    while s.order[best] != highest:
        best += u64(1)
    move, order = s.moves[best], s.order[best]
    s.moves[best], s.order[best] = s.moves[first], s.order[first]
    s.moves[first], s.order[first] = move, order
    return int(move)


@kernel(types.void(State, *[types.int64] * 3))
def _bring_to_front(s: Any, ply: int, count: int, move: int) -> None:
    """Put `move`, which is one of the `count` listed, before the others."""
    start = ply * MAX_CELLS
    for index in range(start, start + count):
        if s.moves[u64(index)] == move:
            s.moves[u64(index)], s.order[u64(index)] = s.moves[u64(start)], s.order[u64(start)]
            s.moves[u64(start)] = move


@kernel(types.int64(State, *[types.int64] * 3))
def _drop_quiet(s: Any, ply: int, index: int, count: int) -> int:
    """Take the quiet moves from `index` on off the list; returns the number of moves in it."""
    start = ply * MAX_CELLS
    end = start + index
    for other in range(start + index, start + count):
        if s.level[u64(s.colour * CELLS + s.moves[u64(other)])] != PLAIN:
            s.moves[u64(end)], s.order[u64(end)] = s.moves[u64(other)], s.order[u64(other)]
            end += 1
    return end - start


@kernel(types.void(State, types.int64, types.int64))
def _put_line(s: Any, ply: int, move: int) -> None:
    """The line from this ply on is `move`, then the line of the next ply."""
    length: int = min(int(s.pv_length[u64(ply + 1)]), MAX_PLY - ply - 2)
    s.pv[u64(ply * MAX_PLY)] = move
    for index in range(length):
        s.pv[u64(ply * MAX_PLY + index + 1)] = s.pv[u64((ply + 1) * MAX_PLY + index)]
    s.pv_length[u64(ply)] = length + 1


@kernel(types.int64(types.int64, types.int64))
def _from_root(value: int, ply: int) -> int:
    """A value counted from this ply, counted from the root."""
    if value > HEURISTIC_MAX:
        return value - ply
    if value < -HEURISTIC_MAX:
        return value + ply
    return value


@kernel(types.int64(State, _Table))
def _look_up(s: Any, table: Any) -> int:
    """What this search knows of the position, or one of those whose results it may use; or
    _NOTHING.
    """
    key = np.int64(s.hash)
    start = key & (len(table) - BUCKET)
    for slot in range(start, start + BUCKET):
        data = table[u64(slot)].data
        if table[u64(slot)].check == key ^ data and data >> _GENERATION_AT >= s.oldest:
            return int(data)
    return _NOTHING


@kernel(types.void(State, _Table, types.int64))
def _bring_near(s: Any, table: Any, move: int) -> None:
    """Have what the table knows of the position after `move` fetched while the stone is placed."""
    key = np.int64(s.hash ^ s.zobrist[u64(s.colour * CELLS + move)])
    prefetch(table, key & (len(table) - BUCKET))


@kernel(types.int64(types.int64, types.int64))
def _value_of(data: int, ply: int) -> int:
    """The value in an entry's data, decisive ones counted from the root."""
    return int(_from_root((data & 0xFFFF ^ 0x8000) - 0x8000, ply))


@kernel(types.int64(types.int64))
def _move_of(data: int) -> int:
    """The best move in an entry's data; 0, which is no cell, where none is known."""
    return data >> _MOVE_AT & 0xFFFF


@kernel(types.int64(types.int64))
def _depth_of(data: int) -> int:
    """The depth in an entry's data."""
    return data >> _DEPTH_AT & _MAX_STORED_DEPTH


@kernel(types.int64(types.int64))
def _bound_of(data: int) -> int:
    """The bound in an entry's data."""
    return data >> _BOUND_AT & 3


@kernel(types.void(State, _Table, *[types.int64] * 6))
def _store(
    s: Any, table: Any, ply: int, depth: int, value: int, bound: int, move: int, guessed: int
) -> None:
    """Keep a result, in the slot of the same position or of a shallower one, else the last one."""
    key = np.int64(s.hash)
    start = key & (len(table) - BUCKET)
    chosen = int(start + BUCKET - 1)
    for slot in range(start, start + BUCKET):
        data = table[u64(slot)].data
        same = table[u64(slot)].check == key ^ data
        if same or data >> _GENERATION_AT != s.generation or _depth_of(data) <= depth:
            chosen = slot
            break
    kept = (
        _from_root(value, -ply) & 0xFFFF
        | move << _MOVE_AT
        | min(depth, _MAX_STORED_DEPTH) << _DEPTH_AT
        | bound << _BOUND_AT
        | guessed << _GUESSED_AT
        | s.generation << _GENERATION_AT
    )
    table[u64(chosen)].check = key ^ kept
    table[u64(chosen)].data = kept


@kernel(types.int64(State, *[types.int64] * 5, *[types.boolean] * 4))
def _reduced(
    s: Any,
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
    """The depth of the first search of the move at `index`, not the first of a node of `depth`; at
    `next_depth` it would not be reduced.

    It is reduced less where the window `is_open`, more where the static value has not `grown` in
    two plies, and where a `cut` is expected. Parries of an open four are no killers.
    """
    if depth < 2 * _PLY:
        return next_depth
    fine = int(_REDUCTIONS[min(depth // _PLY, MAX_PLY - 1), index])
    if is_open:
        fine = max(fine - _LESS_IN_OPEN, 0)
    elif not grown and fine > _FINE * _PLY:
        fine += _REDUCED_NOT_GROWN
    quiet = s.level[u64(s.colour * CELLS + move)] == PLAIN and not attacked
    if cut and not (quiet and _is_killer(s, ply, move)):
        fine += _REDUCED_WHERE_CUT
    earned = int(s.history[u64(_earned_at(s, move))])
    fine += _REDUCED_ALWAYS - earned * _REDUCED_BY_HISTORY // _HISTORY_MAX
    return max(min(next_depth - fine // _FINE, next_depth + _PLY), min(next_depth, _PLY))


@kernel(types.int64(*[types.int64] * 5))
def _deeper(value: int, lowest: int, best: int, next_depth: int, reduced: int) -> int:
    """The depth of the next search of a late move that was better than `lowest` by a search of the
    depth `reduced`: two plies or one beyond `next_depth`, that, or less where others are as good.
    """
    plies = (next_depth - reduced) // _PLY
    if value > lowest + _BETTER + _BETTER_PER_PLY * plies:
        next_depth += _PLY
    if value > lowest + _MUCH_BETTER + _MUCH_BETTER_PER_PLY * plies:
        next_depth += _PLY
    if value < best + next_depth // 4:
        next_depth -= _PLY
    return next_depth


@kernel(types.int64(State, types.int64))
def _count_fours(s: Any, colour: int) -> int:
    """How many cells there are on which `colour`, which has no five, makes a four."""
    own = colour * LEVELS
    fours = s.level_count[u64(own + FOUR_MOVE)] + s.level_count[u64(own + FOUR_THREE)]
    return int(fours + s.level_count[u64(own + OPEN_FOURS)])


@kernel(types.int64(State))
def _find_two_threats(s: Any) -> int:
    """A cell on which a stone makes an open three, and on another line one more or a four; 0 if
    there is none, or if the opponent could make a four.

    Neither side has a five or an open four at hand. It is the first move of a win in five plies: no
    reply is on both lines, and none gains a move.
    """
    if s.forbidding > 0 and s.colour == DARK_COLOUR:
        # Two threes are a foul, and a foul may take back a three.
        return 0
    own = s.colour * LEVELS
    four_threes = s.level_count[u64(own + FOUR_THREE)]
    if four_threes + s.level_count[u64(own + DOUBLE_THREE)] == 0:
        return 0
    if _count_fours(s, 1 - s.colour) > 0:
        return 0
    return int(find(s, s.colour, FOUR_THREE if four_threes > 0 else DOUBLE_THREE))


@kernel(types.int64(State, types.int64))
def _win_in_sight(s: Any, ply: int) -> int:
    """The value of a win in one, three or five plies, with its first move as the line; 0 if none
    is seen.
    """
    s.pv_length[u64(ply)] = 0
    own, opponent = s.colour * LEVELS, (1 - s.colour) * LEVELS
    if s.level_count[u64(own + FIVE_MOVE)] > 0:
        plies, move = 1, find(s, s.colour, FIVE_MOVE)
    elif s.level_count[u64(opponent + FIVE_MOVE)] > 0:
        return 0
    elif s.level_count[u64(own + OPEN_FOURS)] > 0:
        plies, move = 3, find_two_ways(s, s.colour)
    else:
        plies, move = 5, _find_two_threats(s)
    if move == 0:
        return 0
    s.pv[u64(ply * MAX_PLY)] = move
    s.pv_length[u64(ply)] = 1
    return WIN - ply - plies


@kernel(types.boolean(types.int64, types.int64))
def _are_in_line(one: int, other: int) -> bool:
    """Whether two cells are on a line, and near enough to be in one row of five."""
    apart = abs(one - other)
    rows = (apart + STRIDE // 2) // STRIDE
    across = abs(apart - rows * STRIDE)
    return max(rows, across) <= 4 and (rows == 0 or across == 0 or across == rows)


@kernel(types.int64(State, *[types.int64] * 4))
def _win_by_fours(s: Any, ply: int, last: int, left: int, end: int) -> int:
    """The value of a win by up to `left` fours, one after the other; 0 if none is found.

    Neither side has a five at hand. To a four there is one reply, so that the win is a proof. One
    that wins nothing at once is followed by others in line with it, if it leaves more cells for
    fours than there were; `last` is where the one before was made, BEFORE_ALL if there was none.
    No four is tried from `end` nodes on.
    """
    if ply >= MAX_PLY - 4:
        return 0
    own, opponent = s.colour * LEVELS, (1 - s.colour) * LEVELS
    fours = _count_fours(s, s.colour)
    move = BEFORE_ALL
    while s.nodes < end:
        move = next_cell(s, s.colour, FOUR_MOVE, move)
        if move == 0:
            break
        if (last != BEFORE_ALL and not _are_in_line(last, move)) or is_forbidden(s, move):
            continue
        place(s, move)
        s.nodes += 1
        value = 0
        makes_way = s.level_count[u64(own + OPEN_FOURS)] + s.level_count[u64(own + FIVE_MOVE)] > 1
        if s.forbidding > 0 and cannot_parry(s):
            s.pv_length[u64(ply + 1)] = 0
            value = WIN - ply - 3
        elif makes_way or (left > 1 and _count_fours(s, 1 - s.colour) > fours):
            reply = find(s, 1 - s.colour, FIVE_MOVE)
            place(s, reply)
            s.nodes += 1
            value = _win_in_sight(s, ply + 2)
            if value == 0 and left > 1 and s.level_count[u64(opponent + FIVE_MOVE)] == 0:
                value = _win_by_fours(s, ply + 2, move, left - 1, end)
            take_back(s, reply)
            _put_line(s, ply + 1, reply)
        take_back(s, move)
        if value > 0:
            _put_line(s, ply, move)
            return value
    return 0


@kernel(types.int64(State, _Table, types.int64, types.int64))
def _at_horizon(s: Any, table: Any, beta: int, ply: int) -> int:
    """The value where the depth ends: the evaluation, or a win by fours.

    Fours are tried where the evaluation does not reach `beta`, once for each position.
    """
    value = _expected(s)
    if value < beta and _count_fours(s, s.colour) > 0:
        known = _look_up(s, table)
        if known == _NOTHING:
            # A four and its reply are two nodes, which the limit must have room for.
            end = min(s.nodes + _NODES_FOR_FOURS, s.node_limit - 1)
            won = _win_by_fours(s, ply, BEFORE_ALL, _FOURS_IN_A_ROW, end)
            if won > 0:
                _store(s, table, ply, 0, won, _LOWER, int(s.pv[ply * MAX_PLY]), 0)
                return won
            s.pv_length[ply] = 0
            _store(s, table, ply, 0, value, _EXACT, 0, 1)
        elif _bound_of(known) != _UPPER and _value_of(known, ply) > HEURISTIC_MAX:
            return int(_value_of(known, ply))
    s.guesses += 1
    return value


@kernel(types.boolean(State, types.int64))
def _made_two_fours(s: Any, ply: int) -> bool:
    """Whether the side to move made fours with its last two moves."""
    if ply < 4:
        return False
    return bool(s.level_at[u64(ply - 2)] >= FOUR_MOVE and s.level_at[u64(ply - 4)] >= FOUR_MOVE)


@kernel(types.boolean(State, *[types.int64] * 3, types.boolean))
def _is_far_above(s: Any, lead: int, depth: int, ply: int, grown: bool) -> bool:
    """Whether the static value has such a `lead` that hardly any reply will bring it down."""
    plies = depth - _PLY - (_PLY if grown else 0)
    return lead >= max(_STATIC_MARGIN * plies // _PLY, 0) and not _made_two_fours(s, ply)


@kernel(types.boolean(*[types.int64] * 2))
def _may_be_singular(known: int, depth: int) -> bool:
    """Whether an entry's move failed high in a search deep enough to be compared with others."""
    is_deep = depth >= _SINGULAR_FROM_DEPTH and _depth_of(known) >= depth - _SINGULAR_KNOWN
    return is_deep and _bound_of(known) == _LOWER and abs(_value_of(known, 0)) < HEURISTIC_MAX


@kernel(types.int64(State, _Table, *[types.int64] * 4, types.boolean))
def search(s: Any, table: Any, alpha: int, beta: int, depth: int, ply: int, cut: bool) -> int:
    """The value of the position, fail-soft: exact between `alpha` and `beta`, else a bound.

    At most `alpha` means an upper, at least `beta` a lower bound. Meaningless once `s.stop` is
    set. The last move did not make a five: whoever could, would have won without playing it.
    `depth` is in parts of a ply; `cut` says that the value is expected to be at least `beta`.
    """
    if s.nodes >= s.next_check:
        check_limits(s)
    if s.stop:
        return 0
    value = _win_in_sight(s, ply)
    if value > 0 or s.empties == 0:
        return value
    opponent = (1 - s.colour) * LEVELS
    fives = s.level_count[u64(opponent + FIVE_MOVE)]
    if cannot_parry(s):
        return -(WIN - ply - 2)
    if fives == 0 and depth <= 0:
        return _at_horizon(s, table, beta, ply)
    if ply >= MAX_PLY - 2:
        s.guesses += 1
        return evaluate(s)

    left_out = int(s.left_out[u64(ply)])
    s.left_out[u64(ply)] = 0
    known = _NOTHING if left_out else _look_up(s, table)
    if known != _NOTHING:
        value, bound = _value_of(known, ply), _bound_of(known)
        # A decisive value is a proof at whatever depth it was found.
        if (_depth_of(known) >= depth or abs(value) > HEURISTIC_MAX) and (
            bound == _EXACT
            or (bound == _LOWER and value >= beta)
            or (bound == _UPPER and value <= alpha)
        ):
            s.guesses += known >> _GUESSED_AT & 1
            return value

    guesses = s.guesses
    attacked = s.level_count[u64(opponent + OPEN_FOURS)] > 0
    # A search to the last cell leaves nothing out.
    exhaustive = depth >= s.empties * _PLY
    whole = fives > 0 or attacked or exhaustive
    is_open = beta - alpha > 1
    # Under a threat it is what the opponent's was before that.
    static = -s.static_at[u64(ply + 1)] if whole else _expected(s)
    grown = not whole and static > s.static_at[u64(ply)]
    s.static_at[u64(ply + 2)] = static
    if not whole and not is_open and -HEURISTIC_MAX < beta <= HEURISTIC_MAX:
        missing = _FOURS_MARGIN + _FOURS_MARGIN_PER_PLY * depth // _PLY
        if depth < _FOURS_TO_DEPTH and alpha - static > missing:
            return _at_horizon(s, table, beta, ply)
        if _is_far_above(s, static - beta, depth, ply, grown):
            s.guesses += 1
            return static
    known_move = _move_of(known)
    if is_open and fives == 0 and not exhaustive:
        less_known = (depth - _depth_of(known)) * _LESS_KNOWN_SHARE // 64
        less_known = max(min(less_known, _LESS_KNOWN_MAX), 0)
        depth -= less_known if known_move > 0 else _UNKNOWN_SHORTER
        if depth <= 0:
            return _at_horizon(s, table, beta, ply)
    lead = static - beta - _AHEAD_MARGIN - _AHEAD_MARGIN_PER_PLY * depth // _PLY
    is_ahead = cut and not whole and not is_open and lead >= 0
    best, best_move, lowest = -_INFINITY, 0, alpha
    count = complete = index = less = 0
    while True:
        if index == 0 and known_move > 0:
            # Often it fails high, and there is no need for a list.
            s.moves[u64(ply * MAX_CELLS)] = move = known_move
        else:
            if count == 0:
                count = _list_moves(s, ply, depth // _PLY)
                complete = s.complete
                if count == 0:
                    # The game is over: all that is left is forbidden.
                    return -(WIN - ply)
                if index == 1:
                    _bring_to_front(s, ply, count, known_move)
            if index == count:
                break
            move = _pick(s, ply, index, count)
        if move == left_out:
            index += 1
            continue
        level = s.level[u64(s.colour * CELLS + move)]
        quiet = level == PLAIN and not whole
        enough = index >= _QUIET_MOVES + _QUIET_MOVES_PER_PLY * (depth // _PLY)
        if quiet and enough and best > -HEURISTIC_MAX:
            complete = 0
            count = _drop_quiet(s, ply, index, count)
            continue
        next_depth = depth - _PLY - less
        if fives > 0:
            # There is no other.
            next_depth = depth + _REPLY_DEEPER
        elif index == 0 and known_move > 0 and not exhaustive and _may_be_singular(known, depth):
            aim = _value_of(known, ply) - _SINGULAR_MARGIN * depth // _PLY
            aim = max(aim, 1 - HEURISTIC_MAX)
            s.left_out[u64(ply)] = move
            share = depth * _SINGULAR_SHARE // 64
            value = search(s, table, aim - 1, aim, share, i64(ply), cut)
            if s.stop or value > HEURISTIC_MAX:
                return value
            if value < aim:
                twice = not is_open and value < aim - _SINGULAR_TWICE
                twice = twice and s.extended[u64(ply)] < _EXTENDED_MAX
                next_depth += 2 * _PLY if twice else _PLY
            elif aim >= beta:
                s.guesses += 1
                return aim
            elif _value_of(known, ply) >= beta:
                next_depth -= _SINGULAR_LESS
            s.moves[u64(ply * MAX_CELLS)] = move
        if is_ahead and level < FOUR_MOVE:
            next_depth -= _PLY
        elif is_ahead and ply >= 2 and s.level_at[u64(ply - 2)] >= FOUR_MOVE:
            next_depth += _PLY
        s.level_at[u64(ply)] = level
        s.extended[u64(ply + 1)] = s.extended[u64(ply)] + max(next_depth - depth, 0)
        reduced = next_depth
        if index > 0 and fives == 0 and not exhaustive:
            reduced = _reduced(
                s, depth, next_depth, ply, index, move, is_open, grown, cut, attacked
            )
        _bring_near(s, table, move)
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
                # In an open window none is expected.
                value = -search(s, table, -beta, -lowest, next_depth, ply + 1, cut)
        take_back(s, move)
        if s.stop:
            return 0
        if value > best:
            best, best_move = value, move
            if value > lowest:
                lowest = value
                _put_line(s, ply, move)
                if _RAISED_FROM <= depth // _PLY <= _RAISED_TO and not exhaustive:
                    less = _PLY
            if value >= beta:
                if fives == 0 and left_out == 0:
                    _remember(s, ply, depth, index, attacked)
                break
        index += 1
    if left_out:
        return alpha if best == -_INFINITY else best
    if best < beta and not complete:
        s.guesses += 1
        best = max(best, -HEURISTIC_MAX)
    bound = _LOWER if best >= beta else _EXACT if best > alpha else _UPPER
    as_expected = (bound == _LOWER and best <= static) or (bound == _UPPER and best >= static)
    if not whole and abs(best) < HEURISTIC_MAX and not as_expected:
        _correct(s, depth // _PLY, best - static)
    if abs(best) > HEURISTIC_MAX:
        # However much was guessed about other moves.
        s.guesses = guesses
    # Behind a four it may be less than nothing.
    _store(s, table, ply, max(depth, 0), best, bound, best_move, s.guesses > guesses)
    return best


@entry_kernel(types.void(State, _Table, types.int64[::1], types.int64, types.int64))
def expect(s: Any, table: Any, line: Any, value: int, depth: int) -> None:
    """Store what a search of `depth` found to be `value` along `line`, for each of its positions.

    `value` is undecided, and `line` can be played.
    """
    last = min(len(line), depth, MAX_PLY)
    for ply in range(last):
        found = -value if ply % 2 else value
        _store(s, table, ply, _PLY * (depth - ply), found, _EXACT, line[ply], 1)
        place(s, line[ply])
    for ply in range(last - 1, -1, -1):
        take_back(s, line[ply])


@kernel(types.void(State, *[types.int64] * 3))
def _keep(s: Any, number: int, value: int, depth: int) -> None:
    """Make the root's line the result number `number` so far."""
    s.best_value[number] = value
    s.best_depth[number] = depth
    s.proven[number] = abs(value) > HEURISTIC_MAX
    s.best_length[number] = s.pv_length[0]
    for index in range(s.pv_length[0]):
        s.best_line[number * MAX_PLY + index] = s.pv[index]


@kernel(types.void(State, types.int64, types.int64))
def _promote(s: Any, first: int, index: int) -> None:
    """Bring the root's move at `index` to `first`; the moves between, and their results, move on.

    So result number n is always that of move number n, of this iteration or of the one before.
    """
    move = s.moves[index]
    for later in range(index, first, -1):
        s.moves[later] = s.moves[later - 1]
    s.moves[first] = move
    for later in range(min(index, s.results - 1), first, -1):
        s.best_value[later] = s.best_value[later - 1]
        s.best_depth[later] = s.best_depth[later - 1]
        s.best_length[later] = s.best_length[later - 1]
        s.proven[later] = s.proven[later - 1]
        for ply in range(s.best_length[later]):
            s.best_line[later * MAX_PLY + ply] = s.best_line[(later - 1) * MAX_PLY + ply]


@kernel(types.int64(State, _Table, *[types.int64] * 6))
def _search_root(
    s: Any, table: Any, alpha: int, beta: int, depth: int, first: int, count: int, complete: int
) -> int:
    """The value of the best of the root's `count` listed moves from number `first` on.

    Fail-soft like `search`. A move that is better than `alpha` and than those before it is the
    result number `first`, even if the search is cut short then.
    """
    best, lowest = -_INFINITY, alpha
    opponent = (1 - s.colour) * LEVELS
    threats = s.level_count[opponent + OPEN_FOURS] + s.level_count[opponent + FIVE_MOVE]
    whole = threats > 0 or depth >= s.empties
    for index in range(first, count):
        move = int(s.moves[index])
        level = s.level[s.colour * CELLS + move]
        if level == FIVE_MOVE:
            value = WIN - 1
            s.pv_length[1] = 0
        else:
            reduced = next_depth = _PLY * (depth - 1)
            if index > first and level == PLAIN and not whole:
                reduced = _reduced(
                    s, _PLY * depth, next_depth, 0, index, move, True, True, False, False
                )
            s.level_at[0] = level
            place(s, move)
            s.nodes += 1
            if index == first:
                value = -search(s, table, -beta, -lowest, next_depth, 1, False)
            else:
                value = -search(s, table, -lowest - 1, -lowest, reduced, 1, True)
                if value > lowest and reduced < next_depth:
                    value = -search(s, table, -lowest - 1, -lowest, next_depth, 1, True)
                if lowest < value < beta:
                    value = -search(s, table, -beta, -lowest, next_depth, 1, False)
            take_back(s, move)
            if s.stop:
                return 0
        if value > best:
            best = value
            if value > lowest:
                lowest = value
                _put_line(s, 0, move)
                _promote(s, first, index)
                # That all moves lose is known only after the last one.
                _keep(s, first, max(best, -HEURISTIC_MAX), depth)
            if value >= beta or value > HEURISTIC_MAX:
                return best
    if not complete:
        s.guesses += 1
        best = max(best, -HEURISTIC_MAX)
    if best > alpha:
        _keep(s, first, best, depth)
    return best


@kernel(types.void(State, _Table, *[types.int64] * 4))
def _search_line(s: Any, table: Any, depth: int, first: int, count: int, complete: int) -> None:
    """One iteration for the result number `first`, around the value of the one before.

    The window is opened on the side where the value lies beyond it.
    """
    alpha, beta = -_INFINITY, _INFINITY
    margin = _WINDOW
    if depth >= _WINDOW_FROM_DEPTH:
        alpha, beta = s.best_value[first] - margin, s.best_value[first] + margin
    guesses = s.guesses
    while True:
        value = _search_root(s, table, alpha, beta, depth, first, count, complete)
        if s.stop:
            return
        if alpha < value < beta or value > HEURISTIC_MAX:
            break
        margin *= _WINDOW_GROWTH
        if value <= alpha:
            alpha = value - margin if value - margin > -HEURISTIC_MAX else -_INFINITY
        else:
            beta = value + margin if value + margin < HEURISTIC_MAX else _INFINITY
    if s.guesses == guesses:
        s.proven[first] = 1


@kernel(types.boolean(State, types.int64))
def _skips(s: Any, depth: int) -> bool:
    """Whether this thread leaves an iteration to others, so that it is ahead of them.

    After Stockfish 10: threads go on in groups of growing length, at different places in them.
    """
    group = 1 + int(np.sqrt(2 * s.thread - 1))
    return bool((depth + s.thread) // group % 2)


@entry_kernel(types.void(State, _Table, types.int64, types.int64))
def think(s: Any, table: Any, max_depth: int, lines: int) -> None:
    """Search deeper and deeper until a limit is reached or nothing is left to find out.

    Leaves the `lines` best moves, or as many as there are, as results: from number 0 on their
    lines in `s.best_line`, `s.best_value` and `s.best_depth`; `s.proven` says that a value is
    no guess. Without a finished depth the highest ranked moves are the results. Of several threads
    with a table in common those but number 0 leave out some depths.
    """
    table = uncounted(table)
    s.history[:] = 0
    s.correction[:] = 0
    s.move_correction[:] = 0
    s.killers[:] = 0
    s.left_out[:] = 0
    s.static_at[:] = 0
    s.static_at[2] = evaluate(s)
    s.proven[:] = 0
    s.nodes = s.guesses = 0
    s.next_check = min(NODES_BETWEEN_CHECKS, s.node_limit)
    count = complete = 0
    for depth in range(1, max_depth + 1):
        if s.thread > 0 and 1 < depth < max_depth and _skips(s, depth):
            continue
        if depth == 1 or depth == s.empties:
            count = _list_moves(s, 0, depth)
            if count < lines:
                count = _list_all(s, 0)
            complete = s.complete
            for index in range(count):
                _pick(s, 0, index, count)
        if depth == 1:
            s.results = min(lines, count)
            for number in range(s.results):
                s.pv[0] = s.moves[number]
                s.pv_length[0] = 1
                _keep(s, number, evaluate(s), 0)
        open_lines = 0
        for number in range(s.results):
            _search_line(s, table, depth, number, count, complete)
            if s.stop:
                return
            open_lines += not s.proven[number]
        if open_lines == 0 or (s.soft_deadline > 0 and now() >= s.soft_deadline):
            return
