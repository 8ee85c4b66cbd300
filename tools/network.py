"""Fits the network of a Gomoku rule to what the other weights are wrong about.

python -m tools.network gomoku-15 gomoku-20 --jobs 2
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize_scalar

from engine import registry
from engine.game import Game
from engine.games.gomoku import Gomoku
from engine.games.gomoku.board import (
    FADING_STEPS,
    FEATURES,
    HIDDEN,
    PAIRS,
    SECOND_HIDDEN,
    STONES_A_STEP,
    WHOLE,
    WIDTH,
)
from engine.games.gomoku.features import GomokuEvaluation
from engine.games.gomoku.line_table import KINDS
from engine.games.gomoku.network import (
    EMBEDDING_MAX,
    LAST_UNIT,
    NODE_MAX,
    WEIGHT_MAX,
    WEIGHT_UNIT,
)
from engine.games.gomoku.weights import Network, read
from engine.values import LOGISTIC_SCALE
from fivebook.options import POSITIVE
from tools.labelled import HELD_OUT, Source, dry_run_option, scores_of, source_options
from tools.walks import Labels, Line

_BATCH = 1024
# Adam (Kingma & Ba, 2015). Its step rises at first, and then falls along half a cosine.
_STEP, _RISE = 0.006, 200
_STEP_FROM_A_NETWORK = 0.003
_MEMORY, _MEMORY_OF_SQUARES, _TINY = 0.9, 0.999, 1e-8
_DECAY = 1e-3
# How strongly a step of the fading is held to the one before, in nats.
_FIRMNESS = 50.0
# What becomes of the largest feature and of the largest node among those fitted to: some room is
# left for other positions.
_LARGEST = NODE_MAX * 2 // 3
# How large they are about, of features and of the two layers, where a fit began by chance.
_USUAL = 50.0, 20.0, 20.0

Floats = NDArray[np.float32]
# A scipy.sparse.csr_matrix, which has no types.
Matrix = Any


class _Seen(NamedTuple):
    """The positions of a block: their cells one after the other, how many each has, and so on."""

    cells: NDArray[np.uint32]
    counts: list[int]
    tables: list[int]
    stones: list[int]
    values: list[int]
    scores: Floats
    shares: Floats


def _seen(labels: Labels, block: int) -> _Seen:
    """What the network sees of a block's positions, and what it should find."""
    game = registry.get(labels.games.game_id)
    assert isinstance(game, Gomoku)
    evaluation = GomokuEvaluation(game)
    cells, tables, stones, values, found = [np.empty(0, np.uint32)], [], [], [], []
    position = game.initial
    before: Line = ()
    for line, value in labels.load(block):
        # Most lines go on from the one before.
        if line[: len(before)] != before:
            position, before = game.initial, ()
        position, before = game.play_line(line[len(before) :], position), line
        seen = evaluation.cells(position)
        if seen is not None:
            cells.append(seen[0])
            values.append(seen[1])
            tables.append(seen[2])
            stones.append(len(line))
            found.append(value)
    scores, shares = (each.astype(np.float32) for each in scores_of(found))
    return _Seen(
        np.concatenate(cells),
        [len(each) for each in cells[1:]],
        tables,
        stones,
        values,
        scores,
        shares,
    )


@dataclass(frozen=True, slots=True)
class Positions:
    """Positions to fit to, from the view of the side to move.

    Cells have numbers, by which `lines` has the pairs of rows on their four lines; those of a
    second table follow. `own` and `other` count each position's cells as the two sides see them.
    `table` is that of the side to move, `step` that of the fading, `value` the static value without
    the network and `score` the winning chance by a search. Values are logarithms of odds; each
    counts by its `share`.
    """

    lines: Matrix
    own: Matrix
    other: Matrix
    table: NDArray[np.int64]
    step: NDArray[np.int64]
    value: Floats
    score: Floats
    share: Floats

    def __len__(self) -> int:
        return len(self.score)

    def at(self, chosen: NDArray[np.int64]) -> "Positions":
        """Those with these numbers."""
        return Positions(
            self.lines,
            self.own[chosen],
            self.other[chosen],
            self.table[chosen],
            self.step[chosen],
            self.value[chosen],
            self.score[chosen],
            self.share[chosen],
        )

    def error(self, values: Floats) -> float:
        """The mean error of `values`, in nats."""
        errors = np.logaddexp(0, values) - self.score * values
        return float(np.average(errors, weights=self.share))


