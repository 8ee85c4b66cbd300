"""What to search next. Decided from the book and the plan alone, never from the clock.

Whatever order results come in and whenever a build is stopped, a plan made from the same book
holds the same tasks.
"""

import heapq
from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

from sqlalchemy import Connection, Executable, bindparam, select

from book.finding import count_positions, find, rest_child
from book.propagation import slot_cost, step_cost
from book.rows import AnyRow, move_width, unpack_line
from book.schema import RestState, moves, positions
from book.writer import PlannedTask, Task
from engine.games.base import Canonical, Game, Key
from engine.values import from_child

_pending = (
    select(positions.c.id, positions.c.stones)
    .where(
        positions.c.game == bindparam("game"),
        positions.c.rest_state == RestState.PENDING.value,
    )
    .order_by(positions.c.ply, positions.c.lookup, positions.c.stones)
)
_position = select(positions).where(positions.c.id == bindparam("id"))
_open_children = (
    select(positions.c.id, positions.c.stones, positions.c.value, positions.c.open_cost)
    .join(moves, moves.c.child == positions.c.id)
    .where(moves.c.parent == bindparam("id"), positions.c.open_cost.is_not(None))
)
_stored_children = (
    select(positions.c.stones)
    .join(moves, moves.c.child == positions.c.id)
    .where(moves.c.parent == bindparam("id"))
)
_layer = (
    select(positions.c.stones)
    .where(
        positions.c.game == bindparam("game"),
        positions.c.ply == bindparam("ply"),
    )
    .order_by(positions.c.lookup, positions.c.stones)
)


class Frontier(Protocol):
    """Chooses the tasks of the next batch."""

    def next_batch(self, connection: Connection, opened: Collection[PlannedTask]) -> list[Task]:
        """The tasks to add to the `opened` ones, in order; none if nothing is to be done now."""
        ...


class BookFrontier:
    """What every frontier does with the rows of its game."""

    def __init__(self, game: Game, game_number: int) -> None:
        self._game = game
        self._game_number = game_number
        self._root = game.canonical(game.initial)

    def _rows(
        self, connection: Connection, statement: Executable, **values: object
    ) -> Sequence[AnyRow]:
        return connection.execute(statement, {"game": self._game_number, **values}).all()

    def _stored(self, connection: Connection, keys: Collection[Key]) -> dict[Key, AnyRow]:
        return find(connection, self._game, self._game_number, keys)

    def _missing_root(self, connection: Connection, opened: Collection[PlannedTask]) -> list[Task]:
        """The empty board, where the book does not have it yet."""
        if opened or self._stored(connection, [self._root.key]):
            return []
        return [new_task(self._root)]

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
        self, game: Game, game_number: int, *, batch_size: int, most: int | None = None
    ) -> None:
        super().__init__(game, game_number)
        self._batch_size = batch_size
        self._most = most

    def _pending_tasks(self, connection: Connection, searching: set[Key]) -> list[Task]:
        """Searches of the slots whose move has become a link, which go into `searching`."""
        tasks: list[Task] = []
        most = self._batch_size + len(searching)
        for row in self._rows(connection, _pending.limit(most)):
            key = self._game.key(row.stones)
            if key not in searching and len(tasks) < self._batch_size:
                tasks.append(self._rest_task(connection, row))
                searching.add(key)
        return tasks

    def _growth(self, connection: Connection, added: Task, searching: set[Key]) -> list[Task]:
        """A new position's task with the searches that it brings, which go into `searching`."""
        tasks = [added]
        for key, row in self._waiting_for(connection, added):
            if key not in searching:
                tasks.append(self._rest_task(connection, row, added.key))
                searching.add(key)
        return tasks

    def _room(self, connection: Connection, planned: int) -> int:
        if self._most is None:
            return self._batch_size
        return self._most - count_positions(connection, self._game_number) - planned

    def _expansion(self, slot: AnyRow) -> Task:
        parent = self._game.unpack(slot.stones)
        move = unpack_line(self._game, slot.rest_line[: move_width(self._game)])[0]
        return new_task(self._game.canonical(self._game.play(parent, move)))

    def _waiting_for(self, connection: Connection, expansion: Task) -> list[tuple[Key, AnyRow]]:
        """Every position whose rest move leads to that of `expansion`, by key."""
        parents = self._game.parents(self._game.unpack(expansion.stones))
        return [
            (key, row)
            for key, row in sorted(self._stored(connection, parents).items())
            if rest_child(self._game, row) == expansion.key
        ]


