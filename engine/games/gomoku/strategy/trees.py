"""Threat trees: a win by threats with all its replies, and the replies that it does not tolerate.

A pass-win is what the attacker would win by if the defender passed. Most replies leave it as it
is, and a search for each of them would find the same tree again. So the tree is written down once,
move by move. A reply that cannot touch it loses to it; for a reply that may, the tree is played
through with the reply on the board, and every answer of the defender is listed there anew. What
either way proves is proven.

Boards on which a rule forbids moves are no matter of these kernels: what is forbidden depends on
more cells than a tree notes.
"""

from typing import Any

import numpy as np
from numba import from_dtype, types

from engine.games.gomoku.board import (
    CELLS,
    EMPTY,
    FIVE_MOVE,
    LEVELS,
    OPEN_FOURS,
    STEPS,
    State,
    find,
    place,
    take_back,
)
from engine.games.gomoku.strategy.threat_search import (
    ThreatSearch,
    find_threat_win,
    go_on,
    known_move,
)
from engine.games.gomoku.threats import (
    Threats,
    out_of_limits,
    set_limits,
    win_at_hand,
)
from engine.games.gomoku.vct import list_replies
from engine.kernels import kernel

_ENTRIES = 1 << 15
_BASES = 24
_MOVE_BITS = np.uint64(11)
_MOVE_MASK = np.uint64(2047)

TREE = np.dtype(
    [
        ("moves", np.uint64, _ENTRIES),
        ("played", np.uint8, CELLS),
        ("replied", np.uint8, CELLS),
        ("touched", np.uint8, CELLS),
        ("tried", np.uint8, CELLS),
        ("plies", np.int64),
        ("longest", np.int64),
        ("hardest", np.int64),
        ("bases", np.uint64, _BASES),
        ("base_count", np.int64),
    ],
    align=True,
)
"""One tree. `moves` has the attacker's move in each of its positions, with the upper bits of the
position's hash; a position that another one displaced is searched again. `played` marks the cells
the attacker needs: his moves, his fives and the cells where he threatens to leave two ways to a
five; `replied` the defender's replies; `touched` every cell on a line with a played one. `plies`
is the length of its longest line. `bases` are the Zobrist numbers of replies after which another
win was found, whose moves are noted beside those of the first.
"""

Tree = from_dtype(TREE)


# Nodes to mend a tree with, where a reply meets it in one place.
_NODES_TO_MEND = 400


@kernel(types.void(State, Tree, types.int64))
def _note_move(s: Any, tree: Any, move: int) -> None:
    """Write down the attacker's move in the position on the board."""
    tree.moves[s.hash & np.uint64(_ENTRIES - 1)] = s.hash & ~_MOVE_MASK | np.uint64(move)
    tree.played[move] = 1


@kernel(types.int64(Tree, types.uint64))
def _noted_move(tree: Any, key: Any) -> int:
    """The attacker's move in the position of this hash, 0 if none is noted."""
    entry = tree.moves[key & np.uint64(_ENTRIES - 1)]
    return int(np.int64(entry & _MOVE_MASK)) if (entry ^ key) >> _MOVE_BITS == 0 else 0


@kernel(types.int64(State, Threats, ThreatSearch, types.int64))
def _find_move(s: Any, t: Any, q: Any, start: int) -> int:
    """The first move of a win by threats, 0 if none is found.

    Searched within the limits that are set, with lists of moves from `start` on.
    """
    move = known_move(q, s.hash)
    if move > 0 and s.cell[move] == EMPTY:
        return move
    return int(q.move) if go_on(s, t, q, start) > 0 else 0


@kernel(types.void(State, Tree))
def _note_aims(s: Any, tree: Any) -> None:
    """Mark what the attacker, who moved last, threatens: a five, else two ways to one."""
    attacker = 1 - s.colour
    if s.level_count[attacker * LEVELS + FIVE_MOVE] > 0:
        tree.played[find(s, attacker, FIVE_MOVE)] = 1
        return
    for index in range(s.size * s.size):
        at = s.cells[index]
        if s.level[attacker * CELLS + at] == OPEN_FOURS:
            tree.played[at] = 1


@kernel(types.int64(State, Threats, ThreatSearch, Tree, types.int64))
def _grow(s: Any, t: Any, q: Any, tree: Any, start: int) -> int:
    """Write down the win of the side to move; lists moves from `start` on.

    Returns the plies it takes at most, 0 if it was not found within the limits that are set.
    """
    if out_of_limits(s, t):
        return 0
    at_hand = win_at_hand(s, t, 0)
    move = int(t.line[0]) if at_hand > 0 else _find_move(s, t, q, start)
    if move == 0:
        return 0
    _note_move(s, tree, move)
    if at_hand > 0:
        return int(at_hand)
    place(s, move)
    s.nodes += 1
    _note_aims(s, tree)
    end = list_replies(s, t, start)
    longest = plies = 0
    for index in range(start, end):
        reply = int(t.moves[index])
        tree.replied[reply] = 1
        place(s, reply)
        s.nodes += 1
        plies = _grow(s, t, q, tree, end)
        take_back(s, reply)
        if plies == 0:
            break
        longest = max(longest, plies)
    take_back(s, move)
    return longest + 2 if plies > 0 else 0


@kernel(types.void(State, Tree))
def _mark_touched(s: Any, tree: Any) -> None:
    for index in range(s.size * s.size):
        at = int(s.cells[index])
        if tree.played[at]:
            tree.touched[at] = 1
            for step in STEPS:
                for distance in range(1, s.reach + 1):
                    tree.touched[at + distance * step] = 1
                    tree.touched[at - distance * step] = 1


