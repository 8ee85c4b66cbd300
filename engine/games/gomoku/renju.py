"""The points that renju forbids to dark: overlines, double fours and double threes.

After the rules of the Renju International Federation, sections 9.1 to 9.3. A four is a row that
one more stone makes a five; it is straight where two different stones do, one at each end. A
three is a row that one more stone makes a straight four. It counts only if dark may play that
stone and does not make a five with it. A five overrides all of this.
"""

from collections.abc import Iterator
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from engine.position import Bitboard, Cell, board_of

_DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
# No cell farther away matters to a row of five through a cell, or to whether it is longer.
_REACH = 6
# Two threes share only the new stone and need two stones each; fours and overlines need more.
_FEWEST_STONES = 4

_Ray = tuple[Cell, ...]


class Foul(StrEnum):
    """What dark must not make."""

    OVERLINE = "an overline"
    DOUBLE_FOUR = "a double four"
    DOUBLE_THREE = "a double three"


class _Row(NamedTuple):
    """What a stone makes in one direction.

    `length` is that of the unbroken row; `extensions` are the cells that make it a straight four.
    """

    length: int
    fours: int
    extensions: tuple[Cell, ...]


class ForbiddenPoints:
    """Finds the forbidden points on boards of one size."""

    def __init__(self, size: int) -> None:
        self._size = size

    def all(self, dark: Bitboard, light: Bitboard) -> Iterator[Cell]:
        """The empty cells on which dark must not play, ascending."""
        taken = dark | light
        for cell, near in enumerate(self._near):
            if (
                (dark & near).bit_count() >= _FEWEST_STONES
                and not taken >> cell & 1
                and self.foul(dark, light, cell) is not None
            ):
                yield cell

    def foul(self, dark: Bitboard, light: Bitboard, cell: Cell) -> Foul | None:
        """What dark would make with a stone on the empty `cell`, None if it may play there."""
        dark |= 1 << cell
        rows = self._rows_through(cell, dark, light)
        if any(row.length == 5 for row in rows):
            return None
        if any(row.length > 5 for row in rows):
            return Foul.OVERLINE
        if sum(row.fours for row in rows) > 1:
            return Foul.DOUBLE_FOUR
        threes = [row.extensions for row in rows if row.extensions]
        if len(threes) > 1:
            real = sum(any(self._is_real(dark, light, at) for at in three) for three in threes)
            if real > 1:
                return Foul.DOUBLE_THREE
        return None

    def _is_real(self, dark: Bitboard, light: Bitboard, cell: Cell) -> bool:
        """Whether a three counts of which a stone on `cell` makes a straight four."""
        rows = self._rows_through(cell, dark | 1 << cell, light)
        return all(row.length != 5 for row in rows) and self.foul(dark, light, cell) is None

    def _rows_through(self, cell: Cell, dark: Bitboard, light: Bitboard) -> list[_Row]:
        """The rows of the dark stone on `cell` in the four directions."""
        return [_row(cell, before, after, dark, light) for before, after in self._rays[cell]]

    @cached_property
    def _rays(self) -> list[list[tuple[_Ray, _Ray]]]:
        """For each cell and direction the cells before and after it, the nearest first."""
        return [
            [
                (self._ray(cell, -up, -right), self._ray(cell, up, right))
                for up, right in _DIRECTIONS
            ]
            for cell in range(self._size**2)
        ]

    @cached_property
    def _near(self) -> list[Bitboard]:
        """For each cell the others of which the stones matter to its rows."""
        return [
            board_of(other for before, after in rays for other in before + after)
            for rays in self._rays
        ]

    def _ray(self, cell: Cell, up: int, right: int) -> _Ray:
        row, column = divmod(cell, self._size)
        steps = [(row + k * up, column + k * right) for k in range(1, _REACH + 1)]
        return tuple(
            r * self._size + c for r, c in steps if 0 <= r < self._size and 0 <= c < self._size
        )


def _row(cell: Cell, before: _Ray, after: _Ray, dark: Bitboard, light: Bitboard) -> _Row:
    left, right = _stones(dark, before, 0), _stones(dark, after, 0)
    length = left + 1 + right
    ways, extensions = 0, []
    for ray, own, other_ray, other in ((before, left, after, right), (after, right, before, left)):
        if own == len(ray) or light >> ray[own] & 1:
            continue
        added = 1 + _stones(dark, ray, own + 1)
        if length + added == 5:
            ways += 1
        elif length + added == 4 and all(
            _is_open(dark, light, *end) for end in ((ray, own + added), (other_ray, other))
        ):
            extensions.append(ray[own])
    # The two ways of a straight four belong to one four, other two ways to a four each.
    return _Row(length, min(ways, 1) if length == 4 else ways, tuple(extensions))


def _stones(dark: Bitboard, ray: _Ray, start: int) -> int:
    """How many dark stones follow each other from `start` on."""
    end = start
    while end < len(ray) and dark >> ray[end] & 1:
        end += 1
    return end - start


def _is_open(dark: Bitboard, light: Bitboard, ray: _Ray, end: int) -> bool:
    """Whether a row of four that ends before `end` can become exactly five there."""
    if end >= len(ray) or (dark | light) >> ray[end] & 1:
        return False
    return end + 1 == len(ray) or not dark >> ray[end + 1] & 1
