"""Wins by continuous threats, found by proof numbers (df-pn; Nagai, 2002).

The moves and replies are those of `vct`, and a win found is a proof just as well. That search finds
the shortest win, and tries every shorter way first; this one goes where fewest replies are left,
so that it finds long wins within a fraction of the nodes, and need not find the shortest.

A threat with several unsettled replies counts as the hardest of them and one for each other (weak
proof numbers; Ueda, Hashimoto, Hashimoto & Iida, 2008): threats transpose so often that sums would
count the same work many times. For the same reason the disproof number of a position with several
threats is that of the hardest alone.
"""

from typing import Any

import numpy as np
from numba import from_dtype, types

from engine.games.gomoku.board import (
    CELLS,
    FIVE_MOVE,
    FOUR_MOVE,
    LEVELS,
    MAX_CELLS,
    State,
    place,
    take_back,
)
from engine.games.gomoku.threats import (
    CUT,
    MAX_DEPTH,
    NONE,
    Threats,
    level_at,
    out_of_limits,
    set_limits,
    win_at_hand,
)
from engine.games.gomoku.vct import list_replies, list_threats
from engine.kernels import entry_kernel, kernel

_INFINITY = 1 << 29
_SLOTS = 1 << 16
_GENERATIONS = np.iinfo(np.int32).max
_LIST = 3 * MAX_DEPTH * MAX_CELLS
# Threats and replies on the way down; a list of moves for each has room in `Threats.moves`.
_MOST_PLIES = 2 * MAX_DEPTH

# A random number; whose turn it is does not show in the stones when one side has passed.
_DEFENDING = np.uint64(0x2545F4914F6CDD1D)

# A three not tried yet counts 1, and so much more, in halves, for each move listed before it.
# Without that, or with numbers of replies instead, wins take several times as many nodes.
_LATER_PROOF = 3

_ENTRY = np.dtype(
    [
        ("hash", np.uint64),
        ("proof", np.int32),
        ("disproof", np.int32),
        ("move", np.int16),
        ("distance", np.int16),
        ("generation", np.int32),
    ],
    align=True,
)

THREAT_SEARCH = np.dtype(
    [
        ("table", _ENTRY, _SLOTS),
        ("proofs", np.int32, _LIST),
        ("disproofs", np.int32, _LIST),
        ("distances", np.int16, _LIST),
        ("generation", np.int64),
        ("attacker", np.int64),
        ("proof", np.int64),
        ("disproof", np.int64),
        ("move", np.int64),
        ("distance", np.int64),
    ],
    align=True,
)
"""The table of one search or several, whose entries hold for one board size, rule and attacker's
colour, and are as good as empty if they are of another generation than `generation`; the numbers of
the children on the way down; and what was found of the last position.
"""

ThreatSearch = from_dtype(THREAT_SEARCH)


@entry_kernel(types.void(ThreatSearch))
def forget(q: Any) -> None:
    """Empty the table, as it must be where node counts are to depend on nothing before."""
    if q.generation == _GENERATIONS:
        for slot in range(_SLOTS):
            q.table[slot].generation = 0
        q.generation = 0
    q.generation += 1


@kernel(types.boolean(ThreatSearch, types.int64, types.uint64))
def _holds(q: Any, slot: int, key: Any) -> bool:
    return bool(q.table[slot].hash == key and q.table[slot].generation == q.generation)


@kernel(types.int64(ThreatSearch, types.uint64))
def _slot(q: Any, key: Any) -> int:
    """Where the table holds the position of this key, or else would put it."""
    first = int(np.int64(key & np.uint64(_SLOTS - 2)))
    if _holds(q, first, key):
        return first
    is_proven = q.table[first].proof == 0 and q.table[first].generation == q.generation
    if is_proven or _holds(q, first + 1, key):
        return first + 1
    return first


@kernel(types.int64(ThreatSearch, types.uint64))
def known_move(q: Any, key: Any) -> int:
    """The move that wins where the attacker is to move, in the position of this hash, or 0."""
    slot = _slot(q, key)
    found = _holds(q, slot, key) and q.table[slot].proof == 0
    return int(q.table[slot].move) if found else 0


