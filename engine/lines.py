"""Finding unbroken rows of stones on a bitboard."""

from engine.position import Bitboard


class Rows:
    """Rows of `length` stones, two or more, on a board, in the four directions.

    Where `exact`, a longer row does not count.
    """

    def __init__(self, width: int, height: int, length: int, *, exact: bool = False) -> None:
        self._length = length
        self._exact = exact
        self._directions = [
            _Direction(width, height, length, row_step, column_step)
            for row_step, column_step in ((0, 1), (1, 0), (1, 1), (1, -1))
        ]

    def any(self, board: Bitboard) -> bool:
        """Whether `board` holds such a row."""
        if board.bit_count() < self._length:
            return False
        for direction in self._directions:
            pairs = board & board >> direction.shift
            # Most boards have none of some direction, and no row then.
            if not pairs:
                continue
            row = pairs & direction.starts
            for step in range(2, self._length):
                row &= board >> step * direction.shift
            if row and self._exact:
                row &= ~(board << direction.shift & direction.has_previous)
                row &= ~(board >> self._length * direction.shift & direction.has_next)
            if row:
                return True
        return False


class _Direction:
    """Where a row may start in one direction, and where the cell before or after it exists."""

    def __init__(
        self, width: int, height: int, length: int, row_step: int, column_step: int
    ) -> None:
        def cells(first: int, last: int) -> Bitboard:
            """The cells whose steps `first` to `last` in this direction stay on the board."""
            board = 0
            for cell in range(width * height):
                row, column = divmod(cell, width)
                if all(
                    0 <= row + step * row_step < height and 0 <= column + step * column_step < width
                    for step in (first, last)
                ):
                    board |= 1 << cell
            return board

        self.shift = row_step * width + column_step
        self.starts = cells(0, length - 1)
        self.has_previous = cells(-1, 0)
        self.has_next = cells(0, length)
