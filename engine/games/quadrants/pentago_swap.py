"""Pentago-swap: a stone, then two quadrants change places; five in a row wins.

The board has 6×6 cells in four quadrants of 3×3, numbered 1 to 4 row by row from the top left
as the board is drawn:

    1 2
    3 4

A move is written ``b2:13``: the stone's cell, then the two quadrants that are swapped. The
swap cannot be left out, and only the board after it counts: five or more in a row win, five
for both sides are a draw, and so is a full board without a five.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from engine.errors import InvalidMove
from engine.game import Family, Game, Outcome, Symmetry
from engine.lines import Rows
from engine.position import Bitboard, Cell, Move, Position, cells_of
from engine.proof import TABLE_MEBIBYTES, Prover
from engine.search import SearchOptions

if TYPE_CHECKING:
    from engine.games.quadrants.searcher import PentagoSwapSearcher

SIZE = 6
FULL_BOARD: Bitboard = (1 << SIZE * SIZE) - 1
# The six swaps in the order of their notation: 12, 13, 14, 23, 24, 34.
SWAPS: tuple[tuple[int, int], ...] = tuple(combinations(range(1, 5), 2))
# Bit of each quadrant's lower left cell: quadrants 1 and 2 are the upper ones.
QUADRANT_SHIFTS = {1: 18, 2: 21, 3: 0, 4: 3}
QUADRANT_MASK: Bitboard = 0b111_000111_000111

ROWS = Rows(SIZE, SIZE, 5)


class PentagoSwap(Game):
    """The rules; a move is ``cell * 6 + index of the swap in SWAPS``."""

    id = "pentago-swap"
    title = "Pentago-swap 6×6, four quadrants"
    width = height = SIZE
    move_count = SIZE * SIZE * len(SWAPS)

    def legal_moves(self, position: Position) -> list[Move]:
        if self.outcome(position) is not None:
            return []
        free = cells_of(FULL_BOARD & ~(position.dark | position.light))
        return [cell * len(SWAPS) + swap for cell in free for swap in range(len(SWAPS))]

    def play(self, position: Position, move: Move) -> Position:
        cell, swap = divmod(move, len(SWAPS))
        dark, light = position.dark, position.light
        if position.dark_to_move:
            dark |= 1 << cell
        else:
            light |= 1 << cell
        return Position(swap_quadrants(dark, swap), swap_quadrants(light, swap))

    def unplay(self, position: Position) -> Iterator[tuple[Position, Move]]:
        dark_moved = not position.dark_to_move
        for swap in range(len(SWAPS)):
            dark = swap_quadrants(position.dark, swap)
            light = swap_quadrants(position.light, swap)
            for cell in cells_of(dark if dark_moved else light):
                if dark_moved:
                    before = Position(dark ^ 1 << cell, light)
                else:
                    before = Position(dark, light ^ 1 << cell)
                if self.outcome(before) is None:
                    yield before, cell * len(SWAPS) + swap

    def outcome(self, position: Position) -> Outcome | None:
        return outcome_by_fives(position)

    def cell_of(self, move: Move) -> Cell:
        return move // len(SWAPS)

    def map_move(self, move: Move, symmetry: Symmetry) -> Move:
        cell, swap = divmod(move, len(SWAPS))
        return self.map_cell(cell, symmetry) * len(SWAPS) + self._swap_maps[symmetry][swap]

    def parse_move(self, text: str, position: Position | None = None) -> Move:
        cell, colon, quadrants = text.partition(":")
        names = tuple(sorted(int(digit) for digit in quadrants if digit in "1234"))
        if not colon or len(quadrants) != 2 or names not in SWAPS:
            raise InvalidMove(
                f"'{text}' is no move of {self.id}: a move is a cell and the two different "
                "quadrants, 1 to 4, that are swapped, as in b2:13"
            )
        return self.parse_cell(cell) * len(SWAPS) + SWAPS.index(names)

    def format_move(self, move: Move) -> str:
        cell, swap = divmod(move, len(SWAPS))
        first, second = SWAPS[swap]
        return f"{self.format_cell(cell)}:{first}{second}"

    def searcher(self, options: SearchOptions = SearchOptions()) -> PentagoSwapSearcher:
        from engine.games.quadrants.searcher import PentagoSwapSearcher

        return PentagoSwapSearcher(self, options)

    def prover(self, *, table: int = TABLE_MEBIBYTES, threads: int = 1) -> Prover:
        from engine.games.quadrants.swap.prover import PentagoSwapProver

        return PentagoSwapProver(self, table=table, threads=threads)

    @cached_property
    def _swap_maps(self) -> tuple[tuple[int, ...], ...]:
        """For each symmetry, the swap that each swap becomes."""

        def turned(quadrant: int, symmetry: Symmetry) -> int:
            corner = self.map_cell(QUADRANT_SHIFTS[quadrant], symmetry)
            return next(
                q for q, shift in QUADRANT_SHIFTS.items() if QUADRANT_MASK << shift >> corner & 1
            )

        return tuple(
            tuple(
                SWAPS.index(tuple(sorted((turned(first, symmetry), turned(second, symmetry)))))
                for first, second in SWAPS
            )
            for symmetry in self.symmetries
        )


def swap_quadrants(board: Bitboard, swap: int) -> Bitboard:
    """`board` after the two quadrants of ``SWAPS[swap]`` have changed places."""
    first, second = (QUADRANT_SHIFTS[quadrant] for quadrant in SWAPS[swap])
    different = (board >> first ^ board >> second) & QUADRANT_MASK
    return board ^ different << first ^ different << second


def outcome_by_fives(position: Position) -> Outcome | None:
    """Who has five in a row: one side wins, both or a full board without one make a draw."""
    dark, light = ROWS.any(position.dark), ROWS.any(position.light)
    if dark and light:
        return Outcome.DRAW
    if dark:
        return Outcome.DARK_WINS
    if light:
        return Outcome.LIGHT_WINS
    return Outcome.DRAW if position.dark | position.light == FULL_BOARD else None


_GAME = PentagoSwap()

FAMILIES = (
    Family(
        name="pentago-swap",
        title="Pentago-swap",
        ids="pentago-swap",
        options="6×6, four quadrants; a move such as b2:13 is a stone and the quadrants swapped",
        examples=("pentago-swap",),
        find=lambda game_id: _GAME if game_id == _GAME.id else None,
    ),
)
