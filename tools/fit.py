"""Fits the weights of the engine's evaluation, and of its order of moves, to games of its own.

python -m tools.fit gomoku-15 gomoku-20 --jobs 2
"""

from collections.abc import Iterable
from pathlib import Path
from random import Random
from statistics import median

import click
import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import sparse

from engine import registry
from engine.evaluation import LinearEvaluation
from engine.game import Game
from engine.search import Limits
from tools.labelled import HELD_OUT, Source, dry_run_option, scores_of, source_options
from tools.regression import Choices, Indices, Matrix, Vector, cross_entropy, fit
from tools.selfplay import SelfPlay, load_block
from tools.suite import random_line
from tools.walks import Labels

_ODD_DEPTH = 5
_TEMPO_OPENINGS = 200


@click.command()
@source_options
@dry_run_option
def main(game: Game, source: Source, jobs: int, dry_run: bool) -> None:
    """Fit the weights of the rule of GAMES; the same for the same engine and options.

    The evaluation learns what a search says of positions a few plausible moves away from those of
    games, the order of moves which ones the searches in these games chose. What the folder has was
    made with the weights of its time; take a new folder to have it made with those in use now.
    """
    evaluation = game.evaluation()
    if evaluation is None:
        raise click.BadParameter(f"the evaluation of {game.id} has no weights to fit")
    source.make(jobs)
    parallel = Parallel(n_jobs=jobs)
    weights, found = _fit_values(evaluation, parallel, source)
    policy, found_of_moves = _fit_moves(evaluation, parallel, source)
    weights[-1] += _tempo_missing(game, evaluation, weights, policy)
    origin = {
        "made by": f"python -m tools.fit {source.arguments}",
        **found,
        **found_of_moves,
    }
    for name, value in origin.items():
        click.echo(f"{name}: {value}")
    if not dry_run:
        evaluation.write(weights, policy, origin)


def _fit_values(
    evaluation: LinearEvaluation, parallel: Parallel, source: Source
) -> tuple[list[int], dict[str, object]]:
    """The weights of the evaluation, and what there is to say of them."""
    parts = parallel(delayed(_features_of)(*part) for part in source.parts)
    features = sparse.vstack([part[0] for part in parts], format="csr")
    scores, shares = (np.concatenate([part[n] for part in parts]) for n in (1, 2))
    blocks = [block for _, block in source.parts]
    held_out = np.repeat(blocks, [len(part[1]) for part in parts]) % HELD_OUT == 0
    learnt = ~held_out
    weights = fit(features[learnt], scores[learnt], evaluation.weights, shares[learnt]).round()
    before, after = (
        cross_entropy(features[held_out] @ each, scores[held_out], shares[held_out])
        for each in (np.array(evaluation.weights, dtype=np.float64), weights)
    )
    return weights.astype(int).tolist(), {
        "positions": len(scores),
        "held out": int(held_out.sum()),
        "error before": round(before, 4),
        "error after": round(after, 4),
    }


def _features_of(labels: Labels, block: int) -> tuple[Matrix, Vector, Vector]:
    """The features of a block's positions, with what `scores_of` says of them."""
    game, evaluation = _evaluation_of(labels.games.game_id)
    columns, counts, values = [], [], []
    for line, value in labels.load(block):
        features = evaluation.features(game.play_line(line))
        if features is not None:
            columns.append(features[0])
            counts.append(features[1])
            values.append(value)
    starts = np.cumsum([0, *map(len, columns)])
    found = np.concatenate(counts).astype(np.float64), np.concatenate(columns), starts
    shape = len(values), len(evaluation.weights)
    return sparse.csr_matrix(found, shape=shape), *scores_of(values)


def _fit_moves(
    evaluation: LinearEvaluation, parallel: Parallel, source: Source
) -> tuple[list[int], dict[str, object]]:
    """The weights of the order of moves, and what there is to say of them."""
    games = [(plan, block) for plan in source.plans for block in range(source.blocks)]
    parts = parallel(delayed(_choices_of)(*each, source.folder) for each in games)
    found = [(block, part) for (_, block), part in zip(games, parts, strict=True)]
    learnt = _joined(part for block, part in found if block % HELD_OUT)
    held_out = _joined(part for block, part in found if block % HELD_OUT == 0)
    weights = learnt.fit([0.0] * len(evaluation.policy))
    policy = (100 * weights).round()
    return policy.astype(int).tolist(), {
        "error of moves before": round(held_out.error(np.array(evaluation.policy) / 100), 4),
        "error of moves after": round(held_out.error(policy / 100), 4),
    }


_ChoicesOfBlock = tuple[Indices, Indices, Indices]


def _choices_of(plan: SelfPlay, block: int, folder: Path) -> _ChoicesOfBlock:
    """The alternatives that a block's games had, how many in each position, and the moves made."""
    game, evaluation = _evaluation_of(plan.game_id)
    features: list[NDArray[np.int64]] = [np.empty((0, 2), dtype=np.int64)]
    counts, chosen = [], []
    for played in load_block(plan, block, folder):
        position = game.play_line(played.line[: played.opening])
        for move in played.line[played.opening :]:
            choices = evaluation.choices(position)
            if choices is not None and move in choices[0]:
                features.append(choices[1])
                counts.append(len(choices[0]))
                chosen.append(choices[0].index(move))
            position = game.play(position, move)
    return np.concatenate(features), np.array(counts, np.int64), np.array(chosen, np.int64)


def _joined(parts: Iterable[_ChoicesOfBlock]) -> Choices:
    return Choices(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _tempo_missing(
    game: Game, evaluation: LinearEvaluation, weights: list[int], policy: list[int]
) -> int:
    """What the worth of being to move lacks for odd and even depths to agree.

    A book compares values of both. At an even depth it is added to the value, at an odd one
    taken away, so that half of the median difference over random openings is missing.
    """
    searcher = evaluation.searcher(weights, policy)
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


def _evaluation_of(game_id: str) -> tuple[Game, LinearEvaluation]:
    game = registry.get(game_id)
    evaluation = game.evaluation()
    assert evaluation is not None
    return game, evaluation


if __name__ == "__main__":
    main()
