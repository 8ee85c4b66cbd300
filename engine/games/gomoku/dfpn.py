"""Depth-first proof-number search (df-pn; Nagai, 2002): can one side, the attacker, force a win?

A position's proof number is an estimate of how many more positions must be settled to prove that
the attacker wins, its disproof number the same for a proof that he does not; a draw is as good as
a win to the other side, the defender. The search goes where the fewer are missing, and comes back
when a number outgrows its limit; limits leave room for a quarter more than the second best move
(the 1+ε trick; Pawlewicz & Lew, 2007). What it learns is in a table of bounded size, which keeps
the entries that took most work (Kishimoto & Müller, 2008, tell of both).

Both sides have every legal move, but for those that lose to a threat: while a five, two ways to a
five or a win by fours threatens, a move that leaves the threat as it is and makes no four loses
to it. So a proof is a proof, and so is a disproof. Where the attacker merely threatens to win by
threats, the replies that meet the threat are tried first, and then the others.

Positions are settled at first sight by wins at hand, by fours and, for the attacker, by threats.
The kernels leave the board record as it was but for `nodes`, `next_check` and `stop`.
"""

from typing import Any

import numpy as np
from numba import from_dtype, types

from engine.games.gomoku.board import (
    CELLS,
    DARK_COLOUR,
    EMPTY,
    FIVE_MOVE,
    FOUR_MOVE,
    LEVELS,
    MAX_CELLS,
    MOVER,
    OPEN_THREE_MOVE,
    STEPS,
    State,
    cannot_parry,
    find,
    has_two_ways,
    is_forbidden,
    number_of,
    place,
    take_back,
)
from engine.games.gomoku.limits import check_limits
from engine.games.gomoku.threats import (
    MAX_DEPTH,
    Threats,
    count_fours,
    level_at,
    vcf,
    win_at_hand,
)
from engine.games.gomoku.vct import list_defences, list_parries, vct
from engine.kernels import entry_kernel, kernel

INFINITY = 1 << 29
"""The proof number of what is disproven, and the disproof number of what is proven."""

# Numbers that have grown so large that they no longer add up stay just below.
_HUGE = INFINITY - 1

WAYS = 4
"""Entries among which one position's place is."""

_CACHED_MOVES = 25
# Every position on the way down has a list of children, each at least one shorter than the last.
_STACK = MAX_CELLS * (MAX_CELLS + 1) // 2

# Nodes for the threat searches at each new position: enough for most wins that are there.
_VCF_NODES = 200
_VCT_NODES = 400
# Where a position stays open, each time its work has grown fourfold, threats get a part of that:
# so no win by threats takes much longer to find than they alone would need.
_WORK_FOR_THREATS, _WORK_FACTOR, _THREATS_SHARE = 1 << 12, 4, 4
# A search by threats cannot be interrupted.
_MOST_VCT_NODES = 100_000

_LOST, _OPEN, _WON = -1, 0, 1

# What a list of moves leaves out: nothing; moves that lose; moves to be tried after those listed.
_NOTHING, _LOSING, _LATER = 1, 2, 3

# Estimates for moves of the attacker that have not been tried.
_FOUR_PROOF, _THREE_PROOF, _NEAR_PROOF, _FAR_PROOF = 1, 3, 12, 60
_WORTH_OF_ONE = 64

ENTRY = np.dtype(
    [
        ("hash", np.uint64),
        ("work", np.uint32),
        ("proof", np.int32),
        ("disproof", np.int32),
        ("move", np.int16),
        ("distance", np.int16),
    ],
    align=True,
)
"""What is known of a position; `work`, the nodes it took, is zero where the entry is free.

Once it is settled as won, `distance` is an upper bound of the plies to the five, and `move` the
attacker's move or the defender's reply that lasts longest.
"""

CACHED_LIST = np.dtype(
    [
        ("hash", np.uint64),
        ("distance", np.int16),
        ("rest", np.int16),
        ("count", np.int16),
        ("moves", np.int16, _CACHED_MOVES),
    ],
    align=True,
)
"""The list of moves of a position, so that it need not be found again at every visit."""

