"""``fivebook gobang``."""

from contextlib import closing
from functools import partial

import click

from book.storage.address import Address
from engine import registry
from engine.game import Game
from engine.players.base import Player
from engine.players.engine import EnginePlayer
from engine.position import Cell, Position, Side
from engine.search import Limits, SearchOptions
from fivebook.console import console
from fivebook.displays.painting import paint
from fivebook.options import BOOK, DURATION, POSITIVE, TABLE, THREADS
from service.play.book import BookPlayer
from service.play.gobang import PacedEngine, play_gobang
from service.play.players import make_player
from service.play.typed import typed_lines

_GAME_TIME = 120.0
_ENGINE = "engine"


@click.command()
@click.option(
    "-n",
    "--size",
    type=click.IntRange(5, 26),
    default=11,
    show_default=True,
    help="Rows and columns of the board.",
)
@click.option("-l", "--light", is_flag=True, help="You play light, and the program moves first.")
@click.option(
    "--movetime", type=DURATION, default="30s", show_default=True, help="Most time of a move."
)
@click.option("--nodes", type=POSITIVE, help="Nodes of a move, instead of a time.")
@click.option("--threads", type=THREADS, default=1, show_default=True, help="Of the engine.")
@click.option(
    "--table",
    type=TABLE,
    default=SearchOptions().table,
    show_default=True,
    help="The engine's transposition table, in MiB.",
)
@click.option("--book", type=BOOK, help="Book for the engine.")
@click.option(
    "--opponent",
    metavar="PLAYER",
    default=_ENGINE,
    show_default=True,
    help="Who plays you: as for 'fivebook arena'.",
)
def gobang(
    size: int,
    light: bool,
    movetime: float,
    nodes: int | None,
    threads: int,
    table: int,
    book: Address | None,
    opponent: str,
) -> None:
    """Play gobang by lines of text, as class-room programs and their referees do.

    Five or more in a row win; dark moves first. Standard input has your moves, one a line: a
    column letter, in either case, and a row number counted from the bottom, such as f6. Empty
    lines are passed over. A line that is no move, or one that cannot be played, is answered
    with a sentence that says why; write another one then.

    Standard output has each move of the program alone on a line, as in "Move played: f6", and
    after the last move of the game "Dark wins!", "Light wins!" or "Tie!". Only a terminal is
    shown the board. The engine thinks for at most 2 minutes in a game, and ever less a move.

    The exit status is 0, and so it is if the input ends early.

    \b
    Examples:
      fivebook gobang
      fivebook gobang -n 15 -l --movetime 2s
      printf 'f6\\ng7\\n' | fivebook gobang --nodes 10000
    """
    game = registry.get(f"gomoku-{size}")
    options = SearchOptions(threads, table)
    with closing(_player(game, opponent, movetime, nodes, options, book)) as player:
        lines, show = typed_lines(), partial(_show, game)
        if (
            play_gobang(player, lines, click.echo, show, human=Side.LIGHT if light else Side.DARK)
            is None
        ):
            click.echo("The input ended before the game did.", err=True)


def _show(game: Game, position: Position, last: Cell) -> None:
    if console.is_terminal:
        console.print(paint(game, position, last), end="\n\n")


def _player(
    game: Game,
    opponent: str,
    movetime: float,
    nodes: int | None,
    options: SearchOptions,
    book: Address | None,
) -> Player:
    if opponent != _ENGINE:
        # An even share, since their time is not measured.
        share = min(movetime, _GAME_TIME / ((game.cell_count + 1) // 2))
        limits = Limits(nodes=nodes, movetime=None if nodes else share)
        return make_player(opponent, game, limits, options)
    player: Player
    if nodes:
        player = EnginePlayer(game, Limits(nodes=nodes), options)
    else:
        engine = EnginePlayer(game, Limits(movetime=movetime), options)
        player = PacedEngine(engine, movetime, _GAME_TIME)
    return player if book is None else BookPlayer(book, player)
