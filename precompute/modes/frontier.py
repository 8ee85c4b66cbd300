"""What to search next. Decided from the book and the plan alone, never from the clock.

Whatever order results come in and whenever a build is stopped, a plan made from the same book
holds the same tasks.
"""

import json
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from sqlalchemy import BindParameter, Connection, Executable, bindparam, select

from book.rows.encoding import AnyRow, move_width, unpack_line
from book.rows.lookup import count_positions, find, rest_child, ways_to
from book.storage.schema import RestState, moves, positions, runs
from book.writer import PlannedTask, Task
from engine.game import Canonical, Game, Key
from engine.position import Position
from engine.search import Limits
from precompute.slots import CheapestSlots, LossLimits, Outlook, Undone

# Of a whole layer, so many tasks are planned at a time, and so many positions looked at.
_TASKS_AT_ONCE = 256
_PARENTS_AT_ONCE = 16
_IDS_AT_ONCE = 500

_pending = (
    select(positions.c.id, positions.c.stones)
    .where(
        positions.c.game == bindparam("game"),
        positions.c.rest_state == RestState.PENDING.value,
    )
    .order_by(positions.c.ply, positions.c.lookup, positions.c.stones)
)
_stored_children = (
    select(positions.c.stones)
    .join(moves, moves.c.child == positions.c.id)
    .where(moves.c.parent == bindparam("id"))
)
_ids: BindParameter[int] = bindparam("ids", expanding=True)
_stones = select(positions.c.stones).where(positions.c.id.in_(_ids)).order_by(positions.c.id)
_children = select(moves.c.child).where(moves.c.parent.in_(_ids))
_runs = select(runs.c.id, runs.c.parameters).where(runs.c.game == bindparam("game"))


class Frontier(Protocol):
    """Chooses the tasks of the next batch."""

    def next_batch(self, connection: Connection, opened: Collection[PlannedTask]) -> list[Task]:
        """The tasks to add to the `opened` ones, in order; none if nothing is to be done now."""
        ...


class BookFrontier:
    """What all have in common. `root` is where the book is to grow, None: the empty board."""

    def __init__(self, game: Game, game_number: int, root: Position | None = None) -> None:
        self._game = game
        self._game_number = game_number
        self._root = game.canonical(game.initial if root is None else root)

    def _rows(
        self, connection: Connection, statement: Executable, **values: object
    ) -> Sequence[AnyRow]:
        return connection.execute(statement, {"game": self._game_number, **values}).all()

    def _stored(self, connection: Connection, keys: Collection[Key]) -> dict[Key, AnyRow]:
        return find(connection, self._game, self._game_number, keys)

    def _missing_root(self, connection: Connection, opened: Collection[PlannedTask]) -> list[Task]:
        """The root, where the book does not have it yet."""
        if opened or self._stored_root(connection) is not None:
            return []
        return [new_task(self._root)]

    def _stored_root(self, connection: Connection) -> AnyRow | None:
        return self._stored(connection, [self._root.key]).get(self._root.key)

    def _pending_tasks(
        self, connection: Connection, searching: Collection[Key], most: int
    ) -> list[Task]:
        """Searches of up to `most` pending rest slots, other than those of `searching`."""
        rows = self._rows(connection, _pending.limit(most + len(searching)))
        waiting = [row for row in rows if self._game.key(row.stones) not in searching]
        return [self._rest_task(connection, row) for row in waiting[:most]]

    def _rest_task(self, connection: Connection, row: AnyRow, *more: Key) -> Task:
        """The search of a stored position's rest slot, without its stored children and `more`."""
        stored = connection.execute(_stored_children, {"id": row.id}).scalars()
        excluded = frozenset((*map(self._game.key, stored), *more))
        return Task(self._game.key(row.stones), row.stones, False, excluded)


