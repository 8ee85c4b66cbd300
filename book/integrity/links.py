"""Whether the links are those that the stored positions have among themselves."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from book.integrity.findings import Change, Finding, Kind
from book.integrity.stored import Place, StoredPosition, readable
from book.rows.encoding import AnyRow
from book.rows.links import WaysTo
from book.storage.schema import moves, positions
from engine.game import Game
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


def check(place: Place, batch: Sequence[StoredPosition]) -> Iterator[Finding]:
    """What is wrong with the links to the positions of `batch`.

    The positions one move before are few, unlike those one move later: all links are looked at,
    once each, from their end.
    """
    ways = WaysTo(place.game, {stored.row.id: stored.position for stored in batch})
    rows = place.stored(ways.parents)
    right: dict[int, dict[int, Move]] = defaultdict(dict)
    for (key, child), move in ways.links(rows).items():
        right[child][rows[key][0].id] = move
    links: dict[int, dict[int, Move]] = defaultdict(dict)
    for link in place.by_id(_links_to, [stored.row.id for stored in batch]):
        links[link.child][link.parent] = link.move
    for stored in batch:
        there, expected = links[stored.row.id], right[stored.row.id]
        if there != expected:
            described = {row.id: row for found in rows.values() for row in found}
            yield from _compared(stored, there, expected, described)


def dangling(connection: Connection) -> Iterator[Finding]:
    """Links to positions that are not stored."""
    for link in connection.execute(_dangling):
        where = f"link from row {link.parent}"
        found = f"row {link.child}, which is not stored"
        yield Finding(Kind.LINK, where, found, "a stored position")


def _compared(
    stored: StoredPosition,
    links: dict[int, Move],
    right: dict[int, Move],
    rows: Mapping[int, AnyRow],
) -> Iterator[Finding]:
    game, child = stored.place.game, stored.row.id
    for parent, move in right.items():
        where = f"{_described(stored.place, rows[parent])} to {stored.where}"
        ends = {"from": parent, "to": child}
        if parent not in links:
            change: Change = (_insert, {"parent": parent, "child": child, "move": move})
            yield Finding(Kind.NO_LINK, where, "no link", game.format_move(move), (change,))
        elif links[parent] != move:
            change = (_set_move, ends | {"move": move})
            found = _named(game, links[parent])
            yield Finding(Kind.LINK_MOVE, where, found, game.format_move(move), (change,))
    for parent in sorted(set(links) - set(right), key=str):
        where = f"row {parent} to {stored.where}"
        gone = (_delete, {"from": parent, "to": child})
        yield Finding(Kind.LINK, where, _named(game, links[parent]), "no link", (gone,))


def _described(place: Place, row: AnyRow) -> str:
    position = readable(place.game, row.stones)
    return f"row {row.id}" if position is None else place.describe(position)


def _named(game: Game, move: object) -> str:
    is_move = isinstance(move, int) and 0 <= move < game.move_count
    return game.format_move(move) if is_move else f"move {move}"  # type: ignore[arg-type]
