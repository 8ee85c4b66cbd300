"""Wins by threats at the root of a search, where moves may be forbidden."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from engine.games.gomoku.strategy.forced import Forced
from engine.games.gomoku.threat_solver import ThreatSolver
from engine.kernels import LONG_AGO
from engine.position import Position

if TYPE_CHECKING:
    from engine.games.gomoku import Gomoku

_NO_LIMIT = 1 << 40
# What is left is for the search: of the limits fours have this part, and threats as much again.
_PART = 2


class ForcedThreats:
    """Settles positions of one Gomoku game, as `ForcedSearch` does, by the threats of the side to
    move alone. For one thread at a time.
    """

    def __init__(self, game: Gomoku) -> None:
        self._solver = ThreatSolver(game)
        self._deadline = 0
        self.spent = 0

    def settle(
        self, position: Position, *, nodes: int | None = None, deadline: int = 0
    ) -> Forced | None:
        """The win of the side to move by fours, or else by fours and threes; None if none is found.

        Spends at most `nodes`, and ends at the `deadline`, on the clock of `time.monotonic_ns`, 0
        for none. `position` must not be finished.
        """
        self.spent, self._deadline = 0, deadline
        most = nodes or _NO_LIMIT
        for look in (self._solver.vcf, self._solver.vct):
            left = (most - self.spent) // _PART
            if left == 0 or (self._deadline and time.monotonic_ns() >= self._deadline):
                break
            found = look(position, nodes=left, deadline=self._part_of_time())
            self.spent += found.nodes
            if found.won and found.distance is not None:
                return Forced(True, found.distance, found.line)
        return None

    def end(self) -> None:
        """Have what another thread looks for here end soon, as at its deadline."""
        self._deadline = LONG_AGO
        self._solver.end()

    def _part_of_time(self) -> int:
        """The deadline for a part of the time that is left; 0 where there is none."""
        if not self._deadline:
            return 0
        now = time.monotonic_ns()
        return now + max(self._deadline - now, 0) // _PART
