"""``fivebook arena``."""

import re
from itertools import combinations
from pathlib import Path
from typing import Any

import click

from book.processes import stopping_on_interrupt
from engine.clock import Clock
from engine.game import Game
from engine.search import Limits
from fivebook.console import NOT_FINISHED, console, echo, print_json, say
from fivebook.displays.match_report import (
    as_document,
    cross_table_view,
    match_view,
    summary_line,
    table_document,
)
from fivebook.displays.progress import ProgressDisplay
from fivebook.options import CLOCK, DURATION, GAME, POSITIVE, json_option
from service.play.arena.match import MatchSettings, distinct_names
from service.play.arena.openings import Opening, read_openings, suite
from service.play.arena.statistics import Sprt
from service.play.arena.tournament import Tournament, cross_table, default_folder
from service.play.players import make_player

_MOVETIME = 0.1


class _SprtType(click.ParamType[Sprt]):
    name = "elo,elo"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Sprt:
        number = r"[+-]?[0-9]+(?:\.[0-9]+)?"
        match = re.fullmatch(rf"({number}),({number})", str(value))
        if match is None or not float(match[1]) < float(match[2]):
            self.fail(f"'{value}' is no pair of Elo differences, the lower first, such as 0,20")
        return Sprt(float(match[1]), float(match[2]))


class _GamesType(click.IntRange):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        games = int(super().convert(value, param, ctx))
        if games % 2:
            self.fail(f"{games} is odd: every opening is played twice, colours swapped")
        return games


@click.command()
@click.argument("players", nargs=-1, required=True)
@click.option("--game", type=GAME, required=True, help="See fivebook games.")
@click.option(
    "--games",
    type=_GamesType(min=2),
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
@click.option(
    "--openings",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A file of openings, a line of moves for each.  [default: the checkout's suite for the "
    "game in data/openings, else the empty board]",
)
@click.option("--empty-board", is_flag=True, help="Begin all games with the empty board.")
@click.option("--jobs", type=POSITIVE, default=1, show_default=True, help="Games at a time.")
@click.option(
    "--sprt",
    type=_SprtType(),
    help="Two Elo differences, such as 0,20: stop once A is found to be at most the one or at "
    "least the other.",
)
@click.option(
    "--margin",
    type=DURATION,
    default="50ms",
    show_default=True,
    help="A move that takes this much longer than its time, or than the clock has left, loses.",
)
@click.option("--round-robin", is_flag=True, help="Each player against each.")
@click.option(
    "--save",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the games.  [default: one in matches/ for these settings]",
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
    save: Path | None,
    as_json: bool,
) -> None:
    """Play matches between PLAYERS, A and B, and tell the Elo difference.

    A player is engine, random, the name of a published agent, bsdgames or gomocup:COMMAND. Some
    take options, as in engine:nodes=20000 or engine:book=gomoku.db. The limits are for players
    that keep to limits; agents take the time they need, but a clock runs for all. Results are
    from A's point of view.

    Every opening is played twice, colours swapped. Illegal moves and overstepped time lose.
    Ctrl-C stops; the same command goes on where it stopped, also after a crash, and with more
    --games where it ended.

    \b
    Examples:
      fivebook arena engine six-cell-frames --game gomoku-15 --games 200 --jobs 2
      fivebook arena engine:nodes=20000 engine:nodes=10000 --game gomoku-15 --sprt 0,20
      fivebook arena engine:book=gomoku.db engine --game gomoku-15 --empty-board --games 200
      fivebook arena engine 'gomocup:./pbrain-mine' --game gomoku-15 --clock 30s+500ms
      fivebook arena --round-robin engine random weighted-defence --game gomoku-11 --games 20
    """
    _check_combination(players, round_robin, sprt)
    if not (movetime or clock or nodes or depth):
        movetime = _MOVETIME
    limits = Limits(depth, nodes, movetime, clock)
    lines = _openings(game, openings, empty_board)
    settings = [
        MatchSettings(game, pair, limits, margin, lines) for pair in combinations(players, 2)
    ]
    folder = save or default_folder("round-robin" if round_robin else settings[0].label, settings)
    for text in dict.fromkeys(players):
        # Refuses bad ones, and compiles kernels before any worker would.
        make_player(text, game, limits).close()
    _note_repeats(games, len(lines))
    tournament = Tournament(_placed(settings, folder, round_robin), games, sprt)
    with (
        ProgressDisplay(summary_line, match_view, quiet=as_json) as progress,
        stopping_on_interrupt(tournament.stop) as interruption,
    ):
        tournament.play(jobs, progress.show)
    if as_json:
        print_json(_as_dict(players, tournament, folder, round_robin))
    else:
        _print_end(players, tournament, folder, round_robin)
    if not tournament.complete:
        click.get_current_context().exit(interruption.status)


def _openings(game: Game, file: Path | None, empty_board: bool) -> tuple[Opening, ...]:
    if file is None:
        return ((),) if empty_board else suite(game)
    if empty_board:
        raise click.UsageError("--openings and --empty-board cannot be combined")
    return read_openings(game, file)


def _check_combination(players: tuple[str, ...], round_robin: bool, sprt: Sprt | None) -> None:
    if round_robin and sprt is not None:
        raise click.UsageError("--sprt is for one match and cannot be combined with --round-robin")
    if round_robin and len(players) < 2:
        raise click.UsageError("--round-robin needs two players or more")
    if not round_robin and len(players) != 2:
        raise click.UsageError("name two players, A and B; for more there is --round-robin")


def _note_repeats(games: int, openings: int) -> None:
    if games > 2 * openings:
        count = "one opening" if openings == 1 else f"{openings} openings"
        echo(
            f"Note: {games // 2} pairs of games share {count}: players that leave nothing to "
            "chance repeat their games.",
            err=True,
        )


def _placed(
    settings: list[MatchSettings], folder: Path, round_robin: bool
) -> dict[Path, MatchSettings]:
    if not round_robin:
        return {folder: settings[0]}
    return {folder / f"{n:02}-{each.label}": each for n, each in enumerate(settings, start=1)}


def _as_dict(
    players: tuple[str, ...], tournament: Tournament, folder: Path, round_robin: bool
) -> dict[str, Any]:
    matches = tournament.matches
    if not round_robin:
        return as_document(matches[0])
    return {
        "folder": str(folder),
        "complete": tournament.complete,
        "table": table_document(cross_table(distinct_names(players), matches)),
        "matches": [as_document(match) for match in matches],
    }


def _print_end(
    players: tuple[str, ...], tournament: Tournament, folder: Path, round_robin: bool
) -> None:
    matches = tournament.matches
    if round_robin:
        console.print(cross_table_view(cross_table(distinct_names(players), matches)))
    else:
        console.print(match_view(matches[0]))
    if not tournament.complete:
        end = f"{NOT_FINISHED} The games are in {folder}"
    elif any(match.played for match in matches):
        end = f"The games are in {folder}"
    else:
        end = f"Played before: the games are in {folder}. To start anew, delete it or use --save."
    say(end)
