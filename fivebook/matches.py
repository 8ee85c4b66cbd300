"""Matches and tournaments as commands play them: shown while they run, and told at the end."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from book.lessons import Lessons
from book.processes import stopping_on_interrupt
from engine.game import Game
from fivebook.console import NOT_FINISHED, console, echo, print_json, say
from fivebook.displays.match_report import (
    as_document,
    cross_table_view,
    match_view,
    summary_line,
    table_document,
)
from fivebook.displays.progress import ProgressDisplay
from fivebook.options import DURATION
from service.play.arena.match import MatchSettings, distinct_names
from service.play.arena.openings import Opening, read_openings, suite
from service.play.arena.statistics import Sprt
from service.play.arena.tournament import Pair, Tournament, cross_table
from service.play.swapping import OpeningRule

_Command = TypeVar("_Command", bound=Callable[..., Any])


class GamesType(click.IntRange):
    """A number of games of a match."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        games = int(super().convert(value, param, ctx))
        if games % 2:
            self.fail(f"{games} is odd: every opening is played twice, colours swapped")
        return games


@dataclass(frozen=True, slots=True)
class Event:
    """What is played: a match of each of `pairs` of `players`, told as a table if `has_table`."""

    players: Sequence[str]
    pairs: Sequence[Pair]
    settings: Sequence[MatchSettings]
    folder: Path
    has_table: bool

    def tournament(
        self, games: int, sprt: Sprt | None = None, lessons: Lessons | None = None
    ) -> Tournament:
        """The matches, each in its folder."""
        return Tournament(self._placed(), games, sprt, lessons)

    def _placed(self) -> dict[Path, MatchSettings]:
        if not self.has_table:
            return {self.folder: self.settings[0]}
        return {
            self.folder / f"{n:02}-{each.label}": each
            for n, each in enumerate(self.settings, start=1)
        }

    def show(self, tournament: Tournament, *, as_json: bool) -> None:
        """Print what has come of it."""
        if as_json:
            print_json(self._document(tournament))
        else:
            self._print(tournament)

    def _document(self, tournament: Tournament) -> dict[str, Any]:
        matches = tournament.matches
        if not self.has_table:
            return as_document(matches[0])
        rows = cross_table(distinct_names(self.players), matches, self.pairs)
        return {
            "folder": str(self.folder),
            "complete": tournament.complete,
            "table": table_document(rows),
            "matches": [as_document(match) for match in matches],
        }

    def _print(self, tournament: Tournament) -> None:
        matches = tournament.matches
        if self.has_table:
            rows = cross_table(distinct_names(self.players), matches, self.pairs)
            console.print(cross_table_view(rows))
        else:
            console.print(match_view(matches[0]))
        if not tournament.complete:
            end = f"{NOT_FINISHED} The games are in {self.folder}"
        elif any(match.played for match in matches):
            end = f"The games are in {self.folder}"
        else:
            end = (
                f"Played before: the games are in {self.folder}. "
                "To start anew, delete it or use --save."
            )
        say(end)


def play(tournament: Tournament, jobs: int, *, quiet: bool) -> int:
    """Play what is left, and show how far it is, with the boards on a terminal.

    Returns the exit status for having been stopped before the end.
    """
    with (
        ProgressDisplay(summary_line, match_view, quiet=quiet) as progress,
        stopping_on_interrupt(tournament.stop) as interruption,
    ):
        tournament.play(jobs, progress.show, is_watched=console.is_terminal and not quiet)
    return interruption.status


def match_options(*rules: OpeningRule) -> Callable[[_Command], _Command]:
    """Add what every command takes that plays games: how they begin, by one of `rules` or from an
    opening, ``--margin`` and ``--save``.
    """
    options = (
        click.option(
            "--margin",
            type=DURATION,
            default="250ms",
            show_default=True,
            help="A move that takes this much longer than its time, or than the clock has left, "
            "loses.",
        ),
        click.option(
            "--openings",
            type=click.Path(path_type=Path, exists=True, dir_okay=False),
            help="A file of openings, a line of moves for each.  [default: the checkout's suite "
            "for the game in data/openings, else the empty board]",
        ),
        click.option("--empty-board", is_flag=True, help="Begin all games with the empty board."),
        click.option(
            "--opening-rule",
            type=click.Choice([rule.value for rule in rules]),
            help="Begin all games with the empty board, and have the players put stones and "
            "choose colours by this rule; Gomocup programs know swap2.",
        ),
        click.option(
            "--save",
            type=click.Path(path_type=Path, file_okay=False),
            help="Folder of the games.  [default: one in matches/ for these settings]",
        ),
    )

    def add(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def openings_of(
    game: Game, games: int, file: Path | None, *, empty_board: bool, opening_rule: str | None
) -> tuple[Opening, ...]:
    """The openings of a match of so many games: of a file, of the game's suite, or none.

    Raises:
        click.UsageError: if there is a file and none is to be used.
        InvalidOpenings: if the file holds no openings of the game.
    """
    if file is not None:
        for option, is_given in (("empty-board", empty_board), ("opening-rule", opening_rule)):
            if is_given:
                raise click.UsageError(f"--openings and --{option} cannot be combined")
        openings = read_openings(game, file)
    else:
        openings = ((),) if empty_board or opening_rule else suite(game)
    if not opening_rule:
        _note_repeats(games, len(openings))
    return openings


def _note_repeats(games: int, openings: int) -> None:
    """Say that games will repeat each other if there are few openings."""
    if games > 2 * openings:
        count = "one opening" if openings == 1 else f"{openings} openings"
        echo(
            f"Note: {games // 2} pairs of games share {count}: players that leave nothing to "
            "chance repeat their games.",
            err=True,
        )
