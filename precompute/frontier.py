"""What to search next. Decided from the book and the plan alone, never from the clock.

Whatever order results come in and whenever a build is stopped, a plan made from the same book
holds the same tasks.
"""

import heapq
import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import BindParameter, Connection, Executable, bindparam, func, select

from book.finding import count_positions, find, rest_child, ways_to
from book.propagation import cost_of_losing, loss_cost, slot_cost, way_cost
from book.rows import AnyRow, move_width, unpack_line
from book.schema import RestState, moves, positions, runs
from book.writer import PlannedTask, Task
from engine.games.base import Canonical, Game, Key
from engine.position import Position
from engine.search import Limits
from engine.values import Value, from_child

# So many positions may be looked at for one task: planning takes less time than searching.
_LOOKS_PER_TASK = 64
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
_child_count = (
    select(func.count()).where(moves.c.parent == positions.c.id).scalar_subquery().label("children")
)
_position = select(positions, _child_count).where(positions.c.id == bindparam("id"))
_OF_CHILD = ("id", "stones", "value", "open_cost", "wish")
_open_children = (
    select(*(positions.c[name] for name in _OF_CHILD))
    .join(moves, moves.c.child == positions.c.id)
    .where(moves.c.parent == bindparam("id"), positions.c.open_cost.is_not(None))
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
_count_searched = (
    select(func.count())
    .select_from(positions)
    .where(positions.c.game == bindparam("game"), positions.c.run.in_(_ids))
)


class Frontier(Protocol):
    """Chooses the tasks of the next batch."""

    def next_batch(self, connection: Connection, opened: Collection[PlannedTask]) -> list[Task]:
        """The tasks to add to the `opened` ones, in order; none if nothing is to be done now."""
        ...


@dataclass(frozen=True, slots=True)
class LossLimits:
    """What the moves of a way may give away, in winning probability from 0 to 1.

    `each` move, and all of them `together`; None: anything. They count in the steps of the costs,
    which are parts of 2000.
    """

    each: float | None = None
    together: float | None = None

    def after(self, given: int, best: Value, value: Value) -> int | None:
        """What a way has given away, in costs, after one more move of `value`, `given` before.

        None where it may not take that move. `best` is the value of the best one.
        """
        loss = loss_cost(best, value)
        if self.each is not None and loss > cost_of_losing(self.each):
            return None
        if self.together is None:
            # Nobody asks; so the cheapest way to a position is as good as any.
            return 0
        return given + loss if given + loss <= cost_of_losing(self.together) else None


class CheapestSlots:
    """The positions whose rest slots are to be expanded, cheapest first, as an iterable.

    Best first from `root` (Hart, Nilsson, Raphael 1968); since each position knows the cost of
    the rest of the way, only positions on the ways to those slots are looked at. Of ways at equal
    cost the one with more of it behind comes first, then by stones.

    `limits` only close ways. The stored cost of the rest of a way does not know them and is a
    lower bound all the same, no less consistent, so that the order stays right; but positions
    may then be looked at in vain. `looked_at` counts all that were.
    """

    def __init__(self, connection: Connection, root: AnyRow | None, limits: LossLimits) -> None:
        self.looked_at = 0
        self._connection = connection
        self._limits = limits
        # Cost of the whole way, whether more is to come, minus the cost so far, stones, number,
        # and what the way gave away.
        self._queue: list[tuple[int, bool, int, bytes, int, int]] = []
        self._slots: dict[int, AnyRow] = {}
        self._queued: set[int] = set()
        if root is not None and root.open_cost is not None:
            self._queue.append((root.open_cost, True, 0, root.stones, root.id, 0))

    def __iter__(self) -> Iterator[AnyRow]:
        # The least that the ways so far gave away until each position. One that comes later costs
        # no less, but may have more left to give away.
        least: dict[int, int] = {}
        while self._queue:
            _, is_way, minus_cost, _, id, given = heapq.heappop(self._queue)
            if not is_way:
                yield self._slots.pop(id)
            elif given < least.get(id, given + 1):
                least[id] = given
                self._look_at(id, -minus_cost, given)

    def enough(self, batch_size: int) -> int:
        """How many tasks make a batch: more where many positions had to be looked at for them."""
        return max(batch_size, self.looked_at // _LOOKS_PER_TASK)

    def _look_at(self, id: int, cost: int, given: int) -> None:
        self.looked_at += 1
        row = self._connection.execute(_position, {"id": id}).one()
        own = slot_cost(row, row.value, row.proven, row.children)
        if own is not None and id not in self._queued:
            total = self._limits.after(given, row.value, row.rest_value)
            if total is not None:
                heapq.heappush(self._queue, (cost + own, False, -cost, row.stones, id, total))
                self._slots[id] = row
                self._queued.add(id)
        for child in self._connection.execute(_open_children, {"id": id}):
            total = self._limits.after(given, row.value, from_child(child.value))
            if total is not None:
                so_far = cost + way_cost(row.value, child)
                way = (so_far + child.open_cost, True, -so_far, child.stones, child.id, total)
                heapq.heappush(self._queue, way)


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
        parents = ways_to(self._game, self._game.unpack(expansion.stones))
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
        return CheapestSlots(connection, self._stored_root(connection), self._losses)


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

    def next_batch(self, connection: Connection, opened: Collection[PlannedTask]) -> list[Task]:
        batch = self._missing_root(connection, opened)
        if batch:
            return batch
        searching = {planned.task.key for planned in opened}
        batch = self._pending_tasks(connection, searching, self._batch_size)
        searching |= {task.key for task in batch}
        done = self._runs_that_did_as_much(connection)
        room = self._room(connection, searching, done)
        slots = CheapestSlots(connection, self._stored_root(connection), self._losses)
        for row in slots:
            if room <= 0 or len(batch) >= slots.enough(self._batch_size):
                break
            if row.run in done or self._game.key(row.stones) in searching:
                continue
            batch.append(self._rest_task(connection, row))
            room -= 1
        return batch

    def _runs_that_did_as_much(self, connection: Connection) -> set[int]:
        return {
            row.id
            for row in self._rows(connection, _runs)
            if _cover(json.loads(row.parameters).get("limits", {}), self._limits)
        }

    def _room(
        self, connection: Connection, searching: Collection[Key], done: Collection[int]
    ) -> float:
        """How many slots may be searched besides those of `searching`."""
        if self._most is None:
            return math.inf
        values = {"game": self._game_number, "ids": list(done)}
        searched = int(connection.execute(_count_searched, values).scalar_one())
        planned = self._stored(connection, searching).values()
        return self._most - searched - sum(row.run not in done for row in planned)


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
