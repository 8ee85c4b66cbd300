"""Proof-number search over the rows of a book (Allis, van der Meulen, van den Herik 1994).

A proof too large for one search is made of many: the book's positions are the tree, and the
searches of the jobs its leaves, as the second level of PN² is (Breuker 1998). What they prove
enters the rows, and the propagation of values carries it up; the numbers only say where to look
next, so that no proof rests on them.
"""

import heapq
import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from sqlalchemy import bindparam, select

from book.reader import BookReader
from book.rows.batches import in_batches
from book.rows.encoding import AnyRow
from book.rows.lookup import GameRows
from book.storage.address import AnyAddress
from book.storage.schema import RestState, moves, positions
from book.writer import PlannedTask, Task
from engine.game import Game, Key
from engine.position import Position, Side
from engine.values import LOGISTIC_SCALE, Value
from precompute.modes.frontier import Bounds, GrowingFrontier, SearchMode, Site, new_task
from precompute.slots import Entered

_INFINITE = 1 << 62
# The numbers of a slot at even chances, and the most that a value gives: such a slot is worth a
# look, but only after everything else.
_EVEN, _MOST = 16, 1 << 20

_COLUMNS = ("id", "stones", "ply", "value", "proven", "rest_state", "rest_value", "rest_proven")
_these = select(*(positions.c[name] for name in _COLUMNS)).where(
    positions.c.id.in_(bindparam("ids", expanding=True))
)
_links = select(moves.c.parent, moves.c.child).where(
    moves.c.parent.in_(bindparam("ids", expanding=True))
)
_parents = select(moves.c.parent).where(moves.c.child.in_(bindparam("ids", expanding=True)))
_position = select(positions).where(positions.c.id == bindparam("id"))


@dataclass(frozen=True, slots=True)
class ProveByBook(SearchMode):
    """What may prove that `side` wins the root, until that is known or the book holds
    `positions` positions."""

    side: Side
    positions: int | None = None

    def frontier(self, site: Site) -> "ProofFrontier":
        return ProofFrontier(site, self.side, self.positions)

    @property
    def bounds(self) -> Bounds:
        return Bounds(positions=self.positions)

    @property
    def decides(self) -> dict[str, object]:
        return {"mode": "prove", "side": self.side}


class Numbers(NamedTuple):
    """How much is left to be proven, at the least, for a proof and for a disproof."""

    proof: int
    disproof: int

    @property
    def decided(self) -> bool:
        """Whether one of them is made."""
        return 0 in self


_PROVEN, _DISPROVEN = Numbers(0, _INFINITE), Numbers(_INFINITE, 0)
_UNKNOWN = Numbers(_EVEN, _EVEN)


@dataclass(slots=True)
class _Node:
    """A stored position. `chooses` says that the side to move is the one that is to win.

    `is_open` says that a slot at or below it can be expanded.
    """

    row: AnyRow
    chooses: bool
    slot: Numbers | None
    children: list[int]
    parents: set[int] = field(default_factory=set)
    numbers: Numbers = _UNKNOWN
    in_flight: bool = False
    is_open: bool = False

    @property
    def slot_is_open(self) -> bool:
        return (
            self.row.rest_state in (RestState.OPEN, RestState.ENDS)
            and not self.in_flight
            and self.slot is not None
            and not self.slot.decided
        )

    @property
    def slot_to_compare(self) -> Numbers | None:
        """The slot's numbers, twice as large while it is searched: so the next is another."""
        if self.slot is None or self.slot.decided or not self.in_flight:
            return self.slot
        return Numbers(*(min(2 * number, _INFINITE) for number in self.slot))


