"""Logistic regression on the scale of values."""

import numpy as np
import pytest

from engine.values import winning_probability
from tools.regression import cross_entropy, fit, probabilities

POSITIONS, TRUE = 20_000, np.array([120.0, -40.0, 15.0, 300.0, 90.0])


def made_up(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Features, and scores as `TRUE` would have them come out by chance."""
    random = np.random.default_rng(seed)
    features = random.integers(-4, 5, (POSITIONS, len(TRUE))).astype(np.float64)
    scores = random.random(POSITIONS) < probabilities(features @ TRUE)
    return features, scores.astype(np.float64)


def test_probabilities_are_those_that_values_stand_for() -> None:
    values = np.array([-9000.0, -400.0, -1.0, 0.0, 100.0, 29_000.0])
    expected = [winning_probability(int(value)) for value in values]
    assert probabilities(values) == pytest.approx(expected, abs=1e-12)


def test_the_error_of_knowing_nothing_is_that_of_a_coin() -> None:
    assert cross_entropy(np.zeros(4), np.array([0.0, 1.0, 1.0, 0.5])) == pytest.approx(np.log(2))


def test_known_weights_are_found_again() -> None:
    features, scores = made_up(seed=1)
    found = fit(features, scores, start=[0.0] * len(TRUE), held=())
    assert found == pytest.approx(TRUE, abs=15)


def test_weights_of_which_all_positions_are_certain_are_found_exactly() -> None:
    features, _ = made_up(seed=2)
    found = fit(features, probabilities(features @ TRUE), start=[0.0] * len(TRUE), held=())
    assert found == pytest.approx(TRUE, abs=0.2)


def test_held_weights_stay_and_the_others_are_fitted_around_them() -> None:
    features, _ = made_up(seed=3)
    start = [0.0, TRUE[1], 0.0, TRUE[3], 0.0]
    found = fit(features, probabilities(features @ TRUE), start=start, held=(1, 3))
    assert list(found[[1, 3]]) == [TRUE[1], TRUE[3]]
    assert found == pytest.approx(TRUE, abs=0.2)


def test_a_weight_on_which_the_data_say_nothing_stays_where_it_was() -> None:
    features, scores = made_up(seed=4)
    features[:, 2] = 0
    assert fit(features, scores, start=[0.0, 0.0, 77.0, 0.0, 0.0], held=())[2] == 77


def test_fitted_weights_predict_games_better_that_they_were_not_fitted_to() -> None:
    features, scores = made_up(seed=5)
    start = TRUE / 2
    found = fit(features[:15_000], scores[:15_000], start=list(start), held=())
    rest = features[15_000:]
    assert cross_entropy(rest @ found, scores[15_000:]) < cross_entropy(
        rest @ start, scores[15_000:]
    )
