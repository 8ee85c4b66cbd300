"""Whether what was imported can be what a file said of a position."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, select

from book.integrity.findings import Change, Finding, Kind
from book.integrity.stored import Place, is_whole, shown
from book.rows.batches import AT_ONCE
from book.rows.encoding import BOUNDS, AnyRow, lookup_of
from book.storage.schema import as_is, imported, sources
from engine.game import Game
from engine.position import Position
from engine.values import WIN

take_out_import = delete(imported).where(imported.c.id == bindparam("at"))
_take_out_source = delete(sources).where(sources.c.id == bindparam("at"))
_said_by_it = delete(imported).where(imported.c.source == bindparam("at"))
_sources = select(*as_is(sources.c)).order_by(sources.c.id)
_some = (
    select(*as_is(imported.c))
    .where(imported.c.id > bindparam("after"))
    .order_by(imported.c.id)
    .limit(AT_ONCE)
)
_COUNTS = ("games", "dark_wins", "draws", "light_wins", "depth")
_TEXTS = ("label", "comment")


def imported_rows(connection: Connection) -> Iterator[Sequence[AnyRow]]:
    """All imported rows as they are, some at a time; those read may be taken out meanwhile."""
    after = 0
    while rows := connection.execute(_some, {"after": after}).all():
        yield rows
        after = rows[-1].id


def check_sources(connection: Connection, places: Mapping[int, Place]) -> Iterator[Finding]:
    """Sources of games that the book does not hold; what they say goes with them."""
    for row in connection.execute(_sources):
        if row.game not in places:
            gone: tuple[Change, ...] = (
                (_said_by_it, {"at": row.id}),
                (_take_out_source, {"at": row.id}),
            )
            found = f"game {shown(row.game)}"
            yield Finding(Kind.IMPORT, f"source {row.id}", found, "a game of the book", gone)


def known_sources(connection: Connection) -> set[tuple[Any, Any]]:
    """The number of each source with that of its game."""
    return {(row.id, row.game) for row in connection.execute(_sources)}


def check_imports(
    places: Mapping[int, Place], rows: Sequence[AnyRow], known: set[tuple[Any, Any]]
) -> Iterator[Finding]:
    """Imported rows that cannot be what a file said; nothing tells what they were."""
    for row in rows:
        found = _why_not(places, row, known)
        if found:
            gone: Change = (take_out_import, {"at": row.id})
            where = f"row {row.id} of {imported.name}"
            yield Finding(Kind.IMPORT, where, found, "what a file said", (gone,))


def _why_not(places: Mapping[int, Place], row: AnyRow, known: set[tuple[Any, Any]]) -> str | None:
    if row.game not in places or (row.source, row.game) not in known:
        return f"no source of its game but {shown(row.source)}"
    game = places[row.game].game
    position = _unpacked(game, row.stones)
    if position is None or game.canonical(position).stones != row.stones:
        return "no canonical position"
    if row.lookup != lookup_of(game.key(row.stones)):
        return "another lookup"
    if row.ply != position.ply:
        return f"ply {shown(row.ply)}"
    if not all(is_whole(getattr(row, name), 0) for name in _COUNTS):
        return "a count that is none"
    if row.games < row.dark_wins + row.draws + row.light_wins:
        return "more results than games"
    if row.value is not None and not is_whole(row.value, -WIN, WIN):
        return f"the value {shown(row.value)}"
    if row.bound is not None and row.bound not in BOUNDS:
        return f"the bound {shown(row.bound)}"
    return None if all(isinstance(getattr(row, n), str) for n in _TEXTS) else "no text"


def _unpacked(game: Game, stones: Any) -> Position | None:
    """The position that packs to `stones`, its game over or not; None if there is none."""
    try:
        return game.unpack(stones) if isinstance(stones, bytes) else None
    except ValueError:
        return None
