"""``fivebook prune``."""

from dataclasses import asdict

import click

from book.reader import BookReader
from book.storage.address import Address
from book.whole.prune import Cut, look, look_at_game, take_out_game
from book.whole.prune import prune as prune_book
from engine.game import Game
from fivebook.console import echo, print_json
from fivebook.options import BOOK, GAME, PERCENTAGE, game_of, json_option


@click.command()
@click.argument("book", type=BOOK)
@click.option(
    "--game",
    type=GAME,
    help="Needed where the book holds several games. Alone: take out all of this one.",
)
@click.option("--plies", type=click.IntRange(min=0), help="Take out what is deeper than this ply.")
@click.option(
    "--max-loss",
    type=PERCENTAGE,
    metavar="X%",
    help="Take out what is reached by a move that gives away more winning probability.",
)
@click.option("--below", metavar="MOVES", help="Take out what is reached through this line only.")
@click.option(
    "--unreached",
    is_flag=True,
    help="Take out what the empty board does not lead to, as what grew below --roots.",
)
@click.option("--dry-run", is_flag=True, help="Only say how much it would be.")
@json_option
def prune(
    book: Address,
    game: Game | None,
    plies: int | None,
    max_loss: float | None,
    below: str | None,
    unreached: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Take positions out of BOOK: the deep, the badly played, those below a line, or all of a game.

    What stays keeps its value, proof and best move. A way to a position is good or bad as a whole:
    --max-loss looks at the cheapest one from the empty board, as fivebook build does. Positions
    that the empty board no longer leads to go as well; those it never led to only by --plies and
    --unreached. Searches that are planned are dropped. fivebook vacuum then gives the space back.

    With --game and nothing else that game is taken out as a whole, if BOOK holds others.

    \b
    Examples:
      fivebook prune gomoku.db --plies 12 --dry-run
      fivebook prune gomoku.db --max-loss 20%
      fivebook prune gomoku.db --below "h8 a1"
      fivebook prune gomoku.db --unreached
      fivebook prune both.db --game pentago-swap --dry-run
    """
    is_cut = unreached or not (plies is None and max_loss is None and below is None)
    if game is None and not is_cut:
        raise click.UsageError(
            "say what is to go: --plies, --max-loss, --below or --unreached, or by --game alone "
            "a whole game"
        )
    with BookReader(book) as reader:
        game = game_of(reader, game)
    if is_cut:
        line = None if below is None else game.play_line(game.parse_line(below))
        work = look if dry_run else prune_book
        pruned = work(book, game, Cut(plies, max_loss, line, unreached))
    else:
        pruned = (look_at_game if dry_run else take_out_game)(book, game)
    if as_json:
        print_json({"book": str(book), "dry_run": dry_run, **asdict(pruned)})
        return
    verb = "would go" if dry_run else "are gone"
    echo(
        f"{book}: {pruned.removed:,} positions {verb}, about {pruned.bytes:,} bytes; "
        f"{pruned.left:,} positions stay"
    )
