"""Values as winning chances."""

import pytest

from engine.values import HEURISTIC_MAX, WIN
from service.answers import win_rate


@pytest.mark.parametrize(
    ("value", "proven", "chance"),
    [
        (WIN - 9, True, 1.0),
        (8 - WIN, True, 0.0),
        (0, True, 0.5),
        (120, True, 0.5),
        (0, False, 0.5),
        (100, False, 0.5622),
        (-100, False, 0.4378),
        (400, False, 0.7311),
        (HEURISTIC_MAX, False, 1.0),
    ],
)
def test_a_value_is_a_chance_of_the_side_to_move(value: int, proven: bool, chance: float) -> None:
    assert win_rate(value, proven) == chance


def test_the_chances_of_both_sides_make_one() -> None:
    for value in range(-2_000, 2_000, 7):
        assert win_rate(value, False) + win_rate(-value, False) == pytest.approx(1)