def positions_of(parts: Sequence[_Seen], tables: int) -> Positions:
    """The positions of all `parts`, of a rule with so many tables."""
    table = np.concatenate([part.tables for part in parts]).astype(np.int64)
    counts = np.concatenate([part.counts for part in parts]).astype(np.int64)
    kinds, kind = np.unique(np.concatenate([part.cells for part in parts]), return_inverse=True)
    swapped = _swapped(kinds)
    tables_of_cells = np.repeat(table, counts)
    # A second table has its own numbers for the same cells.
    seen = [
        each.astype(np.int64) | of_cells << 32
        for each, of_cells in (
            (kinds[kind], tables_of_cells),
            (swapped[kind], tables_of_cells if tables == 1 else 1 - tables_of_cells),
        )
    ]
    numbers = np.unique(np.concatenate(seen))
    bytes_of = numbers[:, None] >> 8 * np.arange(4) & 0xFF
    columns = bytes_of + (numbers[:, None] >> 32) * PAIRS
    lines = _counts(columns.ravel(), np.full(len(numbers), 4), tables * PAIRS)
    own, other = (_counts(np.searchsorted(numbers, each), counts, len(numbers)) for each in seen)
    value, score, share = (
        np.concatenate([getattr(part, name) for part in parts]).astype(np.float32)
        for name in ("values", "scores", "shares")
    )
    step = np.concatenate([part.stones for part in parts]).astype(np.int64) // STONES_A_STEP
    value /= np.float32(LOGISTIC_SCALE)
    return Positions(lines, own, other, table, step, value, score, share)


