"""Games that the engine plays against itself, to fit its evaluation to."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import ArrayLike

from engine import registry
from engine.game import Game, Outcome
from engine.position import Move, Position
from engine.search import Limits, Searcher, SearchResult
from engine.values import Value, is_decisive
from tools.blocks import joined, make_blocks, split
from tools.suite import random_line

GAMES_IN_FILE = 50

# From a start further from equal than this, in centi-units, games teach little.
_START_MARGIN = 800
DARK_SCORE = {Outcome.DARK_WINS: 1.0, Outcome.DRAW: 0.5, Outcome.LIGHT_WINS: 0.0}
"""What dark scores by the end of a game."""


@dataclass(frozen=True, slots=True)
class SelfPlayedGame:
    """A finished game: `opening` random moves, then the engine's. `score` is dark's: 1, ½ or 0.

    `values` are what its searches said, one for each move of the engine, for the side to move.
    """

    line: tuple[Move, ...]
    opening: int
    score: float
    values: tuple[Value, ...]

    def positions(self, game: Game) -> Iterator[tuple[Position, float]]:
        """Every position in which the engine moved, with the score of the side to move."""
        position = game.play_line(self.line[: self.opening])
        for move in self.line[self.opening :]:
            yield position, self.score if position.dark_to_move else 1.0 - self.score
            position = game.play(position, move)


@dataclass(frozen=True, slots=True)
class SelfPlay:
    """Which games are played: number *n* depends on nothing but these and *n*."""

    game_id: str
    nodes: int
    seed: int

    def play(self, number: int) -> SelfPlayedGame:
        """Game `number`, with `nodes` for each move."""
        game, limits = registry.get(self.game_id), Limits(nodes=self.nodes)
        searcher = _searcher(self.game_id)
        line = _start(game, searcher, limits, Random(f"{self.seed} {number}"))
        opening = len(line)
        position = game.play_line(line)
        values = []
        while (outcome := game.outcome(position)) is None:
            result = searcher.search(position, limits)
            assert result.move is not None
            line.append(result.move)
            values.append(value_of(result))
            position = game.play(position, result.move)
        return SelfPlayedGame(tuple(line), opening, DARK_SCORE[outcome], tuple(values))

    def make(self, block: int) -> dict[str, ArrayLike]:
        """The games of one file."""
        games = [self.play(block * GAMES_IN_FILE + index) for index in range(GAMES_IN_FILE)]
        return {
            **joined([game.line for game in games]),
            "openings": [game.opening for game in games],
            "scores": [game.score for game in games],
            "values": [value for game in games for value in game.values],
        }

    def file(self, folder: Path, block: int) -> Path:
        """Where the games of `block` are kept."""
        return folder / f"{self.game_id}-{self.nodes}-{self.seed}-{block:05}.npz"


def value_of(result: SearchResult) -> Value:
    """What a search says: 0 where it proved a draw."""
    return 0 if result.proven and not is_decisive(result.value) else result.value


def play_games(plan: SelfPlay, count: int, folder: Path, jobs: int) -> Iterator[int]:
    """Play those of the first `count` games of `plan` that are not in `folder`, and keep them.

    Files are whole: up to GAMES_IN_FILE - 1 more games are played. Yields, each time there are
    more, how many there are.
    """
    for made in make_blocks(plan, blocks_of(count), folder, jobs):
        yield made * GAMES_IN_FILE


def load_games(plan: SelfPlay, count: int, folder: Path) -> Iterator[SelfPlayedGame]:
    """The games that `play_games` has kept, in the order of their numbers."""
    for block in range(blocks_of(count)):
        yield from load_block(plan, block, folder)


def load_block(plan: SelfPlay, block: int, folder: Path) -> Iterator[SelfPlayedGame]:
    """The games of one file."""
    with np.load(plan.file(folder, block)) as kept:
        values = iter(kept["values"].tolist())
        for line, opening, score in zip(split(kept), kept["openings"], kept["scores"], strict=True):
            searched = tuple(islice(values, len(line) - opening))
            yield SelfPlayedGame(line, int(opening), float(score), searched)


def blocks_of(count: int) -> int:
    """How many files `count` games take."""
    return -(-count // GAMES_IN_FILE)


@cache
def _searcher(game_id: str) -> Searcher:
    """This process's searcher."""
    return registry.get(game_id).searcher()


def _start(game: Game, searcher: Searcher, limits: Limits, random: Random) -> list[Move]:
    """A random line after which a search sees no great advantage."""
    while True:
        line = random_line(game, random)
        position = game.play_line(line)
        if game.outcome(position) is None:
            look = searcher.search(position, limits)
            if not look.proven and abs(look.value) <= _START_MARGIN:
                return line
