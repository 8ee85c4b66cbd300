"""Does the breaker hold a position, moving second? Df-pn (Nagai, 2002) with relevance zones.

A proof that the breaker holds a position needs some cells to be free, its *zone*: those of the
pairing it ends in, and of the answers on the way. A stone of the maker's outside the zone changes
nothing. So the proof against one reply holds against all that are outside its zone, and the maker
node is proven as soon as no cell is in the zones of all its proofs (relevance zones; Thomsen,
2000, for Go). The zone of the node is then what the proofs used need together.

A proof number is an estimate of what is missing to a proof that the breaker holds, a disproof
number the same for the maker. Maker nodes sum up what is missing for each of the moves left. At
breaker nodes the disproof number is that of the hardest answer and a quarter for each other: the
answers share most of what refutes them (weak proof numbers; Ueda, Hashimoto, Hashimoto & Iida,
2008).

Two tables are given with each call: what is open, of bounded size, and what is proven, of which
nothing is ever dropped.
"""

from typing import Any

import numpy as np
from numba import from_dtype, types

from engine.games.gomoku.breaker.board import (
    BREAKER,
    LINES_THROUGH_A_CELL,
    MAKER,
    MAX_CELLS,
    SYMMETRIES,
    WINDOW,
    Board,
    canonical_symmetry,
    count,
    free_cells,
    has,
    image_of,
    makers_in,
    only,
    open_windows,
    put,
)
from engine.games.gomoku.breaker.fours import maker_wins_at_once
from engine.games.gomoku.breaker.pairing import pair_up, paired
from engine.kernels import Word, entry_kernel, i64, kernel

INFINITY = 1 << 29
"""The proof number of what the maker wins, and the disproof number of what is proven."""

OPEN, STOPPED, FULL = 0, 1, 2
"""Whether a search was cut off: not, by its nodes, or because the table of proofs is full."""

PAIRED, BY_ANSWERS = -1, -2
"""In place of an answer where the maker is to move: a pairing; answers to his moves."""

WAYS = 4
"""Entries among which the place of one open position is."""

# Nodes for a pairing, for each cell of the board. With less, pairings of large boards are missed;
# with more, most time goes into looking for pairings that do not exist.
_NODES_FOR_PAIRS = 2
# First estimates, where nothing is known; found by trying what proves 7x7 with fewest positions.
_A_CELL_MISSING = 8
_PARTS_OF_POTENTIAL = 4
_PARTS_OF_ATTACK = 8
# What other answers count for a disproof, and how far a search stays below the second best.
_SHARE_OF_OTHERS = 4
_STAY = 4
# In choosing proofs for a maker node: what a move answered counts, less a cell needed.
_ANSWERED, _NEEDED = 2, 3

_BREAKERS_TURN = np.uint64(0x2545F4914F6CDD1D)

OPEN_ENTRY = np.dtype(
    [("hash", np.uint64), ("proof", np.int32), ("disproof", np.int32)], align=True
)
PROVEN_ENTRY = np.dtype(
    [("hash", np.uint64), ("zone", np.uint64), ("answer", np.int64)], align=True
)
_PLIES = MAX_CELLS + 1
SEARCH = np.dtype(
    [
        ("cell", np.int64, _PLIES * MAX_CELLS),
        ("cell_proof", np.int64, _PLIES * MAX_CELLS),
        ("cell_disproof", np.int64, _PLIES * MAX_CELLS),
        ("cell_zone", np.uint64, _PLIES * MAX_CELLS),
        ("left", np.uint64, _PLIES),
        ("proof", np.int64),
        ("disproof", np.int64),
        ("zone", np.uint64),
        ("answer", np.int64),
        ("best", np.int64),
        ("second", np.int64),
        ("sum", np.int64),
        ("nodes", np.int64),
        ("limit", np.int64),
        ("proven", np.int64),
        ("state", np.int64),
    ],
    align=True,
)
"""The moves on the way down, and what was found of the last position.

`left` are the maker's moves at a node that no proof answers yet. `zone` is in the orientation of
the board.
"""

Search = from_dtype(SEARCH)
OpenTable = types.Array(from_dtype(OPEN_ENTRY), 1, "C")
ProvenTable = types.Array(from_dtype(PROVEN_ENTRY), 1, "C")


@kernel(types.uint64(Board, types.int64, types.boolean))
def _key(s: Any, symmetry: int, makers_turn: bool) -> Word:
    return s.hash[symmetry] if makers_turn else s.hash[symmetry] ^ _BREAKERS_TURN


