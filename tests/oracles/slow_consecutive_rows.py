"""The agent of consecutive rows as its report tells it, with strings and dicts.

A board is a dict from (row, column) to ``x`` (dark) or ``o`` (light). Values are for dark.
"""

import re
from functools import cache

from engine.game import Game
from engine.position import Position, cells_of

Cell = tuple[int, int]
Board = dict[Cell, str]

WIN = 10**18
OTHER = {"x": "o", "o": "x"}
INFINITY = 10 * WIN

# What a row is worth: as many zeros, by its length and open ends, waiting and to move.
ZEROS = {
    (2, 1): (0, 1),
    (2, 2): (2, 3),
    (3, 1): (2, 3),
    (3, 2): (6, 9),
    (4, 1): (3, 15),
    (4, 2): (12, 15),
}


def stones_on(game: Game, position: Position) -> Board:
    """The stones of `position`."""
    stones = {"x": position.dark, "o": position.light}
    return {divmod(cell, game.size): stone for stone in stones for cell in cells_of(stones[stone])}


@cache
def lines_of(size: int) -> list[list[Cell]]:
    """Every row, column and diagonal of the board."""
    cells = [(row, column) for row in range(size) for column in range(size)]
    lines: dict[tuple[str, int], list[Cell]] = {}
    for row, column in cells:
        for name in (
            ("row", row),
            ("column", column),
            ("up", row - column),
            ("down", row + column),
        ):
            lines.setdefault(name, []).append((row, column))
    return list(lines.values())


def evaluation(size: int, board: Board, turn: str) -> int:
    """The value of the rows on the board when `turn` is to move."""
    value = 0
    for line in lines_of(size):
        text = "|" + "".join(board.get(cell, ".") for cell in line) + "|"
        for row in re.finditer("xx+|oo+", text):
            stone, length = row[0][0], len(row[0])
            sign = 1 if stone == "x" else -1
            open_ends = (text[row.start() - 1] + text[row.end()]).count(".")
            if length >= 5:
                return sign * WIN
            if open_ends:
                value += sign * 10 ** ZEROS[length, open_ends][stone == turn]
    return value


class SlowConsecutiveRows:
    """One search; `nodes` are the stones put on the board."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.nodes = 0

    def ranking(self, board: Board, turn: str) -> list[tuple[int, Cell]]:
        """The moves worth a look and the evaluation after each, best for `turn` first."""
        near = {
            (row + up, column + right)
            for row, column in board
            for up in (-1, 0, 1)
            for right in (-1, 0, 1)
        }
        ranking = []
        for row, column in sorted(near - board.keys()):
            if 0 <= row < self.size and 0 <= column < self.size:
                self.nodes += 1
                after = {**board, (row, column): turn}
                ranking.append((evaluation(self.size, after, OTHER[turn]), (row, column)))
        return sorted(ranking, key=lambda entry: entry[0], reverse=turn == "x")

    def search(self, board: Board, turn: str, depth: int) -> tuple[int, Cell]:
        """The value for `turn`, who is to move, and the best move."""
        value, best = self._best(board, turn, depth, -INFINITY, INFINITY)
        return (value if turn == "x" else -value), best

    def minimax(self, board: Board, turn: str, depth: int) -> int:
        """The value when no branch is left out."""
        values = []
        for value, cell in self.ranking(board, turn):
            if abs(value) >= WIN:
                value += depth if value > 0 else -depth
            elif depth > 1:
                value = self.minimax({**board, cell: turn}, OTHER[turn], depth - 1)
            values.append(value)
        return max(values) if turn == "x" else min(values)

    def _best(self, board: Board, turn: str, depth: int, low: int, high: int) -> tuple[int, Cell]:
        best = (-1, -1)
        for value, cell in self.ranking(board, turn):
            if abs(value) >= WIN:
                value += depth if value > 0 else -depth
            elif depth > 1:
                self.nodes += 1
                after = {**board, cell: turn}
                value, _ = self._best(after, OTHER[turn], depth - 1, low, high)
            if turn == "x" and value > low:
                low, best = value, cell
            if turn == "o" and value < high:
                high, best = value, cell
            if low >= high:
                break
        return (low if turn == "x" else high), best
