"""Logistic regression on the scale of values: a value of LOGISTIC_SCALE means 73 %."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.values import LOGISTIC_SCALE

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

# How strongly weights are drawn to where they start: no more than decides about those on which
# the data say nothing.
_RIDGE = 1e-6
_CLOSE_ENOUGH = 0.01
_ROUNDS = 50


def probabilities(values: Vector) -> Vector:
    """`engine.values.winning_probability` of each value."""
    return np.asarray(0.5 + 0.5 * np.tanh(values / (2 * LOGISTIC_SCALE)))


def cross_entropy(values: Vector, scores: Vector) -> float:
    """The mean error, in nats, of `values` as predictions of `scores` between 0 and 1."""
    predicted = np.clip(probabilities(values), 1e-12, 1 - 1e-12)
    return float(-np.mean(scores * np.log(predicted) + (1 - scores) * np.log(1 - predicted)))


def fit(features: Matrix, scores: Vector, start: Sequence[float], held: Sequence[int]) -> Vector:
    """The weights with which features times weights predict the scores best, by Newton's method.

    `features` has a row for each position and a column for each weight. The weights numbered in
    `held` stay as they are in `start`.

    Raises:
        ArithmeticError: if it does not settle.
    """
    weights = np.array(start, dtype=np.float64)
    free = np.setdiff1d(np.arange(len(weights)), held)
    columns, first = features[:, free], weights[free]
    for _ in range(_ROUNDS):
        predicted = probabilities(features @ weights)
        slope = columns.T @ (predicted - scores) / LOGISTIC_SCALE
        slope += _RIDGE * (weights[free] - first)
        spread = predicted * (1 - predicted) / LOGISTIC_SCALE**2
        curvature = columns.T @ (columns * spread[:, None]) + _RIDGE * np.eye(len(free))
        step = np.linalg.solve(curvature, slope)
        weights[free] -= step
        if np.abs(step).max() < _CLOSE_ENOUGH:
            return weights
    raise ArithmeticError(f"the fit did not settle within {_ROUNDS} rounds")