class Explore(Growing):
    """Grows the book where sensible games go: the cheapest rest slots first."""

    def next_batch(self, connection: Connection, opened: Collection[PlannedTask]) -> list[Task]:
        new = {planned.task.key for planned in opened if planned.task.new}
        searching = {planned.task.key for planned in opened if not planned.task.new}
        batch = self._missing_root(connection, opened)
        if batch:
            return batch
        batch = self._pending_tasks(connection, searching)
        room = self._room(connection, len(new))
        for slot in self.cheapest_slots(connection):
            if room <= 0 or len(batch) >= self._batch_size:
                break
            expansion = self._expansion(slot)
            if expansion.key in new:
                continue
            batch += self._growth(connection, expansion, searching)
            new.add(expansion.key)
            room -= 1
        return batch

    def cheapest_slots(self, connection: Connection) -> Iterator[AnyRow]:
        """The positions whose rest slots are to be expanded, cheapest first.

        Best first from the empty board (Hart, Nilsson, Raphael 1968); since each position knows
        the cost of the rest of the way, only positions on the ways to those slots are looked
        at. Of ways at equal cost the one with more of it behind comes first, then by stones.
        """
        root = self._stored(connection, [self._root.key]).get(self._root.key)
        if root is None or root.open_cost is None:
            return
        # Cost of the whole way, whether more is to come, minus the cost so far; by stones.
        queue: list[tuple[int, bool, int, bytes, int]] = []
        queue.append((root.open_cost, True, 0, root.stones, root.id))
        expanded: dict[int, AnyRow] = {}
        while queue:
            _, is_way, minus_cost, _, id = heapq.heappop(queue)
            if not is_way:
                yield expanded[id]
                continue
            if id in expanded:
                continue
            row = expanded[id] = connection.execute(_position, {"id": id}).one()
            own = slot_cost(row, row.value, row.proven)
            if own is not None:
                heapq.heappush(queue, (own - minus_cost, False, minus_cost, row.stones, id))
            for child in connection.execute(_open_children, {"id": id}):
                step = step_cost(row.value, from_child(child.value))
                way = (step - minus_cost + child.open_cost, True, minus_cost - step)
                heapq.heappush(queue, (*way, child.stones, child.id))


class Full(BookFrontier):
    """Every position up to a ply, up to symmetry, in which the game goes on; layer by layer."""

    def __init__(self, game: Game, game_number: int, *, plies: int) -> None:
        super().__init__(game, game_number)
        self._plies = plies
        self._complete = 0

    def next_batch(self, connection: Connection, opened: Collection[PlannedTask]) -> list[Task]:
        # A layer is planned from the whole layer before it.
        if opened:
            return []
        batch = self._missing_root(connection, opened)
        while not batch and self._complete < self._plies:
            batch = self._missing_children(connection, self._complete)
            if not batch:
                pending = self._rows(connection, _pending)
                batch = [self._rest_task(connection, row) for row in pending]
            if not batch:
                self._complete += 1
        return batch

    def _missing_children(self, connection: Connection, ply: int) -> list[Task]:
        stored = {row.stones for row in self._rows(connection, _layer, ply=ply + 1)}
        missing: dict[Key, Task] = {}
        for row in self._rows(connection, _layer, ply=ply):
            for child in self._game.children(self._game.unpack(row.stones)):
                if child.canonical.stones not in stored:
                    missing[child.canonical.key] = new_task(child.canonical)
        return [missing[key] for key in sorted(missing)]


def new_task(position: Canonical) -> Task:
    """The search of a position that is not stored yet."""
    return Task(position.key, position.stones, True, frozenset())
