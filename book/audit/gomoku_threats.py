"""Wins in Gomoku by fours, and by fours and threes, written from the rules.

A four leaves its side one move from five; of the replies only the one that stops it counts. A
three here is any move after which, were there no reply, its side would win by fours; every reply
to it is tried, and each must be followed by a win. A win found is therefore a proof; that none
was found is one only within three plies, where nothing but fours can win.
"""

from collections.abc import Iterator

from book.audit.end_search import EndSearch, Exhaustive, OutOfNodes
from book.audit.gomoku import GomokuRules
from book.audit.rules import AuditBoard, each

_ONLY_FOURS = 3
# With so few cells left the game is played to its end where threats do not win.
_FEW_CELLS = 8


class Threats(EndSearch):
    """The search for one game."""

    usual_nodes = 100_000

    def __init__(self, rules: GomokuRules, nodes: int | None) -> None:
        super().__init__(nodes)
        self._rules = rules
        self._left = self._nodes
        # Within how many plies a position is won, and within how many it is not, by such threats.
        self._wins: dict[tuple[int, int, bool, bool], int] = {}
        self._failures: dict[tuple[int, int, bool, bool], int] = {}
        # The stone that wins there, and the one that last did with that many plies left.
        self._moves: dict[tuple[int, int, bool, bool], int] = {}
        self._good: dict[int, int] = {}

    def won(self, board: AuditBoard, plies: int) -> bool | None:
        own, other = board.sides
        # A win takes an odd number of plies.
        plies -= 1 - plies % 2
        if plies < 1:
            return False
        self._begin()
        try:
            if self._wins_by_any(own, other, board.dark_to_move, plies):
                return True
        except OutOfNodes:
            return None
        if plies <= _ONLY_FOURS:
            return False
        value = self._to_the_end(board, plies, _FEW_CELLS)
        return None if value is None else value == 1

    def holds(self, board: AuditBoard) -> bool | None:
        if self._is_dead(board):
            self.kind = "no five left"
            return True
        value = self._to_the_end(board, self._free(board).bit_count(), 2 * _FEW_CELLS)
        return None if value is None else value >= 0

    def _begin(self) -> None:
        self._left = self._nodes
        for table in (self._wins, self._failures, self._moves):
            table.clear()

    def _free(self, board: AuditBoard) -> int:
        return self._rules.full & ~(board.dark | board.light)

    def _is_dead(self, board: AuditBoard) -> bool:
        """Whether no row of five cells is without stones of either side.

        Then nobody can make five, and in renju dark has no forbidden point.
        """
        empty = self._free(board)
        for stones in board:
            if any(self._rules.gaps(stones, empty, missing) for missing in range(1, 6)):
                return False
        return True

    def _to_the_end(self, board: AuditBoard, plies: int, few: int) -> int | None:
        """What comes of the game within that many plies, if there are few enough cells left."""
        if self._free(board).bit_count() > few:
            return None
        self.kind = "every line to the end"
        try:
            return Exhaustive(self._rules, self._nodes).value(board, plies)
        except OutOfNodes:
            return None

    def _wins_by_any(self, own: int, other: int, dark: bool, plies: int) -> bool:
        """Whether fours win within that many plies, or else fours and threes."""
        self.kind = "fours"
        if self._wins_by(own, other, dark, plies, threes=False):
            return True
        self.kind = "fours and threes"
        return any(
            self._wins_by(own, other, dark, within, threes=True)
            for within in range(5, plies + 1, 2)
        )

    def _wins_by(self, own: int, other: int, dark: bool, plies: int, *, threes: bool) -> bool:
        """Whether the side to move, `own`, wins within `plies`."""
        if self._rules.fives(own, other, dark=dark):
            return True
        if plies < 3:
            return False
        key = own, other, dark, threes
        if self._wins.get(key, plies + 1) <= plies:
            return True
        if self._failures.get(key, 0) >= plies:
            return False
        self._left -= 1
        if self._left < 0:
            raise OutOfNodes
        for stone in self._attacks(own, other, dark, plies, threes=threes):
            if self._rules.may_play(own, other, stone, dark=dark) and self._loses(
                other, own | stone, not dark, plies - 1, threes=threes
            ):
                self._good[plies] = self._moves[key] = stone
                self._wins[key] = plies
                return True
        self._failures[key] = plies
        return False

    def _attacks(
        self, own: int, other: int, dark: bool, plies: int, *, threes: bool
    ) -> Iterator[int]:
        """The stones that make a four, then those that may make a three; the last good one first.

        Where the other side threatens a five, only what stops it.
        """
        empty = self._rules.full & ~(own | other)
        fours = self._rules.gaps(own, empty, 2)
        others = self._rules.threes(own, empty) if threes and plies > 3 else 0
        stops = self._rules.fives(other, own, dark=not dark)
        if stops & (stops - 1):
            return
        if stops:
            fours, others = fours & stops, stops if threes else 0
        good = self._good.get(plies, 0)
        for stones in (good & (fours | others), fours & ~good, others & ~fours & ~good):
            yield from each(stones)

    def _loses(self, own: int, other: int, dark: bool, plies: int, *, threes: bool) -> bool:
        """Whether the side to move, `own`, loses within `plies` to threats, whatever it plays."""
        if self._rules.fives(own, other, dark=dark):
            return False
        stops = self._rules.fives(other, own, dark=not dark)
        if stops & (stops - 1):
            return True
        if stops:
            if not self._rules.may_play(own, other, stops, dark=dark):
                return True
            return self._wins_by(other, own | stops, not dark, plies - 1, threes=threes)
        if not threes or plies < 4:
            return False
        if not self._wins_by(other, own, not dark, plies - 1, threes=False):
            # Nothing is threatened.
            return False
        empty = self._rules.full & ~(own | other)
        touching = self._touching(own, other, dark, empty)
        # Replies that lead to nothing but the same win are many, and so they come last.
        rest = empty & ~touching if self._rules.renju else 0
        return all(
            self._wins_by(other, own | reply, not dark, plies - 1, threes=False)
            or self._wins_by(other, own | reply, not dark, plies - 1, threes=True)
            for reply in (*each(touching), *each(rest))
            if self._rules.may_play(own, other, reply, dark=dark)
        ) and bool(empty)

    def _touching(self, own: int, other: int, dark: bool, empty: int) -> int:
        """The replies that may change the win by fours that the other side threatens.

        Any other reply leaves each of its moves a four, with the same cell to stop it, and gives
        the side `own` no row of four besides: it takes no cell of the win, and none in a row with
        three stones of its own, those that the win makes it play among them. Without forbidden
        points that is all that matters.
        """
        cells, forced = 0, 0
        while True:
            fives = self._rules.fives(other, own | forced, dark=not dark)
            if fives:
                cells |= fives
                break
            stone = self._moves[other, own | forced, not dark, False]
            other |= stone
            stops = self._rules.fives(other, own | forced, dark=not dark)
            cells |= stone | stops
            if stops & (stops - 1) or not self._rules.may_play(
                own | forced, other, stops, dark=dark
            ):
                break
            forced |= stops
        for missing in (1, 2):
            cells |= self._rules.gaps(own | forced, empty & ~forced, missing)
        return cells & empty


def end_search(rules: GomokuRules, nodes: int | None) -> Threats:
    """What searches the ends of lines of Gomoku."""
    return Threats(rules, nodes)
