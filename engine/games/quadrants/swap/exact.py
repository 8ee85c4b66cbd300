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

from typing import Any

import numba
import numpy as np
from numba import types

from engine.games.quadrants.alphabeta import CELLS, popcount
from engine.games.quadrants.swap.supernodes import (
    ALL,
    ARRANGEMENTS,
    CELL_IMAGES,
    FOURTHS,
    GROUPS,
    INVERSE_ORDERS,
    INVERSE_TURNS,
    ORDER_NUMBERS,
    PAIR_MASKS,
    THREE,
    THREE_PARTS,
    TRIPLE_MASKS,
    TWO,
    TWO_PARTS,
    canonical,
    code,
    fives,
    image,
    lowest,
    moved,
    potential,
    some,
    spread,
)
from engine.kernels import Word, entry_kernel, i64, kernel, now, u64

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
        ("two", np.uint64, (CELLS + 1, 2, 6)),
        ("three", np.uint64, (CELLS + 1, 2, 2)),
        # See `find_fives`.
        ("fives", np.uint64, (CELLS + 1, 2)),
        ("lasting", np.uint64, (CELLS + 1, 2)),
        ("last_cells", np.uint64, (CELLS + 1, 2)),
        # See `find_near`.
        ("near_cells", np.uint64, CELLS + 1),
        # The masks of `last_cells`, for both sides, and of `near_cells`.
        ("made", np.uint64, (CELLS + 1, 3, CELLS)),
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

# With that many plies left, or fewer, it can be read off what the claimant's stones bring near.
NEAR_PLIES = 4
# The row of `made` for `near_cells`.
NEAR = 2

# Threads that are busy with shorter claims do not tell each other.
LEAST_SHARED = 8

NODES_BETWEEN_CHECKS = 256
# Placements are ordered by the arrangements in which the side to move can then make a five, for
# whoever can make one has nothing to fear, and by its potential; those of the defending side also
# by what they leave of the other's, and by the arrangements in which it does not lose at once.
_FIVE, _ESCAPE = 1024, 256
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

_0, _1, _2, _3, _4, _5, _9, _15 = (u64(n) for n in (0, 1, 2, 3, 4, 5, 9, 15))
_16, _24, _29, _32, _48 = u64(16), u64(24), u64(29), u64(32), u64(48)
_54, _60 = u64(54), u64(60)
_DEPTH = u64(63)
_THERE = u64(1 << 61)
_NO_CELL = u64(63)
_MIXER = u64(0x9E3779B97F4A7C15)
_WAYS = u64(WAYS)


