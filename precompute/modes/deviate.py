"""Deviating: every position is added that small mistakes lead to."""

from dataclasses import dataclass

from precompute.modes.explore import CheapestFirst
from precompute.slots import WayLimits


@dataclass(frozen=True, slots=True)
class Deviate(CheapestFirst):
    """All that moves lead to which give away at most `max_loss` each and `total_loss` together.

    Both are in winning probability. `plies` is how far that goes after the root; None: to the end
    of the games.
    """

    max_loss: float
    total_loss: float
    positions: int | None = None
    plies: int | None = None

    @property
    def ways(self) -> WayLimits:
        return WayLimits(self.max_loss, self.total_loss, plies=self.plies)
