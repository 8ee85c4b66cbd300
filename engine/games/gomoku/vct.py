"""Wins by continuous threats (VCT): every move of the attacker makes a four or an open three,
or takes a five away from the defender while an open three stands (Allis, van den Herik &
Huntjens, 1993, on threat sequences; here the defender's replies are all tried in turn).

The defender has every reply that can matter, his own fours among them, so a win found is a
proof. In renju dark's threats are those that it may carry out; what it is forbidden to play is
neither a threat nor a parry. See `threats` for what the kernels return and how they use the record.
"""

from typing import Any

from numba import types

from engine.games.gomoku.board import (
    EMPTY,
    FIVE_MOVE,
    FOUR_MOVE,
    LEVELS,
    OPEN_FOURS,
    OPEN_THREE_MOVE,
    STEPS,
    State,
    cannot_parry,
    find,
    has_two_ways,
    is_forbidden,
    lasts,
    level_after,
    place,
    take_back,
)
from engine.games.gomoku.threats import (
    CUT,
    MAX_DEPTH,
    NONE,
    VCF_KEYS,
    Threats,
    attack_by_fours,
    finish_line,
    insert,
    keep_failure,
    known_failure,
    level_at,
    list_fours,
    out_of_limits,
    put_line,
    set_limits,
    win_at_hand,
)
from engine.kernels import entry_kernel, kernel

# Both random.
_VCT_KEYS = (VCF_KEYS[0] >> 1, VCF_KEYS[1] >> 1)


