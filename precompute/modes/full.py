"""Full books: every position up to a ply."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import BindParameter, bindparam, select

from book.rows.batches import in_batches
from book.storage.schema import RestState, moves, positions
from book.writer import PlannedTask, Task
from engine.game import Key
from precompute.modes.frontier import BookFrontier, Bounds, SearchMode, Site, new_task

# Of a whole layer, that many tasks are planned at a time, and that many positions looked at.
_TASKS_AT_ONCE = 256
_PARENTS_AT_ONCE = 16

_ids: BindParameter[int] = bindparam("ids", expanding=True)
_pending = (
    select(positions.c.id, positions.c.stones)
    .where(positions.c.id.in_(_ids), positions.c.rest_state == RestState.PENDING.value)
    .order_by(positions.c.id)
)
_stones = select(positions.c.stones).where(positions.c.id.in_(_ids)).order_by(positions.c.id)
_children = select(moves.c.child).where(moves.c.parent.in_(_ids))


@dataclass(frozen=True, slots=True)
class Full(SearchMode):
    """All positions up to `plies` plies after the root."""

    plies: int

    def frontier(self, site: Site) -> "FullFrontier":
        return FullFrontier(site, self.plies)

    @property
    def bounds(self) -> Bounds:
        return Bounds(plies=self.plies)


class FullFrontier(BookFrontier):
    """Every position up to `plies` plies after a root, up to symmetry, in which the game goes on.

    Layer by layer, of which only the numbers of one layer's positions are held in memory.
    """

    def __init__(self, site: Site, plies: int) -> None:
        super().__init__(site)
        self._plies_left = plies
        self._layer: list[int] | None = None
        self._looked_at = self._closed = 0

    def next_batch(self, opened: Collection[PlannedTask]) -> list[Task]:
        if self._layer is None:
            roots = self._stored_roots()
            if len(roots) < len(self._roots):
                return self._missing_roots(opened)
            self._layer = sorted(root.id for root in roots)
        while self._plies_left:
            batch = self._missing_children(self._layer, opened)
            if batch or any(planned.task.new for planned in opened):
                return batch
            # Only now: each of these searches leaves out all children.
            searching = {planned.task.key for planned in opened}
            batch = self._pending_tasks(searching, _TASKS_AT_ONCE) or self._closing(
                self._layer, searching
            )
            if batch or opened:
                return batch
            self._layer = self._next_layer(self._layer)
            self._looked_at = self._closed = 0
            self._plies_left -= 1
        return []

    def _missing_children(
        self, layer: Sequence[int], opened: Collection[PlannedTask]
    ) -> list[Task]:
        """Searches of further children of the layer, which are neither stored nor `opened`."""
        planned = {planned.task.key for planned in opened}
        missing: dict[Key, Task] = {}
        while self._looked_at < len(layer) and len(missing) < _TASKS_AT_ONCE:
            ids = layer[self._looked_at : self._looked_at + _PARENTS_AT_ONCE]
            self._looked_at += len(ids)
            children = {
                child.canonical.key: child.canonical
                for stones in self._rows.connection.execute(_stones, {"ids": ids}).scalars()
                for child in self._game.children(self._game.unpack(stones))
            }
            known = planned | self._rows.find(children).keys()
            missing |= {key: new_task(children[key]) for key in children.keys() - known}
        return [missing[key] for key in sorted(missing)]

    def _closing(self, layer: Sequence[int], searching: Collection[Key]) -> list[Task]:
        """Searches of the layer's pending rest slots, by which its wins become exact.

        Proven positions elsewhere keep theirs, which may have all moves but one before them.
        """
        tasks: list[Task] = []
        while self._closed < len(layer) and len(tasks) < _TASKS_AT_ONCE:
            ids = layer[self._closed : self._closed + _TASKS_AT_ONCE]
            self._closed += len(ids)
            tasks += [
                self._rest_task(row)
                for row in self._rows.connection.execute(_pending, {"ids": ids})
                if self._game.key(row.stones) not in searching
            ]
        return tasks

    def _next_layer(self, layer: Sequence[int]) -> list[int]:
        following: set[int] = set()
        for ids in in_batches(layer):
            following.update(self._rows.connection.execute(_children, {"ids": ids}).scalars())
        return sorted(following)
