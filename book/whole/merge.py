"""Making one book of several.

The merged book holds every position that any of the books holds, and the link between every two
of them. A position has one rest slot. Which of the slots that its books have may it be?

A slot is the best of the moves that its search did not leave out, and the search left out the
moves to positions stored in its own book at that time. These still are, unless they were pruned,
and then the slot stands for them (`book.whole.prune`). So all of them are stored in the merged
book: no move is left out there that leads to no stored position. What the search did look at may be
stored by now, since the other book holds it. If that is not so for the slot's own move, the slot is
still the best of the moves to positions that are not stored: it was the best of more. If it is so,
the best of the others is unknown, and is to be searched: the slot is pending. Where one book has
every move of a position, so has the merged one, and there is no slot.

Values, proofs and costs then follow from slots and links as in any book. Where that is less than
what a book proved, its proof is kept. It rested on stored children, all of which the merged book
holds, with proofs no worse, and on a slot, the search of all other moves. If a position behind one
of these came from another book, unproven, the slot can be used up, or stand beside what is not
proven. The proof is sound all the same: it is worked out again, from the children that its own
book has and its own slot, and put into the row as a kept slot, which is the value of the whole
position. So nothing is called proven that does not follow from the rows of one book and from what
was proven below in the same way.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import combinations, islice
from types import SimpleNamespace
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select

from book.errors import BookError, BookUnreadable
from book.output import files_of, refuse_inputs
from book.rows.batches import AT_ONCE, in_batches
from book.rows.counts import recount
from book.rows.digests import digest_all, refuse_altered
from book.rows.encoding import (
    BOUND_NUMBERS,
    BOUNDS,
    AnyRow,
    inserted_id,
    is_line,
    pack_line,
    unpack_line,
)
from book.rows.links import links_to, rest_children
from book.rows.lookup import GameRows
from book.rows.propagation import OF_CHILD, BookValue, derived_columns, propagate_all
from book.storage.address import Address
from book.storage.database import explained
from book.storage.new_file import partial_of
from book.storage.revisions import has_digests, has_imports
from book.storage.schema import (
    WITH_MOVE,
    RestState,
    imported,
    moves,
    positions,
    runs,
    sources,
    undigested,
)
from book.storage.store import store_of
from book.whole.moment import Moment, all_games, side_by_side
from book.writer import empty_slot, register
from engine.game import Game, Key
from engine.position import Move
from engine.values import WIN, Bound, Value, from_child

_REPORT_EVERY = 100_000

_by_key = (
    select(*undigested(positions))
    .where(positions.c.game == bindparam("game"))
    .order_by(positions.c.lookup, positions.c.stones)
)
_proven_by_key = _by_key.with_only_columns(
    *(positions.c[name] for name in ("lookup", "stones", "value", "bound", "proven"))
).where(positions.c.proven)
_some = (
    select(positions.c.id, positions.c.stones)
    .where(positions.c.game == bindparam("game"), positions.c.id > bindparam("after"))
    .order_by(positions.c.id)
    .limit(AT_ONCE)
)
_runs = select(*undigested(runs)).order_by(runs.c.id)
_sources = select(*undigested(sources)).order_by(sources.c.id)
_imported = (
    select(*(column for column in undigested(imported) if column.name != "id"))
    .where(imported.c.source == bindparam("source"))
    .order_by(imported.c.id)
)

_at = select(*undigested(positions)).where(
    positions.c.game == bindparam("game"),
    positions.c.lookup == bindparam("lookup"),
    positions.c.stones == bindparam("stones"),
)
_children = (
    select(moves.c.move, *(positions.c[name] for name in (*OF_CHILD, "stones")))
    .join(moves, moves.c.child == positions.c.id)
    .where(moves.c.parent == bindparam("id"))
    .order_by(moves.c.move)
)

# Columns that any book may have something in, whichever's slot is taken.
_REST = frozenset(empty_slot(RestState.PENDING))
_NULLABLE = [
    column.name
    for column in undigested(positions)
    if column.nullable and column.name not in _REST | {"open_cost"}
]


class MergeConflict(BookError):
    """The books contradict each other, and nothing was written."""


@dataclass(frozen=True, slots=True)
class ProvenValue:
    """A proven value of a position, and the book that proves it, or all of them together."""

    source: str
    value: BookValue


@dataclass(frozen=True, slots=True)
class Conflict:
    """A position for which proven values cannot all be true."""

    game: Game
    stones: bytes
    claims: tuple[ProvenValue, ...]


@dataclass(frozen=True, slots=True)
class MergeState:
    """How far a merge is: positions done in this step, and seconds since its beginning."""

    step: str
    positions: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Merged:
    """What was merged.

    `unproven` are the positions that a book calls proven and the merged one does not: their proofs
    do not follow from their own books.
    """

    positions: int
    conflicts: int
    unproven: int
    seconds: float


def merge(
    sources: Sequence[Address],
    target: Address,
    *,
    keep_conflicts: bool = False,
    prefer_first: bool = False,
    tell: Callable[[Conflict], None] = lambda conflict: None,
    report: Callable[[MergeState], None] = lambda state: None,
) -> Merged:
    """Write a new book at `target` that holds what all `sources` hold.

    `tell` is called for each conflict. Unless they are kept, nothing is written if there is one;
    if they are, the claim of the book that comes first among `sources` is taken. With
    `prefer_first` so is its search of a position that none of them proves, however deep others are.

    Raises:
        MergeConflict: if there are conflicts that are not to be kept.
        BookError: if a book cannot be read, or `target` exists or cannot be written.
    """
    if target.path is not None:
        read = [file for source in sources for file in files_of(source)]
        refuse_inputs([target.path, partial_of(target.path)], read)
    with ExitStack() as opened:
        books = [opened.enter_context(Moment(source)) for source in sources]
        told: set[tuple[str, bytes]] = set()

        def note(conflict: Conflict) -> None:
            if (place := (conflict.game.id, conflict.stones)) not in told:
                told.add(place)
                tell(conflict)

        for book in books:
            _refuse_altered(book)
        for conflict in _conflicts(books):
            note(conflict)
        _refuse(0 if keep_conflicts else len(told))
        with store_of(target).new_book() as connection:
            merging = _Merging(books, connection, note, report, prefer_first=prefer_first)
            count = merging.run()
            # Some contradictions show only where the proofs of several books meet.
            _refuse(0 if keep_conflicts else len(told))
        return Merged(count, len(told), merging.unproven, merging.seconds)


def _refuse_altered(book: Moment) -> None:
    """Make sure that what is copied is what was written: in the merged book it would be sound."""
    with explained(book.address):
        if not has_digests(book.connection):
            return
        copied = (runs, positions, *((sources, imported) if has_imports(book.connection) else ()))
        for number in book.numbers.values():
            refuse_altered(book.connection, number, f"'{book.address}'", *copied)


def _refuse(conflicts: int) -> None:
    if conflicts:
        raise MergeConflict(f"the books contradict each other in {conflicts:,} positions")


def _conflicts(books: Sequence[Moment]) -> Iterator[Conflict]:
    """The positions whose proven values in the books cannot all be true."""
    for game in all_games(books):
        for rows in side_by_side(books, game, _proven_by_key):
            if _in_conflict(rows):
                claims = [
                    ProvenValue(str(books[at].address), _value(row)) for at, row in rows.items()
                ]
                yield Conflict(game, next(iter(rows.values())).stones, tuple(claims))


def _in_conflict(rows: Mapping[int, AnyRow]) -> bool:
    proven = [_value(row) for row in rows.values() if row.proven]
    return any(_contradict(one, other) for one, other in combinations(proven, 2))


def _contradict(one: BookValue, other: BookValue) -> bool:
    """Whether no true value agrees with both of two proven values."""
    (low, high), (other_low, other_high) = _range(one), _range(other)
    return high < other_low or other_high < low


def _range(proven: BookValue) -> tuple[Value, Value]:
    """The least and the greatest value that a position can have which has this proven one."""
    return (
        -WIN if proven.bound is Bound.UPPER else proven.value,
        WIN if proven.bound is Bound.LOWER else proven.value,
    )


def _is_sharper(one: BookValue, other: BookValue) -> bool:
    """Whether a proven value leaves less open than another value, and does not contradict it."""
    if not other.proven:
        return one.proven
    return one.proven and not _contradict(one, other) and _openness(one) < _openness(other)


def _openness(proven: BookValue) -> int:
    least, greatest = _range(proven)
    return greatest - least


def _value(row: AnyRow) -> BookValue:
    return BookValue(row.value, BOUNDS[row.bound], bool(row.proven))


def _value_in(columns: Mapping[str, Any]) -> BookValue:
    return BookValue(columns["value"], BOUNDS[columns["bound"]], bool(columns["proven"]))


@dataclass(frozen=True, slots=True)
class _Proof:
    """A proof of a position by its own book, the one at the place `at`.

    `row` is the position there, and `children` those of the merged book that it has as well.
    """

    at: int
    row: AnyRow
    children: Sequence[AnyRow]
    value: BookValue

    @property
    def rank(self) -> tuple[object, ...]:
        """Of several the greatest is to be kept, whatever the order of the books."""
        row = self.row
        effort = (row.depth, row.nodes, row.rest_value or 0, row.rest_line or b"")
        return (-_openness(self.value), *effort)


class _Merging:
    """Writes what all of `books` hold over one connection to a new book."""

    def __init__(
        self,
        books: Sequence[Moment],
        connection: Connection,
        tell: Callable[[Conflict], None],
        report: Callable[[MergeState], None],
        *,
        prefer_first: bool,
    ) -> None:
        self.unproven = 0
        self._prefer_first = prefer_first
        self._books = books
        self._connection = connection
        self._tell_conflict = tell
        self._report = report
        self._started = time.monotonic()
        self._games = all_games(books)
        self._rows = {
            game.id: GameRows(connection, game, register(connection, game)) for game in self._games
        }
        self._runs = self._copy_runs()
        self._copy_imports()

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self._started

    def run(self) -> int:
        """Write all positions and what follows from them; returns how many there are."""
        count = sum(self._unite(game) for game in self._games)
        for game in self._games:
            self._link(game)
            self._derive_values(game)
        return count

    def _copy_runs(self) -> dict[tuple[int, int], int]:
        """Copy all runs; returns the new number of each, by its book's place and its old one."""
        numbers = {}
        for at, book in enumerate(self._books):
            names = {number: name for name, number in book.numbers.items()}
            for row in book.rows(_runs):
                columns = row._asdict() | {"game": self._rows[names[row.game]].number}
                old = columns.pop("id")
                numbers[at, old] = inserted_id(
                    self._connection.execute(insert(runs).values(columns))
                )
        return numbers

    def _copy_imports(self) -> None:
        """Copy what was imported: once what several books have of the same file."""
        copied: set[tuple[str, str]] = set()
        for book in self._books:
            names = {number: name for name, number in book.numbers.items()}
            for row in book.rows(_sources) if has_imports(book.connection) else ():
                name = names[row.game]
                if (name, row.fingerprint) not in copied:
                    copied.add((name, row.fingerprint))
                    self._copy_source(book, row, self._rows[name].number)

    def _copy_source(self, book: Moment, source: AnyRow, game: int) -> None:
        columns = source._asdict() | {"game": game}
        del columns["id"]
        new = inserted_id(self._connection.execute(insert(sources).values(columns)))
        for some in in_batches(book.rows(_imported, source=source.id)):
            rows = [row._asdict() | {"game": game, "source": new} for row in some]
            self._connection.execute(insert(imported), rows)

    def _unite(self, game: Game) -> int:
        """Write a row for each position, with a claim in the place of its value."""
        found = side_by_side(self._books, game, _by_key)
        count = 0
        for some in in_batches(found):
            known = self._known_slots(game, some)
            united = [self._united(game, *each) for each in zip(some, known, strict=True)]
            self._connection.execute(insert(positions), united)
            count += len(some)
            self._tell(f"{game.id} united", count)
        return count

    def _known_slots(
        self, game: Game, some: Sequence[Mapping[int, AnyRow]]
    ) -> list[dict[int, bool]]:
        """Of each row of some positions, whether no book holds the position behind its slot."""
        for at, row in (each for rows in some for each in rows.items()):
            has_slot = row.rest_line is not None or row.rest_state == RestState.OPEN
            if has_slot and not is_line(game, row.rest_line):
                raise BookUnreadable(
                    f"'{self._books[at].address}' is damaged: a rest move is no move of {game.id}; "
                    "fivebook repair mends it"
                )
        children = rest_children(game, [row for rows in some for row in rows.values()])
        behind = {child for child in children if child is not None}
        stored = set[Key]().union(*(book.stored(game, behind) for book in self._books))
        known = (child not in stored for child in children)
        return [{at: next(known) for at in rows} for rows in some]

    def _united(
        self, game: Game, rows: Mapping[int, AnyRow], known: Mapping[int, bool]
    ) -> dict[str, Any]:
        """The row for a position that has these `rows` in the books, by their places.

        `known` says which of their slots can stay.
        """
        if _in_conflict(rows):
            rows = dict(islice(((at, row) for at, row in rows.items() if row.proven), 1))
        ranks = {
            at: _rank(row, is_known=known[at], preference=-at if self._prefer_first else 0)
            for at, row in rows.items()
        }
        # Sorting leaves equal ones in their order: the book named first comes first.
        ranked = sorted(rows, key=ranks.__getitem__, reverse=True)
        best = rows[ranked[0]]
        claimed = [rows[at] for at in ranked if rows[at].proven]
        claim = min(claimed, key=lambda row: _openness(_value(row)), default=best)
        united = best._asdict() | {
            name: next((v for at in ranked if (v := getattr(rows[at], name)) is not None), None)
            for name in _NULLABLE
        }
        del united["id"]
        if not known[ranked[0]]:
            united |= empty_slot(RestState.PENDING)
        return united | {
            "game": self._rows[game.id].number,
            "run": self._runs[ranked[0], best.run],
            "value": claim.value,
            "bound": claim.bound,
            "proven": claim.proven,
            "open_cost": None,
        }

    def _link(self, game: Game) -> None:
        """Write the links between all positions, whichever books they come from."""
        count = 0
        for some in self._positions(game):
            links = links_to(self._rows[game.id], some)
            if links:
                self._connection.execute(insert(moves), links)
            count += len(some)
            self._tell(f"{game.id} linked", count)

    def _positions(self, game: Game) -> Iterator[Sequence[AnyRow]]:
        after = 0
        while some := self._rows[game.id].select(_some, after=after):
            yield some
            after = some[-1].id

    def _derive_values(self, game: Game) -> None:
        number = self._rows[game.id].number

        def derive(row: AnyRow, children: Sequence[AnyRow]) -> dict[str, Any]:
            return self._derived(game, row, children)

        done = propagate_all(self._connection, number, derive)
        for count, _ in enumerate(done, start=1):
            self._tell(f"{game.id} valued", count)
        recount(self._connection, number)
        digest_all(self._connection, number)

    def _derived(self, game: Game, row: AnyRow, children: Sequence[AnyRow]) -> dict[str, Any]:
        """The columns of a position that has a claim in the place of its value."""
        derived = derived_columns(row, children)
        claim = _value(row)
        if not claim.proven or claim == _value_in(derived):
            return derived
        if _is_sharper(claim, _value_in(derived)):
            kept = self._kept(game, row, _value_in(derived))
            derived = kept | derived_columns(SimpleNamespace(**row._asdict() | kept), children)
        now = _value_in(derived)
        if not now.proven:
            self.unproven += 1
        elif _contradict(claim, now):
            claims = (ProvenValue("one book", claim), ProvenValue("all books together", now))
            self._tell_conflict(Conflict(game, row.stones, claims))
        return derived

    def _kept(self, game: Game, row: AnyRow, value: BookValue) -> dict[str, Any]:
        """The columns that keep the sharpest proof of a position; none if `value` is as sharp."""
        children = self._connection.execute(_children, {"id": row.id}).all()
        proofs = [p for p in self._proofs(game, row, children) if _is_sharper(p.value, value)]
        if not proofs:
            return {}
        proof = max(proofs, key=lambda proof: proof.rank)
        return {
            "rest_state": int(RestState.KEPT),
            "rest_value": proof.value.value,
            "rest_bound": BOUND_NUMBERS[proof.value.bound],
            "rest_proven": True,
            "rest_line": pack_line(game, _kept_line(game, proof, children)),
            "depth": proof.row.depth,
            "nodes": proof.row.nodes,
            "milliseconds": proof.row.milliseconds,
            "run": self._runs[proof.at, proof.row.run],
        }

    def _proofs(self, game: Game, row: AnyRow, children: Sequence[AnyRow]) -> Iterator[_Proof]:
        """What each book proves of a position with what is proven below it.

        Of books that contradict each other, only the first that has a proof.
        """
        place = {"lookup": row.lookup, "stones": row.stones}
        rows: dict[int, AnyRow] = {}
        for at, book in enumerate(self._books):
            if game.id in book.numbers:
                for own in book.rows(_at, game=book.numbers[game.id], **place):
                    if own.proven:
                        rows[at] = own
        if _in_conflict(rows):
            rows = dict(islice(rows.items(), 1))
        for at, own in rows.items():
            known = {child.stones for child in self._books[at].rows(_children, id=own.id)}
            below = [child for child in children if child.stones in known]
            if not below and own.rest_state not in WITH_MOVE:
                continue
            value = _value_in(derived_columns(own, below))
            if value.proven:
                yield _Proof(at, own, below, value)

    def _tell(self, step: str, count: int) -> None:
        if count % _REPORT_EVERY == 0:
            self._report(MergeState(step, count, self.seconds))