class ProofTree:
    """The numbers of all stored positions below `root`, each once however many ways lead there.

    What is to be proven is that `side` wins the root.
    """

    def __init__(self, rows: GameRows, root: Position, side: Side) -> None:
        self._rows = rows
        self._side = side
        self._root_key = rows.game.canonical(root).key
        self._root: int | None = None
        self._nodes: dict[int, _Node] = {}
        self._by_stones: dict[bytes, int] = {}
        self._in_flight: set[int] = set()

    def __len__(self) -> int:
        return len(self._nodes)

    @property
    def won(self) -> bool | None:
        """Whether the side wins; False where that is disproven, None while it is open."""
        numbers = _UNKNOWN if self._root is None else self._nodes[self._root].numbers
        return numbers == _PROVEN if numbers.decided else None

    def load(self) -> None:
        """Read all positions from the root on."""
        self._nodes.clear()
        self._by_stones.clear()
        self._in_flight.clear()
        found = self._found([self._root_key])
        self._root = found[0].id if found else None
        if self._root is not None:
            self._carry_up(self._read([self._root]))

    def update(self, entered: Iterable[Task]) -> None:
        """Read what the results of these tasks changed."""
        found = {row.id for row in self._found({task.key for task in entered})}
        # A new position is below the root if one that leads to it is, whose links changed as well.
        for some in in_batches(sorted(found - self._nodes.keys())):
            found |= set(self._rows.connection.execute(_parents, {"ids": some}).scalars())
        self._carry_up(self._read(found & self._nodes.keys()))

    def set_in_flight(self, stones: Iterable[bytes]) -> None:
        """Say of which positions the slots are being searched, and of no others."""
        now = {self._by_stones[each] for each in stones if each in self._by_stones}
        changed = now ^ self._in_flight
        self._in_flight = now
        for id in changed:
            self._nodes[id].in_flight = id in now
        self._carry_up(changed)

    def add_in_flight(self, stones: Iterable[bytes]) -> None:
        """Say that the slots of these positions are being searched as well."""
        added = {self._by_stones[each] for each in stones if each in self._by_stones}
        self._in_flight |= added
        for id in added:
            self._nodes[id].in_flight = True
        self._carry_up(added)

    def most_proving(self) -> int | None:
        """The number of the position whose slot is to be expanded; None if there is none.

        From the root on the winner's side goes where the least is to be proven, the other where
        the least is to be disproven, of what is equal to the position with the smaller stones.
        """
        id = self._root
        if id is None or not self._nodes[id].is_open:
            return None
        while True:
            node = self._nodes[id]
            number = 0 if node.chooses else 1
            ways: list[tuple[int, bool, bytes, int]] = [
                (child.numbers[number], False, child.row.stones, child.row.id)
                for child in map(self._nodes.__getitem__, node.children)
                if child.is_open
            ]
            if node.slot_is_open:
                assert node.slot is not None
                ways.append((node.slot[number], True, b"", id))
            _, is_slot, _, id = min(ways)
            if is_slot:
                return id

    def _found(self, keys: Collection[Key]) -> list[AnyRow]:
        return list(self._rows.find(keys).values())

    def _read(self, ids: Collection[int]) -> set[int]:
        """Take in these positions, and those below that are not known; returns all their numbers.

        Below what is proven nothing is left to do.
        """
        read: set[int] = set()
        waiting = set(ids)
        while waiting:
            children: dict[int, list[int]] = {id: [] for id in waiting}
            for some in in_batches(sorted(waiting)):
                for link in self._rows.connection.execute(_links, {"ids": some}):
                    children[link.parent].append(link.child)
            for some in in_batches(sorted(waiting)):
                for row in self._rows.connection.execute(_these, {"ids": some}):
                    self._take_in(row, [] if row.proven else children[row.id])
            read |= waiting
            waiting = {
                child for id in waiting for child in self._nodes[id].children
            } - self._nodes.keys()
        for id in read:
            for child in self._nodes[id].children:
                self._nodes[child].parents.add(id)
        return read

    def _take_in(self, row: AnyRow, children: list[int]) -> None:
        chooses = (Side.LIGHT if row.ply % 2 else Side.DARK) is self._side
        before = self._nodes.get(row.id)
        node = _Node(row, chooses, _slot_numbers(row, chooses), children)
        if before is not None:
            # What it was until now, for those above to see that it changed.
            node.parents, node.in_flight = before.parents, before.in_flight
            node.numbers, node.is_open = before.numbers, before.is_open
        self._nodes[row.id] = node
        self._by_stones[row.stones] = row.id

    def _carry_up(self, changed: Iterable[int]) -> None:
        """Bring numbers up to date after those of `changed` were: from the last ply up."""
        queue = [(-self._nodes[id].row.ply, id) for id in changed]
        heapq.heapify(queue)
        seen = set(queue)
        while queue:
            ply, id = heapq.heappop(queue)
            node = self._nodes[id]
            before = node.numbers, node.is_open
            node.numbers = self._numbers(node)
            node.is_open = not node.numbers.decided and (
                node.slot_is_open or any(self._nodes[child].is_open for child in node.children)
            )
            if before == (node.numbers, node.is_open):
                continue
            for entry in ((ply + 1, parent) for parent in node.parents):
                if entry not in seen:
                    seen.add(entry)
                    heapq.heappush(queue, entry)

    def _numbers(self, node: _Node) -> Numbers:
        if node.row.proven:
            return _outcome(node.row.value, node.chooses)
        options = [self._nodes[child].numbers for child in node.children]
        if node.slot_to_compare is not None:
            options.append(node.slot_to_compare)
        proofs, disproofs = zip(*options, strict=True)
        if node.chooses:
            return Numbers(min(proofs), _total(disproofs))
        return Numbers(_total(proofs), min(disproofs))


