"""The exact search of Pentago-swap over supernodes (see `supernodes`).

A *claim* about a position: that the claimant, the side to move or the other one, wins within so
many plies. A search settles one claim for all wanted arrangements of a supernode at once: it
branches on placements alone, and the swap is a table lookup on the mask that comes back.

The claimant's win mostly comes with its own stone, but a swap of the other side's can bring it
as well: where each one leads to a five of the claimant's.

What makes its answers exact:

- Every placement is searched, but for those after which each wanted arrangement has an immediate
  win for the other side, read off the board.
- What is read off before holds whatever the placement is: see `read_off`. Placements that leave
  it as it is, and would settle nothing, are left out: see `telling_cells`.
- A table entry holds its supernode in full; no collision can go unseen. What it says is true of
  the position, whatever search wrote it, in whatever thread.
- What a search that was stopped has not seen to the end is not written.
"""

# The signatures given to numba are the types.
# mypy: allow-untyped-defs, no-check-untyped-defs

import numba
import numpy as np
from numba import types

from engine.games.pentago_swap.alphabeta import CELLS, QUADRANT, popcount
from engine.games.pentago_swap.supernodes import (
    ALL,
    ARRANGEMENTS,
    CELL_IMAGES,
    FAR,
    INVERSE_ORDERS,
    INVERSE_TURNS,
    LANE,
    ORDER_NUMBERS,
    THREE,
    THREE_PARTS,
    TWO,
    TWO_PARTS,
    across,
    across_three,
    canonical,
    code,
    fives,
    image,
    meeting,
    moved,
    potential,
    spread,
)
from engine.kernels import kernel, now, u64

STATE_DTYPE = np.dtype(
    [
        ("nodes", np.int64),
        ("node_limit", np.int64),
        ("next_check", np.int64),
        ("deadline", np.int64),
        ("stopped", np.int64),
        ("used", np.int64),
        ("history", np.int64, (2, CELLS)),
        ("order", np.int64, (CELLS + 1, CELLS)),
        ("score", np.int64, (CELLS + 1, CELLS)),
        ("child_holds", np.uint64, (CELLS + 1, CELLS)),
        ("child_open", np.uint64, (CELLS + 1, CELLS)),
        ("proved", np.uint64, CELLS),
        # Of the supernode at each ply, for the side to move and the other: see `look`.
        ("code", np.uint64, (CELLS + 1, 2, 4)),
        ("two", np.uint64, (CELLS + 1, 2, 4)),
        ("three", np.uint64, (CELLS + 1, 2, 4)),
        ("other_two", np.uint64, (CELLS + 1, 2, 4)),
        ("other_three", np.uint64, (CELLS + 1, 2, 4)),
        ("other_pairs", np.uint64, (CELLS + 1, 2, 4)),
        ("fives", np.uint64, (CELLS + 1, 2)),
    ],
    align=True,
)
# `key` is the supernode's, with a bit for a claim of the side to move and one that says there is
# an entry.
# `facts`: 24 bits of arrangements for which the claim holds, 24 of those for which it does not,
# 6 of plies left and 6 of the best placement.
# Threads share a table without locks: `check` is the key xor the facts, so that an entry half
# written by another thread is taken for nobody's.
ENTRY_DTYPE = np.dtype([("check", np.uint64), ("facts", np.uint64)])
WAYS = 4
# A claim of fewer plies is settled sooner than looked up.
LEAST_KEPT = 4

# Threads that are busy with shorter claims do not tell each other.
LEAST_SHARED = 8

NODES_BETWEEN_CHECKS = 256
# Placements of the defending side are ordered by what they make of both sides' potentials.
_OWN_POTENTIAL, _OTHER_POTENTIAL = 2, 3
_FIRST = 1 << 60
_MOST_HISTORY = 1 << 20

# The slot that comes first, second, third and fourth in each order.
SLOTS = np.array(ARRANGEMENTS, dtype=np.uint64)
# What a stone at each cell of a slot adds to its code.
POWERS = np.array([3**cell for cell in range(9)], dtype=np.uint64)

State = numba.from_dtype(STATE_DTYPE)
Table = types.Array(numba.from_dtype(ENTRY_DTYPE), 1, "C")
Busy = types.Array(types.uint64, 1, "C")
i8, u8 = types.int64, types.uint64

