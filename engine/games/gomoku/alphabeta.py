"""Alpha-beta over the incremental board: iterative deepening, null windows, transpositions.

Values are from the point of view of the side to move, decisive ones counted from the root: a
win *n* plies from the root is ``WIN - n``. A decisive value is always a proof. Only moves near
stones are looked at, which is enough for the side that wins; the side that loses must have had
every move. Where the moves looked at may not be all that matter, and all of them lose, the
value is therefore cut down to ``-HEURISTIC_MAX``. A move that the rule forbids is never looked
at, and a side that has no other move has lost. A reduced search that ends in a decisive value
proves it all the same, and late quiet moves that are left out count as moves not looked at.

`s.guesses` counts what the search took on trust: evaluations and left-out moves. Where it did
not grow, the value is the game's own.
"""

from typing import Any

import numpy as np
from numba import from_dtype, types
from numpy.typing import NDArray

from engine.games.gomoku.board import (
    CELLS,
    EMPTY,
    FIVE_MOVE,
    FOUR_MOVE,
    FOUR_THREE,
    LEVELS,
    MAX_CELLS,
    MAX_PLY,
    MOVER,
    OPEN_FOURS,
    PLAIN,
    STEPS,
    WAITER,
    State,
    cannot_parry,
    find,
    find_lasting_threat,
    find_two_ways,
    is_forbidden,
    place,
    take_back,
)
from engine.games.gomoku.limits import NODES_BETWEEN_CHECKS, check_limits
from engine.kernels import kernel
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
_FIRST = 1 << 27
# More fours at the horizon find more wins, but cost more depth than they are worth.
_FOURS_AT_HORIZON = 2
# From this depth on quiet moves but the first are searched less deep, the later the less.
_REDUCED_FROM_DEPTH = 3
# At depth d no more quiet moves than 3 + 2·d are searched.
_QUIET_MOVES, _QUIET_MOVES_PER_PLY = 3, 2
_KILLER_RANK = 2048
_HISTORY_MAX, _HISTORY_STEP_MAX = 4096, 1024


def _reductions() -> NDArray[np.int8]:
    """By depth and by a move's place in the list: plies that its search is shortened by."""
    depths, places = np.ogrid[1:MAX_PLY, 1:MAX_CELLS]
    table = np.zeros((MAX_PLY, MAX_CELLS), dtype=np.int8)
    table[_REDUCED_FROM_DEPTH:, 1:] = (0.8 + np.log(depths) * np.log(places) / 1.3)[
        _REDUCED_FROM_DEPTH - 1 :
    ]
    return table


_REDUCTIONS = _reductions()


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
    order = 32 * (4 * own + 3 * other) + s.central[at] + s.history[s.colour * CELLS + at]
    if at == s.killers[2 * ply] or at == s.killers[2 * ply + 1]:
        order += _KILLER_RANK
    level = s.level_of[s.pattern[s.colour * CELLS + at]]
    if level >= OPEN_FOURS:
        # A sure win is taken before a longer one is looked for.
        order += level * _FIRST
    s.order[ply * MAX_CELLS + count] = order


@kernel(types.boolean(State, types.int64, types.int64))
def _may_play(s: Any, ply: int, at: int) -> bool:
    """Whether the move on the empty cell `at` is to be looked at."""
    return not (ply == 0 and s.excluded[at]) and not is_forbidden(s, at)


@kernel(types.int64(State, types.int64))
def _list_all(s: Any, ply: int) -> int:
    """List every legal move; returns their number."""
    count = 0
    for index in range(s.size * s.size):
        at = int(s.cells[index])
        if s.cell[at] == EMPTY and _may_play(s, ply, at):
            _list(s, ply, count, at)
            count += 1
    return count


@kernel(types.int64(State, types.int64))
def _list_near(s: Any, ply: int) -> int:
    """List the moves within two cells of a stone on a line; returns their number."""
    count = 0
    for index in range(s.size * s.size):
        at = int(s.cells[index])
        if s.cell[at] == EMPTY and s.near[at] > 0 and _may_play(s, ply, at):
            _list(s, ply, count, at)
            count += 1
    return count


