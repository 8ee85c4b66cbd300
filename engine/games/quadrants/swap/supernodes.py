"""Supernodes of Pentago-swap: what four quadrants hold, whatever their places.

A swap moves quadrants and leaves alone what they hold. A *supernode* is the contents of four
slots and the side to move; an *arrangement* says at which place each slot lies. A set of the 24
arrangements is a mask of 24 bits, so that one mask speaks of 24 boards.

Slots are numbered as places are: bit ``slot * 9 + row * 3 + column``, as in `alphabeta`. The
first arrangement leaves every slot at the place of its own number.

A *code* is what one slot holds: nine digits to the base of three, 0 for an empty cell, 1 for a
stone of the side to move, 2 for one of the other side.
"""

from itertools import combinations, permutations, product

import numpy as np
from numba import types
from numpy.typing import NDArray

from engine.games.quadrants.alphabeta import CONTENTS, PLACES, QUADRANT, popcount, windows
from engine.kernels import Word, i64, kernel, u64

Words = NDArray[np.uint64]

ARRANGEMENTS: tuple[tuple[int, ...], ...] = tuple(permutations(range(4)))
ALL = u64((1 << 24) - 1)
CODES = 3**9

_INDEX = {arrangement: index for index, arrangement in enumerate(ARRANGEMENTS)}
_SWAPS = tuple(combinations(range(4), 2))


def _swapped(arrangement: tuple[int, ...], swap: tuple[int, int]) -> tuple[int, ...]:
    first, second = swap
    exchanged = {first: second, second: first}
    return tuple(exchanged.get(place, place) for place in arrangement)


def _by_bytes(images: list[int]) -> Words:
    """What each of a mask's three bytes turns into, where bit *i* becomes ``images[i]``."""
    is_set = np.arange(256)[:, None] >> np.arange(8) & 1
    by_bit = np.where(is_set, np.array(images, dtype=np.uint64).reshape(3, 1, 8), u64(0))
    table: Words = np.bitwise_or.reduce(by_bit, axis=2)
    return table


def _spread() -> Words:
    return _by_bytes(
        [sum(1 << _INDEX[_swapped(each, swap)] for swap in _SWAPS) for each in ARRANGEMENTS]
    )


def _turned() -> Words:
    """The masks after each symmetry of the board: shape (8, 3, 256)."""
    return np.array(
        [
            _by_bytes(
                [1 << _INDEX[tuple(int(turn[place]) for place in each)] for each in ARRANGEMENTS]
            )
            for turn in PLACES
        ]
    )


def _reordered() -> Words:
    """The masks after slot ``order[k]`` has become slot *k*: shape (24, 3, 256)."""
    return np.array(
        [
            _by_bytes([1 << _INDEX[tuple(each[slot] for slot in order)] for each in ARRANGEMENTS])
            for order in ARRANGEMENTS
        ]
    )


def _order_numbers() -> Words:
    """The number of an order of slots, written with two bits a slot."""
    numbers = np.zeros(256, dtype=np.uint64)
    for number, order in enumerate(ARRANGEMENTS):
        numbers[sum(slot << 2 * k for k, slot in enumerate(order))] = number
    return numbers


def _inverse_orders() -> Words:
    return np.array(
        [_INDEX[tuple(order.index(slot) for slot in range(4))] for order in ARRANGEMENTS],
        dtype=np.uint64,
    )


def _ternary() -> Words:
    """The code of stones of one's own after each symmetry: shape (8, 512)."""
    plain = [sum(3**cell for cell in range(9) if stones >> cell & 1) for stones in range(512)]
    return np.array([[plain[int(stones)] for stones in turn] for turn in CONTENTS], dtype=np.uint64)


def _largest() -> tuple[Words, Words]:
    """The largest image of each code, and a bit for each symmetry that leads to it."""
    mine, theirs = np.zeros(CODES, dtype=np.int64), np.zeros(CODES, dtype=np.int64)
    for cell in range(9):
        digit = np.arange(CODES) // 3**cell % 3
        mine |= (digit == 1) << cell
        theirs |= (digit == 2) << cell
    images = TERNARY[:, mine] + u64(2) * TERNARY[:, theirs]
    largest = images.max(axis=0)
    bits = u64(1) << np.arange(8, dtype=np.uint64)
    where = np.where(images == largest, bits[:, None], u64(0)).sum(axis=0, dtype=np.uint64)
    return largest, where