_0, _1, _2, _3, _4, _9, _15 = u64(0), u64(1), u64(2), u64(3), u64(4), u64(9), u64(15)
_16, _24, _29, _32, _48 = u64(16), u64(24), u64(29), u64(32), u64(48)
_54, _60 = u64(54), u64(60)
_DEPTH = u64(63)
_THERE = u64(1 << 61)
_NO_CELL = u64(63)
_MIXER = u64(0x9E3779B97F4A7C15)
_WAYS = u64(WAYS)


@kernel(u8(u8, u8))
def cluster(length, key):
    """Index of the first entry of the cluster of a key."""
    mixed = key * _MIXER
    mixed = (mixed ^ (mixed >> _29)) * _MIXER
    return ((mixed >> _24) & (length // _WAYS - _1)) * _WAYS


@kernel(types.UniTuple(u8, 3)(Table, u8, u8))
def look_up(table, key, plies):
    """What is known of a claim with so many plies left.

    The arrangements for which it holds, those for which it does not, and the best placement.
    """
    holds, fails, best, deepest = _0, _0, _NO_CELL, _0
    start = cluster(u64(len(table)), key)
    for way in range(WAYS):
        at = start + u64(way)
        facts = table[at].facts
        if table[at].check ^ facts == key:
            depth = (facts >> _48) & _DEPTH
            if depth <= plies:
                holds |= facts & ALL
            if depth >= plies:
                fails |= (facts >> _24) & ALL
            if depth >= deepest:
                deepest, best = depth, facts >> _54
    return holds, fails, best


@kernel(types.void(State, Table, u8, u8, u8, u8, u8))
def keep(state, table, key, plies, holds, fails, best):
    """Write what is known of a claim: into the entry of its supernode for as many or fewer plies,
    else over the entry of the cluster with the fewest plies."""
    start = cluster(u64(len(table)), key)
    chosen, fewest = start, u64(1000)
    for way in range(WAYS):
        at = start + u64(way)
        facts = table[at].facts
        depth = (facts >> _48) & _DEPTH
        if table[at].check ^ facts == key and depth <= plies:
            holds |= facts & ALL
            if depth == plies:
                fails |= (facts >> _24) & ALL
            chosen, fewest = at, depth
            break
        if depth < fewest:
            chosen, fewest = at, depth
    if fewest == _0:
        state.used += 1
    facts = holds | fails << _24 | plies << _48 | best << _54
    table[chosen].facts = facts
    table[chosen].check = key ^ facts


def plies_of(facts):
    """The plies left of the claims that entries with these facts, of any shape, are about."""
    return facts >> _48 & _DEPTH


@kernel(types.void(State, Table, Table))
def learn(state, table, entries):
    """Write what entries of another table say."""
    for entry in entries:
        facts = entry.facts
        keep(
            state,
            table,
            entry.check ^ facts,
            (facts >> _48) & _DEPTH,
            facts & ALL,
            (facts >> _24) & ALL,
            facts >> _54,
        )


@kernel(u8(u8))
def lowest(cells):
    """The first of `cells`, of which there are some."""
    return popcount((cells & (~cells + _1)) - _1)


@kernel(u8(u8, u8))
def empty_cells(mine, theirs):
    """The cells without a stone."""
    return ~(mine | theirs) & u64((1 << CELLS) - 1)


@kernel("UniTuple(uint64, 2)(uint64, uint64, int64, int64)")
def read_off(own, other, attacks, plies):
    """What can be read off a supernode of a claim with `plies`, 1 or more, left.

    `own` and `other` are the fives of the side to move and of the other side: the arrangements
    that have one, and shifted by 24 those where one stone more makes one. With `attacks` the
    claimant is to move. The board is not full.

    The arrangements for which the claim holds, and those for which it is open.

    Whoever is to move reaches, by some swap, any five it has or can make, unless that gives the
    other side one too. So the claimant to move wins at once; the other side, to move, does not
    lose: it wins or draws. With one ply left it loses where every other swap leads to a five of the
    claimant's. With two plies left the claimant's next move has to win. The other
    side's stone takes nothing from its own fives and adds nothing to the claimant's, so where
    some swap leads to neither a five of the claimant's nor such a win, it does not lose.
    """
    makes = own >> _24
    other_has = other & ALL
    if attacks:
        holds = spread(makes & ~other_has)
        return holds, _0 if plies == 1 else ALL & ~holds
    open_ = ALL & ~spread(makes)
    if plies == 1:
        return open_ & ~spread(ALL & ~other_has), _0
    if plies == 2:
        open_ &= ~spread(ALL & ~(other_has | spread((other >> _24) & ~own)))
    return _0, open_


@kernel(types.void(State, i8, i8, u8, u8))
def look(state, ply, side, mine, theirs):
    """Put down what the fives of `mine` come from, so that a stone more is soon counted in.

    For a side at a ply and each slot: its code, its words of `TWO` and `THREE`, those of the other
    slots together, and the fives across two of the other slots.
    """
    a, b = code(mine, theirs, _0), code(mine, theirs, _1)
    c, d = code(mine, theirs, _2), code(mine, theirs, _3)
    codes, two, three = state.code[ply, side], state.two[ply, side], state.three[ply, side]
    codes[0], codes[1], codes[2], codes[3] = a, b, c, d
    three[0], three[1] = THREE[a], THREE[b] << _1
    three[2], three[3] = THREE[c] << _2, THREE[d] << _3
    a, b, c, d = TWO[a], TWO[b], TWO[c], TWO[d]
    two[0], two[1], two[2], two[3] = a, b, c, d
    others = state.other_two[ply, side]
    others[0], others[1], others[2], others[3] = b | c | d, a | c | d, a | b | d, a | b | c
    ab = across(a, b, _0, _1) | across(b, a, _1, _0)
    ac = across(a, c, _0, _2) | across(c, a, _2, _0)
    ad = across(a, d, _0, _3) | across(d, a, _3, _0)
    bc = across(b, c, _1, _2) | across(c, b, _2, _1)
    bd = across(b, d, _1, _3) | across(d, b, _3, _1)
    cd = across(c, d, _2, _3) | across(d, c, _3, _2)
    pairs = state.other_pairs[ply, side]
    pairs[0], pairs[1], pairs[2], pairs[3] = bc | bd | cd, ac | ad | cd, ab | ad | bd, ab | ac | bc
    a, b, c, d = three[0], three[1], three[2], three[3]
    others = state.other_three[ply, side]
    others[0], others[1], others[2], others[3] = b | c | d, a | c | d, a | b | d, a | b | c
    found = ab | ac | ad | bc | bd | cd
    lanes = a | b | c | d
    if lanes & LANE != _0:
        found |= across_three(lanes)
    state.fives[ply, side] = found


@kernel(u8(State, i8, i8, u8, u8))
def fives_with(state, ply, side, slot, held):
    """The fives of a side at a ply if `slot` had the code `held`."""
    two = TWO[held]
    three = THREE[held] << slot
    others = state.other_two[ply, side, slot]
    lanes = state.other_three[ply, side, slot] | three
    change = two ^ state.two[ply, side, slot]
    if meeting(change, others) == _0 and (
        three == state.three[ply, side, slot] or lanes & LANE == _0
    ):
        return state.fives[ply, side]
    found = state.other_pairs[ply, side, slot]
    for number in range(4):
        other = u64(number)
        if other != slot:
            theirs = state.two[ply, side, other]
            found |= across(two, theirs, slot, other) | across(theirs, two, other, slot)
    if lanes & LANE != _0:
        found |= across_three(lanes)
    return found


@kernel(u8(State, i8, i8, u8, i8))
def last_cells(state, ply, side, mine, stones):
    """The cells on which a stone of a side at a ply is one of the last `stones`, 1 or 2, of a five
    in some arrangement. With 2 there may be some others."""
    cells = _0
    for number in range(4):
        slot = u64(number)
        two, others = state.two[ply, side, slot], state.other_two[ply, side, slot]
        three, far = state.three[ply, side, slot] >> slot, FAR[state.code[ply, side, slot]]
        first, second = (two >> _16) & ~two, (two >> _48) & ~(two >> _32)
        outer, middle = (three >> _16) & ~three, (three >> _48) & ~(three >> _32)
        # What the rest of a window, in other slots, has to be: all there, or one stone short.
        rest, rest_of_three = others, state.other_three[ply, side, slot]
        if stones == 2:
            rest, rest_of_three = rest >> _16, rest_of_three >> _16
            outer = (far >> _32) & ~three
        first, second = first & rest >> _32, second & rest
        if stones == 2:
            first |= far & ~(two >> _16) & others >> _32
            second |= (far >> _16) & ~(two >> _48) & others
        missing = _0
        kinds = first & LANE | (second & LANE) << _16
        while kinds != _0:
            missing |= TWO_PARTS[lowest(kinds)]
            kinds &= kinds - _1
        if rest_of_three & LANE != _0:
            for number in range(4):
                window = u64(number)
                rest = rest_of_three >> _4 * window
                ends = rest & _15
                if outer >> _4 * window & _1 != _0 and ends != _0 and rest >> _32 & _15 != _0:
                    missing |= THREE_PARTS[window]
                if middle >> _4 * window & _1 != _0 and ends & (ends - _1) != _0:
                    missing |= THREE_PARTS[_4 + window]
        cells |= (missing & ~(mine >> slot * _9) & QUADRANT) << slot * _9
    return cells


@kernel(types.UniTuple(u8, 2)(State, i8, u8))
def fives_after(state, ply, cell):
    """The fives of the side to move at a ply and of the other, after a stone of its own."""
    slot = cell // _9
    power = POWERS[cell % _9]
    return (
        fives_with(state, ply, 0, slot, state.code[ply, 0, slot] + power),
        fives_with(state, ply, 1, slot, state.code[ply, 1, slot] + _2 * power),
    )


@kernel(u8(u8, u8, u8, i8))
def known_cell(cell, turn, order, back):
    """A cell as the entry's image of a supernode has it; with `back`, as the supernode has it."""
    if cell == _NO_CELL:
        return cell
    slot = cell // _9
    if back:
        return SLOTS[order, slot] * _9 + CELL_IMAGES[INVERSE_TURNS[turn], cell % _9]
    return SLOTS[INVERSE_ORDERS[order], slot] * _9 + CELL_IMAGES[turn, cell % _9]


@kernel(u8(u8, u8, u8, u8, u8))
def kept_mask(mask, mine, theirs, ties, order):
    """`mask` as the entry's image has it: with the twins of each arrangement, for where
    symmetries or equal slots make boards the same, all arrangements of one board are known."""
    result = _0
    for number in range(8):
        turn = u64(number)
        if (ties >> turn) & _1 != _0:
            result |= moved(mask, turn, ORDER_NUMBERS[image(mine, theirs, turn)[1]])
    return result


@kernel(types.void(State, i8, u8, i8))
def count_success(state, attacks, cell, plies):
    """Remember that a placement settled something."""
    state.history[attacks, cell] += plies * plies
    if state.history[attacks, cell] > _MOST_HISTORY:
        for each in range(CELLS):
            state.history[attacks, each] >>= 1


@kernel(u8(State, i8, u8, u8, i8, i8))
def telling_cells(state, ply, mine, theirs, attacks, plies):
    """The cells on which a stone may change what is read off one ply later.

    A stone takes a five that was near from the other side. What it makes for its own side matters
    where that is a five; with one or two plies left after it, also where one comes near.
    """
    cells = _0
    if state.fives[ply, 1] >> _24 != _0:
        cells |= last_cells(state, ply, 1, theirs, 1)
    if attacks and plies <= 3:
        cells |= last_cells(state, ply, 0, mine, 2)
    elif not attacks and state.fives[ply, 0] >> _24 != _0:
        cells |= last_cells(state, ply, 0, mine, 1)
    return cells


@kernel(types.UniTuple(u8, 3)(State, i8, u8, u8, i8, i8, u8, u8, u8))
def list_placements(state, ply, mine, theirs, attacks, plies, cells, open_, best):
    """List the placements in `cells` that have to be searched, with an order to search them in.

    Returns how many there are, what is left open by those that need no search, and the best
    placement, `best` unless one of these settled the rest.
    """
    count = _0
    own, other = state.fives[ply, 0], state.fives[ply, 1]
    around = spread(open_) & ~other
    quiet_holds, quiet_open = read_off(other, own, 1 - attacks, plies - 1)
    quiet_counts = (quiet_holds | quiet_open) & around if attacks else around & ~quiet_holds
    telling = telling_cells(state, ply, mine, theirs, attacks, plies)
    if quiet_counts == _0:
        cells &= telling
    while cells != _0:
        cell = lowest(cells)
        cells &= cells - _1
        more = mine | _1 << cell
        own_then, child_holds, child_open = own, quiet_holds, quiet_open
        if telling >> cell & _1 != _0:
            own_then, other_then = fives_after(state, ply, cell)
            child_holds, child_open = read_off(other_then, own_then, 1 - attacks, plies - 1)
        if attacks:
            if (child_holds | child_open) & around == _0:
                continue
            score = potential(more, theirs) if plies > 3 else np.int64(popcount(own_then >> _24))
        else:
            escapes = around & ~child_holds
            if escapes == _0:
                continue
            open_ &= ~spread(escapes & ~child_open)
            if open_ == _0:
                return count, open_, cell
            if escapes & child_open == _0:
                continue
            score = (
                np.int64(popcount(escapes) << _24)
                + _OWN_POTENTIAL * potential(more, theirs)
                - _OTHER_POTENTIAL * potential(theirs, more)
            )
        state.order[ply, count] = cell
        state.score[ply, count] = (score << 8) + state.history[attacks, cell] // 4096
        if cell == best:
            state.score[ply, count] += _FIRST
        state.child_holds[ply, count] = child_holds
        state.child_open[ply, count] = child_open
        count += _1
    return count, open_, best


@kernel(types.void(State, i8, u8, u8))
def bring_best(state, ply, done, count):
    """Exchange the best of the listed placements that are not done with the first of them."""
    best = done
    for other in range(done + _1, count):
        if state.score[ply, other] > state.score[ply, best]:
            best = u64(other)
    cell, score = state.order[ply, best], state.score[ply, best]
    child_holds, child_open = state.child_holds[ply, best], state.child_open[ply, best]
    state.order[ply, best], state.score[ply, best] = state.order[ply, done], state.score[ply, done]
    state.child_holds[ply, best] = state.child_holds[ply, done]
    state.child_open[ply, best] = state.child_open[ply, done]
    state.order[ply, done], state.score[ply, done] = cell, score
    state.child_holds[ply, done], state.child_open[ply, done] = child_holds, child_open


@kernel(u8(u8, i8))
def mark(key, plies):
    """What a claim goes by among those that threads are busy with."""
    return key ^ u64(plies) * _MIXER


@kernel(types.boolean(Busy, u8, u8, i8, i8))
def is_busy(busy, mine, theirs, attacks, plies):
    """Whether a thread is searching a claim."""
    key = canonical(mine, theirs)[0] | _THERE | u64(attacks) << _60
    marked = mark(key, plies)
    return busy[marked % u64(len(busy))] == marked


@kernel(u8(State, Table, Busy, u8, u8, i8, i8, u8))
def search(state, table, busy, mine, theirs, attacks, plies, wanted):
    """The arrangements of `wanted` for which the claim holds, of those `read_off` leaves open.

    Void if the search was stopped. What another thread is busy with is put off.
    """
    state.nodes += 1
    if state.nodes >= state.next_check:
        if state.nodes >= state.node_limit or (state.deadline and now() >= state.deadline):
            state.stopped = 1
        state.next_check = min(state.nodes + NODES_BETWEEN_CHECKS, state.node_limit)
    if state.stopped:
        return _0

    holds, open_, best = _0, wanted, _NO_CELL
    key, turn, order, ties = _0, _0, _0, _0
    if plies >= LEAST_KEPT:
        key, turn, order, ties = canonical(mine, theirs)
        key |= _THERE | u64(attacks) << _60
        back, turned = INVERSE_ORDERS[order], INVERSE_TURNS[turn]
        known, refuted, best = look_up(table, key, u64(plies))
        holds = moved(known, turned, back) & open_
        open_ &= ~(holds | moved(refuted, turned, back))
        if open_ == _0:
            return holds
        best = known_cell(best, turn, order, 1)
    shared = plies >= LEAST_SHARED and len(busy) > 0
    if shared:
        busy[mark(key, plies) % u64(len(busy))] = mark(key, plies)

    empty = empty_cells(mine, theirs)
    ply = CELLS - np.int64(popcount(empty))
    look(state, ply, 0, mine, theirs)
    look(state, ply, 1, theirs, mine)
    their_fives = state.fives[ply, 1] & ALL
    gained_most = _0
    # One reply mostly refutes a claim: the others are listed only if the known one does not.
    first = empty & _1 << best if not attacks and best != _NO_CELL else _0
    for cells in (first, empty & ~first):
        if cells == _0 or open_ == _0:
            continue
        count, open_, best = list_placements(
            state, ply, mine, theirs, attacks, plies, cells, open_, best
        )
        done, put_off = _0, _0
        while done < count and open_ != _0:
            bring_best(state, ply, done, count)
            cell = u64(state.order[ply, done])
            more = mine | _1 << cell
            if (
                shared
                and plies > LEAST_SHARED
                and (attacks or done > _0)
                and put_off >> cell & _1 == _0
                and is_busy(busy, theirs, more, 1 - attacks, plies - 1)
            ):
                put_off |= _1 << cell
                state.score[ply, done] -= 2 * _FIRST
                continue
            around = spread(open_) & ~their_fives
            result = state.child_holds[ply, done] & around
            asked = state.child_open[ply, done] & around
            if asked != _0:
                result |= search(state, table, busy, theirs, more, 1 - attacks, plies - 1, asked)
                if state.stopped:
                    return _0
            gained = spread(result if attacks else around & ~result) & open_
            open_ &= ~gained
            if attacks:
                holds |= gained
            if gained != _0:
                count_success(state, attacks, cell, plies)
            if popcount(gained) > gained_most:
                gained_most, best = popcount(gained), cell
            done += _1

    if shared:
        busy[mark(key, plies) % u64(len(busy))] = _0
    if not attacks:
        holds |= open_
    if plies >= LEAST_KEPT:
        keep(
            state,
            table,
            key,
            u64(plies),
            kept_mask(holds, mine, theirs, ties, order),
            kept_mask(wanted & ~holds, mine, theirs, ties, order),
            known_cell(best, turn, order, 0),
        )
    return holds


@kernel(u8(State, Table, Busy, u8, u8, i8, i8, u8))
def settle(state, table, busy, mine, theirs, attacks, plies, wanted):
    """The arrangements of `wanted`, unfinished boards, for which a claim holds.

    With `attacks` that the side to move wins within `plies`, else that it loses. Void if the
    search was stopped.
    """
    if plies < 1:
        return _0
    if empty_cells(mine, theirs) == _0:
        return _0
    own_has, own_makes = fives(mine, theirs)
    other_has, other_makes = fives(theirs, mine)
    holds, open_ = read_off(
        own_has | own_makes << _24, other_has | other_makes << _24, attacks, plies
    )
    result = holds & wanted
    if open_ & wanted != _0:
        result |= search(state, table, busy, mine, theirs, attacks, plies, open_ & wanted)
    return result


@kernel(u8(Table, u8, u8, i8, i8))
def known_best(table, mine, theirs, attacks, plies):
    """The placement that the table has as the best for a claim, or no cell."""
    key, turn, order, _ = canonical(mine, theirs)
    best = look_up(table, key | _THERE | u64(attacks) << _60, u64(plies))[2]
    return known_cell(best, turn, order, 1)


@kernel(u8(Table, u8, u8, i8, i8))
def known(table, mine, theirs, attacks, plies):
    """The arrangements of unfinished boards for which the table has it that a claim holds."""
    if plies < LEAST_KEPT:
        return _0
    key, turn, order, _ = canonical(mine, theirs)
    holds = look_up(table, key | _THERE | u64(attacks) << _60, u64(plies))[0]
    return moved(holds, INVERSE_TURNS[turn], INVERSE_ORDERS[order])


@kernel("UniTuple(uint64, 2)(uint64, uint64, uint64, int64)")
def after_placement(mine, theirs, cell, attacks):
    """Where a placement on the board of the first arrangement leads to by a swap.

    The arrangements that end the game as claimed, and those where it goes on.
    """
    own_fives = fives(mine | _1 << cell, theirs)[0]
    their_fives = fives(theirs, mine)[0]
    ends = own_fives & ~their_fives if attacks else their_fives & ~own_fives
    around = spread(_1)
    return around & ends, around & ~(own_fives | their_fives)


@kernel(types.void(State, Table, Busy, u8, u8, i8, i8, i8))
def settle_moves(state, table, busy, mine, theirs, attacks, plies, all_of_them):
    """For each placement, the arrangements after the swap for which a claim holds; see `settle`.

    Of one placement for which there are any, unless `all_of_them` are asked for: one that is known
    without a search, if there is one. Into `state.proved`; of an unfinished board in the first
    arrangement. If the search was stopped, those of the placements it had not come to are empty.
    """
    empty = empty_cells(mine, theirs)
    state.proved[:] = _0
    if plies < 1:
        return
    first = known_best(table, mine, theirs, attacks, plies)
    for searches in range(all_of_them, 2):
        for turn in range(CELLS + 1):
            cell = first if turn == 0 else u64(turn - 1)
            if cell == _NO_CELL or empty >> cell & _1 == _0 or (turn and cell == first):
                continue
            result, goes_on = after_placement(mine, theirs, cell, attacks)
            child = (theirs, mine | _1 << cell, 1 - attacks, plies - 1)
            if searches and goes_on != _0:
                result |= settle(state, table, busy, *child, goes_on)
            else:
                result |= known(table, *child) & goes_on
            if state.stopped:
                return
            state.proved[cell] = result
            if result != _0 and not all_of_them:
                return