PROVER = np.dtype(
    [
        ("attacker", np.int64),
        ("pause_at", np.int64),
        ("ended", np.int64),
        ("used", np.int64),
        ("proof", np.int64),
        ("disproof", np.int64),
        ("move", np.int64),
        ("distance", np.int64),
        ("rest", np.int64),
        ("rest_distance", np.int64),
        ("proof_limit", np.int64),
        ("disproof_limit", np.int64),
        ("moves", np.int16, _STACK),
        ("distances", np.int16, _STACK),
        ("proofs", np.int32, _STACK),
        ("disproofs", np.int32, _STACK),
        ("listed", np.uint8, CELLS),
    ],
    align=True,
)
"""The search that is going on: what it found of the position it came back from, and the lists of
children of the positions on the way down. `used` counts the entries taken."""

_Prover = from_dtype(PROVER)
_Table = from_dtype(ENTRY)[::1]
_Lists = from_dtype(CACHED_LIST)[::1]


@kernel(types.boolean(State, types.int64))
def _may_play(s: Any, at: int) -> bool:
    return bool(s.cell[at] == EMPTY and not is_forbidden(s, at))


@kernel(types.int64(State, types.int64))
def _allowed(s: Any, at: int) -> int:
    """The empty cell `at`, or -1 where the side to move must not play there."""
    return -1 if is_forbidden(s, at) else at


