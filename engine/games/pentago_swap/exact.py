"""The exact search of Pentago-swap over supernodes (see `supernodes`).

A *claim* about a position: that the claimant, the side to move or the other one, wins within so
many plies. A search settles one claim for all wanted arrangements of a supernode at once: it
branches on placements alone, and the swap is a table lookup on the mask that comes back.

The claimant's win mostly comes with its own stone, but a swap of the other side's can bring it
as well: where each one leads to a five of the claimant's.

What makes its answers exact:

- Every placement is searched, but for those after which each wanted arrangement has an immediate
  win for the other side, read off the board.
- Only what holds whatever the placement is read off before: see `prospects`.
- A table entry holds its supernode in full; no collision can go unseen. What it says is true of
  the position, whatever search wrote it.
- What a search that was stopped has not seen to the end is not written.
"""

# The signatures given to numba are the types.
# mypy: allow-untyped-defs, no-check-untyped-defs

import numba
import numpy as np
from numba import types

from engine.games.pentago_swap.alphabeta import CELLS, popcount
from engine.games.pentago_swap.supernodes import (
    ALL,
    ARRANGEMENTS,
    CELL_IMAGES,
    INVERSE_ORDERS,
    INVERSE_TURNS,
    ORDER_NUMBERS,
    canonical,
    fives,
    image,
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
        ("child_fives", np.uint64, (CELLS + 1, CELLS)),
        ("proved", np.uint64, CELLS),
    ],
    align=True,
)
# `key` is the supernode's, with a bit for a claim of the side to move and one that says there is
# an entry.
# `facts`: 24 bits of arrangements for which the claim holds, 24 of those for which it does not,
# 6 of plies left and 6 of the best placement.
ENTRY_DTYPE = np.dtype([("key", np.uint64), ("facts", np.uint64)])
WAYS = 4
# A claim of fewer plies is settled sooner than looked up.
LEAST_KEPT = 3

NODES_BETWEEN_CHECKS = 256
_MOST_HISTORY = 1 << 20

# The slot that comes first, second, third and fourth in each order.
SLOTS = np.array(ARRANGEMENTS, dtype=np.uint64)

State = numba.from_dtype(STATE_DTYPE)
Table = types.Array(numba.from_dtype(ENTRY_DTYPE), 1, "C")
i8, u8 = types.int64, types.uint64

_0, _1, _2, _3, _9 = u64(0), u64(1), u64(2), u64(3), u64(9)
_24, _29, _48, _54, _60 = u64(24), u64(29), u64(48), u64(54), u64(60)
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
        if table[at].key == key:
            facts = table[at].facts
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
        depth = (table[at].facts >> _48) & _DEPTH
        if table[at].key == key and depth <= plies:
            holds |= table[at].facts & ALL
            if depth == plies:
                fails |= (table[at].facts >> _24) & ALL
            chosen = at
            break
        if depth < fewest:
            chosen, fewest = at, depth
    if table[chosen].key == _0:
        state.used += 1
    table[chosen].key = key
    table[chosen].facts = holds | fails << _24 | plies << _48 | best << _54


@kernel(u8(u8, u8))
def empty_cells(mine, theirs):
    """The cells without a stone."""
    return ~(mine | theirs) & u64((1 << CELLS) - 1)


@kernel("UniTuple(uint64, 4)(uint64, uint64, int64, int64)")
def prospects(mine, theirs, attacks, plies):
    """What can be read off a supernode of a claim with `plies`, 1 or more, left.

    With `attacks` the claimant is to move.

    The arrangements for which the claim holds; those for which it is open; those with a five of
    `theirs`; and those where the claimant has or makes a five with one stone more.

    Whoever is to move reaches, by some swap, any five it has or can make, unless that gives the
    other side one too. So the claimant to move wins at once; the other side, to move, does not
    lose: it wins or draws. With one ply left it loses where every other swap leads to a five of the
    claimant's. With two plies left the claimant's next move has to win. The other
    side's stone takes nothing from its own fives and adds nothing to the claimant's, so where
    some swap leads to neither a five of the claimant's nor such a win, it does not lose.
    """
    if empty_cells(mine, theirs) == _0:
        return _0, _0, _0, _0
    has, makes = fives(mine, theirs)
    their_has, their_makes = fives(theirs, mine)
    if attacks:
        holds = spread(makes & ~their_has)
        if plies == 1:
            return holds, _0, their_has, makes
        return holds, ALL & ~holds, their_has, makes
    open_ = ALL & ~spread(makes)
    if plies == 1:
        return open_ & ~spread(ALL & ~their_has), _0, their_has, their_makes
    if plies == 2:
        open_ &= ~spread(ALL & ~(their_has | spread(their_makes & ~has)))
    return _0, open_, their_has, their_makes


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


