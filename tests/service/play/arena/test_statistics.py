"""Scores, Elo, intervals and sequential tests, against published values and slow ways."""

from collections.abc import Callable
from math import exp, inf, log
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.play.arena.statistics import (
    NO_PAIRS,
    PairCounts,
    Sprt,
    SprtVerdict,
    deficit,
    elo_of,
    estimate,
    interval,
    mean_score,
    score_of,
    with_pair,
)

# Half the 95 % quantile of the chi-squared distribution with one degree of freedom.
ENOUGH = 1.920729

some_counts = st.tuples(*[st.integers(0, 300)] * 5).filter(any)
inner_scores = st.floats(0.01, 0.99)


def half_width(counts: PairCounts) -> float:
    found = estimate(counts)
    assert found is not None
    return (found.high - found.low) / 2


def slow_deficit(counts: PairCounts, score: float) -> float:
    """By searching all distributions with mean `score`: three nested searches for a maximum."""

    def likelihood(*p: float) -> float:
        if any(n and not chance > 0 for n, chance in zip(counts, p, strict=True)):
            return -inf
        return sum(n * log(chance) for n, chance in zip(counts, p, strict=True) if n)

    def best_over_3(p1: float, p2: float) -> float:
        def at(p3: float) -> float:
            p4 = score - p1 / 4 - p2 / 2 - 3 * p3 / 4
            return likelihood(1 - p1 - p2 - p3 - p4, p1, p2, p3, p4)

        return highest(
            at, min((score - p1 / 4 - p2 / 2) * 4 / 3, 4 * (1 - score) - 3 * p1 - 2 * p2)
        )

    def best_over_2(p1: float) -> float:
        most = min(2 * score - p1 / 2, 2 * (1 - score) - 1.5 * p1)
        return highest(lambda p2: best_over_3(p1, p2), most)

    total = sum(counts)
    free = likelihood(*(n / total for n in counts))
    return free - highest(best_over_2, min(4 * score, 4 * (1 - score) / 3))


def highest(function: Callable[[float], float], most: float) -> float:
    """The maximum of a concave function from 0 to `most`, by ternary search."""
    low, high = 0.0, most
    for _ in range(28):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if function(left) < function(right):
            low = left
        else:
            high = right
    return max(function(low), function((low + high) / 2), function(high))


# Published values


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "llr"),
    [
        ((223, 9863, 21279, 10037, 246), 0.5, 2.5, -3.07),
        ((871, 26175, 55983, 26678, 821), 0.0, 2.0, -4.98),
    ],
)
def test_log_likelihood_ratios_are_those_of_fastchess(
    counts: PairCounts, elo0: float, elo1: float, llr: float
) -> None:
    # github.com/Disservin/fastchess, app/tests/sprt_test.cpp, "logistic pentanomial".
    assert Sprt(elo0, elo1).llr(counts) == pytest.approx(llr, abs=0.005)


@pytest.mark.parametrize(
    ("counts", "elo", "error"),
    [
        ((34, 54, 63, 64, 75), 55.58, 27.65),
        ((332, 433, 498, 333, 334), -8.64, 10.33),
        ((7895, 8757, 5685, 568, 9999), -21.04, 2.95),
    ],
)
def test_elo_and_its_error_are_those_of_fastchess(
    counts: PairCounts, elo: float, error: float
) -> None:
    # github.com/Disservin/fastchess, app/tests/elo_test.cpp, "EloPentanomial". Its interval is a
    # normal approximation, which for so many pairs comes to nearly the same.
    assert elo_of(mean_score(counts)) == pytest.approx(elo, abs=0.005)
    assert half_width(counts) == pytest.approx(error, rel=0.01)


def test_the_bounds_are_walds() -> None:
    # chessprogramming.org/Sequential_Probability_Ratio_Test: ±2.94 at 5 % and 5 %.
    assert (round(Sprt(0, 5).lower, 2), round(Sprt(0, 5).upper, 2)) == (-2.94, 2.94)


@pytest.mark.parametrize(
    ("score", "elo"), [(0.5, 0.0), (0.75, 190.85), (10 / 11, 400.0), (1 / 11, -400.0)]
)
def test_elo_is_logistic(score: float, elo: float) -> None:
    assert elo_of(score) == pytest.approx(elo, abs=0.005)
    assert score_of(elo) == pytest.approx(score, abs=1e-5)


def test_elo_is_infinite_where_nothing_or_everything_is_won() -> None:
    assert (elo_of(0.0), elo_of(1.0)) == (-inf, inf)


# Slow and closed forms


@pytest.mark.slow
@pytest.mark.parametrize(
    ("counts", "score"),
    [
        ((3, 5, 20, 9, 6), 0.45),
        ((3, 5, 20, 9, 6), 0.8),
        ((0, 4, 7, 1, 0), 0.5),
        ((0, 4, 7, 1, 0), 0.9),
        ((0, 0, 3, 5, 12), 0.6),
        ((6, 2, 0, 0, 0), 0.3),
        ((0, 0, 8, 0, 0), 0.3),
        ((0, 1, 0, 1, 0), 0.85),
    ],
)
def test_the_likelihood_is_the_best_that_a_search_finds(counts: PairCounts, score: float) -> None:
    assert deficit(counts, score) == pytest.approx(slow_deficit(counts, score), abs=1e-4)


