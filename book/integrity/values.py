"""Whether values, proofs and costs follow from slots and children."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import bindparam, select

from book.integrity.findings import Finding, Kind
from book.integrity.stored import Place, StoredPosition, is_whole, shown
from book.rows.encoding import BOUNDS, AnyRow
from book.rows.propagation import derived_columns
from book.storage.schema import WITH_MOVE, as_is, moves, positions
from engine.values import WIN

_OF_CHILD = ("value", "bound", "proven", "open_cost", "wish")
_children = (
    select(
        moves.c.parent,
        *as_is(positions.c[name] for name in _OF_CHILD),
    )
    .join(positions, positions.c.id == moves.c.child)
    .where(moves.c.parent.in_(bindparam("ids", expanding=True)))
)
_KINDS = {
    "value": Kind.VALUE,
    "bound": Kind.BOUND,
    "proven": Kind.PROVEN,
    "open_cost": Kind.OPEN_COST,
}


def check(
    place: Place, batch: Sequence[StoredPosition]
) -> Iterator[tuple[StoredPosition, Finding]]:
    """The positions of `batch` whose book values do not follow from slots and children.

    A finding carries no change: one value changes all above it, see
    `book.rows.propagation.propagate`. The slots must be sound.
    """
    children: dict[int, list[AnyRow]] = defaultdict(list)
    for child in place.by_id(_children, [stored.row.id for stored in batch]):
        children[child.parent].append(child)
    for stored in batch:
        row, below = stored.row, children[stored.row.id]
        has_move = below or row.rest_state in WITH_MOVE
        # What cannot be read is told of the child itself.
        if not has_move or not all(map(_is_readable, below)):
            continue
        for name, right in derived_columns(row, below).items():
            found = getattr(row, name)
            if found != right:
                told = _told(name, found), _told(name, right)
                yield stored, Finding(_KINDS[name], stored.where, *told)


def _is_readable(child: AnyRow) -> bool:
    return (
        is_whole(child.value, -WIN, WIN)
        and child.bound in BOUNDS
        and is_whole(child.proven, 0, 1)
        and (child.open_cost is None or is_whole(child.open_cost, 0))
    )


def _told(name: str, value: Any) -> str:
    if name == "bound" and value in BOUNDS:
        return str(BOUNDS[value])
    if name == "proven":
        return {0: "unproven", 1: "proven"}.get(value, shown(value))
    return shown(value)