@kernel(u8(u8, u8))
def cluster(length: Word, key: Word) -> Word:
    """Index of the first entry of the cluster of a key."""
    mixed = key * _MIXER
    mixed = (mixed ^ (mixed >> _29)) * _MIXER
    return ((mixed >> _24) & (length // _WAYS - _1)) * _WAYS


@kernel(types.UniTuple(u8, 3)(Table, u8, u8))
def look_up(table: Any, key: Word, plies: Word) -> tuple[Word, Word, Word]:
    """What is known of a claim with that many plies left.

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
def keep(
    state: Any, table: Any, key: Word, plies: Word, holds: Word, fails: Word, best: Word
) -> None:
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


def plies_of(facts: Any) -> Any:
    """The plies left of the claims that entries with these facts, of any shape, are about."""
    return facts >> _48 & _DEPTH


@entry_kernel(types.void(State, Table, Table))
def learn(state: Any, table: Any, entries: Any) -> None:
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


@kernel(u8(u8, u8))
def empty_cells(mine: Word, theirs: Word) -> Word:
    """The cells without a stone."""
    return ~(mine | theirs) & u64((1 << CELLS) - 1)


@kernel(u8(u8))
def forced(makes: Word) -> Word:
    """The arrangements from which a swap leads to one where every swap leads to one of `makes`."""
    return spread(ALL & ~spread(ALL & ~makes))


@kernel("UniTuple(uint64, 2)(uint64, uint64, int64, int64)")
def read_off(own: Word, other: Word, attacks: int, plies: int) -> tuple[Word, Word]:
    """What can be read off a supernode of a claim with `plies`, 1 or more, left.

    `own` and `other` are the fives of the side to move and of the other side: the arrangements
    that have one, and shifted by 24 those where one stone more makes one. With `attacks` the
    claimant is to move. The board is not full.

    The arrangements for which the claim holds, and those for which it is open.

    Whoever is to move reaches, by some swap, any five it has or can make, unless that gives the
    other side one too. So the claimant to move wins at once; the other side, to move, does not
    lose: it wins or draws. With one ply left it loses where every other swap leads to a five of the
    claimant's. With two plies left the claimant's next move has to win; with three it may instead
    force the swap after it. The other side's stone takes nothing from its own fives and adds
    nothing to the claimant's, so where some swap leads to neither a five of the claimant's nor
    such a win, it does not lose.
    """
    makes = own >> _24
    other_has = other & ALL
    if attacks:
        holds = spread(makes & ~other_has)
        return holds, _0 if plies == 1 else ALL & ~holds
    open_ = ALL & ~spread(makes)
    if plies == 1:
        return open_ & ~spread(ALL & ~other_has), _0
    if plies <= 3:
        won = other_has | spread((other >> _24) & ~own)
        if plies == 3:
            won |= forced(other >> _24)
        open_ &= ~spread(ALL & ~won)
    return _0, open_


@kernel(u8(State, i8, i8, u8, u8, u8, u8, u8))
def note(
    state: Any, ply: int, row: int, cells: Word, mask: Word, part: Word, mine: Word, slot: Word
) -> Word:
    """Add a mask to those of the cells of `part` that lack a stone in a slot.

    Returns `cells`, those that have a mask, with these.
    """
    if mask == _0:
        return cells
    missing = part & ~(mine >> slot * _9)
    while missing != _0:
        cell = slot * _9 + lowest(missing)
        missing &= missing - _1
        known = state.made[ply, row, cell] if cells >> cell & _1 != _0 else _0
        state.made[ply, row, cell] = known | mask
        cells |= _1 << cell
    return cells


@kernel(u8(State, i8, i8, u8, u8, u8, u8, u8))
def note_pairs(
    state: Any, ply: int, row: int, cells: Word, mine: Word, part: Word, slots: Word, others: Word
) -> Word:
    """`note` windows with one of `TWO_PARTS` in `slots` and the other part in `others`."""
    while slots != _0:
        slot = lowest(slots)
        slots &= slots - _1
        mask = PAIR_MASKS[GROUPS[part], _1 << slot, others]
        cells = note(state, ply, row, cells, mask, TWO_PARTS[part], mine, slot)
    return cells


@kernel(u8(State, i8, i8, u8, u8, u8, u8, u8, u8))
def note_triples(
    state: Any,
    ply: int,
    row: int,
    cells: Word,
    mine: Word,
    part: Word,
    slots: Word,
    outers: Word,
    others: Word,
) -> Word:
    """`note` windows with one of `THREE_PARTS` in `slots`, an outer part in `outers` and the third
    in `others`."""
    while slots != _0:
        slot = lowest(slots)
        slots &= slots - _1
        mask = TRIPLE_MASKS[part, _1 << slot, outers, others]
        cells = note(state, ply, row, cells, mask, THREE_PARTS[part], mine, slot)
    return cells


@kernel(types.void(State, i8, i8, u8))
def find_fives(state: Any, ply: int, side: int, mine: Word) -> None:
    """Put down where stones of `mine` make fives, from the words that are put down.

    Of a side at a ply: its fives as `read_off` has them, for each of the `last_cells` in which
    arrangements a stone there makes one, and in which no other stone on a single cell takes away
    what makes one.
    """
    first, first_near = state.two[ply, side, _0], state.two[ply, side, _1]
    second, second_near = state.two[ply, side, _3], state.two[ply, side, _4]
    has, cells = _0, _0
    kinds = some(first) & some(second | second_near) | some(first_near) & some(second)
    while kinds != _0:
        at = lowest(kinds)
        kinds &= kinds - _1
        kind = at >> _2
        a, b = first >> at & _15, second >> at & _15
        has |= PAIR_MASKS[GROUPS[kind], a, b]
        cells = note_pairs(state, ply, side, cells, mine, kind, first_near >> at & _15, b)
        cells = note_pairs(state, ply, side, cells, mine, _16 + kind, second_near >> at & _15, a)
    lanes = state.three[ply, side, _0]
    for number in range(4):
        window = u64(number)
        part = lanes >> window * _4
        outer = part & _15
        if outer != _0:
            near, middle, gap = part >> _16 & _15, part >> _32 & _15, part >> _48 & _15
            has |= TRIPLE_MASKS[window, outer, outer, middle]
            cells = note_triples(state, ply, side, cells, mine, window, near, outer, middle)
            cells = note_triples(state, ply, side, cells, mine, _4 + window, gap, outer, outer)
    state.last_cells[ply, side] = cells
    makes, lasting = has, has
    while cells != _0:
        cell = lowest(cells)
        cells &= cells - _1
        made = state.made[ply, side, cell]
        lasting |= makes & made
        makes |= made
    state.fives[ply, side] = has | makes << _24
    state.lasting[ply, side] = lasting


@kernel(types.void(State, i8, u8))
def find_near(state: Any, ply: int, mine: Word) -> None:
    """Put down where stones of `mine`, the side to move's, bring a five near, from its words.

    For each of the `near_cells`: the arrangements in which a stone there is one of the last two of
    a five.
    """
    first, first_near = state.two[ply, 0, _0], state.two[ply, 0, _1]
    second, second_near = state.two[ply, 0, _3], state.two[ply, 0, _4]
    first_far, second_far = state.two[ply, 0, _2], state.two[ply, 0, _5]
    cells = _0
    kinds = (
        some(first_near) & some(second_near)
        | some(first_far) & some(second)
        | some(first) & some(second_far)
    )
    while kinds != _0:
        at = lowest(kinds)
        kinds &= kinds - _1
        kind = at >> _2
        a, b = first_near >> at & _15, second_near >> at & _15
        cells = note_pairs(state, ply, NEAR, cells, mine, kind, a, b)
        cells = note_pairs(state, ply, NEAR, cells, mine, _16 + kind, b, a)
        a, b = first_far >> at & _15, second >> at & _15
        cells = note_pairs(state, ply, NEAR, cells, mine, kind, a, b)
        a, b = first >> at & _15, second_far >> at & _15
        cells = note_pairs(state, ply, NEAR, cells, mine, _16 + kind, b, a)
    lanes, far = state.three[ply, 0, _0], state.three[ply, 0, _1]
    for number in range(4):
        window = u64(number)
        part = lanes >> window * _4
        outer, near, far_off = part & _15, part >> _16 & _15, far >> window * _4 & _15
        middle, gap = part >> _32 & _15, part >> _48 & _15
        cells = note_triples(state, ply, NEAR, cells, mine, window, near, near, middle)
        if outer != _0:
            cells = note_triples(state, ply, NEAR, cells, mine, window, near, outer, gap)
            cells = note_triples(state, ply, NEAR, cells, mine, _4 + window, gap, outer, near)
            cells = note_triples(state, ply, NEAR, cells, mine, window, far_off, outer, middle)
    state.near_cells[ply] = cells


@kernel(types.void(State, i8, i8, u8, u8))
def look(state: Any, ply: int, side: int, mine: Word, theirs: Word) -> None:
    """Put down what four slots hold of `mine`, the stones of a side at a ply, and its fives.

    Its codes and words of `TWO` and `THREE`; of the side to move also what brings fives near.
    """
    a, b = code(mine, theirs, _0), code(mine, theirs, _1)
    c, d = code(mine, theirs, _2), code(mine, theirs, _3)
    state.code[ply, side, _0], state.code[ply, side, _1] = a, b
    state.code[ply, side, _2], state.code[ply, side, _3] = c, d
    for number in range(6):
        word = u64(number)
        state.two[ply, side, word] = (
            TWO[a, word] | TWO[b, word] << _1 | TWO[c, word] << _2 | TWO[d, word] << _3
        )
    for number in range(2):
        word = u64(number)
        state.three[ply, side, word] = (
            THREE[a, word] | THREE[b, word] << _1 | THREE[c, word] << _2 | THREE[d, word] << _3
        )
    find_fives(state, ply, side, mine)
    if side == 0:
        find_near(state, ply, mine)


@kernel(types.void(State, i8, u8, u8))
def look_ahead(state: Any, ply: int, mine: Word, cell: Word) -> None:
    """Put down, for the other side one ply later, what a stone of the side to move makes."""
    slot = cell // _9
    held = state.code[ply, 0, slot] + POWERS[cell % _9]
    others = ~(FOURTHS << slot)
    for number in range(6):
        word = u64(number)
        state.two[ply + 1, 1, word] = state.two[ply, 0, word] & others | TWO[held, word] << slot
    state.three[ply + 1, 1, _0] = state.three[ply, 0, _0] & others | THREE[held, _0] << slot
    find_fives(state, ply + 1, 1, mine | _1 << cell)


@kernel(types.UniTuple(u8, 2)(State, i8, u8))
def fives_after(state: Any, ply: int, cell: Word) -> tuple[Word, Word]:
    """The fives of the side to move at a ply and of the other, after a stone of its own."""
    own, other = state.fives[ply, 0], state.fives[ply, 1]
    if state.last_cells[ply, 0] >> cell & _1 != _0:
        own |= state.made[ply, 0, cell]
    if state.near_cells[ply] >> cell & _1 != _0:
        own |= state.made[ply, NEAR, cell] << _24
    if state.last_cells[ply, 1] >> cell & _1 != _0:
        other &= ~((state.made[ply, 1, cell] & ~state.lasting[ply, 1]) << _24)
    return own, other


@kernel(u8(u8, u8, u8, i8))
def known_cell(cell: Word, turn: Word, order: Word, back: int) -> Word:
    """A cell as the entry's image of a supernode has it; with `back`, as the supernode has it."""
    if cell == _NO_CELL:
        return cell
    slot = cell // _9
    if back:
        return SLOTS[order, slot] * _9 + CELL_IMAGES[INVERSE_TURNS[turn], cell % _9]
    return SLOTS[INVERSE_ORDERS[order], slot] * _9 + CELL_IMAGES[turn, cell % _9]


@kernel(u8(u8, u8, u8, u8, u8))
def kept_mask(mask: Word, mine: Word, theirs: Word, ties: Word, order: Word) -> Word:
    """`mask` as the entry's image has it: with the twins of each arrangement, for where
    symmetries or equal slots make boards the same, all arrangements of one board are known."""
    result = _0
    for number in range(8):
        turn = u64(number)
        if (ties >> turn) & _1 != _0:
            result |= moved(mask, turn, ORDER_NUMBERS[image(mine, theirs, turn)[1]])
    return result


@kernel(types.void(State, i8, u8, i8))
def count_success(state: Any, attacks: int, cell: Word, plies: int) -> None:
    """Remember that a placement settled something."""
    state.history[attacks, cell] += plies * plies
    if state.history[attacks, cell] > _MOST_HISTORY:
        for each in range(CELLS):
            state.history[attacks, each] >>= 1


@kernel(u8(State, i8, i8, i8))
def telling_cells(state: Any, ply: int, attacks: int, plies: int) -> Word:
    """The cells on which a stone may change what is read off one ply later.

    A stone takes a five that was near from the other side. What it makes for its own side matters
    where that is a five; to the claimant, shortly before the end, also where one comes near.
    """
    cells = state.last_cells[ply, 1]
    if not attacks or plies <= NEAR_PLIES:
        cells |= state.last_cells[ply, 0]
    if attacks and plies <= NEAR_PLIES:
        cells |= state.near_cells[ply]
    return cells


@kernel(types.UniTuple(u8, 3)(State, i8, u8, u8, i8, i8, u8, u8, u8))
def list_placements(
    state: Any,
    ply: int,
    mine: Word,
    theirs: Word,
    attacks: int,
    plies: int,
    cells: Word,
    open_: Word,
    best: Word,
) -> tuple[Word, Word, Word]:
    """List the placements in `cells` that have to be searched, with an order to search them in.

    Returns how many there are, what is left open by those that need no search, and the best
    placement, `best` unless one of these settled the rest.
    """
    count = _0
    own, other = state.fives[ply, 0], state.fives[ply, 1]
    around = spread(open_) & ~other
    quiet_holds, quiet_open = read_off(other, own, 1 - attacks, plies - 1)
    quiet_counts = (quiet_holds | quiet_open) & around if attacks else around & ~quiet_holds
    telling = telling_cells(state, ply, attacks, plies)
    if quiet_counts == _0:
        cells &= telling
    while cells != _0:
        cell = lowest(cells)
        cells &= cells - _1
        more = mine | _1 << cell
        own_then, other_then = fives_after(state, ply, cell)
        child_holds, child_open = quiet_holds, quiet_open
        if telling >> cell & _1 != _0:
            child_holds, child_open = read_off(other_then, own_then, 1 - attacks, plies - 1)
        score = _FIVE * i64(popcount(own_then >> _24))
        if attacks:
            if (child_holds | child_open) & around == _0:
                continue
            if plies > 3:
                score += potential(more, theirs)
        else:
            escapes = around & ~child_holds
            if escapes == _0:
                continue
            open_ &= ~spread(escapes & ~child_open)
            if open_ == _0:
                return count, open_, cell
            if escapes & child_open == _0:
                continue
            score += (
                potential(more, theirs) - potential(theirs, more) + _ESCAPE * i64(popcount(escapes))
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
def bring_best(state: Any, ply: int, done: Word, count: Word) -> None:
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
def mark(key: Word, plies: int) -> Word:
    """What a claim goes by among those that threads are busy with."""
    return key ^ u64(plies) * _MIXER


@kernel(types.boolean(Busy, u8, u8, i8, i8))
def is_busy(busy: Any, mine: Word, theirs: Word, attacks: int, plies: int) -> bool:
    """Whether a thread is searching a claim."""
    key = canonical(mine, theirs)[0] | _THERE | u64(attacks) << _60
    marked = mark(key, plies)
    return bool(busy[marked % u64(len(busy))] == marked)


@kernel(types.void(State))
def count_node(state: Any) -> None:
    """Count a node, and stop the search at its limits."""
    state.nodes += 1
    if state.nodes >= state.next_check:
        if state.nodes >= state.node_limit or (state.deadline and now() >= state.deadline):
            state.stopped = 1
        state.next_check = min(state.nodes + NODES_BETWEEN_CHECKS, state.node_limit)


@kernel(u8(State, i8, u8, u8, u8, u8))
def soon_lost(state: Any, ply: int, mine: Word, theirs: Word, cell: Word, wanted: Word) -> Word:
    """The arrangements of `wanted`, one ply later, in which the other side loses within two plies.

    That is after a stone of the side to move at a ply. Void if the search was stopped.
    """
    count_node(state)
    look_ahead(state, ply, mine, cell)
    makes, lasting = state.fives[ply + 1, 1] >> _24, state.lasting[ply + 1, 1]
    around = spread(wanted) & ~state.fives[ply + 1, 1]
    own_has = state.fives[ply, 1] & ALL
    empty = empty_cells(mine, theirs) & ~(_1 << cell)
    blocking, making = state.last_cells[ply + 1, 1], state.last_cells[ply, 1] & empty
    telling = blocking | making
    if empty & ~telling != _0:
        wanted &= ~spread(around & ~spread(makes & ~own_has))
    while telling != _0 and wanted != _0:
        reply = lowest(telling)
        telling &= telling - _1
        left, has = makes, own_has
        if blocking >> reply & _1 != _0:
            left &= ~(state.made[ply + 1, 1, reply] & ~lasting)
        if making >> reply & _1 != _0:
            has |= state.made[ply, 1, reply]
        wanted &= ~spread(around & ~spread(left & ~has))
    return wanted


@kernel(types.boolean(State, i8, u8, i8, i8, u8))
def is_soon_told(state: Any, ply: int, cell: Word, attacks: int, plies: int, asked: Word) -> bool:
    """Whether a placement with a claim leaves one of `asked` that `soon_lost` settles.

    With two plies left after it, it does; with three, where no swap can be forced.
    """
    if not attacks or not 3 <= plies <= 4:
        return False
    return plies == 3 or forced(fives_after(state, ply, cell)[0] >> _24) & spread(asked) == _0


@kernel(u8(State, Table, Busy, u8, u8, i8, i8, u8))
def search(
    state: Any,
    table: Any,
    busy: Any,
    mine: Word,
    theirs: Word,
    attacks: int,
    plies: int,
    wanted: Word,
) -> Word:
    """The arrangements of `wanted` for which the claim holds, of those `read_off` leaves open.

    Void if the search was stopped. What another thread is busy with is put off.
    """
    count_node(state)
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
    ply = CELLS - i64(popcount(empty))
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
                if is_soon_told(state, ply, cell, attacks, plies, asked):
                    result |= soon_lost(state, ply, mine, theirs, cell, asked)
                else:
                    result |= search(
                        state, table, busy, theirs, more, 1 - attacks, plies - 1, asked
                    )
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


@entry_kernel(u8(State, Table, Busy, u8, u8, i8, i8, u8))
def settle(
    state: Any,
    table: Any,
    busy: Any,
    mine: Word,
    theirs: Word,
    attacks: int,
    plies: int,
    wanted: Word,
) -> Word:
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


@entry_kernel(u8(Table, u8, u8, i8, i8))
def known_best(table: Any, mine: Word, theirs: Word, attacks: int, plies: int) -> Word:
    """The placement that the table has as the best for a claim, or no cell."""
    key, turn, order, _ = canonical(mine, theirs)
    best = look_up(table, key | _THERE | u64(attacks) << _60, u64(plies))[2]
    return known_cell(best, turn, order, 1)


@entry_kernel(u8(Table, u8, u8, i8, i8))
def known(table: Any, mine: Word, theirs: Word, attacks: int, plies: int) -> Word:
    """The arrangements of unfinished boards for which the table has it that a claim holds."""
    if plies < LEAST_KEPT:
        return _0
    key, turn, order, _ = canonical(mine, theirs)
    holds = look_up(table, key | _THERE | u64(attacks) << _60, u64(plies))[0]
    return moved(holds, INVERSE_TURNS[turn], INVERSE_ORDERS[order])


@kernel("UniTuple(uint64, 2)(uint64, uint64, uint64, int64)")
def after_placement(mine: Word, theirs: Word, cell: Word, attacks: int) -> tuple[Word, Word]:
    """Where a placement on the board of the first arrangement leads to by a swap.

    The arrangements that end the game as claimed, and those where it goes on.
    """
    own_fives = fives(mine | _1 << cell, theirs)[0]
    their_fives = fives(theirs, mine)[0]
    ends = own_fives & ~their_fives if attacks else their_fives & ~own_fives
    around = spread(_1)
    return around & ends, around & ~(own_fives | their_fives)


@entry_kernel(u8(State, Table, Busy, u8, u8, i8, i8, i8))
def settle_moves(
    state: Any,
    table: Any,
    busy: Any,
    mine: Word,
    theirs: Word,
    attacks: int,
    plies: int,
    all_of_them: int,
) -> Word:
    """For each placement, the arrangements after the swap for which a claim holds; see `settle`.

    Of one placement for which there are any, unless `all_of_them` are asked for: one that is known
    without a search, if there is one. Into `state.proved`; of an unfinished board in the first
    arrangement. Returns the cells of the placements that are settled: all, unless only one was
    asked for or the search was stopped.
    """
    empty = empty_cells(mine, theirs)
    settled = _0
    state.proved[:] = _0
    if plies < 1:
        return empty
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
                return settled
            state.proved[cell] = result
            if result != _0 and not all_of_them:
                return _1 << cell
            if searches:
                settled |= _1 << cell
    return settled
