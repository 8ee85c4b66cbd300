"""Verifying a book: every row against the rules of its game and against the others."""

from collections.abc import Iterator, Mapping, Sequence

from sqlalchemy import Connection, inspect

from book.integrity import identity, imports, links, slots, tables, values
from book.integrity.digests import DigestCheck
from book.integrity.findings import Finding, Kind
from book.integrity.stored import Place, StoredPosition, batches, drawn, places, shown
from book.rows.encoding import AnyRow
from book.storage.revisions import has_digests, has_imports, has_present_costs
from book.storage.schema import digests as digests_table
from book.storage.store import kind_of


class Verification:
    """Looks at a book over a connection that sees it at one moment.

    `has_digests` tells whether it has any, without which some changes of a row do not show.

    `sample` is how many positions to draw, with `seed`, instead of looking at all; then what
    takes a look at the whole book is left out: the file, the counts, links to nowhere.

    Raises:
        UnknownGame: if this version does not know a game of the book.
    """

    def __init__(self, connection: Connection, sample: int | None = None, seed: int = 0) -> None:
        self._connection = connection
        self._sample = sample
        self._seed = seed
        self._has_present_costs = has_present_costs(connection)
        self.has_digests = has_digests(connection)
        self.places = places(connection)
        self.looked_at = 0

    def findings(self) -> Iterator[Finding]:
        """All that is wrong. Of a file that is damaged, that alone."""
        connection = self._connection
        if self._sample is None:
            damage = list(damage_of_file(connection))
            yield from damage
            if damage:
                return
        digests = DigestCheck(connection, self.places) if self.has_digests else None
        if digests is None and inspect(connection).has_table(digests_table.name):
            yield Finding(Kind.FILE, "the schema's version", "one without digests", "a later one")
        for check in (tables.check_notation, tables.check_runs, tables.check_tasks):
            yield from check(connection, self.places)
        if digests is not None:
            yield from digests.of_small_tables()
        runs = tables.known_runs(connection)
        for rows in self.rows():
            self.looked_at += len(rows)
            yield from filter(self._is_fault, check_batch(self.places, rows, runs))
            if digests is not None:
                yield from digests.of_positions(rows)
        if self._sample is None and has_imports(connection):
            yield from self._of_imports(digests)
        if self._sample is None:
            yield from links.dangling(connection)
            with_empty = not self.has_digests
            yield from tables.check_counts(connection, self.places, with_empty=with_empty)
            if digests is not None:
                yield from digests.of_sums()

    def _of_imports(self, digests: DigestCheck | None) -> Iterator[Finding]:
        yield from imports.check_sources(self._connection, self.places)
        known = imports.known_sources(self._connection)
        for rows in imports.imported_rows(self._connection):
            yield from imports.check_imports(self.places, rows, known)
            if digests is not None:
                yield from digests.of_imports(rows)

    def _is_fault(self, finding: Finding) -> bool:
        """All are but the costs of an old book, which are computed anew when it is built on."""
        return finding.kind is not Kind.OPEN_COST or self._has_present_costs

    def rows(self) -> Iterator[Sequence[AnyRow]]:
        """The positions to look at, some at a time."""
        if self._sample is None:
            return batches(self._connection)
        return drawn(self._connection, self._sample, self._seed)

    def stored(self) -> Iterator[StoredPosition]:
        """Those of them whose stones can be read."""
        for rows in self.rows():
            for stored, _ in identity.identify(self.places, rows):
                if stored is not None:
                    yield stored


def check_batch(
    places: Mapping[int, Place], rows: Sequence[AnyRow], runs: set[tuple[int, int]]
) -> Iterator[Finding]:
    """What is wrong with some rows of positions, and with the links to them."""
    identified = identity.identify(places, rows)
    for _, found in identified:
        yield from found
    for place, batch in identity.grouped(stored for stored, _ in identified):
        for stored in batch:
            if (stored.row.run, stored.row.game) not in runs:
                run = f"run {shown(stored.row.run)}"
                yield Finding(Kind.NO_RUN, stored.where, run, "a run of its game")
        yield from identity.duplicates(place, batch)
        yield from links.check(place, batch)
        broken = set()
        for stored, finding in slots.check(place, batch):
            broken.add(stored.row.id)
            yield finding
        sound = [stored for stored in batch if stored.row.id not in broken]
        yield from (finding for _, finding in values.check(place, sound))


def damage_of_file(connection: Connection) -> Iterator[Finding]:
    """What the database finds wrong with the book's file; a server looks after its own."""
    for line in kind_of(connection).damage(connection):
        yield Finding(Kind.FILE, "the book's file", line, "an intact file")
