"""The rules once more, as one would explain them at a board: slow, plain, nothing shared.

A board is a list of rows from the top as it is drawn, each a list of `.` (empty), `x` (dark)
and `o` (light). Moves are texts in the notation that players use.
"""

from collections import Counter

Board = list[list[str]]


class SlowGame:
    """What the two games have in common; `size` is the length of a side."""

    size: int

    def empty_board(self) -> Board:
        return [["."] * self.size for _ in range(self.size)]

    def legal_moves(self, board: Board) -> list[str]:
        raise NotImplementedError

    def play(self, board: Board, move: str) -> Board:
        raise NotImplementedError

    def outcome(self, board: Board) -> str | None:
        raise NotImplementedError

    def cell_name(self, row: int, column: int) -> str:
        return "abcdefghijklmnopqrstuvwxyz"[column] + str(self.size - row)

    def free_cells(self, board: Board) -> list[str]:
        return [
            self.cell_name(row, column)
            for row in range(self.size)
            for column in range(self.size)
            if board[row][column] == "."
        ]

    def with_stone(self, board: Board, cell: str) -> Board:
        """A copy of `board` with a stone of the side to move on the empty `cell`."""
        column = "abcdefghijklmnopqrstuvwxyz".index(cell[0])
        row = self.size - int(cell[1:])
        assert board[row][column] == "."
        after = [list(line) for line in board]
        after[row][column] = side_to_move(board)
        return after

    def rows_of(self, board: Board, stone: str) -> list[int]:
        """The lengths of all unbroken rows of `stone`, in the four directions."""
        lengths = []
        for row_step, column_step in ((0, 1), (1, 0), (1, 1), (1, -1)):
            for row in range(self.size):
                for column in range(self.size):
                    if self._is(board, row - row_step, column - column_step, stone):
                        continue
                    length = 0
                    while self._is(
                        board, row + length * row_step, column + length * column_step, stone
                    ):
                        length += 1
                    lengths.append(length)
        return lengths

    def _is(self, board: Board, row: int, column: int, stone: str) -> bool:
        on_board = 0 <= row < self.size and 0 <= column < self.size
        return on_board and board[row][column] == stone

    def perft(self, board: Board, depth: int) -> int:
        """The number of different games of `depth` more moves."""
        if depth == 0:
            return 1
        return sum(
            self.perft(self.play(board, move), depth - 1) for move in self.legal_moves(board)
        )

    def endings(self, board: Board, depth: int) -> Counter[tuple[int, str]]:
        """How many games end with which outcome after how many of `depth` more moves."""
        outcome = self.outcome(board)
        if outcome is not None:
            return Counter({(0, outcome): 1})
        counts: Counter[tuple[int, str]] = Counter()
        if depth > 0:
            for move in self.legal_moves(board):
                after = self.endings(self.play(board, move), depth - 1)
                for (moves, outcome), count in after.items():
                    counts[moves + 1, outcome] += count
        return counts

    def unfinished_positions(self, plies: int) -> list[int]:
        """For ply 1 to `plies`, the positions in which the game goes on, up to symmetry."""
        counts = []
        boards = {as_text(self.empty_board())}
        for _ in range(plies):
            after = set()
            for text in boards:
                board = as_board(text)
                for move in self.legal_moves(board):
                    child = self.play(board, move)
                    if self.outcome(child) is None:
                        after.add(min(images(child)))
            boards = after
            counts.append(len(boards))
        return counts


class SlowGomoku(SlowGame):
    """Five or more in a row win, or exactly five."""

    def __init__(self, size: int, *, exactly_five: bool = False) -> None:
        self.size = size
        self.exactly_five = exactly_five

    def legal_moves(self, board: Board) -> list[str]:
        return [] if self.outcome(board) else self.free_cells(board)

    def play(self, board: Board, move: str) -> Board:
        return self.with_stone(board, move)

    def outcome(self, board: Board) -> str | None:
        for stone, result in (("x", "dark wins"), ("o", "light wins")):
            for length in self.rows_of(board, stone):
                if length == 5 or (length > 5 and not self.exactly_five):
                    return result
        return None if self.free_cells(board) else "draw"


# The top row and the left column of each quadrant of Pentago-swap, as the board is drawn.
QUADRANTS = {"1": (0, 0), "2": (0, 3), "3": (3, 0), "4": (3, 3)}


class SlowPentagoSwap(SlowGame):
    """A stone, then two of the four quadrants change places; then fives count."""

    size = 6

    def legal_moves(self, board: Board) -> list[str]:
        if self.outcome(board):
            return []
        swaps = ("12", "13", "14", "23", "24", "34")
        return [f"{cell}:{swap}" for cell in self.free_cells(board) for swap in swaps]

    def play(self, board: Board, move: str) -> Board:
        cell, swap = move.split(":")
        before = self.with_stone(board, cell)
        after = [list(line) for line in before]
        for source, target in (swap, swap[::-1]):
            source_row, source_column = QUADRANTS[source]
            target_row, target_column = QUADRANTS[target]
            for row in range(3):
                for column in range(3):
                    stone = before[source_row + row][source_column + column]
                    after[target_row + row][target_column + column] = stone
        return after

    def outcome(self, board: Board) -> str | None:
        dark = any(length >= 5 for length in self.rows_of(board, "x"))
        light = any(length >= 5 for length in self.rows_of(board, "o"))
        if dark and light:
            return "draw"
        if dark:
            return "dark wins"
        if light:
            return "light wins"
        return None if self.free_cells(board) else "draw"


def side_to_move(board: Board) -> str:
    """`x` moves first, then in turn."""
    stones = sum(cell != "." for line in board for cell in line)
    return "xo"[stones % 2]


def as_text(board: Board) -> str:
    """The rows of `board`, one below the other."""
    return "\n".join("".join(line) for line in board)


def as_board(text: str) -> Board:
    """The board that `text` draws; spaces and blank lines do not matter."""
    return [list(line.replace(" ", "")) for line in text.split("\n") if line.strip()]


def images(board: Board) -> list[str]:
    """The board and its mirror image, each turned by 0 to 3 quarters, as texts."""
    texts = []
    for start in (board, [line[::-1] for line in board]):
        image = start
        for _ in range(4):
            texts.append(as_text(image))
            image = [list(column) for column in zip(*image[::-1], strict=True)]
    return texts