class ProofFrontier(GrowingFrontier):
    """Grows the book where a proof that `side` wins the root needs it, until that is decided.

    The most-proving slots are expanded. What is in flight counts as twice as far from a proof or
    disproof: the next slot of a batch is another.
    """

    def __init__(self, site: Site, side: Side, most: int | None = None) -> None:
        super().__init__(site, most)
        self._proof = ProofTree(site.rows, site.roots[0], side)
        self._entered = Entered(site.rows)

    def next_batch(self, opened: Collection[PlannedTask]) -> list[Task]:
        in_plan = {(planned.task.key, planned.task.new): planned.task for planned in opened}
        self._update(opened)
        batch = self._missing_roots(opened) or self._chosen(in_plan)
        self._entered.plan(batch)
        return batch

    def _chosen(self, in_plan: dict[tuple[Key, bool], Task]) -> list[Task]:
        new = {key for key, is_new in in_plan if is_new}
        searching = {key for key, is_new in in_plan if not is_new}
        batch = self._pending_tasks(searching, self._batch_size)
        searching |= {task.key for task in batch}
        self._proof.set_in_flight(
            task.stones for task in (*in_plan.values(), *batch) if not task.new
        )
        room = self._room(len(new))
        while room > 0 and len(batch) < self._batch_size:
            chosen = self._proof.most_proving()
            if chosen is None:
                break
            slot = self._rows.connection.execute(_position, {"id": chosen}).one()
            expansion = self._way_on(slot)
            self._proof.add_in_flight([slot.stones])
            # Where it is in flight from another position, its result is to be waited for.
            if expansion is None or expansion.key in new:
                continue
            growth = self._growth(expansion, searching)
            if slot.rest_state == RestState.ENDS:
                growth.append(self._rest_task(slot, expansion.key))
            self._proof.add_in_flight(task.stones for task in growth if not task.new)
            batch += growth
            new.add(expansion.key)
            room -= 1
        return batch

    def _way_on(self, slot: AnyRow) -> Task | None:
        """The position behind the rest move or, where that ends the game, any other unstored one.

        None where there is no other.
        """
        if slot.rest_state == RestState.OPEN:
            return self._expansion(slot)
        children = self._game.children(self._game.unpack(slot.stones))
        canonicals = {child.canonical.key: child.canonical for child in children}
        missing = canonicals.keys() - self._rows.find(canonicals.keys())
        return new_task(canonicals[min(missing)]) if missing else None

    def _update(self, opened: Collection[PlannedTask]) -> None:
        entered = self._entered.since(opened)
        if entered is None or not len(self._proof):
            self._proof.load()
        else:
            self._proof.update(entered)


def _slot_numbers(row: AnyRow, chooses: bool) -> Numbers | None:
    """The numbers of a position's rest slot; None where it has none."""
    if row.rest_state == RestState.NONE:
        return None
    if row.rest_state == RestState.PENDING:
        return _UNKNOWN
    if row.rest_proven:
        return _outcome(row.rest_value, chooses)
    if row.rest_state == RestState.ENDS and not chooses and row.rest_value >= 0:
        # A move that ends the game has its true value, though others may be better.
        return _DISPROVEN
    value = row.rest_value if chooses else -row.rest_value
    return Numbers(_expected(value), _expected(-value))


def _outcome(value: Value, chooses: bool) -> Numbers:
    """The numbers of what has this proven value for the side to move."""
    return _PROVEN if (value > 0 if chooses else value < 0) else _DISPROVEN


def _expected(value: Value) -> int:
    """How much there is to prove of a win whose odds are those of `value`."""
    exponent = min(-value / LOGISTIC_SCALE, math.log(_MOST))
    return max(1, min(_MOST, round(_EVEN * math.exp(exponent))))


def _total(numbers: Collection[int]) -> int:
    """The sum, which many ways to one position may make huge, but not infinite."""
    return _INFINITE if _INFINITE in numbers else min(sum(numbers), _INFINITE - 1)


def verdict(book: AnyAddress, game: Game, root: Position, side: Side) -> bool | None:
    """Whether `book` proves that `side` wins `root`; False where it disproves it, else None.

    Raises:
        BookError: if the book cannot be read.
    """
    with BookReader(book) as reader, reader.rows_of(game) as rows:
        proof = ProofTree(rows, root, side)
        proof.load()
        return proof.won
