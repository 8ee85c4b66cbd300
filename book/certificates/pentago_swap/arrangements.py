"""The rules of Pentago-swap for all arrangements of four quadrants at once, and what is won.

A swap changes where the four quadrants lie and nothing in them. So a board is told as a
*supernode*, the four contents in some order, and an *arrangement*, which of them lies at which
place. A supernode has 24 arrangements, and a mask of 24 bits is a set of boards. A swap leads
from an arrangement to six others, the same for every supernode.

Stones of one colour are 36 bits: bit ``9 * content + cell``, cells of a content row by row from
its lower left. Places are numbered as quadrants are, 0 and 1 above 2 and 3. White is who moved
first, the winner; 'won' is always White's.

All numbers are int64; they are cast where they serve as indices, since numba checks a signed
index for being negative.
"""

from itertools import combinations, permutations
from typing import Any

import numpy as np
from numba import from_dtype, int64, njit, types, void

u64 = np.uint64

CELLS = (1 << 36) - 1
ALL = (1 << 24) - 1
# Place by place, the column and row of its lower left cell.
CORNERS = ((0, 3), (3, 3), (0, 0), (3, 0))
# ARRANGEMENTS[a][place] is the number of the content that lies there.
ARRANGEMENTS = tuple(permutations(range(4)))
# The swaps in the order 12, 13, 14, 23, 24, 34 of their notation.
SWAPS = tuple(combinations(range(4), 2))
# Where each of the eight symmetries takes column and row of a square of the given size.
SYMMETRIES = tuple(
    (turned, flipped_column, flipped_row)
    for turned in (False, True)
    for flipped_column in (False, True)
    for flipped_row in (False, True)
)


def turn(symmetry: int, size: int, column: int, row: int) -> tuple[int, int]:
    """The column and row to which `symmetry` takes a cell of a square board of `size`."""
    turned, flipped_column, flipped_row = SYMMETRIES[symmetry]
    if turned:
        column, row = row, column
    return (
        size - 1 - column if flipped_column else column,
        size - 1 - row if flipped_row else row,
    )


