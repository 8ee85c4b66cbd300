"""Fits the weights of the engine's evaluation to the results of games it plays against itself.

python -m tools.fit gomoku-15 --jobs 2
"""

from pathlib import Path
from random import Random
from statistics import median

import click
import numpy as np

from engine.evaluation import LinearEvaluation
from engine.game import Game
from engine.search import Limits
from fivebook.options import GAME, POSITIVE
from tools.regression import Matrix, Vector, cross_entropy, fit
from tools.selfplay import SelfPlay, load_games, play_games
from tools.suite import random_line

# Every tenth game is held out: positions of one game are too alike to be on both sides.
_HELD_OUT = 10
_ODD_DEPTH = 5
_TEMPO_OPENINGS = 200


@click.command()
@click.argument("game", type=GAME)
@click.option("--games", "count", type=POSITIVE, default=6_000, show_default=True)
@click.option("--nodes", type=POSITIVE, default=5_000, show_default=True, help="For each move.")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--jobs", type=POSITIVE, default=1, show_default=True, help="Processes that play.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("matches/selfplay"),
    show_default=True,
    help="Keeps the games; those that are there are not played again.",
)
@click.option("--dry-run", is_flag=True, help="Print the weights and leave the file alone.")
def main(
    game: Game, count: int, nodes: int, seed: int, jobs: int, folder: Path, dry_run: bool
) -> None:
    """Fit the evaluation's weights to games of GAME; the same for the same engine and options.

    The score of a position is how its game ended, not what a search believed: only the result
    ties values to winning chances. The games in the folder were played with the weights of
    their time; take a new folder to have them played with those in use now.
    """
    evaluation = game.evaluation()
    if evaluation is None:
        raise click.BadParameter(f"the evaluation of {game.id} has no weights to fit")
    plan = SelfPlay(game.id, nodes, seed)
    for played in play_games(plan, count, folder, jobs):
        click.echo(f"\r{game.id}: {played} games", nl=False, err=True)
    click.echo(err=True)
    features, scores, numbers = _positions(game, evaluation, plan, count, folder)
    held_out = numbers % _HELD_OUT == 0
    before = np.array(evaluation.weights, dtype=np.float64)
    after = fit(features[~held_out], scores[~held_out], evaluation.weights, evaluation.held)
    weights = [round(weight) for weight in after]
    errors = [
        round(cross_entropy(features[held_out] @ each, scores[held_out]), 4)
        for each in (before, np.array(weights))
    ]
    weights[-1] += _tempo_missing(game, evaluation, weights)
    origin = {
        "made by": f"python -m tools.fit {game.id} --games {count} --nodes {nodes} --seed {seed}",
        "positions": len(scores),
        "held out": int(held_out.sum()),
        "error before": errors[0],
        "error after": errors[1],
    }
    for name, value in {**origin, "weights": weights}.items():
        click.echo(f"{name}: {value}")
    if not dry_run:
        evaluation.write(weights, origin)


def _positions(
    game: Game, evaluation: LinearEvaluation, plan: SelfPlay, count: int, folder: Path
) -> tuple[Matrix, Vector, Vector]:
    """The features, scores and numbers of game of all positions that the evaluation is asked
    about."""
    features, scores, numbers = [], [], []
    for number, played in enumerate(load_games(plan, count, folder)):
        for position, score in played.positions(game):
            counts = evaluation.features(position)
            if counts is not None:
                features.append(counts)
                scores.append(score)
                numbers.append(number)
    return np.array(features, dtype=np.float64), np.array(scores), np.array(numbers)


def _tempo_missing(game: Game, evaluation: LinearEvaluation, weights: list[int]) -> int:
    """What the worth of being to move lacks for odd and even depths to agree.

    A book compares values of both. At an even depth it is added to the value, at an odd one
    taken away, so that half of the median difference over random openings is missing.
    """
    searcher = evaluation.searcher(weights)
    random = Random(0)
    differences: list[int] = []
    while len(differences) < _TEMPO_OPENINGS:
        line = random_line(game, random)
        position = game.play_line(line)
        if game.outcome(position) is not None:
            continue
        odd, even = (
            searcher.search(position, Limits(depth=depth)) for depth in (_ODD_DEPTH, _ODD_DEPTH + 1)
        )
        if not odd.proven and not even.proven:
            differences.append(odd.value - even.value)
    return round(median(differences) / 2)


if __name__ == "__main__":
    main()
