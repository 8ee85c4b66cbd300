"""What the commands that fit weights have in common: games and walks, and the options for them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click
import numpy as np

from engine.game import Game
from engine.values import is_decisive
from fivebook.options import GAME, POSITIVE
from tools.regression import Vector, probabilities
from tools.selfplay import SelfPlay, blocks_of, play_games
from tools.walks import Labels, label_walks

HELD_OUT = 10
"""Every tenth block is held out: positions of one game are too alike to be on both sides."""

dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Print what came of it and leave the file alone."
)

# What is decided a search finds by itself, if it matters at all how a leaf of it is judged.
_SHARE_OF_DECIDED = 0.1


@dataclass(frozen=True, slots=True)
class Source:
    """What to fit to: the first `count` games of each plan, and some walks from each position,
    `played_on` or not.
    """

    plans: tuple[SelfPlay, ...]
    count: int
    walks: int
    folder: Path
    played_on: bool = False

    @property
    def labels(self) -> list[Labels]:
        """The walks, each from all games of a plan."""
        return [
            Labels(plan, self.folder, plan.nodes, number, self.played_on)
            for plan in self.plans
            for number in range(self.walks)
        ]

    @property
    def blocks(self) -> int:
        """How many blocks of games each plan has."""
        return blocks_of(self.count)

    @property
    def parts(self) -> list[tuple[Labels, int]]:
        """Every block of every walk."""
        return [(each, block) for each in self.labels for block in range(self.blocks)]

    @property
    def arguments(self) -> str:
        """What a command line says of it."""
        plan, games = self.plans[0], " ".join(plan.game_id for plan in self.plans)
        options = f"--nodes {plan.nodes} --walks {self.walks} --seed {plan.seed}"
        return f"{games} --games {self.count} {options}{' --play-on' * self.played_on}"

    def make(self, jobs: int) -> None:
        """Play the games and walk the walks that are not there, and show how far that is."""
        for plan in self.plans:
            _follow(f"{plan.game_id}: games", play_games(plan, self.count, self.folder, jobs))
        for each in self.labels:
            progress = label_walks(each, self.blocks, jobs)
            _follow(f"{each.games.game_id}: walks {each.seed}, blocks", progress)


def source_options(command: Callable[..., None]) -> Callable[..., None]:
    """GAMES with the same weights, of which the command gets the first, options of which it gets a
    `Source`, and `--jobs`.
    """

    @wraps(command)
    def with_source(
        games: tuple[Game, ...],
        count: int,
        nodes: int,
        walks: int,
        seed: int,
        folder: Path,
        play_on: bool,
        **others: Any,
    ) -> None:
        evaluations = [game.evaluation() for game in games]
        if len({each and each.file for each in evaluations}) > 1:
            names = " and ".join(game.id for game in games)
            raise click.BadParameter(f"{names} do not share their weights")
        plans = tuple(SelfPlay(game.id, nodes, seed) for game in games)
        command(game=games[0], source=Source(plans, count, walks, folder, play_on), **others)

    options: tuple[Any, ...] = (
        click.argument("games", type=GAME, nargs=-1, required=True),
        click.option(
            "--games",
            "count",
            type=POSITIVE,
            default=15_000,
            show_default=True,
            help="So many of each.",
        ),
        click.option(
            "--nodes", type=POSITIVE, default=2_000, show_default=True, help="For each move."
        ),
        click.option(
            "--walks", type=POSITIVE, default=2, show_default=True, help="From each position, some."
        ),
        click.option(
            "--play-on",
            is_flag=True,
            help="Play on after each walk; what follows says what a position is worth, too.",
        ),
        click.option("--seed", type=int, default=1, show_default=True),
        click.option(
            "--jobs", type=POSITIVE, default=1, show_default=True, help="Processes that play."
        ),
        click.option(
            "--folder",
            type=click.Path(file_okay=False, path_type=Path),
            default=Path("matches/selfplay"),
            show_default=True,
            help="Keeps the games and walks; those that are there are not made again.",
        ),
    )
    for option in reversed(options):
        with_source = option(with_source)
    return with_source


def scores_of(values: list[int]) -> tuple[Vector, Vector]:
    """The winning chances that searches say, and by how much each counts."""
    decided = np.array([is_decisive(value) for value in values], dtype=bool)
    chances = probabilities(np.array(values, dtype=np.float64))
    scores = np.where(decided, np.greater(values, 0), chances)
    return scores, np.where(decided, _SHARE_OF_DECIDED, 1.0)


def _follow(what: str, progress: Iterator[int]) -> None:
    """Run `progress` to its end, and show how far it is."""
    for number in progress:
        click.echo(f"\r{what} {number}", nl=False, err=True)
    click.echo(err=True)
