"""Wins in the Pentago games within a few plies: every move and every reply is tried.

For Pentago-swap the search of `book.certificate.kernels` serves, which handles all arrangements
of the quadrants at once; for the other two the one here. Both have a quadrant's nine cells as nine
bits, in the same order.
"""

# The signatures given to numba are the types.
# mypy: allow-untyped-defs, no-check-untyped-defs

from typing import Any

import numpy as np
from numba import boolean, int64, njit

from book.certificate import kernels
from book.checking.quadrants import LETTERS, QUADRANT, Quadrants, changed, lines
from book.checking.rules import Board
from book.checking.search import Search

u64 = np.uint64

_FULL_BOARD = (1 << 36) - 1
_MOST_PLIES = 40


def _line_tables() -> tuple[Any, Any, Any]:
    """For each quadrant and content, as bits, the lines whose cells in it are all there, that
    lack one of them, and that have none."""
    full, lacking, clear = (np.zeros((4, QUADRANT + 1), dtype=np.int64) for _ in range(3))
    for number, line in enumerate(lines()):
        for quadrant in range(4):
            part = line >> 9 * quadrant & QUADRANT
            for content in range(QUADRANT + 1):
                missing = (part & ~content).bit_count()
                full[quadrant, content] |= (missing == 0) << number
                lacking[quadrant, content] |= (missing == 1) << number
                clear[quadrant, content] |= (part & content == 0) << number
    return full, lacking, clear


_FULL, _LACKING, _CLEAR = _line_tables()
# A quadrant's content after each change, by the letter.
_LETTERS = "RLF"
_AFTER = np.array(
    [[changed(content, letter) for content in range(QUADRANT + 1)] for letter in _LETTERS],
    dtype=np.int64,
)
# What the search counts, its limit, whether a stone may win, how many changes follow a stone, and
# the second letter; then by plies the reply that last refuted, and the move that last won.
_NODES, _LIMIT, _STONE_WINS, _CHANGES, _SECOND, _REPLIES = range(6)
_MOVES = _REPLIES + _MOST_PLIES
_SCRATCH = _MOVES + _MOST_PLIES
_SWAPS, _TURNS = 6, 8
_FIRST_SWAPPED = np.array([first for first, _ in kernels.SWAPS], dtype=np.int64)
_OTHER_SWAPPED = np.array([other for _, other in kernels.SWAPS], dtype=np.int64)


@njit(int64(int64, int64, int64[::1]), nogil=True, cache=True)
def _changed(stones, change, scratch):
    """`stones` after a change of quadrants, by its number among those that follow a stone."""
    if scratch[_CHANGES] == _SWAPS:
        first, other = 9 * _FIRST_SWAPPED[u64(change)], 9 * _OTHER_SWAPPED[u64(change)]
        different = (stones >> first ^ stones >> other) & QUADRANT
        return stones ^ different << first ^ different << other
    shift = 9 * (change >> 1)
    letter = scratch[_SECOND] if change & 1 else 0
    content = stones >> shift & QUADRANT
    return stones ^ (content ^ _AFTER[u64(letter), u64(content)]) << shift


@njit(boolean(int64), nogil=True, cache=True)
def _has_five(stones):
    found = -1
    for quadrant in range(4):
        found &= _FULL[u64(quadrant), u64(stones >> (9 * quadrant) & QUADRANT)]
    return found != 0


@njit(boolean(int64, int64), nogil=True, cache=True)
def _lacks_one(own, other):
    """Whether one more stone on a free cell makes a five."""
    full, one = -1, 0
    for quadrant in range(4):
        content = u64(own >> (9 * quadrant) & QUADRANT)
        taken = u64(other >> (9 * quadrant) & QUADRANT)
        lacking = _LACKING[u64(quadrant), content] & _CLEAR[u64(quadrant), taken]
        one = one & _FULL[u64(quadrant), content] | full & lacking
        full &= _FULL[u64(quadrant), content]
    return one != 0


@njit(boolean(int64, int64, int64[::1]), nogil=True, cache=True)
def _wins_now(own, other, scratch):
    """Whether the side `own`, to move, wins with this move.

    The stone may as well be put after the change, which takes free cells to free cells.
    """
    if scratch[_STONE_WINS] and _lacks_one(own, other):
        return True
    for change in range(scratch[_CHANGES]):
        after, other_after = _changed(own, change, scratch), _changed(other, change, scratch)
        if not _has_five(other_after) and (_has_five(after) or _lacks_one(after, other_after)):
            return True
    return False


