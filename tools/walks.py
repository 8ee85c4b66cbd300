"""Positions such as a search meets at its horizon, with what a search of their own says of them.

In games, both sides play well: an evaluation fitted to their positions alone judges badly what a
search asks it about, most of which comes of moves that nobody would play. These positions lie a
few plausible moves away from those of games.

What a search of few nodes does not see it cannot say of any of them. Played on from there, a game
shows it: a position is then worth what the searches after it say, the later the less, and in the
end how the game ended (TD(λ), after Sutton, 1988).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import log
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import ArrayLike

from engine import registry
from engine.evaluation import LinearEvaluation
from engine.game import Game
from engine.position import Move, Position
from engine.search import Limits, Searcher
from engine.values import LOGISTIC_SCALE, Value, is_decisive, winning_probability
from tools.blocks import joined, make_blocks, split
from tools.selfplay import SelfPlay, SelfPlayedGame, load_block, value_of

Line = tuple[Move, ...]

_SHARE, _PLIES = 0.7, 6
_SHARE_PLAYED_ON, _PLIES_PLAYED_ON = 0.3, 4
# The few games that fill the board would give as many positions as all others.
_MOST_PLAYED_ON = 12
# The higher, the more often a walk leaves the moves that rank first.
_TEMPERATURE = 1.5
# Where a win is at hand or a move forced, the search makes the move.
_FORCED = Limits(nodes=50)
# By how much what follows counts rather than the search of a position, and the nearest to a
# certainty that an undecided one comes.
_TRUST, _SUREST = 0.85, 0.999


@dataclass(frozen=True, slots=True)
class Labels:
    """Walks from the games of `games` in `folder`: block *n* is made from theirs.

    With `play_on` each is played on until a search decides it, and counts with what follows; the
    walks number 0 have the positions of the games besides.
    """

    games: SelfPlay
    folder: Path
    nodes: int
    seed: int
    play_on: bool = False

    def make(self, block: int) -> dict[str, ArrayLike]:
        """Lines, and the value of a search of `nodes` after each, for the side to move."""
        random = Random(f"{self.seed} {block}")
        games = list(load_block(self.games, block, self.folder))
        if not self.play_on:
            found = [(line, self._search(line)[1]) for line in self._walks(games, random)]
        else:
            found = [each for game in games for each in _own(game)] if self.seed == 0 else []
            for line in self._walks(games, random):
                found += self._played_on(line)
        return {**joined([line for line, _ in found]), "values": [value for _, value in found]}

    def file(self, folder: Path, block: int) -> Path:
        """Where the walks of `block` are kept."""
        name = self.games.file(folder, block).stem
        how = "played-on" if self.play_on else "walks"
        return folder / f"{name}-{how}-{self.nodes}-{self.seed}.npz"

    def load(self, block: int) -> Iterator[tuple[Line, Value]]:
        """The lines of `block`, each with its value."""
        with np.load(self.file(self.folder, block)) as kept:
            yield from zip(split(kept), kept["values"].tolist(), strict=True)

    def _walks(self, games: list[SelfPlayedGame], random: Random) -> Iterator[Line]:
        """Lines some of which begin at each of the positions in `games`."""
        share, plies = (_SHARE_PLAYED_ON, _PLIES_PLAYED_ON) if self.play_on else (_SHARE, _PLIES)
        for game in games:
            starts = [ply for ply in range(game.opening, len(game.line)) if random.random() < share]
            if self.play_on and len(starts) > _MOST_PLAYED_ON:
                starts = random.sample(starts, _MOST_PLAYED_ON)
            for ply in starts:
                line = _walk(self.games.game_id, game.line[:ply], plies, random)
                if line is not None:
                    yield line

    def _search(self, line: Line) -> tuple[Move, Value]:
        """What a search says after `line`: a move, and the value."""
        game, searcher, _ = _tools_for(self.games.game_id)
        result = searcher.search(game.play_line(line), Limits(nodes=self.nodes))
        assert result.move is not None
        return result.move, value_of(result)

    def _played_on(self, line: Line) -> list[tuple[Line, Value]]:
        """The lines of a game that goes on from `line`, with what they and what follows say."""
        game, _, _ = _tools_for(self.games.game_id)
        lines, values = [], []
        while game.outcome(game.play_line(line)) is None:
            move, value = self._search(line)
            lines.append(line)
            values.append(value)
            if is_decisive(value):
                break
            line = (*line, move)
        return list(zip(lines, later_values(values), strict=True))


def _own(game: SelfPlayedGame) -> list[tuple[Line, Value]]:
    """The lines of `game`, with what its searches there and those after them say."""
    plies = range(game.opening, len(game.line))
    return [
        (game.line[:ply], value)
        for ply, value in zip(plies, later_values(game.values), strict=True)
    ]


def later_values(values: Sequence[Value]) -> list[Value]:
    """The values of a game's positions with what those after them say, each for the side to move.

    Where the last one is not decided the game was drawn. What is decided stays as it is.
    """
    chance = 0.5
    later = []
    for value in reversed(values):
        if is_decisive(value):
            chance = float(value > 0)
            later.append(value)
        else:
            chance = (1 - _TRUST) * winning_probability(value) + _TRUST * (1 - chance)
            later.append(_value_of(chance))
    return later[::-1]


def _value_of(chance: float) -> Value:
    """The undecided value that says this chance to win."""
    chance = min(max(chance, 1 - _SUREST), _SUREST)
    return round(LOGISTIC_SCALE * log(chance / (1 - chance)))


def label_walks(labels: Labels, blocks: int, jobs: int) -> Iterator[int]:
    """Make the first `blocks` blocks that are missing; yields, each time, how many there are."""
    return make_blocks(labels, blocks, labels.folder, jobs)


def _walk(game_id: str, line: Line, plies: int, random: Random) -> Line | None:
    """`line` with up to `plies` more moves, None where the evaluation is not asked after them."""
    game, searcher, evaluation = _tools_for(game_id)
    position = game.play_line(line)
    for _ in range(random.randint(1, plies)):
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
