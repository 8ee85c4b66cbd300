"""Wins by continuous fours (VCF): every move of the attacker makes a four.

The defender has one reply to a four, the cell that completes it, unless he makes a five of his
own; so a win found is a proof. Where the rule forbids him that reply, the four wins. The search
deepens by one four at a time and finds the shortest win first. Both this solver and the one in
`vct` play on the search's own board record, and leave it as it was but for `nodes`, `next_check`
and `stop`.

What they return is the distance of the win in plies, NONE where there is no such win, or CUT
where the limits left that open.
"""

from typing import Any

import numpy as np
from numba import from_dtype, types

from engine.games.gomoku.board import (
    CELLS,
    EMPTY,
    FIVE_MOVE,
    FOUR_MOVE,
    LEVELS,
    LIGHT_COLOUR,
    MAX_CELLS,
    MOVER,
    OPEN_FOURS,
    STEPS,
    WAITER,
    State,
    cannot_parry,
    find,
    find_two_ways,
    is_forbidden,
    number_of,
    place,
    take_back,
)
from engine.games.gomoku.limits import check_limits
from engine.kernels import entry_kernel, kernel

NONE, CUT = 0, -1

MAX_DEPTH = 62
"""Most moves of the attacker before the one that leaves two ways to a five."""

_MAX_LINE = 2 * MAX_DEPTH + 4
# More than two cells differ by in worth: what a move threatens comes before all else.
_LEVEL_RANK = 1 << 17
_TABLE_ENTRIES = 1 << 18
# A failure takes one word: the hash without its lowest bits, which the entry's index tells, and
# in their place the depth at which no win was found. A word is never read half written.
_DEPTH_BITS = np.uint64(6)
_DEPTH_MASK = np.uint64(63)
_AT_ANY_DEPTH = 63
# One key for each kind of search and side to move; random numbers.
VCF_KEYS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03))

THREATS = np.dtype(
    [
        ("failures", np.uint64, _TABLE_ENTRIES),
        ("moves", np.int16, 3 * MAX_DEPTH * MAX_CELLS),
        ("rank", np.int32, 3 * MAX_DEPTH * MAX_CELLS),
        ("line", np.int16, _MAX_LINE * _MAX_LINE),
        ("line_length", np.int16, _MAX_LINE),
        ("node_limit", np.int64),
        ("ended", np.int64),
    ],
    align=True,
)
"""What the solvers remember: failures, and the moves and lines of the search that is going on.

Failures hold for one board size and rule. Zeroed, they are forgotten, as they must be before a
search whose node count is to depend on nothing that was searched before.
"""

Threats = from_dtype(THREATS)


@kernel(types.int64(State, types.int64, types.int64))
def level_at(s: Any, colour: int, at: int) -> int:
    """What a stone of `colour` on the empty cell `at` achieves."""
    return int(s.level[colour * CELLS + at])


@kernel(types.int64(State, Threats, *[types.int64] * 3))
def insert(s: Any, t: Any, start: int, end: int, at: int) -> int:
    """Add `at` to the list from `start` to `end`, by level, then by worth; returns the new end."""
    own = int(s.rank_of[2 * number_of(s, s.colour, at) + MOVER])
    other = int(s.rank_of[2 * number_of(s, 1 - s.colour, at) + WAITER])
    rank = _LEVEL_RANK * level_at(s, s.colour, at) + 2 * own + other
    index = end
    while index > start and t.rank[index - 1] < rank:
        t.moves[index], t.rank[index] = t.moves[index - 1], t.rank[index - 1]
        index -= 1
    t.moves[index], t.rank[index] = at, rank
    return end + 1


@kernel(types.void(Threats, types.int64, types.int64))
def put_line(t: Any, ply: int, move: int) -> None:
    """The line from this ply on is `move`, then the line of the next ply."""
    length = t.line_length[ply + 1]
    t.line[ply * _MAX_LINE] = move
    for index in range(length):
        t.line[ply * _MAX_LINE + index + 1] = t.line[(ply + 1) * _MAX_LINE + index]
    t.line_length[ply] = length + 1


