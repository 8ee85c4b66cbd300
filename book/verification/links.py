"""Whether the links are those that the stored positions have among themselves."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from book.rows import AnyRow
from book.schema import moves, positions
from book.verification.findings import Change, Finding, Kind
from book.verification.stored import Place, Stored, readable
from engine.games.base import Game
from engine.position import Move

_links_to = select(moves).where(moves.c.child.in_(bindparam("ids", expanding=True)))
_here = (moves.c.parent == bindparam("from"), moves.c.child == bindparam("to"))
_delete = delete(moves).where(*_here)
_set_move = update(moves).where(*_here)
_insert = insert(moves)
_dangling = (
    select(moves)
    .outerjoin(positions, positions.c.id == moves.c.child)
    .where(positions.c.id.is_(None))
)


def check(place: Place, batch: Sequence[Stored]) -> Iterator[Finding]:
    """What is wrong with the links to the positions of `batch`.

    The positions one move before are few, unlike those one move later: all links are looked at,
    once each, from their end.
    """
    parents = {stored.row.id: place.game.parents(stored.position) for stored in batch}
    rows = place.stored(key for found in parents.values() for key in found)
    links: dict[int, dict[int, Move]] = defaultdict(dict)
    for link in place.by_id(_links_to, parents):
        links[link.child][link.parent] = link.move
    for stored in batch:
        right = {
            row: move
            for key, move in parents[stored.row.id].items()
            for row in rows.get(key, ())[:1]
        }
        yield from _compared(stored, links[stored.row.id], right)


def dangling(connection: Connection) -> Iterator[Finding]:
    """Links to positions that are not stored."""
    for link in connection.execute(_dangling):
        where = f"link from row {link.parent}"
        found = f"row {link.child}, which is not stored"
        yield Finding(Kind.LINK, where, found, "a stored position")


def _compared(
    stored: Stored, links: dict[int, Move], right: dict[AnyRow, Move]
) -> Iterator[Finding]:
    game, child = stored.place.game, stored.row.id
    expected = {row.id: move for row, move in right.items()}
    for row, move in right.items():
        where = f"{_described(stored.place, row)} to {stored.where}"
        ends = {"from": row.id, "to": child}
        if row.id not in links:
            change: Change = (_insert, {"parent": row.id, "child": child, "move": move})
            yield Finding(Kind.NO_LINK, where, "no link", game.format_move(move), (change,))
        elif links[row.id] != move:
            change = (_set_move, ends | {"move": move})
            found = _named(game, links[row.id])
            yield Finding(Kind.LINK_MOVE, where, found, game.format_move(move), (change,))
    for parent in sorted(set(links) - set(expected), key=str):
        where = f"row {parent} to {stored.where}"
        gone = (_delete, {"from": parent, "to": child})
        yield Finding(Kind.LINK, where, _named(game, links[parent]), "no link", (gone,))


def _described(place: Place, row: AnyRow) -> str:
    position = readable(place.game, row.stones)
    return f"row {row.id}" if position is None else place.describe(position)


def _named(game: Game, move: object) -> str:
    is_move = isinstance(move, int) and 0 <= move < game.move_count
    return game.format_move(move) if is_move else f"move {move}"  # type: ignore[arg-type]
