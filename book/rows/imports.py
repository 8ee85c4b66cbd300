"""What was imported: which files, and what each says of positions."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import bindparam, func, insert, select, update

from book.errors import BookUnreadable
from book.files.contents import NO_GAMES, Noted, Results
from book.rows.batches import in_batches
from book.rows.digests import DigestChanges, digest_of
from book.rows.encoding import BOUND_NUMBERS, BOUNDS, AnyRow, inserted_id, lookup_of, now
from book.rows.lookup import GameRows
from book.storage.schema import imported, sources
from engine.game import Game, Key
from engine.values import Bound, Value, is_decisive

_RESULTS = ("games", "dark_wins", "draws", "light_wins")
_SAID = (*_RESULTS, "value", "bound", "depth", "label", "comment")
_of_lookups = imported.c.lookup.in_(bindparam("lookups", expanding=True))
_of_game = imported.c.game == bindparam("game")
_of_source = select(*(imported.c[name] for name in ("id", "stones", *_SAID))).where(
    imported.c.source == bindparam("source"), _of_lookups
)
_hints = (
    select(imported, sources.c.name, sources.c.form)
    .join(sources, sources.c.id == imported.c.source)
    .where(_of_lookups, _of_game)
    .order_by(imported.c.source, imported.c.id)
)
_played = select(imported).where(_of_lookups, _of_game, imported.c.games > 0)
_set = update(imported).where(imported.c.id == bindparam("at"))
_known = select(sources.c.id).where(
    sources.c.fingerprint == bindparam("fingerprint"), sources.c.game == bindparam("game")
)
_listed = (
    select(
        sources.c.name,
        sources.c.form,
        sources.c.at,
        func.count(imported.c.id).label("positions"),
        func.count(imported.c.value).label("values"),
    )
    .outerjoin(imported, imported.c.source == sources.c.id)
    .where(sources.c.game == bindparam("game"))
    .group_by(sources.c.id, sources.c.name, sources.c.form, sources.c.at)
    .order_by(sources.c.id)
)


@dataclass(frozen=True, slots=True)
class Hint:
    """What one file says of a position: see `book.files.contents.Noted`. It proves nothing.

    `source` is the file's name, `form` its format.
    """

    source: str
    form: str
    results: Results
    value: Value | None
    bound: Bound | None
    depth: int
    label: str
    comment: str


def united(one: Noted, other: Noted) -> Noted:
    """What one file says twice of one position, as one.

    Of two values the one that claims a win or a loss counts, or else the deeper; comments follow
    each other.
    """
    best = max(one, other, key=_weight)
    comments = list(dict.fromkeys(filter(None, (one.comment, other.comment))))
    return replace(
        best,
        label=one.label or other.label,
        comment="\n".join(comments),
        results=one.results.plus(other.results),
    )


def _weight(noted: Noted) -> tuple[bool, bool, int]:
    has_value = noted.value is not None
    return has_value, has_value and is_decisive(noted.value or 0), noted.depth


class Imports:
    """The imported rows of one game, within a transaction where they are changed."""

    def __init__(self, rows: GameRows) -> None:
        self._rows = rows
        self._connection = rows.connection

    def has(self, fingerprint: str) -> bool:
        """Whether a file of this content was imported before."""
        return bool(self._rows.select(_known, fingerprint=fingerprint))

    def begin(self, name: str, form: str, fingerprint: str) -> int:
        """Record a file that is imported; returns the number of the source."""
        values = {"name": name, "form": form, "fingerprint": fingerprint, "at": now()}
        return inserted_id(
            self._connection.execute(insert(sources).values(game=self._rows.number, **values))
        )

    def add(self, source: int, said: Mapping[bytes, Noted]) -> int:
        """Add what a source says of positions, by their canonical stones, to what it said before.

        Returns how many positions are new to it.
        """
        before = self._before(source, said)
        new = []
        for stones, noted in said.items():
            row = before.get(stones)
            if row is None:
                new.append(self._columns(source, stones) | _said(noted))
            else:
                columns = _said(united(noted_of(noted.game, row), noted))
                self._connection.execute(_set.values(columns), {"at": row.id})
        for batch in in_batches(new):
            self._connection.execute(insert(imported), batch)
        return len(new)

    def end(self, source: int) -> None:
        """Give a source and its rows their digests."""
        digests = DigestChanges(self._rows)
        digests.seal(sources, sources.c.id == source)
        digests.seal(imported, imported.c.source == source)
        digests.store()

    def hints(self, keys: Iterable[Key]) -> dict[Key, list[Hint]]:
        """What each file says of positions, by their keys."""
        found: dict[Key, list[Hint]] = {}
        for key, row in self._found(_hints, set(keys)):
            found.setdefault(key, []).append(_hint(row))
        return found

    def results(self, keys: Iterable[Key]) -> dict[Key, Results]:
        """The results of all imported games that came to positions, by their keys."""
        found: dict[Key, Results] = {}
        for key, row in self._found(_played, set(keys)):
            results = Results(*(getattr(row, name) for name in _RESULTS))
            found[key] = found.get(key, NO_GAMES).plus(results)
        return found

    def listed(self) -> list[AnyRow]:
        """All files, with how many positions and values of each are in the book."""
        return list(self._rows.select(_listed))

    def _found(self, statement: Any, keys: Collection[Key]) -> Iterator[tuple[Key, AnyRow]]:
        for lookups in in_batches(sorted({lookup_of(key) for key in keys})):
            for row in self._rows.select(statement, lookups=lookups):
                # Others may have the same lookup.
                key = self._rows.game.key(row.stones)
                if key in keys:
                    require_written(row)
                    yield key, row

    def _before(self, source: int, said: Iterable[bytes]) -> dict[bytes, AnyRow]:
        game, found = self._rows.game, {}
        for lookups in in_batches({lookup_of(game.key(stones)) for stones in said}):
            for row in self._rows.select(_of_source, source=source, lookups=lookups):
                found[row.stones] = row
        return found

    def _columns(self, source: int, stones: bytes) -> dict[str, Any]:
        game = self._rows.game
        return {
            "game": self._rows.number,
            "source": source,
            "lookup": lookup_of(game.key(stones)),
            "stones": stones,
            "ply": len(stones) // len(game.pack_cell(0)),
        }


def require_written(row: AnyRow) -> None:
    """Make sure that a whole row is what was written.

    Raises:
        BookUnreadable: if it is not.
    """
    if digest_of(imported, row._asdict()) != row.digest:
        raise BookUnreadable(
            f"the book is damaged: row {row.id} of {imported.name} is not what was written; "
            "fivebook repair takes it out"
        )


def _said(noted: Noted) -> dict[str, Any]:
    return {
        **noted.results._asdict(),
        "value": noted.value,
        "bound": None if noted.bound is None else BOUND_NUMBERS[noted.bound],
        "depth": noted.depth,
        "label": noted.label,
        "comment": noted.comment,
    }


def noted_of(game: Game, row: AnyRow) -> Noted:
    """What a row says of its position."""
    hint = _hint(row)
    return Noted(
        game,
        game.unpack(row.stones),
        results=hint.results,
        value=hint.value,
        bound=hint.bound,
        depth=hint.depth,
        label=hint.label,
        comment=hint.comment,
    )


def _hint(row: AnyRow) -> Hint:
    return Hint(
        source=getattr(row, "name", ""),
        form=getattr(row, "form", ""),
        results=Results(*(getattr(row, name) for name in _RESULTS)),
        value=row.value,
        bound=None if row.bound is None else BOUNDS[row.bound],
        depth=row.depth,
        label=row.label,
        comment=row.comment,
    )


def canonical_noted(game: Game, noted: Noted) -> tuple[bytes, Noted]:
    """The canonical stones of a noted position, and the same said of its canonical image."""
    canonical = game.canonical(noted.position)
    return canonical.stones, replace(noted, position=canonical.position)
