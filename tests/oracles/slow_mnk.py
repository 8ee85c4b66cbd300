"""m,n,k-games by trying every move: k or more in a row win, on a board drawn as a string.

A board is the rows of the game one after the other, `x` (moves first), `o` and `.` for a free
cell. A value is for the side to move: 1 for a win, -1 for a loss, 0 for a draw, and the plies to
the end of the game (0 for a draw); the winner hurries, the loser delays.
"""

Value = tuple[int, int]


class SlowMnk:
    """One game, with a memory of the positions it has tried."""

    def __init__(self, columns: int, rows: int, length: int) -> None:
        self.empty_board = "." * (columns * rows)
        self._lines = []
        for row in range(rows):
            for column in range(columns):
                for down, across in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    places = [(row + k * down, column + k * across) for k in range(length)]
                    if all(0 <= r < rows and 0 <= c < columns for r, c in places):
                        self._lines.append([r * columns + c for r, c in places])
        self._known: dict[str, Value] = {}

    def has_won(self, board: str, stone: str) -> bool:
        """Whether some line is all of `stone`."""
        return any(all(board[cell] == stone for cell in line) for line in self._lines)

    def children(self, board: str) -> dict[int, str]:
        """The boards after each move of the side to move, by the cell it plays on."""
        stone = side_to_move(board)
        return {
            cell: board[:cell] + stone + board[cell + 1 :]
            for cell in range(len(board))
            if board[cell] == "."
        }

    def known_boards(self) -> list[str]:
        """The unfinished positions whose values have been found so far."""
        return list(self._known)

    def value(self, board: str) -> Value:
        """The value of an unfinished position."""
        if board not in self._known:
            self._known[board] = self._value(board)
        return self._known[board]

    def value_after(self, board: str) -> Value:
        """The value, for the side that made it, of the move that led to `board`."""
        if self.has_won(board, side_that_moved(board)):
            return 1, 1
        if "." not in board:
            return 0, 0
        value, plies = self.value(board)
        return -value, plies + (value != 0)

    def _value(self, board: str) -> Value:
        boards = self.children(board).values()
        if any(self.has_won(child, side_to_move(board)) for child in boards):
            return 1, 1
        values = [self.value_after(child) for child in boards]
        wins = [plies for value, plies in values if value > 0]
        if wins:
            return 1, min(wins)
        if (0, 0) in values:
            return 0, 0
        return -1, max(plies for _, plies in values)


def side_to_move(board: str) -> str:
    """`x` moves first, then in turn."""
    return "xo"[(len(board) - board.count(".")) % 2]


def side_that_moved(board: str) -> str:
    """The side that is not to move."""
    return "ox"[(len(board) - board.count(".")) % 2]