@kernel(types.int64(State))
def _find_last_four(s: Any) -> int:
    """`win_at_hand` in three plies where dark has forbidden points; the move, or 0."""
    fives = s.level_count[(1 - s.colour) * LEVELS + FIVE_MOVE]
    if fives > 1:
        return 0
    forced = find(s, 1 - s.colour, FIVE_MOVE) if fives else 0
    if forced == 0:
        move = find_two_ways(s, s.colour)
        if move > 0:
            return int(move)
    elif level_at(s, s.colour, forced) == OPEN_FOURS and not is_forbidden(s, forced):
        return int(forced)
    if s.colour == LIGHT_COLOUR:
        for index in range(s.size * s.size):
            at = int(s.cells[index])
            if s.cell[at] != EMPTY or (forced > 0 and at != forced):
                continue
            if level_at(s, LIGHT_COLOUR, at) >= FOUR_MOVE:
                place(s, at)
                wins = cannot_parry(s)
                take_back(s, at)
                if wins:
                    return at
    return 0


@kernel(types.int64(State, Threats, types.int64))
def win_at_hand(s: Any, t: Any, ply: int) -> int:
    """Plies to the win that the board shows without a search: 1 or 3, or NONE.

    One ply is a five; three are a move that leaves two ways to a five, or one that the opponent
    is forbidden to take away, where he has no five or this very move takes his only one away.
    """
    own, opponent = s.colour * LEVELS, (1 - s.colour) * LEVELS
    if s.level_count[own + FIVE_MOVE] > 0:
        distance, move = 1, find(s, s.colour, FIVE_MOVE)
    elif s.forbidding > 0:
        distance, move = 3, _find_last_four(s)
        if move == 0:
            return NONE
    elif s.level_count[own + OPEN_FOURS] == 0 or s.level_count[opponent + FIVE_MOVE] > 1:
        return NONE
    elif s.level_count[opponent + FIVE_MOVE] == 0:
        distance, move = 3, find(s, s.colour, OPEN_FOURS)
    else:
        distance, move = 3, find(s, 1 - s.colour, FIVE_MOVE)
        if level_at(s, s.colour, move) < OPEN_FOURS:
            return NONE
    t.line_length[ply + 1] = 0
    put_line(t, ply, move)
    return distance


@kernel(types.boolean(State, Threats))
def out_of_limits(s: Any, t: Any) -> bool:
    """Whether the search must end; says so in `t.ended` too."""
    if s.nodes >= s.next_check:
        check_limits(s)
    if s.stop or s.nodes >= t.node_limit:
        t.ended = 1
    return bool(t.ended)


@kernel(types.void(State, Threats, types.int64))
def set_limits(s: Any, t: Any, max_nodes: int) -> None:
    """Start a search of at most `max_nodes` nodes."""
    t.ended = 0
    # A node of the search makes two moves before it looks at the limits again.
    t.node_limit = min(s.nodes + max_nodes, s.node_limit) - 1


@kernel(types.int64(State, Threats, types.uint64, types.int64))
def known_failure(s: Any, t: Any, key: Any, depth: int) -> int:
    """NONE or CUT where the table says that no win is within `depth`, else 1."""
    key ^= s.hash
    entry = t.failures[key & np.uint64(_TABLE_ENTRIES - 1)]
    if (entry ^ key) >> _DEPTH_BITS == 0:
        failed = np.int64(entry & _DEPTH_MASK)
        if failed == _AT_ANY_DEPTH:
            return NONE
        if failed >= depth:
            return CUT
    return 1


@kernel(types.void(State, Threats, types.uint64, types.int64, types.int64))
def keep_failure(s: Any, t: Any, key: Any, depth: int, result: int) -> None:
    """Remember that the search to `depth` ended with `result`, NONE or CUT."""
    if not t.ended:
        key ^= s.hash
        failed = np.uint64(_AT_ANY_DEPTH if result == NONE else depth)
        t.failures[key & np.uint64(_TABLE_ENTRIES - 1)] = key & ~_DEPTH_MASK | failed


@kernel(types.int64(State))
def count_fours(s: Any) -> int:
    """The number of cells on which the side to move makes a four, but no five."""
    count = 0
    for level in range(FOUR_MOVE, FIVE_MOVE):
        count += s.level_count[s.colour * LEVELS + level]
    return count


@kernel(types.boolean(State, types.int64))
def makes_four(s: Any, at: int) -> bool:
    """Whether the side to move may play on `at` and make a four, but no five."""
    return bool(s.cell[at] == EMPTY and FOUR_MOVE <= level_at(s, s.colour, at) < FIVE_MOVE)


@kernel(types.int64(State, Threats, types.int64))
def list_fours(s: Any, t: Any, start: int) -> int:
    """List every move that makes a four, but no five, from `start`; returns the list's end."""
    end, count, index = start, count_fours(s), 0
    while end - start < count:
        if makes_four(s, s.cells[index]):
            end = insert(s, t, start, end, s.cells[index])
        index += 1
    return end


