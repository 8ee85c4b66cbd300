"""The rules of Gomoku; a side's stones, and any set of cells, are the bits of a whole number."""

from collections.abc import Iterable, Iterator
from functools import partial

Image = tuple[tuple[int, ...], tuple[int, ...]]
WINNER, OPPONENT = 0, 1


def each(cells: int) -> Iterator[int]:
    """The cells of a set, one by one, each as a set of its own."""
    while cells:
        yield cells & -cells
        cells &= cells - 1


class SlowRules:
    """The rules of one board.

    `rows` are all rows of five cells, and `beyond` the one or two cells that lengthen each of
    them: a five there is none, where longer rows do not win, if its side has a stone on one.
    """

    def __init__(self, size: int, *, exact: bool) -> None:
        self._size = size
        self.all = (1 << size * size) - 1
        self.rows: list[int] = []
        self.beyond: list[int] = []
        for row in range(size):
            for column in range(size):
                for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    line = [(row + k * up, column + k * right) for k in range(-1, 6)]
                    cells = [self._cell(*place) for place in line]
                    if all(cells[1:6]):
                        self.rows.append(sum(cells[1:6]))
                        self.beyond.append(cells[0] + cells[6] if exact else 0)
        self.through = {cell: self._rows_with(cell) for cell in each(self.all)}

    def _cell(self, row: int, column: int) -> int:
        """A cell as a set, empty if it is off the board."""
        on_board = 0 <= row < self._size and 0 <= column < self._size
        return 1 << row * self._size + column if on_board else 0

    def _rows_with(self, cell: int) -> list[int]:
        return [number for number, row in enumerate(self.rows) if row & cell]

    def stones(self, cells: Iterable[int]) -> int:
        """The set of these cells."""
        return sum(1 << cell for cell in cells)

    def cells(self, stones: int) -> list[int]:
        """The cells of a set, ascending."""
        return [bit.bit_length() - 1 for bit in each(stones)]

    def has_five(self, stones: int) -> bool:
        """Whether these stones win."""
        return any(
            stones & row == row and not stones & beyond
            for row, beyond in zip(self.rows, self.beyond, strict=True)
        )

    def images(self, winner: Iterable[int], opponent: Iterable[int]) -> Iterator[Image]:
        """The position in its eight orientations; `turned` takes cells to them in this order."""
        for symmetry in range(8):
            turn = partial(self.turned, symmetry)
            yield tuple(sorted(map(turn, winner))), tuple(sorted(map(turn, opponent)))

    def turned(self, symmetry: int, cell: int) -> int:
        """Where the symmetry of the square takes a cell."""
        row, column = divmod(cell, self._size)
        if symmetry & 1:
            row, column = column, row
        if symmetry & 2:
            column = self._size - 1 - column
        if symmetry & 4:
            row = self._size - 1 - row
        return row * self._size + column


class SlowBoard:
    """The stones of both sides, and of each side the rows in which it has three or more."""

    def __init__(self, rules: SlowRules, winner: int, opponent: int) -> None:
        self._rules = rules
        self.stones = [0, 0]
        self._counts = [[0] * len(rules.rows), [0] * len(rules.rows)]
        self._full: list[set[int]] = [set(), set()]
        for side, stones in ((WINNER, winner), (OPPONENT, opponent)):
            for cell in each(stones):
                self.put(side, cell)

    @property
    def free(self) -> int:
        """The free cells."""
        return self._rules.all & ~(self.stones[WINNER] | self.stones[OPPONENT])

    def put(self, side: int, cell: int) -> None:
        """Put a stone on a free cell."""
        self.stones[side] |= cell
        counts = self._counts[side]
        for row in self._rules.through[cell]:
            counts[row] += 1
            if counts[row] == 3:
                self._full[side].add(row)

    def lift(self, side: int, cell: int) -> None:
        """Take a stone away again."""
        self.stones[side] ^= cell
        counts = self._counts[side]
        for row in self._rules.through[cell]:
            counts[row] -= 1
            if counts[row] == 2:
                self._full[side].discard(row)

    def fives(self, side: int) -> int:
        """The free cells on which a side makes a five."""
        found = 0
        for empty in self._empty(side):
            if not empty & empty - 1:
                found |= empty
        return found

    def fours(self, side: int) -> dict[int, int]:
        """The moves of a side that make a four, with the cells that complete it.

        Those of fours that are there already are left out.
        """
        found: dict[int, int] = {}
        for empty in self._empty(side):
            second = empty & empty - 1
            if second:
                first = empty ^ second
                found[first] = found.get(first, 0) | second
                found[second] = found.get(second, 0) | first
        return found

    def _empty(self, side: int) -> Iterator[int]:
        """The one or two free cells of every row that a side may fill with a move or two."""
        own, other = self.stones[side], self.stones[1 - side]
        for number in self._full[side]:
            row = self._rules.rows[number]
            if not row & other and not self._rules.beyond[number] & own:
                yield row & ~own
