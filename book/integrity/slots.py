"""Whether what a rest slot says can be so."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, func, select

from book.integrity.findings import Finding, Kind
from book.integrity.stored import Place, StoredPosition, is_whole, set_row, shown
from book.rows.canonical_images import smallest_images
from book.rows.encoding import BOUND_NUMBERS, BOUNDS, move_width, unpack_line
from book.storage.schema import RestState, moves, positions
from engine.errors import IllegalMove
from engine.game import Key, Outcome
from engine.position import Position
from engine.values import HEURISTIC_MAX, WIN, Bound, Value, distance

_REST = ("rest_value", "rest_bound", "rest_proven", "rest_line")
_COLUMNS = ("rest_state", *_REST)
_child_counts = (
    select(moves.c.parent, func.count().label("children"))
    .where(moves.c.parent.in_(bindparam("ids", expanding=True)))
    .group_by(moves.c.parent)
)
_child = positions.alias()
# A kept slot proves that no move does better; here one does.
_contradicted = (
    select(positions.c.id)
    .join(moves, moves.c.parent == positions.c.id)
    .join(_child, _child.c.id == moves.c.child)
    .where(
        positions.c.id.in_(bindparam("ids", expanding=True)),
        positions.c.rest_state == RestState.KEPT.value,
        positions.c.rest_value <= 0,
        _child.c.proven,
        _child.c.value <= 0,
        -_child.c.value > positions.c.rest_value,
    )
)


@dataclass(frozen=True, slots=True)
class _Line:
    """A legal rest line: what is behind its first move."""

    outcome: Outcome | None
    child: Key


def check(
    place: Place, batch: Sequence[StoredPosition]
) -> Iterator[tuple[StoredPosition, Finding]]:
    """The positions of `batch` whose rest slots cannot be so, and what is wrong with them."""
    lines = _lines(place, batch)
    unsure = [stored for stored in batch if lines[stored.row.id] is None and _may_be_none(stored)]
    ways = {stored.row.id: _children(stored) for stored in unsure}
    keys = [line.child for line in lines.values() if line is not None]
    there = set(place.stored([*keys, *(key for found in ways.values() for key in found or ())]))
    children = {row.parent: row.children for row in place.by_id(_child_counts, lines)}
    contradicted = {row.id for row in place.by_id(_contradicted, lines)}
    for stored in batch:
        found = ways.get(stored.row.id)
        complete = found is not None and found <= there
        line = None if stored.row.id in contradicted else lines[stored.row.id]
        right = _right(stored, line, there, complete)
        finding = _compared(stored, right, children.get(stored.row.id, 0))
        if finding is not None:
            yield stored, finding


def _compared(stored: StoredPosition, right: dict[str, Any], children: int) -> Finding | None:
    row = stored.row
    if not children and right["rest_state"] == RestState.PENDING:
        found = _told({name: getattr(row, name) for name in _COLUMNS})
        return Finding(Kind.NOTHING, stored.where, found, "a known move", takes_out=row.id)
    if all(getattr(row, name) == value for name, value in right.items()):
        return None
    found = _told({name: getattr(row, name) for name in right})
    change = (set_row, {"at": row.id, **right})
    return Finding(Kind.SLOT, stored.where, found, _told(right), (change,))


def _right(
    stored: StoredPosition, line: _Line | None, there: set[Key], complete: bool
) -> dict[str, Any]:
    """The columns as they should be, as far as that can be told."""
    is_kept = stored.row.rest_state == RestState.KEPT and stored.row.rest_proven == 1
    if line is not None and line.outcome is not None:
        state = RestState.KEPT if is_kept else RestState.ENDS
        return {"rest_state": int(state)} | _ending(stored, line.outcome)
    if line is not None and is_kept and _is_possible(stored):
        return {"rest_state": int(RestState.KEPT)}
    if line is not None and line.child not in there and _is_possible(stored):
        return {"rest_state": int(RestState.OPEN)}
    # A search has yet to tell, unless there is nothing left to search.
    state = RestState.NONE if complete else RestState.PENDING
    return {"rest_state": int(state)} | dict.fromkeys(_REST)


def _ending(stored: StoredPosition, outcome: Outcome) -> dict[str, Any]:
    """The columns of a rest move with which the game ends so."""
    row = stored.row
    if outcome is Outcome.DRAW:
        proven = bool(row.rest_proven) if is_whole(row.rest_proven, 0, 1) else False
        return {"rest_value": 0, "rest_bound": BOUND_NUMBERS[Bound.EXACT], "rest_proven": proven}
    won = outcome.winner is stored.position.to_move
    value = WIN - 1 if won else 1 - WIN
    fits = _fits(value, row.rest_bound)
    bound = row.rest_bound if fits else BOUND_NUMBERS[Bound.EXACT]
    return {"rest_value": value, "rest_bound": bound, "rest_proven": True}


def _is_possible(stored: StoredPosition) -> bool:
    """Whether a rest move that does not end the game can have the value in the row."""
    row = stored.row
    if not is_whole(row.rest_value, -WIN, WIN) or not is_whole(row.rest_proven, 0, 1):
        return False
    if row.rest_bound not in BOUNDS:
        return False
    if not row.rest_proven:
        return bool(abs(row.rest_value) <= HEURISTIC_MAX)
    plies = distance(row.rest_value)
    if plies is None:
        return bool(row.rest_value == 0)
    # Every ply puts a stone on the board.
    left = stored.place.game.cell_count - stored.position.ply
    return 2 <= plies <= left and _fits(row.rest_value, row.rest_bound)


def _fits(value: Value, bound: Any) -> bool:
    """Whether a win or loss can have the bound of this number: wins come sooner, losses too."""
    return bound in BOUNDS and BOUNDS[bound] is not (Bound.UPPER if value > 0 else Bound.LOWER)


def _lines(place: Place, batch: Sequence[StoredPosition]) -> dict[int, _Line | None]:
    """The rest line of each position, None where there is none that is legal."""
    behind = {stored.row.id: _behind(stored) for stored in batch}
    there = {id: position for id, position in behind.items() if position is not None}
    images = smallest_images(place.game, list(there.values()))
    keys = {id: image.key for id, image in zip(there, images, strict=True)}
    return {
        id: None if position is None else _Line(place.game.outcome(position), keys[id])
        for id, position in behind.items()
    }


def _behind(stored: StoredPosition) -> Position | None:
    """The position after the first move of the rest line, None where there is no legal line."""
    game, blob = stored.place.game, stored.row.rest_line
    if not isinstance(blob, bytes) or not blob or len(blob) % move_width(game):
        return None
    line = unpack_line(game, blob)
    if max(line) >= game.move_count:
        return None
    try:
        game.play_line(line, start=stored.position)
    except IllegalMove:
        return None
    return game.play(stored.position, line[0])


def _may_be_none(stored: StoredPosition) -> bool:
    """Whether a slot without a line could be that of a position all of whose moves are stored."""
    return bool(stored.row.rest_state != RestState.PENDING)


def _children(stored: StoredPosition) -> set[Key] | None:
    """What its moves lead to; None if one of them ends the game, and so leads to no position."""
    game, position = stored.place.game, stored.position
    found = set()
    for move in game.legal_moves(position):
        child = game.play(position, move)
        if game.outcome(child) is not None:
            return None
        found.add(game.canonical(child).key)
    return found


def _told(columns: dict[str, Any]) -> str:
    """Columns of a slot in a few words."""
    words = []
    for name, value in columns.items():
        if name == "rest_state":
            known = value in set(RestState)
            words.append(RestState(value).name if known else f"state {shown(value)}")
        elif value is not None:
            words.append(f"{name.removeprefix('rest_')} {shown(value)}")
    return " ".join(words)