@kernel(types.void(ThreatSearch, types.uint64))
def _store(q: Any, key: Any) -> None:
    slot = _slot(q, key)
    q.table[slot].hash = key
    q.table[slot].generation = q.generation
    q.table[slot].proof = q.proof
    q.table[slot].disproof = q.disproof
    q.table[slot].move = q.move
    q.table[slot].distance = q.distance


@kernel(types.void(ThreatSearch, types.boolean))
def _settle(q: Any, won: bool) -> None:
    q.proof = 0 if won else _INFINITY
    q.disproof = _INFINITY - q.proof


@kernel(types.int64(State, Threats, ThreatSearch, types.int64, types.int64))
def _list_moves(s: Any, t: Any, q: Any, start: int, plies: int) -> int:
    """List the moves of the side to move from `start`; where there are none, it is settled."""
    if s.colour != q.attacker:
        end = list_replies(s, t, start)
        if end == start:
            _settle(q, False)
        return int(end)
    distance = win_at_hand(s, t, 0)
    if distance > 0:
        q.move, q.distance = t.line[0], distance
        _settle(q, True)
        return start
    end = start
    if plies > 2 and s.level_count[(1 - s.colour) * LEVELS + FIVE_MOVE] <= 1:
        end = list_threats(s, t, start)
    if end == start:
        _settle(q, False)
    return int(end)


@kernel(types.void(State, Threats, ThreatSearch, types.int64, types.int64))
def _look_up(s: Any, t: Any, q: Any, start: int, end: int) -> None:
    """Write what is known of the children, or an estimate."""
    attacking = s.colour == q.attacker
    for index in range(start, end):
        at = int(t.moves[index])
        key = s.hash ^ s.zobrist[s.colour * CELLS + at]
        if attacking:
            key ^= _DEFENDING
        slot = _slot(q, key)
        if _holds(q, slot, key):
            q.proofs[index], q.disproofs[index] = q.table[slot].proof, q.table[slot].disproof
            q.distances[index] = q.table[slot].distance
        else:
            q.proofs[index] = q.disproofs[index] = 1
            if attacking and level_at(s, s.colour, at) < FOUR_MOVE:
                q.proofs[index] = 1 + (index - start) * _LATER_PROOF // 2


@kernel(types.int64(State, Threats, ThreatSearch, *[types.int64] * 2))
def _sum_up(s: Any, t: Any, q: Any, start: int, end: int) -> int:
    """Write the numbers of the position from its children's; returns the best one's index."""
    attacking = s.colour == q.attacker
    own, others = (q.proofs, q.disproofs) if attacking else (q.disproofs, q.proofs)
    best, open_children, hardest, longest = start, 0, 0, 0
    for index in range(start, end):
        if own[index] < own[best]:
            best = index
        if others[index] > 0:
            open_children += 1
            hardest = max(hardest, others[index])
        longest = max(longest, q.distances[index])
    smallest = int(own[best])
    if smallest == 0 or open_children == 0:
        total = _INFINITY if smallest == 0 else 0
    elif attacking:
        total = hardest
    else:
        total = min(hardest + open_children - 1, _INFINITY - 1)
    if attacking:
        q.proof, q.disproof = smallest, total
        q.move, q.distance = t.moves[best], q.distances[best] + 1
    else:
        q.proof, q.disproof = total, smallest
        q.move, q.distance = t.moves[best], longest + 1
    return best


