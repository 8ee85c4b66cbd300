"""Boards drawn with plain characters."""

from engine.games.base import Game
from engine.position import Position

_DARK, _LIGHT, _EMPTY = "X", "O", "."


def draw(game: Game, position: Position) -> str:
    """The board of `position`, a1 at the bottom left, with row numbers and column letters.

    >>> from engine import games
    >>> game = games.get("gomoku-5")
    >>> print(draw(game, game.play_line(game.parse_line("c3 d4"))))
    5  . . . . .
    4  . . . O .
    3  . . X . .
    2  . . . . .
    1  . . . . .
    <BLANKLINE>
       a b c d e
    """
    rows = [
        f"{row + 1:<3}"
        + " ".join(_mark(position, row * game.size + column) for column in range(game.size))
        for row in reversed(range(game.size))
    ]
    letters = " ".join(game.format_cell(column)[0] for column in range(game.size))
    return "\n".join([*rows, "", f"   {letters}"])


def _mark(position: Position, cell: int) -> str:
    if position.dark >> cell & 1:
        return _DARK
    return _LIGHT if position.light >> cell & 1 else _EMPTY
