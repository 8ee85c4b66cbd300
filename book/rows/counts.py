"""Counting a book as it grows: counting its rows takes long in a large one."""

from collections import defaultdict
from dataclasses import dataclass

from sqlalchemy import (
    BigInteger,
    Connection,
    Integer,
    bindparam,
    cast,
    delete,
    func,
    insert,
    select,
    update,
)

from book.storage.schema import counts, positions

_here = (
    counts.c.game == bindparam("at_game"),
    counts.c.ply == bindparam("at_ply"),
    counts.c.depth == bindparam("at_depth"),
)
_add = (
    update(counts)
    .where(*_here)
    .values(
        positions=counts.c.positions + bindparam("more_positions"),
        proven=counts.c.proven + bindparam("more_proven"),
        nodes=counts.c.nodes + bindparam("more_nodes"),
    )
)
_drop_empty = delete(counts).where(counts.c.game == bindparam("of"), counts.c.positions == 0)
counted = select(
    positions.c.game,
    positions.c.ply,
    positions.c.depth,
    func.count().label("positions"),
    func.sum(cast(positions.c.proven, Integer)).label("proven"),
    cast(func.sum(positions.c.nodes), BigInteger).label("nodes"),
).group_by(positions.c.game, positions.c.ply, positions.c.depth)
"""What the table is to hold, counted from the rows."""

_recount = insert(counts).from_select(
    counted.selected_columns.keys(), counted.where(positions.c.game == bindparam("game"))
)


def recount(connection: Connection, game_number: int) -> None:
    """Count all positions of a game anew."""
    connection.execute(delete(counts).where(counts.c.game == game_number))
    connection.execute(_recount, {"game": game_number})


@dataclass(slots=True)
class _Change:
    positions: int = 0
    proven: int = 0
    nodes: int = 0


class CountChanges:
    """What changed in the counts of one game, until it is stored."""

    def __init__(self) -> None:
        self._changes: defaultdict[tuple[int, int], _Change] = defaultdict(_Change)

    def add(
        self, ply: int, depth: int, *, positions: int = 0, proven: int = 0, nodes: int = 0
    ) -> None:
        """Count more positions in a ply and a depth of search; fewer where a number is negative."""
        change = self._changes[ply, depth]
        change.positions += positions
        change.proven += proven
        change.nodes += nodes

    @property
    def added(self) -> int:
        """How many more positions there are, of what is not stored yet."""
        return sum(change.positions for change in self._changes.values())

    def store(self, connection: Connection, game_number: int) -> None:
        """Add all that was counted to the book."""
        for (ply, depth), change in sorted(self._changes.items()):
            more = {
                "more_positions": change.positions,
                "more_proven": change.proven,
                "more_nodes": change.nodes,
            }
            here = {"at_game": game_number, "at_ply": ply, "at_depth": depth}
            if not any(more.values()):
                continue
            if not connection.execute(_add, here | more).rowcount:
                connection.execute(
                    insert(counts).values(
                        game=game_number,
                        ply=ply,
                        depth=depth,
                        positions=change.positions,
                        proven=change.proven,
                        nodes=change.nodes,
                    )
                )
        connection.execute(_drop_empty, {"of": game_number})
        self._changes.clear()
