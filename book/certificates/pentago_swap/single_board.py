"""A single board of Pentago-swap, its moves and their notation."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from book.certificates.pentago_swap import arrangements
from book.certificates.pentago_swap.arrangements import CORNERS, SWAPS

_COLUMNS = "abcdef"
# Two keys, and the arrangement as a mask of one bit.
Key = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class SingleBoard:
    """Stones of both sides, nine bits for each place in turn; White moves first."""

    white: int = 0
    black: int = 0

    @property
    def white_to_move(self) -> bool:
        """Whether the next stone is White's."""
        return self.white.bit_count() == self.black.bit_count()

    @property
    def key(self) -> Key:
        """The same for all boards that are equal up to symmetry."""
        return key_of(self.white, self.black, 1)

    def moves(self) -> Iterator[tuple[str, "SingleBoard"]]:
        """Every move in notation, with the board after it."""
        for bit in range(36):
            if not (self.white | self.black) >> bit & 1:
                for swap in range(len(SWAPS)):
                    yield _name(bit, swap), self._after(bit, swap)

    def has_five(self, *, white: bool) -> bool:
        """Whether this side has five in a row, or six."""
        scratch = np.zeros(arrangements.SCRATCH, dtype=np.int64)
        return bool(arrangements.fives(self.white if white else self.black, scratch) & 1)

    def __str__(self) -> str:
        """The rows from the top, White's stones as X and Black's as O."""
        rows = [["."] * 6 for _ in range(6)]
        for bit in range(36):
            column, row = _cell(bit)
            if self.white >> bit & 1:
                rows[5 - row][column] = "X"
            elif self.black >> bit & 1:
                rows[5 - row][column] = "O"
        return "/".join("".join(row) for row in rows)

    def _after(self, bit: int, swap: int) -> "SingleBoard":
        white, black = self.white, self.black
        if self.white_to_move:
            white |= 1 << bit
        else:
            black |= 1 << bit
        return SingleBoard(_swapped(white, swap), _swapped(black, swap))


def key_of(white: int, black: int, arrangement: int) -> Key:
    """The key of the board of a supernode that is given by a mask of one bit."""
    image = np.empty(3, dtype=np.int64)
    arrangements.canonical(white, black, arrangement, image)
    high, low, mask = image.tolist()
    return high, low, mask


def board_of(key: Key) -> SingleBoard:
    """One of the boards that have this key."""
    high, low, mask = key
    contents = arrangements.ARRANGEMENTS[mask.bit_length() - 1]
    white, black = arrangements.white_of(high, low), arrangements.black_of(high, low)
    return SingleBoard(_arranged(white, contents), _arranged(black, contents))


def _arranged(stones: int, contents: tuple[int, ...]) -> int:
    return sum((stones >> 9 * content & 511) << 9 * at for at, content in enumerate(contents))


def _cell(bit: int) -> tuple[int, int]:
    """Column and row, counted from the lower left, of a bit of a board."""
    column, row = CORNERS[bit // 9]
    return column + bit % 3, row + bit % 9 // 3


def _name(bit: int, swap: int) -> str:
    column, row = _cell(bit)
    first, second = SWAPS[swap]
    return f"{_COLUMNS[column]}{row + 1}:{first + 1}{second + 1}"


def _swapped(stones: int, swap: int) -> int:
    contents = list(range(4))
    first, second = SWAPS[swap]
    contents[first], contents[second] = second, first
    return _arranged(stones, tuple(contents))
