"""The guided search: whether a list of cells wins for one side whatever the other replies.

One side, the *winner*, has a list of cells; the other is the *opponent*. After a reply of the
opponent's the search looks for a win in which the winner plays only

- a five,
- a move *at hand*: one after which two different cells each complete a five,
- the only cell that parries a five the opponent threatens,
- free cells of the list, in its order, that make a four or a *threat*: a move after which, were
  there no reply, such a win would go on with a four each time.

A win found is a proof, since the opponent has every legal reply:

- to a four he has only the cell that completes it, unless he completes a five of his own, and
  then the search has noticed before that he threatened it;
- to a threat, the replies that `_critical` lists are all tried; any other one changes nothing, and
  the fours go on as if there had been none.

A list that is not good enough makes the search fail, never lie. So does a search that is too long
for `effort`, and one that is too deep.

Boards have up to 26 × 26 cells, numbered row by row from the lower left. In each of the four
directions a cell lies on one line; a line is a word of each side's stones, whose first cell is bit
`_MARGIN`. What lies beyond either end counts as taken.
"""

# The signatures given to numba are the types.
# mypy: allow-untyped-defs, no-check-untyped-defs

from typing import Any

import numpy as np
from numba import from_dtype, int16, int64, njit, void

MIN_SIZE, MAX_SIZE = 5, 26
WINNER, OPPONENT = 0, 1
FIVE = 5

_CELLS = MAX_SIZE * MAX_SIZE
_LINES = 2 * MAX_SIZE + 2 * (2 * MAX_SIZE - 1)
_MARGIN = 5
# A line with room beyond both ends for the five cells that are looked at there.
_ROOM = (1 << MAX_SIZE + 2 * _MARGIN + 1) - 1
_WINDOW = 31
# Plies of the winner in one line of the search, and in its fours. No list needs as many.
MAX_DEPTH = 60
# Fours and replies of all the plies in hand; a search that needs more room fails.
_STACK = 1 << 14
# Two cells in one number: the first, and the second plus one above it.
_SHIFT, _FIRST = 16, (1 << 16) - 1
_NONE = -1

_COUNT = np.array([value.bit_count() for value in range(32)], dtype=np.int64)
_LOWEST = np.array([(v & -v).bit_length() - 1 for v in range(32)], dtype=np.int64)

STATE = np.dtype(
    [
        ("size", np.int64),
        ("exact", np.int64),
        ("lines", np.int64),
        ("stride", np.int64, 4),
        ("line_of", np.int64, 4 * _CELLS),
        ("at_of", np.int64, 4 * _CELLS),
        ("base", np.int64, _LINES),
        ("step", np.int64, _LINES),
        ("length", np.int64, _LINES),
        ("outside", np.int64, _LINES),
        ("stones", np.int64, 2 * _LINES),
        ("free", np.int64, _CELLS),
        ("list", np.int64, _CELLS),
        ("listed", np.int64),
        ("used", np.int64, _CELLS),
        ("effort", np.int64),
        ("nodes", np.int64),
        ("move", np.int64),
        ("fours", np.int64, MAX_DEPTH + 1),
        ("parries", np.int64, MAX_DEPTH + 1),
        ("last", np.int64),
        ("depth", np.int64),
        ("seen", np.int64, _CELLS),
        ("stamp", np.int64),
        ("touched", np.int64, _CELLS),
        ("near", np.int64, _CELLS),
        ("stack", np.int64, _STACK),
        ("top", np.int64),
    ],
    align=True,
)
"""A board, and what the search in hand keeps.

`fours`, `parries`, `last` and `depth` are the line of fours that `_fours_win` found last: `depth`
fours with the replies they force, then a move at hand and, in `last`, two cells that complete it.
`used` marks the cells of wins found. `nodes` counts the calls of both searches. `touched` says of
each cell which sides have had a stone there, and `near` is what `_mark_near` makes of that.
"""

State = from_dtype(STATE)


