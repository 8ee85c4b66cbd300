"""What to search next. Decided from the book and the plan alone, never from the clock.

Whatever order results come in and whenever a build is stopped, a plan made from the same book
holds the same tasks. Ties are broken by key.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from sqlalchemy import Connection, Executable, bindparam, func, select

from book.rows import AnyRow
from book.schema import RestState, moves, positions
from book.writer import PlannedTask, Task
from engine.games.base import Game, Key

_pending = (
    select(positions.c.key, positions.c.stones)
    .where(positions.c.game == bindparam("game"), positions.c.rest_state == RestState.PENDING)
    .order_by(positions.c.cost, positions.c.key)
)
_slots = (
    select(positions.c.rest_child, positions.c.stones, positions.c.rest_move)
    .where(positions.c.game == bindparam("game"), positions.c.slot_cost.is_not(None))
    .order_by(positions.c.slot_cost, positions.c.key)
)
_waiting_for = (
    select(positions.c.key, positions.c.stones)
    .where(positions.c.rest_child == bindparam("child"))
    .order_by(positions.c.key)
)
_child_keys = select(moves.c.child).where(moves.c.parent == bindparam("key"))
_count = select(func.count()).where(positions.c.game == bindparam("game"))
_layer = (
    select(positions.c.key, positions.c.stones)
    .where(
        positions.c.game == bindparam("game"),
        positions.c.ply == bindparam("ply"),
    )
    .order_by(positions.c.key)
)


class Frontier(Protocol):
    """Chooses the tasks of the next batch."""

    def next_batch(self, connection: Connection, opened: Collection[PlannedTask]) -> list[Task]:
        """The tasks to add to the `opened` ones, in order; none if nothing is to be done now."""
        ...


class _BookFrontier:
    def __init__(self, game: Game, game_number: int) -> None:
        self._game = game
        self._game_number = game_number

    def _rows(
        self, connection: Connection, statement: Executable, **values: object
    ) -> Sequence[AnyRow]:
        return connection.execute(statement, {"game": self._game_number, **values}).all()

    def _root(self, connection: Connection, opened: Collection[PlannedTask]) -> list[Task]:
        """The empty board, where the book does not have it yet."""
        if opened or self._rows(connection, _layer.limit(1), ply=0):
            return []
        root = self._game.canonical(self._game.initial)
        return [Task(root.key, root.stones, True, frozenset())]


class Explore(_BookFrontier):
    """Grows the book where sensible games go: the cheapest rest slots first.

    Expanding a slot searches the position behind it, and anew, without that move, the rest
    slots of all positions that had it as their rest move. `most` bounds the stored positions.
    """

    def __init__(
        self, game: Game, game_number: int, *, batch_size: int, most: int | None = None
    ) -> None:
        super().__init__(game, game_number)
        self._batch_size = batch_size
        self._most = most

    def next_batch(self, connection: Connection, opened: Collection[PlannedTask]) -> list[Task]:
        new = {planned.task.key for planned in opened if planned.task.new}
        searching = {planned.task.key for planned in opened if not planned.task.new}
        batch = self._root(connection, opened)
        for row in self._rows(connection, _pending):
            if row.key not in searching and len(batch) < self._batch_size:
                batch.append(_rest_task(connection, row))
                searching.add(row.key)
        if batch and batch[0].new:
            return batch
        room = self._room(connection, len(new))
        slots = connection.execute(_slots, {"game": self._game_number})
        for slot in slots:
            if room <= 0 or len(batch) >= self._batch_size:
                break
            if slot.rest_child in new:
                continue
            batch.append(self._expansion(slot))
            new.add(slot.rest_child)
            room -= 1
            for row in self._rows(connection, _waiting_for, child=slot.rest_child):
                if row.key not in searching:
                    batch.append(_rest_task(connection, row, slot.rest_child))
                    searching.add(row.key)
        slots.close()
        return batch

    def _room(self, connection: Connection, planned: int) -> int:
        if self._most is None:
            return self._batch_size
        stored = connection.execute(_count, {"game": self._game_number}).scalar_one()
        return self._most - int(stored) - planned

    def _expansion(self, slot: AnyRow) -> Task:
        parent = self._game.unpack(slot.stones)
        child = self._game.canonical(self._game.play(parent, slot.rest_move))
        return Task(child.key, child.stones, True, frozenset())


class Full(_BookFrontier):
    """Every position up to a ply, up to symmetry, in which the game goes on; layer by layer."""

    def __init__(self, game: Game, game_number: int, *, plies: int) -> None:
        super().__init__(game, game_number)
        self._plies = plies
        self._complete = 0

    def next_batch(self, connection: Connection, opened: Collection[PlannedTask]) -> list[Task]:
        # A layer is planned from the whole layer before it.
        if opened:
            return []
        batch = self._root(connection, opened)
        while not batch and self._complete < self._plies:
            batch = self._missing_children(connection, self._complete)
            if not batch:
                pending = self._rows(connection, _pending)
                batch = [_rest_task(connection, row) for row in pending]
            if not batch:
                self._complete += 1
        return batch

    def _missing_children(self, connection: Connection, ply: int) -> list[Task]:
        stored = {row.key for row in self._rows(connection, _layer, ply=ply + 1)}
        missing: dict[Key, Task] = {}
        for row in self._rows(connection, _layer, ply=ply):
            for child in self._game.children(self._game.unpack(row.stones)):
                key = child.canonical.key
                if key not in stored:
                    missing[key] = Task(key, child.canonical.stones, True, frozenset())
        return [missing[key] for key in sorted(missing)]


def _rest_task(connection: Connection, row: AnyRow, *more: Key) -> Task:
    """The search of a stored position's rest slot, without its stored children and `more`."""
    stored: Iterable[Key] = connection.execute(_child_keys, {"key": row.key}).scalars()
    return Task(row.key, row.stones, False, frozenset((*stored, *more)))
