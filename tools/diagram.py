"""Draws a position with a book's known moves as an SVG image, or a line of moves.

    python -m tools.diagram gomoku.db "h8 i9" > docs/first-book.svg
    python -m tools.diagram gomoku.db "h8 i9 g9" --numbered > line.svg

With `--numbered` the stones have the numbers of their moves, and nothing else is drawn.
Each move to a stored position is a disc on its cell with its winning probability in per cent, or
with the plies to the end where the value is proven. The best move is green; the more a move gives
away against it, the redder it is.
"""

from collections.abc import Iterator, Sequence

import click

from book.entry import BookMove
from book.reader import BookReader
from book.storage.address import Address
from engine.game import Game
from engine.position import Cell, Move, Position, cells_of
from engine.values import distance, winning_probability
from fivebook.options import BOOK, GAME, name_game

_STEP = 30
_MARGIN = 32
_MOST_MOVES = 12
# A move that gives away so much winning probability is drawn red.
_BAD = 0.1
_STYLE = """<style>
  svg { font: 11px system-ui, sans-serif; }
  .board { fill: #e8c888; } line { stroke: #6b5424; } .frame { fill: #6b5424; }
  .dark { fill: #111; } .light { fill: #fff; stroke: #444; }
  text { text-anchor: middle; dominant-baseline: central; }
</style>"""


@click.command()
@click.argument("book", type=BOOK)
@click.argument("moves", default="")
@click.option("--game", type=GAME, help="The game, where BOOK holds several.")
@click.option("--numbered", is_flag=True, help="Number the stones.")
def main(book: Address, moves: str, game: Game | None, numbered: bool) -> None:
    """Print the position after MOVES, with what BOOK knows of it, as SVG."""
    with BookReader(book) as reader:
        held = {each.id: each for each in reader.games}
        game = held[name_game(book, list(held), game)]
        line = game.parse_line(moves)
        position = game.play_line(line)
        if numbered:
            marks = [*_stones(game, position), *_numbers(game, line)]
            title = f"{game.title}: {moves}"
        else:
            known = [move for move in reader.find(game, position).moves if move.in_book]
            marks = [*_stones(game, position), *_moves(game, known)]
            title = f"{game.title}: {len(known)} known moves"
    click.echo("\n".join(_image(game, title, marks)))


def _image(game: Game, title: str, marks: Sequence[str]) -> Iterator[str]:
    """The lines of an SVG image of an empty board, row 1 at the bottom, with `marks` on it."""
    side = 2 * _MARGIN + (game.width - 1) * _STEP
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" role="img">'
    yield f"<title>{title}</title>"
    yield _STYLE
    yield f'<rect class="board" width="{side}" height="{side}" rx="6"/>'
    first, last = _MARGIN, side - _MARGIN
    for index in range(game.width):
        at = _MARGIN + index * _STEP
        letter, number = game.format_cell(index)[0], index + 1
        yield f'<line x1="{at}" y1="{first}" x2="{at}" y2="{last}"/>'
        yield f'<line x1="{first}" y1="{at}" x2="{last}" y2="{at}"/>'
        yield f'<text class="frame" x="{at}" y="{side - 12}">{letter}</text>'
        yield f'<text class="frame" x="12" y="{side - at}">{number}</text>'
    yield from marks
    yield "</svg>"


def _stones(game: Game, position: Position) -> Iterator[str]:
    for name, stones in (("dark", position.dark), ("light", position.light)):
        for cell in cells_of(stones):
            x, y = _centre(game, cell)
            yield f'<circle class="{name}" cx="{x}" cy="{y}" r="12.5"/>'


def _numbers(game: Game, line: Sequence[Move]) -> Iterator[str]:
    """For each stone the number of its move."""
    for number, move in enumerate(line, 1):
        x, y = _centre(game, game.cell_of(move))
        colour = "#fff" if number % 2 else "#111"
        yield f'<text x="{x}" y="{y}" fill="{colour}">{number}</text>'


def _moves(game: Game, known: Sequence[BookMove]) -> Iterator[str]:
    """The first of the `known` moves, which are best first."""
    for move in known[:_MOST_MOVES]:
        x, y = _centre(game, game.cell_of(move.move))
        loss = winning_probability(known[0].value) - winning_probability(move.value)
        hue = round(120 * (1 - min(loss / _BAD, 1)))
        yield f'<circle cx="{x}" cy="{y}" r="12.5" fill="hsl({hue} 70% 72%)" stroke="#333"/>'
        yield f'<text x="{x}" y="{y}">{_label(move)}</text>'


def _centre(game: Game, cell: Cell) -> tuple[int, int]:
    row, column = divmod(cell, game.width)
    return _MARGIN + column * _STEP, _MARGIN + (game.height - 1 - row) * _STEP


def _label(move: BookMove) -> str:
    plies = distance(move.value) if move.proven else None
    if plies is not None:
        return f"{'+' if move.value > 0 else '-'}{plies}"
    return f"{100 * winning_probability(move.value):.0f}"


if __name__ == "__main__":
    main()