@kernel(types.int64(ProvenTable, types.uint64))
def place_of(proven: Any, key: Any) -> int:
    """Where the table of proofs has the position of this key, or would put it."""
    last = np.uint64(len(proven) - 1)
    place = key & last
    while proven[place].hash != key and proven[place].hash != np.uint64(0):
        place = (place + np.uint64(1)) & last
    return int(np.int64(place))


@kernel(types.boolean(Board, Search, OpenTable, ProvenTable, types.boolean))
def look_up(s: Any, q: Any, table: Any, proven: Any, makers_turn: bool) -> bool:
    """Whether the position is known; if so, `proof`, `disproof`, `zone` and `answer` are set."""
    symmetry = canonical_symmetry(s)
    key = _key(s, symmetry, makers_turn)
    q.zone, q.answer = np.uint64(0), PAIRED
    place = place_of(proven, key)
    if proven[place].hash == key:
        back = s.inverse[symmetry]
        q.proof, q.disproof = 0, INFINITY
        q.zone = image_of(s, back, proven[place].zone)
        q.answer = proven[place].answer
        if q.answer >= 0:
            q.answer = s.image[back * MAX_CELLS + q.answer]
        return True
    first = i64(key & np.uint64(len(table) - WAYS))
    for way in range(first, first + WAYS):
        if table[way].hash == key:
            q.proof, q.disproof = table[way].proof, table[way].disproof
            return True
    return False


@kernel(types.void(Board, Search, OpenTable, ProvenTable, types.boolean))
def _store(s: Any, q: Any, table: Any, proven: Any, makers_turn: bool) -> None:
    symmetry = canonical_symmetry(s)
    key = _key(s, symmetry, makers_turn)
    if q.proof == 0:
        place = place_of(proven, key)
        if proven[place].hash == key:
            return
        proven[place].hash = key
        proven[place].zone = image_of(s, symmetry, q.zone)
        proven[place].answer = q.answer
        if q.answer >= 0:
            proven[place].answer = s.image[symmetry * MAX_CELLS + q.answer]
        q.proven += 1
        if 4 * q.proven > 3 * len(proven):
            q.state = FULL
        return
    first = i64(key & np.uint64(len(table) - WAYS))
    # The numbers of a position tell how much work it took.
    chosen, least = first, 2 * INFINITY
    for way in range(first, first + WAYS):
        if table[way].hash == key or table[way].hash == np.uint64(0):
            chosen = way
            break
        work = min(table[way].proof, table[way].disproof)
        if work < least:
            chosen, least = way, work
    table[chosen].hash = key
    table[chosen].proof, table[chosen].disproof = q.proof, q.disproof


@kernel(types.int64(Board))
def _potential(s: Any) -> int:
    """The sum over the open windows of 2 to the number of the maker's stones."""
    total = 0
    for line in range(s.lines):
        windows = open_windows(s, line)
        for window in range(s.length[line] - WINDOW + 1):
            if windows >> window & 1:
                total += 1 << s.bits[makers_in(s, line, window)]
    return total


@kernel(types.int64(Board, types.int64))
def _attack(s: Any, cell: int) -> int:
    """The sum over the open windows with a cell of 4 to the number of the maker's stones."""
    total = 0
    for n in range(s.through[cell]):
        slot = cell * LINES_THROUGH_A_CELL + n
        line, place = s.line_of[slot], s.place_of[slot]
        windows = open_windows(s, line)
        last = min(place, s.length[line] - WINDOW)
        for window in range(max(0, place - WINDOW + 1), last + 1):
            if windows >> window & 1:
                total += 1 << 2 * s.bits[makers_in(s, line, window)]
    return total


@kernel(types.void(Board, Search))
def _evaluate(s: Any, q: Any) -> None:
    """Settle a position with the maker to move at first sight, or estimate its numbers."""
    q.zone, q.answer = np.uint64(0), PAIRED
    if maker_wins_at_once(s):
        q.proof, q.disproof = INFINITY, 0
        return
    s.pairing_limit = _NODES_FOR_PAIRS * s.cells
    if pair_up(s, ~np.uint64(0)):
        q.proof, q.disproof, q.zone = 0, INFINITY, paired(s)
        return
    q.proof = 1 + _A_CELL_MISSING * max(s.deficit, 1) + _potential(s) // _PARTS_OF_POTENTIAL
    q.disproof = 1


