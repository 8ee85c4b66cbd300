"""Pentago and Pentago-Twist: a stone, then one quadrant is turned; five in a row wins.

The board has 6×6 cells in four quadrants of 3×3, numbered 1 to 4 row by row from the top left
as the board is drawn:

    1 2
    3 4

A move is written ``b2:1R``: the stone's cell, then the quadrant and what is done to it. That
cannot be left out, even where it changes nothing. Five or more in a row win, five for both sides
are a draw, five for the other side alone lose, and a full board without a five is a draw.

- ``pentago`` is the game of Tomas Flodén (2005). R is a quarter turn clockwise, L one
  anticlockwise. A five made by the stone wins at once, before any turn, as in the rules by which
  the game was solved: the first player wins (Geoffrey Irving, "Pentago is a first player win",
  2014; https://perfect-pentago.net). What is written after such a stone does not matter: nothing
  is turned.
- ``pentago-twist`` is the game of a class on artificial intelligence (McGill University, COMP
  424, "Pentago-Twist"), read off the program that refereed it. R is a quarter turn
  clockwise, F flips the quadrant left to right. Only the board after that counts. Neither a
  mirrored board nor one given a quarter turn has the same moves: its symmetry is the half turn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from engine.errors import InvalidMove
from engine.game import OF_A_SQUARE, Family, Outcome, Symmetry
from engine.games.quadrants.pentago_swap import (
    FULL_BOARD,
    QUADRANT_MASK,
    QUADRANT_SHIFTS,
    ROWS,
    SIZE,
    outcome_by_fives,
)
from engine.plain_game import PlainGame
from engine.position import Bitboard, Cell, Move, Position, cells_of
from engine.search import SearchOptions

if TYPE_CHECKING:
    from engine.games.quadrants.searcher import QuadrantSearcher

TURNS = 8

# Where a quadrant's cell goes, row and column counted from its lower left.
_CHANGES: dict[str, Callable[[int, int], tuple[int, int]]] = {
    "R": lambda row, column: (2 - column, row),
    "L": lambda row, column: (column, 2 - row),
    "F": lambda row, column: (row, 2 - column),
}


class Pentago(PlainGame):
    """The rules of either game; a move is ``cell * 8 + turn``.

    A turn is ``2 * (quadrant - 1)``, and one more for the second of `letters`.
    """

    width = height = SIZE
    move_count = SIZE * SIZE * TURNS

    def __init__(
        self,
        game_id: str,
        title: str,
        letters: str,
        *,
        stone_wins: bool,
        symmetries: Sequence[Symmetry] = OF_A_SQUARE,
    ) -> None:
        """`stone_wins`: a five made by the stone wins before the turn."""
        self.id = game_id
        self.title = title
        self.symmetries = symmetries
        self._letters = letters
        self._stone_wins = stone_wins
        self._turns = [
            _Turn(QUADRANT_SHIFTS[quadrant], letter)
            for quadrant in QUADRANT_SHIFTS
            for letter in letters
        ]

    def legal_moves(self, position: Position) -> list[Move]:
        if self.outcome(position) is not None:
            return []
        free = cells_of(FULL_BOARD & ~(position.dark | position.light))
        return [cell * TURNS + turn for cell in free for turn in range(TURNS)]

    def play(self, position: Position, move: Move) -> Position:
        cell, number = divmod(move, TURNS)
        placed = _with_stone(position, cell)
        if self._ends_before_the_turn(placed):
            return placed
        turn = self._turns[number]
        return Position(turn.done(placed.dark), turn.done(placed.light))

    def unplay(self, position: Position) -> Iterator[tuple[Position, Move]]:
        if self._ends_before_the_turn(position):
            for before, cell in self._without_a_stone(position):
                for number in range(TURNS):
                    yield before, cell * TURNS + number
        for number, turn in enumerate(self._turns):
            placed = Position(turn.undone(position.dark), turn.undone(position.light))
            if not self._ends_before_the_turn(placed):
                for before, cell in self._without_a_stone(placed):
                    yield before, cell * TURNS + number

    def outcome(self, position: Position) -> Outcome | None:
        return outcome_by_fives(position)

    def cell_of(self, move: Move) -> Cell:
        return move // TURNS

    def landing(self, position: Position, move: Move) -> Cell:
        cell, turn = divmod(move, TURNS)
        if self._ends_before_the_turn(_with_stone(position, cell)):
            return cell
        return cells_of(self._turns[turn].done(1 << cell))[0]

    def map_move(self, move: Move, symmetry: Symmetry) -> Move:
        cell, turn = divmod(move, TURNS)
        return self.map_cell(cell, symmetry) * TURNS + self._turn_maps[symmetry][turn]

    def parse_move(self, text: str, position: Position | None = None) -> Move:
        cell, _, name = text.partition(":")
        match = re.fullmatch(f"([1-4])([{self._letters}])", name.upper(), re.ASCII)
        if match is None:
            raise InvalidMove(
                f"'{text}' is no move of {self.id}: a move is a cell, a quadrant, 1 to 4, and "
                f"{' or '.join(self._letters)} for how it is turned, as in b2:1{self._letters[0]}"
            )
        turn = 2 * (int(match[1]) - 1) + self._letters.index(match[2])
        return self.parse_cell(cell) * TURNS + turn

    def format_move(self, move: Move) -> str:
        cell, turn = divmod(move, TURNS)
        return f"{self.format_cell(cell)}:{turn // 2 + 1}{self._letters[turn % 2]}"

    def searcher(self, options: SearchOptions = SearchOptions()) -> QuadrantSearcher:
        from engine.games.quadrants.alphabeta import ROTATION, TWIST
        from engine.games.quadrants.searcher import QuadrantSearcher

        return QuadrantSearcher(self, ROTATION if self._stone_wins else TWIST, options)

    def _ends_before_the_turn(self, placed: Position) -> bool:
        """Whether the last stone, of which there is one, wins where it was put."""
        return self._stone_wins and ROWS.any(placed.light if placed.dark_to_move else placed.dark)

    def _without_a_stone(self, placed: Position) -> Iterator[tuple[Position, Cell]]:
        """Every unfinished position from which one stone leads to `placed`, with its cell."""
        for cell in cells_of(placed.light if placed.dark_to_move else placed.dark):
            before = Position(placed.dark & ~(1 << cell), placed.light & ~(1 << cell))
            if self.outcome(before) is None:
                yield before, cell

    @cached_property
    def _turn_maps(self) -> dict[Symmetry, list[int]]:
        """For each symmetry of the game, the turn that each turn becomes.

        A turn is known by where it takes the cells.
        """
        cells = range(SIZE * SIZE)
        taken = [[turn.done(1 << cell) for cell in cells] for turn in self._turns]
        maps = {}
        for symmetry in self.symmetries:
            image = [self.map_cell(cell, symmetry) for cell in cells]
            back = [self.map_cell(cell, self.inverse(symmetry)) for cell in cells]
            maps[symmetry] = [
                taken.index([1 << image[turn[back[cell]].bit_length() - 1] for cell in cells])
                for turn in taken
            ]
        return maps


class _Turn:
    """What is done to the quadrant whose lower left cell has bit `shift`."""

    def __init__(self, shift: int, letter: str) -> None:
        self._shift = shift
        cells = [(row, column) for row in range(3) for column in range(3)]
        bits = [(_bit(*cell), _bit(*_CHANGES[letter](*cell))) for cell in cells]
        self._done = {
            sum(before for before, _ in chosen): sum(after for _, after in chosen)
            for count in range(10)
            for chosen in combinations(bits, count)
        }
        self._undone = {after: before for before, after in self._done.items()}

    def done(self, board: Bitboard) -> Bitboard:
        """`board` after the turn."""
        before = board >> self._shift & QUADRANT_MASK
        return board ^ (before ^ self._done[before]) << self._shift

    def undone(self, board: Bitboard) -> Bitboard:
        """The board that the turn makes `board`."""
        after = board >> self._shift & QUADRANT_MASK
        return board ^ (after ^ self._undone[after]) << self._shift


def _with_stone(position: Position, cell: Cell) -> Position:
    if position.dark_to_move:
        return Position(position.dark | 1 << cell, position.light)
    return Position(position.dark, position.light | 1 << cell)


def _bit(row: int, column: int) -> Bitboard:
    return 1 << row * SIZE + column


_GAMES = {
    game.id: game
    for game in (
        Pentago("pentago", "Pentago 6×6, four quadrants", "RL", stone_wins=True),
        Pentago(
            "pentago-twist",
            "Pentago-Twist 6×6, four quadrants",
            "RF",
            stone_wins=False,
            symmetries=(0, 2),
        ),
    )
}

FAMILIES = (
    Family(
        name="pentago",
        title="Pentago and Pentago-Twist",
        ids="pentago, pentago-twist",
        options=(
            "6×6, four quadrants; a move such as b2:1R is a stone, then a quadrant and its quarter "
            "turn, R or L, or in pentago-twist R or a flip, F"
        ),
        examples=("pentago", "pentago-twist"),
        find=_GAMES.get,
    ),
)