@kernel(types.int64(State, types.int64, types.int64))
def _list_parries(s: Any, ply: int, threat: int) -> int:
    """List every move that may parry the opponent's threat of an open four.

    He could make it on the cell `threat`, which `lasts`, and neither side has a five at hand. A
    move off the lines through that cell leaves it as it is: unless the move makes a four, the
    opponent plays there, and wins on the fourth ply from now.
    """
    count = 0
    for index in range(s.size * s.size):
        at = int(s.cells[index])
        if s.cell[at] != EMPTY or not _may_play(s, ply, at):
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
        if _may_play(s, ply, forced):
            _list(s, ply, 0, forced)
            return 1
        return _list_all(s, ply)
    threat = find_lasting_threat(s, 1 - s.colour)
    if threat > 0:
        count = _list_parries(s, ply, threat)
    elif depth >= s.empties:
        return _list_all(s, ply)
    else:
        s.complete = 0
        count = _list_near(s, ply)
    if count == 0:
        s.complete = 1
        count = _list_all(s, ply)
    return count


@kernel(types.void(State, types.int64, types.int64, types.int64))
def _remember(s: Any, ply: int, depth: int, index: int) -> None:
    """The quiet move at `index` failed high: rank it higher from now on, those before it lower.

    What a move has earned moves towards ±`_HISTORY_MAX` and never beyond it.
    """
    moves, start = ply * MAX_CELLS, s.colour * CELLS
    if s.killers[2 * ply] != s.moves[moves + index]:
        s.killers[2 * ply + 1] = s.killers[2 * ply]
        s.killers[2 * ply] = s.moves[moves + index]
    step = min(16 * depth * depth, _HISTORY_STEP_MAX)
    for earlier in range(index + 1):
        at = start + s.moves[moves + earlier]
        earned = step if earlier == index else -step
        s.history[at] += earned - s.history[at] * step // _HISTORY_MAX


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


@kernel(types.int64(types.int64, types.int64))
def _reduced(depth: int, index: int) -> int:
    """The depth left after the quiet move at `index` of a node of `depth`."""
    depth_left = depth - 1
    if depth >= _REDUCED_FROM_DEPTH:
        depth_left -= _REDUCTIONS[min(depth, MAX_PLY - 1), index]
    return max(depth_left, min(depth - 1, 1))


@kernel(types.int64(State, types.int64))
def _win_in_sight(s: Any, ply: int) -> int:
    """The value of a win in one or three plies, with its first move as the line; 0 if none."""
    s.pv_length[ply] = 0
    own, opponent = s.colour * LEVELS, (1 - s.colour) * LEVELS
    plies = 0
    if s.level_count[own + FIVE_MOVE] > 0:
        plies = 1
        s.pv[ply * MAX_PLY] = find(s, s.colour, FIVE_MOVE)
    elif s.level_count[own + OPEN_FOURS] > 0 and s.level_count[opponent + FIVE_MOVE] == 0:
        s.pv[ply * MAX_PLY] = find_two_ways(s, s.colour)
        plies = 3 if s.pv[ply * MAX_PLY] > 0 else 0
    if plies == 0:
        return 0
    s.pv_length[ply] = 1
    return WIN - ply - plies


@kernel(types.boolean(State))
def _can_make_four(s: Any) -> bool:
    """Whether the side to move has a move that makes a four, and no stronger one."""
    own = s.colour * LEVELS
    return bool(s.level_count[own + FOUR_MOVE] + s.level_count[own + FOUR_THREE] > 0)


@kernel(types.int64(State, types.int64, types.int64))
def _continuous_fours(s: Any, ply: int, fours: int) -> int:
    """The value of a win by continuous fours, at most `fours` of them before the last; 0 if none.

    To a four there is one reply, so that the win is a proof. A four of the opponent's is parried
    by a four of one's own or not at all.
    """
    if s.nodes >= s.next_check:
        check_limits(s)
    if s.stop:
        return 0
    value = _win_in_sight(s, ply)
    fives = s.level_count[(1 - s.colour) * LEVELS + FIVE_MOVE]
    # A four and its reply are two nodes, which the limit must have room for.
    ended = fours == 0 or ply >= MAX_PLY - 4 or s.nodes + 2 > s.node_limit
    if value > 0 or fives > 1 or ended:
        return value
    if fives == 0 and not _can_make_four(s):
        return 0
    forced = find(s, 1 - s.colour, FIVE_MOVE) if fives else 0
    for index in range(1 if fives else s.size * s.size):
        move = forced if fives else int(s.cells[index])
        if s.cell[move] != EMPTY or s.level_of[s.pattern[s.colour * CELLS + move]] < FOUR_MOVE:
            continue
        if is_forbidden(s, move):
            continue
        place(s, move)
        if s.forbidding > 0 and cannot_parry(s):
            take_back(s, move)
            s.nodes += 1
            s.pv_length[ply + 1] = 0
            _put_line(s, ply, move)
            return WIN - ply - 3
        reply = find(s, 1 - s.colour, FIVE_MOVE)
        place(s, reply)
        s.nodes += 2
        value = _continuous_fours(s, ply + 2, fours - 1)
        take_back(s, reply)
        take_back(s, move)
        if s.stop:
            return 0
        if value > 0:
            _put_line(s, ply + 1, reply)
            _put_line(s, ply, move)
            return value
    return 0


