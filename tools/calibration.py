"""How far the static value of a game is from what searches say of the same positions.

python -m tools.calibration gomoku-15 --games 400 --walks 1
python -m tools.calibration gomoku-20 --games 400 --walks 1
"""

from collections.abc import Iterator

import click
import numpy as np
from scipy.optimize import minimize_scalar

from engine import registry
from engine.game import Game
from engine.games.gomoku import Gomoku, alphabeta
from engine.games.gomoku.searcher import GomokuSearcher
from engine.values import is_decisive
from tools.labelled import Source, scores_of, source_options
from tools.regression import cross_entropy

_FURTHEST = 2_000


@click.command()
@source_options
def main(game: Game, source: Source, jobs: int) -> None:
    """Tell the error of the static value in GAMES, and by how much it is off throughout.

    The positions are a few plausible moves away from those of games, and no search decides them;
    the error is in nats. What has to be added to all values for the least error is near 0 where
    boards of this size are judged as they should be.
    """
    if not isinstance(game, Gomoku):
        raise click.BadParameter(f"the static value of {game.id} is not asked for by itself")
    source.make(jobs)
    values, found = (np.array(each) for each in zip(*_judged(source), strict=True))
    scores, _ = scores_of(found.tolist())

    def error(added: float) -> float:
        return cross_entropy(values + added, scores)

    best = minimize_scalar(error, bounds=(-_FURTHEST, _FURTHEST), method="bounded")
    click.echo(
        f"{len(values)} positions: error {error(0):.4f}; with {best.x:+.0f} added, {best.fun:.4f}"
    )


def _judged(source: Source) -> Iterator[tuple[int, int]]:
    """The static value of each position, and that of a search which did not decide it."""
    for labels, block in source.parts:
        game = registry.get(labels.games.game_id)
        assert isinstance(game, Gomoku)
        searcher = GomokuSearcher(game)
        for line, value in labels.load(block):
            if not is_decisive(value):
                yield alphabeta.evaluate(searcher.state_of(game.play_line(line))), value


if __name__ == "__main__":
    main()
