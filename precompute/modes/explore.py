"""Exploring: a book grows where sensible games go, the cheapest positions first."""

from abc import abstractmethod
from collections.abc import Collection
from dataclasses import dataclass

from book.writer import PlannedTask, Task
from engine.position import Side
from precompute.modes.frontier import Bounds, GrowingFrontier, SearchMode, Site
from precompute.slots import CheapestSlots, Outlook, SlotsByTurns, WayLimits


class CheapestFirst(SearchMode):
    """The cheapest rest slots first, until the book holds `positions` positions."""

    __slots__ = ()

    positions: int | None

    @property
    @abstractmethod
    def ways(self) -> WayLimits:
        """Which ways are taken to a slot."""

    def frontier(self, site: Site) -> "ExploreFrontier":
        return ExploreFrontier(site, most=self.positions, ways=self.ways)

    @property
    def bounds(self) -> Bounds:
        return Bounds(positions=self.positions)

    @property
    def decides(self) -> dict[str, object]:
        return self.ways.as_dict()


@dataclass(frozen=True, slots=True)
class Explore(CheapestFirst):
    """The positions that a sensible game reaches soonest.

    `max_loss` is what a move may give away, in winning probability; in a book for the side `own`
    its own moves may give away `margin`.
    """

    positions: int | None = None
    max_loss: float | None = None
    own: Side | None = None
    margin: float = 0.0

    @property
    def ways(self) -> WayLimits:
        return WayLimits(self.max_loss, own=self.own, margin=self.margin)


class ExploreFrontier(GrowingFrontier):
    """Grows the book where sensible games go: the cheapest rest slots within `ways` first."""

    def __init__(
        self, site: Site, *, most: int | None = None, ways: WayLimits = WayLimits()
    ) -> None:
        super().__init__(site, most)
        self._ways = ways

    def next_batch(self, opened: Collection[PlannedTask]) -> list[Task]:
        new = {planned.task.key for planned in opened if planned.task.new}
        searching = {planned.task.key for planned in opened if not planned.task.new}
        room = self._room(len(new))
        missing = self._missing_roots(opened)
        if missing and room > 0:
            return missing[: int(min(room, len(missing)))]
        batch = self._pending_tasks(searching, self._batch_size)
        searching |= {task.key for task in batch}
        slots = self.cheapest_slots(len(new))
        for slot in slots:
            if room <= 0 or len(batch) >= slots.enough(self._batch_size):
                break
            expansion = self._expansion(slot)
            if expansion.key in new:
                continue
            batch += self._growth(expansion, searching)
            new.add(expansion.key)
            room -= 1
        return batch

    def cheapest_slots(self, planned: int = 0) -> SlotsByTurns:
        """The positions whose rest slots are to be expanded, in order; `planned` already are."""
        below = [
            CheapestSlots(self._rows, root, self._ways, Outlook()) for root in self._stored_roots()
        ]
        return SlotsByTurns(below, turn=self._rows.count() + planned)
