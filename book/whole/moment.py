"""A book as it is at one moment, and several of them side by side."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import Select, select

from book.closing import Closing
from book.errors import BookUnreadable
from book.rows.encoding import AnyRow
from book.rows.lookup import GameRows
from book.rows.sound import require_sound
from book.storage.address import Address, AnyAddress
from book.storage.database import at_one_moment, explained
from book.storage.schema import games as games_table
from book.storage.schema import moves, positions, runs
from engine import registry
from engine.game import Game, Key


class Moment(Closing):
    """Opens a book as it is now, whatever a builder does from now on. A context manager.

    `numbers` has the number of each of its games by the game's id.

    Raises:
        BookError: if there is no readable book.
    """

    def __init__(self, address: AnyAddress) -> None:
        self.address = Address.of(address)
        with ExitStack() as opened:
            self.connection = opened.enter_context(at_one_moment(self.address))
            self.numbers: dict[str, int] = {
                row.name: row.id for row in self.rows(select(games_table.c.name, games_table.c.id))
            }
            with explained(self.address):
                require_sound(self.connection, self.address, runs, positions, moves)
            self._opened = opened.pop_all()

    def close(self) -> None:
        """Let go of the book."""
        self._opened.close()

    def rows(self, statement: Select[*tuple[Any, ...]], **values: object) -> Iterator[AnyRow]:
        """What `statement` finds, row by row: however much it is, little of it is held."""
        with explained(self.address):
            yield from self.connection.execute(
                statement, values, execution_options={"stream_results": True}
            )

    def rows_of(self, game: Game) -> GameRows:
        """The rows of a game that the book holds."""
        return GameRows(self.connection, game, self.numbers[game.id])

    def stored(self, game: Game, keys: Collection[Key]) -> set[Key]:
        """Those of `keys` whose positions the book holds."""
        if game.id not in self.numbers:
            return set()
        with explained(self.address):
            return set(self.rows_of(game).ids_of(keys))


def all_games(books: Sequence[Moment]) -> list[Game]:
    """The games of all `books`, by their ids."""
    return [
        registry.get(name) for name in sorted({name for book in books for name in book.numbers})
    ]


def side_by_side(
    books: Sequence[Moment], game: Game, statement: Select[*tuple[Any, ...]]
) -> Iterator[dict[int, AnyRow]]:
    """The rows of each position, by the place among `books` of the book that holds it, ascending.

    `statement` gives the positions of the game of the number `game`, with at least `lookup` and
    `stones`, in the order of these two.
    """
    streams = [
        _numbered(at, book, book.rows(statement, game=book.numbers[game.id]))
        for at, book in enumerate(books)
        if game.id in book.numbers
    ]
    for _, alike in groupby(merge(*streams, key=_place), _place):
        yield dict(sorted(alike, key=itemgetter(0)))


def _numbered(at: int, book: Moment, rows: Iterator[AnyRow]) -> Iterator[tuple[int, AnyRow]]:
    for row in rows:
        # The table was checked, but rows may be read by an index that does not agree with it.
        if not (isinstance(row.lookup, int) and isinstance(row.stones, bytes)):
            raise BookUnreadable(
                f"'{book.address}' is damaged: an index has positions that the table has not; "
                "fivebook verify tells more"
            )
        yield at, row


def _place(numbered: tuple[int, AnyRow]) -> tuple[int, bytes]:
    _, row = numbered
    return row.lookup, row.stones
