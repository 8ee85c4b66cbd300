"""The kernels of the search of Pentago-swap and its relatives: evaluation and alpha-beta.

What these games have in common: a stone on 6×6 cells, then a turn, which is to say one of a few
changes of the four quadrants; five in a row win. They differ in the turns, and in whether a five
made by the stone wins before the turn. `SWAP`, `ROTATION` and `TWIST` are the games.

Boards are packed by quadrant here: bit ``quadrant * 9 + row * 3 + column``, quadrants 0 to 3
being 1 to 4 of the notation, row and column counted from the quadrant's lower left cell. A move
is ``bit * 8 + turn``. `pack_board`, `pack_move` and `unpack_move` translate.

What makes proofs sound:

- Every legal move is searched, but for moves to a position already searched at the same node
  (or to its mirror image) and moves that lose at once where another move does not.
- Whether the side to move wins in one ply, or must end the game, is read off the board
  (`outlook`), so that a search to depth *d* sees all that happens within *d* + 1 plies, unless
  it looks less deep after late moves, `state.reduces`: what it proves is true then, too, but
  there may be a shorter win.
- A table entry holds both boards in full; no collision can go unseen.
- A value that rests on an evaluation is tainted, and the taint goes with it into the table.
  Wins and losses are never tainted: see `search`.
"""

from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

from engine.kernels import Word, entry_kernel, i64, kernel, now
from engine.values import HEURISTIC_MAX, WIN

SIZE = 6
CELLS = 36
# Swaps use 6 of the 8 turns.
TURNS = 8
MOVES = CELLS * TURNS
# The games: two quadrants change places; one makes a quarter turn either way, and a five made by
# the stone wins before that; one makes a quarter turn clockwise or is flipped left to right.
SWAP, ROTATION, TWIST = 0, 1, 2
# As many as the hash tells apart.
MOST_ENTRIES = 1 << 24

INFINITE = WIN + 1
NO_ENDING = INFINITE + 1
NO_MOVE = -1

LOWER, UPPER, EXACT = 1, 2, 3

# Worth of a window of five cells that holds 1, 2, 3 or 4 stones of one colour and none of the
# other, summed over the board as it stands and the boards a turn away. In matches at 20,000
# nodes a move flat weights lost (4, 8, 14, 24: 19 wins to 86); among steep ones differences drown
# in noise.
ONE, TWO, THREE, FOUR = 1, 7, 45, 120
# The right to move. With this, even and odd depths differ by a few points on the average.
TEMPO = 200

# With a clock the kernels look at it after that many nodes, about 50 microseconds.
NODES_BETWEEN_CHECKS = 256
# Moves remembered for a ply because they refuted nodes there: six need 9 % fewer nodes than two.
KILLERS = 6
# Where late moves are reduced: at nodes at least this deep the listed children from these indices
# on are looked at one ply less deep, and two. With 4 and 20 it gains less.
REDUCED_FROM_DEPTH = 3
LATE, VERY_LATE = 1, 4
# Mirror images among the children of a node are worth looking for while there are so few stones.
STONES_WITH_SYMMETRY = 4

