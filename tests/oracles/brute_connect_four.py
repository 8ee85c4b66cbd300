"""Connect Four solved by trying everything, on columns of bits; knows no engine.

Each column has one bit more than the board has rows, which stays free: no line of bits runs on from
the top of a column into the next one.
"""


class BruteConnectFour:
    """One board. The side to move is called own, whatever its colour."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._wins: dict[tuple[int, int], bool] = {}
        self._holds: dict[tuple[int, int], bool] = {}

    def result(self, columns: list[int]) -> str:
        """What best play leads to for the side to move, after stones in these columns."""
        own = other = 0
        for column in columns:
            own, other = other, own | self._stone(own | other, column)
        if self.wins(own, other):
            return "win"
        return "draw" if self.holds(own, other) else "loss"

    def wins(self, own: int, other: int) -> bool:
        """Whether the side to move can force a four."""
        key = own, other
        if key not in self._wins:
            self._wins[key] = any(
                self.has_four(own | stone) or not self.holds(other, own | stone)
                for stone in self._stones(own | other)
            )
        return self._wins[key]

    def holds(self, own: int, other: int) -> bool:
        """Whether the side to move can keep the other side from a four."""
        key = own, other
        if key not in self._holds:
            stones = self._stones(own | other)
            self._holds[key] = not stones or any(
                self.has_four(own | stone) or not self.wins(other, own | stone) for stone in stones
            )
        return self._holds[key]

    def has_four(self, stones: int) -> bool:
        """Whether four of the stones lie in a row."""
        for step in (1, self.height, self.height + 1, self.height + 2):
            pairs = stones & stones >> step
            if pairs & pairs >> 2 * step:
                return True
        return False

    def _stone(self, taken: int, column: int) -> int:
        bottom = 1 << column * (self.height + 1)
        top = bottom << self.height
        # Stones lie without a gap: one more carries to the lowest free bit.
        stone = (taken & (top - bottom)) + bottom
        assert stone & (top - bottom), "the column is full"
        return stone

    def _stones(self, taken: int) -> list[int]:
        """A stone in each column that is not full, those in the middle first."""
        order = sorted(range(self.width), key=lambda column: abs(2 * column - self.width + 1))
        full = 1 << self.height - 1
        return [
            self._stone(taken, column)
            for column in order
            if not taken >> column * (self.height + 1) & full
        ]