@kernel(types.int64(_Table, types.uint64))
def _slot(table: Any, key: Any) -> int:
    """Where the table holds the position, or else would put it: over the least work."""
    first = WAYS * int(np.int64(key % np.uint64(len(table) // WAYS)))
    slot = first
    for other in range(first, first + WAYS):
        if table[other].hash == key and table[other].work > 0:
            return int(other)
        if table[other].work < table[slot].work:
            slot = other
    return int(slot)


@kernel(types.boolean(_Table, types.int64, types.uint64))
def _holds_key(table: Any, slot: int, key: Any) -> bool:
    return bool(table[slot].hash == key and table[slot].work > 0)


@kernel(types.void(State, _Prover, _Table, types.int64))
def _store(s: Any, p: Any, table: Any, work: int) -> None:
    """Keep what was found of the position on the board, over at least one node of `work`."""
    slot = _slot(table, s.hash)
    if table[slot].work == 0:
        p.used += 1
    known = int(table[slot].work) if _holds_key(table, slot, s.hash) else 0
    table[slot].hash = s.hash
    table[slot].work = min(known + max(work, 1), 0xFFFFFFFF)
    table[slot].proof = p.proof
    table[slot].disproof = p.disproof
    table[slot].move = p.move
    table[slot].distance = p.distance


@kernel(types.boolean(types.int64, types.int64))
def _is_milestone(before: int, after: int) -> bool:
    """Whether the work at a position, now `after`, has grown over one of the marks."""
    mark = _WORK_FOR_THREATS
    while mark <= before:
        mark *= _WORK_FACTOR
    return mark <= after


@kernel(types.int64(types.int64))
def _share_for_threats(work: int) -> int:
    return max(_VCT_NODES, min(work // _THREATS_SHARE, _MOST_VCT_NODES))


@kernel(types.boolean(State, types.int64))
def _is_held(s: Any, attacker: int) -> bool:
    """Whether the attacker's chances are too few for a five (Erdős and Selfridge, 1973).

    Were each empty cell his with a chance of one half, this many fives, in parts of 32, would be
    expected. The defender can always play so that the sum does not grow over two moves, and that
    it ends below a five if it is below one on his move, or below a half on the attacker's.
    """
    if s.forbidding > 0 and attacker != DARK_COLOUR:
        # The defender may not play everywhere.
        return False
    bound = 16 if s.colour == attacker else 32
    chances = 0
    for index in range(s.size * s.size):
        for step in STEPS:
            chance = 32
            for distance in range(5):
                cell = s.cell[s.cells[index] + distance * step]
                if cell == EMPTY:
                    chance >>= 1
                elif cell != attacker + 1:
                    chance = 0
                    break
            chances += chance
        if chances >= bound:
            return False
    return True


@kernel(types.int64(State, Threats, types.boolean))
def _winning_distance(s: Any, t: Any, by_threats: bool) -> int:
    """Plies to a win of the side to move that a small search sees, or not above zero."""
    at_hand = win_at_hand(s, t, 0)
    threatened = s.level_count[(1 - s.colour) * LEVELS + FIVE_MOVE] > 0
    if at_hand > 0 or threatened:
        return at_hand
    distance = vcf(s, t, MAX_DEPTH, _VCF_NODES) if count_fours(s) > 0 else 0
    if distance <= 0 and by_threats:
        distance = vct(s, t, MAX_DEPTH, _VCT_NODES)
    return int(distance)


@kernel(types.int64(State, Threats, _Prover))
def _judge_at_sight(s: Any, t: Any, p: Any) -> int:
    """Whether the attacker wins, as far as it shows at first sight; the last move was no five."""
    attacking = s.colour == p.attacker
    p.move, p.distance = -1, 0
    if s.empties == 0:
        return _LOST
    distance = _winning_distance(s, t, attacking)
    if distance > 0:
        p.move, p.distance = t.line[0], distance
        return _WON if attacking else _LOST
    if cannot_parry(s):
        p.move, p.distance = _allowed(s, find(s, 1 - s.colour, FIVE_MOVE)), 2
        return _LOST if attacking else _WON
    return _LOST if _is_held(s, p.attacker) else _OPEN


@kernel(types.int64(_Prover, types.int64, types.int64))
def _push(p: Any, end: int, at: int) -> int:
    """Add a move to the list that goes to `end`; returns its new end."""
    p.moves[end] = at
    return end + 1


@kernel(types.int64(State, _Prover, types.int64, types.int64))
def _list_others(s: Any, p: Any, start: int, end: int) -> int:
    """Add every legal move that is not in the list yet; returns the list's new end."""
    for index in range(start, end):
        p.listed[p.moves[index]] = 1
    first = end
    for index in range(s.size * s.size):
        at = int(s.cells[index])
        if _may_play(s, at) and not p.listed[at]:
            end = _push(p, end, at)
    for index in range(start, first):
        p.listed[p.moves[index]] = 0
    return end


@kernel(types.int64(State, Threats, _Prover, types.int64, types.int64))
def _list_against_win(s: Any, t: Any, p: Any, start: int, work: int) -> int:
    """List what may meet the win that the opponent threatens; returns the list's end."""
    p.rest, p.rest_distance = _NOTHING, 0
    s.colour = 1 - s.colour
    distance, by_fours = vcf(s, t, MAX_DEPTH, _VCF_NODES), True
    if distance <= 0 and s.colour == p.attacker:
        distance, by_fours = vct(s, t, MAX_DEPTH, _share_for_threats(work)), False
    s.colour = 1 - s.colour
    if distance <= 0 or s.nodes + s.empties >= s.node_limit:
        return _list_others(s, p, start, start)
    line = np.empty(distance, dtype=np.int64)
    for index in range(distance):
        line[index] = t.line[index]
    end = start
    if by_fours:
        p.rest, p.rest_distance, p.move = _LOSING, distance + 1, _allowed(s, line[0])
        defences = np.empty(MAX_CELLS, dtype=np.int64)
        for index in range(list_defences(s, t, line, defences, 0)):
            end = _push(p, end, defences[index])
        return end
    p.rest = _LATER
    for index in range(distance):
        if _may_play(s, line[index]):
            end = _push(p, end, line[index])
        p.listed[line[index]] = 1
    for index in range(s.size * s.size):
        at = int(s.cells[index])
        gains_time = _may_play(s, at) and level_at(s, s.colour, at) >= OPEN_THREE_MOVE
        if gains_time and not p.listed[at]:
            end = _push(p, end, at)
    for index in range(distance):
        p.listed[line[index]] = 0
    return end


@kernel(types.int64(State, Threats, _Prover, _Lists, types.int64, types.int64))
def _list_quiet(s: Any, t: Any, p: Any, lists: Any, start: int, work: int) -> int:
    """`_list_against_win`, from the cached list where there is one."""
    cached = lists[np.int64(s.hash % np.uint64(len(lists)))]
    if cached.rest > 0 and cached.hash == s.hash:
        p.rest, p.rest_distance = cached.rest, cached.distance
        if p.rest == _NOTHING:
            return _list_others(s, p, start, start)
        for index in range(cached.count):
            p.moves[start + index] = cached.moves[index]
        return int(start + cached.count)
    end = _list_against_win(s, t, p, start, work)
    count = 0 if p.rest == _NOTHING else end - start
    if p.rest == _LATER:
        count = min(count, _CACHED_MOVES)
    if count <= _CACHED_MOVES and not s.stop:
        cached.hash, cached.rest, cached.distance = s.hash, p.rest, p.rest_distance
        cached.count = count
        for index in range(count):
            cached.moves[index] = p.moves[start + index]
    return end


@kernel(types.int64(State, Threats, _Prover, _Lists, types.int64, types.int64))
def _list_moves(s: Any, t: Any, p: Any, lists: Any, start: int, work: int) -> int:
    """List moves of the side to move, which has no win at hand, from `start`; returns the end.

    `work` is what the position has taken so far; the more, the more may a threat take to find.
    `p.rest` tells what the list leaves out, `p.rest_distance` in how many plies that loses.
    """
    opponent = (1 - s.colour) * LEVELS
    if s.level_count[opponent + FIVE_MOVE] > 0:
        p.rest, p.rest_distance = _LOSING, 2
        return _push(p, start, find(s, 1 - s.colour, FIVE_MOVE))
    if has_two_ways(s, 1 - s.colour):
        p.rest, p.rest_distance = _LOSING, 4
        end = start
        for index in range(list_parries(s, t, 0)):
            end = _push(p, end, t.moves[index])
        return end
    return _list_quiet(s, t, p, lists, start, work)


@kernel(types.int64(State, types.int64))
def _estimate(s: Any, at: int) -> int:
    """The proof number of a move of the attacker's, by what it threatens."""
    level = level_at(s, s.colour, at)
    if level >= FOUR_MOVE:
        return _FOUR_PROOF
    if level >= OPEN_THREE_MOVE:
        return _THREE_PROOF
    if s.near[at] == 0:
        return _FAR_PROOF
    worth = int(s.rank_of[2 * number_of(s, s.colour, at) + MOVER])
    return max(_THREE_PROOF, _NEAR_PROOF - worth // _WORTH_OF_ONE)


@kernel(types.void(State, _Prover, _Table, types.int64))
def _look_up(s: Any, p: Any, table: Any, index: int) -> None:
    """Write what the table knows of the child at `index`, or an estimate."""
    at = int(p.moves[index])
    key = s.hash ^ s.zobrist[s.colour * CELLS + at]
    slot = _slot(table, key)
    if _holds_key(table, slot, key):
        p.proofs[index] = table[slot].proof
        p.disproofs[index] = table[slot].disproof
        p.distances[index] = table[slot].distance
        return
    proof = _estimate(s, at) if s.colour == p.attacker else 1
    p.proofs[index], p.disproofs[index], p.distances[index] = proof, 1, 0


@kernel(types.void(State, _Prover, _Table, types.int64, types.int64))
def _look_up_all(s: Any, p: Any, table: Any, start: int, end: int) -> None:
    for index in range(start, end):
        _look_up(s, p, table, index)


@kernel(types.int64(types.int64, types.int64))
def _plus(number: int, other: int) -> int:
    """The sum of two numbers of unsettled positions."""
    return min(number + other, _HUGE)


@kernel(types.int64(_Prover, types.int64, types.int64))
def _sum_up_attack(p: Any, start: int, end: int) -> int:
    """The numbers of a position of the attacker from his moves; returns the best one's index.

    One move that wins is enough; of several the quickest is taken.
    """
    best = start
    p.proof, p.disproof = INFINITY, 0
    for index in range(start, end):
        proof = p.proofs[index]
        quicker = proof == 0 and p.distances[index] < p.distances[best]
        if proof < p.proof or (p.proof == 0 and quicker):
            best, p.proof = index, proof
        p.disproof = _plus(p.disproof, p.disproofs[index])
    if p.proof == 0:
        p.disproof, p.move, p.distance = INFINITY, p.moves[best], p.distances[best] + 1
    return best


@kernel(types.int64(_Prover, *[types.int64] * 4))
def _sum_up_defence(p: Any, start: int, end: int, rest: int, rest_distance: int) -> int:
    """The numbers of a position of the defender from his replies; returns the best one's index.

    Replies to be tried later count as one more position to be settled. Once all replies lose,
    `p.distance` is that of the one that lasts longest.
    """
    best = start
    p.proof, p.disproof = 1 if rest == _LATER else 0, INFINITY
    p.distance = rest_distance
    for index in range(start, end):
        if p.disproofs[index] < p.disproof:
            best, p.disproof = index, p.disproofs[index]
        p.proof = _plus(p.proof, p.proofs[index])
        if p.proofs[index] == 0 and p.distances[index] + 1 > p.distance:
            p.distance = p.distances[index] + 1
    if p.disproof == 0:
        p.proof = INFINITY
    elif p.proof == 0:
        for index in range(start, end):
            if p.move < 0 or p.distances[index] + 1 == p.distance:
                p.move = p.moves[index]
    return best


@kernel(types.int64(State, _Prover, *[types.int64] * 4))
def _sum_up(s: Any, p: Any, start: int, end: int, rest: int, rest_distance: int) -> int:
    """Write the numbers of the position from its list of children; returns the best one's index."""
    if s.colour == p.attacker:
        return _sum_up_attack(p, start, end)
    return _sum_up_defence(p, start, end, rest, rest_distance)


@kernel(types.int64(types.int64, types.int64, types.int64))
def _limit_beside(limit: int, total: int, number: int) -> int:
    """The limit of one of the numbers that make up `total`, which has a `limit` of its own."""
    left = INFINITY if limit >= INFINITY else limit - total + number
    return max(left, number + 1)


@kernel(types.int64(types.int64, types.int64, types.int64))
def _limit_before(limit: int, second: int, number: int) -> int:
    """The limit of the smallest number, where `second` is the next one and `limit` the node's."""
    return max(min(limit, second + max(second // 4, 1)), number + 1)


@kernel(types.boolean(State, _Prover))
def _ended(s: Any, p: Any) -> bool:
    if s.nodes >= s.next_check:
        check_limits(s)
    if s.stop or s.nodes >= p.pause_at:
        p.ended = 1
    return bool(p.ended)


@kernel(types.void(State, Threats, _Prover, _Lists, types.int64))
def _look_again(s: Any, t: Any, p: Any, lists: Any, work: int) -> None:
    """Look for a win by threats, or have the list of replies to one made anew."""
    if s.colour != p.attacker:
        cached = lists[np.int64(s.hash % np.uint64(len(lists)))]
        if cached.hash == s.hash and cached.rest == _NOTHING:
            cached.rest = 0
    elif s.level_count[(1 - s.colour) * LEVELS + FIVE_MOVE] == 0:
        distance = vct(s, t, MAX_DEPTH, _share_for_threats(work))
        if distance > 0:
            p.proof, p.disproof, p.move, p.distance = 0, INFINITY, t.line[0], distance


@kernel(types.int64(State, Threats, _Prover, _Table))
def _enter(s: Any, t: Any, p: Any, table: Any) -> int:
    """What the table knows of the position, or what shows at first sight; returns its work."""
    nodes, slot = s.nodes, _slot(table, s.hash)
    if _holds_key(table, slot, s.hash):
        p.proof, p.disproof = table[slot].proof, table[slot].disproof
        p.move, p.distance = table[slot].move, table[slot].distance
        return int(table[slot].work)
    outcome = _judge_at_sight(s, t, p)
    if outcome == _OPEN:
        p.proof = p.disproof = 1
    else:
        p.proof = 0 if outcome == _WON else INFINITY
        p.disproof = INFINITY - p.proof
        _store(s, p, table, s.nodes - nodes)
    return 0


@kernel(types.void(State, _Prover, *[types.int64] * 5))
def _limit_child(
    s: Any, p: Any, start: int, end: int, best: int, proof_limit: int, disproof_limit: int
) -> None:
    """Write the limits of the child at `best`, where its parent has these."""
    second = INFINITY
    for index in range(start, end):
        if index != best:
            number = p.proofs[index] if s.colour == p.attacker else p.disproofs[index]
            second = min(second, number)
    proof, disproof = int(p.proofs[best]), int(p.disproofs[best])
    if s.colour == p.attacker:
        p.proof_limit = _limit_before(proof_limit, second, proof)
        p.disproof_limit = _limit_beside(disproof_limit, p.disproof, disproof)
    else:
        p.proof_limit = _limit_beside(proof_limit, p.proof, proof)
        p.disproof_limit = _limit_before(disproof_limit, second, disproof)


@kernel(types.void(State, Threats, _Prover, _Table, _Lists, *[types.int64] * 3))
def _search(
    s: Any,
    t: Any,
    p: Any,
    table: Any,
    lists: Any,
    proof_limit: int,
    disproof_limit: int,
    start: int,
) -> None:
    """Search until a number of the position reaches its limit, or it is settled, or time is up.

    What was found is left in `p` and in the table. Lists moves from `start` on.
    """
    nodes, work = s.nodes, _enter(s, t, p, table)
    if p.proof == 0 or p.disproof == 0 or s.stop:
        return
    p.move = -1
    end = _list_moves(s, t, p, lists, start, work)
    move, rest, rest_distance = p.move, p.rest, p.rest_distance
    _look_up_all(s, p, table, start, end)
    while True:
        p.move = move
        best = _sum_up(s, p, start, end, rest, rest_distance)
        if rest == _LATER and p.disproof == INFINITY:
            # All that was listed is won.
            first, end = end, _list_others(s, p, start, end)
            _look_up_all(s, p, table, first, end)
            rest = _NOTHING
            continue
        settled = p.proof == 0 or p.disproof == 0
        if settled or p.proof >= proof_limit or p.disproof >= disproof_limit or _ended(s, p):
            break
        _limit_child(s, p, start, end, best, proof_limit, disproof_limit)
        at, child_proof, child_disproof = int(p.moves[best]), p.proof_limit, p.disproof_limit
        place(s, at)
        s.nodes += 1
        _search(s, t, p, table, lists, child_proof, child_disproof, end)
        take_back(s, at)
        p.proofs[best], p.disproofs[best], p.distances[best] = p.proof, p.disproof, p.distance
    if not settled and _is_milestone(work, work + s.nodes - nodes):
        _look_again(s, t, p, lists, work + s.nodes - nodes)
    _store(s, p, table, s.nodes - nodes)


@entry_kernel(types.void(State, Threats, _Prover, _Table, _Lists))
def prove(s: Any, t: Any, p: Any, table: Any, lists: Any) -> None:
    """Search the position on the board until it is settled, `p.pause_at` or a limit.

    ``p.proof == 0`` then means that `p.attacker` wins within `p.distance` plies, and
    ``p.disproof == 0`` that he cannot. Asked again with the same table, the search goes on.
    """
    p.ended = 0
    limit, start = INFINITY, 0
    _search(s, t, p, table, lists, limit, limit, start)
