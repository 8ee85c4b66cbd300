"""Boards drawn with characters."""

from collections.abc import Iterator

from engine.game import Game
from engine.position import Bitboard, Cell, Position, board_of, cells_of

_DARK, _LIGHT, _EMPTY = "X", "O", "."
MARGIN = 3
"""Characters before the first cell of a row; each cell takes two."""
# Along a row, a column and both diagonals: steps of row and column.
_DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def draw(game: Game, position: Position, last: Cell | None = None) -> str:
    """The board of `position`, a1 at the bottom left, with row numbers and column letters.

    The stone on `last` stands in parentheses.

    >>> from engine import registry
    >>> game = registry.get("gomoku-5")
    >>> print(draw(game, game.play_line(game.parse_line("c3 d4"))))
    5  . . . . .
    4  . . . O .
    3  . . X . .
    2  . . . . .
    1  . . . . .
    <BLANKLINE>
       a b c d e
    """
    rows = [_row(game, position, row, last) for row in reversed(range(game.height))]
    letters = " ".join(game.format_cell(column)[0] for column in range(game.width))
    return "\n".join([*rows, "", " " * MARGIN + letters])


def winning_cells(game: Game, position: Position) -> list[Cell]:
    """The stones of all rows that win, ascending."""
    won = 0
    for row in _rows(game.width, position.dark):
        won |= row if game.outcome(Position(dark=row)) is not None else 0
    for row in _rows(game.width, position.light):
        won |= row if game.outcome(Position(light=row)) is not None else 0
    return cells_of(won)


def _row(game: Game, position: Position, row: int, last: Cell | None) -> str:
    cells = range(row * game.width, (row + 1) * game.width)
    text = f"{row + 1:<{MARGIN}}" + " ".join(_mark(position, cell) for cell in cells)
    if last is None or last not in cells:
        return text
    at = MARGIN + 2 * cells.index(last)
    return f"{text[: at - 1]}({text[at]}){text[at + 2 :]}"


def _mark(position: Position, cell: Cell) -> str:
    if position.dark >> cell & 1:
        return _DARK
    return _LIGHT if position.light >> cell & 1 else _EMPTY


def _rows(width: int, stones: Bitboard) -> Iterator[Bitboard]:
    """Every row of `stones` that cannot be made longer, single stones among them."""
    cells = {divmod(cell, width) for cell in cells_of(stones)}
    for row, column in cells:
        for up, right in _DIRECTIONS:
            if (row - up, column - right) in cells:
                continue
            length = 1
            while (row + length * up, column + length * right) in cells:
                length += 1
            yield board_of(
                (row + step * up) * width + column + step * right for step in range(length)
            )
