"""Regressions with many weights: of values to winning chances, and of moves to those chosen.

Each is minimised by L-BFGS, and drawn a little to where it starts, which decides about weights on
which the data say nothing.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from engine.values import LOGISTIC_SCALE

# A scipy.sparse.csr_matrix, which has no types.
Matrix = Any
Vector = NDArray[np.float64]
Indices = NDArray[np.int64]

# Values are in hundreds, logarithms of odds in ones, hence different forces.
_RIDGE, _CHOICE_RIDGE = 5e-9, 1e-5
# A weight that counts in few positions has a small slope however wrong it is, so that slopes do not
# tell when to stop: a round that gains next to nothing does.
_OPTIONS = {"maxiter": 1000, "maxfun": 2000, "maxcor": 20, "gtol": 0.0, "ftol": 1e-9}


def probabilities(values: Vector) -> Vector:
    """`engine.values.winning_probability` of each value."""
    return np.asarray(0.5 + 0.5 * np.tanh(values / (2 * LOGISTIC_SCALE)))


def cross_entropy(values: Vector, scores: Vector, shares: Vector | None = None) -> float:
    """The mean error, in nats, of `values` as predictions of `scores` between 0 and 1.

    Each counts by its share, or all count alike.
    """
    predicted = np.clip(probabilities(values), 1e-12, 1 - 1e-12)
    errors = -scores * np.log(predicted) - (1 - scores) * np.log(1 - predicted)
    return float(np.average(errors, weights=shares))


def fit(
    features: Matrix,
    scores: Vector,
    start: Sequence[float],
    shares: Vector | None = None,
    ridge: float = _RIDGE,
) -> Vector:
    """The weights with which features times weights predict the scores best.

    `features` has a row for each position and a column for each weight. Each position counts by
    its share, or all count alike.
    """
    transposed = features.T.tocsr()
    shares = np.ones(len(scores)) if shares is None else shares
    total = shares.sum()

    def loss(weights: Vector) -> tuple[float, Vector]:
        logits = features @ weights / LOGISTIC_SCALE
        mean = float(shares @ (np.logaddexp(0, logits) - scores * logits)) / total
        errors = shares * (probabilities(logits * LOGISTIC_SCALE) - scores)
        return mean, transposed @ errors / (LOGISTIC_SCALE * total)

    return _minimum(loss, start, ridge)


class Choices:
    """Which of some alternatives were chosen; an alternative's logit is a sum of weights.

    `features` has the numbers of these weights, a row for each alternative, those of one choice
    following each other; `counts` says how many each choice has, and `chosen` which one it was.
    """

    def __init__(self, features: Indices, counts: Indices, chosen: Indices) -> None:
        self._features = features
        self._starts = np.cumsum(counts) - counts
        self._choice = np.repeat(np.arange(len(counts)), counts)
        self._chosen = self._starts + chosen

    def fit(self, start: Sequence[float], ridge: float = _CHOICE_RIDGE) -> Vector:
        """The weights under which the choices made are most likely (McFadden, 1974)."""
        columns = self._features.T

        def loss(weights: Vector) -> tuple[float, Vector]:
            mean, chances = self._likelihood(weights)
            chances[self._chosen] -= 1
            slopes = sum(np.bincount(column, chances, len(weights)) for column in columns)
            return mean, np.asarray(slopes / len(self._starts))

        return _minimum(loss, start, ridge)

    def error(self, weights: Vector) -> float:
        """The mean of minus the logarithm of the chance given to what was chosen, in nats."""
        return self._likelihood(weights)[0]

    def _likelihood(self, weights: Vector) -> tuple[float, Vector]:
        """The error, and the chance of every alternative."""
        logits = weights[self._features].sum(axis=1)
        highest = np.maximum.reduceat(logits, self._starts)
        odds = np.exp(logits - highest[self._choice])
        totals = np.add.reduceat(odds, self._starts)
        error = float(np.mean(np.log(totals) + highest - logits[self._chosen]))
        return error, odds / totals[self._choice]


def _minimum(
    loss: Callable[[Vector], tuple[float, Vector]], start: Sequence[float], ridge: float
) -> Vector:
    """Where `loss`, which gives its slopes too, is least, with `ridge` for the way from `start`."""
    first = np.array(start, dtype=np.float64)

    def drawn(weights: Vector) -> tuple[float, Vector]:
        value, slopes = loss(weights)
        way = weights - first
        return value + ridge * float(way @ way) / 2, slopes + ridge * way

    return np.asarray(minimize(drawn, first, jac=True, method="L-BFGS-B", options=_OPTIONS).x)