def _parts() -> tuple[
    list[tuple[int, int, list[tuple[int, int]]]], list[tuple[int, int, int, int, int]]
]:
    """The windows, by the quadrants they cross.

    Those across two: the cells in the first and in the second, and the pairs of places where
    they are; grouped by these pairs. Those across three: the cells in the first and the last,
    which are the same, those in the middle, and the three places.
    """
    pairs: dict[tuple[int, int], list[tuple[int, int]]] = {}
    triples = []
    for window in windows():
        parts = [0] * 4
        for bit in window:
            parts[bit // 9] |= 1 << bit % 9
        places = [place for place in range(4) if parts[place]]
        if len(places) == 2:
            first, second = places
            pairs.setdefault((parts[first], parts[second]), []).append((first, second))
        else:
            middle = next(place for place in places if parts[place].bit_count() == 1)
            first, last = (place for place in places if place != middle)
            triples.append((parts[first], parts[middle], first, middle, last))
    grouped = sorted(
        ((first, second, places) for (first, second), places in pairs.items()),
        key=lambda pair: sorted(pair[2]),
    )
    return grouped, triples


# Sixteen kinds of windows across two quadrants, in four groups by the pairs of places.
_GROUPS = ([(0, 1), (2, 3)], [(0, 2), (1, 3)], [(0, 3)], [(1, 2)])


def _held() -> tuple[Words, Words]:
    """What codes hold of the parts of windows: shapes (codes, 6) and (codes, 2).

    In a word a bit in every fourth is for a part of one kind of windows, none of whose cells the
    other side has. Across two quadrants: three words for the first quadrant's parts of which no
    cell, one cell and two cells are missing, and three for the second's. Across three, in lanes of
    16 bits: none and one of an outer part missing, the middle there, the middle empty; in the
    second word two of an outer part missing.
    """
    pairs, triples = _parts()
    two, three = np.zeros((CODES, 6), dtype=np.uint64), np.zeros((CODES, 2), dtype=np.uint64)
    digits = np.arange(CODES)[:, None] // 3 ** np.arange(9) % 3

    def note(words: Words, bit: int, part: int, missing: int) -> None:
        cells = digits[:, [cell for cell in range(9) if part >> cell & 1]]
        there = (cells != 2).all(axis=1) & ((cells == 0).sum(axis=1) == missing)
        words |= there.astype(np.uint64) << u64(bit)

    for kind, (first, second, _) in enumerate(pairs):
        for missing in range(3):
            note(two[:, missing], 4 * kind, first, missing)
            note(two[:, 3 + missing], 4 * kind, second, missing)
    for kind, (outer, middle, *_) in enumerate(triples):
        for missing in range(2):
            note(three[:, 0], 4 * kind + 16 * missing, outer, missing)
            note(three[:, 0], 4 * kind + 32 + 16 * missing, middle, missing)
        note(three[:, 1], 4 * kind, outer, 2)
    return two, three


# What a part of a window is worth by the number of its missing cells.
_NEAR = [32, 10, 3, 1]


def _weights() -> NDArray[np.uint8]:
    """How near a code is to its part of each kind of windows across two quadrants.

    Shape (codes, 32): the worth of the first quadrant's part, 0 where the other side has a cell of
    it; then the second's.
    """
    digits = np.arange(CODES)[:, None] // 3 ** np.arange(9) % 3
    weights = np.zeros((CODES, 32), dtype=np.uint8)
    for kind, (first, second, _) in enumerate(_parts()[0]):
        for column, part in ((kind, first), (16 + kind, second)):
            held = digits[:, [cell for cell in range(9) if part >> cell & 1]]
            near = np.array(_NEAR)[(held == 0).sum(axis=1)]
            weights[:, column] = np.where((held == 2).any(axis=1), 0, near)
    return weights


# Whether each set of slots has each slot: shape (4, 16 sets).
_HAS = (np.arange(16) >> np.arange(4)[:, None] & 1).astype(np.uint64)


def _pair_masks() -> Words:
    """The arrangements in which slots of two sets lie where windows of a group need them.

    Shape (8, 16 sets, 16 sets): for each group the sets for the first and for the second part; then
    for each group those for the second and for the first.
    """
    masks = np.zeros((4, 16, 16), dtype=np.uint64)
    for group, pairs in enumerate(_GROUPS):
        for (index, each), places in product(enumerate(ARRANGEMENTS), pairs):
            first, second = (_HAS[each.index(place)] for place in places)
            masks[group] |= np.multiply.outer(first, second) << u64(index)
    return np.concatenate([masks, masks.transpose(0, 2, 1)])


def _triple_masks() -> Words:
    """The arrangements in which slots of three sets lie where a window across three needs them.

    Shape (8, 16 sets, 16 sets, 16 sets): for each window the sets for an outer part, for the other
    and for the middle; then for each window those for the middle, for an outer part and the other.
    """
    masks = np.zeros((4, 16, 16, 16), dtype=np.uint64)
    for kind, (_, _, *places) in enumerate(_parts()[1]):
        for index, each in enumerate(ARRANGEMENTS):
            first, middle, last = (_HAS[each.index(place)] for place in places)
            outer = np.multiply.outer(first, last)
            masks[kind] |= np.multiply.outer(outer | outer.T, middle) << u64(index)
    return np.concatenate([masks, masks.transpose(0, 3, 1, 2)])


SPREAD, TURNED, REORDERED = _spread(), _turned(), _reordered()
ORDER_NUMBERS, INVERSE_ORDERS = _order_numbers(), _inverse_orders()
# As `engine.game` numbers the symmetries.
INVERSE_TURNS = np.array([0, 3, 2, 1, 4, 5, 6, 7], dtype=np.uint64)
TERNARY = _ternary()
LARGEST, WHERE_LARGEST = _largest()
TWO, THREE = _held()
# The cells of the parts of windows: of each kind across two quadrants the first, then the second;
# of the kinds across three the outer, then the middle.
TWO_PARTS = np.array([kind[part] for part in (0, 1) for kind in _parts()[0]], dtype=np.uint64)
THREE_PARTS = np.array([kind[part] for part in (0, 1) for kind in _parts()[1]], dtype=np.uint64)
WEIGHTS = _weights()
PAIR_MASKS, TRIPLE_MASKS = _pair_masks(), _triple_masks()
# What each of `TWO_PARTS` is to `PAIR_MASKS`.
GROUPS = np.array(
    [4 * part + _GROUPS.index(sorted(kind[2])) for part in (0, 1) for kind in _parts()[0]],
    dtype=np.uint64,
)
# The arrangement that each swap leads to from the first one.
AFTER_SWAP = np.array([_INDEX[_swapped(ARRANGEMENTS[0], swap)] for swap in _SWAPS])
# The cell of a slot that each symmetry turns a cell into: shape (8, 9).
CELL_IMAGES = np.array(
    [[int(turn[1 << cell]).bit_length() - 1 for cell in range(9)] for turn in CONTENTS],
    dtype=np.uint64,
)

_0, _1, _2, _3, _4, _6, _8, _9 = u64(0), u64(1), u64(2), u64(3), u64(4), u64(6), u64(8), u64(9)
_15, _16, _32, _48 = u64(15), u64(16), u64(32), u64(48)
# The bits of the first slot in a word of `TWO` or `THREE`.
FOURTHS = u64(0x1111111111111111)
_BYTE = u64(255)
u8 = types.uint64


@kernel(u8(u8))
def spread(mask: Word) -> Word:
    """The arrangements one swap away from those of `mask`."""
    return SPREAD[_0, mask & _BYTE] | SPREAD[_1, (mask >> _8) & _BYTE] | SPREAD[_2, mask >> _16]


@kernel(u8(u8, u8, u8))
def moved(mask: Word, turn: Word, order: Word) -> Word:
    """`mask` after symmetry `turn` and the reordering of slots with number `order`."""
    mask = (
        TURNED[turn, _0, mask & _BYTE]
        | TURNED[turn, _1, (mask >> _8) & _BYTE]
        | TURNED[turn, _2, mask >> _16]
    )
    return (
        REORDERED[order, _0, mask & _BYTE]
        | REORDERED[order, _1, (mask >> _8) & _BYTE]
        | REORDERED[order, _2, mask >> _16]
    )


@kernel(u8(u8))
def lowest(bits: Word) -> Word:
    """The first of `bits`, of which there are some."""
    return popcount((bits & (~bits + _1)) - _1)


@kernel(u8(u8, u8, u8))
def code(mine: Word, theirs: Word, slot: Word) -> Word:
    """The code of what a slot holds."""
    shift = slot * _9
    return TERNARY[_0, (mine >> shift) & QUADRANT] + _2 * TERNARY[_0, (theirs >> shift) & QUADRANT]


@kernel(u8(u8))
def some(parts: Word) -> Word:
    """The kinds of windows, by the first bit of each four, of whose parts some slot has one."""
    parts |= parts >> _1
    return (parts | parts >> _2) & FOURTHS


@kernel("UniTuple(uint64, 2)(uint64, uint64)")
def fives(mine: Word, theirs: Word) -> tuple[Word, Word]:
    """The arrangements with a five of `mine`, and those where one stone more makes one.

    The second mask holds the first; the stone goes to an empty cell.
    """
    p, q = code(mine, theirs, _0), code(mine, theirs, _1)
    r, t = code(mine, theirs, _2), code(mine, theirs, _3)
    first = TWO[p, _0] | TWO[q, _0] << _1 | TWO[r, _0] << _2 | TWO[t, _0] << _3
    first_near = TWO[p, _1] | TWO[q, _1] << _1 | TWO[r, _1] << _2 | TWO[t, _1] << _3
    second = TWO[p, _3] | TWO[q, _3] << _1 | TWO[r, _3] << _2 | TWO[t, _3] << _3
    second_near = TWO[p, _4] | TWO[q, _4] << _1 | TWO[r, _4] << _2 | TWO[t, _4] << _3
    has, makes = _0, _0
    kinds = some(first) & some(second | second_near) | some(first_near) & some(second)
    while kinds != _0:
        at = lowest(kinds)
        kinds &= kinds - _1
        group = GROUPS[at >> _2]
        a, b = first >> at & _15, second >> at & _15
        has |= PAIR_MASKS[group, a, b]
        makes |= PAIR_MASKS[group, first_near >> at & _15, b]
        makes |= PAIR_MASKS[group, a, second_near >> at & _15]
    lanes = THREE[p, _0] | THREE[q, _0] << _1 | THREE[r, _0] << _2 | THREE[t, _0] << _3
    for number in range(4):
        window = u64(number)
        part = lanes >> window * _4
        outer, near = part & _15, part >> _16 & _15
        middle, gap = part >> _32 & _15, part >> _48 & _15
        if outer != _0:
            has |= TRIPLE_MASKS[window, outer, outer, middle]
            makes |= TRIPLE_MASKS[window, near, outer, middle]
            makes |= TRIPLE_MASKS[window, outer, outer, gap]
    return has, makes | has


@kernel(types.int64(u8, u8))
def potential(mine: Word, theirs: Word) -> int:
    """How near `mine` are to fives, over all arrangements: larger is nearer, for ordering."""
    p, q = code(mine, theirs, _0), code(mine, theirs, _1)
    r, t = code(mine, theirs, _2), code(mine, theirs, _3)
    total = np.uint32(0)
    for kind in range(16):
        i = u64(kind)
        j = i + _16
        a, b = np.uint32(WEIGHTS[p, i]), np.uint32(WEIGHTS[p, j])
        c, d = np.uint32(WEIGHTS[q, i]), np.uint32(WEIGHTS[q, j])
        e, f = np.uint32(WEIGHTS[r, i]), np.uint32(WEIGHTS[r, j])
        g, h = np.uint32(WEIGHTS[t, i]), np.uint32(WEIGHTS[t, j])
        total += np.uint32((a + c + e + g) * (b + d + f + h) - (a * b + c * d + e * f + g * h))
    return i64(total)


@kernel("UniTuple(uint64, 2)(uint64, uint64, uint64)")
def image(mine: Word, theirs: Word, turn: Word) -> tuple[Word, Word]:
    """The codes after symmetry `turn`, largest first, in one number of 60 bits; and the slots'
    order, two bits a slot."""
    a = (TERNARY[turn, mine & QUADRANT] + _2 * TERNARY[turn, theirs & QUADRANT]) << _2
    mine, theirs = mine >> _9, theirs >> _9
    b = (TERNARY[turn, mine & QUADRANT] + _2 * TERNARY[turn, theirs & QUADRANT]) << _2 | _1
    mine, theirs = mine >> _9, theirs >> _9
    c = (TERNARY[turn, mine & QUADRANT] + _2 * TERNARY[turn, theirs & QUADRANT]) << _2 | _2
    mine, theirs = mine >> _9, theirs >> _9
    d = (TERNARY[turn, mine & QUADRANT] + _2 * TERNARY[turn, theirs & QUADRANT]) << _2 | _3
    a, b = max(a, b), min(a, b)
    c, d = max(c, d), min(c, d)
    a, c = max(a, c), min(a, c)
    b, d = max(b, d), min(b, d)
    b, c = max(b, c), min(b, c)
    key = (a >> _2) << u64(45) | (b >> _2) << u64(30) | (c >> _2) << u64(15) | d >> _2
    order = a & _3 | (b & _3) << _2 | (c & _3) << _4 | (d & _3) << _6
    return key, order


@kernel("UniTuple(uint64, 4)(uint64, uint64)")
def canonical(mine: Word, theirs: Word) -> tuple[Word, Word, Word, Word]:
    """The key of a supernode, the same for all its images under symmetries and orders of slots.

    With a symmetry that leads to the image with this key, the number of the order that does, and
    a bit for each symmetry that does.
    """
    top: Word = _0
    turns: Word = _0
    for slot in range(4):
        held = code(mine, theirs, u64(slot))
        largest = LARGEST[held]
        if largest > top:
            top, turns = largest, WHERE_LARGEST[held]
        elif largest == top:
            turns |= WHERE_LARGEST[held]
    key, chosen, chosen_order, ties = _0, _0, _0, _0
    for number in range(8):
        turn = u64(number)
        if turns >> turn & _1 != _0:
            this, order = image(mine, theirs, turn)
            if this > key or ties == _0:
                key, chosen, chosen_order, ties = this, turn, order, _1 << turn
            elif this == key:
                ties |= _1 << turn
    return key, chosen, ORDER_NUMBERS[chosen_order], ties