@kernel(types.void(State, Threats, ThreatSearch, *[types.int64] * 4))
def _search(
    s: Any, t: Any, q: Any, proof_limit: int, disproof_limit: int, start: int, plies: int
) -> None:
    """Search until a number of the position reaches its limit, it is settled or time is up.

    What was found is left in `q` and in its table. Lists moves from `start` on; the win is to be
    at hand within `plies`.
    """
    attacking = s.colour == q.attacker
    key = s.hash if attacking else s.hash ^ _DEFENDING
    end = _list_moves(s, t, q, start, plies)
    if end == start:
        _store(q, key)
        return
    _look_up(s, t, q, start, end)
    while True:
        best = _sum_up(s, t, q, start, end)
        if (
            q.proof == 0
            or q.disproof == 0
            or q.proof >= proof_limit
            or q.disproof >= disproof_limit
            or out_of_limits(s, t)
        ):
            break
        own = q.proofs if attacking else q.disproofs
        second = _INFINITY
        for index in range(start, end):
            if index != best:
                second = min(second, own[index])
        proof, disproof = int(q.proofs[best]), int(q.disproofs[best])
        if attacking:
            child_proof = max(min(proof_limit, second + 1 + second // 4), proof + 1)
            child_disproof = max(
                min(disproof_limit - q.disproof + disproof, _INFINITY), disproof + 1
            )
        else:
            child_proof = max(min(proof_limit - q.proof + proof, _INFINITY), proof + 1)
            child_disproof = max(min(disproof_limit, second + 1 + second // 4), disproof + 1)
        at = int(t.moves[best])
        place(s, at)
        s.nodes += 1
        _search(s, t, q, child_proof, child_disproof, end, plies - 1)
        take_back(s, at)
        q.proofs[best], q.disproofs[best] = q.proof, q.disproof
        q.distances[best] = q.distance
    _store(q, key)


@kernel(types.int64(State, Threats, ThreatSearch, types.int64))
def go_on(s: Any, t: Any, q: Any, start: int) -> int:
    """`find_threat_win` within the limits that are set, with lists of moves from `start` on.

    The first move of the win is left in `q.move`.
    """
    q.attacker = s.colour
    limit = _INFINITY
    _search(s, t, q, limit, limit, start, _MOST_PLIES)
    if q.proof == 0:
        return int(q.distance)
    return NONE if q.disproof == 0 else CUT


@entry_kernel(types.int64(State, Threats, ThreatSearch, types.int64))
def find_threat_win(s: Any, t: Any, q: Any, max_nodes: int) -> int:
    """Plies within which the side to move wins by threats, NONE or CUT.

    The win is not the shortest, and NONE only says that no win of at most MAX_DEPTH threats was
    found in all that the search looked at.
    """
    set_limits(s, t, max_nodes)
    return int(go_on(s, t, q, 0))


@kernel(types.int64(State, Threats, ThreatSearch))
def answer_threat(s: Any, t: Any, q: Any) -> int:
    """Plies within which the side to move loses to the threats that stand, NONE or CUT.

    Searched within the limits that are set. The reply that lasts longest is left in `q.move`. NONE
    says no more than that of `find_threat_win`, and is the result too where there is no threat.
    """
    if s.level_count[s.colour * LEVELS + FIVE_MOVE] > 0:
        return NONE
    q.attacker = 1 - s.colour
    _search(s, t, q, _INFINITY, _INFINITY, 0, _MOST_PLIES - 1)
    if q.proof > 0:
        return NONE if q.disproof == 0 else CUT
    # The list is the one that the search began with, and so are the distances beside it.
    end = list_replies(s, t, 0)
    longest = 0
    for index in range(end):
        if q.distances[index] > q.distances[longest]:
            longest = index
    q.move = t.moves[longest]
    return int(q.distances[longest] + 1)


@entry_kernel(types.int64(State, Threats, ThreatSearch, types.int64))
def find_threat_loss(s: Any, t: Any, q: Any, max_nodes: int) -> int:
    """`answer_threat` within `max_nodes`."""
    set_limits(s, t, max_nodes)
    return int(answer_threat(s, t, q))


@entry_kernel(types.int64(State, Threats, ThreatSearch, types.int16[::1], types.int64))
def write_line(s: Any, t: Any, q: Any, line: Any, max_nodes: int) -> int:
    """Write the win by threats of the side to move to `line`, with replies that last long.

    Returns its length. It ends with a five, unless `max_nodes` or the room were not enough.
    """
    set_limits(s, t, max_nodes)
    attacker = s.colour
    made = 0
    is_five = False
    while made < len(line) and not is_five:
        if s.colour != attacker:
            move = int(q.move) if answer_threat(s, t, q) > 0 else 0
        elif win_at_hand(s, t, 0) > 0:
            move = int(t.line[0])
        else:
            move = int(q.move) if go_on(s, t, q, 0) > 0 else 0
        if move == 0:
            break
        line[made] = move
        is_five = level_at(s, s.colour, move) == FIVE_MOVE
        if not is_five:
            place(s, move)
        made += 1
    for index in range(made - is_five - 1, -1, -1):
        take_back(s, line[index])
    return made
