"""Where somebody wants a book to grow, or not to: a wish for a stored position."""

from dataclasses import dataclass

from sqlalchemy import bindparam, inspect, select

from book.errors import BookUnreadable, PositionNotFound
from book.reader import BookReader
from book.rows.counts import CountChanges
from book.rows.digests import DigestChanges
from book.rows.propagation import propagate
from book.storage.address import AnyAddress
from book.storage.schema import Wish, games, moves, positions, tasks
from book.writer import BookWriter
from engine import registry as all_games
from engine.game import Game
from engine.position import Position, cells_of

_wished = (
    select(games.c.name, positions.c.stones, positions.c.wish)
    .join(games)
    .where(positions.c.wish.is_not(None))
    .order_by(games.c.name, positions.c.ply, positions.c.lookup, positions.c.stones)
)
_parents = select(moves.c.parent).where(moves.c.child == bindparam("id"))


@dataclass(frozen=True, slots=True)
class Wished:
    """A canonical position, by the cells of its stones, and what is wished there, if anything."""

    game: str
    dark: str
    light: str
    wish: str | None


def wishes_of(reader: BookReader) -> list[Wished]:
    """All wishes in an open book, by game, ply and key.

    Raises:
        BookUnreadable: if one is none, or of no position.
    """
    with reader.connection() as connection:
        columns = inspect(connection).get_columns(positions.name)
        # In a book that no builder has brought up yet nothing can have been wished.
        if all(column["name"] != positions.c.wish.name for column in columns):
            return []
        rows = connection.execute(_wished).all()
    try:
        return [
            _told(game, game.unpack(row.stones), Wish(row.wish))
            for row in rows
            for game in [all_games.get(row.name)]
        ]
    except (TypeError, ValueError) as error:
        raise BookUnreadable(
            f"'{reader.address}' is damaged: a wish cannot be right; fivebook repair mends it"
        ) from error


def make_wish(address: AnyAddress, game: Game, position: Position, wish: Wish | None) -> Wished:
    """Wish something of a stored position, None: nothing any more; returns what is wished now.

    The costs of all positions above follow at once, and what was planned without the wish is
    forgotten, with the results that had not entered the book yet.

    Raises:
        PositionNotFound: if the book does not hold the position.
        BookError: if the book cannot be written, also because a builder is at work.
    """
    canonical = game.canonical(position)
    with BookWriter(address, game) as writer, writer.transaction() as connection:
        row = writer.rows.get(canonical.key)
        if row is None:
            raise PositionNotFound(f"'{address}' does not hold this position of {game.id}")
        if row.wish != wish:
            digests = DigestChanges(writer.rows)
            digests.change(row, {"wish": None if wish is None else int(wish)})
            parents = connection.execute(_parents, {"id": row.id}).scalars()
            # Proofs do not depend on wishes: there is nothing to count.
            propagate(connection, [row.id, *parents], CountChanges(), digests)
            digests.forget_tasks(tasks.c.game == writer.rows.number)
            digests.store()
    return _told(game, canonical.position, wish)


def _told(game: Game, position: Position, wish: Wish | None) -> Wished:
    def names(board: int) -> str:
        return " ".join(map(game.format_cell, cells_of(board)))

    word = None if wish is None else wish.name.lower()
    return Wished(game.id, names(position.dark), names(position.light), word)
