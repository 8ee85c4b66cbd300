"""How sure values are said to be."""

from itertools import pairwise

import pytest

from engine import registry
from engine.accuracy import CLASSES, FILE, Accuracy, class_of

MEASURED = ["gomoku-15", "gomoku-15-standard", "gomoku-15-renju"]
SMALL = ["gomoku-11", "gomoku-11-standard", "gomoku-11-renju"]


def test_a_deeper_value_is_as_sure_or_surer_and_a_proof_is_certain() -> None:
    accuracy = Accuracy([0.3, 0.2, 0.1])
    assert [accuracy.uncertainty(depth, False) for depth in range(5)] == [0.3, 0.2, 0.1, 0.1, 0.1]
    assert accuracy.uncertainty(1, True) == 0.0


def test_where_nothing_was_measured_nothing_but_a_proof_is_known() -> None:
    accuracy = Accuracy([])
    assert accuracy.uncertainty(9, False) is None
    assert accuracy.uncertainty(9, True) == 0.0
    assert class_of(None) is None


@pytest.mark.parametrize(
    ("uncertainty", "name"), [(0.0, "A"), (0.025, "A"), (0.026, "B"), (0.2, "D"), (0.5, "E")]
)
def test_a_class_reaches_up_to_its_uncertainty(uncertainty: float, name: str) -> None:
    assert class_of(uncertainty) == name


@pytest.mark.parametrize(
    ("name", "left"), [*((name, 0.5) for name in MEASURED), *((name, 0.6) for name in SMALL)]
)
def test_what_was_measured_falls_with_depth(name: str, left: float) -> None:
    assert f'"python -m tools.accuracy {name} ' in FILE.read_text()
    moved = registry.get(name).accuracy.moved
    assert len(moved) > 6
    assert all(0 < after <= before < 0.5 for before, after in pairwise(moved))
    assert moved[-1] < left * moved[0]


@pytest.mark.parametrize("name", ["gomoku-11", "gomoku-11-standard"])
def test_values_on_a_small_board_are_less_sure_but_in_renju(name: str) -> None:
    small, large = (registry.get(each).accuracy for each in (name, name.replace("11", "15")))
    assert small.moved[18] > large.moved[18]


@pytest.mark.parametrize(
    ("size", "measured"), [(5, 11), (12, 11), (13, 15), (15, 15), (20, 15), (26, 15)]
)
def test_a_board_is_judged_as_the_measured_one_nearest_in_size(size: int, measured: int) -> None:
    game = registry.get(f"gomoku-{size}-standard")
    assert game.measured_as == f"gomoku-{measured}-standard"
    assert game.accuracy is registry.get(f"gomoku-{measured}-standard").accuracy


def test_classes_are_in_order() -> None:
    assert list(CLASSES) == sorted(CLASSES)
    assert list(CLASSES.values()) == sorted(CLASSES.values())
