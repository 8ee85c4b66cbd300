"""The rules of Pentago-swap, Pentago and Pentago-Twist: a stone, then the quadrants change."""

from collections.abc import Iterator
from itertools import combinations

from book.checking.rules import Board, Rules, Turn, square_turns

SIZE = 6
QUADRANT = 0o777
# The row and column of the lower left cell of each quadrant, as they are numbered.
CORNERS = ((3, 0), (3, 3), (0, 0), (0, 3))
_IN_A_ROW = 5
# Where a quarter turn clockwise, one anticlockwise and a flip take a cell of a quadrant.
_CHANGES: dict[str, Turn] = {
    "R": lambda row, column: (2 - column, row),
    "L": lambda row, column: (column, 2 - row),
    "F": lambda row, column: (row, 2 - column),
}
# The letters of the changes of a quadrant; Pentago-swap has none, and swaps two.
LETTERS = {"pentago-swap": "", "pentago": "RL", "pentago-twist": "RF"}


def bit_of(row: int, column: int) -> int:
    """The bit of a cell: nine for each quadrant, row by row from its lower left."""
    corner = CORNERS.index((row // 3 * 3, column // 3 * 3))
    return 9 * corner + 3 * (row % 3) + column % 3


def changed(content: int, letter: str) -> int:
    """Nine cells of a quadrant after a change."""
    cells = (_CHANGES[letter](*divmod(cell, 3)) for cell in range(9) if content >> cell & 1)
    return sum(1 << 3 * row + column for row, column in cells)


def lines() -> list[int]:
    """Every row of five cells."""
    found = []
    for row in range(SIZE):
        for column in range(SIZE):
            for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + k * up, column + k * right) for k in range(_IN_A_ROW)]
                if all(0 <= r < SIZE and 0 <= c < SIZE for r, c in cells):
                    found.append(sum(1 << bit_of(r, c) for r, c in cells))
    return found


_LINES = lines()


class Quadrants(Rules):
    """A move is its stone's cell, then the number of the change that follows.

    Five or more in a row win after that change, five for both sides are a draw. In Pentago
    a five that the stone makes wins before it, and nothing is turned.
    """

    def __init__(self, game_id: str) -> None:
        letters = LETTERS[game_id]
        self.stone_wins = game_id == "pentago"
        if letters:
            self._changes = [
                (f"{corner + 1}{letter}", _turned(corner, letter))
                for corner in range(len(CORNERS))
                for letter in letters
            ]
        else:
            self._changes = [
                (f"{first + 1}{second + 1}", _swapped(first, second))
                for first, second in combinations(range(len(CORNERS)), 2)
            ]
        turns = square_turns(SIZE)
        if game_id == "pentago-twist":
            # A flip is no flip on the mirrored board: only half a turn changes nothing.
            turns = [turns[0], turns[3]]
        super().__init__(game_id, SIZE, SIZE * SIZE * len(self._changes), turns)

    def _bit(self, row: int, column: int) -> int:
        return bit_of(row, column)

    def play(self, board: Board, move: int) -> Board | None:
        cell, number = divmod(move, len(self._changes))
        stone = 1 << self.cells[cell] if 0 <= cell < len(self.cells) else 0
        own, other = board.sides
        if not stone or stone & (own | other):
            return None
        own |= stone
        if self.stone_wins and has_five(own):
            return board.with_sides(own, other)
        contents = self._changes[number][1]
        return board.with_sides(_arranged(own, contents), _arranged(other, contents))

    def moves(self, board: Board) -> Iterator[tuple[int, Board]]:
        for move in range(len(self.cells) * len(self._changes)):
            after = self.play(board, move)
            if after is not None:
                yield move, after

    def result(self, board: Board) -> int | None:
        own, other = map(has_five, board.sides)
        if own or other:
            return own - other
        return 0 if board.dark | board.light == self.full else None

    def name(self, move: int) -> str:
        cell, number = divmod(move, len(self._changes))
        return f"{self._cell_name(cell)}:{self._changes[number][0]}"

    def parse(self, text: str) -> int:
        cell, _, change = text.partition(":")
        names = [name for name, _ in self._changes]
        wanted = change.upper() if self._changes[0][0][1].isalpha() else "".join(sorted(change))
        if wanted not in names:
            raise ValueError(f"'{text}' is no move of {self.game_id}")
        return self._parse_cell(cell) * len(names) + names.index(wanted)


def has_five(stones: int) -> bool:
    """Whether `stones` hold five in a row."""
    return any(line & stones == line for line in _LINES)


# What comes to lie in each quadrant: whose content, and what nine cells of it become.
_Contents = list[tuple[int, list[int]]]
_UNCHANGED = list(range(QUADRANT + 1))


def _turned(corner: int, letter: str) -> _Contents:
    after = [changed(content, letter) for content in range(QUADRANT + 1)]
    return [(at, after if at == corner else _UNCHANGED) for at in range(len(CORNERS))]


def _swapped(first: int, second: int) -> _Contents:
    other = {first: second, second: first}
    return [(other.get(at, at), _UNCHANGED) for at in range(len(CORNERS))]


def _arranged(stones: int, contents: _Contents) -> int:
    return sum(
        after[stones >> 9 * source & QUADRANT] << 9 * at
        for at, (source, after) in enumerate(contents)
    )