@kernel(u8(State, Table, u8, u8, u8, i8, i8, u8))
def search(state, table, mine, theirs, their_fives, attacks, plies, wanted):
    """The arrangements of `wanted` for which the claim holds, of those `prospects` leaves open.

    Void if the search was stopped.
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
        known, refuted, best = look_up(table, key, u64(plies))
        back, turned = INVERSE_ORDERS[order], INVERSE_TURNS[turn]
        holds = moved(known, turned, back) & open_
        open_ &= ~(holds | moved(refuted, turned, back))
        if open_ == _0:
            return holds
        best = known_cell(best, turn, order, 1)

    empty = empty_cells(mine, theirs)
    ply = CELLS - np.int64(popcount(empty))
    count = np.int64(0)
    around = spread(open_) & ~their_fives
    for number in range(CELLS):
        cell = u64(number)
        stone = _1 << cell
        if empty & stone == _0:
            continue
        child_holds, child_open, child_fives, makes = prospects(
            theirs, mine | stone, 1 - attacks, plies - 1
        )
        if attacks:
            if (child_holds | child_open) & around == _0:
                continue
            score = np.int64(popcount(makes)) << 8
            if plies > 3:
                score = potential(mine | stone, theirs)
        else:
            escapes = around & ~child_holds
            if escapes == _0:
                continue
            sure = escapes & ~child_open
            open_ &= ~spread(sure)
            if open_ == _0:
                best = cell
                break
            score = (np.int64(popcount(escapes)) << 24) - potential(theirs, mine | stone)
        state.order[ply, count] = number
        state.score[ply, count] = (score << 8) + state.history[attacks, number] // 4096
        if cell == best:
            state.score[ply, count] += np.int64(1) << 60
        state.child_holds[ply, count] = child_holds
        state.child_open[ply, count] = child_open
        state.child_fives[ply, count] = child_fives
        count += 1

    gained_most = np.int64(0)
    for done in range(count):
        if open_ == _0:
            break
        next_ = done
        for other in range(done + 1, count):
            if state.score[ply, other] > state.score[ply, next_]:
                next_ = other
        number = state.order[ply, next_]
        child_holds = state.child_holds[ply, next_]
        child_open = state.child_open[ply, next_]
        child_fives = state.child_fives[ply, next_]
        state.order[ply, next_] = state.order[ply, done]
        state.score[ply, next_] = state.score[ply, done]
        state.child_holds[ply, next_] = state.child_holds[ply, done]
        state.child_open[ply, next_] = state.child_open[ply, done]
        state.child_fives[ply, next_] = state.child_fives[ply, done]

        around = spread(open_) & ~their_fives
        result = child_holds & around
        asked = child_open & around
        if asked != _0:
            stone = _1 << u64(number)
            result |= search(
                state, table, theirs, mine | stone, child_fives, 1 - attacks, plies - 1, asked
            )
            if state.stopped:
                return _0
        if attacks:
            gained = spread(result) & open_
            holds |= gained
        else:
            gained = spread(around & ~result) & open_
        open_ &= ~gained
        worth = np.int64(popcount(gained))
        if worth > 0:
            state.history[attacks, number] += plies * plies
            if state.history[attacks, number] > _MOST_HISTORY:
                for each in range(CELLS):
                    state.history[attacks, each] >>= 1
        if worth > gained_most:
            gained_most, best = worth, u64(number)

    fails = wanted & ~holds
    if not attacks:
        holds |= open_
        fails = wanted & ~holds
    if plies >= LEAST_KEPT:
        keep(
            state,
            table,
            key,
            u64(plies),
            kept_mask(holds, mine, theirs, ties, order),
            kept_mask(fails, mine, theirs, ties, order),
            known_cell(best, turn, order, 0),
        )
    return holds


@kernel(u8(State, Table, u8, u8, i8, i8, u8))
def settle(state, table, mine, theirs, attacks, plies, wanted):
    """The arrangements of `wanted`, unfinished boards, for which a claim holds.

    With `attacks` that the side to move wins within `plies`, else that it loses. Void if the
    search was stopped.
    """
    if plies < 1:
        return _0
    holds, open_, their_fives, _ = prospects(mine, theirs, attacks, plies)
    result = holds & wanted
    if open_ & wanted != _0:
        result |= search(state, table, mine, theirs, their_fives, attacks, plies, open_ & wanted)
    return result


@kernel(u8(Table, u8, u8, i8, i8))
def known_best(table, mine, theirs, attacks, plies):
    """The placement that the table has as the best for a claim, or no cell."""
    key, turn, order, _ = canonical(mine, theirs)
    best = look_up(table, key | _THERE | u64(attacks) << _60, u64(plies))[2]
    return known_cell(best, turn, order, 1)


@kernel(types.void(State, Table, u8, u8, i8, i8, i8))
def settle_moves(state, table, mine, theirs, attacks, plies, all_of_them):
    """For each placement, the arrangements after the swap for which a claim holds; see `settle`.

    Of the first placement for which there are any, unless `all_of_them` are asked for. Into
    `state.proved`; of an unfinished board in the first arrangement. If the search was stopped,
    those of the placements it had not come to are empty.
    """
    empty = empty_cells(mine, theirs)
    their_fives = fives(theirs, mine)[0]
    around = spread(_1)
    state.proved[:] = _0
    if plies < 1:
        return
    first = known_best(table, mine, theirs, attacks, plies)
    for turn in range(CELLS + 1):
        number = first if turn == 0 else u64(turn - 1)
        stone = _1 << number
        if number == _NO_CELL or empty & stone == _0 or (turn and number == first):
            continue
        own_fives = fives(mine | stone, theirs)[0]
        ends = own_fives & ~their_fives if attacks else their_fives & ~own_fives
        goes_on = around & ~(own_fives | their_fives)
        result = ends & around
        if goes_on != _0:
            result |= settle(state, table, theirs, mine | stone, 1 - attacks, plies - 1, goes_on)
        if state.stopped:
            return
        state.proved[number] = result
        if result != _0 and not all_of_them:
            return
