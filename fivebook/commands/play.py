"""``fivebook play``."""

from contextlib import ExitStack, closing
from dataclasses import replace
from random import randrange

import click

from book.storage.address import Address
from engine.clock import Clock
from engine.game import Game
from engine.players.base import Player
from engine.position import Side
from engine.search import Limits, SearchOptions
from fivebook.options import BOOK, CLOCK, DURATION, GAME, POSITIVE, TABLE, THREADS, variety_options
from fivebook.terminal import TerminalGame
from service.answerer import Answerer
from service.play.book import BookPlayer
from service.play.openers import opener_of
from service.play.players import make_player
from service.play.swapping import Opening, OpeningRule
from service.play.variety import Variety

_MOVETIME = 1.0
_GAMES = 1 << 30
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
@click.option(
    "--opening-rule",
    type=click.Choice([rule.value for rule in OpeningRule]),
    help="Put stones and choose colours first: three stones and a colour (swap), the same with "
    "two more stones as a third choice (swap2), or the three stones of a renju opening (rif). "
    "Who is dark by --human puts the first ones.",
)
@variety_options
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
    opening_rule: str | None,
    book_margin: float,
    seed: int | None,
    excluded: str | None,
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
      fivebook play --opening-rule swap2 --human light --book gomoku.db --book-margin 3%
      fivebook play --game gomoku-15-renju --opening-rule rif
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
    variety = Variety(book_margin, seed, excluded)
    opening = None if opening_rule is None else Opening(game, OpeningRule(opening_rule))
    with ExitStack() as held:
        answerer = held.enter_context(Answerer([] if book is None else [book], options=options))
        players = {
            side: held.enter_context(closing(_player(name, game, limits, options, book, variety)))
            for side, name in zip(Side, (names[0], names[-1]), strict=True)
            if side != human
        }
        number = randrange(_GAMES) if seed is None else seed
        openers = {
            side: held.enter_context(opener_of(player, opening.rule, number))
            for side, player in players.items()
            if opening is not None
        }
        TerminalGame(game, players, answerer, hint, clock, opening=opening, openers=openers).run()


def _player(
    name: str,
    game: Game,
    limits: Limits,
    options: SearchOptions,
    book: Address | None,
    variety: Variety,
) -> Player:
    player = make_player(name, game, limits, options, variety)
    return BookPlayer(book, player, variety) if book is not None and name == _ENGINE else player
