"""The rules of the Pentago games: a stone, then quadrants change."""

from collections.abc import Callable
from itertools import combinations

import numpy as np

from book.audit.quadrant_kernels import changed, has_five
from book.audit.rules import HALF_TURN, OF_THE_SQUARE, AuditBoard, AuditRules
from book.certificates.pentago_swap.arrangements import place_of

SIZE = 6
# Where a quarter turn clockwise, one anticlockwise and a flip take a cell of a quadrant.
_TURNS: dict[str, Callable[[int, int], tuple[int, int]]] = {
    "R": lambda row, column: (2 - column, row),
    "L": lambda row, column: (column, 2 - row),
    "F": lambda row, column: (row, 2 - column),
}
# The letters of the changes of a quadrant; Pentago-swap has none, and swaps two.
LETTERS = {"pentago-swap": "", "pentago": "RL", "pentago-twist": "RF"}


class QuadrantRules(AuditRules):
    """A move is its stone's cell, then the number of the change that follows.

    Five or more in a row win after that change, five for both sides are a draw. In Pentago
    a five that the stone makes wins before it, and nothing is turned. Each quadrant has nine bits,
    row by row from its lower left.
    """

    searched_by = "book.audit.quadrant_endings"

    def __init__(self, game_id: str) -> None:
        self.stone_wins = game_id == "pentago"
        changes = _changes(LETTERS[game_id])
        self._names = list(changes)
        self.table = _table(list(changes.values()))
        # A flip is no flip on the mirrored board.
        symmetries = HALF_TURN if game_id == "pentago-twist" else OF_THE_SQUARE
        super().__init__(game_id, SIZE, SIZE, SIZE * SIZE * len(changes), symmetries)

    def _bit(self, row: int, column: int) -> int:
        return 9 * place_of(column, row) + 3 * (row % 3) + column % 3

    def play(self, board: AuditBoard, move: int) -> AuditBoard | None:
        cell, change = divmod(move, len(self._names))
        stone = 1 << self.cells[cell] if 0 <= cell < len(self.cells) else 0
        own, other = board.sides
        if not stone or stone & (own | other):
            return None
        own |= stone
        if self.stone_wins and has_five(own):
            return board.with_sides(own, other)
        return board.with_sides(
            changed(own, change, self.table), changed(other, change, self.table)
        )

    def result(self, board: AuditBoard) -> int | None:
        own, other = (has_five(stones) for stones in board.sides)
        if own or other:
            return int(own) - int(other)
        return 0 if board.dark | board.light == self.full else None

    def name(self, move: int) -> str:
        cell, change = divmod(move, len(self._names))
        return f"{self._cell_name(cell)}:{self._names[change]}"


def find_rules(game_id: str) -> QuadrantRules | None:
    """The rules of a game of this kind; None if the id is of no such game."""
    return QuadrantRules(game_id) if game_id in LETTERS else None


def _changes(letters: str) -> dict[str, list[int]]:
    """What may follow a stone, by name: for each bit, the one it becomes."""
    if not letters:
        return {f"{a + 1}{b + 1}": _swapped(a, b) for a, b in combinations(range(4), 2)}
    return {f"{at + 1}{letter}": _turned(at, letter) for at in range(4) for letter in letters}


def _swapped(first: int, second: int) -> list[int]:
    places = {first: second, second: first}
    return [9 * places.get(bit // 9, bit // 9) + bit % 9 for bit in range(36)]


def _turned(at: int, letter: str) -> list[int]:
    turned = [3 * row + column for row, column in (_TURNS[letter](*divmod(n, 3)) for n in range(9))]
    return [9 * at + turned[bit % 9] if bit // 9 == at else bit for bit in range(36)]


def _table(changes: list[list[int]]) -> "np.ndarray[tuple[int, ...], np.dtype[np.int64]]":
    """By change and quadrant, what each content of it becomes, as bits of the board."""
    contents = np.arange(512)
    table = np.zeros((len(changes), 4, 512), dtype=np.int64)
    for number, becomes in enumerate(changes):
        for bit, after in enumerate(becomes):
            table[number, bit // 9] |= (contents >> bit % 9 & 1) << after
    return table
