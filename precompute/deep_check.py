"""Searching again what a book says was searched, as far as that can be told from its rows."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import combinations, islice
from typing import Any

from sqlalchemy import bindparam, func, select

import engine
from book.integrity import identity, slots
from book.integrity.findings import Finding, Kind
from book.integrity.stored import Place, StoredPosition
from book.integrity.verify import Verification
from book.rows.encoding import BOUNDS, AnyRow, Searched, pack_line, unpack_line
from book.storage.schema import WITH_MOVE, RestState, moves, positions, runs, undigested
from book.writer import Task, evaluation_hash
from engine.game import Game, Key
from engine.position import Position
from engine.proof import OPEN, Proof, Prover
from engine.search import Limits, Searcher, SearchOptions
from engine.values import WIN, Bound, Value, distance, from_child, is_decisive
from precompute.job import run_task

_SEARCHING_MODES = (None, "explore", "full")
# Up to this many stored children every choice is tried; of more, only the first few.
_FEW = 3
_MOST_TRIES = 16

_children = (
    select(*(positions.c[name] for name in ("id", "stones", "value", "proven")))
    .join(moves, moves.c.child == positions.c.id)
    .where(moves.c.parent == bindparam("id"))
    .order_by(positions.c.id)
)
_run = select(*undigested(runs)).where(runs.c.id == bindparam("id"))
_entered = select(func.coalesce(func.sum(runs.c.positions), 0)).where(
    runs.c.game == bindparam("game")
)


@dataclass(slots=True)
class SlotCounts:
    """How many slots were searched again: those proven and those not, and with what success.

    `not_repeated` are `many_children` and `changed`: which moves a search left out cannot be told
    where there are too many stored children, or where positions were taken out or merged in.
    `left_out` were searched by another version, by time or by no search, and `no_slot` have all
    their moves stored or wait for a search: there only the children can be looked at.
    """

    proven: int = 0
    not_reproved: int = 0
    repeated: int = 0
    not_repeated: int = 0
    many_children: int = 0
    changed: int = 0
    left_out: int = 0
    no_slot: int = 0


class DeepCheck:
    """Searches the rest slots that `verification` looks at, each proof with up to `nodes` nodes."""

    def __init__(self, verification: Verification, nodes: int) -> None:
        self._verification = verification
        self._nodes = nodes
        self._counts = SlotCounts()
        self._as_built: dict[int, bool] = {}

    def findings(self) -> Iterator[Finding]:
        """Where a search contradicts the book."""
        for rows in self._verification.rows():
            for place, batch in identity.by_place(self._verification.places, rows):
                broken = {stored.row.id for stored, _ in slots.check(place, batch)}
                for stored in batch:
                    if stored.row.id in broken:
                        continue
                    finding = self._check(stored)
                    if finding is not None:
                        yield finding

    def as_dict(self) -> dict[str, int]:
        """The counts by name."""
        return asdict(self._counts)

    def describe(self) -> str:
        """The counts in a sentence, and what could not be checked in another."""
        counts = self._counts
        told = (
            f"searched again: {counts.proven:,} proofs, {counts.not_reproved:,} more not "
            f"re-proved; {counts.repeated:,} values, {counts.not_repeated:,} more not repeated"
        )
        unchecked = {
            "with too many children to tell what their searches left out": counts.many_children,
            "of a book from which positions were taken, or into which they were merged": (
                counts.changed
            ),
            "that cannot be searched alike: by another version, by time, or by no search": (
                counts.left_out
            ),
            "without a slot, which only their children speak for": counts.no_slot,
        }
        reasons = [f"{count:,} {which}" for which, count in unchecked.items() if count]
        return f"{told}\nnot checked: {'; '.join(reasons)}" if reasons else told

    def _check(self, stored: StoredPosition) -> Finding | None:
        row, game = stored.row, stored.place.game
        if row.rest_state not in WITH_MOVE:
            self._counts.no_slot += 1
            return None
        children = stored.place.connection.execute(_children, {"id": row.id}).all()
        if not row.rest_proven:
            return self._repeat(stored, children)
        if row.rest_state == RestState.KEPT:
            # The claim is about all moves; those that are proven to be worth less bear it out.
            children = [c for c in children if c.proven and from_child(c.value) < row.rest_value]
        return self._prove_again(stored, [game.key(child.stones) for child in children])

    def _prove_again(self, stored: StoredPosition, children: Sequence[Key]) -> Finding | None:
        claim = _range(stored.row.rest_value, BOUNDS[stored.row.rest_bound])
        known = self._searched(stored, children)
        if known is None and stored.row.rest_value > 0:
            known = self._won(stored)
        if known is None and stored.row.rest_value < 0 and stored.row.proven:
            known = self._lost(stored)
        if known is None:
            self._counts.not_reproved += 1
            return None
        if max(claim[0], known[0]) <= min(claim[1], known[1]):
            self._counts.proven += 1
            return None
        found, expected = _told_claim(stored.row), _told_range(known)
        return Finding(Kind.CONTRADICTED, stored.where, found, expected)

    def _searched(
        self, stored: StoredPosition, children: Sequence[Key]
    ) -> tuple[Value, Value] | None:
        """From where to where a live search proves the rest value to be."""
        game = stored.place.game
        excluded = [
            move
            for child in game.children(stored.position)
            if child.canonical.key in children
            for move in child.moves
        ]
        limits = Limits(nodes=self._nodes)
        result = _searcher(game).search(stored.position, limits, exclude=excluded)
        return _range(result.value, result.bound) if result.proven else None

    def _won(self, stored: StoredPosition) -> tuple[Value, Value] | None:
        """The same for a win, by the game's prover."""
        game = stored.place.game
        after = game.play(stored.position, unpack_line(game, stored.row.rest_line)[0])
        if game.outcome(after) is not None:
            return None
        proof = self._loss_of(game, after)
        if proof.won is None:
            return None
        if not proof.won:
            return (-WIN, 0)
        assert proof.distance is not None
        return (WIN - proof.distance - 1, WIN)

    def _lost(self, stored: StoredPosition) -> tuple[Value, Value] | None:
        """The same for a loss of the position, whichever of its moves are stored."""
        proof = self._loss_of(stored.place.game, stored.position)
        if proof.won is None:
            return None
        if not proof.won:
            return (0, WIN)
        assert proof.distance is not None
        return (-WIN, proof.distance - WIN)

    def _loss_of(self, game: Game, position: Position) -> Proof:
        """What the game's prover finds of the claim that the side to move loses."""
        *_, proof = OPEN, *_prover(game).steps(position, nodes=self._nodes, loses=True)
        return proof

    def _repeat(self, stored: StoredPosition, children: Sequence[AnyRow]) -> Finding | None:
        """Search a slot as its run did.

        What the search left out is not kept: the children that were stored at its time, which
        are some of those that are stored now. Where positions were taken out of the book, slots
        may stand for them too, and another value is no fault.
        """
        run = stored.place.connection.execute(_run, {"id": stored.row.run}).one_or_none()
        how = _how(stored.place.game, run)
        if how is None:
            self._counts.left_out += 1
            return None
        for excluded in _choices(stored.place.game, children):
            task = Task(stored.key, stored.row.stones, False, frozenset(excluded))
            searched = run_task(stored.place.game.id, task, *how)
            if _is_same(stored, searched):
                self._counts.repeated += 1
                return None
        is_as_built = self._is_as_built(stored.place)
        if len(children) > _FEW or not is_as_built:
            self._counts.not_repeated += 1
            self._counts.many_children += is_as_built
            self._counts.changed += not is_as_built
            return None
        assert searched.rest is not None
        line = stored.place.game.format_line(searched.rest.line)
        told = f"{searched.rest.value:+d} with {line}"
        return Finding(Kind.NOT_REPEATED, stored.where, _told_slot(stored), told)

    def _is_as_built(self, place: Place) -> bool:
        """Whether the book holds every position that its runs entered."""
        if place.number not in self._as_built:
            entered = place.connection.execute(_entered, {"game": place.number}).scalar_one()
            self._as_built[place.number] = int(entered) == place.count()
        return self._as_built[place.number]


