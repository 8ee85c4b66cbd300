"""Alpha-beta over the incremental board: iterative deepening, null windows, transpositions.

Values are from the point of view of the side to move, decisive ones counted from the root: a
win *n* plies from the root is ``WIN - n``. A decisive value is always a proof. Only moves near
stones are looked at, which is enough for the side that wins; the side that loses must have had
every move. Where the moves looked at may not be all that matter, and all of them lose, the
value is therefore cut down to ``-HEURISTIC_MAX``.

`s.guesses` counts what the search took on trust: evaluations and left-out moves. Where it did
not grow, the value is the game's own.
"""

from typing import Any

import numpy as np
from numba import from_dtype, types

from engine.games.gomoku.board import (
    CELLS,
    EMPTY,
    FIVE_MOVE,
    FOUR_MOVE,
    LEVELS,
    MAX_CELLS,
    MAX_PLY,
    MOVER,
    OPEN_FOURS,
    STEPS,
    WAITER,
    State,
    find,
    place,
    take_back,
)
from engine.kernels import kernel, now
from engine.values import HEURISTIC_MAX, WIN

ENTRY = np.dtype(
    [
        ("hash", np.uint64),
        ("value", np.int16),
        ("move", np.int16),
        ("depth", np.int16),
        ("bound", np.uint8),
        ("guessed", np.uint8),
    ],
    align=True,
)
_Table = from_dtype(ENTRY)[::1]

_NO_ENTRY, _EXACT, _LOWER, _UPPER = 0, 1, 2, 3
_INFINITY = WIN + 1
_EVALUATION_MAX = HEURISTIC_MAX - 1
_NODES_BETWEEN_CHECKS = 512
_FIRST = 1 << 27


@kernel(types.void(State))
def _check_limits(s: Any) -> None:
    """Set `s.stop` when a limit is reached; the clock is asked every few hundred nodes."""
    if s.nodes >= s.node_limit or (s.deadline > 0 and now() >= s.deadline):
        s.stop = 1
    s.next_check = min(s.nodes + _NODES_BETWEEN_CHECKS, s.node_limit)


@kernel(types.int64(State))
def evaluate(s: Any) -> int:
    """What the rows that each side could still make are worth, for the side to move."""
    value = s.worth[2 * s.colour + MOVER] - s.worth[2 * (1 - s.colour) + WAITER] + s.tempo
    return int(max(-_EVALUATION_MAX, min(_EVALUATION_MAX, value)))


@kernel(types.void(State, types.int64, types.int64, types.int64))
def _list(s: Any, ply: int, count: int, at: int) -> None:
    """Write the move `at` as number `count` into the list of this ply, with its rank."""
    own = int(s.worth_of[2 * s.pattern[s.colour * CELLS + at] + MOVER])
    other = int(s.worth_of[2 * s.pattern[(1 - s.colour) * CELLS + at] + WAITER])
    s.moves[ply * MAX_CELLS + count] = at
    # Among moves that make nothing the most central one comes first.
    order = 32 * (4 * own + 3 * other) + s.central[at]
    level = s.level_of[s.pattern[s.colour * CELLS + at]]
    if level >= OPEN_FOURS:
        # A sure win is taken before a longer one is looked for.
        order += level * _FIRST
    s.order[ply * MAX_CELLS + count] = order


@kernel(types.int64(State, types.int64))
def _list_all(s: Any, ply: int) -> int:
    """List every legal move; returns their number."""
    count = 0
    for index in range(s.size * s.size):
        at = int(s.cells[index])
        if s.cell[at] == EMPTY and not (ply == 0 and s.excluded[at]):
            _list(s, ply, count, at)
            count += 1
    return count


@kernel(types.int64(State, types.int64))
def _list_near(s: Any, ply: int) -> int:
    """List the moves within two cells of a stone on a line; returns their number."""
    count = 0
    for index in range(s.size * s.size):
        at = int(s.cells[index])
        if s.cell[at] == EMPTY and s.near[at] > 0 and not (ply == 0 and s.excluded[at]):
            _list(s, ply, count, at)
            count += 1
    return count


