"""Checking what others say of some positions: each is searched again, with larger limits."""

from collections.abc import Collection
from dataclasses import dataclass

from book.rows.encoding import AnyRow
from book.storage.schema import RestState
from book.writer import PlannedTask, Task
from precompute.modes.frontier import GrowingFrontier, SearchMode, Site, new_task
from precompute.modes.refine import runs_that_did_as_much


@dataclass(frozen=True, slots=True)
class Check(SearchMode):
    """The roots themselves, those that were not searched with such limits yet."""

    def frontier(self, site: Site) -> "CheckFrontier":
        return CheckFrontier(site)

    @property
    def decides(self) -> dict[str, object]:
        return {"mode": "check"}


class CheckFrontier(GrowingFrontier):
    """Searches each of the site's roots, in their order: the new ones, and the open slots of those
    that are stored and whose last search was given less.
    """

    def __init__(self, site: Site) -> None:
        super().__init__(site)
        self._limits = site.limits.as_dict()

    def next_batch(self, opened: Collection[PlannedTask]) -> list[Task]:
        planned = {each.task.key for each in opened}
        batch = self._pending_tasks(planned, self._batch_size)
        searching = planned | {task.key for task in batch}
        done = runs_that_did_as_much(self._rows, self._limits)
        stored = self._rows.find(self._roots)
        for key, root in self._roots.items():
            if len(batch) >= self._batch_size:
                break
            if key in searching:
                continue
            if key not in stored:
                batch += self._growth(new_task(root), searching)
            elif _is_open(stored[key]) and stored[key].run not in done:
                batch.append(self._rest_task(stored[key]))
            searching.add(key)
        return batch


def _is_open(row: AnyRow) -> bool:
    """Whether a position has moves that are not stored and could still change its value."""
    return row.rest_state == RestState.OPEN and not row.proven
