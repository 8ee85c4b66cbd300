"""The rows of a book as they are, however damaged, and looking up many of them at a time."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any, TypeVar

from sqlalchemy import Connection, Select, bindparam, select, update

from book.errors import BookUnreadable
from book.rows.batches import AT_ONCE, in_batches
from book.rows.encoding import AnyRow, lookup_of
from book.rows.lookup import GameRows
from book.storage.schema import as_is, positions, undigested
from book.storage.schema import games as games_table
from engine import registry
from engine.game import Game, Key
from engine.position import Position, cells_of

_Item = TypeVar("_Item")

_as_is = select(*as_is(undigested(positions)))
_rows = _as_is.order_by(positions.c.id).limit(AT_ONCE)
_next_rows = _rows.where(positions.c.id > bindparam("after"))
_some_rows = _as_is.where(positions.c.id.in_(bindparam("ids", expanding=True)))
_ids = select(positions.c.id)
_of_keys = select(positions.c.id, *as_is([positions.c.stones])).where(
    positions.c.lookup.in_(bindparam("lookups", expanding=True)),
    positions.c.game == bindparam("game"),
)
_games = select(games_table.c.id, games_table.c.name).order_by(games_table.c.id)
set_row = update(positions).where(positions.c.id == bindparam("at"))


@dataclass(frozen=True, slots=True)
class Place(GameRows):
    """The rows of one game of a book that may be damaged."""

    def stored(self, keys: Iterable[Key]) -> dict[Key, list[AnyRow]]:
        """The numbers and stones of the rows that are found by each of `keys`, ascending."""
        found: dict[Key, list[AnyRow]] = defaultdict(list)
        wanted = set(keys)
        lookups = sorted({lookup_of(key) for key in wanted})
        for batch in in_batches(lookups):
            for row in sorted(self.select(_of_keys, lookups=batch), key=lambda row: row.id):
                if isinstance(row.stones, bytes) and (key := self.game.key(row.stones)) in wanted:
                    found[key].append(row)
        return found

    def by_id(self, statement: Select[Any], ids: Collection[int]) -> Iterator[AnyRow]:
        """What `statement` finds for its parameter `ids`, a list of any length."""
        for batch in in_batches(sorted(ids)):
            yield from self.connection.execute(statement, {"ids": batch})

    def describe(self, position: Position) -> str:
        """A canonical position, as people are told of it."""
        sides = (("dark", position.dark), ("light", position.light))
        stones = [
            f"{side} {' '.join(map(self.game.format_cell, cells_of(board)))}"
            for side, board in sides
            if board
        ]
        return f"{self.game.id} {', '.join(stones) or 'empty board'}"


@dataclass(frozen=True, slots=True)
class StoredPosition:
    """A row whose stones are a canonical position of an unfinished game."""

    place: Place
    row: AnyRow
    position: Position
    key: Key

    @property
    def where(self) -> str:
        """The position as people are told of it."""
        return self.place.describe(self.position)


def places(connection: Connection) -> dict[int, Place]:
    """The games of the book by their numbers.

    Raises:
        UnknownGame: if this version does not know one of them.
        BookUnreadable: if one has lost its name.
    """
    named = {row.id: row.name for row in connection.execute(_games)}
    if not all(isinstance(name, str) for name in named.values()):
        raise BookUnreadable("the book is damaged: a game has lost its name")
    return {number: Place(connection, registry.get(name), number) for number, name in named.items()}


def batches(connection: Connection) -> Iterator[Sequence[AnyRow]]:
    """All rows of positions, ascending, some at a time; they may be changed meanwhile."""
    rows = connection.execute(_rows).all()
    while rows:
        yield rows
        rows = connection.execute(_next_rows, {"after": rows[-1].id}).all()


def drawn(connection: Connection, count: int, seed: int) -> Iterator[Sequence[AnyRow]]:
    """The rows of `count` positions drawn at random, some at a time.

    By a reservoir (Vitter 1985, algorithm R), so that no more than the drawn ones are held.
    """
    random = Random(seed)
    ids = connection.execute(_ids.order_by(positions.c.id)).scalars()
    chosen = list(islice(ids, count))
    for seen, id in enumerate(ids, start=count + 1):
        at = random.randrange(seen)
        if at < count:
            chosen[at] = id
    for part in in_batches(sorted(chosen)):
        yield connection.execute(_some_rows.order_by(positions.c.id), {"ids": part}).all()


def readable(game: Game, stones: Any) -> Position | None:
    """The unfinished position of `game` that packs to `stones`, None if there is none."""
    if not isinstance(stones, bytes):
        return None
    try:
        position = game.unpack(stones)
    except ValueError:
        return None
    return position if game.outcome(position) is None else None


def is_whole(value: Any, least: int = -1 << 62, most: int = 1 << 62) -> bool:
    """Whether `value` is a whole number from `least` to `most`; truth values are 0 and 1."""
    return isinstance(value, int) and least <= value <= most


def shown(value: Any) -> str:
    """A column's value in a few words."""
    if value is None:
        return "nothing"
    text = value.hex() if isinstance(value, bytes) else str(value)
    return text if len(text) <= 40 else f"{text[:40]}..."
