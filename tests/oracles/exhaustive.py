"""Who wins, by trying everything on the rules of `proof_checker`; for boards nearly full."""

from tests.oracles.proof_checker import Bits, ProofChecker, each
from tests.oracles.threat_checker import Stones


class Exhaustive:
    """Full minimax with a memory. The side to move is called own, whatever its colour."""

    def __init__(self, size: int, *, exactly_five: bool) -> None:
        self._rules = ProofChecker(size, exactly_five=exactly_five)
        self._known: dict[tuple[Bits, Bits], int] = {}

    def plies(self, own: Stones, other: Stones) -> int:
        """Plies to the own five, or with a minus to the other side's; 0 for a draw."""
        return self._plies(self._rules.bits(own), self._rules.bits(other))

    def _plies(self, own: Bits, other: Bits) -> int:
        if (own, other) not in self._known:
            self._known[own, other] = self._try_all(own, other)
        return self._known[own, other]

    def forget(self) -> None:
        """Make room in the memory."""
        self._known.clear()

    def _try_all(self, own: Bits, other: Bits) -> int:
        free = self._rules.free(own, other)
        if self._rules.fives(own, free):
            return 1
        results = [self._plies(other, own | move) for move in each(free)]
        wins = [1 - result for result in results if result < 0]
        if wins:
            return min(wins)
        if all(result > 0 for result in results) and results:
            return -1 - max(results)
        return 0
