"""What the modes have in common: what a mode of searches is, and how frontiers are made.

A frontier chooses what to search next. It decides from the book and the plan alone, never from the
clock: whatever order results come in and whenever a build is stopped, a plan made from the same
book holds the same tasks.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from sqlalchemy import bindparam, select

from book.rows.encoding import AnyRow, move_width, unpack_line
from book.rows.links import rest_child, ways_to
from book.rows.lookup import GameRows
from book.storage.address import Address
from book.storage.schema import RestState, moves, positions
from book.writer import PlannedTask, Task
from engine.game import Canonical, Key
from engine.position import Position
from engine.search import Limits

BATCH_SIZE = 16

_pending = (
    select(positions.c.id, positions.c.stones)
    .where(
        positions.c.game == bindparam("game"),
        positions.c.rest_state == RestState.PENDING.value,
        positions.c.proven.is_(False),
    )
    .order_by(positions.c.ply, positions.c.lookup, positions.c.stones)
)
_stored_children = (
    select(positions.c.stones)
    .join(moves, moves.c.child == positions.c.id)
    .where(moves.c.parent == bindparam("id"))
)


class Frontier(Protocol):
    """Chooses the tasks of the next batch, within a transaction of the book's writer."""

    def next_batch(self, opened: Collection[PlannedTask]) -> list[Task]:
        """The tasks to add to the `opened` ones, in order; none if nothing is to be done now."""
        ...


@dataclass(frozen=True, slots=True)
class Site:
    """Where a build is at work: the rows of a game in the book at `address`, from `roots` on.

    `limits` are those of each search. A frontier plans some `batch_size` tasks at a time.
    """

    address: Address
    rows: GameRows
    roots: Sequence[Position]
    limits: Limits
    batch_size: int = BATCH_SIZE


class Bounds(NamedTuple):
    """When a book is complete: by its stored positions, its plies, or the searches done.

    A mode has at most one of them.
    """

    positions: int | None = None
    plies: int | None = None
    searches: int | None = None


class SearchMode(ABC):
    """A way to build a book from the results of searches, with all that is to be said of it."""

    __slots__ = ()

    @abstractmethod
    def frontier(self, site: Site) -> Frontier:
        """What chooses the searches."""

    @property
    def bounds(self) -> Bounds:
        """When the book is complete. It is also complete when nothing is left to be done."""
        return Bounds()

    @property
    def decides(self) -> dict[str, object]:
        """What, besides the bounds, decides which searches are made.

        Plans and runs keep it under these names: they never change, nor do the values.
        """
        return {}


class BookFrontier:
    """What the frontiers of all modes have in common."""

    def __init__(self, site: Site) -> None:
        self._rows = site.rows
        self._game = site.rows.game
        canonical = map(self._game.canonical, site.roots)
        self._roots = {root.key: root for root in canonical}
        self._batch_size = site.batch_size

    def _missing_roots(self, opened: Collection[PlannedTask]) -> list[Task]:
        """The roots that neither the book has yet nor the plan."""
        known = {planned.task.key for planned in opened} | self._rows.find(self._roots).keys()
        return [new_task(root) for key, root in self._roots.items() if key not in known]

    def _stored_roots(self) -> list[AnyRow]:
        """The roots that the book has, in their order."""
        stored = self._rows.find(self._roots)
        return [stored[key] for key in self._roots if key in stored]

    def _pending_tasks(self, searching: Collection[Key], most: int) -> list[Task]:
        """Searches of up to `most` pending rest slots, other than those of `searching`.

        A book of proofs has one beside every winning move: those of proven positions are left as
        they are.
        """
        rows = self._rows.select(_pending.limit(most + len(searching)))
        waiting = [row for row in rows if self._game.key(row.stones) not in searching]
        return [self._rest_task(row) for row in waiting[:most]]

    def _rest_task(self, row: AnyRow, *more: Key) -> Task:
        """The search of a stored position's rest slot, without its stored children and `more`."""
        stored = self._rows.connection.execute(_stored_children, {"id": row.id}).scalars()
        excluded = frozenset((*map(self._game.key, stored), *more))
        return Task(self._game.key(row.stones), row.stones, False, excluded)


class GrowingFrontier(BookFrontier):
    """A frontier that adds positions one by one, up to `most` stored ones.

    With a new position comes a new search, without the move to it, of the rest slots of all
    positions that had it as their rest move.
    """

    def __init__(self, site: Site, most: int | None = None) -> None:
        super().__init__(site)
        self._most = most

    def _growth(self, added: Task, searching: set[Key]) -> list[Task]:
        """A new position's task with the searches that it brings, which go into `searching`."""
        tasks = [added]
        for key, row in self._waiting_for(added):
            if key not in searching:
                tasks.append(self._rest_task(row, added.key))
                searching.add(key)
        return tasks

    def _room(self, planned: int) -> float:
        """How many positions may be added besides the `planned` ones."""
        if self._most is None:
            return math.inf
        return self._most - self._rows.count() - planned

    def _expansion(self, slot: AnyRow) -> Task:
        parent = self._game.unpack(slot.stones)
        move = unpack_line(self._game, slot.rest_line[: move_width(self._game)])[0]
        return new_task(self._game.canonical(self._game.play(parent, move)))

    def _waiting_for(self, expansion: Task) -> list[tuple[Key, AnyRow]]:
        """Every position whose rest move leads to that of `expansion`, by key."""
        parents = ways_to(self._game, self._game.unpack(expansion.stones)).parents
        return [
            (key, row)
            for key, row in sorted(self._rows.find(parents).items())
            if rest_child(self._game, row) == expansion.key
        ]


def new_task(position: Canonical) -> Task:
    """The search of a position that is not stored yet."""
    return Task(position.key, position.stones, True, frozenset())
