"""Whether rows are what was written, and all of them are there, as far as their digests tell."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Table, bindparam, func, or_, select

from book.integrity.findings import Finding, Kind, damaged
from book.integrity.imports import take_out_import
from book.integrity.stored import Place, is_whole, places, readable, shown
from book.rows.digests import CONTENT, DIGESTED, SUMS, digest_of, shown_of, signed, summed
from book.rows.encoding import AnyRow
from book.storage.revisions import has_imports
from book.storage.schema import as_is, digests, games, imported, positions, sources, tasks
from book.storage.store import kind_of
from book.writer import BookWriter

_of_positions = select(positions.c.id, *as_is([positions.c.digest])).where(
    positions.c.id.in_(bindparam("ids", expanding=True))
)
# Those that may have millions of rows: they are looked at with all else of them.
_LARGE = (positions, imported)
_totals_of = {
    table: select(table.c.game, func.sum(table.c.digest).label("total")).group_by(table.c.game)
    for table in _LARGE
}
_stored_sums = select(*as_is(digests.c))
_leased = select(tasks.c.id).where(
    or_(tasks.c.leased_by.is_not(None), tasks.c.leased_until.is_not(None))
)


def refuse_altered(writer: BookWriter) -> None:
    """Make sure of what can be told of a book without reading each position: that the rows of all
    other tables are what was written, and that no row is missing or too many.

    Nobody else may be at work on the book.

    Raises:
        BookUnreadable: if that is not so.
    """

    def first_fault(connection: Connection) -> Finding | None:
        return next(DigestCheck(connection, places(connection)).cheaply(), None)

    fault = writer.lasting(first_fault)
    if fault is not None:
        raise damaged(str(writer.address), fault)


class DigestCheck:
    """Compares rows with their digests, and adds these up.

    `connection` sees the book at one moment; `places` are its games. `doubtful` are the positions
    found not to be what was written, by their numbers, with the digests that they have.
    """

    def __init__(self, connection: Connection, places: Mapping[int, Place]) -> None:
        self._connection = connection
        self._places = places
        self._totals: Counter[tuple[Any, Any]] = Counter()
        missing = () if has_imports(connection) else (sources, imported)
        self._tables = [table for table in DIGESTED if table not in missing]
        self._names = [name for name in SUMS if name not in {table.name for table in missing}]
        self.doubtful: dict[int, Any] = {}

    def of_small_tables(self) -> Iterator[Finding]:
        """Rows that are not what was written, of all tables but the large ones."""
        for table in self._tables:
            if table not in _LARGE:
                for row in self._connection.execute(select(*as_is(table.c)).order_by(table.c.id)):
                    number = row.id if table is games else row.game
                    yield from self._of_row(table, number, row._asdict(), row.digest)
        if not kind_of(self._connection).is_shareable:
            for id in self._connection.execute(_leased).scalars():
                yield Finding(Kind.TASK, f"task {id}", "a lease", "none: a file has one builder")

    def of_positions(self, rows: Sequence[AnyRow]) -> Iterator[Finding]:
        """Those of some positions that are not what was written."""
        ids = {"ids": [row.id for row in rows]}
        found = {row.id: row.digest for row in self._connection.execute(_of_positions, ids)}
        for row in rows:
            columns = row._asdict()
            self._totals[row.game, CONTENT] += shown_of(columns)
            for finding in self._of_row(positions, row.game, columns, found[row.id]):
                self.doubtful[row.id] = found[row.id]
                yield finding

    def of_imports(self, rows: Sequence[AnyRow]) -> Iterator[Finding]:
        """Those of some imported rows that are not what was written; they are taken out."""
        for row in rows:
            for finding in self._of_row(imported, row.game, row._asdict(), row.digest):
                yield replace(finding, mend=((take_out_import, {"at": row.id}),))

    def of_sums(self, names: Collection[str] | None = None) -> Iterator[Finding]:
        """Sums that are not those of the rows, all of which the other checks have seen."""
        names = self._names if names is None else names
        wanted = {(number, name) for number in self._places for name in names}
        wanted |= {place for place, total in self._totals.items() if total}
        stored = {
            (row.game, row.name): row.total
            for row in self._connection.execute(_stored_sums)
            if row.name in names or row.name not in SUMS
        }
        for place in sorted(wanted | stored.keys(), key=str):
            right = signed(self._totals[place]) if place in wanted else None
            if stored.get(place) != right:
                number, name = place
                game = self._places[number].game.id if number in self._places else f"game {number}"
                yield Finding(Kind.SUM, f"{name} of {game}", shown(stored.get(place)), shown(right))

    def cheaply(self) -> Iterator[Finding]:
        """What is wrong as far as it shows without reading each position."""
        yield from self.of_small_tables()
        for table in _LARGE:
            for row in self._connection.execute(_totals_of[table]) if table in self._tables else ():
                self._totals[row.game, table.name] += row.total if is_whole(row.total) else 0
        yield from self.of_sums([name for name in self._names if name != CONTENT])

    def _of_row(
        self, table: Table, number: Any, row: Mapping[str, Any], digest: Any
    ) -> Iterator[Finding]:
        self._totals[number, table.name] += summed(table, row, digest if is_whole(digest) else 0)
        right = digest_of(table, row)
        if right is None or digest != right:
            where = self._described(table, row)
            found = f"a row with the digest {shown(right)}"
            yield Finding(Kind.DIGEST, where, found, f"the one with {shown(digest)}")

    def _described(self, table: Table, row: Mapping[str, Any]) -> str:
        if table is positions and row["game"] in self._places:
            place = self._places[row["game"]]
            position = readable(place.game, row["stones"])
            if position is not None:
                return place.describe(position)
        return f"row {row['id']} of {table.name}"
