"""Deviating: every position is added that small mistakes lead to."""

from dataclasses import dataclass

from precompute.modes.explore import ExploreFrontier
from precompute.modes.frontier import Bounds, SearchMode, Site
from precompute.slots import LossLimits


@dataclass(frozen=True, slots=True)
class Deviate(SearchMode):
    """All that moves lead to which give away at most `max_loss` each and `total_loss` together.

    Both are in winning probability. The book holds at most so many `positions`.
    """

    max_loss: float
    total_loss: float
    positions: int | None = None

    @property
    def losses(self) -> LossLimits:
        """What the moves of a way may give away."""
        return LossLimits(self.max_loss, self.total_loss)

    def frontier(self, site: Site) -> ExploreFrontier:
        return ExploreFrontier(site, most=self.positions, losses=self.losses)

    @property
    def bounds(self) -> Bounds:
        return Bounds(positions=self.positions)

    @property
    def decides(self) -> dict[str, object]:
        return self.losses.as_dict()
