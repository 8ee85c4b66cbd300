"""Book values flow up to the parents, expansion costs down to the children.

A position's book value is the best of its rest value and the negated book values of its
stored children. A child's expansion cost is the least, over its parents, of the parent's cost
plus a step that grows with the winning probability that the move gives away.

Both are fixed by the stored rest slots and links alone, so that the order in which results
came makes no difference. Stones only ever come onto the board: a position's parents have one
ply less and its children one more, so one sweep up and one down settle everything.
"""

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, select, update

from book.rows import BOUND_NUMBERS, BOUNDS
from book.schema import RestState, moves, positions
from engine.games.base import Key
from engine.values import HEURISTIC_MAX, Bound, Value, from_child, winning_probability

# Costs are whole numbers, so that they are equal on every machine. One ply costs 100; giving
# away a winning probability of 5 % costs as much as one ply more.
_PLY_COST = 100
_LOSS_COST = 2_000

_FLIPPED = {Bound.EXACT: Bound.EXACT, Bound.LOWER: Bound.UPPER, Bound.UPPER: Bound.LOWER}

_position = select(positions).where(positions.c.key == bindparam("key"))
_children = (
    select(positions.c.value, positions.c.bound, positions.c.proven)
    .join(moves, moves.c.child == positions.c.key)
    .where(moves.c.parent == bindparam("key"))
)
_child_keys = select(moves.c.child).where(moves.c.parent == bindparam("key"))
_parents = (
    select(positions.c.key, positions.c.ply, positions.c.cost, positions.c.value)
    .join(moves, moves.c.parent == positions.c.key)
    .where(moves.c.child == bindparam("key"))
)
_set_value = update(positions).where(positions.c.key == bindparam("at"))


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
    settled = complete and all(option.proven for option in options)
    if best.proven and best.value > 0:
        # A move not yet proven, or a win that may be shorter, may win sooner.
        exact = settled and all(option.bound is not Bound.LOWER for option in options)
        return BookValue(best.value, Bound.EXACT if exact else Bound.LOWER, True)
    if not settled:
        # While a move is missing, known moves that all lose are no proof of a loss.
        return BookValue(max(best.value, -HEURISTIC_MAX), Bound.EXACT, False)
    # The other moves lose as well, or draw: sooner, if their distance is only a limit.
    return BookValue(best.value, best.bound, True)


def flipped(bound: Bound) -> Bound:
    """The bound of a value as the other side sees it."""
    return _FLIPPED[bound]


def step_cost(best: Value, value: Value) -> int:
    """The cost of playing a move worth `value` where the best one is worth `best`."""
    loss = winning_probability(best) - winning_probability(value)
    return _PLY_COST + round(_LOSS_COST * max(0.0, loss))


def propagate(connection: Connection, changed: Iterable[Key]) -> None:
    """Bring values and costs up to date after the rest slots or links of `changed` changed."""
    touched = _raise_values(connection, changed)
    _lower_costs(connection, touched)


def _raise_values(connection: Connection, changed: Iterable[Key]) -> set[tuple[int, Key]]:
    """Recompute values upward; returns ply and key of each position looked at."""
    queue = [(-connection.execute(_position, {"key": key}).one().ply, key) for key in changed]
    heapq.heapify(queue)
    seen = set(queue)
    while queue:
        _, key = heapq.heappop(queue)
        row = connection.execute(_position, {"key": key}).one()
        options = [
            BookValue(from_child(child.value), flipped(BOUNDS[child.bound]), child.proven)
            for child in connection.execute(_children, {"key": key})
        ]
        if row.rest_state == RestState.OPEN:
            options.append(BookValue(row.rest_value, BOUNDS[row.rest_bound], row.rest_proven))
        new = combine(options, complete=row.rest_state != RestState.PENDING)
        old = BookValue(row.value, BOUNDS[row.bound], row.proven)
        if new == old:
            continue
        connection.execute(
            _set_value,
            {
                "at": key,
                "value": new.value,
                "bound": BOUND_NUMBERS[new.bound],
                "proven": new.proven,
            },
        )
        for parent in connection.execute(_parents, {"key": key}):
            entry = (-parent.ply, parent.key)
            if entry not in seen:
                seen.add(entry)
                heapq.heappush(queue, entry)
    return {(-ply, key) for ply, key in seen}


def _lower_costs(connection: Connection, touched: set[tuple[int, Key]]) -> None:
    """Recompute costs downward from positions whose value, rest slot or links changed."""
    queue = list(touched)
    heapq.heapify(queue)
    seen = set(queue)
    while queue:
        ply, key = heapq.heappop(queue)
        row = connection.execute(_position, {"key": key}).one()
        cost = min(
            (
                parent.cost + step_cost(parent.value, from_child(row.value))
                for parent in connection.execute(_parents, {"key": key})
            ),
            default=0,
        )
        # A proven value cannot change, and a move that ends the game leads nowhere.
        expandable = row.rest_child and not row.proven and not row.rest_proven
        slot_cost = cost + step_cost(row.value, row.rest_value) if expandable else None
        if (cost, slot_cost) != (row.cost, row.slot_cost):
            connection.execute(_set_value, {"at": key, "cost": cost, "slot_cost": slot_cost})
        if cost != row.cost or (ply, key) in touched:
            for child in connection.execute(_child_keys, {"key": key}).scalars():
                entry = (ply + 1, child)
                if entry not in seen:
                    seen.add(entry)
                    heapq.heappush(queue, entry)