_LOWER_LEFT = (18, 21, 0, 3)
CELL_OF_BIT = np.array(
    [_LOWER_LEFT[bit // 9] + bit % 9 // 3 * SIZE + bit % 3 for bit in range(CELLS)]
)
BIT_OF_CELL = np.argsort(CELL_OF_BIT)

# The quadrants that each swap exchanges.
FIRST = np.array([0, 0, 0, 1, 1, 2], dtype=np.uint64)
SECOND = np.array([1, 2, 3, 2, 3, 3], dtype=np.uint64)

NO_SWAPS = 0b11000000
ALL_TURNS = 0b11111111
# In a view, see `outlook`: where the other side's fives begin, a bit, and where the evaluation
# begins.
THEIRS, STONE_WINS, SCORE = 8, 1 << 16, 17

U1, U2, U3, U9 = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(9)
QUADRANT = np.uint64(0o777)
ONES = np.uint64(0x1111111111111111)
SEVENS = np.uint64(0x7777777777777777)
HASH_A = np.uint64(0x9E3779B97F4A7C15)
HASH_B = np.uint64(0xC2B2AE3D27D4EB4F)
HASH_SHIFT = np.uint64(40)
U28, U36 = np.uint64(28), np.uint64(36)
SEEN_SLOTS = 512
SEEN_MASK = np.uint64(SEEN_SLOTS - 1)


def windows() -> list[list[int]]:
    """The 32 windows of five cells in a row, as packed bits."""
    found = []
    for row in range(SIZE):
        for column in range(SIZE):
            for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                if row + 4 * up < SIZE and 0 <= column + 4 * right < SIZE:
                    found.append(
                        [
                            int(BIT_OF_CELL[(row + k * up) * SIZE + column + k * right])
                            for k in range(5)
                        ]
                    )
    return found


def _window_counts() -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Stones that a quadrant's contents put into each window, one hexadecimal digit a window.

    Shape (4 places, 512 contents, 2 words of 16 windows): the words of four quadrants add up to
    the counts of a whole board.
    """
    counts = np.zeros((4, 512, 2), dtype=np.uint64)
    for index, window in enumerate(windows()):
        for bit in window:
            place, inside = divmod(bit, 9)
            contents = np.arange(512)
            holding = contents[contents >> inside & 1 == 1]
            counts[place, holding, index // 16] += np.uint64(1 << index % 16 * 4)
    return counts


def _symmetry_tables() -> tuple[Any, Any]:
    """Where each symmetry moves a quadrant and what it makes of a quadrant's contents.

    Shapes (8, 4) and (8, 512), uint64.
    """
    places = np.zeros((8, 4), dtype=np.uint64)
    contents = np.zeros((8, 512), dtype=np.uint64)
    for symmetry in range(8):
        for bit in range(CELLS):
            row, column = divmod(int(CELL_OF_BIT[bit]), SIZE)
            if symmetry & 4:
                column = SIZE - 1 - column
            for _ in range(symmetry & 3):
                row, column = column, SIZE - 1 - row
            place, inside = divmod(int(BIT_OF_CELL[row * SIZE + column]), 9)
            places[symmetry, bit // 9] = place
            if bit < 9:
                holding = np.arange(512)
                holding = holding[holding >> bit & 1 == 1]
                contents[symmetry, holding] |= np.uint64(1 << inside)
    return places, contents


def _quiet_order() -> np.ndarray[Any, np.dtype[np.int64]]:
    """Moves by how many windows their cell lies in: middles of quadrants first."""
    weight = [0] * CELLS
    for window in windows():
        for bit in window:
            weight[bit] += 1
    bits = sorted(range(CELLS), key=lambda bit: -weight[bit])
    return np.array([bit * TURNS + turn for bit in bits for turn in range(TURNS)], dtype=np.int64)


def _turned_contents() -> np.ndarray[Any, np.dtype[np.uint64]]:
    """What the turns of a game make of a quadrant's contents.

    Shape (3 games, 2 turns of each quadrant, 512 contents); nothing for `SWAP`.
    """

    def clockwise(row: int, column: int) -> tuple[int, int]:
        return 2 - column, row

    def anticlockwise(row: int, column: int) -> tuple[int, int]:
        return column, 2 - row

    def flipped(row: int, column: int) -> tuple[int, int]:
        return row, 2 - column

    turned = np.zeros((3, 2, 512), dtype=np.uint64)
    contents = np.arange(512)
    for game, turns in ((ROTATION, (clockwise, anticlockwise)), (TWIST, (clockwise, flipped))):
        for number, turn in enumerate(turns):
            for bit in range(9):
                row, column = turn(*divmod(bit, 3))
                turned[game, number, contents >> bit & 1 == 1] |= np.uint64(1 << row * 3 + column)
    return turned


COUNTS = _window_counts()
PLACES, CONTENTS = _symmetry_tables()
QUIET_ORDER = _quiet_order()
TURNED = _turned_contents()

STATE_DTYPE = np.dtype(
    [
        ("nodes", np.int64),
        ("node_limit", np.int64),
        ("next_check", np.int64),
        ("deadline", np.int64),
        ("generation", np.int64),
        ("game", np.int64),
        ("reduces", np.int64),
        ("stopped", np.int64),
        ("taint", np.int64),
        ("root_me", np.uint64),
        ("root_opponent", np.uint64),
        ("best_move", np.int64),
        ("best_value", np.int64),
        ("best_taint", np.int64),
        ("ending_move", np.int64),
        ("ending_value", np.int64),
        ("stamp", np.int64),
        ("root_ending_move", np.int64),
        ("root_ending_value", np.int64),
        ("excluded", np.int64, MOVES),
        ("killers", np.int64, (CELLS + 2, KILLERS)),
        ("line_length", np.int64, CELLS + 2),
        ("line", np.int64, (CELLS + 2, CELLS + 2)),
        ("count", np.int64, CELLS + 2),
        ("child_me", np.uint64, (CELLS + 1, MOVES)),
        ("child_opponent", np.uint64, (CELLS + 1, MOVES)),
        ("child_move", np.int64, (CELLS + 1, MOVES)),
        ("child_view", np.int64, (CELLS + 1, MOVES)),
        ("child_score", np.int64, (CELLS + 1, MOVES)),
        ("seen_me", np.uint64, SEEN_SLOTS),
        ("seen_opponent", np.uint64, SEEN_SLOTS),
        ("seen_stamp", np.int64, SEEN_SLOTS),
    ],
    align=True,
)
# `boards` is the board of the side to move and the lower 28 bits of the other, `rest` the other 8.
# An entry is there only for the search with its generation. `move` is the lower 8 bits of the
# move, the ninth is with the bound.
ENTRY_DTYPE = np.dtype(
    [
        ("boards", np.uint64),
        ("value", np.int16),
        ("generation", np.uint16),
        ("rest", np.uint8),
        ("move", np.uint8),
        ("depth", np.int8),
        ("bound", np.int8),
    ],
    align=True,
)
_NO_MOVE_KEPT = 511
_BOUND, _TAINTED, _HIGH_MOVE = 3, 4, 8

State = numba.from_dtype(STATE_DTYPE)
Table = types.Array(numba.from_dtype(ENTRY_DTYPE), 1, "C")
i8, u8 = types.int64, types.uint64


def pack_board(board: int) -> int:
    """A board of the rules, bit ``row * 6 + column``, packed by quadrant."""
    return sum(1 << int(BIT_OF_CELL[cell]) for cell in range(CELLS) if board >> cell & 1)


def pack_move(move: int, turns: int) -> int:
    """A move of the rules, ``cell * turns + turn``, as the kernels write it."""
    cell, turn = divmod(move, turns)
    return int(BIT_OF_CELL[cell]) * TURNS + turn


def unpack_move(move: int, turns: int) -> int:
    """A move of the kernels as the rules write it."""
    bit, turn = divmod(move, TURNS)
    return int(CELL_OF_BIT[bit]) * turns + turn


def _popcount(_typing: Any, _word: Any) -> Any:
    """The number of set bits of a uint64."""

    def instruction(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), instruction


popcount: Any = intrinsic(_popcount)


@kernel(u8(u8, i8))
def swapped(board: Word, swap: int) -> Word:
    """`board` after a swap."""
    first, second = FIRST[swap] * U9, SECOND[swap] * U9
    different = ((board >> first) ^ (board >> second)) & QUADRANT
    return board ^ (different << first) ^ (different << second)


@kernel(u8(i8, u8, i8))
def turned(game: int, board: Word, turn: int) -> Word:
    """`board` after a turn of this game."""
    if game == SWAP:
        return swapped(board, turn)
    shift = np.uint64(turn >> 1) * U9
    inside = (board >> shift) & QUADRANT
    return board ^ ((inside ^ TURNED[game, turn & 1, inside]) << shift)


@kernel(i8(u8))
def has_five(board: Word) -> int:
    """1 if a window is full."""
    a = b = np.uint64(0)
    for place in range(4):
        contents = (board >> (np.uint64(place) * U9)) & QUADRANT
        a += COUNTS[place, contents, 0]
        b += COUNTS[place, contents, 1]
    return i64((a & (a >> U2) & ONES) | (b & (b >> U2) & ONES) != np.uint64(0))


@kernel("UniTuple(int64, 2)(uint64, uint64, uint64, uint64)")
def weighed(a: Word, b: Word, c: Word, d: Word) -> tuple[int, int]:
    """What a board is worth to the side with window counts `a` and `b` against `c` and `d`.

    Second, bit 0: that side has, or makes with one more stone, a five; this is asked of windows
    with four stones and no stone of the other. Bit 1: the other side has a five.
    """
    # One bit a window: the second word's windows go beside the first's.
    for_me_a = ~((c + SEVENS) >> U3) & ONES
    for_me_b = ~((d + SEVENS) >> U3) & ONES
    bit0 = (a & for_me_a) | ((b & for_me_b) << U1)
    bit1 = ((a >> U1) & for_me_a) | (((b >> U1) & for_me_b) << U1)
    bit2 = ((a >> U2) & for_me_a) | (((b >> U2) & for_me_b) << U1)
    fives = i64(bit2 != np.uint64(0))
    ones = i64(popcount(bit0))
    twos = i64(popcount(bit1))
    threes = i64(popcount(bit0 & bit1))
    fours = i64(popcount(bit2))

    for_them_a = ~((a + SEVENS) >> U3) & ONES
    for_them_b = ~((b + SEVENS) >> U3) & ONES
    bit0 = (c & for_them_a) | ((d & for_them_b) << U1)
    bit1 = ((c >> U1) & for_them_a) | (((d >> U1) & for_them_b) << U1)
    bit2 = ((c >> U2) & for_them_a) | (((d >> U2) & for_them_b) << U1)
    if bit0 & bit2 != np.uint64(0):
        fives |= 2
    ones -= i64(popcount(bit0))
    twos -= i64(popcount(bit1))
    threes -= i64(popcount(bit0 & bit1))
    fours -= i64(popcount(bit2))
    return ONE * ones + TWO * twos + (THREE - TWO - ONE) * threes + FOUR * fours, fives


@kernel(i8(i8, u8, u8))
def outlook(game: int, me: Word, opponent: Word) -> int:
    """What the side to move sees on the boards a turn away.

    Bits 0 to 7: `me` has, or makes with one more stone, a five after that turn. Bits 8 to 15:
    `opponent` has a five after it, or the game has no such turn. `STONE_WINS`: a stone wins
    before the turn. From bit `SCORE` on, signed: the evaluation, within ±HEURISTIC_MAX.
    """
    a = b = c = d = np.uint64(0)
    for place in range(4):
        shift = np.uint64(place) * U9
        mine = (me >> shift) & QUADRANT
        theirs = (opponent >> shift) & QUADRANT
        a += COUNTS[place, mine, 0]
        b += COUNTS[place, mine, 1]
        c += COUNTS[place, theirs, 0]
        d += COUNTS[place, theirs, 1]

    score, now_fives = weighed(a, b, c, d)
    seen = i64(0)
    if game == SWAP:
        seen = i64(NO_SWAPS) << THEIRS
        for swap in range(6):
            i, j = FIRST[swap], SECOND[swap]
            x, y = (me >> (i * U9)) & QUADRANT, (me >> (j * U9)) & QUADRANT
            a_ = a - COUNTS[i, x, 0] - COUNTS[j, y, 0] + COUNTS[i, y, 0] + COUNTS[j, x, 0]
            b_ = b - COUNTS[i, x, 1] - COUNTS[j, y, 1] + COUNTS[i, y, 1] + COUNTS[j, x, 1]
            x, y = (opponent >> (i * U9)) & QUADRANT, (opponent >> (j * U9)) & QUADRANT
            c_ = c - COUNTS[i, x, 0] - COUNTS[j, y, 0] + COUNTS[i, y, 0] + COUNTS[j, x, 0]
            d_ = d - COUNTS[i, x, 1] - COUNTS[j, y, 1] + COUNTS[i, y, 1] + COUNTS[j, x, 1]
            worth, fives = weighed(a_, b_, c_, d_)
            score += worth
            seen |= ((fives & 1) << swap) | ((fives >> 1) << (THEIRS + swap))
    else:
        for turn in range(TURNS):
            i = np.uint64(turn >> 1)
            x = (me >> (i * U9)) & QUADRANT
            y = TURNED[game, turn & 1, x]
            a_ = a - COUNTS[i, x, 0] + COUNTS[i, y, 0]
            b_ = b - COUNTS[i, x, 1] + COUNTS[i, y, 1]
            x = (opponent >> (i * U9)) & QUADRANT
            y = TURNED[game, turn & 1, x]
            c_ = c - COUNTS[i, x, 0] + COUNTS[i, y, 0]
            d_ = d - COUNTS[i, x, 1] + COUNTS[i, y, 1]
            worth, fives = weighed(a_, b_, c_, d_)
            score += worth
            seen |= ((fives & 1) << turn) | ((fives >> 1) << (THEIRS + turn))
        if game == ROTATION and now_fives & 1:
            seen |= STONE_WINS

    score = max(-HEURISTIC_MAX + 1, min(HEURISTIC_MAX - 1, score + TEMPO))
    return (score << SCORE) | seen


@kernel(i8(i8, i8, i8))
def ending(view: int, empty: int, ply: int) -> int:
    """The true value of a position that ends with the next move, or NO_ENDING.

    That is, the side to move wins at once, or has no move after which the game goes on. Once
    this is NO_ENDING, a turn that gives the opponent a five ends the game without a win, and any
    other leaves no five.
    """
    fives = view & ALL_TURNS
    theirs = (view >> THEIRS) & ALL_TURNS
    if fives & ~theirs or view & STONE_WINS:
        return WIN - (ply + 1)
    if theirs == ALL_TURNS or empty == 1:
        return 0 if theirs != ALL_TURNS or fives else -(WIN - (ply + 1))
    return NO_ENDING


@kernel(i8(i8, u8, u8, i8, i8))
def five_move(game: int, me: Word, opponent: Word, view: int, wins: int) -> int:
    """A move that makes a five of `me`: alone if `wins`, with one of the opponent if not."""
    if view & STONE_WINS:
        for bit in range(CELLS):
            stone = U1 << np.uint64(bit)
            if not ((me | opponent) & stone) and has_five(me | stone):
                return bit * TURNS
    for turn in range(TURNS):
        theirs = (view >> (THEIRS + turn)) & 1
        if (view >> turn) & 1 and theirs != wins:
            for bit in range(CELLS):
                stone = U1 << np.uint64(bit)
                if not ((me | opponent) & stone) and has_five(turned(game, me | stone, turn)):
                    return bit * TURNS + turn
    return NO_MOVE


@kernel(i8(State))
def out_of_limits(state: Any) -> int:
    """Whether the search has to stop; asked before every node."""
    if state.nodes >= state.next_check:
        if state.nodes >= state.node_limit or (state.deadline and now() >= state.deadline):
            state.stopped = 1
        state.next_check = min(state.nodes + NODES_BETWEEN_CHECKS, state.node_limit)
    return int(state.stopped)


@kernel(u8(u8, u8))
def slot(me: Word, opponent: Word) -> Word:
    """A hash of a position."""
    mixed = me * HASH_A ^ opponent * HASH_B
    return (mixed ^ (mixed >> U9 * U3)) * HASH_A >> HASH_SHIFT


@kernel(i8(State, Table, u8, u8))
def find(state: Any, table: Any, me: Word, opponent: Word) -> int:
    """Index of the entry of a position, -1 if it has none."""
    index = i64(slot(me, opponent) & np.uint64(len(table) - 1))
    for at in (index, index ^ 1):
        entry = table[at]
        if (
            entry.boards == me | opponent << U36
            and entry.rest == opponent >> U28
            and entry.generation == state.generation
        ):
            return at
    return -1


@kernel(i8(Table, i8))
def kept_move(table: Any, at: int) -> int:
    """The move of an entry, or NO_MOVE."""
    move = i64(table[at].move)
    if table[at].bound & _HIGH_MOVE:
        move += 256
    return i64(NO_MOVE) if move == _NO_MOVE_KEPT else move


@kernel(types.void(State, Table, u8, u8, i8, i8, i8, i8, i8, i8))
def keep(
    state: Any,
    table: Any,
    me: Word,
    opponent: Word,
    move: int,
    value: int,
    ply: int,
    depth: int,
    bound: int,
    taint: int,
) -> None:
    """Write an entry: over its own position, else over a shallower one, else beside it."""
    at = find(state, table, me, opponent)
    if at < 0:
        at = i64(slot(me, opponent) & np.uint64(len(table) - 1))
        if table[at].generation == state.generation and table[at].depth > depth:
            at ^= 1
    # Wins and losses are kept as seen from the position itself.
    if value > HEURISTIC_MAX:
        value += ply
    elif value < -HEURISTIC_MAX:
        value -= ply
    entry = table[at]
    entry.boards = me | opponent << U36
    entry.rest = opponent >> U28
    entry.generation = state.generation
    entry.value = value
    kept = i64(_NO_MOVE_KEPT) if move == NO_MOVE else move
    entry.move = kept & 255
    entry.depth = depth
    entry.bound = bound | (_TAINTED if taint else 0) | (_HIGH_MOVE if kept > 255 else 0)


@kernel(i8(i8, u8, u8))
def may_coincide(game: int, me: Word, opponent: Word) -> int:
    """Whether different moves may reach one position.

    By swaps they do only if two quadrants are alike. By turns they do wherever a quadrant looks
    the same after a turn, which is nearly always.
    """
    if game != SWAP:
        return 1
    for i in range(3):
        for j in range(i + 1, 4):
            x, y = np.uint64(i) * U9, np.uint64(j) * U9
            if not (((me >> x) ^ (me >> y)) | ((opponent >> x) ^ (opponent >> y))) & QUADRANT:
                return 1
    return 0


@kernel("UniTuple(uint64, 2)(int64, uint64, uint64)")
def smallest_image(game: int, me: Word, opponent: Word) -> tuple[Word, Word]:
    """The smallest of a position's images: eight, or in `TWIST` it and its half turn."""
    best_me, best_opponent = me, opponent
    for symmetry in range(1, 8):
        if game == TWIST and symmetry != 2:
            continue
        a = b = np.uint64(0)
        for place in range(4):
            shift = np.uint64(place) * U9
            to = PLACES[symmetry, place] * U9
            a |= CONTENTS[symmetry, (me >> shift) & QUADRANT] << to
            b |= CONTENTS[symmetry, (opponent >> shift) & QUADRANT] << to
        if a < best_me or (a == best_me and b < best_opponent):
            best_me, best_opponent = a, b
    return best_me, best_opponent


@kernel(i8(State, u8, u8))
def seen_before(state: Any, me: Word, opponent: Word) -> int:
    """Whether the position was asked about since `state.stamp` last changed."""
    at = slot(me, opponent) & SEEN_MASK
    while state.seen_stamp[at] == state.stamp:
        if state.seen_me[at] == me and state.seen_opponent[at] == opponent:
            return 1
        at = (at + U1) & SEEN_MASK
    state.seen_stamp[at] = state.stamp
    state.seen_me[at] = me
    state.seen_opponent[at] = opponent
    return 0


@kernel(types.void(State, i8, i8))
def extend_line(state: Any, ply: int, move: int) -> None:
    """The best line from `ply` is `move` and then the best line from the next ply."""
    state.line[ply, 0] = move
    length = state.line_length[ply + 1]
    for k in range(length):
        state.line[ply, k + 1] = state.line[ply + 1, k]
    state.line_length[ply] = length + 1


@kernel(types.void(State, u8, u8, i8, i8, i8))
def generate(state: Any, me: Word, opponent: Word, view: int, ply: int, left_out: int) -> None:
    """List the children of a node after which the game may go on, and look at each.

    Children that end with their next move are not listed; the best of them is `state.ending_move`
    with `state.ending_value` (NO_MOVE if there is none). At ply 0 the excluded moves are left out.
    """
    taken = me | opponent
    empty = CELLS - i64(popcount(taken))
    mirrored = empty >= CELLS - STONES_WITH_SYMMETRY
    game = state.game
    check = mirrored or may_coincide(game, me, opponent)
    state.stamp += 1
    state.ending_move = NO_MOVE
    state.ending_value = -INFINITE
    count = 0
    for bit in range(CELLS):
        stone = U1 << np.uint64(bit)
        if taken & stone:
            continue
        for turn in range(TURNS):
            move = bit * TURNS + turn
            fails = (view >> (THEIRS + turn)) & 1
            if fails or move == left_out or (ply == 0 and state.excluded[move]):
                continue
            mine, theirs = turned(game, me | stone, turn), turned(game, opponent, turn)
            if check:
                image = smallest_image(game, mine, theirs) if mirrored else (mine, theirs)
                if seen_before(state, image[0], image[1]):
                    continue
            if out_of_limits(state):
                state.count[ply] = count
                return
            state.nodes += 1
            child_view = outlook(game, theirs, mine)
            value = ending(child_view, empty - 1, ply + 1)
            if value != NO_ENDING:
                if -value > state.ending_value:
                    state.ending_value = -value
                    state.ending_move = move
                continue
            state.child_me[ply, count] = theirs
            state.child_opponent[ply, count] = mine
            state.child_move[ply, count] = move
            state.child_view[ply, count] = child_view
            state.child_score[ply, count] = -(child_view >> SCORE)
            count += 1
    state.count[ply] = count


@kernel(types.void(State, i8, i8, i8))
def exchange(state: Any, ply: int, i: int, j: int) -> None:
    """Let two listed children change places."""
    words = state.child_me[ply, i], state.child_opponent[ply, i]
    state.child_me[ply, i] = state.child_me[ply, j]
    state.child_opponent[ply, i] = state.child_opponent[ply, j]
    state.child_me[ply, j], state.child_opponent[ply, j] = words
    numbers = state.child_move[ply, i], state.child_view[ply, i], state.child_score[ply, i]
    state.child_move[ply, i] = state.child_move[ply, j]
    state.child_view[ply, i] = state.child_view[ply, j]
    state.child_score[ply, i] = state.child_score[ply, j]
    state.child_move[ply, j], state.child_view[ply, j], state.child_score[ply, j] = numbers


@kernel(i8(State, i8, i8))
def pick(state: Any, ply: int, k: int) -> int:
    """Bring the best-scored of the children from index `k` on to index `k`; returns its move."""
    best = k
    for other in range(k + 1, state.count[ply]):
        if state.child_score[ply, other] > state.child_score[ply, best]:
            best = other
    if best != k:
        exchange(state, ply, k, best)
    return int(state.child_move[ply, k])


@kernel(types.void(State, i8, i8))
def remember_killer(state: Any, ply: int, move: int) -> None:
    """`move` refuted a node at `ply`: try it first at its siblings."""
    last = 0
    while last < KILLERS - 1 and state.killers[ply, last] != move:
        last += 1
    for k in range(last, 0, -1):
        state.killers[ply, k] = state.killers[ply, k - 1]
    state.killers[ply, 0] = move


@kernel(i8(State, i8, i8))
def is_killer(state: Any, ply: int, move: int) -> int:
    """Whether `move` is remembered for `ply`."""
    for k in range(KILLERS):
        if state.killers[ply, k] == move:
            return 1
    return 0


@kernel(i8(State, i8, i8, i8))
def first_look(state: Any, depth: int, index: int, alpha: int) -> int:
    """How deep the listed child at `index` is searched at first at a node of `depth`.

    Only what seems better than `alpha` then is searched one ply less deep than the node.
    """
    is_late = state.reduces and depth >= REDUCED_FROM_DEPTH and index >= LATE
    if not is_late or abs(alpha) > HEURISTIC_MAX:
        return depth - 1
    return max(depth - 2 if index < VERY_LATE else depth - 3, 1)


@kernel(i8(State, Table, u8, u8, i8, i8, i8, i8, i8))
def search(
    state: Any,
    table: Any,
    me: Word,
    opponent: Word,
    view: int,
    depth: int,
    ply: int,
    alpha: int,
    beta: int,
) -> int:
    """Fail-soft alpha-beta of a node that does not end with its next move, `depth` at least 1.

    Returns a value from the side to move, in plies from the root. Above `alpha` and below `beta`
    it is exact for this depth, at most `alpha` an upper bound, at least `beta` a lower bound. A
    win is true as an exact value or lower bound, a loss as an exact value or upper bound,
    whatever the depth; and a value that denies a win or loss within `depth` + 1 plies is right,
    unless late moves are reduced. `state.taint` tells whether anything else about the value rests
    on an evaluation. The value is void once `state.stopped`.

    It is one long piece on purpose. What it does at the last ply and above it are two loops over
    the same ten numbers: the window, the best move with its value and its taint. A kernel of its
    own for each would have to hand all of them in and back at every node, through `state`, which
    the compiler then could not keep in registers.
    """
    state.line_length[ply] = 0
    state.taint = 0
    game = state.game
    # No such end: a win takes two plies or more (two, if all replies give us a five).
    beta = min(beta, WIN - (ply + 2))
    if alpha >= beta:
        return beta

    first = i64(NO_MOVE)
    at = find(state, table, me, opponent)
    if at >= 0:
        entry = table[at]
        first = kept_move(table, at)
        bound = i64(entry.bound) & _BOUND
        tainted = i64(entry.bound & _TAINTED != 0)
        value = i64(entry.value)
        decisive = abs(value) > HEURISTIC_MAX
        if value > HEURISTIC_MAX:
            value -= ply
        elif value < -HEURISTIC_MAX:
            value += ply
        # A draw without taint is the game's truth, at any depth; so is the better half of a
        # win's bounds, and the worse half of a loss's.
        solid = entry.depth >= depth or (not tainted and not decisive)
        is_lower = bound != UPPER and (solid or value > HEURISTIC_MAX)
        is_upper = bound != LOWER and (solid or value < -HEURISTIC_MAX)
        if (is_lower and (is_upper or value >= beta)) or (is_upper and value <= alpha):
            state.taint = tainted
            if first != NO_MOVE and bound == EXACT:
                state.line[ply, 0] = first
                state.line_length[ply] = 1
            return value

    empty = CELLS - i64(popcount(me | opponent))
    fives, theirs_five = view & ALL_TURNS, (view >> THEIRS) & ALL_TURNS
    floor = alpha
    best = i64(-INFINITE)
    best_move = i64(NO_MOVE)
    taint = i64(0)
    best_taint = i64(0)

    if fives & theirs_five:
        best = 0
        best_move = five_move(game, me, opponent, view, 0)
        if best > alpha:
            alpha = best
            state.line[ply, 0] = best_move
            state.line_length[ply] = 1
    if first != NO_MOVE and (theirs_five >> (first & 7)) & 1:
        first = i64(NO_MOVE)

    if depth == 1:
        check = may_coincide(game, me, opponent)
        state.stamp += 1
        k = -KILLERS - 1
        while best < beta and k < MOVES:
            if k < -KILLERS:
                move = first
            elif k < 0:
                move = state.killers[ply, k + KILLERS]
            else:
                move = QUIET_ORDER[k]
                if move == first or is_killer(state, ply, move):
                    move = i64(NO_MOVE)
            k += 1
            if move == NO_MOVE or (theirs_five >> (move & 7)) & 1:
                continue
            stone = U1 << np.uint64(move >> 3)
            if (me | opponent) & stone:
                continue
            mine = turned(game, me | stone, move & 7)
            theirs = turned(game, opponent, move & 7)
            if check and seen_before(state, mine, theirs):
                continue
            if out_of_limits(state):
                return 0
            state.nodes += 1
            child_view = outlook(game, theirs, mine)
            value = ending(child_view, empty - 1, ply + 1)
            child_taint = 0
            if value == NO_ENDING:
                value = child_view >> SCORE
                child_taint = 1
            value = -value
            taint |= child_taint
            if value > best:
                best = value
                best_move = move
                best_taint = child_taint
                if value > alpha:
                    alpha = value
                    state.line[ply, 0] = move
                    state.line_length[ply] = 1
    else:
        k = 0 if first == NO_MOVE else -1
        listed = 0
        while best < beta:
            if k < 0:
                stone = U1 << np.uint64(first >> 3)
                mine = turned(game, me | stone, first & 7)
                theirs = turned(game, opponent, first & 7)
                if out_of_limits(state):
                    return 0
                state.nodes += 1
                move = first
                child_view = outlook(game, theirs, mine)
                value = ending(child_view, empty - 1, ply + 1)
            else:
                if not listed:
                    listed = 1
                    generate(state, me, opponent, view, ply, first)
                    if state.stopped:
                        return 0
                    if state.ending_value > best:
                        best = state.ending_value
                        best_move = state.ending_move
                        best_taint = 0
                        if best > alpha:
                            alpha = best
                            state.line[ply, 0] = best_move
                            state.line_length[ply] = 1
                            if best >= beta:
                                break
                if k >= state.count[ply]:
                    break
                move = pick(state, ply, k)
                theirs, mine = state.child_me[ply, k], state.child_opponent[ply, k]
                child_view = state.child_view[ply, k]
                value = i64(NO_ENDING)
            k += 1
            if value != NO_ENDING:
                value = -value
                state.taint = 0
                state.line_length[ply + 1] = 0
            elif best == -INFINITE:
                value = -search(
                    state, table, theirs, mine, child_view, depth - 1, ply + 1, -beta, -alpha
                )
            else:
                look = first_look(state, depth, k - 1, alpha)
                value = -search(
                    state, table, theirs, mine, child_view, look, ply + 1, -alpha - 1, -alpha
                )
                if value > alpha and look < depth - 1 and not state.stopped:
                    look = depth - 1
                    value = -search(
                        state, table, theirs, mine, child_view, look, ply + 1, -alpha - 1, -alpha
                    )
                if alpha < value < beta and not state.stopped:
                    value = -search(
                        state, table, theirs, mine, child_view, depth - 1, ply + 1, -beta, -alpha
                    )
            if state.stopped:
                return 0
            child_taint = state.taint
            taint |= child_taint
            if value > best:
                best = value
                best_move = move
                best_taint = child_taint
                if value > alpha:
                    alpha = value
                    extend_line(state, ply, move)

    if best >= beta:
        bound = LOWER
        taint = best_taint
        remember_killer(state, ply, best_move)
    elif best > floor:
        bound = EXACT
    else:
        bound = UPPER
    if (best > HEURISTIC_MAX and bound != UPPER) or (best < -HEURISTIC_MAX and bound != LOWER):
        taint = 0
    state.taint = taint
    keep(state, table, me, opponent, best_move, best, ply, depth, bound, taint)
    return best


@entry_kernel(types.void(State))
def list_root(state: Any) -> None:
    """List the root's children that the search has to look into, best-looking first.

    `root_ending_move` and `root_ending_value` are of the best move that needs no search.
    Stops early only if that is a win at once, or at a limit.
    """
    me, opponent, game = state.root_me, state.root_opponent, state.game
    view = outlook(game, me, opponent)
    empty = CELLS - i64(popcount(me | opponent))
    best_move, best = i64(NO_MOVE), i64(-INFINITE)
    state.count[0] = 0
    for move in range(MOVES):
        stone = U1 << np.uint64(move >> 3)
        if state.excluded[move] or (me | opponent) & stone:
            continue
        mine = has_five(turned(game, me | stone, move & 7))
        theirs = has_five(turned(game, opponent, move & 7))
        if game == ROTATION and has_five(me | stone):
            mine, theirs = i64(1), i64(0)
        if mine or theirs or empty == 1:
            value = (mine - theirs) * (WIN - 1)
            if value > best:
                best_move, best = move, value
    if best < WIN - 1 and empty > 1:
        generate(state, me, opponent, view, 0, NO_MOVE)
        if state.ending_value > best:
            best_move, best = state.ending_move, state.ending_value
        for k in range(state.count[0]):
            pick(state, 0, k)
    state.root_ending_move = best_move
    state.root_ending_value = best


@entry_kernel(i8(State, Table, i8))
def search_root(state: Any, table: Any, depth: int) -> int:
    """One iteration over the listed children; returns how many were searched before a stop.

    `state.best_move`, `best_value` and line 0 are of the best of these and of the ending
    children; `best_taint` tells whether the value rests on an evaluation. `child_score` of ply 0
    has the newest value, at least an upper bound, of every listed child. After a whole iteration
    the best child stands first.
    """
    best = state.root_ending_value
    state.best_move = state.root_ending_move
    taint = 0
    state.line[0, 0] = state.root_ending_move
    state.line_length[0] = 1
    best_index = -1
    searched = 0
    for k in range(state.count[0]):
        # No win can be shorter: the last iteration would have found it, as far as it looked.
        if best >= WIN - (depth + 1):
            break
        me, opponent = state.child_me[0, k], state.child_opponent[0, k]
        view = state.child_view[0, k]
        if depth == 1:
            value = -(view >> SCORE)
            state.taint = 1
            state.line_length[1] = 0
        elif best == -INFINITE:
            value = -search(state, table, me, opponent, view, depth - 1, 1, -INFINITE, INFINITE)
        else:
            look = first_look(state, depth, k, best)
            value = -search(state, table, me, opponent, view, look, 1, -best - 1, -best)
            if value > best and look < depth - 1 and not state.stopped:
                value = -search(state, table, me, opponent, view, depth - 1, 1, -best - 1, -best)
            if value > best and not state.stopped:
                value = -search(state, table, me, opponent, view, depth - 1, 1, -INFINITE, -best)
        if state.stopped:
            break
        searched += 1
        taint |= state.taint
        state.child_score[0, k] = value
        if value > best:
            best = value
            best_index = k
            state.best_move = state.child_move[0, k]
            extend_line(state, 0, state.best_move)
    state.best_value = best
    state.best_taint = taint
    if best_index > 0 and not state.stopped:
        # The rest keeps its order.
        for k in range(best_index, 0, -1):
            exchange(state, 0, k, k - 1)
    return searched


@entry_kernel(i8(State, Table, u8, u8, i8, i8))
def next_of_line(state: Any, table: Any, me: Word, opponent: Word, value: int, look_up: int) -> int:
    """A move to continue a line into a position of this value, NO_MOVE if none is known.

    A win at once is always found. Otherwise, if `look_up`, the table has to know the position:
    exactly, and with this very value if that is a win or loss.
    """
    game = state.game
    view = outlook(game, me, opponent)
    if view & ALL_TURNS & ~(view >> THEIRS) or view & STONE_WINS:
        return five_move(game, me, opponent, view, 1)
    at = find(state, table, me, opponent) if look_up else -1
    if at < 0:
        return NO_MOVE
    entry = table[at]
    if abs(value) > HEURISTIC_MAX and entry.value != value:
        return NO_MOVE
    return kept_move(table, at) if entry.bound & _BOUND == EXACT else i64(NO_MOVE)
