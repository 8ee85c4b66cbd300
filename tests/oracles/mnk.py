"""Exact values of m,n,k-games: k in a row on m columns and n rows, more than k wins too.

The question put to the search is whether one side, the attacker, completes a line within a
number of plies; the other, the defender, tries to complete one first or to keep the attacker
from it. Asked for both sides and for growing numbers of plies, it gives value and distance.

Only these decide a position, and each of them is a proof:

- A line that can be completed is; a line that the opponent could complete is blocked.
- Where two lines that lack two cells each share one of them, the attacker threatens to play
  there and then to complete either. The defender answers on these lines, or by a threat to
  complete a line of his own at once (Allis, van den Herik and Huntjens, "Go-Moku solved by new
  search techniques", 1996).
- `_holds`: the defender has an answer to everything, by a pairing strategy (Hales and Jewett,
  "Regularity and positional games", 1963) on some cells and by counting the chances of the
  lines (Erdős and Selfridge, "On a combinatorial game", 1973) on the others.
- A further stone never harms its owner (Hales and Jewett, 1963). So a cell that is on no line
  which either side can still complete is never worth a move, and positions that differ only in
  such cells and in stones on dead lines have the same value and distance; the table holds what
  is left of a position, in full, so that no collision can go unseen.
- If the attacker cannot win where the defender's own lines do not count (the weak, or maker and
  breaker, game: Beck, "Combinatorial Games", 2008), he cannot win where they do.
"""

# The signatures given to numba are the types.
# mypy: allow-untyped-calls

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import from_dtype, types

from engine.game import Outcome
from engine.games.quadrants.alphabeta import popcount
from engine.kernels import kernel
from engine.position import Move, Position, board_of

MAX_CELLS = 64

# The most lines are those of two cells on 8×8: 210.
_MAX_LINES = 210
_TABLE_ENTRIES = 1 << 21
_UNLIMITED = np.iinfo(np.int64).max
_NEVER = 127

# The chance of a line, by the cells it lacks, to be completed by coin tosses; one is `_CERTAIN`.
# What is too small for the scale is rounded up, which never proves too much.
_CERTAIN = 1 << 40
_CHANCE = np.array([_CERTAIN >> min(lacking, 40) for lacking in range(MAX_CELLS + 1)])

_NONE, _ONE, _ALL = np.uint64(0), np.uint64(1), np.uint64(2**64 - 1)
_BYTE, _EIGHT = np.uint64(255), np.uint64(8)

_SEARCH = np.dtype(
    [
        ("lines", np.uint64, _MAX_LINES),
        ("line_count", np.int64),
        ("images", np.uint64, 8 * 8 * 256),
        ("symmetries", np.int64),
        # What `_read_lines` finds: lines the attacker may complete in time, and what they lack.
        ("open", np.uint64, _MAX_LINES),
        ("lacking", np.uint64, _MAX_LINES),
        ("open_count", np.int64),
        ("wins", np.uint64),
        ("losses", np.uint64),
        ("counters", np.uint64),
        ("defended", np.uint64),
        # What `_holds` works on.
        ("rest", np.uint64, _MAX_LINES),
        ("chance", np.int64, MAX_CELLS),
        ("pair_chance", np.int64, MAX_CELLS * MAX_CELLS),
        # What `_reduce` finds.
        ("empties", np.uint64),
        ("attacker", np.uint64),
        ("defender", np.uint64),
        ("order", np.int64, (MAX_CELLS + 1) * MAX_CELLS),
        ("best", np.int64, MAX_CELLS + 1),
        ("weak", np.int64),
        ("nodes", np.int64),
        ("node_limit", np.int64),
        ("stopped", np.int64),
    ],
    align=True,
)
_ENTRY = np.dtype(
    [
        ("attacker", np.uint64),
        ("defender", np.uint64),
        ("work", np.int64),
        ("wins_in", np.int8),
        ("safe_for", np.int8),
        ("kind", np.uint8),
    ],
    align=True,
)
_Search = from_dtype(_SEARCH)
_Entry = from_dtype(_ENTRY)
_Table = _Entry[::1]


@dataclass(frozen=True, slots=True)
class MnkResult:
    """What best play leads to.

    `outcome` is None where the node limit came first. `plies` counts the moves to the end if one
    side wins: the winner hurries, the loser delays. `move` is one with which the side to move
    wins in so many plies, None where it does not win.
    """

    outcome: Outcome | None
    plies: int | None
    move: Move | None
    nodes: int


