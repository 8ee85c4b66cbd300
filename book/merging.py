"""Making one book of several.

The merged book holds every position that any of the books holds, and the link between every two
of them. A position has one rest slot. Which of the slots that its books have may it be?

A slot is the best of the moves that its search did not leave out, and the search left out the
moves to positions stored in its own book at that time. These still are, unless they were pruned,
and then the slot stands for them (`book.pruning`). So all of them are stored in the merged book:
no move is left out there that leads to no stored position. What the search did look at may be
stored by now, since the other book holds it. If that is not so for the slot's own move, the slot
is still the best of the moves to positions that are not stored: it was the best of more. If it is
so, the best of the others is unknown, and is to be searched: the slot is pending. Where one book
has every move of a position, so has the merged one, and there is no slot.

Values, proofs and costs then follow from slots and links as in any book. A value that a search of
the position itself proved, without any position behind it, can be lost by that: once the other
book has a position behind it, the proof is that of the children.
"""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Integer,
    MetaData,
    Table,
    bindparam,
    insert,
    select,
)

from book.address import Address
from book.counts import recount
from book.creating import new_book
from book.errors import BookError
from book.finding import links_to, rest_child
from book.moment import Moment, all_games, side_by_side
from book.propagation import BookValue, propagate_all
from book.rows import BOUNDS, AnyRow
from book.schema import RestState, moves, positions, runs
from book.writer import empty_slot, inserted_id, register
from engine.games.base import Game, Key
from engine.values import WIN, Bound, Value

_AT_ONCE = 500
_REPORT_EVERY = 100_000

_by_key = (
    select(positions)
    .where(positions.c.game == bindparam("game"))
    .order_by(positions.c.lookup, positions.c.stones)
)
_some = (
    select(positions.c.id, positions.c.stones)
    .where(positions.c.game == bindparam("game"), positions.c.id > bindparam("after"))
    .order_by(positions.c.id)
    .limit(_AT_ONCE)
)
_runs = select(runs).order_by(runs.c.id)

# The proven values that the books have for the positions of the merged one.
_claims = Table(
    "claims",
    MetaData(),
    Column("id", Integer, primary_key=True),
    Column("value", Integer),
    Column("bound", Integer),
    prefixes=["TEMPORARY"],
)
_claim = insert(_claims).from_select(
    ["id", "value", "bound"],
    select(positions.c.id, positions.c.value, positions.c.bound).where(positions.c.proven),
)
_claimed = (
    select(
        positions.c.game,
        positions.c.stones,
        positions.c.value,
        positions.c.bound,
        positions.c.proven,
        _claims.c.value.label("claimed"),
        _claims.c.bound.label("claimed_bound"),
    )
    .join(_claims, _claims.c.id == positions.c.id)
    .where(~positions.c.proven | (positions.c.value != _claims.c.value))
    .order_by(positions.c.game, positions.c.lookup, positions.c.stones)
)

# Columns that any book may have something in, whichever's slot is taken.
_REST = frozenset(empty_slot(RestState.PENDING))
_NULLABLE = [
    column.name
    for column in positions.c
    if column.nullable and column.name not in _REST | {"open_cost"}
]


class MergeConflict(BookError):
    """The books contradict each other, and nothing was written."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A proven value of a position, and the book whose it is, or all of them together."""

    source: str
    value: BookValue