class Growing(BookFrontier):
    """A frontier that adds positions one by one, up to `most` stored ones.

    With a new position comes a new search, without the move to it, of the rest slots of all
    positions that had it as their rest move.
    """

    def __init__(
        self,
        game: Game,
        game_number: int,
        *,
        batch_size: int,
        most: int | None = None,
        root: Position | None = None,
    ) -> None:
        super().__init__(game, game_number, root)
        self._batch_size = batch_size
        self._most = most

    def _growth(self, connection: Connection, added: Task, searching: set[Key]) -> list[Task]:
        """A new position's task with the searches that it brings, which go into `searching`."""
        tasks = [added]
        for key, row in self._waiting_for(connection, added):
            if key not in searching:
                tasks.append(self._rest_task(connection, row, added.key))
                searching.add(key)
        return tasks

    def _room(self, connection: Connection, planned: int) -> float:
        """How many positions may be added besides the `planned` ones."""
        if self._most is None:
            return math.inf
        return self._most - count_positions(connection, self._game_number) - planned

    def _expansion(self, slot: AnyRow) -> Task:
        parent = self._game.unpack(slot.stones)
        move = unpack_line(self._game, slot.rest_line[: move_width(self._game)])[0]
        return new_task(self._game.canonical(self._game.play(parent, move)))

    def _waiting_for(self, connection: Connection, expansion: Task) -> list[tuple[Key, AnyRow]]:
        """Every position whose rest move leads to that of `expansion`, by key."""
        parents = ways_to(self._game, self._game.unpack(expansion.stones)).parents
        return [
            (key, row)
            for key, row in sorted(self._stored(connection, parents).items())
            if rest_child(self._game, row) == expansion.key
        ]


class Explore(Growing):
    """Grows the book where sensible games go: the cheapest rest slots within `losses` first."""

    def __init__(
        self,
        game: Game,
        game_number: int,
        *,
        batch_size: int,
        most: int | None = None,
        root: Position | None = None,
        losses: LossLimits = LossLimits(),
    ) -> None:
        super().__init__(game, game_number, batch_size=batch_size, most=most, root=root)
        self._losses = losses

    def next_batch(self, connection: Connection, opened: Collection[PlannedTask]) -> list[Task]:
        new = {planned.task.key for planned in opened if planned.task.new}
        searching = {planned.task.key for planned in opened if not planned.task.new}
        room = self._room(connection, len(new))
        batch = self._missing_root(connection, opened) if room > 0 else []
        if batch:
            return batch
        batch = self._pending_tasks(connection, searching, self._batch_size)
        searching |= {task.key for task in batch}
        slots = self.cheapest_slots(connection)
        for slot in slots:
            if room <= 0 or len(batch) >= slots.enough(self._batch_size):
                break
            expansion = self._expansion(slot)
            if expansion.key in new:
                continue
            batch += self._growth(connection, expansion, searching)
            new.add(expansion.key)
            room -= 1
        return batch

    def cheapest_slots(self, connection: Connection) -> CheapestSlots:
        """The positions whose rest slots are to be expanded, in order."""
        return CheapestSlots(connection, self._stored_root(connection), self._losses, Outlook())


class Refine(BookFrontier):
    """Searches the rest slots again that were last searched with smaller limits; adds nothing.

    The cheapest slots come first, since on them most depends. A slot is done if its last search
    was given at least as much as `limits` in every respect. `most` bounds the positions of the
    book of which that is true.
    """

    def __init__(
        self,
        game: Game,
        game_number: int,
        *,
        batch_size: int,
        limits: Limits,
        most: int | None = None,
        root: Position | None = None,
        losses: LossLimits = LossLimits(),
    ) -> None:
        super().__init__(game, game_number, root)
        self._batch_size = batch_size
        self._limits = limits.as_dict()
        self._most = most
        self._losses = losses
        self._outlook = Undone(game, game_number, losses)

    def next_batch(self, connection: Connection, opened: Collection[PlannedTask]) -> list[Task]:
        batch = self._missing_root(connection, opened) or self._chosen(connection, opened)
        self._outlook.plan(batch)
        return batch

    def _chosen(self, connection: Connection, opened: Collection[PlannedTask]) -> list[Task]:
        searching = {planned.task.key for planned in opened}
        batch = self._pending_tasks(connection, searching, self._batch_size)
        searching |= {task.key for task in batch}
        slots = self.cheapest_slots(connection, opened)
        room = self._room(connection, searching)
        for row in slots:
            if room <= 0 or len(batch) >= slots.enough(self._batch_size):
                break
            if self._game.key(row.stones) not in searching:
                batch.append(self._rest_task(connection, row))
                room -= 1
        return batch

    def cheapest_slots(
        self, connection: Connection, opened: Collection[PlannedTask] = ()
    ) -> CheapestSlots:
        """The positions whose rest slots are to be searched again, in order."""
        self._outlook.refresh(connection, opened, self._runs_that_did_as_much(connection))
        root = self._stored_root(connection)
        return CheapestSlots(connection, root, self._losses, self._outlook)

    def _runs_that_did_as_much(self, connection: Connection) -> set[int]:
        return {
            row.id
            for row in self._rows(connection, _runs)
            if _cover(json.loads(row.parameters).get("limits", {}), self._limits)
        }

    def _room(self, connection: Connection, searching: Collection[Key]) -> float:
        """How many slots may be searched besides those of `searching`."""
        if self._most is None:
            return math.inf
        planned = self._stored(connection, searching).values()
        return self._most - self._outlook.done_count - sum(map(self._outlook.wants, planned))


