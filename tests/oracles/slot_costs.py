"""What each slot of a book costs, worked out by following every way from a position down."""

import math
from typing import Any

from sqlalchemy import select

from book.reader import BookReader
from book.storage.address import AnyAddress
from book.storage.schema import moves, positions
from tests.oracles.book_checker import (
    NEVER,
    cost_into,
    cost_of_slot,
    loss,
    seen_from_parent,
)


class Graph:
    """The rows of a book of one game, and their children, by number."""

    def __init__(self, book: AnyAddress) -> None:
        with BookReader(book) as reader, reader.connection() as connection:
            self.rows: dict[int, Any] = {
                row.id: row for row in connection.execute(select(positions))
            }
            self.children: dict[int, list[int]] = {id: [] for id in self.rows}
            for link in connection.execute(select(moves)):
                self.children[link.parent].append(link.child)


def costs_of_all_slots(
    graph: Graph,
    root: int = 1,
    each: float = math.inf,
    together: float = math.inf,
    own: tuple[int, float] | None = None,
    plies: float = math.inf,
) -> dict[int, int]:
    """The cost of each slot to be expanded by its position: the least of all ways to it.

    What moves may give away is in parts of 4000; `own` is a side, 0 or 1, and what its moves may.
    A way has at most `plies` moves.
    """
    costs: dict[int, int] = {}
    first = graph.rows[root].ply

    def most(ply: int) -> float:
        return own[1] if own is not None and ply % 2 == own[0] else each

    def may(*given: int) -> bool:
        each_may = all(loss <= most(ply) for ply, loss in enumerate(given, start=first))
        return each_may and sum(given) <= together and len(given) <= plies

    def follow(id: int, cost: int, given: tuple[int, ...]) -> None:
        row = graph.rows[id]
        if row.wish == NEVER:
            return
        own = cost_of_slot(row, len(graph.children[id]))
        if own is not None and may(*given, loss(row.value, row.rest_value)):
            costs[id] = min(cost + own, costs.get(id, cost + own))
        for child in map(graph.rows.__getitem__, graph.children[id]):
            more = (*given, loss(row.value, seen_from_parent(child.value)))
            if may(*more):
                follow(child.id, cost + cost_into(row, child), more)

    follow(root, 0, ())
    return costs