@cache
def _searcher(game: Game) -> Searcher:
    return game.searcher()


@cache
def _prover(game: Game) -> Prover:
    return game.prover()


def _choices(game: Game, children: Sequence[AnyRow]) -> Iterator[tuple[Key, ...]]:
    """What a search may have left out; the most likely first.

    Children come in the order in which they were stored and, since the best move is expanded
    first, mostly in that of their values: so the latter tells where books were merged.
    """
    keys = [game.key(child.stones) for child in children]
    sizes = range(len(keys), -1, -1)
    if len(keys) <= _FEW:
        for size in sizes:
            yield from combinations(keys, size)
        return
    best_first = [game.key(c.stones) for c in sorted(children, key=lambda c: (c.value, c.id))]
    choices = [(), *(tuple(keys[:n]) for n in sizes), *(tuple(best_first[:n]) for n in sizes)]
    yield from islice(_different(choices), _MOST_TRIES)


def _different(choices: Iterable[tuple[Key, ...]]) -> Iterator[tuple[Key, ...]]:
    """Those that leave out something else than any before."""
    seen = set[frozenset[Key]]()
    for choice in choices:
        if frozenset(choice) not in seen:
            seen.add(frozenset(choice))
            yield choice


def _how(game: Game, run: AnyRow | None) -> tuple[Limits, SearchOptions] | None:
    """How a run searched, None where a search cannot be the same."""
    if run is None or run.version != engine.__version__ or run.evaluation != evaluation_hash(game):
        return None
    parameters: dict[str, Any] = json.loads(run.parameters)
    given = {name: parameters["limits"].get(name) for name in ("depth", "nodes", "movetime")}
    if parameters.get("mode") not in _SEARCHING_MODES or given.pop("movetime"):
        return None
    if not any(given.values()):
        return None
    return Limits(**given), SearchOptions(table=parameters.get("table", SearchOptions().table))


def _is_same(stored: StoredPosition, searched: Searched) -> bool:
    row, rest, game = stored.row, searched.rest, stored.place.game
    if rest is None:
        return False
    line = pack_line(game, rest.line)
    found = (rest.value, rest.bound, rest.proven, line)
    return found == (row.rest_value, BOUNDS[row.rest_bound], bool(row.rest_proven), row.rest_line)


def _range(value: Value, bound: Bound) -> tuple[Value, Value]:
    """From where to where the true value lies if one with this bound is proven."""
    if not is_decisive(value) or bound is Bound.EXACT:
        return value, value
    return (value, WIN) if bound is Bound.LOWER else (-WIN, value)


def _told_claim(row: AnyRow) -> str:
    return _told_range(_range(row.rest_value, BOUNDS[row.rest_bound]))


def _told_range(known: tuple[Value, Value]) -> str:
    least, most = known
    if least > 0:
        return f"a win {'in' if least == most else 'within'} {distance(least)}"
    if most < 0:
        return f"a loss {'in' if least == most else 'within'} {distance(most)}"
    if least == most:
        return "a draw"
    return "no loss" if least == 0 else "no win"


def _told_slot(stored: StoredPosition) -> str:
    game = stored.place.game
    line = game.format_line(unpack_line(game, stored.row.rest_line))
    return f"{stored.row.rest_value:+d} with {line}"