@kernel(types.int64(Board, Search, types.uint64, types.int64))
def _list_cells(s: Any, q: Any, among: Word, base: int) -> int:
    """List the cells of open windows, the strongest for either side first, from `base` on."""
    end = base
    for cell in range(s.cells):
        attack = _attack(s, cell) if has(among, cell) else 0
        if attack == 0:
            continue
        at = end
        while at > base and q.cell_proof[at - 1] < attack:
            q.cell[at], q.cell_proof[at] = q.cell[at - 1], q.cell_proof[at - 1]
            at -= 1
        q.cell[at], q.cell_proof[at] = cell, attack
        end += 1
    return end


@kernel(types.void(Search, types.int64, types.int64, types.boolean))
def _note(q: Any, n: int, ply: int, makers_turn: bool) -> None:
    """Keep what was found of the move at `n` of the lists."""
    q.cell_proof[n], q.cell_disproof[n], q.cell_zone[n] = q.proof, q.disproof, q.zone
    if q.proof == 0:
        if makers_turn:
            q.left[ply] &= q.zone
        else:
            q.cell_zone[n] |= only(q.cell[n])


@kernel(types.int64(Board, Search, OpenTable, ProvenTable, types.int64))
def _list_moves(s: Any, q: Any, table: Any, proven: Any, ply: int) -> int:
    """List the maker's moves at a node with what is known of them; returns the list's end."""
    base = ply * MAX_CELLS
    end = _list_cells(s, q, free_cells(s), base)
    q.left[ply] = np.uint64(0)
    for n in range(base, end):
        q.left[ply] |= only(q.cell[n])
    for n in range(base, end):
        put(s, MAKER, q.cell[n])
        if not look_up(s, q, table, proven, False):
            q.proof, q.disproof = 1 + q.cell_proof[n] // _PARTS_OF_ATTACK, 1
        put(s, MAKER, q.cell[n])
        _note(q, n, ply, True)
    return int(end)


@kernel(types.int64(Board, Search, OpenTable, ProvenTable, types.int64))
def _list_answers(s: Any, q: Any, table: Any, proven: Any, ply: int) -> int:
    """List the breaker's answers at a node, each settled or estimated; returns the list's end.

    Where the maker threatens to win by fours, only the cells of that win can stop it.
    """
    base = ply * MAX_CELLS
    among = free_cells(s)
    if maker_wins_at_once(s):
        among &= s.fours
    end = _list_cells(s, q, among, base)
    for n in range(base, end):
        put(s, BREAKER, q.cell[n])
        if not look_up(s, q, table, proven, True):
            _evaluate(s, q)
            _store(s, q, table, proven, True)
        put(s, BREAKER, q.cell[n])
        _note(q, n, ply, False)
    return int(end)


@kernel(types.uint64(Search, types.int64, types.int64))
def _choose(q: Any, base: int, end: int) -> Word:
    """The zone of a maker node: of few proofs that answer all moves, with few cells together."""
    left, zone = ~np.uint64(0), np.uint64(0)
    while left != np.uint64(0):
        chosen, most = -1, 0
        for n in range(base, end):
            if q.cell_proof[n] == 0:
                answered = count(left & ~q.cell_zone[n])
                score = _ANSWERED * answered - _NEEDED * count(q.cell_zone[n] & ~zone)
                if answered > 0 and (chosen < 0 or score > most):
                    chosen, most = n, score
        zone |= q.cell_zone[chosen]
        left &= q.cell_zone[chosen]
    return zone


@kernel(types.void(Search, types.int64, types.int64, types.int64))
def _sum_up_moves(q: Any, base: int, end: int, ply: int) -> None:
    """The numbers of a maker node by those of its moves, the best of these, and the second best."""
    q.sum, q.disproof, q.second, q.best = 0, INFINITY, INFINITY, -1
    for n in range(base, end):
        if not has(q.left[ply], q.cell[n]):
            continue
        q.sum = min(INFINITY, q.sum + q.cell_proof[n])
        if q.cell_disproof[n] < q.disproof:
            q.second, q.disproof, q.best = q.disproof, q.cell_disproof[n], n
        else:
            q.second = min(q.second, q.cell_disproof[n])
    q.proof = q.sum
    if q.disproof == 0:
        q.proof = INFINITY
    if q.best < 0:
        q.zone, q.answer = _choose(q, base, end), BY_ANSWERS