def new_state(size: int, *, exact: bool) -> Any:
    """An empty board; with `exact`, more than five in a row do not win."""
    s = np.zeros(1, dtype=STATE)[0]
    s["size"], s["exact"] = size, exact
    s["stride"] = 1, size, size + 1, size - 1
    s["effort"] = 1 << 60
    lines: dict[tuple[int, int], int] = {}
    for row in range(size):
        for column in range(size):
            cell = row * size + column
            back = (column, row, min(column, row), min(size - 1 - column, row))
            for direction, at in enumerate(back):
                first = cell - at * int(s["stride"][direction])
                line = lines.setdefault((direction, first), len(lines))
                s["base"][line], s["step"][line] = first, s["stride"][direction]
                s["length"][line] = max(s["length"][line], at + 1)
                s["line_of"][4 * cell + direction], s["at_of"][4 * cell + direction] = line, at
    s["lines"] = len(lines)
    for line in range(len(lines)):
        inside = (1 << int(s["length"][line])) - 1 << _MARGIN
        s["outside"][line] = _ROOM & ~inside
    s["free"][: size * size] = 1
    return s


@njit(void(State, int64, int64), nogil=True, cache=True)
def _put(s, side, cell):
    for direction in range(4):
        line = s.line_of[4 * cell + direction]
        s.stones[side * _LINES + line] |= 1 << s.at_of[4 * cell + direction] + _MARGIN
    s.free[cell] = 0
    s.touched[cell] |= 1 << side


@njit(void(State, int64, int64), nogil=True, cache=True)
def _lift(s, side, cell):
    for direction in range(4):
        line = s.line_of[4 * cell + direction]
        s.stones[side * _LINES + line] ^= 1 << s.at_of[4 * cell + direction] + _MARGIN
    s.free[cell] = 1


@njit(int64(int64, int64), nogil=True, cache=True)
def _with(cells, cell):
    """The one or two cells of `cells`, and `cell` where there is room for it."""
    if cells == _NONE:
        return cell
    if cells >> _SHIFT == 0 and cells != cell:
        return cells | cell + 1 << _SHIFT
    return cells


@njit(int64(State, int64, int64), nogil=True, cache=True)
def _completing(s, side, stone):
    """Up to two cells on which `side` makes a five with its stone on `stone`."""
    cells = _NONE
    for direction in range(4):
        line = s.line_of[4 * stone + direction]
        at = s.at_of[4 * stone + direction]
        # Eleven cells of the line, `stone` in their middle.
        own = s.stones[side * _LINES + line] >> at
        other = (s.stones[(1 - side) * _LINES + line] | s.outside[line]) >> at
        for start in range(1, 6):
            empty = ~own >> start & _WINDOW
            if _COUNT[empty] != 1 or other >> start & _WINDOW:
                continue
            if s.exact and (own >> start - 1 | own >> start + FIVE) & 1:
                continue
            offset = start + _LOWEST[empty] - _MARGIN
            cells = _with(cells, stone + offset * s.stride[direction])
    return cells


@njit(int64(State, int64), nogil=True, cache=True)
def _threatened(s, side):
    """Up to two cells, of all the board, on which `side` makes a five."""
    cells = _NONE
    for line in range(s.lines):
        own = s.stones[side * _LINES + line]
        other = s.stones[(1 - side) * _LINES + line]
        for at in range(s.length[line] - 4):
            empty = ~own >> at + _MARGIN & _WINDOW
            if _COUNT[empty] != 1 or other >> at + _MARGIN & _WINDOW:
                continue
            if s.exact and (own >> at + _MARGIN - 1 | own >> at + _MARGIN + FIVE) & 1:
                continue
            cells = _with(cells, s.base[line] + (at + _LOWEST[empty]) * s.step[line])
    return cells


@njit(int64(State, int64), nogil=True, cache=True)
def _has_five(s, side):
    """Whether the stones of `side` win."""
    for line in range(s.lines):
        own = s.stones[side * _LINES + line]
        row = own & own >> 1 & own >> 2 & own >> 3 & own >> 4
        if s.exact:
            row &= ~(own << 1) & ~(own >> FIVE)
        if row:
            return 1
    return 0


@njit(int64(State), nogil=True, cache=True)
def _push_fours(s):
    """Push the winner's moves that make a four, each followed by a cell that completes it.

    Returns the first move found at hand, or -1 if there is none; for such a move the two cells are
    in `last`. A move may be pushed more than once.
    """
    start = s.top
    for line in range(s.lines):
        own = s.stones[line]
        two = own & (own - 1)
        if not two & (two - 1):
            continue
        other = s.stones[_LINES + line]
        for at in range(s.length[line] - 4):
            empty = ~own >> at + _MARGIN & _WINDOW
            if _COUNT[empty] != 2 or other >> at + _MARGIN & _WINDOW:
                continue
            if s.exact and (own >> at + _MARGIN - 1 | own >> at + _MARGIN + FIVE) & 1:
                continue
            if s.top + 4 > _STACK:
                return _NONE
            low = s.base[line] + (at + _LOWEST[empty]) * s.step[line]
            high = s.base[line] + (at + _LOWEST[empty & (empty - 1)]) * s.step[line]
            for move, completes in ((low, high), (high, low)):
                for index in range(start, s.top, 2):
                    if s.stack[index] == move and s.stack[index + 1] != completes:
                        s.last = s.stack[index + 1] | completes + 1 << _SHIFT
                        return move
                s.stack[s.top], s.stack[s.top + 1] = move, completes
                s.top += 2
    return _NONE