@kernel(types.int64(State, Threats, *[types.int64] * 3))
def _list_next_fours(s: Any, t: Any, before: int, start: int, last: int) -> int:
    """`list_fours` after the attacker's `last` move and a reply, without a look at every cell.

    Only cells on the lines through `last` can have become fours; the others are among those of
    the list before, from `before` to `start`.
    """
    end, count = start, count_fours(s)
    for index in range(before, start):
        if makes_four(s, t.moves[index]):
            end = insert(s, t, start, end, t.moves[index])
    for step in STEPS:
        for distance in range(-s.reach, s.reach + 1):
            if end - start == count:
                return end
            at = last + distance * step
            if makes_four(s, at):
                listed = False
                for index in range(start, end):
                    listed |= t.moves[index] == at
                if not listed:
                    end = insert(s, t, start, end, at)
    return end


@kernel(types.int64(State, Threats, *[types.int64] * 4))
def attack_by_fours(s: Any, t: Any, depth: int, start: int, end: int, ply: int) -> int:
    """The result of at most `depth` fours before the win is at hand.

    The list from `start` to `end` is that of `list_fours`.
    """
    if out_of_limits(s, t):
        return CUT
    distance = win_at_hand(s, t, ply)
    if distance > 0:
        return distance
    threatened = s.level_count[(1 - s.colour) * LEVELS + FIVE_MOVE]
    if start == end or threatened > 1:
        return NONE
    if depth == 0:
        return CUT
    key = VCF_KEYS[s.colour]
    failure = known_failure(s, t, key, depth)
    if failure <= 0:
        return failure
    forced = find(s, 1 - s.colour, FIVE_MOVE) if threatened else 0
    result = NONE
    for index in range(start, end):
        move = int(t.moves[index])
        if (threatened and move != forced) or is_forbidden(s, move):
            continue
        place(s, move)
        reply = find(s, 1 - s.colour, FIVE_MOVE)
        place(s, reply)
        s.nodes += 2
        after = _list_next_fours(s, t, start, end, move)
        distance = attack_by_fours(s, t, depth - 1, end, after, ply + 2)
        take_back(s, reply)
        take_back(s, move)
        if distance > 0:
            put_line(t, ply + 1, reply)
            put_line(t, ply, move)
            return distance + 2
        if distance == CUT:
            result = CUT
        if t.ended:
            return CUT
    keep_failure(s, t, key, depth, result)
    return result


@kernel(types.int64(State))
def _find_vain_reply(s: Any) -> int:
    """A reply where none parries, if possible one that takes a five away; 0 if none is allowed."""
    reply = find(s, 1 - s.colour, FIVE_MOVE)
    if not is_forbidden(s, reply):
        return int(reply)
    reply = 0
    for index in range(s.size * s.size):
        at = int(s.cells[index])
        if s.cell[at] == EMPTY and not is_forbidden(s, at):
            if level_at(s, 1 - s.colour, at) == FIVE_MOVE:
                return at
            reply = at
    return reply


@kernel(types.int64(State, Threats))
def finish_line(s: Any, t: Any) -> int:
    """Lead the line found, which ends with a move that wins on the next, to its end.

    That is a five, or a position in which dark is forbidden every move. Returns its length.
    """
    length = int(t.line_length[0])
    for ply in range(length):
        place(s, t.line[ply])
    reply = _find_vain_reply(s)
    if reply > 0:
        place(s, reply)
        t.line[length], t.line[length + 1] = reply, find(s, s.colour, FIVE_MOVE)
        take_back(s, reply)
    for ply in range(length - 1, -1, -1):
        take_back(s, t.line[ply])
    t.line_length[0] = length + 2 if reply > 0 else length
    return int(t.line_length[0])


@entry_kernel(types.int64(State, Threats, types.int64, types.int64))
def vcf(s: Any, t: Any, max_fours: int, max_nodes: int) -> int:
    """The shortest win of the side to move by at most `max_fours` fours before the last two.

    `max_fours` is at most MAX_DEPTH; `max_nodes` and the record's own limits end the search.
    The line of a win is in `t.line`, `t.line_length[0]` moves.
    """
    set_limits(s, t, max_nodes)
    result = win_at_hand(s, t, 0)
    if result == NONE and count_fours(s) > 0:
        result = CUT
        end = list_fours(s, t, 0)
        for depth in range(1, max_fours + 1):
            result = attack_by_fours(s, t, depth, 0, end, 0)
            if result != CUT or t.ended:
                break
    return finish_line(s, t) if result > 1 else result
