"""What the results of a match tell: score, Elo with its interval, and when a match may stop.

The unit is a pair of games: the same opening twice, colours swapped. The two results of a pair
depend on each other through the opening, those of different pairs do not. So everything here is
computed from five counts: the pairs with 0, ½, 1, 1½ and 2 points for the first player.

An expected score is judged by its likelihood: that of the likeliest distribution over the five
results that has this mean (M. Van den Bergh, MLE_multinomial, Proposition 1.1, as on Stockfish's
test server; M. Grendár and V. Špitalský, 2017, for the results that no pair had). No normal
approximation is made, so that 50 pairs won out of 50 still have an honest interval.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from math import exp, inf, log, log10

PairCounts = tuple[int, int, int, int, int]

NO_PAIRS: PairCounts = (0, 0, 0, 0, 0)

_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
# Half the 95 % quantile of the chi-squared distribution with one degree of freedom.
_DEFICIT_95 = 3.841458820694124 / 2
# Halvings after which nothing of an interval is left that a float could tell.
_HALVINGS = 80


def with_pair(counts: PairCounts, half_points: int) -> PairCounts:
    """The counts after one more pair, in which the first player had 0 to 4 half points."""
    none, half, one, more, two = (n + (i == half_points) for i, n in enumerate(counts))
    return none, half, one, more, two


def elo_of(score: float) -> float:
    """The logistic Elo difference at which `score`, from 0 to 1, is expected; may be infinite."""
    if score in (0.0, 1.0):
        return inf if score else -inf
    return 400 * log10(score / (1 - score))


def score_of(elo: float) -> float:
    """The score that is expected at a difference of `elo`."""
    return 1 / (1 + exp(-elo * log(10) / 400))


def mean_score(counts: PairCounts) -> float:
    """The mean score of at least one pair, from 0 to 1."""
    return sum(n * a for n, a in zip(counts, _SCORES, strict=True)) / sum(counts)


def deficit(counts: PairCounts, score: float) -> float:
    """How much less likely, in log-likelihood, the counts are if `score` is the expected one.

    At least 0, and 0 at the mean score. `score` is greater than 0 and less than 1.
    """
    # The likeliest probabilities are n / (N·(1 + t·(a - score))), where t makes their mean right;
    # that t maximises the sum below. Where it comes to an end of its range first, the rest of the
    # probability goes to 0 or 1 point, though no pair had that result.
    seen = [(n, a - score) for n, a in zip(counts, _SCORES, strict=True) if n]

    def too_small(t: float) -> bool:
        return sum(n * d / (1 + t * d) for n, d in seen) > 0

    t = _bisect(too_small, -1 / (1 - score), 1 / score)
    return sum(n * log(1 + t * d) for n, d in seen)


def interval(counts: PairCounts) -> tuple[float, float]:
    """The expected scores that a likelihood ratio test at 5 % does not reject, as (low, high).

    At 0 % or 100 % one end is the mean itself. There is at least one pair.
    """

    def rejected(score: float) -> bool:
        return deficit(counts, score) > _DEFICIT_95

    mean = mean_score(counts)
    low = _bisect(rejected, 0.0, mean) if mean > 0 else 0.0
    high = _bisect(lambda score: not rejected(score), mean, 1.0) if mean < 1 else 1.0
    return low, high


@dataclass(frozen=True, slots=True)
class EloEstimate:
    """An Elo difference with its 95 % interval; infinite at 0 % and 100 %, as is one end then."""

    value: float
    low: float
    high: float


def estimate(counts: PairCounts) -> EloEstimate | None:
    """What the pairs tell of the Elo difference; None while there are none."""
    if counts == NO_PAIRS:
        return None
    low, high = interval(counts)
    return EloEstimate(elo_of(mean_score(counts)), elo_of(low), elo_of(high))


class SprtVerdict(StrEnum):
    """What a sequential test says so far."""

    RUNNING = "running"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential test of `elo1` against the lower `elo0` (A. Wald, 1945).

    It accepts where `elo0` is true, and rejects where `elo1` is, in at most 5 % of all matches.
    """

    elo0: float
    elo1: float

    upper = log(0.95 / 0.05)
    lower = -upper

    def llr(self, counts: PairCounts) -> float:
        """The log-likelihood ratio of `elo1` to `elo0`."""
        return deficit(counts, score_of(self.elo0)) - deficit(counts, score_of(self.elo1))

    def verdict(self, counts: PairCounts) -> SprtVerdict:
        """Accepted or rejected once the ratio has reached a bound: the match may stop."""
        llr = self.llr(counts)
        if llr >= self.upper:
            return SprtVerdict.ACCEPTED
        return SprtVerdict.REJECTED if llr <= self.lower else SprtVerdict.RUNNING


def _bisect(is_below: Callable[[float], bool], low: float, high: float) -> float:
    """Where `is_below`, true up to some point from `low` to `high`, turns false."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if is_below(middle):
            low = middle
        else:
            high = middle
    return (low + high) / 2
