"""Where somebody wants a book to grow, or not to: a wish for a stored position."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import Connection, bindparam, inspect, select

from book.errors import BookUnreadable, InvalidRecord, PositionNotFound
from book.files.contents import Request, noted_of_item
from book.files.formats import read_file
from book.misses import Misses
from book.reader import BookReader
from book.rows.counts import CountChanges
from book.rows.digests import DigestChanges
from book.rows.encoding import AnyRow
from book.rows.lookup import GameRows
from book.rows.propagation import propagate
from book.storage.address import AnyAddress
from book.storage.schema import Wish, games, moves, positions, tasks
from book.writer import BookWriter
from engine import registry as all_games
from engine.game import Canonical, Game, Key
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
        _set(writer.rows, connection, [row], wish)
    return _told(game, canonical.position, wish)


@dataclass(frozen=True, slots=True)
class WishedFile:
    """How many positions of a file a book holds, of which the wish is now, and how many not.

    Of what the book does not hold `asked` were put among its misses, and `over` are finished.
    """

    stored: int
    asked: int
    over: int


def wish_file(
    address: AnyAddress, game: Game, path: Path, wish: Wish | None, request: Request
) -> WishedFile:
    """Wish something of every position of `game` in the file at `path`.

    What is wished `more` and not stored is put among the book's misses, which the mode `learn`
    builds.

    Raises:
        InvalidRecord: if the file cannot be read, or holds no position of `game`.
        BookError: if the book or its misses cannot be written.
    """
    counts = Counter[Key]()
    positions: dict[Key, Canonical] = {}
    for item in read_file(path, replace(request, game=game)):
        for noted in noted_of_item(item):
            canonical = game.canonical(noted.position)
            positions[canonical.key] = canonical
            counts[canonical.key] += 1
    if not positions:
        raise InvalidRecord(f"'{path}' holds no position of {game.id}")
    with BookWriter(address, game) as writer, writer.transaction() as connection:
        stored = writer.rows.find(positions)
        _set(writer.rows, connection, list(stored.values()), wish)
    missing = [each for key, each in positions.items() if key not in stored]
    open_ones = [each for each in missing if game.outcome(each.position) is None]
    wanted = open_ones if wish is Wish.MORE else []
    if wanted:
        Misses(address).add(game, {each.stones: counts[each.key] for each in wanted})
    return WishedFile(len(stored), len(wanted), len(missing) - len(open_ones))


def _set(
    rows: GameRows, connection: Connection, wished: Sequence[AnyRow], wish: Wish | None
) -> None:
    """Set the wish for positions by their rows, within a transaction."""
    digests, changed = DigestChanges(rows), set[int]()
    for row in wished:
        if row.wish != wish:
            digests.change(row, {"wish": None if wish is None else int(wish)})
            changed.update(connection.execute(_parents, {"id": row.id}).scalars(), [row.id])
    if changed:
        # Proofs do not depend on wishes: there is nothing to count.
        propagate(connection, changed, CountChanges(), digests)
        digests.forget_tasks(tasks.c.game == rows.number)
        digests.store()


def _told(game: Game, position: Position, wish: Wish | None) -> Wished:
    def names(board: int) -> str:
        return " ".join(map(game.format_cell, cells_of(board)))

    word = None if wish is None else wish.name.lower()
    return Wished(game.id, names(position.dark), names(position.light), word)