@njit(int64(State, int64, int64, int64), nogil=True, cache=True)
def _parry(s, threatened, start, move):
    """A cell that completes the four the winner's `move` makes, or -1 if it makes none.

    The moves that make fours are pushed from `start` on unless the opponent threatens a five.
    """
    if threatened != _NONE:
        _put(s, WINNER, move)
        cells = _completing(s, WINNER, move)
        _lift(s, WINNER, move)
        return cells if cells == _NONE else cells & _FIRST
    for index in range(start, s.top, 2):
        if s.stack[index] == move:
            return s.stack[index + 1]
    return _NONE


@njit(int64(State, int64), nogil=True, cache=True)
def _at_hand(s, threatened):
    """A move at hand, whose two cells are then in `last`, or -1; pushes fours as `_parry` says."""
    if threatened == _NONE:
        return _push_fours(s)
    _put(s, WINNER, threatened)
    cells = _completing(s, WINNER, threatened)
    _lift(s, WINNER, threatened)
    if cells == _NONE or cells >> _SHIFT == 0:
        return _NONE
    s.last = cells
    return threatened


@njit(int64(State, int64, int64), nogil=True, cache=True)
def _fours_win(s, threatened, depth):
    """Plies to a win by fours of the winner, who is to move; 0 if none is found.

    `threatened` are the cells on which the opponent makes a five. The winner has no five to make.
    """
    s.nodes += 1
    if s.nodes > s.effort or depth >= MAX_DEPTH or (threatened != _NONE and threatened >> _SHIFT):
        return 0
    start = s.top
    at_hand = _at_hand(s, threatened)
    if at_hand != _NONE:
        s.fours[depth], s.depth = at_hand, depth
        s.used[at_hand] = 1
        s.top = start
        return 3
    end = s.top
    for index in range(s.listed if threatened == _NONE else 1):
        move = s.list[index] if threatened == _NONE else threatened
        if not s.free[move]:
            continue
        parry = _parry(s, threatened, start, move)
        if parry == _NONE:
            continue
        _put(s, WINNER, move)
        _put(s, OPPONENT, parry)
        plies = _fours_win(s, _completing(s, OPPONENT, parry), depth + 1)
        _lift(s, OPPONENT, parry)
        _lift(s, WINNER, move)
        if plies:
            s.fours[depth], s.parries[depth] = move, parry
            s.used[move] = 1
            s.top = start
            return plies + 2
        s.top = end
    s.top = start
    return 0


@njit(void(State, int64), nogil=True, cache=True)
def _push(s, cell):
    """Push `cell` unless it has been since the stamp changed."""
    if s.seen[cell] != s.stamp:
        s.seen[cell] = s.stamp
        s.stack[s.top] = cell
        s.top += 1


@njit(void(State), nogil=True, cache=True)
def _critical(s):
    """Push the replies that may break the line of fours found last, the opponent to move.

    The opponent threatens no five, and there is room for each cell of the board.

    Any other legal reply leaves the line as it is. It takes no cell of the line, so every move
    there still makes a four, which the same cell completes. And it gives the opponent no five to
    threaten: the row of that five would hold the reply, three stones that he has or is forced to
    put, and no stone of the winner's, and so it is looked at here.
    """
    s.stamp += 1
    _push(s, s.fours[s.depth])
    _push(s, s.last & _FIRST)
    _push(s, (s.last >> _SHIFT) - 1)
    for index in range(s.depth):
        _push(s, s.fours[index])
        _push(s, s.parries[index])
    for index in range(s.depth):
        _put(s, OPPONENT, s.parries[index])
    for line in range(s.lines):
        own = s.stones[_LINES + line]
        two = own & (own - 1)
        if not two & (two - 1):
            continue
        other = s.stones[line]
        for at in range(s.length[line] - 4):
            empty = ~own >> at + _MARGIN & _WINDOW
            if _COUNT[empty] > 2 or other >> at + _MARGIN & _WINDOW:
                continue
            while empty:
                _push(s, s.base[line] + (at + _LOWEST[empty]) * s.step[line])
                empty &= empty - 1
    for index in range(s.depth):
        _lift(s, OPPONENT, s.parries[index])