def _swapped(cells: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The same cells as the other side sees them, see `features.list_cells`."""
    pairs = np.ascontiguousarray(cells, "<u4").view(np.uint8).reshape(-1, 4)
    return np.sort(pairs >> 4 | pairs << 4, axis=1).view("<u4").ravel()


def _counts(columns: NDArray[np.int64], lengths: NDArray[np.int64], width: int) -> Matrix:
    """A matrix that counts, a row for each of `lengths`, what follows each other in `columns`."""
    starts = np.concatenate(([0], np.cumsum(lengths)))
    ones = np.ones(len(columns), np.float32)
    matrix = sparse.csr_matrix((ones, columns, starts), (len(lengths), width))
    matrix.sum_duplicates()
    return matrix


class _Forward(NamedTuple):
    """What the network makes of positions, layer by layer, and what is needed to go back."""

    lines: Matrix
    own: Matrix
    other: Matrix
    cells: Floats
    features: Floats
    first: Floats
    second: Floats
    added: Floats
    values: Floats


class Model:
    """The network in floating point, as it is being fitted."""

    def __init__(self, tables: int, random: np.random.Generator) -> None:
        def drawn(*shape: int, scale: float) -> Floats:
            return (scale * random.standard_normal(shape)).astype(np.float32)

        self._random = random
        self._longest_step = _STEP
        self._weights: dict[str, Floats] = {
            "embedding": drawn(tables * PAIRS, FEATURES, scale=0.02) + np.float32(0.01),
            "first": drawn(tables, HIDDEN, WIDTH, scale=0.05),
            "first_bias": np.zeros((tables, HIDDEN), np.float32),
            "second": drawn(SECOND_HIDDEN, HIDDEN, scale=(2 / HIDDEN) ** 0.5),
            "second_bias": np.zeros(SECOND_HIDDEN, np.float32),
            "last": drawn(SECOND_HIDDEN, scale=0.05),
            "last_bias": np.zeros(1, np.float32),
        }
        self._means = {name: np.zeros_like(each) for name, each in self._weights.items()}
        self._squares = {name: np.zeros_like(each) for name, each in self._weights.items()}
        self._steps = 0
        self._fading = np.ones(FADING_STEPS, np.float32)

    def go_on_from(self, network: Network) -> None:
        """Take the weights of `network`, the reverse of `whole`."""
        features, first, second = (_LARGEST / each for each in _USUAL)
        embedding = np.zeros((len(network.embedding), 16, 16, FEATURES), np.float32)
        kinds = len(KINDS)
        embedding[:, :kinds, :kinds] = network.embedding.swapaxes(1, 2) / features
        found: dict[str, NDArray[Any]] = {
            "embedding": embedding.reshape(-1, FEATURES),
            "first": network.first * features / first / WEIGHT_UNIT,
            "first_bias": network.first_bias / first / WEIGHT_UNIT,
            "second": network.second * first / second / WEIGHT_UNIT,
            "second_bias": network.second_bias / second / WEIGHT_UNIT,
            "last": network.last * second / (LAST_UNIT * LOGISTIC_SCALE),
            "last_bias": np.array([network.last_bias / (LAST_UNIT * LOGISTIC_SCALE)]),
        }
        self._weights = {name: each.astype(np.float32) for name, each in found.items()}
        self._fading = (network.fading / WHOLE).astype(np.float32)
        self._longest_step = _STEP_FROM_A_NETWORK

    def fade(self, positions: Positions) -> None:
        """Find by how much values should fade, step by step; near the step before, if in doubt."""
        values = positions.value + self._forward(positions).added
        left = 1.0
        for step in range(FADING_STEPS):
            chosen = positions.step == step
            of_step = values[chosen], positions.score[chosen], positions.share[chosen]
            left = minimize_scalar(
                _error_faded, bounds=(0, 2), args=(*of_step, left), method="bounded"
            ).x
            self._fading[step] = left

    def go_over(self, positions: Positions, start: float, end: float) -> float:
        """Learn from all `positions` once; returns the mean error on the way.

        This is the part of all learning from `start` to `end`, between 0 and 1.
        """
        order = self._random.permutation(len(positions))
        batches = np.array_split(order, max(1, len(order) // _BATCH))
        errors = []
        for number, batch in enumerate(batches):
            done = start + (end - start) * number / len(batches)
            falling = 0.5 + 0.5 * np.cos(np.pi * done)
            step = self._longest_step * falling * min(1, (self._steps + 1) / _RISE)
            errors.append(self._learn(positions.at(batch), step))
        return float(np.mean(errors))

    def error(self, positions: Positions) -> float:
        """The mean error, in nats."""
        return positions.error(self._forward(positions).values)

    def additions(self, positions: Positions) -> Floats:
        """What the network adds to the static values, before they fade."""
        return self._forward(positions).added

    def whole(self, positions: Positions) -> Network:
        """The network in whole numbers, scaled by how large nodes become in `positions`."""
        found = self._forward(positions)
        features, first, second = (
            _LARGEST / float(each.max()) for each in (found.features, found.first, found.second)
        )
        weights = self._weights
        by_pair = weights["embedding"].reshape(-1, 16, 16, FEATURES)
        # The kind of the own row is in the lower bits of a pair.
        embedding = by_pair.swapaxes(1, 2)[:, : len(KINDS), : len(KINDS)]
        return Network(
            _rounded(features * embedding, EMBEDDING_MAX),
            _rounded(WEIGHT_UNIT * first / features * weights["first"]),
            _rounded_long(WEIGHT_UNIT * first * weights["first_bias"]),
            _rounded(WEIGHT_UNIT * second / first * weights["second"]),
            _rounded_long(WEIGHT_UNIT * second * weights["second_bias"]),
            _rounded_long(LAST_UNIT * LOGISTIC_SCALE / second * weights["last"]),
            round(LAST_UNIT * LOGISTIC_SCALE * float(weights["last_bias"][0])),
            _rounded_long(WHOLE * self._fading),
        )

    def _forward(self, positions: Positions) -> _Forward:
        weights = self._weights
        # Most cells are in none of these positions.
        used = np.unique(np.concatenate((positions.own.indices, positions.other.indices)))
        lines = positions.lines[used]
        own, other = (_renumbered(each, used) for each in (positions.own, positions.other))
        cells = np.maximum(lines @ weights["embedding"], 0)
        features = np.concatenate((own @ cells, other @ cells), axis=1)
        first = np.empty((len(features), HIDDEN), np.float32)
        for table, (of_table, bias) in enumerate(
            zip(weights["first"], weights["first_bias"], strict=True)
        ):
            chosen = positions.table == table
            first[chosen] = np.maximum(features[chosen] @ of_table.T + bias, 0)
        second = np.maximum(first @ weights["second"].T + weights["second_bias"], 0)
        added = second @ weights["last"] + weights["last_bias"]
        values = self._fading[positions.step] * (positions.value + added)
        return _Forward(lines, own, other, cells, features, first, second, added, values)

    def _learn(self, batch: Positions, step: float) -> float:
        """Move the weights a step down the slope of the error; returns what it was before."""
        weights, found = self._weights, self._forward(batch)
        chances = 1 / (1 + np.exp(-found.values))
        of_value: Floats = batch.share * (chances - batch.score) / batch.share.sum()
        of_value *= self._fading[batch.step]
        of_second: Floats = of_value[:, None] * weights["last"] * (found.second > 0)
        of_first = of_second @ weights["second"] * (found.first > 0)
        chosen = [batch.table == table for table in range(len(weights["first"]))]
        of_features = np.empty_like(found.features)
        for table, each in enumerate(chosen):
            of_features[each] = of_first[each] @ weights["first"][table]
        of_cells = found.own.T @ of_features[:, :FEATURES]
        of_cells += found.other.T @ of_features[:, FEATURES:]
        self._step(
            step,
            embedding=found.lines.T @ (of_cells * (found.cells > 0)),
            first=np.stack([of_first[each].T @ found.features[each] for each in chosen]),
            first_bias=np.stack([of_first[each].sum(axis=0) for each in chosen]),
            second=of_second.T @ found.first,
            second_bias=of_second.sum(axis=0),
            last=of_value @ found.second,
            last_bias=of_value.sum(keepdims=True),
        )
        return batch.error(found.values)

    def _step(self, step: float, **slopes: Floats) -> None:
        self._steps += 1
        for name, slope in slopes.items():
            mean, square = self._means[name], self._squares[name]
            mean += (1 - _MEMORY) * (slope - mean)
            square += (1 - _MEMORY_OF_SQUARES) * (slope * slope - square)
            way = mean / (1 - _MEMORY**self._steps)
            way /= np.sqrt(square / (1 - _MEMORY_OF_SQUARES**self._steps)) + _TINY
            if name == "embedding":
                way += _DECAY * self._weights[name]
            self._weights[name] -= np.float32(step) * way


def _error_faded(left: float, values: Floats, scores: Floats, shares: Floats, near: float) -> float:
    """The error, in nats, of what is `left` of `values`, which should lie near another share."""
    errors = shares @ (np.logaddexp(0, left * values) - scores * left * values)
    return float(errors) + _FIRMNESS * (left - near) ** 2


def _renumbered(counts: Matrix, used: NDArray[np.int64]) -> Matrix:
    """`counts` with columns for the cells `used` alone."""
    columns = np.searchsorted(used, counts.indices)
    return sparse.csr_matrix((counts.data, columns, counts.indptr), (counts.shape[0], len(used)))


def _rounded(weights: Floats, most: int = WEIGHT_MAX) -> NDArray[np.int16]:
    return np.rint(weights).clip(-most, most).astype(np.int16)


def _rounded_long(weights: Floats) -> NDArray[np.int32]:
    return np.rint(weights).astype(np.int32)


@click.command()
@source_options
@dry_run_option
@click.option("--rounds", type=POSITIVE, default=12, show_default=True, help="Over all positions.")
@click.option(
    "--go-on",
    "earlier",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Begin with the network in this file of weights, and not by chance.",
)
def main(
    game: Game, source: Source, jobs: int, dry_run: bool, rounds: int, earlier: Path | None
) -> None:
    """Fit the network of the rule of GAMES to what the sum of its other weights is wrong about.

    It learns from the same positions as these, see `tools.fit`.
    """
    if not isinstance(game, Gomoku):
        raise click.BadParameter(f"the evaluation of {game.id} has no network")
    evaluation = GomokuEvaluation(game)
    source.make(jobs)
    parts = Parallel(n_jobs=jobs)(delayed(_seen)(*part) for part in source.parts)
    positions = positions_of(parts, evaluation.tables)
    blocks = np.repeat([block for _, block in source.parts], [len(part.counts) for part in parts])
    learnt, held_out = (
        positions.at(np.flatnonzero(chosen))
        for chosen in (blocks % HELD_OUT != 0, blocks % HELD_OUT == 0)
    )
    model = Model(evaluation.tables, np.random.default_rng(source.plans[0].seed))
    if earlier is not None:
        model.go_on_from(read(game.rule, earlier).network)
        click.echo(f"0: held out {model.error(held_out):.4f}")
    model.fade(learnt)
    click.echo(f"faded: held out {model.error(held_out):.4f}")
    for number in range(rounds):
        error = model.go_over(learnt, number / rounds, (number + 1) / rounds)
        click.echo(f"{number + 1}: {error:.4f}, held out {model.error(held_out):.4f}")
    origin = {
        "made by": f"python -m tools.network {source.arguments} --rounds {rounds}"
        + (f" --go-on {earlier.name}" if earlier else ""),
        "positions": len(positions),
        "held out": len(held_out),
        "error before": round(held_out.error(held_out.value), 4),
        "error after": round(model.error(held_out), 4),
    }
    for name, value in origin.items():
        click.echo(f"{name}: {value}")
    if not dry_run:
        evaluation.write_network(model.whole(learnt), origin)


if __name__ == "__main__":
    main()
