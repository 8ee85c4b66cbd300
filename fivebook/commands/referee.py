"""``fivebook referee``."""

from pathlib import Path

import click

from engine.clock import Clock
from engine.game import Game
from engine.search import Limits
from fivebook.console import FOUND
from fivebook.matches import Event, GamesType, match_options, openings_of, play
from fivebook.options import CLOCK, DURATION, GAME, MEMORY, json_option
from service.play.arena.match import MatchSettings
from service.play.arena.tournament import default_folder
from service.play.arena.workers import check_player
from service.play.swapping import OpeningRule

_PREFIX = "gomocup:"


@click.command()
@click.argument("programs", nargs=2, metavar="A B")
@click.option("--game", type=GAME, required=True, help="See fivebook games.")
@click.option(
    "--games",
    type=GamesType(min=2),
    default=2,
    show_default=True,
    help="An even number: every opening is played twice, colours swapped.",
)
@click.option(
    "--clock",
    type=CLOCK,
    help="Time of each program for a whole game, as in 180s or 180s+500ms.",
)
@click.option("--turn", type=DURATION, help="Time of a program for each turn, besides the clock.")
@click.option(
    "--memory",
    type=MEMORY,
    default="350MB",
    show_default=True,
    help="What each program may use; one that used more loses.",
)
@match_options(OpeningRule.SWAP2)
@json_option
def referee(
    programs: tuple[str, str],
    game: Game,
    games: int,
    clock: Clock | None,
    turn: float | None,
    memory: int,
    margin: float,
    openings: Path | None,
    empty_board: bool,
    opening_rule: str | None,
    save: Path | None,
    as_json: bool,
) -> None:
    """Have two programs play that speak the Gomocup protocol, and see that they keep to the rules.

    A and B are command lines. A program loses the game that fails or answers with nonsense, plays
    an illegal move, breaks the opening rule, or oversteps its time or its memory. The games are
    kept and gone on with as by fivebook arena. Exit status 1 tells that a game was lost like that.

    \b
    Examples:
      fivebook referee pbrain-fivebook ./pbrain-mine --game gomoku-15 --clock 180s --turn 30s
      fivebook referee ./a ./b --game gomoku-15-standard --clock 60s --games 40 \\
        --opening-rule swap2
    """
    if clock is None and turn is None:
        raise click.UsageError("give a --clock, a --turn, or both")
    lines = openings_of(game, games, openings, empty_board=empty_board, opening_rule=opening_rule)
    first, second = (f"{_PREFIX}{text.removeprefix(_PREFIX)}" for text in programs)
    settings = MatchSettings(
        game,
        (first, second),
        Limits(movetime=turn, clock=clock),
        margin,
        lines,
        memory=memory << 20,
        choosing=OpeningRule(opening_rule) if opening_rule else None,
    )
    for text in dict.fromkeys(settings.players):
        check_player(text, settings.table)
    folder = save or default_folder(settings.label, [settings])
    event = Event(settings.players, [(0, 1)], [settings], folder, has_table=False)
    tournament = event.tournament(games)
    status = play(tournament, jobs=1, quiet=as_json)
    event.show(tournament, as_json=as_json)
    if not tournament.complete:
        click.get_current_context().exit(status)
    if any(any(faults.values()) for faults in tournament.matches[0].tally.forfeits):
        click.get_current_context().exit(FOUND)