@njit(int64(State, int64), nogil=True, cache=True)
def _may_threaten(s, move):
    """Whether a stone of the winner's on `move` makes three in a row of five that may be filled.

    Where it does not, a win by fours after it was there before it.
    """
    for direction in range(4):
        line = s.line_of[4 * move + direction]
        at = s.at_of[4 * move + direction]
        own = s.stones[line] >> at
        other = (s.stones[_LINES + line] | s.outside[line]) >> at
        for start in range(1, 6):
            if _COUNT[own >> start & _WINDOW] >= 2 and not other >> start & _WINDOW:
                return 1
    return 0


@njit(int64(State, int64, int64), nogil=True, cache=True)
def _wins(s, threatened, depth):
    """Plies within which the winner, who is to move, wins by what the list allows; 0 if not found.

    `threatened` are the cells on which the opponent makes a five. The winner has no five to make.
    """
    s.nodes += 1
    if s.nodes > s.effort or depth >= MAX_DEPTH or (threatened != _NONE and threatened >> _SHIFT):
        return 0
    plies = _fours_win(s, threatened, 0)
    if plies:
        if depth == 0:
            s.move = s.fours[0]
        return plies
    start = s.top
    _at_hand(s, threatened)
    end = s.top
    for index in range(s.listed if threatened == _NONE else 1):
        move = s.list[index] if threatened == _NONE else threatened
        if not s.free[move]:
            continue
        longest = 0
        parry = _parry(s, threatened, start, move)
        if parry != _NONE:
            _put(s, WINNER, move)
            _put(s, OPPONENT, parry)
            longest = _wins(s, _completing(s, OPPONENT, parry), depth + 1)
            _lift(s, OPPONENT, parry)
            _lift(s, WINNER, move)
        elif threatened != _NONE or _may_threaten(s, move):
            _put(s, WINNER, move)
            longest = _fours_win(s, _NONE, 0)
            if s.top + _CELLS > _STACK:
                longest = 0
            if longest:
                _critical(s)
                replies = s.top
                for reply in range(end, replies):
                    cell = s.stack[reply]
                    _put(s, OPPONENT, cell)
                    plies = _wins(s, _completing(s, OPPONENT, cell), depth + 1)
                    _lift(s, OPPONENT, cell)
                    if not plies:
                        longest = 0
                        break
                    longest = max(longest, plies)
            _lift(s, WINNER, move)
        s.top = end
        if longest:
            s.used[move] = 1
            s.top = start
            if depth == 0:
                s.move = move
            return longest + 2
        if s.nodes > s.effort:
            break
    s.top = start
    return 0


@njit(void(State, int64[::1], int64[::1]), nogil=True, cache=True)
def set_up(s, winner, opponent):
    """Put the stones of both sides on an empty board."""
    s.stones[:] = 0
    s.free[: s.size * s.size] = 1
    for cell in winner:
        _put(s, WINNER, cell)
    for cell in opponent:
        _put(s, OPPONENT, cell)


@njit(int64(State), nogil=True, cache=True)
def is_over(s):
    """Whether one of the sides has a five."""
    return _has_five(s, WINNER) | _has_five(s, OPPONENT)


@njit(int64(State, int16[::1]), nogil=True, cache=True)
def wins(s, cells):
    """Plies within which the winner, who is to move, wins with the list `cells`; 0 if not found.

    The game is not over. `nodes` starts anew, and `move` is then the first move.
    """
    s.listed = len(cells)
    for index in range(len(cells)):
        s.list[index] = cells[index]
    s.nodes = s.top = 0
    own = _threatened(s, WINNER)
    if own != _NONE:
        s.move = own & _FIRST
        return 1
    return _wins(s, _threatened(s, OPPONENT), 0)


@njit(int64(State, int64, int16[::1]), nogil=True, cache=True)
def answers(s, reply, cells):
    """`wins` after the opponent's reply; 0 also if that makes a five."""
    _put(s, OPPONENT, reply)
    plies = 0
    if not _has_five(s, OPPONENT):
        plies = wins(s, cells)
    _lift(s, OPPONENT, reply)
    return plies