@kernel(types.int64(State, _Table, types.int64, types.int64))
def _at_horizon(s: Any, table: Any, beta: int, ply: int) -> int:
    """The value where the depth ends: the evaluation, or a win by continuous fours.

    Fours are tried where the evaluation does not reach `beta`, once for each position.
    """
    value = evaluate(s)
    if value < beta and _can_make_four(s):
        entry = table[_slot(s, table)]
        if entry.bound == _NO_ENTRY or entry.hash != s.hash:
            won = _continuous_fours(s, ply, _FOURS_AT_HORIZON)
            if s.stop:
                return 0
            if won > 0:
                _store(s, table, ply, 0, won, _LOWER, int(s.pv[ply * MAX_PLY]), 0)
                return won
            s.pv_length[ply] = 0
            _store(s, table, ply, 0, value, _EXACT, -1, 1)
        elif entry.bound != _UPPER and entry.value > HEURISTIC_MAX:
            return _from_root(int(entry.value), ply)
    s.guesses += 1
    return value


@kernel(types.int64(State, _Table, *[types.int64] * 4))
def search(s: Any, table: Any, alpha: int, beta: int, depth: int, ply: int) -> int:
    """The value of the position, fail-soft: exact between `alpha` and `beta`, else a bound.

    At most `alpha` means an upper, at least `beta` a lower bound. Meaningless once `s.stop` is
    set. The last move did not make a five: whoever could, would have won without playing it.
    """
    if s.nodes >= s.next_check:
        check_limits(s)
    if s.stop:
        return 0
    value = _win_in_sight(s, ply)
    if value > 0 or s.empties == 0:
        return value
    opponent = (1 - s.colour) * LEVELS
    fives = s.level_count[opponent + FIVE_MOVE]
    if cannot_parry(s):
        return -(WIN - ply - 2)
    if fives == 0 and depth <= 0:
        return _at_horizon(s, table, beta, ply)
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
    if count == 0:
        # The game is over: all that is left is forbidden.
        return -(WIN - ply)
    complete = s.complete
    # The only reply to a four costs no depth.
    next_depth = depth if fives else depth - 1
    for index in range(count):
        if s.moves[ply * MAX_CELLS + index] == known_move:
            s.order[ply * MAX_CELLS + index] = 8 * _FIRST
    best, best_move, lowest = -_INFINITY, -1, alpha
    # A search to the last cell leaves nothing out.
    whole = fives > 0 or s.level_count[opponent + OPEN_FOURS] > 0 or depth >= s.empties
    for index in range(count):
        move = _pick(s, ply, index, count)
        level = s.level_of[s.pattern[s.colour * CELLS + move]]
        quiet = level == PLAIN and not whole
        if quiet and index >= _QUIET_MOVES + _QUIET_MOVES_PER_PLY * depth:
            complete = 0
            continue
        place(s, move)
        s.nodes += 1
        if index == 0:
            value = -search(s, table, -beta, -lowest, next_depth, ply + 1)
        else:
            reduced = _reduced(depth, index) if quiet else next_depth
            value = -search(s, table, -lowest - 1, -lowest, reduced, ply + 1)
            if value > lowest and reduced < next_depth:
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
                if level < FOUR_MOVE:
                    _remember(s, ply, depth, index)
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
    opponent = (1 - s.colour) * LEVELS
    threats = s.level_count[opponent + OPEN_FOURS] + s.level_count[opponent + FIVE_MOVE]
    whole = threats > 0 or depth >= s.empties
    for index in range(count):
        move = int(s.moves[index])
        level = s.level_of[s.pattern[s.colour * CELLS + move]]
        if level == FIVE_MOVE:
            value = WIN - 1
            s.pv_length[1] = 0
        else:
            place(s, move)
            s.nodes += 1
            if index == 0:
                value = -search(s, table, -_INFINITY, _INFINITY, depth - 1, 1)
            else:
                quiet = level == PLAIN and not whole
                reduced = _reduced(depth, index) if quiet else depth - 1
                value = -search(s, table, -best - 1, -best, reduced, 1)
                if value > best and reduced < depth - 1:
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
    s.history[:] = 0
    s.killers[:] = 0
    s.nodes = s.guesses = s.stop = s.settled = 0
    s.next_check = min(NODES_BETWEEN_CHECKS, s.node_limit)
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
