"""Repairing a book: what follows from other rows is written anew, what does not is taken out.

One fault hides another. The checks are therefore made one after the other, each over a book in
which what the one before found is mended.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    BindParameter,
    Connection,
    bindparam,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

import engine
from book.errors import BookError, BookUnreadable
from book.integrity import identity, imports, links, slots, tables, values
from book.integrity.digests import DigestCheck
from book.integrity.findings import Finding, Kind
from book.integrity.stored import Place, StoredPosition, batches, places, set_row
from book.integrity.verify import damage_of_file
from book.reader import BookReader
from book.rows.batches import in_batches
from book.rows.counts import CountChanges
from book.rows.digests import digest_all, digest_of
from book.rows.encoding import AnyRow, inserted_id, now
from book.rows.propagation import propagate
from book.storage.address import Address
from book.storage.schema import (
    RestState,
    digests,
    moves,
    positions,
    runs,
    tasks,
    undigested,
)
from book.writer import BookWriter, empty_slot
from engine.game import Game
from engine.values import WIN

Tell = Callable[[Finding], None]

# What may hide behind what: another game, other stones, another lookup or column.
_ROUNDS = 4
# With this many positions or more a book is not emptied because its game's name was lost.
_MANY = 10
_DOUBTFUL = (Kind.GAME, Kind.STONES, Kind.IMAGE, Kind.LOOKUP)

_some: BindParameter[int] = bindparam("ids", expanding=True)
_parents = select(moves.c.parent).where(moves.c.child.in_(_some))
_delete_links = delete(moves).where(or_(moves.c.child.in_(_some), moves.c.parent.in_(_some)))
_delete_rows = delete(positions).where(positions.c.id.in_(_some))
_delete_dangling = delete(moves).where(moves.c.child.not_in(select(positions.c.id)))
# A move that wins at once is the best whatever else is stored.
_empty_slots = (
    update(positions)
    .where(
        positions.c.id.in_(_some),
        or_(positions.c.rest_state != RestState.ENDS.value, positions.c.rest_value != WIN - 1),
    )
    .values(empty_slot(RestState.PENDING))
)
# A kept proof stands.
_set_pending = _empty_slots.where(positions.c.rest_state != RestState.KEPT.value)
_knows_nothing = (
    select(positions.c.id)
    .where(
        positions.c.rest_state == RestState.PENDING.value,
        ~exists().where(moves.c.parent == positions.c.id),
    )
    .order_by(positions.c.id)
)
_has_no_run = ~exists().where(runs.c.id == positions.c.run, runs.c.game == positions.c.game)
_without_run = select(positions.c.id).where(positions.c.game == bindparam("game"), _has_no_run)
_set_run = update(positions).where(positions.c.game == bindparam("of"), _has_no_run)
_has_sums = select(digests.c.game).limit(1)
_doubted = select(*undigested(positions)).where(positions.c.id.in_(_some))
_size = select(func.count()).select_from(positions)


def repair(address: Address, tell: Tell) -> None:
    """Mend the book at `address` in one transaction, and tell what was found wrong with it.

    What cannot be derived is taken out; the next build searches it anew.

    Raises:
        BookError: if the book cannot be written, or its file itself is damaged.
    """
    try:
        game = _some_game(address)
        with BookWriter(address, game) as writer, writer.transaction() as connection:
            _mend_file(connection, address, tell)
            _Repair(connection, address, tell).run()
    except BookUnreadable as error:
        # A server, or a file that may not be read, has lost nothing that is known of.
        if address.path is None or isinstance(error.__cause__, OSError):
            raise
        raise BookUnreadable(
            f"{error}; rows of it are lost: fivebook repair --salvage NEW.db copies those that "
            "can still be read"
        ) from error


def _some_game(address: Address) -> Game:
    with BookReader(address) as reader:
        if not reader.games:
            raise BookError(f"'{address}' has no game: there is nothing to mend it by")
        return reader.games[0]


def _mend_file(connection: Connection, address: Address, tell: Tell) -> None:
    """Make the indexes of a file anew, where they lack what the tables have."""
    damage = list(damage_of_file(connection))
    if damage:
        connection.exec_driver_sql("REINDEX")
        for finding in damage:
            tell(finding)
        if any(damage_of_file(connection)):
            raise BookUnreadable(f"'{address}' is damaged: {damage[0].found}")


class _Repair:
    def __init__(self, connection: Connection, address: Address, tell: Tell) -> None:
        self._connection = connection
        self._address = address
        self._tell = tell
        self._places = places(connection)
        self._taken_out = 0
        # The positions in which a fault was found and put right.
        self._mended: set[int] = set()

    def run(self) -> None:
        doubtful = self._doubtful()
        self._mend(tables.check_notation(self._connection, self._places))
        self._mend(tables.check_runs(self._connection, self._places))
        self._mend(imports.check_sources(self._connection, self._places))
        known = imports.known_sources(self._connection)
        for rows in imports.imported_rows(self._connection):
            self._mend(imports.check_imports(self._places, rows, known))
        self._identify()
        self._give_runs()
        self._each_place(identity.duplicates)
        self._each_place(links.check)
        for finding in links.dangling(self._connection):
            self._tell(finding)
        self._connection.execute(_delete_dangling)
        self._each_place(lambda place, batch: [found for _, found in slots.check(place, batch)])
        self._take_out_what_knows_nothing()
        self._propagate()
        if self._give_up(doubtful):
            self._take_out_what_knows_nothing()
            self._propagate()
        self._mend(tables.check_counts(self._connection, self._places, with_empty=False))
        self._mend(tables.check_tasks(self._connection, self._places))
        self._drop_plan()
        for number in self._places:
            digest_all(self._connection, number)

    def _doubtful(self) -> dict[int, Any]:
        """The positions that are not what was written, with their digests."""
        check = DigestCheck(self._connection, self._places)
        self._mend(check.of_small_tables())
        for rows in batches(self._connection):
            self._mend(check.of_positions(rows))
        for imported_rows in imports.imported_rows(self._connection):
            self._mend(check.of_imports(imported_rows))
        # What was salvaged has no sums.
        if self._connection.execute(_has_sums).first():
            self._mend(check.of_sums())
        return check.doubtful

    def _give_up(self, doubtful: Mapping[int, Any]) -> bool:
        """Have the slots of `doubtful` positions searched anew, unless they were mended.

        They were if a position is what was written by now, or if it is known what was wrong.
        Returns whether there were any.
        """
        lost = [
            row.id
            for ids in in_batches(sorted(doubtful.keys() - self._mended))
            for row in self._connection.execute(_doubted, {"ids": ids})
            if digest_of(positions, row._asdict()) != doubtful[row.id]
        ]
        for ids in in_batches(lost):
            self._connection.execute(_empty_slots, {"ids": ids})
        return bool(lost)

    def _mend(self, findings: Iterable[Finding]) -> Counter[Kind]:
        """Put right what was found; returns how much of each kind that was."""
        # Read to the end before anything changes under it.
        found = list(findings)
        lost = set()
        for finding in found:
            self._tell(finding)
            for statement, given in finding.mend:
                self._connection.execute(statement, given)
                if statement is set_row:
                    self._mended.add(given["at"])
            if finding.takes_out is not None:
                lost.add(finding.takes_out)
        self._take_out(lost)
        return Counter(finding.kind for finding in found)

    def _each_batch(self, check: Callable[[Sequence[AnyRow]], Iterable[Finding]]) -> Counter[Kind]:
        found: Counter[Kind] = Counter()
        for rows in batches(self._connection):
            found += self._mend(check(rows))
        return found

    def _each_place(
        self, check: Callable[[Place, Sequence[StoredPosition]], Iterable[Finding]]
    ) -> Counter[Kind]:
        return self._each_batch(
            lambda rows: (
                finding
                for place, batch in identity.by_place(self._places, rows)
                for finding in check(place, batch)
            )
        )

    def _identify(self) -> None:
        size = self._connection.execute(_size).scalar_one()
        for _ in range(_ROUNDS):
            found = self._each_batch(
                lambda rows: (
                    f for _, found in identity.identify(self._places, rows) for f in found
                )
            )
            if size >= _MANY and 2 * sum(found[kind] for kind in _DOUBTFUL) > size:
                named = ", ".join(place.game.id for place in self._places.values())
                raise BookError(
                    f"'{self._address}' is damaged: most of it cannot be read as {named}"
                )
            if not found:
                return

    def _give_runs(self) -> None:
        """Have the positions whose run was lost name one that says so."""
        for number in self._places:
            lost = self._connection.execute(_without_run, {"game": number}).scalars().all()
            if not lost:
                continue
            self._mended.update(lost)
            for id in lost:
                self._tell(Finding(Kind.NO_RUN, f"row {id}", "no run of its game", "one"))
            time = now()
            made = self._connection.execute(
                insert(runs).values(
                    game=number,
                    started=time,
                    ended=time,
                    version=engine.__version__,
                    evaluation="",
                    parameters=json.dumps({"mode": "repair", "limits": {}}),
                    positions=0,
                    searches=0,
                    nodes=0,
                )
            )
            self._connection.execute(_set_run.values(run=inserted_id(made)), {"of": number})

    def _take_out(self, ids: Collection[int]) -> None:
        """Delete positions with their links, and have the slots above searched anew."""
        for part in in_batches(sorted(ids)):
            some = {"ids": part}
            above = self._connection.execute(_parents, some).scalars().all()
            self._connection.execute(_delete_links, some)
            self._connection.execute(_delete_rows, some)
            for parents in in_batches(sorted(set(above) - set(part))):
                self._connection.execute(_set_pending, {"ids": parents})
        self._taken_out += len(ids)

    def _take_out_what_knows_nothing(self) -> None:
        while rows := self._connection.execute(_knows_nothing).all():
            for row in rows:
                self._tell(Finding(Kind.NOTHING, f"row {row.id}", "no known move", "one"))
            self._take_out({row.id for row in rows})

    def _propagate(self) -> None:
        """Bring values, proofs and costs up to date, from where they are wrong upwards."""
        wrong: set[int] = set()
        for rows in batches(self._connection):
            for place, batch in identity.by_place(self._places, rows):
                for stored, finding in values.check(place, batch):
                    self._tell(finding)
                    wrong.add(stored.row.id)
        # The counts are made from the rows afterwards.
        propagate(self._connection, wrong, CountChanges())

    def _drop_plan(self) -> None:
        """Forget a plan that was made from positions which are no more."""
        if self._taken_out:
            for id in self._connection.execute(select(tasks.c.id)).scalars().all():
                found = "planned from what was taken out"
                self._tell(Finding(Kind.TASK, f"task {id}", found, "none"))
            self._connection.execute(delete(tasks))