@njit(void(State), nogil=True, cache=True)
def _mark_near(s):
    """Mark the cells where one more stone of the opponent's could change the search that ran last.

    `touched` says which stones that search has put on the board. A stone elsewhere changes nothing
    of what it looked at, so that it would run the same, move by move:

    - The winner's rows of five are looked at where they hold two of his stones or more, and none of
      the opponent's. All with two stones of his, before or during the search, are marked.
    - The opponent's are looked at where they hold three of his or more, the new one included, and
      none of the winner's. All with two others are marked; that takes in a stone beside four of
      his, which keeps him from a five where more than five do not win.
    - A cell of the list that is taken is no move.
    """
    s.near[: s.size * s.size] = 0
    for index in range(s.listed):
        s.near[s.list[index]] = 1
    for line in range(s.lines):
        winner, opponent = s.stones[line], s.stones[_LINES + line]
        had_winner, had_opponent = winner, opponent
        for at in range(s.length[line]):
            cell = s.base[line] + at * s.step[line]
            if s.touched[cell]:
                s.near[cell] = 1
                had_winner |= (s.touched[cell] & 1) << at + _MARGIN
                had_opponent |= (s.touched[cell] >> 1) << at + _MARGIN
        for at in range(s.length[line] - 4):
            first = at + _MARGIN
            his = _COUNT[had_winner >> first & _WINDOW] >= 2 and not opponent >> first & _WINDOW
            if his or (
                _COUNT[had_opponent >> first & _WINDOW] >= 2 and not winner >> first & _WINDOW
            ):
                for cell in range(at, at + FIVE):
                    s.near[s.base[line] + cell * s.step[line]] = 1


@njit(int64(State, int16[::1]), nogil=True, cache=True)
def wins_after_far_replies(s, cells):
    """`wins` after every reply but those that are then marked in `near`; 0 if it wins after none.

    `used` has the cells of that win.
    """
    s.touched[: s.size * s.size] = 0
    plies = wins(s, cells)
    if plies:
        _mark_near(s)
    return plies


@njit(int64(State, int64[::1], int64[::1], int16[::1], int64[::1]), nogil=True, cache=True)
def check_replies(s, which, first, cells, plies):
    """Check the replies to an entry that lists answer; the first that none does, or -1.

    For each cell, `which` is the number of the list that answers a reply there, or -1 if it is not
    to be looked at. The cells of list ``n`` are ``first[n]:first[n + 1]`` of `cells`. The plies
    within which the winner wins after the reply are written to `plies`: those of the search without
    a reply where `_mark_near` says that it would run the same.
    """
    unanswered = s.size * s.size
    for number in range(len(first) - 1):
        listed = cells[first[number] : first[number + 1]]
        far = wins_after_far_replies(s, listed)
        for reply in range(unanswered):
            if which[reply] == number:
                is_far = far and not s.near[reply]
                plies[reply] = far if is_far else answers(s, reply, listed)
                if plies[reply] == 0:
                    unanswered = reply
                    break
    return unanswered if unanswered < s.size * s.size else _NONE


@njit(int64(State, int64[::1]), nogil=True, cache=True)
def critical(s, replies):
    """Write the replies that may break the win by fours that `wins` or `threat` found last."""
    s.top = 0
    _critical(s)
    for index in range(s.top):
        replies[index] = s.stack[index]
    return s.top


@njit(int64(State, int64, int16[::1]), nogil=True, cache=True)
def threat(s, move, cells):
    """Plies to a win by fours with the list `cells` after `move`, were there no reply; or 0."""
    s.listed = len(cells)
    for index in range(len(cells)):
        s.list[index] = cells[index]
    s.nodes = s.top = 0
    _put(s, WINNER, move)
    plies = _fours_win(s, _NONE, 0)
    _lift(s, WINNER, move)
    return plies


@njit(int64(State, int64, int64), nogil=True, cache=True)
def makes_five(s, side, cell):
    """Whether a stone of `side` on this free cell wins."""
    _put(s, side, cell)
    five = _has_five(s, side)
    _lift(s, side, cell)
    return five


@njit(int64(State, int64), nogil=True, cache=True)
def parry(s, move):
    """The cell that completes the four the winner's `move` makes, or -1 if it makes none."""
    _put(s, WINNER, move)
    cells = _completing(s, WINNER, move)
    _lift(s, WINNER, move)
    return cells if cells == _NONE else cells & _FIRST
