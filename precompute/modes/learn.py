"""Growing a book by its misses: what it was asked for and did not hold."""

from collections.abc import Collection
from dataclasses import dataclass

from book.misses import Misses
from book.rows.batches import AT_ONCE
from book.writer import PlannedTask, Task
from engine.game import Canonical
from precompute.modes.frontier import Bounds, GrowingFrontier, SearchMode, Site, new_task


@dataclass(frozen=True, slots=True)
class Learn(SearchMode):
    """The misses of the book, until it holds `positions` positions."""

    positions: int | None = None

    def frontier(self, site: Site) -> "LearnFrontier":
        return LearnFrontier(site, self.positions)

    @property
    def bounds(self) -> Bounds:
        return Bounds(positions=self.positions)

    @property
    def decides(self) -> dict[str, object]:
        return {"mode": "learn"}


class LearnFrontier(GrowingFrontier):
    """Adds the misses of the book, those asked for most often first, until all are stored."""

    def __init__(self, site: Site, most: int | None = None) -> None:
        super().__init__(site, most)
        self._misses = Misses(site.address)

    def next_batch(self, opened: Collection[PlannedTask]) -> list[Task]:
        new = {planned.task.key for planned in opened if planned.task.new}
        searching = {planned.task.key for planned in opened if not planned.task.new}
        batch = self._pending_tasks(searching, self._batch_size)
        searching |= {task.key for task in batch}
        room = self._room(len(new))
        for position in self._missing(len(new)):
            if room <= 0 or len(batch) >= self._batch_size:
                break
            if position.key not in new:
                batch += self._growth(new_task(position), searching)
                room -= 1
        return batch

    def _missing(self, planned: int) -> list[Canonical]:
        """The misses still to be stored, in order; those stored by now leave the file."""
        while True:
            missed = self._misses.most_missed(self._game, AT_ONCE + planned)
            stored = self._rows.find([position.key for position, _ in missed])
            if not stored:
                return [position for position, _ in missed]
            self._misses.forget(self._game, [row.stones for row in stored.values()])