@kernel(types.void(Search, types.int64, types.int64))
def _sum_up_answers(q: Any, base: int, end: int) -> None:
    """The numbers of a breaker node by those of its answers, the best, and the second best."""
    q.proof, q.second, q.best, q.sum = INFINITY, INFINITY, -1, 0
    hardest, others = 0, -1
    for n in range(base, end):
        if q.cell_disproof[n] == 0:
            continue
        others += 1
        hardest = max(hardest, q.cell_disproof[n])
        smaller = q.best >= 0 and q.proof == 0 and q.cell_proof[n] == 0
        if smaller:
            smaller = count(q.cell_zone[n]) < count(q.cell_zone[q.best])
        if q.cell_proof[n] < q.proof or smaller:
            q.second, q.proof, q.best = q.proof, q.cell_proof[n], n
        else:
            q.second = min(q.second, q.cell_proof[n])
    q.disproof = min(INFINITY, hardest + max(0, others) // _SHARE_OF_OTHERS)
    if q.best >= 0 and q.proof == 0:
        q.disproof = INFINITY
        q.zone, q.answer = q.cell_zone[q.best], q.cell[q.best]


@kernel(types.void(Board, Search, OpenTable, ProvenTable, types.int64, types.int64, types.int64))
def _visit(s: Any, q: Any, table: Any, proven: Any, proof: int, disproof: int, ply: int) -> None:
    """Search until the position is settled or one of its numbers reaches its limit."""
    q.nodes += 1
    if q.nodes >= q.limit and q.state == OPEN:
        q.state = STOPPED
    makers_turn = ply % 2 == 0
    side = MAKER if makers_turn else BREAKER
    base = ply * MAX_CELLS
    if makers_turn:
        end = _list_moves(s, q, table, proven, ply)
    else:
        end = _list_answers(s, q, table, proven, ply)
    while True:
        q.zone, q.answer = np.uint64(0), PAIRED
        if makers_turn:
            _sum_up_moves(q, base, end, ply)
        else:
            _sum_up_answers(q, base, end)
        settled = q.proof == 0 or q.disproof == 0
        if settled or q.proof >= proof or q.disproof >= disproof or q.state != OPEN:
            break
        n = q.best
        if makers_turn:
            child_proof = proof - q.sum + q.cell_proof[n]
            child_disproof = min(disproof, q.second + 1)
        else:
            child_proof = min(proof, q.second + 1 + q.second // _STAY)
            child_disproof = disproof - q.disproof + q.cell_disproof[n]
        put(s, side, q.cell[n])
        _visit(s, q, table, proven, child_proof, child_disproof, ply + 1)
        put(s, side, q.cell[n])
        _note(q, n, ply, makers_turn)
    _store(s, q, table, proven, makers_turn)


@entry_kernel(types.void(Board, Search, OpenTable, ProvenTable))
def search(s: Any, q: Any, table: Any, proven: Any) -> None:
    """Search the position, the maker to move, until it is settled or the search is cut off.

    `limit` are the nodes at which it is, counted on from call to call; `state` tells whether.
    """
    q.state = OPEN
    if not look_up(s, q, table, proven, True):
        _evaluate(s, q)
        _store(s, q, table, proven, True)
    if q.proof > 0 and q.disproof > 0:
        _visit(s, q, table, proven, INFINITY, INFINITY, 0)


@entry_kernel(types.void(ProvenTable, ProvenTable))
def move_proofs(proven: Any, larger: Any) -> None:
    """Put all proofs into a larger, empty table."""
    for place in range(len(proven)):
        if proven[place].hash != np.uint64(0):
            larger[place_of(larger, proven[place].hash)] = proven[place]


@kernel(types.int64(Board, Search, ProvenTable))
def list_proofs(s: Any, q: Any, proven: Any) -> int:
    """List, with the maker to move, the moves to which an answer is proven; how many there are.

    For each the move is in `cell`, the answer in `cell_proof` and the zone in `cell_zone`. Where
    symmetries leave the position after a move as it is, their images of a proof are listed too.
    """
    end = 0
    free = free_cells(s)
    for cell in range(s.cells):
        if not has(free, cell):
            continue
        put(s, MAKER, cell)
        smallest = canonical_symmetry(s)
        key = _key(s, smallest, False)
        place = place_of(proven, key)
        if proven[place].hash == key:
            for symmetry in range(smallest, SYMMETRIES):
                if s.hash[symmetry] == s.hash[smallest]:
                    back = s.inverse[symmetry]
                    q.cell[end] = cell
                    q.cell_proof[end] = s.image[back * MAX_CELLS + proven[place].answer]
                    q.cell_zone[end] = image_of(s, back, proven[place].zone)
                    end += 1
        put(s, MAKER, cell)
    return end
