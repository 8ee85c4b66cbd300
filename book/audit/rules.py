"""What the rules of every game are to the audit, as far as a proof needs them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import product
from typing import NamedTuple

# Whether rows and columns change places, then whether each is counted from the other end.
Symmetry = tuple[bool, bool, bool]
OF_THE_SQUARE = list(product((False, True), (False, True), (False, True)))
HALF_TURN = [(False, False, False), (False, True, True)]
MIRROR = [(False, False, False), (False, False, True)]


class AuditBoard(NamedTuple):
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

    def with_sides(self, own: int, other: int) -> AuditBoard:
        """The board on which the side to move of this one has the stones `own`."""
        return AuditBoard(own, other) if self.dark_to_move else AuditBoard(other, own)


class AuditRules(ABC):
    """One game on a board. A row and a column count from 0 at the lower left.

    Books number the cells row by row; here each has a bit, which `_bit` tells. `symmetries` take
    the board to one on which the game goes on alike.
    """

    searched_by: str | None = None
    """The module whose `end_search` searches the ends of lines; None: every move is tried."""

    def __init__(
        self,
        game_id: str,
        width: int,
        height: int,
        move_count: int,
        symmetries: Sequence[Symmetry],
    ) -> None:
        self.game_id = game_id
        self.width, self.height = width, height
        self.cells = [self._bit(row, column) for row in range(height) for column in range(width)]
        self.full = sum(1 << bit for bit in self.cells)
        self._number = {bit: cell for cell, bit in enumerate(self.cells)}
        self._move_count = move_count
        self._move_width = 1 if move_count <= 256 else 2
        self._cell_width = 1 if width * height <= 256 else 2
        self._images = [self._image(*symmetry) for symmetry in symmetries]

    @abstractmethod
    def _bit(self, row: int, column: int) -> int:
        """The bit of a cell."""

    @abstractmethod
    def play(self, board: AuditBoard, move: int) -> AuditBoard | None:
        """The board after a move by its number in books; None if it is not allowed.

        The game must not be over.
        """

    @abstractmethod
    def result(self, board: AuditBoard) -> int | None:
        """1 if the side to move has won, -1 if it has lost, 0 for a draw; None: it goes on."""

    @abstractmethod
    def name(self, move: int) -> str:
        """The notation of a move."""

    def parse(self, text: str, board: AuditBoard) -> int:
        """The move that `text` names on `board`.

        Raises:
            ValueError: if it names none.
        """
        if text.lower() not in self._moves_by_name:
            raise ValueError(f"'{text}' is no move of {self.game_id}")
        return self._moves_by_name[text.lower()]

    def moves(self, board: AuditBoard) -> Iterator[tuple[int, AuditBoard]]:
        """Every legal move of a game that goes on, with the board after it."""
        for move in range(self._move_count):
            after = self.play(board, move)
            if after is not None:
                yield move, after

    def children(self, board: AuditBoard) -> dict[bytes, tuple[int, AuditBoard]]:
        """By packed stones, the boards after all legal moves; with the first move that leads
        there."""
        found: dict[bytes, tuple[int, AuditBoard]] = {}
        for move, after in self.moves(board):
            found.setdefault(self.pack(after), (move, after))
        return found

    def unpack(self, stones: bytes) -> AuditBoard:
        """The board of packed stones: dark's cells, then light's.

        Raises:
            ValueError: if they are of no board.
        """
        cells = _numbers(stones, self._cell_width)
        if len(set(cells)) < len(cells) or max(cells, default=0) >= len(self.cells):
            raise ValueError("no board has such stones")
        bits = [1 << self.cells[cell] for cell in cells]
        first_light = (len(bits) + 1) // 2
        return AuditBoard(sum(bits[:first_light]), sum(bits[first_light:]))

    def pack(self, board: AuditBoard) -> bytes:
        """The packed stones under which a book has the board and all that are equal to it up to
        symmetry: the smallest of its images."""
        sides = self._cells(board.dark), self._cells(board.light)
        dark, light = min(
            [sorted([image[cell] for cell in side]) for side in sides] for image in self._images
        )
        return b"".join([cell.to_bytes(self._cell_width, "big") for cell in dark + light])

    def lookup(self, stones: bytes) -> int:
        """The number under which a book finds packed stones; see docs/books.md."""
        key = blake2b(self.game_id.encode() + b"\0" + stones, digest_size=16).digest()
        return int.from_bytes(key[:4], "big") - 2**31

    def line(self, blob: bytes) -> list[int]:
        """The moves of a packed line."""
        return _numbers(blob, self._move_width)

    def describe(self, board: AuditBoard) -> str:
        """The stones of both sides, by name."""
        dark, light = (
            " ".join(map(self._cell_name, sorted(self._cells(side)))) or "none" for side in board
        )
        return f"dark {dark}, light {light}"

    def _cell_name(self, cell: int) -> str:
        return f"{chr(ord('a') + cell % self.width)}{cell // self.width + 1}"

    def _cells(self, side: int) -> list[int]:
        """The numbers of the cells that a side has."""
        return [self._number[stone.bit_length() - 1] for stone in each(side)]

    def _image(self, exchanged: bool, last_row_first: bool, last_column_first: bool) -> list[int]:
        """The cell that each cell becomes by a symmetry."""
        image = []
        for place in product(range(self.height), range(self.width)):
            row, column = reversed(place) if exchanged else place
            row = self.height - 1 - row if last_row_first else row
            column = self.width - 1 - column if last_column_first else column
            image.append(row * self.width + column)
        return image

    @cached_property
    def _moves_by_name(self) -> dict[str, int]:
        return {self.name(move).lower(): move for move in range(self._move_count)}


def each(stones: int) -> Iterator[int]:
    """The stones one by one."""
    while stones:
        yield stones & -stones
        stones &= stones - 1


def _numbers(blob: bytes, width: int) -> list[int]:
    return [int.from_bytes(blob[at : at + width], "big") for at in range(0, len(blob), width)]
