"""``fivebook play``."""

from contextlib import ExitStack, closing
from dataclasses import replace

import click

from book.storage.address import Address
from engine.clock import Clock
from engine.game import Game
from engine.players.base import Player
from engine.position import Side
from engine.search import Limits, SearchOptions
from fivebook.options import BOOK, CLOCK, DURATION, GAME, POSITIVE, TABLE, THREADS
from fivebook.terminal import TerminalGame
from service.answerer import Answerer
from service.play.book import BookPlayer
from service.play.players import make_player

_MOVETIME = 1.0
_ENGINE = "engine"


@click.command()
@click.option(
    "--game", type=GAME, default="gomoku-15", show_default=True, help="See fivebook games."
)
@click.option(
    "--human",
    type=click.Choice([*(side.value for side in Side), "none"]),
    default="dark",
    show_default=True,
    help="The side you play; none: you watch.",
)
@click.option("--movetime", type=DURATION, help="Time of a move, and of a hint.  [default: 1s]")
@click.option("--nodes", type=POSITIVE, help="Nodes of a move, instead of a time.")
@click.option("--depth", type=POSITIVE, help="Plies of a move, instead of a time.")
@click.option(
    "--clock",
    type=CLOCK,
    help="Time of each side for the game, as in 5m, 5m+3s (added after every move) or 40/5m "
    "(again for every 40 moves).",
)
@click.option("--threads", type=THREADS, default=1, show_default=True, help="Of the engine.")
@click.option(
    "--table",
    type=TABLE,
    default=SearchOptions().table,
    show_default=True,
    help="The engine's transposition table, in MiB.",
)
@click.option("--book", type=BOOK, help="Book for the engine and for hints.")
@click.option(
    "--opponent",
    "opponents",
    multiple=True,
    metavar="PLAYER",
    help="Who plays you: as for 'fivebook arena'.  [default: engine]",
)
def play(
    game: Game,
    human: str,
    movetime: float | None,
    nodes: int | None,
    depth: int | None,
    clock: Clock | None,
    threads: int,
    table: int,
    book: Address | None,
    opponents: tuple[str, ...],
) -> None:
    """Play a game in the terminal against the engine, or against another player.

    Type a move such as h8, or in Pentago-swap b2:13, or a command; 'help' shows the commands.
    With --human none the opponent plays itself, or, where --opponent is given twice, the
    second one, the first being dark.

    \b
    Examples:
      fivebook play
      fivebook play --game gomoku-11 --human light --movetime 5s --book gomoku.db
      fivebook play --clock 5m+3s
      fivebook play --game pentago-swap --opponent closeness
      fivebook play --human none --opponent engine --opponent six-cell-frames
    """
    if len(opponents) > (2 if human == "none" else 1):
        raise click.UsageError("there are more opponents than sides to play")
    if movetime is None and nodes is None and depth is None:
        hint = Limits(movetime=_MOVETIME)
        limits = hint if clock is None else Limits(clock=clock)
    else:
        hint = Limits(depth, nodes, movetime)
        limits = replace(hint, clock=clock)
    options = SearchOptions(threads, table)
    names = opponents or (_ENGINE,)
    with ExitStack() as held:
        answerer = held.enter_context(Answerer([] if book is None else [book], options=options))
        players = {
            side: held.enter_context(closing(_player(name, game, limits, options, book)))
            for side, name in zip(Side, (names[0], names[-1]), strict=True)
            if side != human
        }
        TerminalGame(game, players, answerer, hint, clock).run()


def _player(
    name: str, game: Game, limits: Limits, options: SearchOptions, book: Address | None
) -> Player:
    player = make_player(name, game, limits, options)
    return BookPlayer(book, player) if book is not None and name == _ENGINE else player
