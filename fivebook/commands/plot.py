"""The command that draws a book: `fivebook plot`."""

from pathlib import Path

import click

from book.reader import BookReader
from book.storage.address import Address
from book.whole.plot import draw, picture
from engine.game import Game
from fivebook.console import say
from fivebook.options import BOOK, GAME, force_option, game_of


@click.command()
@click.argument("book", type=BOOK)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="Image file to draw into: .png, .svg or .pdf.",
)
@force_option
@click.option("--game", type=GAME, help="Needed where the book holds several games.")
def plot(book: Address, output: Path, force: bool, game: Game | None) -> None:
    """Draw BOOK: positions by ply, book values, branching, and the value of the empty board as
    the book grew. Needs matplotlib.

    \b
    Examples:
      fivebook plot gomoku.db -o gomoku.png
      fivebook plot both.db --game pentago-swap -o swap.svg
    """
    with BookReader(book) as reader:
        game = game_of(reader, game)
        drawn = picture(reader, game)
    draw(drawn, book, output, force=force)
    say(f"drawn: {output}")