def _cover(had: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether a search with the limits `had` was given at least as much as `wanted` ones give.

    Without a limit a search is given everything, but one of which none is known is told nothing.
    """

    def is_enough(name: str) -> bool:
        limit, least = had.get(name), wanted[name]
        return limit is None or (least is not None and limit >= least)

    return any(had.values()) and all(map(is_enough, ("depth", "nodes", "movetime")))


class Full(BookFrontier):
    """Every position up to `plies` plies after the root, up to symmetry, in which the game goes on.

    Layer by layer, of which only the numbers of one layer's positions are held in memory.
    """

    def __init__(
        self, game: Game, game_number: int, *, plies: int, root: Position | None = None
    ) -> None:
        super().__init__(game, game_number, root)
        self._plies_left = plies
        self._layer: list[int] | None = None
        self._looked_at = 0

    def next_batch(self, connection: Connection, opened: Collection[PlannedTask]) -> list[Task]:
        root = self._stored_root(connection)
        if root is None:
            return self._missing_root(connection, opened)
        if self._layer is None:
            self._layer = [root.id]
        while self._plies_left:
            batch = self._missing_children(connection, self._layer, opened)
            if batch or any(planned.task.new for planned in opened):
                return batch
            # Only now: each of these searches leaves out all children.
            searching = {planned.task.key for planned in opened}
            batch = self._pending_tasks(connection, searching, _TASKS_AT_ONCE)
            if batch or opened:
                return batch
            self._layer = self._next_layer(connection, self._layer)
            self._looked_at = 0
            self._plies_left -= 1
        return []

    def _missing_children(
        self, connection: Connection, layer: Sequence[int], opened: Collection[PlannedTask]
    ) -> list[Task]:
        """Searches of further children of the layer, which are neither stored nor `opened`."""
        planned = {planned.task.key for planned in opened}
        missing: dict[Key, Task] = {}
        while self._looked_at < len(layer) and len(missing) < _TASKS_AT_ONCE:
            ids = layer[self._looked_at : self._looked_at + _PARENTS_AT_ONCE]
            self._looked_at += len(ids)
            children = {
                child.canonical.key: child.canonical
                for stones in connection.execute(_stones, {"ids": ids}).scalars()
                for child in self._game.children(self._game.unpack(stones))
            }
            known = planned | self._stored(connection, children).keys()
            missing |= {key: new_task(children[key]) for key in children.keys() - known}
        return [missing[key] for key in sorted(missing)]

    def _next_layer(self, connection: Connection, layer: Sequence[int]) -> list[int]:
        following: set[int] = set()
        for start in range(0, len(layer), _IDS_AT_ONCE):
            ids = layer[start : start + _IDS_AT_ONCE]
            following.update(connection.execute(_children, {"ids": ids}).scalars())
        return sorted(following)


def new_task(position: Canonical) -> Task:
    """The search of a position that is not stored yet."""
    return Task(position.key, position.stones, True, frozenset())