def place_of(column: int, row: int) -> int:
    """The place that holds a cell of the board."""
    return CORNERS.index((column // 3 * 3, row // 3 * 3))


def swapped(arrangement: int, swap: int) -> int:
    """The arrangement after the quadrants at two places have changed places."""
    contents = list(ARRANGEMENTS[arrangement])
    first, second = SWAPS[swap]
    contents[first], contents[second] = contents[second], contents[first]
    return ARRANGEMENTS.index(tuple(contents))


def _lines() -> list[list[int]]:
    """Each line of five as the cells, nine bits, that it takes at each of the four places."""
    found = []
    for column in range(6):
        for row in range(6):
            for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
                cells = [(column + k * right, row + k * up) for k in range(5)]
                if all(0 <= c < 6 and 0 <= r < 6 for c, r in cells):
                    parts = [0] * 4
                    for c, r in cells:
                        parts[place_of(c, r)] |= 1 << r % 3 * 3 + c % 3
                    found.append(parts)
    return found


def _line_tables() -> tuple[Any, Any, Any]:
    """For each place and each nine bits that may lie there, three sets of lines, as 32 bits:

    those whose part there is full, those that lack one cell of it, those that have none of it.
    """
    full, lacking, clear = (np.zeros((4, 512), dtype=np.int64) for _ in range(3))
    for number, parts in enumerate(_lines()):
        for place, part in enumerate(parts):
            for bits in range(512):
                missing = (part & ~bits).bit_count()
                full[place, bits] |= (missing == 0) << number
                lacking[place, bits] |= (missing == 1) << number
                clear[place, bits] |= (part & bits == 0) << number
    return full, lacking, clear


def _reach_table() -> Any:
    """For each byte of a mask, and each of its values, the arrangements one swap away."""
    table = np.zeros((3, 256), dtype=np.int64)
    for byte in range(3):
        for bits in range(256):
            for bit in range(8):
                if bits >> bit & 1:
                    for swap in range(len(SWAPS)):
                        table[byte, bits] |= 1 << swapped(8 * byte + bit, swap)
    return table


def _turned_contents() -> Any:
    """For each symmetry and nine bits, the bits after it."""
    table = np.zeros((8, 512), dtype=np.int64)
    for symmetry in range(8):
        for cell in range(9):
            column, row = turn(symmetry, 3, cell % 3, cell // 3)
            for bits in range(512):
                table[symmetry, bits] |= (bits >> cell & 1) << (3 * row + column)
    return table


def _turned_arrangements() -> Any:
    """Where an arrangement is taken by a symmetry and a renumbering of the contents.

    Indexed by symmetry, renumbering (new number of each content, as one of ARRANGEMENTS), and
    arrangement.
    """
    table = np.zeros((8, 24, 24), dtype=np.int64)
    for symmetry in range(8):
        places = []
        for column, row in CORNERS:
            places.append(place_of(*turn(symmetry, 6, column, row)))
        for number, names in enumerate(ARRANGEMENTS):
            for index, contents in enumerate(ARRANGEMENTS):
                image = [0] * 4
                for place in range(4):
                    image[places[place]] = names[contents[place]]
                table[symmetry, number, index] = ARRANGEMENTS.index(tuple(image))
    return table


FULL, LACKING, CLEAR = _line_tables()
_REACH = _reach_table()
_TURNED = _turned_contents()
_TAKEN = _turned_arrangements()
_CONTENT = np.array(ARRANGEMENTS, dtype=np.int64)
# The number of an arrangement, by its contents read as digits of base four.
_NUMBER = np.zeros(256, dtype=np.int64)
for _index, _contents in enumerate(ARRANGEMENTS):
    _NUMBER[sum(content << 2 * place for place, content in enumerate(_contents))] = _index

# The twelve ways to lay two of the contents side by side, and which of them is the upper and which
# the lower half of each arrangement.
_PAIRS = tuple(permutations(range(4), 2))
_LEFT, _RIGHT = (np.array(side, dtype=np.int64) for side in zip(*_PAIRS, strict=True))
_UPPER, _LOWER = (
    np.array([_PAIRS.index(names[half : half + 2]) for names in ARRANGEMENTS], dtype=np.int64)
    for half in (0, 2)
)
_PARTS = np.array(_lines(), dtype=np.int64)

# How many stones of White's a search tries at a node with more than three plies left: the likeliest
# ones first, and all of them where these do not win.
_WIDTHS = (12, 36)
# Without a limit on the nodes of a search.
UNLIMITED = 1 << 62

# What a search may write to: lines of each content at each place, then of pairs of contents; the
# nodes so far, their limit, the width, and how many searches were forgotten; how often each stone
# of White's won, and all together; how often each of Black's refuted; the moves that `won` found;
# by depth the rows of a node; and the slots of what is settled.
NODES, _LIMIT, _WIDTH, _FORGOTTEN = range(80, 84)
_WINS, _ALL_WINS, _REFUTATIONS, FOUND, _ROWS = 84, 120, 121, 157, 193
# The rows of a node: the arrangements in which a stone makes a five, White's, Black's, and White's
# with a stone more; what is promised of each stone of White's; the reply that last refuted it; the
# stone that last won, and the reply that last refuted any.
_WHITE, _BLACK, _MORE, _PROMISE, _REFUTES = range(0, 5 * 36, 36)
_WON_LAST, _REFUTED_LAST, _ROW = range(180, 183)
_SETTLED = _ROWS + 18 * _ROW
# A slot: White's and Black's stones, then for 3, 5, 7, … plies the boards that are won within so
# many, and 24 bits up those that are not.
_SLOTS, _SLOT = 1 << 12, 20
_FIRST_HORIZON = 2
SCRATCH = _SETTLED + _SLOTS * _SLOT


@njit(int64(int64), nogil=True, cache=True)
def _count(bits: int) -> int:
    count = 0
    while bits:
        bits &= bits - 1
        count += 1
    return count


@njit(int64(int64), nogil=True, cache=True)
def _lowest(bits: int) -> int:
    """The number of the lowest bit."""
    return _count((bits & -bits) - 1)


@njit(int64(int64), nogil=True, cache=True)
def reach(mask: int) -> int:
    """The arrangements that a swap leads to from any of `mask`, or from which one leads there."""
    return int(
        _REACH[u64(0), u64(mask & 255)]
        | _REACH[u64(1), u64(mask >> 8 & 255)]
        | _REACH[u64(2), u64(mask >> 16 & 255)]
    )


@njit(int64(int64, int64[::1]), nogil=True, cache=True)
def fives(stones: int, scratch: Any) -> int:
    """The arrangements in which `stones` have five in a row, or six."""
    for place in range(4):
        for content in range(4):
            bits = stones >> (9 * content) & 511
            scratch[u64(4 * place + content)] = FULL[u64(place), u64(bits)]
    found = 0
    for arrangement in range(24):
        a = u64(arrangement)
        if (
            scratch[u64(_CONTENT[a, u64(0)])]
            & scratch[u64(4 + _CONTENT[a, u64(1)])]
            & scratch[u64(8 + _CONTENT[a, u64(2)])]
            & scratch[u64(12 + _CONTENT[a, u64(3)])]
        ):
            found |= 1 << arrangement
    return found


@njit("UniTuple(int64, 3)(int64, int64, int64[::1], int64)", nogil=True, cache=True)
def completions(stones: int, others: int, scratch: Any, row: int) -> tuple[int, int, int]:
    """Where `stones` and one more on a free cell have five in a row.

    Writes for each cell the arrangements in which a stone there makes a five, to 36 numbers of
    `scratch` from `row`. Returns the arrangements that have a five without it, and those where at
    least one, and at least two cells would do; an arrangement with a five counts as such.
    """
    for content in range(4):
        bits = u64(stones >> (9 * content) & 511)
        taken = u64(others >> (9 * content) & 511)
        for place in range(4):
            p = u64(place)
            scratch[u64(4 * place + content)] = FULL[p, bits]
            scratch[u64(16 + 4 * place + content)] = LACKING[p, bits] & CLEAR[p, taken]
    for pair in range(len(_PAIRS)):
        left, right = _LEFT[u64(pair)], _RIGHT[u64(pair)]
        for half in range(2):
            a, b = 8 * half + left, 8 * half + 4 + right
            to = 32 + 24 * half + pair
            scratch[u64(to)] = scratch[u64(a)] & scratch[u64(b)]
            scratch[u64(to + 12)] = (
                scratch[u64(16 + a)] & scratch[u64(b)] | scratch[u64(a)] & scratch[u64(16 + b)]
            )
    for cell in range(36):
        scratch[u64(row + cell)] = 0
    five, once, twice = 0, 0, 0
    for arrangement in range(24):
        upper, lower = 32 + _UPPER[u64(arrangement)], 56 + _LOWER[u64(arrangement)]
        bit = 1 << arrangement
        if scratch[u64(upper)] & scratch[u64(lower)]:
            five |= bit
        lines = (
            scratch[u64(upper)] & scratch[u64(lower + 12)]
            | scratch[u64(upper + 12)] & scratch[u64(lower)]
        )
        while lines:
            line = u64(_lowest(lines))
            lines &= lines - 1
            for place in range(4):
                content = _CONTENT[u64(arrangement), u64(place)]
                missing = _PARTS[line, u64(place)] & ~(stones >> (9 * content))
                if missing:
                    at = u64(row + 9 * content + _lowest(missing))
                    if not scratch[at] & bit:
                        scratch[at] |= bit
                        twice |= once & bit
                        once |= bit
                    break
    return five, once | five, twice | five


@njit(void(int64[::1]), nogil=True, cache=True)
def forget(scratch: Any) -> None:
    """Have the next search depend on no earlier one."""
    forgotten = scratch[u64(_FORGOTTEN)]
    scratch[:_SETTLED] = 0
    scratch[u64(_FORGOTTEN)] = forgotten + 1


@njit(int64(int64, int64, int64[::1]), nogil=True, cache=True)
def _slot_of(white: int, black: int, scratch: Any) -> int:
    """Where what is settled of these stones is kept; what is there of others is dropped.

    What few stones do not win, more may: what is settled is so for a width.
    """
    mixed = white * 0x1E3779B97F4A7C15 + black * 0x42B2AE3D27D4EB4F
    mixed = (mixed ^ (mixed >> 29)) * 0x165667B19E3779F9
    slot = _SETTLED + (mixed >> 32 & (_SLOTS - 1)) * _SLOT
    first = white | scratch[u64(_FORGOTTEN)] << 36
    second = black | scratch[u64(_WIDTH)] << 36
    if scratch[u64(slot)] != first or scratch[u64(slot + 1)] != second:
        scratch[u64(slot)], scratch[u64(slot + 1)] = first, second
        for column in range(_FIRST_HORIZON, _SLOT):
            scratch[u64(slot + column)] = 0
    return slot


@njit(int64(int64, int64, int64, int64[::1]), nogil=True, cache=True)
def _likeliest(stones: int, row: int, favourite: int, scratch: Any) -> int:
    """The one of `stones` that promises most, or wins most often; `favourite` before all.

    A promise is at most 64 for each of 24 boards; winning every time is worth more than that.
    """
    if stones & favourite:
        return favourite
    best, most = 0, -1
    while stones:
        stone = stones & -stones
        stones ^= stone
        cell = _lowest(stone)
        score = scratch[u64(row + _PROMISE + cell)] + (
            4000 * scratch[u64(_WINS + cell)] // (scratch[u64(_ALL_WINS)] + 1)
        )
        if score > most:
            best, most = stone, score
    return best


@njit(int64(int64, int64, int64, int64[::1]), nogil=True, cache=True)
def _hardest(replies: int, row: int, cell: int, scratch: Any) -> int:
    """The one of `replies` that did best against White's stone on `cell`, or else at all."""
    if replies & scratch[u64(row + _REFUTES + cell)]:
        return int(scratch[u64(row + _REFUTES + cell)])
    if replies & scratch[u64(row + _REFUTED_LAST)]:
        return int(scratch[u64(row + _REFUTED_LAST)])
    best, most = 0, -1
    while replies:
        reply = replies & -replies
        replies ^= reply
        score = scratch[u64(_REFUTATIONS + _lowest(reply))]
        if score > most:
            best, most = reply, score
    return best


@njit(int64(int64, int64, int64, int64, int64, int64, int64, int64[::1]), nogil=True, cache=True)
def _won_in_three(
    more: int,
    black: int,
    boards: int,
    fives_now: int,
    black_fives: int,
    cell: int,
    row: int,
    scratch: Any,
) -> int:
    """Those `boards`, after White's stone on `cell`, where every reply lets White have a five next.

    Black cannot make a five. So a reply takes from White what he could do if Black only swapped
    in two ways: by its cell, where no other one would do, and by a five of Black's beside White's.
    """
    _, once, twice = completions(more, black, scratch, row + _MORE)
    after = reach(boards)
    good = fives_now | reach(once & ~black_fives)
    scratch[u64(row + _PROMISE + cell)] = 64 * _count(after & good)
    boards &= ~reach(after & ~good)
    replies = CELLS & ~(more | black)
    if not replies & (replies - 1):
        # The reply fills the board.
        return boards & ~reach(reach(boards) & ~fives_now)
    while replies and boards:
        number = _lowest(replies)
        replies &= replies - 1
        taken = scratch[u64(row + _MORE + number)] & ~twice
        fives_made = scratch[u64(row + _BLACK + number)]
        if taken | fives_made:
            after = reach(boards)
            good = fives_now | reach(once & ~taken & ~black_fives & ~fives_made)
            boards &= ~reach(after & ~good)
    return boards


@njit(int64(int64, int64, int64, int64, int64, int64[::1]), nogil=True, cache=True)
def _won(white: int, black: int, asked: int, plies: int, depth: int, scratch: Any) -> int:
    """`won` with the stones at a node limited to the width in `scratch`; see there."""
    free = CELLS & ~(white | black)
    if not free or not asked:
        return 0
    scratch[u64(NODES)] += 1
    row = _ROWS + depth * _ROW
    black_fives, black_once, black_twice = completions(black, white, scratch, row + _BLACK)
    white_fives, once, _ = completions(white, black, scratch, row + _WHITE)
    winners = asked & reach(once & ~black_fives)
    if plies == 1 or winners == asked:
        return winners
    for horizon in range(3, plies + 1, 2):
        slot = _slot_of(white, black, scratch)
        settled = u64(slot + _FIRST_HORIZON + (horizon - 3) // 2)
        winners |= asked & scratch[settled]
        left = asked & ~winners & ~(scratch[settled] >> 24)
        stones, width = free, scratch[u64(_WIDTH)]
        while stones and left and width and scratch[u64(NODES)] < scratch[u64(_LIMIT)]:
            if horizon == 3:
                placed = stones & -stones
            else:
                placed = _likeliest(stones, row, scratch[u64(row + _WON_LAST)], scratch)
                width -= 1
            stones ^= placed
            cell = _lowest(placed)
            # After White's swap: where Black neither has a five nor makes one.
            lost = black_once & ~(scratch[u64(row + _BLACK + cell)] & ~black_twice)
            boards = reach(left) & ~black_fives & ~reach(lost)
            more = white | placed
            fives_now = white_fives | scratch[u64(row + _WHITE + cell)]
            if horizon == 3:
                boards = _won_in_three(
                    more, black, boards, fives_now, black_fives, cell, row, scratch
                )
            replies = free & ~placed if horizon > 3 else 0
            while replies and boards:
                reply = _hardest(replies, row, cell, scratch)
                replies ^= reply
                number = _lowest(reply)
                after = reach(boards)
                good = fives_now | _won(
                    more, black | reply, after & ~fives_now, horizon - 2, depth + 1, scratch
                )
                boards &= ~reach(after & ~good)
                if not boards:
                    scratch[u64(row + _REFUTES + cell)] = reply
                    scratch[u64(row + _REFUTED_LAST)] = reply
                    scratch[u64(_REFUTATIONS + number)] += horizon - 3
            won_now = left & reach(boards)
            if won_now:
                winners |= won_now
                left ^= won_now
                if depth == 0:
                    scratch[u64(FOUND + cell)] |= boards
                if horizon > 3:
                    scratch[u64(row + _WON_LAST)] = placed
                    scratch[u64(_WINS + cell)] += _count(won_now)
                    scratch[u64(_ALL_WINS)] += _count(won_now)
        # Deeper nodes may have taken the slot.
        _slot_of(white, black, scratch)
        scratch[settled] |= winners
        if scratch[u64(NODES)] >= scratch[u64(_LIMIT)]:
            break
        scratch[settled] |= (asked & ~winners) << 24
        if winners == asked:
            break
    return winners


@njit(int64(int64, int64, int64, int64, int64, int64[::1]), nogil=True, cache=True)
def won(white: int, black: int, asked: int, plies: int, nodes: int, scratch: Any) -> int:
    """Those boards of `asked` in which White, to move, wins within `plies` (an odd number).

    Within fewer `nodes` than given; if these do not do, some of the boards may be missing.

    Tries every stone with every swap, and takes a move for a win only if every reply, every
    stone with every swap, is followed by one. Taken from earlier nodes are the order of tries and
    what was settled of the same stones.

    Writes, for each cell, to 36 numbers of `scratch` from `FOUND` the arrangements after the swap
    that it found White to win by a stone there, those aside that end the game.

    No board of `asked` has a five, and as many stones are white as black.
    """
    scratch[u64(NODES)], scratch[u64(_LIMIT)] = 0, nodes
    scratch[FOUND : FOUND + 36] = 0
    winners = 0
    for width in _WIDTHS:
        scratch[u64(_WIDTH)] = width
        winners |= _won(white, black, asked & ~winners, plies, 0, scratch)
        if winners == asked or scratch[u64(NODES)] >= nodes:
            break
    return winners


@njit(int64(int64, int64, int64), nogil=True, cache=True)
def _content_of(high: int, low: int, number: int) -> int:
    pair = high if number < 2 else low
    return pair >> 18 if number % 2 == 0 else pair & 0o777777


@njit(int64(int64, int64, int64), nogil=True, cache=True)
def _first_images(high: int, low: int, mask: int) -> int:
    """`mask` with each arrangement replaced by the first that is the same board up to symmetry."""
    firsts = np.arange(24)
    for symmetry in range(8):
        s = u64(symmetry)
        for names in range(24):
            fixed = True
            for content in range(4):
                here = _content_of(high, low, content)
                there = _content_of(high, low, _CONTENT[u64(names), u64(content)])
                turned = _TURNED[s, u64(here >> 9)] << 9 | _TURNED[s, u64(here & 511)]
                if turned != there:
                    fixed = False
                    break
            if fixed:
                for arrangement in range(24):
                    firsts[arrangement] = min(
                        firsts[arrangement], _TAKEN[s, u64(names), u64(arrangement)]
                    )
    image = 0
    for arrangement in range(24):
        if mask >> arrangement & 1:
            image |= 1 << firsts[arrangement]
    return image


@njit(void(int64, int64, int64, int64[::1]), nogil=True, cache=True)
def canonical(white: int, black: int, mask: int, out: Any) -> None:
    """Write the supernode's two keys and the mask of the same boards, up to symmetry, to `out`.

    Of all images of the supernode under the eight symmetries, contents in ascending order, the
    smallest; a content is ``white << 9 | black``, and the keys are the first two and the last two
    contents, 36 bits each. Where several arrangements are images of each other, the mask has the
    first of them.
    """
    best_high = -1
    best_low = -1
    best_symmetry = 0
    best_names = 0
    ties = 0
    for symmetry in range(8):
        s = u64(symmetry)
        a = _TURNED[s, u64(white & 511)] << 9 | _TURNED[s, u64(black & 511)]
        b = _TURNED[s, u64(white >> 9 & 511)] << 9 | _TURNED[s, u64(black >> 9 & 511)]
        c = _TURNED[s, u64(white >> 18 & 511)] << 9 | _TURNED[s, u64(black >> 18 & 511)]
        d = _TURNED[s, u64(white >> 27 & 511)] << 9 | _TURNED[s, u64(black >> 27 & 511)]
        # The new number of each content: how many go before it.
        na = int64(b < a) + int64(c < a) + int64(d < a)
        nb = int64(a <= b) + int64(c < b) + int64(d < b)
        nc = int64(a <= c) + int64(b <= c) + int64(d < c)
        nd = 6 - na - nb - nc
        low_pair = 0
        high_pair = 0
        for content, number in ((a, na), (b, nb), (c, nc), (d, nd)):
            if number == 0:
                high_pair |= content << 18
            elif number == 1:
                high_pair |= content
            elif number == 2:
                low_pair |= content << 18
            else:
                low_pair |= content
        if (
            best_high < 0
            or high_pair < best_high
            or (high_pair == best_high and low_pair < best_low)
        ):
            best_high = high_pair
            best_low = low_pair
            best_symmetry = symmetry
            best_names = _NUMBER[u64(na | nb << 2 | nc << 4 | nd << 6)]
            ties = 1
        elif high_pair == best_high and low_pair == best_low:
            ties += 1
    image = 0
    for arrangement in range(24):
        if mask >> arrangement & 1:
            image |= 1 << _TAKEN[u64(best_symmetry), u64(best_names), u64(arrangement)]
    first, second = best_high >> 18, best_high & 0o777777
    third, fourth = best_low >> 18, best_low & 0o777777
    if ties > 1 or first == second or second == third or third == fourth:
        image = _first_images(best_high, best_low, image)
    out[0] = best_high
    out[1] = best_low
    out[2] = image


@njit(int64(int64, int64), nogil=True, cache=True)
def white_of(high: int, low: int) -> int:
    """White's stones in the supernode with these keys."""
    stones = 0
    for content in range(4):
        stones |= (_content_of(high, low, content) >> 9) << 9 * content
    return stones


@njit(int64(int64, int64), nogil=True, cache=True)
def black_of(high: int, low: int) -> int:
    """Black's stones in the supernode with these keys."""
    stones = 0
    for content in range(4):
        stones |= (_content_of(high, low, content) & 511) << 9 * content
    return stones


# An entry of a certificate; its moves are those from `first` to before `last`.
ENTRY = np.dtype(
    [(name, np.int64) for name in ("high", "low", "boards", "first", "last")], align=True
)
# A move: the free cell and the arrangements after the swap.
MOVE = np.dtype([("stone", np.int64), ("swapped", np.int64)], align=True)
# What is checked by, and what is found. `levels` holds the number of the first entry with at least
# 0, 1, 2, … stones: one level more than a board can have, since what is looked for may have one
# more ply.
LEVELS, FINDINGS = 40, 5
CHECK = np.dtype(
    [
        ("levels", np.int64, LEVELS),
        ("last_ply", np.int64),
        ("short", np.int64),
        ("leaf", np.int64),
        ("found", np.int64, FINDINGS),
    ],
    align=True,
)
_Entries = types.Array(from_dtype(ENTRY), 1, "C")
_Moves = types.Array(from_dtype(MOVE), 1, "C")
_Check = from_dtype(CHECK)


@njit(int64(_Entries, _Check, int64, int64[::1], int64[::1]), nogil=True, cache=True)
def _claimed(entries: Any, c: Any, stones: int, image: Any, reached: Any) -> int:
    """Those boards of `image`, two keys and a mask, that an entry says are won; marks them."""
    start, stop = c.levels[stones], c.levels[stones + 1]
    last = stop
    while start < stop:
        middle = (start + stop) // 2
        high = entries[u64(middle)].high
        if high < image[0] or (high == image[0] and entries[u64(middle)].low < image[1]):
            start = middle + 1
        else:
            stop = middle
    if start == last:
        return 0
    entry = entries[u64(start)]
    if entry.high != image[0] or entry.low != image[1]:
        return 0
    found = entry.boards & image[2]
    reached[u64(start)] |= found
    return int(found)


# What `check` finds.
RIGHT, MALFORMED, NO_MOVE, BAD_MOVE, NO_ANSWER, NO_WIN = range(6)


@njit(int64(int64, _Entries, _Moves, int64[::1], _Check, int64[::1]), nogil=True, cache=True)
def _check_entry(number: int, entries: Any, moves: Any, reached: Any, c: Any, scratch: Any) -> int:
    """`check` for one entry."""
    image = np.empty(3, dtype=np.int64)
    entry, found = entries[u64(number)], c.found
    white = white_of(entry.high, entry.low)
    black = black_of(entry.high, entry.low)
    mask = entry.boards
    black_fives = fives(black, scratch)
    stones = _count(white | black)
    plies = c.last_ply - stones
    if (
        white & black
        or (white | black) & ~CELLS
        or _count(white) != _count(black)
        or mask <= 0
        or mask > ALL
        or plies < 1
        or plies % 2 == 0
        or mask & (fives(white, scratch) | black_fives)
    ):
        return MALFORMED
    canonical(white, black, mask, image)
    if image[0] != entry.high or image[1] != entry.low or image[2] != mask:
        return MALFORMED
    free = CELLS & ~(white | black)
    if entry.first == entry.last:
        if plies > c.leaf:
            return MALFORMED
        found[1] = mask & ~won(white, black, mask, plies, UNLIMITED, scratch)
        return NO_WIN if found[1] else RIGHT
    covered = 0
    for move in range(entry.first, entry.last):
        stone, after_swap = moves[u64(move)].stone, moves[u64(move)].swapped
        found[1] = move
        if stone < 0 or stone >= 36 or after_swap <= 0 or after_swap > ALL:
            return MALFORMED
        placed = 1 << stone
        if not placed & free:
            return MALFORMED
        covered |= reach(after_swap)
        more = white | placed
        white_fives = fives(more, scratch)
        replies = free & ~placed
        lost = after_swap & black_fives
        if not replies:
            lost |= after_swap & ~white_fives
        if lost:
            found[2] = lost & -lost
            return BAD_MOVE
        # A five for White alone ends the game.
        after_swap &= ~white_fives
        after = reach(after_swap)
        while replies and after_swap:
            reply = replies & -replies
            replies ^= reply
            lost = after & fives(black | reply, scratch)
            asked = after & ~white_fives & ~lost
            if asked:
                canonical(more, black | reply, asked, image)
                missing = image[2] & ~_claimed(entries, c, stones + 2, image, reached)
                soon = min(c.short, plies - 2)
                if missing and soon > 0:
                    left_white = white_of(image[0], image[1])
                    left_black = black_of(image[0], image[1])
                    missing &= ~won(left_white, left_black, missing, soon, UNLIMITED, scratch)
                while missing and asked:
                    board = asked & -asked
                    asked ^= board
                    canonical(more, black | reply, board, image)
                    if image[2] & missing:
                        lost |= board
            if lost:
                lost &= -lost
                before = after_swap & reach(lost)
                found[2] = before & -before
                found[3] = reply
                found[4] = lost
                return NO_ANSWER
    found[1] = mask & ~covered
    return NO_MOVE if found[1] else RIGHT


@njit(int64(int64[::1], _Entries, _Moves, int64[::1], _Check), nogil=True, cache=True)
def check(numbers: Any, entries: Any, moves: Any, reached: Any, c: Any) -> int:
    """Check the entries with these numbers, each by itself, given that all others are right.

    An entry says that White wins each of its boards by the ply `c.last_ply`, when that many stones
    are on the board. It is right if each of them has a move, to one of the arrangements it relies
    on, such that White alone has a five then, or after every reply of Black's White alone has one,
    or the board is in an entry, or the search wins it within `c.short` plies and by `c.last_ply`. A
    leaf, which has no move, is right if the search wins all its boards.

    Returns RIGHT, or what is wrong with the first entry that is not, which is written to
    ``c.found[0]``; then come for
    NO_MOVE, NO_WIN: the mask of its boards without one;
    BAD_MOVE: the move's number, the arrangement after it, as a mask, where it is lost or drawn;
    NO_ANSWER: the move's number, the arrangement after it, the reply's stone, as a bit of the
    entry's supernode, and the arrangement after the reply.

    `reached` takes the boards of each entry that others lead to.
    """
    scratch = np.zeros(SCRATCH, dtype=np.int64)
    for number in numbers:
        c.found[0] = number
        result = _check_entry(number, entries, moves, reached, c, scratch)
        if result != RIGHT:
            return result
    return RIGHT


@njit(int64(int64, int64, int64, int64, int64, _Entries, _Moves), nogil=True, cache=True)
def leading_to(
    start: int, stop: int, key_high: int, key_low: int, board: int, entries: Any, moves: Any
) -> int:
    """The first of the entries ``start:stop`` with a move and a reply that lead to this board.

    Returns the entry's number, -1 if there is none, followed by 24 bits of the entry's boards
    from which they do.
    """
    image = np.empty(3, dtype=np.int64)
    for number in range(start, stop):
        entry = entries[u64(number)]
        white = white_of(entry.high, entry.low)
        black = black_of(entry.high, entry.low)
        for move in range(entry.first, entry.last):
            swapped = moves[u64(move)].swapped
            more = white | 1 << moves[u64(move)].stone
            replies = CELLS & ~(more | black)
            after = reach(swapped)
            while replies:
                reply = replies & -replies
                replies ^= reply
                canonical(more, black | reply, after, image)
                if image[0] == key_high and image[1] == key_low and image[2] & board:
                    before = 0
                    for arrangement in range(24):
                        bit = 1 << arrangement
                        if swapped & bit:
                            canonical(more, black | reply, reach(bit), image)
                            if image[2] & board:
                                before |= reach(bit)
                    if before & entry.boards:
                        return int(number << 24 | before & entry.boards)
    return -1