@njit(boolean(int64, int64, int64, boolean, int64[::1]), nogil=True, cache=True)
def _forced(attacker, defender, plies, attacking, scratch):
    """Whether the attacker wins within `plies`; it is to move, or with not `attacking` the other.

    The game goes on. Not to be believed when it says no after more nodes than the limit.
    """
    if plies < 1:
        return False
    mover, waiting = (attacker, defender) if attacking else (defender, attacker)
    if _wins_now(mover, waiting, scratch):
        return attacking
    if attacking and plies < 2:
        return False
    scratch[_NODES] += 1
    free = _FULL_BOARD & ~(attacker | defender)
    row = (_MOVES if attacking else _REPLIES) + plies
    changes = scratch[_CHANGES]
    first = scratch[row]
    for number in range(-1, 36 * changes):
        move = first if number < 0 else number
        stone = int64(1) << (move // changes)
        if not free & stone or number == first:
            continue
        if scratch[_NODES] > scratch[_LIMIT]:
            return False
        moved = _changed(mover | stone, move % changes, scratch)
        waited = _changed(waiting, move % changes, scratch)
        mine, theirs = (moved, waited) if attacking else (waited, moved)
        won = False
        # With a five of both it is a draw. The side that moved has none alone, or it would have
        # won now.
        if not _has_five(theirs):
            won = _has_five(mine) or (
                mine | theirs != _FULL_BOARD
                and _forced(mine, theirs, plies - 1, not attacking, scratch)
            )
        if won == attacking:
            scratch[row] = move
            return attacking
    return not attacking


class Endings(Search):
    """For Pentago, Pentago-Twist, and Pentago-swap."""

    usual_nodes = 5_000_000

    def __init__(self, rules: Quadrants, nodes: int | None) -> None:
        super().__init__(nodes)
        letters = LETTERS[rules.game_id]
        self._plain = np.zeros(_SCRATCH, dtype=np.int64)
        self._plain[_LIMIT] = self._nodes
        self._plain[_STONE_WINS] = rules.stone_wins
        self._plain[_CHANGES] = _TURNS if letters else _SWAPS
        self._plain[_SECOND] = _LETTERS.index(letters[1]) if letters else 0

    def won(self, board: Board, plies: int) -> bool | None:
        own, other = board.sides
        return self._ask(own, other, plies, True)

    def lost(self, board: Board, plies: int) -> bool | None:
        own, other = board.sides
        return self._ask(other, own, plies, False)

    def drawn(self, board: Board) -> bool | None:
        free = (_FULL_BOARD & ~(board.dark | board.light)).bit_count()
        answers = self.won(board, free), self.lost(board, free)
        if True in answers:
            return False
        self.kinds.add(_KIND)
        return None if None in answers else True

    def _ask(self, attacker: int, defender: int, plies: int, attacking: bool) -> bool | None:
        self._plain[_NODES] = 0
        if _forced(attacker, defender, min(plies, _MOST_PLIES - 1), attacking, self._plain):
            self.kinds.add(_KIND)
            return True
        return None if self._plain[_NODES] > self._nodes else False


class SwapEndings(Endings):
    """For Pentago-swap, where what `Endings` would find in time is found in much less.

    A win in an even number of plies, by a swap of the loser's, is left to `Endings`.
    """

    def __init__(self, rules: Quadrants, nodes: int | None) -> None:
        super().__init__(rules, nodes)
        self._scratch = np.zeros(kernels.SCRATCH, dtype=np.int64)

    def won(self, board: Board, plies: int) -> bool | None:
        own, other = board.sides
        found = self._all_won(own, other, 1, plies)
        return super().won(board, plies) if not found and plies % 2 == 0 else found

    def lost(self, board: Board, plies: int) -> bool | None:
        found = self._all_replies_lose(board, plies)
        return super().lost(board, plies) if not found and plies % 2 else found

    def _all_replies_lose(self, board: Board, plies: int) -> bool | None:
        own, other = board.sides
        free = kernels.CELLS & ~(own | other)
        swapped = kernels.reach(1)
        asked = swapped & ~kernels.fives(other, self._scratch)
        for cell in range(36):
            stone = 1 << cell
            if not free & stone:
                continue
            if swapped & kernels.fives(own | stone, self._scratch):
                return False
            found = self._all_won(other, own | stone, asked, plies - 1) if asked else True
            if not found:
                return found
        return True

    def _all_won(self, own: int, other: int, asked: int, plies: int) -> bool | None:
        """Whether the side `own` wins all these arrangements, in none of which there is a five."""
        # A horizon beyond the last stone would take a full board for one that goes on.
        plies = min(plies, (kernels.CELLS & ~(own | other)).bit_count())
        plies -= 1 - plies % 2
        if plies < 1:
            return False
        if kernels.won(own, other, asked, plies, self._nodes, self._scratch) == asked:
            self.kinds.add(_KIND)
            return True
        return None if self._scratch[kernels._NODES] >= self._nodes else False


_KIND = "every move and reply"