def solve(
    columns: int,
    rows: int,
    length: int,
    start: Position | None = None,
    *,
    nodes: int | None = None,
) -> MnkResult:
    """The value of `start`, by default the empty board, where `length` or more in a row win.

    Cells are numbered ``row * columns + column``. `nodes` limits the positions looked at. The
    result depends on the arguments alone.

    Raises:
        ValueError: if the board is empty or has more than 64 cells, `length` or `nodes` is not
            positive, or `start` is no unfinished position of this board.
    """
    cells = columns * rows
    if min(columns, rows, length) < 1 or cells > MAX_CELLS:
        raise ValueError(
            f"{length} in a row on {columns}×{rows}: sizes are positive, cells at most {MAX_CELLS}"
        )
    if nodes is not None and nodes < 1:
        raise ValueError(f"nodes must be greater than zero, not {nodes}")
    start = start or Position()
    dark, light, free = start.dark, start.light, cells - start.ply
    lines = _lines(columns, rows, length)
    won = any(stones & line == line for stones in (dark, light) for line in lines)
    if dark & light or (dark | light) >> cells or won or not free:
        raise ValueError(f"{start} is no unfinished position on {columns}×{rows}")
    search = _set_up(columns, rows, lines)
    search["node_limit"] = nodes or _UNLIMITED
    table = np.zeros(_TABLE_ENTRIES, dtype=_ENTRY)
    own, other, win, loss = dark, light, Outcome.DARK_WINS, Outcome.LIGHT_WINS
    if not start.dark_to_move:
        own, other, win, loss = other, own, loss, win
    outcome, plies, move = Outcome.DRAW, None, None
    if plies := _plies_to_win(search, table, own, other, True, free):
        outcome, move = win, int(search["best"][0])
    elif plies := _plies_to_win(search, table, other, own, False, free):
        outcome = loss
    count = int(search["nodes"])
    if search["stopped"]:
        return MnkResult(None, None, None, count)
    return MnkResult(outcome, plies, move, count)


def _lines(columns: int, rows: int, length: int) -> list[int]:
    """The bitboards of all lines of `length` cells, ascending."""
    found = set()
    for row in range(rows):
        for column in range(columns):
            for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                last_row, last_column = row + (length - 1) * up, column + (length - 1) * right
                if last_row < rows and 0 <= last_column < columns:
                    step = up * columns + right
                    first = row * columns + column
                    found.add(board_of(first + place * step for place in range(length)))
    return sorted(found)


