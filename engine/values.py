"""The scale of values.

A value is a whole number in centi-units from the point of view of the side to move: 100 is a
winning chance of about 56 %. A win proven in *n* plies is ``WIN - n``, a loss
``-(WIN - n)``; everything a search merely believes stays within ``±HEURISTIC_MAX``.
"""

import math
from enum import StrEnum

Value = int

WIN: Value = 30_000
HEURISTIC_MAX: Value = WIN - 1_000

# A value of this size means a winning probability of 1/(1 + 1/e), about 73 %.
LOGISTIC_SCALE = 400.0


class Bound(StrEnum):
    """How a value relates to the true one."""

    EXACT = "exact"
    LOWER = "lower"
    UPPER = "upper"


def is_decisive(value: Value) -> bool:
    """Whether `value` states a proven win or loss."""
    return abs(value) > HEURISTIC_MAX


def distance(value: Value) -> int | None:
    """Plies to the end of a proven win or loss, None for any other value."""
    return WIN - abs(value) if is_decisive(value) else None


def from_child(value: Value) -> Value:
    """The value, for the side that moved, of having moved into a position worth `value`.

    Wins and losses move one ply further away.
    """
    value = -value
    if not is_decisive(value):
        return value
    return value - 1 if value > 0 else value + 1


def winning_probability(value: Value) -> float:
    """The chance, 0 to 1, that the side to move wins, a draw counting one half."""
    return 1.0 / (1.0 + math.exp(-value / LOGISTIC_SCALE))


def describe_value(value: Value, proven: bool) -> str:
    """How people write a value: ``+35``, ``win in 7``, ``loss in 6``, ``draw``."""
    plies = distance(value)
    if plies is not None:
        return f"{'win' if value > 0 else 'loss'} in {plies}"
    return "draw" if proven else f"{value:+d}"