def _kept_line(game: Game, proof: _Proof, children: Sequence[AnyRow]) -> Sequence[Move]:
    """The best move of a proof and what is expected after it.

    `children` are all that the merged book has: of moves to one of them its link has the smallest.
    """
    row = proof.row
    if not (
        row.rest_state in WITH_MOVE and row.rest_proven and row.rest_value == proof.value.value
    ):
        best = max(proof.children, key=lambda child: (bool(child.proven), from_child(child.value)))
        return [best.move]
    position = game.unpack(row.stones)
    line = unpack_line(game, row.rest_line)
    behind = game.play(position, line[0])
    stones = game.canonical(behind).stones
    link = next((child.move for child in children if child.stones == stones), line[0])
    linked = game.play(position, link)
    turn = next(s for s in game.symmetries if game.map_position(behind, s) == linked)
    return [link, *game.map_line(line[1:], turn)]


def _rank(row: AnyRow, *, is_known: bool, preference: int) -> tuple[object, ...]:
    """The greatest of a position's rows gives the merged one its slot.

    `is_known` says that the slot's move leads to no stored position, so that the slot can stay.
    Of two searches that prove nothing the one of greater `preference` is taken.
    """
    return (
        row.rest_state == RestState.NONE,
        is_known and row.rest_state != RestState.PENDING,
        bool(row.proven),
        0 if row.proven else preference,
        row.depth,
        row.nodes,
        # Whatever is left differs between searches of equal effort: a choice of no weight, but
        # one that does not depend on the order of the books.
        row.rest_value or 0,
        row.rest_line or b"",
    )
