"""The rules once more, as one would explain them at a board: slow, plain, nothing shared.

A board is a list of rows from the top as it is drawn, each a list of `.` (empty), `x` (dark)
and `o` (light). Moves are texts in the notation that players use.
"""

from collections import Counter

Board = list[list[str]]


class SlowGame:
    """What the games have in common, on a board of `width` and `height`."""

    width: int
    height: int

    def empty_board(self) -> Board:
        return [["."] * self.width for _ in range(self.height)]

    def legal_moves(self, board: Board) -> list[str]:
        raise NotImplementedError

    def play(self, board: Board, move: str) -> Board:
        raise NotImplementedError

    def outcome(self, board: Board) -> str | None:
        raise NotImplementedError

    def cell_name(self, row: int, column: int) -> str:
        return "abcdefghijklmnopqrstuvwxyz"[column] + str(self.height - row)

    def free_cells(self, board: Board) -> list[str]:
        return [
            self.cell_name(row, column)
            for row in range(self.height)
            for column in range(self.width)
            if board[row][column] == "."
        ]

    def with_stone(self, board: Board, cell: str) -> Board:
        """A copy of `board` with a stone of the side to move on the empty `cell`."""
        column = "abcdefghijklmnopqrstuvwxyz".index(cell[0])
        row = self.height - int(cell[1:])
        assert board[row][column] == "."
        after = [list(line) for line in board]
        after[row][column] = side_to_move(board)
        return after

    def rows_of(self, board: Board, stone: str) -> list[int]:
        """The lengths of all unbroken rows of `stone`, in the four directions."""
        lengths = []
        for row_step, column_step in ((0, 1), (1, 0), (1, 1), (1, -1)):
            for row in range(self.height):
                for column in range(self.width):
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
        on_board = 0 <= row < self.height and 0 <= column < self.width
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
                        after.add(min(self.images(child)))
            boards = after
            counts.append(len(boards))
        return counts

    def images(self, board: Board) -> list[str]:
        """The boards on which the game goes as on `board`, as texts."""
        return images(board)


class SlowGomoku(SlowGame):
    """Five or more in a row win, or exactly five."""

    def __init__(self, size: int, *, exactly_five: bool = False) -> None:
        self.size = self.width = self.height = size
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


class SlowRenju(SlowGomoku):
    """Dark wins with exactly five and has forbidden points; light wins with five or more.

    Everything is read off the definitions, with every window of five cells looked at.
    """

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self._known_lines: dict[tuple[int, int], list[list[tuple[int, int]]]] = {}
        self._known_moves: dict[str, list[str]] = {}

    def legal_moves(self, board: Board) -> list[str]:
        if self.outcome(board):
            return []
        return self._allowed(board)

    def outcome(self, board: Board) -> str | None:
        if 5 in self.rows_of(board, "x"):
            return "dark wins"
        if max(self.rows_of(board, "o"), default=0) >= 5:
            return "light wins"
        if not self.free_cells(board):
            return "draw"
        return None if self._allowed(board) else "light wins"

    def _allowed(self, board: Board) -> list[str]:
        if side_to_move(board) == "o":
            return self.free_cells(board)
        text = as_text(board)
        if text not in self._known_moves:
            free = self.free_cells(board)
            self._known_moves[text] = [cell for cell in free if not self.foul(board, cell)]
        return self._known_moves[text]

    def foul(self, board: Board, cell: str) -> str | None:
        """What makes the free `cell` forbidden to dark, whoever is to move."""
        row, column = self._place(cell)
        after = [list(line) for line in board]
        after[row][column] = "x"
        if self._makes(after, row, column, length=5):
            return None
        if any(self._makes(after, row, column, length=n) for n in range(6, self.size + 1)):
            return "an overline"
        fours = [four for line in self._lines(row, column) for four in self._fours(after, line)]
        if len([four for four in fours if (row, column) in four]) > 1:
            return "a double four"
        threes = set()
        for line in self._lines(row, column):
            for other in line:
                if after[other[0]][other[1]] == "." and self._reaches(after, line, other):
                    threes |= {
                        four - {other}
                        for four in self._straight(self._with(after, other), line)
                        if {other, (row, column)} <= four
                    }
        return "a double three" if len(threes) > 1 else None

    def _reaches(self, board: Board, line: list[tuple[int, int]], cell: tuple[int, int]) -> bool:
        """Whether dark may make a straight four on `line` with `cell`, and no five."""
        after = self._with(board, cell)
        if not any(cell in four for four in self._straight(after, line)):
            return False
        name = self.cell_name(*cell)
        return not self._makes(after, *cell, length=5) and self.foul(board, name) is None

    def _fours(self, board: Board, line: list[tuple[int, int]]) -> set[frozenset[tuple[int, int]]]:
        """The groups of four dark stones on `line` that one more stone makes exactly five."""
        found = set()
        for start in range(len(line) - 4):
            window = line[start : start + 5]
            stones = [cell for cell in window if board[cell[0]][cell[1]] == "x"]
            empty = [cell for cell in window if board[cell[0]][cell[1]] == "."]
            if len(stones) != 4 or len(empty) != 1:
                continue
            if self._makes(self._with(board, empty[0]), *empty[0], length=5, line=line):
                found.add(frozenset(stones))
        return found

    def _straight(
        self, board: Board, line: list[tuple[int, int]]
    ) -> list[frozenset[tuple[int, int]]]:
        """Four dark stones side by side that a stone at either end makes exactly five."""
        found = []
        for start in range(1, len(line) - 4):
            ends = line[start - 1], line[start + 4]
            four = line[start : start + 4]
            if all(board[r][c] == "x" for r, c in four) and all(
                board[r][c] == "."
                and self._makes(self._with(board, (r, c)), r, c, length=5, line=line)
                for r, c in ends
            ):
                found.append(frozenset(four))
        return found

    def _makes(
        self,
        board: Board,
        row: int,
        column: int,
        *,
        length: int,
        line: list[tuple[int, int]] | None = None,
    ) -> bool:
        """Whether the stone is in an unbroken dark row of `length`, on `line` or any line."""
        for cells in [line] if line else self._lines(row, column):
            text = "".join(board[r][c] for r, c in cells)
            at = cells.index((row, column))
            for start in range(at - length + 1, at + 1):
                inside = start >= 0 and text[start : start + length] == "x" * length
                before = text[start - 1] if start > 0 else "|"
                after = text[start + length] if start + length < len(text) else "|"
                if inside and before != "x" and after != "x":
                    return True
        return False

    def _lines(self, row: int, column: int) -> list[list[tuple[int, int]]]:
        """The four whole lines of the board through a cell."""
        if (row, column) not in self._known_lines:
            cells = [(r, c) for r in range(self.size) for c in range(self.size)]
            self._known_lines[row, column] = [
                [(r, c) for r, c in cells if r == row],
                [(r, c) for r, c in cells if c == column],
                [(r, c) for r, c in cells if r - c == row - column],
                [(r, c) for r, c in cells if r + c == row + column],
            ]
        return self._known_lines[row, column]

    def _with(self, board: Board, cell: tuple[int, int]) -> Board:
        after = [list(line) for line in board]
        after[cell[0]][cell[1]] = "x"
        return after

    def _place(self, cell: str) -> tuple[int, int]:
        return self.size - int(cell[1:]), "abcdefghijklmnopqrstuvwxyz".index(cell[0])


