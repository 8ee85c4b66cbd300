"""Tries random parts of the first player's win in Gomoku, to tell how far a whole proof may be.

python -m tools.pairs gomoku-19 gomoku-20-standard --jobs 2
"""

import time
from dataclasses import dataclass
from itertools import chain
from random import Random
from statistics import median

import click
from joblib import Parallel, delayed

from engine.game import Game
from engine.games.gomoku import Gomoku
from engine.games.gomoku.strategy import openings
from engine.position import Move
from fivebook.options import GAME, POSITIVE
from precompute.certificates.gomoku.builder import has_parts
from precompute.certificates.gomoku.part import game_of, make_part
from precompute.certificates.gomoku.proof import ROUNDS

_HEAD = (
    "| game | second moves | pairs, about | tried | won | nodes, median | most "
    "| seconds a pair, median | hours for all, about |"
)
_SECONDS_AN_HOUR = 3600


@dataclass(frozen=True, slots=True)
class Trial:
    """A part after `line`: whether it is `won`, and the nodes and seconds of one core it took.

    It stands for `weight` parts after the same second move.
    """

    line: tuple[Move, ...]
    weight: float
    won: bool
    nodes: int
    seconds: float


@click.command()
@click.argument("games", nargs=-1, required=True, type=GAME)
@click.option("--second-moves", type=POSITIVE, default=8, show_default=True)
@click.option(
    "--fourth-moves", type=POSITIVE, default=5, show_default=True, help="After each second move."
)
@click.option("--nodes", type=POSITIVE, default=ROUNDS[0], show_default=True, help="Of a pair.")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--jobs", type=POSITIVE, default=1, show_default=True)
def main(
    games: tuple[Game, ...],
    second_moves: int,
    fourth_moves: int,
    nodes: int,
    seed: int,
    jobs: int,
) -> None:
    """Prove random pairs of a second and a fourth move in each of GAMES, as `fivebook build --mode
    prove` does at first. Tells how many are won, and names the others; and how many pairs there
    are and how many hours of a core they would take, as far as the sample tells.

    All second moves are as likely, up to symmetry, and after each of them all fourth moves.
    """
    for game in games:
        if not has_parts(game, game.initial):
            raise click.UsageError(f"no proof of {game.id} is made of parts")
    click.echo(f"{_HEAD}\n|{' --- |' * (_HEAD.count('|') - 1)}")
    for game in map(game_of, [game.id for game in games]):
        drawn = draw(openings.second_moves(game), second_moves, Random(f"{game.id} {seed}"))
        found = Parallel(n_jobs=jobs)(
            delayed(attempt)(game.id, second, fourth_moves, nodes, seed) for second in drawn
        )
        click.echo(_row(game, list(chain(*found))))


def attempt(game_id: str, second: Move, fourth_moves: int, nodes: int, seed: int) -> list[Trial]:
    """Try pairs of `second` and so many fourth moves that `seed` draws.

    But for the times, the result depends on the arguments alone.

    Raises:
        ValueError: if `game_id` is no game of Gomoku, or moves are forbidden in it.
    """
    game = game_of(game_id)
    first, third = openings.first_move(game), openings.choose_third(game, second)
    trials = []
    fourths = openings.fourth_moves(game, second, third)
    drawn = draw(fourths, fourth_moves, Random(f"{game_id} {seed} {second}"))
    for fourth in drawn:
        began = time.process_time()
        part = make_part(game_id, (first, second, third, fourth), nodes)
        seconds = time.process_time() - began
        weight = len(fourths) / len(drawn)
        trials.append(Trial(part.line, weight, part.won, part.nodes, seconds))
    return trials


def draw(moves: list[Move], count: int, random: Random) -> list[Move]:
    """`count` of `moves`, or all of them."""
    return random.sample(moves, min(count, len(moves)))


def _row(game: Gomoku, trials: list[Trial]) -> str:
    nodes = [trial.nodes for trial in trials]
    second_moves = len(openings.second_moves(game))
    tried = len({trial.line[1] for trial in trials})
    in_all = sum(trial.weight for trial in trials) * second_moves / tried
    seconds = sum(trial.weight * trial.seconds for trial in trials) * second_moves / tried
    cells = [
        game.id,
        second_moves,
        f"{in_all:,.0f}",
        len(trials),
        sum(trial.won for trial in trials),
        f"{median(nodes):,.0f}",
        f"{max(nodes):,}",
        f"{median(trial.seconds for trial in trials):.1f}",
        f"{seconds / _SECONDS_AN_HOUR:.1f}",
    ]
    lines = [f"open: {game.format_line(trial.line)}" for trial in trials if not trial.won]
    return "\n".join([f"| {' | '.join(map(str, cells))} |", *lines])


if __name__ == "__main__":
    main()
