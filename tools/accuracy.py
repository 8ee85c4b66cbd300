"""Measures how far values move when their positions are searched deeper, for engine/accuracy.json.

python -m tools.accuracy gomoku-15 --jobs 2
"""

import json
from collections.abc import Iterator
from itertools import chain, count
from math import sqrt
from random import Random

import click
from joblib import Parallel, delayed

from engine import registry
from engine.accuracy import FILE
from engine.game import Game
from engine.games.gomoku.weights import in_lines
from engine.position import Position
from engine.search import Limits, Searcher
from engine.values import winning_probability
from fivebook.options import GAME, POSITIVE
from tools.suite import random_line

# What is looked at is no more decided than this, in centi-units, and some plies into a game.
_MARGIN = 800
_LOOK = Limits(nodes=2_000)
_MOST_PLIES = 12
# A deeper search has so many times the nodes.
_DEEPER = 8
# Less often the mean says little.
_LEAST = 30


@click.command()
@click.argument("game", type=GAME)
@click.option("--positions", type=POSITIVE, default=400, show_default=True)
@click.option(
    "--nodes", type=POSITIVE, default=1_000_000, show_default=True, help="Of the deeper search."
)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--jobs", type=POSITIVE, default=1, show_default=True)
def main(game: Game, positions: int, nodes: int, seed: int, jobs: int) -> None:
    """Search positions of games from random openings to every depth, and with NODES.

    Writes by how much, as the root of the mean square, the winning chance at each depth is off that
    of the deeper search. No depth counts as less sure than the one before.
    """
    found = Parallel(n_jobs=jobs, return_as="generator")(
        delayed(_moves_of_value)(game.id, nodes, f"{seed} {number}") for number in range(positions)
    )
    by_depth: dict[int, list[float]] = {}
    for number, moved in enumerate(found, 1):
        click.echo(f"\r{game.id}: {number} of {positions}", nl=number == positions, err=True)
        for depth, by in moved:
            by_depth.setdefault(depth, []).append(by)
    moved = [
        sqrt(sum(by * by for by in by_depth[depth]) / len(by_depth[depth]))
        for depth in sorted(by_depth)
        if len(by_depth[depth]) >= _LEAST
    ]
    made_by = (
        f"python -m tools.accuracy {game.id} --positions {positions} --nodes {nodes} --seed {seed}"
    )
    known = json.loads(FILE.read_bytes()) if FILE.exists() else {}
    known[game.measured_as] = {
        "made by": made_by,
        "moved": [round(by, 3) for by in falling(moved)],
    }
    FILE.write_text(in_lines(dict(sorted(known.items()))), encoding="utf-8")


def falling(values: list[float]) -> list[float]:
    """The nearest sequence that does not rise: neighbours that do are as one, at their mean."""
    blocks: list[tuple[float, int]] = []
    for value in values:
        blocks.append((value, 1))
        while len(blocks) > 1 and blocks[-2][0] < blocks[-1][0]:
            (last, size), (first, before) = blocks.pop(), blocks.pop()
            blocks.append(((first * before + last * size) / (before + size), before + size))
    return [value for value, size in blocks for _ in range(size)]


def _moves_of_value(game_id: str, nodes: int, seed: str) -> list[tuple[int, float]]:
    """Each depth, and what the chance there is off that of the search with `nodes`."""
    game = registry.get(game_id)
    searcher = game.searcher()
    position = _some_position(game, searcher, Random(seed))
    deep = searcher.search(position, Limits(nodes=nodes))
    truth = winning_probability(deep.value)
    chances = _chances(searcher, position, nodes // _DEEPER)
    return [(depth, chance - truth) for depth, chance in enumerate(chances)]


def _chances(searcher: Searcher, position: Position, nodes: int) -> Iterator[float]:
    """The chance by the search of each depth, until one is proven or takes more than `nodes`."""
    # Nothing is searched to a depth of 0: it counts as the least search.
    for depth in chain((1,), count(1)):
        result = searcher.search(position, Limits(depth=depth, nodes=nodes))
        if result.proven or result.depth < depth:
            return
        yield winning_probability(result.value)


def _some_position(game: Game, searcher: Searcher, random: Random) -> Position:
    """A position that a game from a random opening may come to, and that is not decided."""
    while True:
        position = game.play_line(random_line(game, random))
        for _ in range(random.randrange(_MOST_PLIES)):
            if game.outcome(position) is not None:
                break
            move = searcher.search(position, _LOOK).move
            assert move is not None
            position = game.play(position, move)
        if game.outcome(position) is None:
            look = searcher.search(position, _LOOK)
            if not look.proven and abs(look.value) <= _MARGIN:
                return position


if __name__ == "__main__":
    main()