def _set_up(columns: int, rows: int, lines: list[int]) -> Any:
    """A search record for the board, with its lines and its symmetries."""
    search = np.zeros(1, dtype=_SEARCH)[0]
    search["lines"][: len(lines)] = lines
    search["line_count"] = len(lines)
    cells = np.arange(columns * rows).reshape(rows, columns)
    maps = [
        np.rot90(mirrored, turn).ravel()
        for mirrored in (cells, cells[:, ::-1])
        for turn in range(4)
        if columns == rows or turn % 2 == 0
    ]
    # The image of a board is put together from those of its bytes.
    images = np.zeros((8, 8, 256), dtype=np.uint64)
    contents = np.arange(256)
    for symmetry, cell_map in enumerate(maps):
        for cell, image in enumerate(cell_map):
            holding = contents >> cell % 8 & 1 == 1
            images[symmetry, cell // 8, holding] |= np.uint64(1 << int(image))
    search["images"] = images.ravel()
    search["symmetries"] = len(maps)
    return search


def _plies_to_win(
    search: Any, table: Any, attacker: int, defender: int, attacking: bool, free: int
) -> int | None:
    """Plies until the attacker completes a line; None if never, or if the search was stopped."""

    def wins_within(plies: int) -> bool:
        boards = np.uint64(attacker), np.uint64(defender)
        return bool(_attacker_wins(search, table, *boards, attacking, plies, 0))

    for weak in (1, 0):
        search["weak"] = weak
        if not wins_within(free):
            return None
    return next(filter(wins_within, range(1 if attacking else 2, free + 1, 2)), None)


@kernel(types.uint64(types.uint64))
def _lowest(board: Any) -> Any:
    """The lowest bit of `board` alone."""
    return board & (~board + _ONE)


@kernel(types.int64(types.uint64))
def _index(bit: Any) -> int:
    """The number of the cell whose bit is `bit`."""
    return int(popcount(bit - _ONE))


@kernel(types.uint64(_Search, types.int64, types.uint64))
def _image(s: Any, symmetry: int, board: Any) -> Any:
    """`board` as a symmetry turns it."""
    image = _NONE
    start = symmetry * 2048
    while board:
        image |= s.images[start + np.int64(board & _BYTE)]
        board >>= _EIGHT
        start += 256
    return image


@kernel(types.void(_Search, types.uint64, types.uint64, types.int64))
def _read_lines(s: Any, attacker: Any, defender: Any, stones: int) -> None:
    """Find what each side can still complete, the attacker with so many more stones.

    `wins` are the cells that complete a line for the attacker, `losses` for the defender;
    `counters` those of lines of the defender that lack two. `defended` are the cells of all
    lines that the defender can complete.
    """
    s.open_count = 0
    s.wins = s.losses = s.counters = s.defended = _NONE
    for index in range(s.line_count):
        line = s.lines[index]
        if not line & defender:
            lacking = line & ~attacker
            count = popcount(lacking)
            if count <= stones:
                s.open[s.open_count] = line
                s.lacking[s.open_count] = lacking
                s.open_count += 1
                if count == 1:
                    s.wins |= lacking
        if not (s.weak or line & attacker):
            lacking = line & ~defender
            count = popcount(lacking)
            s.defended |= line
            if count == 1:
                s.losses |= lacking
            elif count == 2:
                s.counters |= lacking


@kernel(types.int64(_Search, types.int64))
def _add_up(s: Any, count: int) -> int:
    """Sum the chances of the lines of `rest`: all, through each cell, through each two cells."""
    s.chance[:] = 0
    s.pair_chance[:] = 0
    total = 0
    for index in range(count):
        chance = _CHANCE[popcount(s.rest[index])]
        total += chance
        cells = s.rest[index]
        while cells:
            first = _index(_lowest(cells))
            cells &= cells - _ONE
            s.chance[first] += chance
            others = cells
            while others:
                s.pair_chance[first * MAX_CELLS + _index(_lowest(others))] += chance
                others &= others - _ONE
    return total


@kernel(types.uint64(_Search, types.int64))
def _best_pair(s: Any, count: int) -> Any:
    """The two cells that lower the chances most if set aside as a pair; none if none do."""
    best, pair = 0, _NONE
    for index in range(count):
        cells = s.rest[index]
        while cells:
            one = _lowest(cells)
            first = _index(one)
            cells &= cells - _ONE
            others = cells
            while others:
                other = _lowest(others)
                second = _index(other)
                others &= others - _ONE
                # Lines through both are gone; lines through one lack a cell less, and their
                # chances double.
                both = s.pair_chance[first * MAX_CELLS + second]
                gain = 3 * both - s.chance[first] - s.chance[second]
                if gain > best:
                    best, pair = gain, one | other
    return pair


@kernel(types.boolean(_Search, types.boolean))
def _holds(s: Any, attacking: bool) -> bool:
    """Whether the defender is seen to keep the attacker from all open lines.

    Of a pair of cells set aside he gets one, by answering there, which blocks every line
    through both. On the other cells he plays where the chances of the lines are greatest: if
    they add up to less than one with him to move, or one half with the attacker to move, none
    is ever completed (Erdős and Selfridge, 1973). A line is counted by what it lacks outside
    the pairs, since the attacker may get the rest. The pairs are chosen greedily.
    """
    limit = _CERTAIN // 2 if attacking else _CERTAIN
    count = s.open_count
    for index in range(count):
        s.rest[index] = s.lacking[index]
    while _add_up(s, count) >= limit:
        pair = _best_pair(s, count)
        if not pair:
            return False
        kept = 0
        for index in range(count):
            if s.rest[index] & pair != pair:
                s.rest[kept] = s.rest[index] & ~pair
                kept += 1
        count = kept
    return True


@kernel(types.void(_Search, types.uint64, types.uint64))
def _reduce(s: Any, attacker: Any, defender: Any) -> None:
    """Reduce the position to the cells of its lines, in the smallest of its images.

    `empties` are the free cells worth a move. In `attacker` and `defender` each side has its
    stones on its own lines, and both have all of `empties`.
    """
    cells = _NONE
    for index in range(s.open_count):
        cells |= s.open[index]
    s.empties = (cells | s.defended) & ~(attacker | defender)
    attacker = s.empties | attacker & cells
    defender = s.empties | defender & s.defended
    s.attacker, s.defender = attacker, defender
    for symmetry in range(1, s.symmetries):
        first = _image(s, symmetry, attacker)
        if first <= s.attacker:
            second = _image(s, symmetry, defender)
            if first < s.attacker or second < s.defender:
                s.attacker, s.defender = first, second


@kernel(types.boolean(_Entry, types.uint64, types.uint64, types.int64))
def _is_of(entry: Any, attacker: Any, defender: Any, kind: int) -> bool:
    """Whether a table entry is of this position."""
    return bool(entry.attacker == attacker and entry.defender == defender and entry.kind == kind)


@kernel(types.int64(_Table, types.uint64, types.uint64, types.int64))
def _slot(table: Any, attacker: Any, defender: Any, kind: int) -> int:
    """Where the table holds the position, or else the lesser of two entries that may go."""
    mixed = attacker * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= (defender + np.uint64(kind)) * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed = (mixed ^ mixed >> np.uint64(32)) * np.uint64(0xD6E8FEB86659FD93)
    first = np.int64(mixed >> np.uint64(32) & np.uint64(len(table) - 2))
    for slot in range(first, first + 2):
        if _is_of(table[slot], attacker, defender, kind):
            return int(slot)
    return int(first + (table[first].work > table[first + 1].work))


@kernel(
    types.void(
        _Table, types.uint64, types.uint64, types.int64, types.boolean, types.int64, types.int64
    )
)
def _store(
    table: Any, attacker: Any, defender: Any, kind: int, won: bool, plies: int, work: int
) -> None:
    """Keep that the attacker wins within `plies`, or that he does not."""
    entry = table[_slot(table, attacker, defender, kind)]
    if not _is_of(entry, attacker, defender, kind):
        entry.attacker, entry.defender, entry.kind = attacker, defender, kind
        entry.wins_in, entry.safe_for = _NEVER, 0
    entry.work = work
    if won:
        entry.wins_in = min(entry.wins_in, plies)
    else:
        entry.safe_for = max(entry.safe_for, plies)


@kernel(types.uint64(_Search, types.boolean, types.int64))
def _moves(s: Any, attacking: bool, plies: int) -> Any:
    """The moves to look at; every other one fails for the side to move.

    Neither side can complete a line at once.
    """
    if attacking:
        return s.losses or s.empties
    if s.wins or plies < 4:
        return s.wins or s.empties
    moves = s.empties
    for index in range(s.open_count):
        lacking = s.lacking[index]
        if popcount(lacking) == 2:
            for earlier in range(index):
                other = s.lacking[earlier]
                if popcount(other) == 2 and lacking & other and lacking != other:
                    moves &= lacking | other | s.counters
    return moves


@kernel(types.void(_Search, types.int64))
def _rank(s: Any, ply: int) -> None:
    """Order cells by the chances of the attacker's lines through them."""
    s.order[ply * MAX_CELLS : (ply + 1) * MAX_CELLS] = 0
    for index in range(s.open_count):
        cells = s.lacking[index]
        chance = _CHANCE[popcount(cells)]
        while cells:
            s.order[ply * MAX_CELLS + _index(_lowest(cells))] += chance
            cells &= cells - _ONE


@kernel(types.uint64(_Search, types.int64, types.uint64))
def _first_of(s: Any, ply: int, moves: Any) -> Any:
    """The highest ranked of `moves`."""
    best, first = -1, _NONE
    while moves:
        move = _lowest(moves)
        moves ^= move
        order = s.order[ply * MAX_CELLS + _index(move)]
        if order > best:
            best, first = order, move
    return first


@kernel(
    types.boolean(
        _Search, _Table, types.uint64, types.uint64, types.boolean, types.int64, types.int64
    )
)
def _attacker_wins(
    s: Any, table: Any, attacker: Any, defender: Any, attacking: bool, plies: int, ply: int
) -> bool:
    """Whether the attacker completes a line within `plies`, `attacking` if he is to move.

    Nobody has completed one yet. Meaningless once `s.stopped` is set. Where the side to move
    gets its way, ``s.best[ply]`` is the move for it, unless the table knew or no move was needed.
    """
    if s.nodes >= s.node_limit:
        s.stopped = 1
        return False
    s.nodes += 1
    nodes = s.nodes
    _read_lines(s, attacker, defender, (plies + attacking) // 2)
    if attacking and s.wins:
        s.best[ply] = _index(_lowest(s.wins))
        return True
    if not attacking and (s.losses or s.wins & (s.wins - _ONE)):
        return not s.losses
    if s.losses & (s.losses - _ONE) or _holds(s, attacking):
        return False
    _reduce(s, attacker, defender)
    key_attacker, key_defender = s.attacker, s.defender
    # No win takes longer than to fill the cells that matter, and none ends on the other's move.
    plies = min(plies, int(np.int64(popcount(s.empties))))
    plies -= plies % 2 != attacking
    kind = 1 + attacking + 2 * s.weak
    # At the root the move is wanted too.
    if ply:
        entry = table[_slot(table, key_attacker, key_defender, kind)]
        if _is_of(entry, key_attacker, key_defender, kind):
            if entry.wins_in <= plies:
                return True
            if entry.safe_for >= plies:
                return False
    moves = _moves(s, attacking, plies)
    _rank(s, ply)
    won = not attacking
    while moves and won != attacking:
        move = _first_of(s, ply, moves)
        moves ^= move
        s.best[ply] = _index(move)
        attacker_after = attacker | move if attacking else attacker
        defender_after = defender if attacking else defender | move
        # A literal among the arguments of a recursive call crashes once the function is loaded
        # from numba's cache (numba issue 6713).
        won = _attacker_wins(
            s, table, attacker_after, defender_after, not attacking, plies - 1, ply + 1
        )
        if s.stopped:
            return False
    _store(table, key_attacker, key_defender, kind, won, plies, s.nodes - nodes)
    return won
