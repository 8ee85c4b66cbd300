"""Book values and the costs of expansion flow up to the parents.

A position's book value is the best of its rest value and the negated book values of its
stored children. Where the slot was kept as the proof of the whole position, it is that or a child
that wins sooner. The expansion cost of a slot is the least, over the ways to it from the empty
board, of the sum of its steps; a step's cost grows with the winning probability that the move
gives away. Each position holds the cost of the rest of the way, to the cheapest open slot at
or below it. Like the value it is fixed by the position's own slot and wish and its children, so
that a change touches the position's ancestors and nobody else, however large the book.

Both are fixed by the stored rest slots, wishes and links alone: the order in which results came
makes no difference. Stones only ever come onto the board: a position's parents have one
ply less, so one sweep up brings everything up to date.
"""

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    and_,
    bindparam,
    case,
    not_,
    select,
    update,
)

from book.rows.counts import CountChanges
from book.rows.digests import DigestChanges
from book.rows.encoding import BOUND_NUMBERS, BOUNDS, AnyRow
from book.storage.schema import WITH_MOVE, RestState, Wish, moves, positions, undigested
from engine.values import HEURISTIC_MAX, Bound, Value, from_child, winning_probability

# Costs are whole numbers, which are equal on every machine. One ply costs 100; giving
# away a winning probability of 5 % costs as much as two plies more. With half of that a book of
# Gomoku went wide, since where a side is behind most moves give little away: 600 positions held
# 2.0 of dark's and 1.3 of light's moves of a game against engines of mixed strength, with this 2.8
# and 1.7. With twice as much it was 3.2 and 2.0, but one made by short searches, whose values
# are less certain, missed the first move to the centre.
_PLY_COST = 100
_LOSS_COST = 4_000
# Ten plies, or a quarter of the winning probability.
_UNWANTED_COST = 1_000

# Whoever believes to win with less than 5 % has little to give away: no move costs more than three
# plies, so that costs do not tell the moves apart. Were one of them good, the book would be wrong
# about everything above. So the first of them are nearly free; from the eighth on they cost what
# they would anyway.
_LOST: Value = -1_178
_TRY_COST = 25

_FLIPPED = {Bound.EXACT: Bound.EXACT, Bound.LOWER: Bound.UPPER, Bound.UPPER: Bound.LOWER}

_position = select(*undigested(positions)).where(positions.c.id == bindparam("id"))
OF_CHILD = ("value", "bound", "proven", "open_cost", "wish")
_children = (
    select(*(positions.c[name] for name in OF_CHILD))
    .join(moves, moves.c.child == positions.c.id)
    .where(moves.c.parent == bindparam("id"))
)
_ply = select(positions.c.ply).where(positions.c.id == bindparam("id"))
_parents = select(moves.c.parent).where(moves.c.child == bindparam("id"))
_plies = (
    select(positions.c.ply)
    .distinct()
    .where(positions.c.game == bindparam("game"))
    .order_by(positions.c.ply.desc())
)
_of_ply = (
    select(*undigested(positions))
    .where(
        positions.c.game == bindparam("game"),
        positions.c.ply == bindparam("ply"),
        positions.c.id > bindparam("after"),
    )
    .order_by(positions.c.id)
    .limit(500)
)
_children_of_some = (
    select(moves.c.parent, *(positions.c[name] for name in OF_CHILD))
    .join(moves, moves.c.child == positions.c.id)
    .where(moves.c.parent.in_(bindparam("ids", expanding=True)))
)
_set_value = update(positions).where(positions.c.id == bindparam("at"))

Derive = Callable[[AnyRow, Sequence[AnyRow]], dict[str, Any]]
"""The columns of a position that follow from its row and from those of its children."""


@dataclass(frozen=True, slots=True)
class BookValue:
    """What the book knows of a position's value, for its side to move."""

    value: Value
    bound: Bound
    proven: bool


def combine(options: list[BookValue], *, complete: bool) -> BookValue:
    """The value of having the choice among `options`, all for the side that chooses.

    `complete` says that the options cover every legal move. A loss or a draw is proven only by
    complete and proven options, a win by itself.
    """
    best = max(options, key=lambda o: (o.value, o.proven, o.bound is Bound.EXACT))
    all_proven = complete and all(option.proven for option in options)
    if best.proven and best.value > 0:
        # A move not yet proven, or a win that may be shorter, may win sooner.
        exact = all_proven and all(option.bound is not Bound.LOWER for option in options)
        return BookValue(best.value, Bound.EXACT if exact else Bound.LOWER, True)
    if not all_proven:
        # While a move is missing, known moves that all lose are no proof of a loss.
        return BookValue(max(best.value, -HEURISTIC_MAX), Bound.EXACT, False)
    # The other moves lose as well, or draw: sooner, if their distance is only a limit.
    return BookValue(best.value, best.bound, True)


def can_be_worth(row: Any, option: BookValue) -> bool:
    """Whether a move to a stored position can be worth so much beside the rest slot of `row`.

    A kept slot is the proof that no move is worth more, but for a win that may come sooner.
    """
    if row.rest_state != RestState.KEPT or option.value <= row.rest_value:
        return True
    return option.proven and option.value > 0


def cannot_be_worth(child: FromClause) -> ColumnElement[bool]:
    """In SQL, that `can_be_worth` denies the value of a `child` of the row of `positions`."""
    value = case(
        (child.c.value > HEURISTIC_MAX, 1 - child.c.value),
        (child.c.value < -HEURISTIC_MAX, -1 - child.c.value),
        else_=-child.c.value,
    )
    return and_(
        positions.c.rest_state == RestState.KEPT.value,
        value > positions.c.rest_value,
        not_(and_(child.c.proven, value > 0)),
    )