@kernel(types.int64(State, types.int64))
def _list_parries(s: Any, ply: int) -> int:
    """List every move that may parry the opponent's threat of an open four.

    One cell is taken at which he could make it, and neither side has a five at hand. A move off
    the lines through that cell leaves it as it is: unless the move makes a four, the opponent
    plays there, and wins on the fourth ply from now.
    """
    threat = find(s, 1 - s.colour, OPEN_FOURS)
    count = 0
    for index in range(s.size * s.size):
        at = int(s.cells[index])
        if s.cell[at] != EMPTY or (ply == 0 and s.excluded[at]):
            continue
        listed = at == threat or s.level_of[s.pattern[s.colour * CELLS + at]] >= FOUR_MOVE
        if not listed:
            for direction in range(4):
                offset = at - threat
                step = STEPS[direction]
                if offset % step == 0 and abs(offset // step) <= s.reach:
                    listed = True
        if listed:
            _list(s, ply, count, at)
            count += 1
    return count


@kernel(types.int64(State, types.int64, types.int64))
def _list_moves(s: Any, ply: int, depth: int) -> int:
    """List the moves to search; returns their number.

    Sets `s.complete` to whether every move left out loses within four plies, or none is.
    """
    opponent = (1 - s.colour) * LEVELS
    s.complete = 1
    if s.level_count[s.colour * LEVELS + FIVE_MOVE] > 0:
        # Only at the root: a win at once, unless it is excluded.
        return _list_all(s, ply)
    if s.level_count[opponent + FIVE_MOVE] > 0:
        forced = find(s, 1 - s.colour, FIVE_MOVE)
        if not (ply == 0 and s.excluded[forced]):
            _list(s, ply, 0, forced)
            return 1
        return _list_all(s, ply)
    if s.level_count[opponent + OPEN_FOURS] > 0:
        count = _list_parries(s, ply)
    elif depth >= s.empties:
        return _list_all(s, ply)
    else:
        s.complete = 0
        count = _list_near(s, ply)
    if count == 0:
        s.complete = 1
        count = _list_all(s, ply)
    return count


@kernel(types.int64(State, types.int64, types.int64, types.int64))
def _pick(s: Any, ply: int, index: int, count: int) -> int:
    """Bring the highest ranked of the moves from `index` on to `index`; returns it."""
    start = ply * MAX_CELLS
    best = start + index
    for other in range(start + index + 1, start + count):
        if s.order[other] > s.order[best]:
            best = other
    move, order = s.moves[best], s.order[best]
    s.moves[best], s.order[best] = s.moves[start + index], s.order[start + index]
    s.moves[start + index], s.order[start + index] = move, order
    return int(move)


@kernel(types.void(State, types.int64, types.int64))
def _put_line(s: Any, ply: int, move: int) -> None:
    """The line from this ply on is `move`, then the line of the next ply."""
    length: int = min(int(s.pv_length[ply + 1]), MAX_PLY - ply - 2)
    s.pv[ply * MAX_PLY] = move
    for index in range(length):
        s.pv[ply * MAX_PLY + index + 1] = s.pv[(ply + 1) * MAX_PLY + index]
    s.pv_length[ply] = length + 1


@kernel(types.int64(types.int64, types.int64))
def _from_root(value: int, ply: int) -> int:
    """A value counted from this ply, counted from the root."""
    if value > HEURISTIC_MAX:
        return value - ply
    if value < -HEURISTIC_MAX:
        return value + ply
    return value


@kernel(types.int64(State, _Table))
def _slot(s: Any, table: Any) -> int:
    """Where the table holds the position: the deeper of two neighbours, or the newer one."""
    slot = int(np.int64(s.hash & np.uint64(len(table) - 2)))
    return slot if table[slot].hash == s.hash else slot + 1


@kernel(types.void(State, _Table, *[types.int64] * 6))
def _store(
    s: Any, table: Any, ply: int, depth: int, value: int, bound: int, move: int, guessed: int
) -> None:
    """Keep a result, in the slot of the same position or of a shallower one, else the other."""
    slot = int(np.int64(s.hash & np.uint64(len(table) - 2)))
    if table[slot].hash != s.hash and table[slot].depth > depth:
        slot += 1
    table[slot].hash = s.hash
    table[slot].value = _from_root(value, -ply)
    table[slot].move = move
    table[slot].depth = depth
    table[slot].bound = bound
    table[slot].guessed = guessed


@kernel(types.int64(State, _Table, *[types.int64] * 4))
def search(s: Any, table: Any, alpha: int, beta: int, depth: int, ply: int) -> int:
    """The value of the position, fail-soft: exact between `alpha` and `beta`, else a bound.

    At most `alpha` means an upper, at least `beta` a lower bound. Meaningless once `s.stop` is
    set. The last move did not make a five: whoever could, would have won without playing it.
    """
    if s.nodes >= s.next_check:
        _check_limits(s)
    if s.stop:
        return 0
    s.pv_length[ply] = 0
    own, opponent = s.colour * LEVELS, (1 - s.colour) * LEVELS
    if s.level_count[own + FIVE_MOVE] > 0:
        s.pv[ply * MAX_PLY] = find(s, s.colour, FIVE_MOVE)
        s.pv_length[ply] = 1
        return WIN - ply - 1
    if s.empties == 0:
        return 0
    fives = s.level_count[opponent + FIVE_MOVE]
    if fives > 1:
        return -(WIN - ply - 2)
    if fives == 0:
        if s.level_count[own + OPEN_FOURS] > 0:
            s.pv[ply * MAX_PLY] = find(s, s.colour, OPEN_FOURS)
            s.pv_length[ply] = 1
            return WIN - ply - 3
        if depth <= 0:
            s.guesses += 1
            return evaluate(s)
    if ply >= MAX_PLY - 2:
        s.guesses += 1
        return evaluate(s)

    known_move = -1
    entry = table[_slot(s, table)]
    if entry.bound != _NO_ENTRY and entry.hash == s.hash:
        known_move = int(entry.move)
        value = _from_root(int(entry.value), ply)
        # A decisive value is a proof at whatever depth it was found.
        if (entry.depth >= depth or abs(value) > HEURISTIC_MAX) and (
            entry.bound == _EXACT
            or (entry.bound == _LOWER and value >= beta)
            or (entry.bound == _UPPER and value <= alpha)
        ):
            s.guesses += entry.guessed
            return value

    guesses = s.guesses
    count = _list_moves(s, ply, depth)
    complete = s.complete
    # The only reply to a four costs no depth.
    next_depth = depth if fives else depth - 1
    for index in range(count):
        if s.moves[ply * MAX_CELLS + index] == known_move:
            s.order[ply * MAX_CELLS + index] = 8 * _FIRST
    best, best_move, lowest = -_INFINITY, -1, alpha
    for index in range(count):
        move = _pick(s, ply, index, count)
        place(s, move)
        s.nodes += 1
        if index == 0:
            value = -search(s, table, -beta, -lowest, next_depth, ply + 1)
        else:
            value = -search(s, table, -lowest - 1, -lowest, next_depth, ply + 1)
            if lowest < value < beta:
                value = -search(s, table, -beta, -lowest, next_depth, ply + 1)
        take_back(s, move)
        if s.stop:
            return 0
        if value > best:
            best, best_move = value, move
            if value > lowest:
                lowest = value
                _put_line(s, ply, move)
            if value >= beta:
                break
    if best < beta and not complete:
        s.guesses += 1
        best = max(best, -HEURISTIC_MAX)
    bound = _LOWER if best >= beta else _EXACT if best > alpha else _UPPER
    _store(s, table, ply, depth, best, bound, best_move, s.guesses > guesses)
    return best


@kernel(types.void(State, types.int64, types.int64))
def _keep(s: Any, value: int, depth: int) -> None:
    """Make the root's line the result so far."""
    s.best_value = value
    s.best_depth = depth
    s.best_length = s.pv_length[0]
    for index in range(s.best_length):
        s.best_line[index] = s.pv[index]


@kernel(types.boolean(State, _Table, types.int64, types.int64, types.int64))
def _search_root(s: Any, table: Any, depth: int, count: int, complete: int) -> bool:
    """One iteration over the root's `count` listed moves; returns whether it was finished.

    The first move is the best one of the iteration before. Once it has been searched, what is
    best so far is a better result than that iteration's, even if this one is cut short.
    """
    best = -_INFINITY
    for index in range(count):
        move = int(s.moves[index])
        if s.level_of[s.pattern[s.colour * CELLS + move]] == FIVE_MOVE:
            value = WIN - 1
            s.pv_length[1] = 0
        else:
            place(s, move)
            s.nodes += 1
            if index == 0:
                value = -search(s, table, -_INFINITY, _INFINITY, depth - 1, 1)
            else:
                value = -search(s, table, -best - 1, -best, depth - 1, 1)
                if value > best:
                    value = -search(s, table, -_INFINITY, -best, depth - 1, 1)
            take_back(s, move)
            if s.stop:
                return False
        if value > best:
            best = value
            _put_line(s, 0, move)
            # The best move goes to the front, the others keep their order.
            for later in range(index, 0, -1):
                s.moves[later] = s.moves[later - 1]
            s.moves[0] = move
            if best >= -HEURISTIC_MAX:
                _keep(s, best, depth)
        if best > HEURISTIC_MAX:
            return True
    if not complete:
        s.guesses += 1
        best = max(best, -HEURISTIC_MAX)
    _keep(s, best, depth)
    return True


@kernel(types.void(State, _Table, types.int64))
def think(s: Any, table: Any, max_depth: int) -> None:
    """Search deeper and deeper until a limit is reached or nothing is left to find out.

    Leaves the result in `s.best_line`, `s.best_value` and `s.best_depth`; `s.settled` says that
    the value is no guess. Without a finished depth the highest ranked move is the result.
    """
    for index in range(len(table)):
        table[index].bound = _NO_ENTRY
        table[index].depth = 0
        table[index].hash = np.uint64(0)
    s.nodes = s.guesses = s.stop = s.settled = 0
    s.next_check = min(_NODES_BETWEEN_CHECKS, s.node_limit)
    count = complete = 0
    for depth in range(1, max_depth + 1):
        if depth == 1 or depth == s.empties:
            count = _list_moves(s, 0, depth)
            complete = s.complete
            for index in range(count):
                _pick(s, 0, index, count)
        if depth == 1:
            s.pv[0] = s.moves[0]
            s.pv_length[0] = 1
            _keep(s, evaluate(s), 0)
        guesses = s.guesses
        if not _search_root(s, table, depth, count, complete):
            return
        if abs(s.best_value) > HEURISTIC_MAX or s.guesses == guesses:
            s.settled = 1
            return
