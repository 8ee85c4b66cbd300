"""Wins in the Pentago games within a few plies."""

import numpy as np

import book.certificates.pentago_swap.arrangements as supernodes
from book.audit import quadrant_kernels
from book.audit.end_search import EndSearch
from book.audit.quadrants import LETTERS, QuadrantRules
from book.audit.rules import AuditBoard

_KIND = "every move and reply"


class Endings(EndSearch):
    """Tries every move and every reply, for any of the games."""

    usual_nodes = 5_000_000

    def __init__(self, rules: QuadrantRules, nodes: int | None) -> None:
        super().__init__(nodes)
        self._rules = rules
        self._scratch = np.zeros(quadrant_kernels.SCRATCH, dtype=np.int64)
        self._scratch[quadrant_kernels.LIMIT] = self._nodes

    def won(self, board: AuditBoard, plies: int) -> bool | None:
        own, other = board.sides
        return self._is_forced(own, other, plies, attacking=True)

    def holds(self, board: AuditBoard) -> bool | None:
        own, other = board.sides
        lost = self._is_forced(other, own, quadrant_kernels.MOST_PLIES - 1, attacking=False)
        return None if lost is None else not lost

    def _is_forced(
        self, attacker: int, defender: int, plies: int, *, attacking: bool
    ) -> bool | None:
        self.kind = _KIND
        self._scratch[quadrant_kernels.NODES] = 0
        plies = min(plies, quadrant_kernels.MOST_PLIES - 1)
        table, stone_wins = self._rules.table, self._rules.stone_wins
        if quadrant_kernels.forced(
            attacker, defender, plies, attacking, table, stone_wins, self._scratch
        ):
            return True
        return None if self._scratch[quadrant_kernels.NODES] > self._nodes else False


class SwapEndings(Endings):
    """For Pentago-swap, where the search for certificates finds the same in much less time.

    It takes a win for one of an odd number of plies: one in an even number, by a swap of the
    loser's, is left to `Endings`.
    """

    def __init__(self, rules: QuadrantRules, nodes: int | None) -> None:
        super().__init__(rules, nodes)
        self._supernodes = np.zeros(supernodes.SCRATCH, dtype=np.int64)

    def won(self, board: AuditBoard, plies: int) -> bool | None:
        found = self._won_in_odd(board, plies)
        return super().won(board, plies) if not found and plies % 2 == 0 else found

    def _won_in_odd(self, board: AuditBoard, plies: int) -> bool | None:
        own, other = board.sides
        # A horizon beyond the last stone would take a full board for one that goes on.
        plies = min(plies, (supernodes.CELLS & ~(own | other)).bit_count())
        plies -= 1 - plies % 2
        if plies < 1:
            return False
        self.kind = _KIND
        # The board is the first arrangement of its own contents.
        if supernodes.won(own, other, 1, plies, self._nodes, self._supernodes):
            return True
        return None if self._supernodes[supernodes.NODES] >= self._nodes else False


def end_search(rules: QuadrantRules, nodes: int | None) -> Endings | SwapEndings:
    """What searches the ends of lines of a game on quadrants."""
    return (Endings if LETTERS[rules.game_id] else SwapEndings)(rules, nodes)
