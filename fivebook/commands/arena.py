"""``fivebook arena``."""

import re
from pathlib import Path
from typing import Any

import click

from book.lessons import Lessons
from book.storage.address import Address
from engine.clock import Clock
from engine.game import Game
from engine.search import Limits
from fivebook.matches import Event, GamesType, match_options, openings_of, play
from fivebook.options import (
    BOOK,
    CLOCK,
    DURATION,
    GAME,
    MEMORY,
    POSITIVE,
    json_option,
    variety_options,
)
from service.play.arena.match import MatchSettings
from service.play.arena.statistics import Sprt
from service.play.arena.tournament import default_folder, gauntlet
from service.play.arena.tournament import round_robin as round_robin_of
from service.play.arena.workers import check_player
from service.play.swapping import OpeningRule
from service.play.variety import Variety

_MOVETIME = 0.1


class _SprtType(click.ParamType[Sprt]):
    name = "elo,elo"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Sprt:
        number = r"[+-]?[0-9]+(?:\.[0-9]+)?"
        match = re.fullmatch(rf"({number}),({number})", str(value))
        if match is None or not float(match[1]) < float(match[2]):
            self.fail(f"'{value}' is no pair of Elo differences, the lower first, such as 0,20")
        return Sprt(float(match[1]), float(match[2]))


@click.command()
@click.argument("players", nargs=-1, required=True)
@click.option("--game", type=GAME, required=True, help="See fivebook games.")
@click.option(
    "--games",
    type=GamesType(min=2),
    default=100,
    show_default=True,
    help="In each match, an even number.",
)
@click.option("--movetime", type=DURATION, help="Time for each move.  [default: 100ms]")
@click.option(
    "--clock",
    type=CLOCK,
    help="Time of each side for a whole game, as in 60s, 60s+500ms (added after every move) or "
    "40/60s (again for every 40 moves).",
)
@click.option("--nodes", type=POSITIVE, help="Nodes for each move, instead of or besides a time.")
@click.option("--depth", type=POSITIVE, help="Depth for each move, in plies, likewise.")
@click.option("--jobs", type=POSITIVE, default=1, show_default=True, help="Games at a time.")
@click.option(
    "--sprt",
    type=_SprtType(),
    help="Two Elo differences, such as 0,20: stop once A is found to be at most the one or at "
    "least the other.",
)
@click.option("--round-robin", is_flag=True, help="Each player against each.")
@click.option(
    "--gauntlet", "is_gauntlet", is_flag=True, help="The first player against each of the others."
)
@match_options(*OpeningRule)
@click.option(
    "--memory",
    type=MEMORY,
    help="What a Gomocup program may use, as in 350MB; one that used more loses.",
)
@variety_options
@click.option(
    "--learn",
    type=BOOK,
    help="Note the games that A loses, for this book: fivebook build --mode learn learns from "
    "them.",
)
@json_option
def arena(
    players: tuple[str, ...],
    game: Game,
    games: int,
    movetime: float | None,
    clock: Clock | None,
    nodes: int | None,
    depth: int | None,
    openings: Path | None,
    empty_board: bool,
    jobs: int,
    sprt: Sprt | None,
    margin: float,
    round_robin: bool,
    is_gauntlet: bool,
    opening_rule: str | None,
    memory: int | None,
    book_margin: float,
    seed: int | None,
    excluded: str | None,
    save: Path | None,
    learn: Address | None,
    as_json: bool,
) -> None:
    """Play matches between PLAYERS, A and B, and tell the Elo difference.

    A player is engine, random, the name of a published agent, bsdgames or gomocup:COMMAND. Some
    take options, as in engine:nodes=20000 or engine:book=gomoku.db. The limits are for players
    that keep to limits; agents take the time they need, but a clock runs for all. Results are
    from A's point of view.

    Every opening is played twice, colours swapped. Illegal moves and overstepped limits lose.
    On a terminal the games are drawn while they are played. --book-margin and --seed are for
    players with a book that name none of their own; each game is given other choices. Ctrl-C
    stops; the same command goes on where it stopped, also after a crash, and with more --games
    where it ended.

    \b
    Examples:
      fivebook arena engine six-cell-frames --game gomoku-15 --games 200 --jobs 2
      fivebook arena engine:nodes=20000 engine:nodes=10000 --game gomoku-15 --sprt 0,20
      fivebook arena engine:book=gomoku.db engine --game gomoku-15 --empty-board --games 200
      fivebook arena engine 'gomocup:./pbrain-mine' --game gomoku-15 --clock 30s+500ms
      fivebook arena --round-robin engine random weighted-defence --game gomoku-11 --games 20
      fivebook arena --gauntlet engine 'gomocup:./a' random --game gomoku-15
    """
    is_table = round_robin or is_gauntlet
    _check_combination(players, sprt, round_robin=round_robin, is_gauntlet=is_gauntlet)
    if not (movetime or clock or nodes or depth):
        movetime = _MOVETIME
    limits = Limits(depth, nodes, movetime, clock)
    lines = openings_of(game, games, openings, empty_board=empty_board, opening_rule=opening_rule)
    pairs = gauntlet(len(players)) if is_gauntlet else round_robin_of(len(players))
    settings = [
        MatchSettings(
            game,
            (players[a], players[b]),
            limits,
            margin,
            lines,
            memory=(memory or 0) << 20,
            choosing=OpeningRule(opening_rule) if opening_rule else None,
            variety=Variety(book_margin, seed, excluded),
        )
        for a, b in pairs
    ]
    label = "gauntlet" if is_gauntlet else "round-robin" if round_robin else settings[0].label
    folder = save or default_folder(label, settings)
    for text in dict.fromkeys(players):
        # Refuses bad ones, and compiles kernels before any worker would.
        check_player(text, settings[0].table)
    event = Event(players, pairs, settings, folder, has_table=is_table)
    tournament = event.tournament(games, sprt, None if learn is None else Lessons(learn))
    status = play(tournament, jobs, quiet=as_json)
    event.show(tournament, as_json=as_json)
    if not tournament.complete:
        click.get_current_context().exit(status)


def _check_combination(
    players: tuple[str, ...], sprt: Sprt | None, *, round_robin: bool, is_gauntlet: bool
) -> None:
    if round_robin and is_gauntlet:
        raise click.UsageError("--round-robin and --gauntlet cannot be combined")
    option = "--gauntlet" if is_gauntlet else "--round-robin" if round_robin else None
    if option and sprt is not None:
        raise click.UsageError(f"--sprt is for one match and cannot be combined with {option}")
    if option and len(players) < 2:
        raise click.UsageError(f"{option} needs two players or more")
    if not option and len(players) != 2:
        raise click.UsageError(
            "name two players, A and B; for more there are --round-robin and --gauntlet"
        )
