"""The moves that a book knows of a position, told from its row and those of its children."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Select, null, select

from book.entry import BookMove
from book.rows.encoding import BOUNDS, is_line, unpack_line
from book.rows.propagation import BookValue, can_be_worth, flipped
from book.storage.schema import WITH_MOVE, RestState, moves, positions
from engine.game import Game
from engine.position import Move
from engine.values import WIN, from_child

_REQUIRED = ("value", "bound", "proven", "depth", "nodes", "milliseconds", "rest_state")
_REST = ("rest_value", "rest_bound", "rest_proven", "rest_line")
# What the digest is of besides, but for what a position is found by.
_DIGESTED = ("id", "open_cost", "run", "wish", "digest")
_OF_CHILD = ("value", "bound", "proven", "depth")


class PositionRow(NamedTuple):
    """A position with one of its stored children, whose columns are None if there is none."""

    value: int
    bound: int
    proven: bool
    depth: int
    nodes: int
    milliseconds: int
    rest_state: int
    rest_value: int
    rest_bound: int
    rest_proven: bool
    rest_line: bytes
    id: int
    open_cost: int | None
    run: int
    wish: int | None
    digest: int | None
    move: Move | None
    child_value: int
    child_bound: int
    child_proven: bool
    child_depth: int


# Where in a row the columns of the child begin.
FIRST_OF_CHILD = PositionRow._fields.index("move")
CHILD = positions.alias("child")


def with_children(*, has_digests: bool) -> Select[*tuple[Any, ...]]:
    """The columns of `PositionRow`, of every position once for each of its stored children."""
    return (
        select(
            *(positions.c[name] for name in (*_REQUIRED, *_REST)),
            *(positions.c[name] if has_digests else null() for name in _DIGESTED),
            moves.c.move,
            *(CHILD.c[name] for name in _OF_CHILD),
        )
        .select_from(positions)
        .outerjoin(moves, moves.c.parent == positions.c.id)
        .outerjoin(CHILD, CHILD.c.id == moves.c.child)
    )


def are_sound(game: Game, rows: Sequence[PositionRow]) -> bool:
    """Whether the rows of a position hold what they may, as those of no honest file do not.

    A page that lost its contents reads as nulls, and a link as one to nowhere. Only what is asked
    of each child is asked of each row: this is done at every lookup.
    """
    row = rows[0]
    value, bound, proven, depth, nodes, milliseconds, state, *_ = row
    try:
        # Only whole numbers have a bitwise or.
        _ = value | bound | proven | depth | nodes | milliseconds | state
    except TypeError:
        return False
    if not -WIN <= row.value <= WIN or row.bound not in BOUNDS:
        return False
    if row.rest_state in WITH_MOVE:
        if not _has_sound_slot(game, row):
            return False
    elif row.move is None:
        return False
    if row.move is None:
        return True
    count = game.move_count
    try:
        children: Iterator[tuple[Any, ...]] = (row[FIRST_OF_CHILD:] for row in rows)
        for move, value, bound, proven, depth in children:
            _ = move | value | bound | proven | depth
            if not (0 <= move < count and -WIN <= value <= WIN and bound in BOUNDS):
                return False
    except TypeError:
        return False
    return True


def _has_sound_slot(game: Game, row: PositionRow) -> bool:
    return (
        isinstance(row.rest_value, int)
        and -WIN <= row.rest_value <= WIN
        and row.rest_bound in BOUNDS
        and is_line(game, row.rest_line)
    )


def known_moves(game: Game, rows: Sequence[PositionRow]) -> list[BookMove]:
    """The moves in the rows of one position, best first; of equal ones the smallest first.

    In the canonical orientation; only the rest move has a line yet.
    """
    row = rows[0]
    known = [_stored_move(child) for child in rows if child.move is not None]
    if row.rest_state not in WITH_MOVE:
        return _best_first(known)
    line = unpack_line(game, row.rest_line)
    bound, proven = BOUNDS[row.rest_bound], bool(row.rest_proven)
    rest = BookMove(line[0], row.rest_value, bound, proven, row.depth, False, line)
    if row.rest_state == RestState.KEPT:
        # The slot's own move may lead to a stored position that is not proven.
        known = [
            move
            for move in known
            if can_be_worth(row, BookValue(move.value, move.bound, move.proven))
            and (move.move != rest.move or move.value > rest.value)
        ]
    return _best_first([*known, rest])


def _best_first(known: list[BookMove]) -> list[BookMove]:
    return sorted(known, key=lambda move: (-move.value, move.move))


def _stored_move(child: PositionRow) -> BookMove:
    assert child.move is not None
    return BookMove(
        child.move,
        from_child(child.child_value),
        flipped(BOUNDS[child.child_bound]),
        bool(child.child_proven),
        child.child_depth,
        True,
        (),
    )