@given(wins=st.integers(1, 500), losses=st.integers(1, 500), score=inner_scores)
def test_pairs_that_are_won_or_lost_as_a_whole_are_binomial(
    wins: int, losses: int, score: float
) -> None:
    mean = wins / (wins + losses)
    expected = wins * log(mean / score) + losses * log((1 - mean) / (1 - score))
    assert deficit((losses, 0, 0, 0, wins), score) == pytest.approx(expected, abs=1e-9)


@given(pairs=st.integers(1, 500), score=inner_scores)
def test_where_all_pairs_are_won_the_rest_of_the_likelihood_goes_to_losses(
    pairs: int, score: float
) -> None:
    assert deficit((0, 0, 0, 0, pairs), score) == pytest.approx(-pairs * log(score))
    assert deficit((pairs, 0, 0, 0, 0), score) == pytest.approx(-pairs * log(1 - score))


@given(pairs=st.integers(1, 500), score=st.floats(0.5, 0.99))
def test_where_all_pairs_are_even_the_rest_of_the_likelihood_goes_to_one_end(
    pairs: int, score: float
) -> None:
    expected = -pairs * log(2 * (1 - score))
    assert deficit((0, 0, pairs, 0, 0), score) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("pairs", [1, 50, 1000])
def test_the_interval_of_a_match_won_throughout_is_one_sided(pairs: int) -> None:
    low, high = interval((0, 0, 0, 0, pairs))
    assert low == pytest.approx(exp(-ENOUGH / pairs), abs=1e-6)
    assert high == 1.0
    assert interval((pairs, 0, 0, 0, 0)) == pytest.approx((0.0, 1 - low))


@given(counts=some_counts)
def test_the_interval_ends_where_the_likelihood_ratio_test_rejects(counts: PairCounts) -> None:
    mean = mean_score(counts)
    for end, closed in zip(interval(counts), (0.0, 1.0), strict=True):
        if mean == closed:
            assert end == closed
        else:
            assert deficit(counts, end) == pytest.approx(ENOUGH, abs=1e-5)
            assert (end < mean) == (closed == 0.0)


@given(counts=some_counts)
def test_swapping_the_players_turns_the_interval_round(counts: PairCounts) -> None:
    low, high = interval(counts)
    assert interval(counts[::-1]) == pytest.approx((1 - high, 1 - low), abs=1e-9)


def test_an_estimate_needs_a_pair() -> None:
    assert estimate(NO_PAIRS) is None
    assert estimate(with_pair(NO_PAIRS, 2)) is not None


def test_even_results_are_zero_elo() -> None:
    found = estimate((5, 5, 5, 5, 5))
    assert found is not None
    assert found.value == 0.0
    assert found.low == pytest.approx(-found.high)


def test_a_pair_is_counted_by_its_half_points() -> None:
    counts = NO_PAIRS
    for half_points in (0, 4, 4, 3):
        counts = with_pair(counts, half_points)
    assert counts == (1, 0, 0, 1, 2)


# What they are for


# Chances of a pair with 0 to 4 half points.
EVEN = (0.1, 0.2, 0.4, 0.2, 0.1)
STRONGER = (0.04, 0.12, 0.34, 0.24, 0.26)


def expected(chances: tuple[float, ...]) -> float:
    return sum(chance * i / 4 for i, chance in enumerate(chances))


def drawn(chances: tuple[float, ...], random: Random) -> int:
    return random.choices(range(5), chances)[0]


def test_the_interval_holds_the_truth_in_95_percent_of_matches() -> None:
    random = Random(1)
    held = 0
    for _ in range(2000):
        counts = NO_PAIRS
        for _ in range(60):
            counts = with_pair(counts, drawn(STRONGER, random))
        held += deficit(counts, expected(STRONGER)) <= ENOUGH
    assert 0.935 < held / 2000 < 0.965


@pytest.mark.slow
@pytest.mark.parametrize(
    ("chances", "wrong"), [(EVEN, SprtVerdict.ACCEPTED), (STRONGER, SprtVerdict.REJECTED)]
)
def test_a_sequential_test_is_wrong_in_about_5_percent_of_matches(
    chances: tuple[float, ...], wrong: SprtVerdict
) -> None:
    sprt = Sprt(elo_of(expected(EVEN)), elo_of(expected(STRONGER)))
    random = Random(2)
    verdicts = []
    for _ in range(300):
        counts, verdict = NO_PAIRS, SprtVerdict.RUNNING
        while verdict is SprtVerdict.RUNNING:
            counts = with_pair(counts, drawn(chances, random))
            verdict = sprt.verdict(counts)
        verdicts.append(verdict)
    assert 0 < verdicts.count(wrong) < 0.08 * 300
