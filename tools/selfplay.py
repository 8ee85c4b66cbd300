"""Games that the engine plays against itself, to fit its evaluation to."""

from collections.abc import Iterator
from concurrent.futures import as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

from book.processes import workers
from engine import registry
from engine.game import Game, Outcome
from engine.position import Move, Position
from engine.search import Limits, Searcher
from tools.suite import random_line

GAMES_IN_FILE = 50

# From a start further from equal than this, in centi-units, games teach little.
_START_MARGIN = 800
_SCORE = {Outcome.DARK_WINS: 1.0, Outcome.DRAW: 0.5, Outcome.LIGHT_WINS: 0.0}


@dataclass(frozen=True, slots=True)
class SelfPlayedGame:
    """A finished game: `opening` random moves, then the engine's. `score` is dark's: 1, ½ or 0."""

    line: tuple[Move, ...]
    opening: int
    score: float

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
        while (outcome := game.outcome(position)) is None:
            move = searcher.search(position, limits).move
            assert move is not None
            line.append(move)
            position = game.play(position, move)
        return SelfPlayedGame(tuple(line), opening, _SCORE[outcome])

    def play_block(self, block: int) -> list[SelfPlayedGame]:
        """The games of one file."""
        return [self.play(block * GAMES_IN_FILE + index) for index in range(GAMES_IN_FILE)]

    def file(self, folder: Path, block: int) -> Path:
        """Where the games of `block` are kept."""
        return folder / f"{self.game_id}-{self.nodes}-{self.seed}-{block:05}.npz"


def play_games(plan: SelfPlay, count: int, folder: Path, jobs: int) -> Iterator[int]:
    """Play those of the first `count` games of `plan` that are not in `folder`, and keep them.

    Files are whole: up to GAMES_IN_FILE - 1 more games are played. Yields, each time there are
    more, how many there are.
    """
    folder.mkdir(parents=True, exist_ok=True)
    blocks = _blocks(count)
    missing = [block for block in blocks if not plan.file(folder, block).exists()]
    done = len(blocks) - len(missing)
    if not missing:
        return
    with workers(jobs) as executor:
        running = {executor.submit(plan.play_block, block): block for block in missing}
        for finished in as_completed(running):
            _save(plan.file(folder, running[finished]), finished.result())
            done += 1
            yield done * GAMES_IN_FILE


def load_games(plan: SelfPlay, count: int, folder: Path) -> Iterator[SelfPlayedGame]:
    """The games that `play_games` has kept, in the order of their numbers."""
    for block in _blocks(count):
        with np.load(plan.file(folder, block)) as data:
            lines = np.split(data["moves"], np.cumsum(data["lengths"])[:-1])
            for line, opening, score in zip(lines, data["openings"], data["scores"], strict=True):
                yield SelfPlayedGame(tuple(line.tolist()), int(opening), float(score))


def _blocks(count: int) -> range:
    return range(-(-count // GAMES_IN_FILE))


def _save(file: Path, played: list[SelfPlayedGame]) -> None:
    """Write `file`, which is either there as a whole or not at all."""
    unfinished = file.with_suffix(".new")
    with unfinished.open("wb") as stream:
        np.savez_compressed(
            stream,
            moves=np.concatenate([game.line for game in played]),
            lengths=[len(game.line) for game in played],
            openings=[game.opening for game in played],
            scores=[game.score for game in played],
        )
    unfinished.replace(file)


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
