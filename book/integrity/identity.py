"""Whether a row is the position that it says it is, and no other row is it as well."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, delete, or_, select

from book.integrity.findings import Change, Finding, Kind
from book.integrity.stored import Place, StoredPosition, is_whole, readable, set_row, shown
from book.rows.canonical_images import Image, smallest_images
from book.rows.encoding import BOUNDS, AnyRow, lookup_of, pack_line, unpack_line
from book.storage.schema import Wish, as_is, moves, positions
from engine.game import Canonical
from engine.position import Position
from engine.values import WIN

_links_to = (
    select(*as_is([positions.c.stones]), moves.c.move)
    .join(moves, moves.c.parent == positions.c.id)
    .where(moves.c.child == bindparam("child"))
)
_ranked = select(positions.c.id, *as_is([positions.c.proven, positions.c.nodes])).where(
    positions.c.id.in_(bindparam("ids", expanding=True))
)
_delete_row = delete(positions).where(positions.c.id == bindparam("at"))
_delete_links = delete(moves).where(
    or_(moves.c.parent == bindparam("at"), moves.c.child == bindparam("at"))
)
_EXTREMES = {"value": (-WIN, WIN), "bound": (min(BOUNDS), max(BOUNDS)), "proven": (0, 1)}
_EFFORT = ("depth", "nodes", "milliseconds")
_WISHES = [wish.value for wish in Wish]


def identify(
    places: Mapping[int, Place], rows: Sequence[AnyRow]
) -> list[tuple[StoredPosition | None, list[Finding]]]:
    """Each row as a position, None unless it is a canonical one, and what is wrong with it."""
    known: dict[Place, list[tuple[AnyRow, Position]]] = defaultdict(list)
    for row in rows:
        if row.game in places:
            position = readable(places[row.game].game, row.stones)
            if position is not None:
                known[places[row.game]].append((row, position))
    images: dict[int, tuple[Position, Image]] = {}
    for place, found in known.items():
        smallest = smallest_images(place.game, [position for _, position in found])
        for (row, position), image in zip(found, smallest, strict=True):
            images[row.id] = position, image
    return [_identified(places, row, *images.get(row.id, (None, None))) for row in rows]


def _identified(
    places: Mapping[int, Place], row: AnyRow, position: Position | None, image: Image | None
) -> tuple[StoredPosition | None, list[Finding]]:
    if image is None or lookup_of(image.key) != row.lookup:
        other = _meant(places, row)
        if other is not None:
            return None, [other]
    if position is None or image is None:
        return None, [_unreadable(places, row)]
    place = places[row.game]
    if image.stones != row.stones:
        return None, [_turned(place, row, place.game.canonical(position))]
    stored = StoredPosition(place, row, position, image.key)
    return stored, [*_derived(stored), *_columns(stored)]


def by_place(
    places: Mapping[int, Place], rows: Sequence[AnyRow]
) -> list[tuple[Place, list[StoredPosition]]]:
    """Those rows that are positions, by their game."""
    return grouped(stored for stored, _ in identify(places, rows))


def grouped(
    identified: Iterable[StoredPosition | None],
) -> list[tuple[Place, list[StoredPosition]]]:
    """Positions by their game."""
    found: dict[Place, list[StoredPosition]] = defaultdict(list)
    for stored in identified:
        if stored is not None:
            found[stored.place].append(stored)
    return list(found.items())


def duplicates(place: Place, batch: Sequence[StoredPosition]) -> Iterator[Finding]:
    """Rows of one position, all but the best; and rows that their own lookup does not find."""
    found = place.stored(stored.key for stored in batch)
    several = {row.id for rows in found.values() if len(rows) > 1 for row in rows}
    ranks = {row.id: _rank(row) for row in place.by_id(_ranked, several)}
    for stored in batch:
        id = stored.row.id
        ids = [row.id for row in found.get(stored.key, ())]
        if id not in ids:
            # Otherwise it is the lookup that is wrong.
            if stored.row.lookup == lookup_of(stored.key):
                yield Finding(Kind.INDEX, stored.where, "no entry in the index", "one")
        elif id != (best := max(ids, key=ranks.__getitem__) if len(ids) > 1 else id):
            gone = ((_delete_row, {"at": id}), (_delete_links, {"at": id}))
            yield Finding(Kind.DUPLICATE, stored.where, f"row {id}", f"row {best} alone", gone)


def _rank(row: AnyRow) -> tuple[bool, int, int]:
    """What makes one row of a position better than another: proofs first, then effort."""
    return row.proven == 1, row.nodes if is_whole(row.nodes) else 0, -row.id


def _meant(places: Mapping[int, Place], row: AnyRow) -> Finding | None:
    """What a row of unfitting stones is by its lookup: of another game, or with other stones.

    32 bits are no proof, but chance agrees with them once in four thousand million times. That a
    lookup was overwritten with that of another row is told from this by the ply.
    """
    for number, place in places.items():
        position = readable(place.game, row.stones)
        if position is None or number == row.game:
            continue
        canonical = place.game.canonical(position)
        if canonical.stones == row.stones and lookup_of(canonical.key) == row.lookup:
            where = place.describe(position)
            return Finding(
                Kind.GAME, where, shown(row.game), str(number), (_set(row, game=number),)
            )
    if row.game not in places:
        return None
    place = places[row.game]
    for canonical in _after_links(place, row):
        if canonical.stones == row.stones:
            continue
        if lookup_of(canonical.key) == row.lookup and canonical.position.ply == row.ply:
            where = place.describe(canonical.position)
            change = _set(row, stones=canonical.stones)
            return Finding(Kind.STONES, where, shown(row.stones), canonical.stones.hex(), (change,))
    return None


def _after_links(place: Place, row: AnyRow) -> Iterator[Canonical]:
    """The empty board, to which no link leads, and what the links to a row lead to."""
    game = place.game
    yield game.canonical(game.initial)
    for link in place.connection.execute(_links_to, {"child": row.id}):
        parent = readable(game, link.stones)
        if parent is not None and link.move in game.legal_moves(parent):
            yield game.canonical(game.play(parent, link.move))


def _unreadable(places: Mapping[int, Place], row: AnyRow) -> Finding:
    where, found = f"row {row.id}", shown(row.stones)
    if row.game not in places:
        return Finding(Kind.GAME, where, shown(row.game), "a game of the book", takes_out=row.id)
    expected = f"an unfinished position of {places[row.game].game.id}"
    return Finding(Kind.STONES, where, found, expected, takes_out=row.id)


def _turned(place: Place, row: AnyRow, canonical: Canonical) -> Finding:
    """A row in another orientation, which is stored in its canonical one where that is free."""
    there = [other.id for other in place.stored([canonical.key])[canonical.key]]
    line = row.rest_line
    if isinstance(line, bytes):
        known = (move for move in unpack_line(place.game, line) if move < place.game.move_count)
        turned = [place.game.map_move(move, canonical.symmetry) for move in known]
        line = pack_line(place.game, turned)
    change = _set(row, stones=canonical.stones, lookup=lookup_of(canonical.key), rest_line=line)
    where = place.describe(canonical.position)
    found = f"{shown(row.stones)}{' besides it' if there else ''}"
    return Finding(Kind.IMAGE, where, found, canonical.stones.hex(), (change,))


def _derived(stored: StoredPosition) -> Iterator[Finding]:
    """What is wrong with the columns that follow from the stones."""
    row = stored.row
    for kind, name, right in (
        (Kind.LOOKUP, "lookup", lookup_of(stored.key)),
        (Kind.PLY, "ply", stored.position.ply),
    ):
        found = getattr(row, name)
        if found != right:
            change = _set(row, **{name: right})
            yield Finding(kind, stored.where, shown(found), str(right), (change,))


def _columns(stored: StoredPosition) -> Iterator[Finding]:
    """Columns that hold no number of their kind, with one of it to put there for now."""
    row = stored.row
    ranges = _EXTREMES | dict.fromkeys(_EFFORT, (0, 1 << 62))
    for name, (least, most) in ranges.items():
        found = getattr(row, name)
        if not is_whole(found, least, most):
            yield _column(stored, name, f"a number from {least} to {most}", 0)
    if row.open_cost is not None and not is_whole(row.open_cost, 0):
        yield _column(stored, "open_cost", "a cost or nothing", None)
    if row.wish is not None and row.wish not in _WISHES:
        yield _column(stored, "wish", "a wish or nothing", None)


def _column(stored: StoredPosition, name: str, expected: str, mended: int | None) -> Finding:
    value: Any = bool(mended) if name == "proven" else mended
    found = f"{name} {shown(getattr(stored.row, name))}"
    change = _set(stored.row, **{name: value})
    return Finding(Kind.COLUMN, stored.where, found, expected, (change,))


def _set(row: AnyRow, **columns: Any) -> Change:
    return set_row, {"at": row.id, **columns}