@kernel(types.boolean(State, types.int64, types.int64))
def _share_line(s: Any, at: int, other: int) -> bool:
    """Whether a stone on one of the two cells can change what the other is worth."""
    shared = False
    for step in STEPS:
        shared |= (at - other) % step == 0 and abs((at - other) // step) <= s.reach
    return shared


@kernel(types.int64(State, Threats, types.int64))
def list_threats(s: Any, t: Any, start: int) -> int:
    """List the moves that may make a threat, from `start`; returns the list's end.

    A five of the opponent must be parried, even by a move that makes no threat of its own.
    """
    if s.level_count[(1 - s.colour) * LEVELS + FIVE_MOVE] > 0:
        return insert(s, t, start, start, find(s, 1 - s.colour, FIVE_MOVE))
    end = start
    for index in range(s.size * s.size):
        at = int(s.cells[index])
        if s.cell[at] == EMPTY and level_at(s, s.colour, at) >= OPEN_THREE_MOVE:
            end = insert(s, t, start, end, at)
    return end


@kernel(types.int64(State, Threats, types.int64))
def list_parries(s: Any, t: Any, start: int) -> int:
    """List every move that may parry the opponent's threat to leave two ways to a five.

    Neither side has a five at hand; the opponent has cells at which he could leave two ways. After
    a move that leaves such a cell, if it `lasts`, as strong, unless the move makes a four, the
    opponent plays there, and wins on the fourth ply from now. Where nothing parries, one move is
    listed all the same, so that there is a reply if any is allowed, and if possible on one of
    those cells. Returns the list's end.
    """
    threats = end = start
    vain = 0
    for index in range(s.size * s.size):
        at = int(s.cells[index])
        if s.cell[at] != EMPTY:
            continue
        lasting = level_at(s, 1 - s.colour, at) == OPEN_FOURS and lasts(s, 1 - s.colour, at)
        if lasting:
            t.moves[end] = at
            end += 1
        if (vain == 0 or (lasting and end == start + 1)) and not is_forbidden(s, at):
            vain = at
    first = end
    for index in range(s.size * s.size):
        at = int(s.cells[index])
        if s.cell[at] != EMPTY or is_forbidden(s, at):
            continue
        parries = True
        if level_at(s, s.colour, at) < FOUR_MOVE:
            for threat in range(threats, first):
                parries &= level_after(s, 1 - s.colour, t.moves[threat], at) < OPEN_FOURS
        if parries:
            end = insert(s, t, first, end, at)
    if end == first:
        t.moves[start] = vain
        return start + (vain > 0)
    for index in range(first, end):
        t.moves[start + index - first] = t.moves[index]
    return start + end - first


@kernel(types.int64(State, Threats, types.int64))
def list_replies(s: Any, t: Any, start: int) -> int:
    """List the replies to the move just made, from `start`; returns the list's end.

    The list is empty where the move is no threat, or where the side to move has a stronger one.
    It has had no five at hand.
    """
    attacker = (1 - s.colour) * LEVELS
    if s.level_count[attacker + FIVE_MOVE] > 0:
        return insert(s, t, start, start, find(s, 1 - s.colour, FIVE_MOVE))
    if has_two_ways(s, s.colour) or not has_two_ways(s, 1 - s.colour):
        return start
    return list_parries(s, t, start)


@kernel(types.int64(State, Threats, *[types.int64] * 3))
def attack_by_threats(s: Any, t: Any, depth: int, start: int, ply: int) -> int:
    """The result of at most `depth` threats before the win is at hand.

    Lists moves from `start` on.
    """
    if out_of_limits(s, t):
        return CUT
    distance = win_at_hand(s, t, ply)
    if distance > 0:
        return distance
    if s.level_count[(1 - s.colour) * LEVELS + FIVE_MOVE] > 1:
        return NONE
    if depth == 0:
        return CUT
    key = _VCT_KEYS[s.colour]
    failure = known_failure(s, t, key, depth)
    if failure <= 0:
        return failure
    # Fours leave one reply: to try them alone first costs little.
    distance = attack_by_fours(s, t, depth, start, list_fours(s, t, start), ply)
    if distance > 0:
        return distance
    end = list_threats(s, t, start)
    result = NONE
    for index in range(start, end):
        if out_of_limits(s, t):
            return CUT
        move = int(t.moves[index])
        if is_forbidden(s, move):
            continue
        place(s, move)
        s.nodes += 1
        last_reply = list_replies(s, t, end)
        outcome = CUT if end < last_reply else NONE
        longest = 0
        for reply_index in range(end, last_reply):
            reply = int(t.moves[reply_index])
            place(s, reply)
            s.nodes += 1
            outcome = attack_by_threats(s, t, depth - 1, last_reply, ply + 2)
            take_back(s, reply)
            if outcome <= 0:
                break
            if outcome > longest:
                longest = outcome
                put_line(t, ply + 1, reply)
        take_back(s, move)
        if t.ended:
            return CUT
        if outcome > 0:
            put_line(t, ply, move)
            return longest + 2
        if outcome == CUT:
            result = CUT
    keep_failure(s, t, key, depth, result)
    return result


@entry_kernel(types.int64(State, Threats, types.int64, types.int64))
def vct(s: Any, t: Any, max_threats: int, max_nodes: int) -> int:
    """The shortest win of the side to move by at most `max_threats` threats before the last two.

    `max_threats` is at most MAX_DEPTH; `max_nodes` and the record's own limits end the search.
    The line of a win, with the defence that lasts longest, is in `t.line`, `t.line_length[0]`
    moves.
    """
    set_limits(s, t, max_nodes)
    result = win_at_hand(s, t, 0)
    if result == NONE:
        result = CUT
        for depth in range(1, max_threats + 1):
            result = attack_by_threats(s, t, depth, 0, 0)
            if result != CUT or t.ended:
                break
    return finish_line(s, t) if result > 1 else result


@kernel(types.boolean(State, types.int64[::1]))
def _holds(s: Any, line: Any) -> bool:
    """Whether `line` wins by fours alone, each with the reply that is in the line."""
    made, holds = 0, False
    while made < len(line) and s.cell[line[made]] == EMPTY and not is_forbidden(s, line[made]):
        holds = level_at(s, s.colour, line[made]) == FIVE_MOVE
        place(s, line[made])
        made += 1
        if made % 2 == 0:
            continue
        fives = s.level_count[(1 - s.colour) * LEVELS + FIVE_MOVE]
        parried = s.level_count[s.colour * LEVELS + FIVE_MOVE] > 0 or fives == 0
        holds |= cannot_parry(s) and not parried
        if holds or parried or made == len(line):
            break
        if line[made] != find(s, 1 - s.colour, FIVE_MOVE):
            break
    for index in range(made - 1, -1, -1):
        take_back(s, line[index])
    return holds


@kernel(types.boolean(State, types.int64, types.int64[::1]))
def _misses(s: Any, at: int, line: Any) -> bool:
    """Whether a stone on `at` that makes no four leaves `line`, a win by fours, as it is.

    All fives of the attacker are on lines through his moves, and a five of the defender takes a
    stone that he had to put: a cell that shares no line with one of them has no part in it. What
    is forbidden depends on more cells.
    """
    misses = s.forbidding == 0
    for cell in line:
        misses &= not _share_line(s, at, cell)
    return bool(misses)


@entry_kernel(types.int64(State, Threats, types.int64[::1], types.int64[::1], types.int64))
def list_defences(s: Any, t: Any, line: Any, defences: Any, max_nodes: int) -> int:
    """Write the replies that may break `line`, a win the opponent threatens, to `defences`.

    All but the listed replies lose: to `line` itself where it wins by fours alone, else to a win
    by threats no longer than `line`, found within `max_nodes` a reply. Every four is listed.
    `defences` has room for MAX_CELLS; returns the number of replies.
    """
    s.colour = 1 - s.colour
    by_fours = _holds(s, line)
    s.colour = 1 - s.colour
    count = 0
    for index in range(s.size * s.size):
        at = int(s.cells[index])
        if s.cell[at] != EMPTY or is_forbidden(s, at):
            continue
        listed = level_at(s, s.colour, at) >= FOUR_MOVE
        if not listed and not (by_fours and _misses(s, at, line)):
            place(s, at)
            s.nodes += 1
            if by_fours:
                listed = not _holds(s, line)
            else:
                listed = vct(s, t, min(MAX_DEPTH, (len(line) - 3) // 2), max_nodes) <= 0
            take_back(s, at)
        if listed:
            defences[count] = at
            count += 1
    return count
