"""The rules of every game, as far as a proof needs them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple

Place = tuple[int, int]
Turn = Callable[[int, int], Place]


class Board(NamedTuple):
    """The stones of both sides, a bit each; dark moves first."""

    dark: int
    light: int

    @property
    def dark_to_move(self) -> bool:
        """Whether the next stone is dark."""
        return self.dark.bit_count() == self.light.bit_count()

    @property
    def sides(self) -> tuple[int, int]:
        """The stones of the side to move, and of the other one."""
        return (self.dark, self.light) if self.dark_to_move else (self.light, self.dark)

    def with_sides(self, own: int, other: int) -> "Board":
        """The board on which the side to move of this one has the stones `own`."""
        return Board(own, other) if self.dark_to_move else Board(other, own)


class Rules(ABC):
    """One game on a square board. A row and a column count from 0 at the lower left.

    Books number the cells row by row; here each has a bit, which `_bit` tells. `turns` take a row
    and a column to those of a board on which the game goes on alike.
    """

    def __init__(self, game_id: str, size: int, move_count: int, turns: Sequence[Turn]) -> None:
        self.game_id = game_id
        self.size = size
        self.cells = [self._bit(row, column) for row in range(size) for column in range(size)]
        self.full = sum(1 << bit for bit in self.cells)
        self._move_width = 1 if move_count <= 256 else 2
        self._cell_width = 1 if size * size <= 256 else 2
        self._turns = turns

    @abstractmethod
    def _bit(self, row: int, column: int) -> int:
        """The bit of a cell."""

    @abstractmethod
    def play(self, board: Board, move: int) -> Board | None:
        """The board after a move by its number in books; None if it is not allowed.

        The game must not be over.
        """

    @abstractmethod
    def moves(self, board: Board) -> Iterator[tuple[int, Board]]:
        """Every legal move of a game that goes on, with the board after it."""

    @abstractmethod
    def result(self, board: Board) -> int | None:
        """1 if the side to move has won, -1 if it has lost, 0 for a draw; None: it goes on."""

    @abstractmethod
    def name(self, move: int) -> str:
        """The notation of a move."""

    @abstractmethod
    def parse(self, text: str) -> int:
        """The move that `text` names.

        Raises:
            ValueError: if it names none.
        """

    def moves_to(self, board: Board) -> dict[Board, tuple[int, Board]]:
        """For each different board after a legal move, its key; with a move and the board."""
        found: dict[Board, tuple[int, Board]] = {}
        for move, after in self.moves(board):
            found.setdefault(self.key(after), (move, after))
        return found

    def key(self, board: Board) -> Board:
        """The same for all boards that are equal up to symmetry: the smallest image."""
        dark, light = self._bits(board.dark), self._bits(board.light)
        return min(
            Board(sum([image[bit] for bit in dark]), sum([image[bit] for bit in light]))
            for image in self._images
        )

    def unpack(self, stones: bytes) -> Board:
        """The board of packed stones: dark's cells, then light's.

        Raises:
            ValueError: if they are of no board.
        """
        cells = self._numbers(stones, self._cell_width)
        if len(set(cells)) < len(cells) or max(cells, default=0) >= len(self.cells):
            raise ValueError("no board has such stones")
        bits = [1 << self.cells[cell] for cell in cells]
        first_light = (len(bits) + 1) // 2
        return Board(sum(bits[:first_light]), sum(bits[first_light:]))

    def pack(self, board: Board) -> bytes:
        """The packed stones under which a book has the board: the smallest of its images."""
        sides = [[self._number[bit] for bit in self._bits(side)] for side in board]
        images = [[sorted(image[cell] for cell in side) for side in sides] for image in self._maps]
        dark, light = min(images)
        return b"".join(cell.to_bytes(self._cell_width, "big") for cell in dark + light)

    def lookup(self, stones: bytes) -> int:
        """The number under which a book finds packed stones; see docs/books.md."""
        key = blake2b(self.game_id.encode() + b"\0" + stones, digest_size=16).digest()
        return int.from_bytes(key[:4], "big") - 2**31

    def line(self, blob: bytes) -> list[int]:
        """The moves of a packed line."""
        return self._numbers(blob, self._move_width)

    def describe(self, board: Board) -> str:
        """The stones of both sides, by name."""
        dark, light = (
            " ".join(self._cell_name(self._number[bit]) for bit in self._bits(side)) or "none"
            for side in board
        )
        return f"dark {dark}, light {light}"

    def _cell_name(self, cell: int) -> str:
        return f"{chr(ord('a') + cell % self.size)}{cell // self.size + 1}"

    def _parse_cell(self, text: str) -> int:
        names = {self._cell_name(cell): cell for cell in range(len(self.cells))}
        if text.lower() not in names:
            raise ValueError(f"'{text}' is no cell of {self.game_id}")
        return names[text.lower()]

    def _bits(self, side: int) -> list[int]:
        return [bit for bit in self.cells if side >> bit & 1]

    def _numbers(self, blob: bytes, width: int) -> list[int]:
        return [int.from_bytes(blob[at : at + width], "big") for at in range(0, len(blob), width)]

    @cached_property
    def _number(self) -> dict[int, int]:
        """The number of the cell that a bit stands for."""
        return {bit: cell for cell, bit in enumerate(self.cells)}

    @cached_property
    def _maps(self) -> list[list[int]]:
        """For each symmetry, the cell that each cell becomes."""
        maps = []
        for turn in self._turns:
            places = [turn(*divmod(cell, self.size)) for cell in range(len(self.cells))]
            maps.append([row * self.size + column for row, column in places])
        return maps

    @cached_property
    def _images(self) -> list[dict[int, int]]:
        """For each symmetry, the stone that a bit becomes."""
        return [
            {bit: 1 << self.cells[image[cell]] for cell, bit in enumerate(self.cells)}
            for image in self._maps
        ]


def square_turns(size: int) -> list[Turn]:
    """The eight symmetries of a square board."""
    last = size - 1
    return [
        lambda r, c: (r, c),
        lambda r, c: (r, last - c),
        lambda r, c: (last - r, c),
        lambda r, c: (last - r, last - c),
        lambda r, c: (c, r),
        lambda r, c: (c, last - r),
        lambda r, c: (last - c, r),
        lambda r, c: (last - c, last - r),
    ]
