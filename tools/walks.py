"""Positions such as a search meets at its horizon, with what a search of their own says of them.

In games, both sides play well: an evaluation fitted to their positions alone judges badly what a
search asks it about, most of which comes of moves that nobody would play. These positions lie a
few plausible moves away from those of games.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import ArrayLike

from engine import registry
from engine.evaluation import LinearEvaluation
from engine.game import Game
from engine.position import Move, Position
from engine.search import Limits, Searcher
from engine.values import is_decisive
from tools.blocks import joined, make_blocks, split
from tools.selfplay import SelfPlay, load_block

_SHARE = 0.7
_PLIES = 6
# The higher, the more often a walk leaves the moves that rank first.
_TEMPERATURE = 1.5
# Where a win is at hand or a move forced, the search makes the move.
_FORCED = Limits(nodes=50)


@dataclass(frozen=True, slots=True)
class Labels:
    """Walks from the games of `games` in `folder`: block *n* is made from theirs."""

    games: SelfPlay
    folder: Path
    nodes: int
    seed: int

    def make(self, block: int) -> dict[str, ArrayLike]:
        """Lines, and the value of a search of `nodes` after each, for the side to move."""
        random = Random(f"{self.seed} {block}")
        lines = [
            line
            for game in load_block(self.games, block, self.folder)
            for ply in range(game.opening, len(game.line))
            if random.random() < _SHARE
            and (line := _walk(self.games.game_id, game.line[:ply], random)) is not None
        ]
        return {**joined(lines), "values": [self._value(line) for line in lines]}

    def file(self, folder: Path, block: int) -> Path:
        """Where the walks of `block` are kept."""
        name = self.games.file(folder, block).stem
        return folder / f"{name}-walks-{self.nodes}-{self.seed}.npz"

    def load(self, block: int) -> Iterator[tuple[tuple[Move, ...], int]]:
        """The lines of `block`, each with its value."""
        with np.load(self.file(self.folder, block)) as kept:
            yield from zip(split(kept), kept["values"].tolist(), strict=True)

    def _value(self, line: tuple[Move, ...]) -> int:
        game, searcher, _ = _tools_for(self.games.game_id)
        result = searcher.search(game.play_line(line), Limits(nodes=self.nodes))
        return 0 if result.proven and not is_decisive(result.value) else result.value


def label_walks(labels: Labels, blocks: int, jobs: int) -> Iterator[int]:
    """Make the first `blocks` blocks that are missing; yields, each time, how many there are."""
    return make_blocks(labels, blocks, labels.folder, jobs)


def _walk(game_id: str, line: tuple[Move, ...], random: Random) -> tuple[Move, ...] | None:
    """`line` with a few more moves, None where the evaluation is not asked after them."""
    game, searcher, evaluation = _tools_for(game_id)
    position = game.play_line(line)
    for _ in range(random.randint(1, _PLIES)):
        if game.outcome(position) is not None:
            return None
        move = _plausible(evaluation, position, random)
        if move is None:
            move = searcher.search(position, _FORCED).move
            assert move is not None
        line = (*line, move)
        position = game.play(position, move)
    asked = game.outcome(position) is None and evaluation.features(position) is not None
    return line if asked else None


def _plausible(evaluation: LinearEvaluation, position: Position, random: Random) -> Move | None:
    """A move by chance, by the odds that the order of moves gives it; None where it is forced."""
    choices = evaluation.choices(position)
    if choices is None or not choices[0]:
        return None
    moves, features = choices
    logits = np.array(evaluation.policy)[features].sum(axis=1) / (100 * _TEMPERATURE)
    return random.choices(moves, np.exp(logits - logits.max()))[0]


@cache
def _tools_for(game_id: str) -> tuple[Game, Searcher, LinearEvaluation]:
    """This process's game, searcher and evaluation."""
    game = registry.get(game_id)
    evaluation = game.evaluation()
    assert evaluation is not None
    return game, game.searcher(), evaluation
