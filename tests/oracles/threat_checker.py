"""Wins by fours from their definition, and a check of a claimed win against every legal reply.

Slow and plain: stones are sets of (row, column), and rows are counted stone by stone.
"""

from typing import NamedTuple, Protocol

from tests.oracles.slow_rules import SlowRenju

Cell = tuple[int, int]
Stones = frozenset[Cell]


class Claim(NamedTuple):
    """That the side to move wins with `move`, within `distance` plies."""

    move: Cell
    distance: int


class Ask(Protocol):
    """What a solver claims of the side that owns the first stones and is to move; None: no win.

    Where its earlier claims promise a win `within` so many plies, it is told.
    """

    def __call__(
        self, own: Stones, other: Stones, within: int | None = None, /
    ) -> Claim | None: ...


class ThreatChecker:
    """One board size and rule. The side to move is called own, whatever its colour.

    In renju it is dark if both sides have as many stones.
    """

    def __init__(self, size: int, *, exactly_five: bool = False, renju: bool = False) -> None:
        self._size = size
        self._exactly_five = exactly_five
        self._renju = SlowRenju(size) if renju else None
        self._own_is_dark = True
        self._known: dict[tuple[Stones, Stones], int | None] = {}
        self._known_fouls: dict[tuple[Stones, Stones, Cell], bool] = {}

    def turn_to(self, own: Stones, other: Stones) -> None:
        """Remember which colour is to move, and own from now on."""
        self._own_is_dark = len(own) == len(other)

    def free(self, own: Stones, other: Stones) -> list[Cell]:
        cells = [(row, column) for row in range(self._size) for column in range(self._size)]
        return [cell for cell in cells if cell not in own and cell not in other]

    def may_play(self, own: Stones, other: Stones, cell: Cell, *, opponent: bool = False) -> bool:
        """Whether the rule allows the first side, which is the `opponent` or not, `cell`."""
        if self._renju is None or self._own_is_dark == opponent:
            return True
        key = own, other, cell
        if key not in self._known_fouls:
            board = self._renju.empty_board()
            for stones, letter in ((own, "x"), (other, "o")):
                for row, column in stones:
                    board[self._size - 1 - row][column] = letter
            row, column = cell
            name = self._renju.cell_name(self._size - 1 - row, column)
            self._known_fouls[key] = self._renju.foul(board, name) is not None
        return not self._known_fouls[key]

    def makes_five(self, stones: Stones, cell: Cell, *, opponent: bool = False) -> bool:
        """Whether a further stone on the free `cell` wins for their side."""
        exactly_five = self._exactly_five
        if self._renju is not None:
            exactly_five = self._own_is_dark != opponent
        for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            length = 1
            for sign in (1, -1):
                row, column = cell[0] + sign * up, cell[1] + sign * right
                while (row, column) in stones:
                    length += 1
                    row, column = row + sign * up, column + sign * right
            if length == 5 or (length > 5 and not exactly_five):
                return True
        return False

    def fives(self, own: Stones, other: Stones, *, opponent: bool = False) -> list[Cell]:
        """The free cells on which a stone of the first side wins."""
        free = self.free(own, other)
        return [cell for cell in free if self.makes_five(own, cell, opponent=opponent)]

    def win_by_fours(self, own: Stones, other: Stones) -> int | None:
        """Plies of the shortest win in which every move makes a four; None if there is none."""
        self.turn_to(own, other)
        key = own, other
        if key not in self._known:
            self._known[key] = self._win_by_fours(own, other)
        return self._known[key]

    def _win_by_fours(self, own: Stones, other: Stones) -> int | None:
        if self.fives(own, other):
            return 1
        wins = []
        for move in self.free(own, other):
            after = own | {move}
            completing = self.fives(after, other)
            if not completing or not self.may_play(own, other, move):
                continue
            if self.fives(other, after, opponent=True):
                continue
            if len(completing) > 1 or not self.may_play(other, after, completing[0], opponent=True):
                return 3
            win = self.win_by_fours(after, other | set(completing))
            if win is not None:
                wins.append(win + 2)
        return min(wins, default=None)

    def win_by_threats(self, own: Stones, other: Stones, most: int) -> int | None:
        """Plies of the shortest win by at most `most` threats before a win at hand, or None.

        At hand is a five, or a move that leaves two ways to one. A threat is a move that makes
        a four, or that would put such a win at hand if it were not answered.
        """
        if self.fives(own, other):
            return 1
        if self._can_leave_two_ways(own, other):
            return 3
        wins = []
        for move in self.free(own, other) if most else []:
            after = own | {move}
            if self.fives(other, after, opponent=True):
                continue
            if self.fives(after, other) or self._can_leave_two_ways(after, other):
                longest = self._longest(after, other, most - 1)
                wins += [] if longest is None else [longest + 2]
        return min(wins, default=None)

    def _longest(self, own: Stones, other: Stones, most: int) -> int | None:
        """Plies of the win by threats after the best legal reply; None if one breaks it."""
        longest = 0
        for reply in self.free(own, other):
            win = self.win_by_threats(own, other | {reply}, most)
            if win is None:
                return None
            longest = max(longest, win)
        return longest or None

    def _can_leave_two_ways(self, own: Stones, other: Stones) -> bool:
        for move in self.free(own, other):
            after = own | {move}
            if len(self.fives(after, other)) > 1 and not self.fives(other, after, opponent=True):
                return True
        return False

    def hole(self, own: Stones, other: Stones, ask: Ask) -> list[Cell] | None:
        """The moves after which the win that `ask` claims is none; None if it always is.

        The solver is asked for every move of the winner, but for a five, and answered with
        every legal reply. Each answer must keep what the one before promised.
        """
        self.turn_to(own, other)
        claim = ask(own, other)
        return [] if claim is None else self._hole(own, other, claim, ask, set())

    def _hole(
        self, own: Stones, other: Stones, claim: Claim, ask: Ask, sound: set[tuple[Stones, Stones]]
    ) -> list[Cell] | None:
        move = claim.move
        if move not in self.free(own, other):
            return [move]
        if self.makes_five(own, move):
            return None
        after = own | {move}
        completing = self.fives(after, other)
        if not self.may_play(own, other, move) or not self.free(after, other):
            return [move]
        # Whoever has cells left and may play on none of them has lost.
        for reply in self.free(after, other):
            answered = other | {reply}
            if self.makes_five(other, reply, opponent=True):
                return [move, reply]
            if set(completing) - {reply} or (after, answered) in sound:
                continue
            if not self.may_play(other, after, reply, opponent=True):
                continue
            following = ask(after, answered)
            if following is None or following.distance > claim.distance - 2:
                return [move, reply]
            hole = self._hole(after, answered, following, ask, sound)
            if hole is not None:
                return [move, reply, *hole]
            sound.add((after, answered))
        return None
