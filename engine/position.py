"""Stones on a board, as numbers."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

Cell = int
Move = int
Bitboard = int


class Side(StrEnum):
    """One of the two players."""

    DARK = "dark"
    LIGHT = "light"

    @property
    def other(self) -> "Side":
        """The opponent."""
        return Side.LIGHT if self is Side.DARK else Side.DARK


class Position(NamedTuple):
    """Stones and, through their number, the side to move; dark moves first.

    Bit ``row * width + column`` of a bitboard is the cell in that row, counted from the bottom,
    and that column, counted from the left, both from zero.
    """

    dark: Bitboard = 0
    light: Bitboard = 0

    @property
    def ply(self) -> int:
        """The number of stones on the board."""
        return (self.dark | self.light).bit_count()

    @property
    def dark_to_move(self) -> bool:
        """Whether the next stone is dark."""
        return self.ply % 2 == 0

    @property
    def to_move(self) -> Side:
        """Whose stone is next."""
        return Side.DARK if self.dark_to_move else Side.LIGHT


def cells_of(board: Bitboard) -> list[Cell]:
    """The set bits of `board`, ascending."""
    cells = []
    while board:
        lowest = board & -board
        cells.append(lowest.bit_length() - 1)
        board ^= lowest
    return cells


def board_of(cells: Iterable[Cell]) -> Bitboard:
    """The bits of `cells`."""
    board = 0
    for cell in cells:
        board |= 1 << cell
    return board
