"""A check of a claimed win against every legal reply, quick enough for long wins.

It knows the rules and nothing of the engine. Stones are bits of whole numbers; a row has one cell
more than the board, which is never taken, so that no line of five runs over an edge. What it does
not put to the solver it settles by two rules: who can make a five at once wins, and so does who
has a move that leaves two ways to a five, after any reply that takes none of these cells and makes
no four (`_powerless`).
"""

from collections.abc import Iterator
from itertools import combinations

from tests.oracles.threat_checker import Ask, Cell, Claim, Stones

Bits = int


class ProofChecker:
    """One board size and rule. The winner's stones come first, whatever their colour."""

    def __init__(self, size: int, *, exactly_five: bool) -> None:
        self._width = size + 1
        self._board = self.bits(
            frozenset((row, column) for row in range(size) for column in range(size))
        )
        self._steps = (1, self._width - 1, self._width, self._width + 1)
        self._exactly_five = exactly_five
        self.asked = 0

    def hole(self, winner: Stones, loser: Stones, ask: Ask) -> list[Cell] | None:
        """The moves after which the win that `ask` claims is none; None if it always is.

        The winner is to move. The solver is asked for each of his moves, and answered with every
        legal reply. Each answer must keep what the one before promised.
        """
        claim = ask(winner, loser)
        if claim is None:
            return []
        return _Check(self, ask).hole(self.bits(winner), self.bits(loser), claim)

    def hole_after_replies(
        self, winner: Stones, loser: Stones, distance: int, ask: Ask
    ) -> list[Cell] | None:
        """`hole` with the loser to move, where the winner is said to win within `distance`."""
        return _Check(self, ask).hole_after_replies(self.bits(winner), self.bits(loser), distance)

    def cells(self, bits: Bits) -> Stones:
        return frozenset(divmod(bit.bit_length() - 1, self._width) for bit in each(bits))

    def bit(self, cell: Cell) -> Bits:
        return 1 << cell[0] * self._width + cell[1]

    def bits(self, cells: Stones) -> Bits:
        return sum(map(self.bit, cells))

    def free(self, winner: Bits, loser: Bits) -> Bits:
        return self._board & ~(winner | loser)

    def fives(self, stones: Bits, free: Bits) -> Bits:
        """The free cells on which a further stone wins."""
        found = 0
        for step in self._steps:
            # Number n of these has the cells whose neighbour n steps before is a stone.
            shifted = {places: _shift(stones, places * step) for places in range(-5, 6)}
            for first in range(-4, 1):
                completing = free
                for place in range(first, first + 5):
                    if place:
                        completing &= shifted[-place]
                if self._exactly_five:
                    completing &= ~(shifted[1 - first] | shifted[-5 - first])
                found |= completing
        return found

    def fours(self, stones: Bits, free: Bits) -> Bits:
        """The free cells beside three stones and another free cell in a line of five.

        Any move that makes a four is among them.
        """
        found = 0
        for step in self._steps:
            taken = [_shift(stones, -place * step) for place in range(5)]
            empty = [_shift(free, -place * step) for place in range(5)]
            for pair in combinations(range(5), 2):
                starts = empty[pair[0]] & empty[pair[1]]
                for place in range(5):
                    if place not in pair:
                        starts &= taken[place]
                for place in pair:
                    found |= _shift(starts, place * step)
        return found


class _Check:
    """One check; it remembers the positions in which the winner is to move and has been right."""

    def __init__(self, rules: ProofChecker, ask: Ask) -> None:
        self._rules = rules
        self._ask = ask
        self._right: dict[tuple[Bits, Bits], int] = {}

    def hole(self, winner: Bits, loser: Bits, claim: Claim) -> list[Cell] | None:
        move, free = self._rules.bit(claim.move), self._rules.free(winner, loser)
        if not move & free:
            return [claim.move]
        if move & self._rules.fives(winner, free):
            return None if claim.distance >= 1 else [claim.move]
        hole = self.hole_after_replies(winner | move, loser, claim.distance - 1)
        return None if hole is None else [claim.move, *hole]

    def hole_after_replies(self, winner: Bits, loser: Bits, distance: int) -> list[Cell] | None:
        rules, free = self._rules, self._rules.free(winner, loser)
        if distance < 2 or not free or rules.fives(loser, free):
            return []
        completing = rules.fives(winner, free)
        if completing.bit_count() > 1:
            return None
        replies = completing or free & ~self._powerless(winner, loser, distance)
        for reply in each(replies):
            hole = self._hole_after(winner, loser | reply, distance - 1)
            if hole is not None:
                return [*rules.cells(reply), *hole]
        return None

    def _hole_after(self, winner: Bits, loser: Bits, distance: int) -> list[Cell] | None:
        known = self._right.get((winner, loser))
        if known is not None and known <= distance:
            return None
        rules = self._rules
        if not rules.free(winner, loser):
            return []
        rules.asked += 1
        claim = self._ask(rules.cells(winner), rules.cells(loser), distance)
        if claim is None or claim.distance > distance:
            return []
        hole = self.hole(winner, loser, claim)
        if hole is None:
            self._right[winner, loser] = claim.distance
        return hole

    def _powerless(self, winner: Bits, loser: Bits, distance: int) -> Bits:
        """Replies after which the winner, at his next move, leaves two ways to a five.

        The loser has no five at hand, and none of these replies makes a four of his, so that he
        has none after it either; nor does it take the cell of that move, or one that completes
        the five.
        """
        if distance < 4:
            return 0
        free, powerless = self._rules.free(winner, loser), 0
        for move in each(self._rules.fours(winner, free)):
            completing = self._rules.fives(winner | move, free & ~move)
            if completing.bit_count() > 1:
                powerless |= free & ~(move | completing)
        return powerless & ~self._rules.fours(loser, free)


def _shift(bits: Bits, places: int) -> Bits:
    return bits << places if places >= 0 else bits >> -places


def each(bits: Bits) -> Iterator[Bits]:
    """The single bits of `bits`."""
    while bits:
        lowest = bits & -bits
        yield lowest
        bits ^= lowest