@dataclass(frozen=True, slots=True)
class Conflict:
    """A position for which proven values cannot all be true."""

    game: Game
    stones: bytes
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class MergeState:
    """How far a merge is: positions done in this step, and seconds since its beginning."""

    step: str
    positions: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Merged:
    """What was merged.

    `unproven` are the positions that a book proves and the merged one does not.
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
    tell: Callable[[Conflict], None] = lambda conflict: None,
    report: Callable[[MergeState], None] = lambda state: None,
) -> Merged:
    """Write a new book at `target` that holds what all `sources` hold.

    `tell` is called for each conflict. Unless they are kept, nothing is written if there is one;
    if they are, the claim of the book that comes first among `sources` is taken.

    Raises:
        MergeConflict: if there are conflicts that are not to be kept.
        BookError: if a book cannot be read, or `target` exists or cannot be written.
    """
    with ExitStack() as opened:
        books = [opened.enter_context(Moment(source)) for source in sources]
        told: set[tuple[str, bytes]] = set()

        def note(conflict: Conflict) -> None:
            if (place := (conflict.game.id, conflict.stones)) not in told:
                told.add(place)
                tell(conflict)

        for conflict in _conflicts(books):
            note(conflict)
        _refuse(0 if keep_conflicts else len(told))
        with new_book(target) as connection:
            merging = _Merging(books, connection, report)
            count = merging.run()
            # Some contradictions show only where the proofs of several books meet.
            unproven = merging.compare_claims(note)
            _refuse(0 if keep_conflicts else len(told))
        return Merged(count, len(told), unproven, merging.seconds)


def _refuse(conflicts: int) -> None:
    if conflicts:
        raise MergeConflict(f"the books contradict each other in {conflicts:,} positions")


def _conflicts(books: Sequence[Moment]) -> Iterator[Conflict]:
    """The positions whose proven values in the books cannot all be true."""
    for game in all_games(books):
        for rows in side_by_side(books, game, _by_key):
            if _in_conflict(rows):
                claims = [
                    Claim(str(books[at].address), _value(row))
                    for at, row in rows.items()
                    if row.proven
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


def _value(row: AnyRow) -> BookValue:
    return BookValue(row.value, BOUNDS[row.bound], bool(row.proven))


class _Merging:
    """Writes what all of `books` hold over one connection to a new book."""

    def __init__(
        self,
        books: Sequence[Moment],
        connection: Connection,
        report: Callable[[MergeState], None],
    ) -> None:
        self._books = books
        self._connection = connection
        self._report = report
        self._started = time.monotonic()
        self._games = all_games(books)
        self._numbers = {game.id: register(connection, game) for game in self._games}
        self._runs = self._copy_runs()

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self._started

    def run(self) -> int:
        """Write all positions and what follows from them; returns how many there are."""
        count = sum(self._unite(game) for game in self._games)
        _claims.create(self._connection)
        self._connection.execute(_claim)
        for game in self._games:
            self._link(game)
            self._settle(game)
        return count

    def compare_claims(self, tell: Callable[[Conflict], None]) -> int:
        """Hold the books' proofs against those of the merged one.

        `tell` is called for each contradiction. Returns how many are proofs no more.
        """
        games = {self._numbers[game.id]: game for game in self._games}
        unproven = 0
        for row in self._connection.execute(_claimed):
            claimed, now = BookValue(row.claimed, BOUNDS[row.claimed_bound], True), _value(row)
            if not now.proven:
                unproven += 1
            elif _contradict(claimed, now):
                claims = (Claim("one book", claimed), Claim("all books together", now))
                tell(Conflict(games[row.game], row.stones, claims))
        _claims.drop(self._connection)
        return unproven

    def _copy_runs(self) -> dict[tuple[int, int], int]:
        """Copy all runs; returns the new number of each, by its book's place and its old one."""
        numbers = {}
        for at, book in enumerate(self._books):
            names = {number: name for name, number in book.numbers.items()}
            for row in book.rows(_runs):
                columns = row._asdict() | {"game": self._numbers[names[row.game]]}
                old = columns.pop("id")
                numbers[at, old] = inserted_id(
                    self._connection.execute(insert(runs).values(columns))
                )
        return numbers

    def _unite(self, game: Game) -> int:
        """Write a row for each position, with a claim in the place of its value."""
        found = side_by_side(self._books, game, _by_key)
        count = 0
        while some := list(islice(found, _AT_ONCE)):
            behind = {
                child
                for rows in some
                for row in rows.values()
                if (child := rest_child(game, row)) is not None
            }
            stored = set[Key]().union(*(book.stored(game, behind) for book in self._books))
            united = [self._united(game, rows, stored) for rows in some]
            self._connection.execute(insert(positions), united)
            count += len(some)
            self._tell(f"{game.id} united", count)
        return count

    def _united(
        self, game: Game, rows: Mapping[int, AnyRow], stored: Collection[Key]
    ) -> dict[str, Any]:
        """The row for a position that has these `rows` in the books, by their places."""
        if _in_conflict(rows):
            rows = dict(islice(((at, row) for at, row in rows.items() if row.proven), 1))
        ranks = {
            at: _rank(row, is_known=rest_child(game, row) not in stored) for at, row in rows.items()
        }
        # Sorting leaves equal ones in their order: the book named first comes first.
        ranked = sorted(rows, key=ranks.__getitem__, reverse=True)
        best = rows[ranked[0]]
        claim = next((rows[at] for at in ranked if rows[at].proven), best)
        united = best._asdict() | {
            name: next((v for at in ranked if (v := getattr(rows[at], name)) is not None), None)
            for name in _NULLABLE
        }
        del united["id"]
        if rest_child(game, best) in stored:
            united |= empty_slot(RestState.PENDING)
        return united | {
            "game": self._numbers[game.id],
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
            links = links_to(self._connection, game, self._numbers[game.id], some)
            if links:
                self._connection.execute(insert(moves), links)
            count += len(some)
            self._tell(f"{game.id} linked", count)

    def _positions(self, game: Game) -> Iterator[Sequence[AnyRow]]:
        after = 0
        values = {"game": self._numbers[game.id]}
        while some := self._connection.execute(_some, values | {"after": after}).all():
            yield some
            after = some[-1].id

    def _settle(self, game: Game) -> None:
        number = self._numbers[game.id]
        for count, _ in enumerate(propagate_all(self._connection, number), start=1):
            self._tell(f"{game.id} valued", count)
        recount(self._connection, number)

    def _tell(self, step: str, count: int) -> None:
        if count % _REPORT_EVERY == 0:
            self._report(MergeState(step, count, self.seconds))


def _rank(row: AnyRow, *, is_known: bool) -> tuple[object, ...]:
    """The greatest of a position's rows gives the merged one its slot.

    `is_known` says that the slot's move leads to no stored position, so that the slot can stay.
    """
    return (
        row.rest_state == RestState.NONE,
        is_known and row.rest_state != RestState.PENDING,
        bool(row.proven),
        row.depth,
        row.nodes,
        # Whatever is left differs between searches of equal effort: a choice of no weight, but
        # one that does not depend on the order of the books.
        row.rest_value or 0,
        row.rest_line or b"",
    )