# The top row and the left column of each quadrant, as the board is drawn.
QUADRANTS = {"1": (0, 0), "2": (0, 3), "3": (3, 0), "4": (3, 3)}


class SlowQuadrants(SlowGame):
    """Five or more in a row win, for both sides they are a draw."""

    size = width = height = 6

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


class SlowPentagoSwap(SlowQuadrants):
    """A stone, then two of the four quadrants change places; then fives count."""

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


class SlowPentago(SlowQuadrants):
    """A stone, which may win, then a quadrant makes a quarter turn; then fives count."""

    turns = "RL"

    def legal_moves(self, board: Board) -> list[str]:
        if self.outcome(board):
            return []
        return [
            f"{cell}:{quadrant}{turn}"
            for cell in self.free_cells(board)
            for quadrant in QUADRANTS
            for turn in self.turns
        ]

    def play(self, board: Board, move: str) -> Board:
        cell, turn = move.split(":")
        before = self.with_stone(board, cell)
        if self.ends_before_the_turn(before):
            return before
        top, left = QUADRANTS[turn[0]]
        after = [list(line) for line in before]
        for row in range(3):
            for column in range(3):
                stone = before[top + row][left + column]
                if turn[1] == "R":
                    after[top + column][left + 2 - row] = stone
                elif turn[1] == "L":
                    after[top + 2 - column][left + row] = stone
                else:
                    after[top + row][left + 2 - column] = stone
        return after

    def ends_before_the_turn(self, board: Board) -> bool:
        return self.outcome(board) in ("dark wins", "light wins")


class SlowPentagoTwist(SlowPentago):
    """A stone, then a quadrant turns clockwise or is flipped left to right; then fives count."""

    turns = "RF"

    def ends_before_the_turn(self, board: Board) -> bool:
        return False

    def images(self, board: Board) -> list[str]:
        """The board and the board seen from the other side of the table."""
        return [as_text(board), as_text([line[::-1] for line in board[::-1]])]


class SlowConnectFour(SlowGame):
    """Stones fall to the lowest free cell of their column; four or more in a row win."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height

    def legal_moves(self, board: Board) -> list[str]:
        if self.outcome(board):
            return []
        moves = []
        for column in range(self.width):
            free = [row for row in range(self.height) if board[row][column] == "."]
            if free:
                moves.append(self.cell_name(max(free), column))
        return moves

    def play(self, board: Board, move: str) -> Board:
        return self.with_stone(board, move)

    def outcome(self, board: Board) -> str | None:
        for stone, result in (("x", "dark wins"), ("o", "light wins")):
            if max(self.rows_of(board, stone), default=0) >= 4:
                return result
        return None if self.free_cells(board) else "draw"

    def images(self, board: Board) -> list[str]:
        """The board and its mirror image."""
        return [as_text(board), as_text([line[::-1] for line in board])]


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
