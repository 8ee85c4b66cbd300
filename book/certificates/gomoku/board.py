"""The board of Gomoku for the winner and the opponent: symmetries, names of cells, pictures."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from book.certificates.gomoku.kernels import MAX_SIZE, MIN_SIZE

Cell = int
Stones = tuple[Cell, ...]
_COLUMNS = "abcdefghijklmnopqrstuvwxyz"
_SYMMETRIES = 8


@dataclass(frozen=True, slots=True, order=True)
class Board:
    """The stones of the winner and of the opponent, cells in ascending order.

    Cells are numbered row by row from the lower left. Boards are ordered by the winner's stones,
    then by the opponent's.
    """

    winner: Stones = ()
    opponent: Stones = ()

    def with_winner(self, cell: Cell) -> "Board":
        """The board with one more stone of the winner's."""
        return Board(tuple(sorted((*self.winner, cell))), self.opponent)

    def with_opponent(self, cell: Cell) -> "Board":
        """The board with one more stone of the opponent's."""
        return Board(self.winner, tuple(sorted((*self.opponent, cell))))

    @property
    def stones(self) -> int:
        """How many there are."""
        return len(self.winner) + len(self.opponent)


@dataclass(frozen=True)
class Rules:
    """One board size and rule; with `exact`, more than five in a row do not win."""

    size: int
    exact: bool

    @property
    def game(self) -> str:
        """The id of the game."""
        return f"gomoku-{self.size}{'-standard' if self.exact else ''}"

    @property
    def cells(self) -> int:
        """How many there are."""
        return self.size * self.size

    @cached_property
    def maps(self) -> tuple[tuple[Cell, ...], ...]:
        """For each symmetry of the square, where it takes each cell."""
        return tuple(
            tuple(self._turned(cell, symmetry) for cell in range(self.cells))
            for symmetry in range(_SYMMETRIES)
        )

    def image(self, board: Board, symmetry: int) -> Board:
        """`board` after a symmetry."""
        where = self.maps[symmetry]
        return Board(
            tuple(sorted(where[cell] for cell in board.winner)),
            tuple(sorted(where[cell] for cell in board.opponent)),
        )

    def canonical(self, board: Board) -> tuple[Board, int]:
        """The smallest image of `board`, and the first symmetry that leads to it."""
        return min((self.image(board, symmetry), symmetry) for symmetry in range(_SYMMETRIES))

    def inverse(self, symmetry: int) -> tuple[Cell, ...]:
        """Where the inverse of a symmetry takes each cell."""
        back = [0] * self.cells
        for cell, taken_to in enumerate(self.maps[symmetry]):
            back[taken_to] = cell
        return tuple(back)

    def free(self, board: Board) -> Iterator[Cell]:
        """The cells without a stone, ascending."""
        taken = {*board.winner, *board.opponent}
        return (cell for cell in range(self.cells) if cell not in taken)

    def name(self, cell: Cell) -> str:
        """The cell in notation, such as h8."""
        return f"{_COLUMNS[cell % self.size]}{cell // self.size + 1}"

    def picture(self, board: Board) -> str:
        """The rows from the top, the winner's stones as X and the opponent's as O."""
        cells = ["."] * self.cells
        for mark, stones in (("X", board.winner), ("O", board.opponent)):
            for cell in stones:
                cells[cell] = mark
        rows = ["".join(cells[row : row + self.size]) for row in range(0, self.cells, self.size)]
        return "/".join(reversed(rows))

    def are_cells(self, cells: Iterable[Cell]) -> bool:
        """Whether all of them are on the board, and none is there twice."""
        listed = list(cells)
        return len(set(listed)) == len(listed) and all(0 <= cell < self.cells for cell in listed)

    def _turned(self, cell: Cell, symmetry: int) -> Cell:
        """Bit 0 of `symmetry` exchanges column and row, then bits 1 and 2 mirror either."""
        row, column = divmod(cell, self.size)
        if symmetry & 1:
            row, column = column, row
        if symmetry & 2:
            column = self.size - 1 - column
        if symmetry & 4:
            row = self.size - 1 - row
        return row * self.size + column


def rules_of(game: str) -> Rules | None:
    """The rules of a game id; None if a certificate of it cannot be."""
    match = re.fullmatch(r"gomoku-([1-9][0-9]?)(-standard)?", game)
    if match is None or not MIN_SIZE <= int(match[1]) <= MAX_SIZE:
        return None
    return Rules(int(match[1]), exact=match[2] is not None)
