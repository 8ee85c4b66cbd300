"""Boards of the Pentago games as bits, and what is won on them: every move and reply is tried.

Nine bits for each quadrant, as `book.certificates.pentago_swap.arrangements` has them for its
places.
"""

from typing import Any

from numba import boolean, int64, njit

from book.certificates.pentago_swap.arrangements import CELLS, CLEAR, FULL, LACKING, u64

MOST_PLIES = 40
# What a search counts, and its limit; then, by plies, the reply that last refuted and the move
# that last won.
NODES, LIMIT, _REPLIES = range(3)
_MOVES = _REPLIES + MOST_PLIES
SCRATCH = _MOVES + MOST_PLIES


@njit(int64(int64, int64, int64[:, :, ::1]), nogil=True, cache=True)
def changed(stones: int, change: int, table: Any) -> int:
    """`stones` after a change, where `table` tells what each content of a quadrant becomes."""
    after = 0
    for quadrant in range(4):
        content = stones >> (9 * quadrant) & 511
        after |= table[u64(change), u64(quadrant), u64(content)]
    return after


@njit(boolean(int64), nogil=True, cache=True)
def has_five(stones: int) -> bool:
    """Whether `stones` hold five in a row."""
    found = -1
    for quadrant in range(4):
        found &= FULL[u64(quadrant), u64(stones >> (9 * quadrant) & 511)]
    return found != 0


@njit(boolean(int64, int64), nogil=True, cache=True)
def _lacks_one(own: int, other: int) -> bool:
    """Whether one more stone on a free cell makes a five."""
    full, one = -1, 0
    for quadrant in range(4):
        content = u64(own >> (9 * quadrant) & 511)
        taken = u64(other >> (9 * quadrant) & 511)
        lacking = LACKING[u64(quadrant), content] & CLEAR[u64(quadrant), taken]
        one = one & FULL[u64(quadrant), content] | full & lacking
        full &= FULL[u64(quadrant), content]
    return one != 0


@njit(boolean(int64, int64, int64[:, :, ::1], boolean), nogil=True, cache=True)
def _wins_now(own: int, other: int, table: Any, stone_wins: bool) -> bool:
    """Whether the side `own`, to move, wins with this move.

    The stone may as well be put after the change, which takes free cells to free cells.
    """
    if stone_wins and _lacks_one(own, other):
        return True
    for change in range(len(table)):
        after, other_after = changed(own, change, table), changed(other, change, table)
        if not has_five(other_after) and (has_five(after) or _lacks_one(after, other_after)):
            return True
    return False


@njit(
    boolean(int64, int64, int64, boolean, int64[:, :, ::1], boolean, int64[::1]),
    nogil=True,
    cache=True,
)
def forced(
    attacker: int,
    defender: int,
    plies: int,
    attacking: bool,
    table: Any,
    stone_wins: bool,
    scratch: Any,
) -> bool:
    """Whether the attacker wins within `plies`; it is to move, or with not `attacking` the other.

    The game goes on. Not to be believed when it says no after more nodes than the limit.
    """
    if plies < 1:
        return False
    mover, waiting = (attacker, defender) if attacking else (defender, attacker)
    if _wins_now(mover, waiting, table, stone_wins):
        return attacking
    if attacking and plies < 2:
        return False
    scratch[NODES] += 1
    free = CELLS & ~(attacker | defender)
    row = (_MOVES if attacking else _REPLIES) + plies
    changes = len(table)
    first = scratch[row]
    for number in range(-1, 36 * changes):
        move = first if number < 0 else number
        stone = 1 << (move // changes)
        if not free & stone or number == first:
            continue
        if scratch[NODES] > scratch[LIMIT]:
            return False
        moved = changed(mover | stone, move % changes, table)
        waited = changed(waiting, move % changes, table)
        mine, theirs = (moved, waited) if attacking else (waited, moved)
        won = False
        # With a five of both it is a draw. The side that moved has none alone, or it would have
        # won now.
        if not has_five(theirs):
            won = has_five(mine) or (
                mine | theirs != CELLS
                and forced(mine, theirs, plies - 1, not attacking, table, stone_wins, scratch)
            )
        if won == attacking:
            scratch[row] = move
            return attacking
    return not attacking
