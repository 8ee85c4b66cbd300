"""Regressions of values to winning chances, and of moves to those chosen."""

import numpy as np
import pytest
from scipy import sparse

from engine.values import winning_probability
from tools.regression import Choices, cross_entropy, fit, probabilities

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
    found = fit(sparse.csr_matrix(features), scores, start=[0.0] * len(TRUE))
    assert found == pytest.approx(TRUE, abs=15)


def test_weights_of_which_all_positions_are_certain_are_found_almost_exactly() -> None:
    features, _ = made_up(seed=2)
    scores = probabilities(features @ TRUE)
    found = fit(sparse.csr_matrix(features), scores, start=[0.0] * len(TRUE), ridge=0)
    assert found == pytest.approx(TRUE, abs=2)


def test_a_weight_on_which_the_data_say_nothing_stays_where_it_was() -> None:
    features, scores = made_up(seed=4)
    features[:, 2] = 0
    found = fit(sparse.csr_matrix(features), scores, start=[0.0, 0.0, 77.0, 0.0, 0.0])
    assert found[2] == pytest.approx(77)


def test_fitted_weights_predict_games_better_that_they_were_not_fitted_to() -> None:
    features, scores = made_up(seed=5)
    start = TRUE / 2
    found = fit(sparse.csr_matrix(features[:15_000]), scores[:15_000], start=list(start))
    rest = features[15_000:]
    assert cross_entropy(rest @ found, scores[15_000:]) < cross_entropy(
        rest @ start, scores[15_000:]
    )


LOGITS = np.array([0.0, 1.0, -1.0, 2.0, 0.5])


def made_up_choices(seed: int) -> Choices:
    """20,000 choices between two to five alternatives of two weights each, made as LOGITS say."""
    random = np.random.default_rng(seed)
    counts = random.integers(2, 6, POSITIONS)
    features = random.integers(0, len(LOGITS), (counts.sum(), 2))
    # The largest of logits with Gumbel noise is chosen with the chance of a softmax.
    noisy = LOGITS[features].sum(axis=1) + random.gumbel(size=len(features))
    chosen = [int(part.argmax()) for part in np.split(noisy, np.cumsum(counts)[:-1])]
    return Choices(features, counts, np.array(chosen))


def test_the_weights_by_which_choices_were_made_are_found_again_up_to_a_common_term() -> None:
    found = made_up_choices(seed=1).fit([0.0] * len(LOGITS))
    assert found - found[0] == pytest.approx(LOGITS - LOGITS[0], abs=0.1)


def test_fitted_choices_are_likelier_than_others_that_were_not_fitted_to() -> None:
    found = made_up_choices(seed=1).fit([0.0] * len(LOGITS))
    others = made_up_choices(seed=2)
    assert others.error(found) < others.error(np.zeros(len(LOGITS)))
    assert others.error(found) == pytest.approx(others.error(LOGITS), abs=0.01)


def test_the_error_of_an_even_choice_is_the_logarithm_of_the_alternatives() -> None:
    choices = Choices(np.zeros((5, 2), dtype=np.int64), np.array([2, 3]), np.array([1, 0]))
    assert choices.error(np.zeros(1)) == pytest.approx((np.log(2) + np.log(3)) / 2)
