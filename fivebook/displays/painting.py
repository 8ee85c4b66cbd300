"""Boards with a colour for each side."""

from rich.text import Text

from engine.game import Game
from engine.position import Cell, Position, cells_of
from service.play.drawing import MARGIN, draw, winning_cells

_DARK_STYLE, _LIGHT_STYLE, _WON_STYLE = "bold cyan", "bold yellow", "reverse"


def paint(game: Game, position: Position, last: Cell | None = None) -> Text:
    """`draw` with a colour for each side; rows that win stand out."""
    lines = Text(draw(game, position, last)).split("\n", allow_blank=True)
    for cells, style in (
        (cells_of(position.dark), _DARK_STYLE),
        (cells_of(position.light), _LIGHT_STYLE),
        (winning_cells(game, position), _WON_STYLE),
    ):
        for cell in cells:
            row, column = divmod(cell, game.width)
            at = MARGIN + 2 * column
            lines[game.height - 1 - row].stylize(style, at, at + 1)
    return Text("\n").join(lines)
