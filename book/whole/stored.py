"""Every position of a game in a book, one by one, with all that the book knows of it."""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from sqlalchemy import bindparam

from book.entry import BookMove
from book.errors import BookUnreadable
from book.rows.known_moves import (
    PositionRow,
    are_sound,
    known_moves,
    with_children,
)
from book.storage.revisions import has_digests
from book.storage.schema import positions
from book.whole.moment import Moment
from engine.game import Game


class StoredPosition(NamedTuple):
    """A position by its packed stones, with its row and its moves, best first.

    All of it is in canonical orientation. Only the rest move has a line.
    """

    stones: bytes
    row: PositionRow
    moves: list[BookMove]


def stored_positions(book: Moment, game: Game) -> Iterator[StoredPosition]:
    """The positions of `game` in the order in which they came into the `book`.

    Raises:
        BookUnreadable: if a row cannot be right.
    """
    statement = (
        with_children(has_digests=has_digests(book.connection))
        .add_columns(positions.c.stones)
        .where(positions.c.game == bindparam("game"))
        .order_by(positions.c.id)
    )
    found = map(tuple, book.rows(statement, game=book.numbers[game.id]))
    for stones, alike in groupby(found, itemgetter(-1)):
        rows = [PositionRow._make(row[:-1]) for row in alike]
        if not are_sound(game, rows):
            raise BookUnreadable(
                f"'{book.address}' is damaged: the row of the stones {stones.hex()} cannot be "
                "right; fivebook verify tells more"
            )
        yield StoredPosition(stones, rows[0], known_moves(game, rows))
