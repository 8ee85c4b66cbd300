"""Finding a game's positions among the rows of a book."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Executable, bindparam, func, select

from book.rows.batches import in_batches
from book.rows.encoding import AnyRow, lookup_of
from book.storage.schema import counts, positions, undigested
from engine.game import Game, Key

_found = select(*undigested(positions)).where(
    positions.c.lookup.in_(bindparam("lookups", expanding=True)),
    positions.c.game == bindparam("game"),
)
_found_ids = _found.with_only_columns(positions.c.id, positions.c.stones)
_count = select(func.coalesce(func.sum(counts.c.positions), 0)).where(
    counts.c.game == bindparam("game")
)


@dataclass(frozen=True, slots=True)
class GameRows:
    """The rows of one game of a book, over a connection, in whatever transaction that is.

    `number` stands for the game in the tables.
    """

    connection: Connection
    game: Game
    number: int

    def select(self, statement: Executable, **values: Any) -> Sequence[AnyRow]:
        """All rows that `statement` finds with `values`, and `game` for this game's number."""
        return self.connection.execute(statement, {"game": self.number, **values}).all()

    def find(self, keys: Collection[Key]) -> dict[Key, AnyRow]:
        """The rows of those of `keys` that are stored."""
        wanted = list(set(keys))
        found: dict[Key, AnyRow] = {}
        for batch in in_batches(wanted):
            for row in self.select(_found, lookups=[lookup_of(key) for key in batch]):
                found[self.game.key(row.stones)] = row
        # Others may have the same lookup.
        return {key: found[key] for key in wanted if key in found}

    def get(self, key: Key) -> AnyRow | None:
        """The row of the position of this key, None if it is not stored."""
        return self.find([key]).get(key)

    def ids_of(self, keys: Collection[Key]) -> dict[Key, int]:
        """The numbers of those of `keys` that are stored."""
        found: dict[Key, int] = {}
        for lookups in in_batches(sorted({lookup_of(key) for key in keys})):
            for id, stones in self.select(_found_ids, lookups=lookups):
                found[self.game.key(stones)] = id
        return {key: found[key] for key in keys if key in found}

    def count(self) -> int:
        """How many positions of the game are stored."""
        return int(self.connection.execute(_count, {"game": self.number}).scalar_one())