def flipped(bound: Bound) -> Bound:
    """The bound of a value as the other side sees it."""
    return _FLIPPED[bound]


def cost_of_losing(probability: float) -> int:
    """The cost of giving away so much of the winning probability, 0 to 1."""
    return round(_LOSS_COST * probability)


def loss_cost(best: Value, value: Value) -> int:
    """What a move worth `value` costs for what it gives away, the best one being worth `best`."""
    return cost_of_losing(max(0.0, winning_probability(best) - winning_probability(value)))


def step_cost(best: Value, value: Value) -> int:
    """The cost of playing a move worth `value` where the best one is worth `best`."""
    return _PLY_COST + loss_cost(best, value)


def way_cost(best: Value, child: AnyRow) -> int:
    """The cost of the step from a position worth `best` into a stored child, with its wish."""
    if child.wish == Wish.MORE:
        return 0
    cost = step_cost(best, from_child(child.value))
    return cost + _UNWANTED_COST if child.wish == Wish.LESS else cost


def slot_cost(row: AnyRow, value: Value, proven: bool, children: int) -> int | None:
    """The cost of the step into the rest slot of a position of this book value.

    `children` is the number of its stored children. None where that step is not to be taken.
    """
    # A proven value cannot change, and a move that ends the game leads nowhere.
    if row.rest_state != RestState.OPEN or proven or row.rest_proven:
        return None
    cost = step_cost(value, row.rest_value)
    # While this value is believed, its other moves are tried.
    return min(cost, _TRY_COST * children) if value <= _LOST else cost


def derived_columns(row: Any, children: Sequence[Any]) -> dict[str, Any]:
    """The columns `value`, `bound`, `proven` and `open_cost` of a position.

    They follow from its rest slot in `row` and from these columns of its stored children. There
    must be a rest move or a child.
    """
    options = [
        BookValue(from_child(child.value), flipped(BOUNDS[child.bound]), child.proven)
        for child in children
    ]
    if row.rest_state == RestState.KEPT:
        options = [o for o in options if o.value > row.rest_value and can_be_worth(row, o)]
    if row.rest_state in WITH_MOVE:
        options.append(BookValue(row.rest_value, BOUNDS[row.rest_bound], row.rest_proven))
    new = combine(options, complete=row.rest_state != RestState.PENDING)
    costs = [slot_cost(row, new.value, new.proven, len(children))] + [
        way_cost(new.value, child) + child.open_cost
        for child in children
        if child.open_cost is not None
    ]
    if row.wish == Wish.NEVER:
        costs = []
    return {
        "value": new.value,
        "bound": BOUND_NUMBERS[new.bound],
        "proven": new.proven,
        "open_cost": min((cost for cost in costs if cost is not None), default=None),
    }


def propagate(
    connection: Connection,
    changed: Iterable[int],
    counts: CountChanges,
    digests: DigestChanges | None = None,
) -> None:
    """Bring values and costs up to date after rest slots or links of `changed` changed.

    `changed` are the numbers of positions; what becomes proven goes into `counts`. Without
    `digests` these are to be made anew afterwards.
    """
    sweep_up(connection, changed, lambda id: _recompute(connection, id, counts, digests))


def sweep_up(connection: Connection, changed: Iterable[int], visit: Callable[[int], bool]) -> None:
    """Call `visit` with the numbers of the `changed` positions, and of the parents of each for
    which it returns that something changed: from the last ply up, with each once."""
    queue = [(-connection.execute(_ply, {"id": id}).scalar_one(), id) for id in set(changed)]
    heapq.heapify(queue)
    seen = set(queue)
    while queue:
        ply, id = heapq.heappop(queue)
        if not visit(id):
            continue
        for parent in connection.execute(_parents, {"id": id}).scalars():
            entry = (ply + 1, parent)
            if entry not in seen:
                seen.add(entry)
                heapq.heappush(queue, entry)


def propagate_all(
    connection: Connection, game_number: int, derive: Derive = derived_columns
) -> Iterator[int]:
    """Bring all values and costs of a game up to date; gives the number of each position done.

    `derive` tells which columns to set, given the row and its children. Counts and digests
    are left as they are.
    """
    # Children have one ply more, and are done before their parents.
    for ply in connection.execute(_plies, {"game": game_number}).scalars().all():
        after = -1
        here = {"game": game_number, "ply": ply}
        while rows := connection.execute(_of_ply, here | {"after": after}).all():
            after = rows[-1].id
            yield from _update_some(connection, rows, derive)


def _update_some(connection: Connection, rows: Sequence[AnyRow], derive: Derive) -> Iterator[int]:
    children: defaultdict[int, list[AnyRow]] = defaultdict(list)
    for child in connection.execute(_children_of_some, {"ids": [row.id for row in rows]}):
        children[child.parent].append(child)
    changes: defaultdict[frozenset[str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        derived = derive(row, children[row.id])
        if any(getattr(row, name) != value for name, value in derived.items()):
            changes[frozenset(derived)].append(derived | {"at": row.id})
    for some in changes.values():
        connection.execute(_set_value, some)
    yield from (row.id for row in rows)


def _recompute(
    connection: Connection, id: int, counts: CountChanges, digests: DigestChanges | None
) -> bool:
    """Bring one position up to date with its slot and its children; returns whether it changed."""
    row = connection.execute(_position, {"id": id}).one()
    derived = derived_columns(row, connection.execute(_children, {"id": id}).all())
    if all(getattr(row, name) == value for name, value in derived.items()):
        return False
    if digests is None:
        connection.execute(_set_value, derived | {"at": id})
    else:
        digests.change(row, derived)
    counts.add(row.ply, row.depth, proven=derived["proven"] - row.proven)
    return True
