"""Refining: what is in the book is searched again with larger limits."""

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, select

from book.rows.lookup import GameRows
from book.storage.schema import runs
from book.writer import PlannedTask, Task
from engine.game import Key
from engine.position import Side
from precompute.modes.frontier import BookFrontier, Bounds, SearchMode, Site
from precompute.slots import CheapestSlots, SlotsByTurns, Undone, WayLimits

_runs = select(runs.c.id, runs.c.parameters).where(runs.c.game == bindparam("game"))


@dataclass(frozen=True, slots=True)
class Refine(SearchMode):
    """Rest slots that were searched with smaller limits, the cheapest first.

    Until `searches` positions were searched with such limits or larger ones.
    `max_loss` is what a move may give away, in winning probability; in a book for the side `own`
    its own moves may give away `margin`.
    """

    searches: int | None = None
    max_loss: float | None = None
    own: Side | None = None
    margin: float = 0.0

    @property
    def ways(self) -> WayLimits:
        """Which ways are taken to a slot."""
        return WayLimits(self.max_loss, own=self.own, margin=self.margin)

    def frontier(self, site: Site) -> "RefineFrontier":
        return RefineFrontier(site, most=self.searches, ways=self.ways)

    @property
    def bounds(self) -> Bounds:
        return Bounds(searches=self.searches)

    @property
    def decides(self) -> dict[str, object]:
        return {"mode": "refine"} | self.ways.as_dict()


class RefineFrontier(BookFrontier):
    """Searches the rest slots again that were last searched with smaller limits; adds nothing.

    The cheapest slots come first, since on them most depends. A slot is done if its last search
    was given at least as much as the site's limits in every respect. `most` bounds the positions
    of the book whose slots are done.
    """

    def __init__(
        self, site: Site, *, most: int | None = None, ways: WayLimits = WayLimits()
    ) -> None:
        super().__init__(site)
        self._limits = site.limits.as_dict()
        self._most = most
        self._ways = ways
        self._outlook = Undone(site.rows, ways)

    def next_batch(self, opened: Collection[PlannedTask]) -> list[Task]:
        batch = self._missing_roots(opened) or self._chosen(opened)
        self._outlook.plan(batch)
        return batch

    def _chosen(self, opened: Collection[PlannedTask]) -> list[Task]:
        searching = {planned.task.key for planned in opened}
        batch = self._pending_tasks(searching, self._batch_size)
        searching |= {task.key for task in batch}
        slots = self.cheapest_slots(opened)
        room = self._room(searching)
        for row in slots:
            if room <= 0 or len(batch) >= slots.enough(self._batch_size):
                break
            if self._game.key(row.stones) not in searching:
                batch.append(self._rest_task(row))
                room -= 1
        return batch

    def cheapest_slots(self, opened: Collection[PlannedTask] = ()) -> SlotsByTurns:
        """The positions whose rest slots are to be searched again, in order."""
        self._outlook.refresh(opened, runs_that_did_as_much(self._rows, self._limits))
        below = [
            CheapestSlots(self._rows, root, self._ways, self._outlook)
            for root in self._stored_roots()
        ]
        return SlotsByTurns(below, turn=self._outlook.done_count + len(opened))

    def _room(self, searching: Collection[Key]) -> float:
        """How many slots may be searched besides those of `searching`."""
        if self._most is None:
            return math.inf
        planned = self._rows.find(searching).values()
        return self._most - self._outlook.done_count - sum(map(self._outlook.wants, planned))


def runs_that_did_as_much(rows: GameRows, limits: Mapping[str, Any]) -> set[int]:
    """The numbers of the runs whose searches were given at least as much as `limits` give."""
    parameters = {row.id: json.loads(row.parameters) for row in rows.select(_runs)}
    return {
        id
        for id, given in parameters.items()
        if not _made_one_proof(given) and _cover(given.get("limits", {}), limits)
    }


def _made_one_proof(parameters: Mapping[str, Any]) -> bool:
    """Whether a run's limits are those of a whole proof, in which no position was searched alone.

    A proof by the book, which is for a side, searches positions like any other mode.
    """
    return parameters.get("mode") == "prove" and "side" not in parameters


def _cover(had: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether a search with the limits `had` was given at least as much as `wanted` ones give.

    Without a limit a search is given everything, but one of which none is known is told nothing.
    """

    def is_enough(name: str) -> bool:
        limit, least = had.get(name), wanted[name]
        return limit is None or (least is not None and limit >= least)

    return any(had.values()) and all(map(is_enough, ("depth", "nodes", "movetime")))