@kernel(types.int64(State, Threats, ThreatSearch, Tree, types.int64))
def grow_tree(s: Any, t: Any, q: Any, tree: Any, max_nodes: int) -> int:
    """Write a win by threats of the side to move, as `q` has found it, to `tree`.

    Returns the plies it takes at most, 0 if `max_nodes` are not enough to write it down.
    """
    tree.moves[:] = 0
    tree.played[:] = 0
    tree.replied[:] = 0
    tree.touched[:] = 0
    tree.base_count = 0
    set_limits(s, t, max_nodes)
    q.attacker = s.colour
    tree.plies = _grow(s, t, q, tree, 0)
    _mark_touched(s, tree)
    return int(tree.plies)


@kernel(types.boolean(State, Tree, types.int64))
def _gains_four(s: Any, tree: Any, at: int) -> bool:
    """Whether a stone of the side to move on `at` could be part of a four in the tree.

    A four, and two ways to make one, take two further stones among five cells in a row with `at`.
    The replies in the tree count as such stones.
    """
    opponent = 2 - s.colour
    for step in STEPS:
        for first in range(-4, 1):
            others = 0
            for distance in range(first, first + 5):
                other = at + distance * step
                cell = s.cell[other]
                if cell == opponent or cell > 2:
                    others = -5
                elif distance != 0 and (cell != EMPTY or tree.replied[other]):
                    others += 1
            if others >= 2:
                return True
    return False


@kernel(types.int64(State, Threats, ThreatSearch, Tree, types.uint64, types.int64, types.boolean))
def _replay(s: Any, t: Any, q: Any, tree: Any, exchanged: Any, start: int, mend: bool) -> int:
    """Plies within which the side to move wins by the moves in the tree, 0 if they do not tell.

    The position differs from one in the tree by stones of the defender, whose Zobrist numbers
    together are `exchanged`. Where the tree does not lead on, a search may `mend` it within the
    limits that are set.
    """
    if out_of_limits(s, t):
        return 0
    at_hand = win_at_hand(s, t, 0)
    fives = s.level_count[(1 - s.colour) * LEVELS + FIVE_MOVE]
    if at_hand > 0 or fives > 1:
        return int(at_hand)
    move = _noted_move(tree, s.hash ^ exchanged)
    longest = plies = 0
    if (
        move > 0
        and s.cell[move] == EMPTY
        and (fives == 0 or move == find(s, 1 - s.colour, FIVE_MOVE))
    ):
        place(s, move)
        s.nodes += 1
        end = list_replies(s, t, start)
        for index in range(start, end):
            reply = int(t.moves[index])
            place(s, reply)
            s.nodes += 1
            plies = _replay(s, t, q, tree, exchanged, end, mend)
            take_back(s, reply)
            if plies == 0:
                break
            longest = max(longest, plies)
        take_back(s, move)
    if plies > 0:
        return longest + 2
    return max(go_on(s, t, q, start), 0) if mend else 0


@kernel(types.int64(State, Threats, ThreatSearch, Tree, types.int64, types.int64))
def refute(s: Any, t: Any, q: Any, tree: Any, at: int, max_nodes: int) -> int:
    """Plies, counted after it, within which the reply `at` loses to the win in `tree`, or to
    another win by threats that is found within `max_nodes`; 0 where neither shows that it loses.

    The side to move has no five at hand. Another win found is kept in the tree for later replies.
    """
    if not tree.touched[at] and not _gains_four(s, tree, at):
        return int(tree.plies)
    key = s.zobrist[s.colour * CELLS + at]
    place(s, at)
    s.nodes += 1
    q.attacker = s.colour
    set_limits(s, t, _NODES_TO_MEND)
    plies = _replay(s, t, q, tree, key, 0, True)
    for index in range(tree.base_count - 1, -1, -1):
        if plies > 0:
            break
        set_limits(s, t, _NODES_TO_MEND)
        plies = _replay(s, t, q, tree, key ^ tree.bases[index], 0, False)
    if plies == 0:
        plies = max(find_threat_win(s, t, q, max_nodes), 0)
        if plies > 0 and tree.base_count < _BASES:
            set_limits(s, t, max_nodes)
            if _grow(s, t, q, tree, 0) > 0:
                tree.bases[tree.base_count] = key
                tree.base_count += 1
    take_back(s, at)
    return int(plies)


@kernel(
    types.int64(
        State, Threats, ThreatSearch, Tree, types.int16[::1], types.int16[::1], *[types.int64] * 2
    )
)
def list_answers(
    s: Any, t: Any, q: Any, tree: Any, first: Any, answers: Any, most: int, max_nodes: int
) -> int:
    """Write the replies that `refute` does not refute to `answers`, `most` of them at most.

    Those in `first` are tried first. Returns their number; where it is less than `most`, all
    others lose within `tree.longest` plies, counted after the reply, and `tree.hardest` is one that
    lasts so long.
    """
    count = 0
    tree.longest = tree.hardest = 0
    for index in range(len(first) + s.size * s.size):
        at = int(first[index]) if index < len(first) else int(s.cells[index - len(first)])
        if s.cell[at] != EMPTY or (index >= len(first) and tree.tried[at]):
            continue
        if s.stop or s.nodes >= s.node_limit:
            count = most
            break
        if index < len(first):
            tree.tried[at] = 1
        plies = refute(s, t, q, tree, at, max_nodes)
        if plies > tree.longest:
            tree.longest, tree.hardest = plies, at
        if plies == 0:
            answers[count] = at
            count += 1
            if count == most:
                break
    for at in first:
        tree.tried[at] = 0
    return count
