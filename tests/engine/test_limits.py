"""What a search may be asked, and what its answer tells of a proof."""

import math
from dataclasses import replace

import pytest

from engine.clock import Clock
from engine.errors import FivebookError, InvalidLimits
from engine.search import Limits, SearchResult
from engine.values import WIN, Bound


@pytest.mark.parametrize(
    "limits", [{"depth": 1}, {"nodes": 1}, {"movetime": 0.001}, {"depth": 3, "nodes": 10**9}]
)
def test_any_one_positive_limit_is_enough(limits: dict[str, int]) -> None:
    given = Limits(**limits)
    assert {name: getattr(given, name) for name in limits} == limits


def test_a_clock_is_a_limit() -> None:
    assert Limits(clock=Clock(60.0)).clock == Clock(60.0)


def test_limits_are_kept_without_a_clock_unless_they_have_one() -> None:
    assert Limits(nodes=5).as_dict() == {"depth": None, "nodes": 5, "movetime": None}
    clock = {"left": 60.0, "increment": 0.5, "moves_to_go": None}
    assert Limits(clock=Clock(60.0, 0.5)).as_dict()["clock"] == clock


def test_a_search_without_any_limit_is_refused() -> None:
    with pytest.raises(InvalidLimits, match="needs a limit: depth, nodes, movetime or clock"):
        Limits()


@pytest.mark.parametrize("name", ["depth", "nodes", "movetime"])
@pytest.mark.parametrize("value", [0, -1, -0.5, math.nan])
def test_a_limit_that_is_not_positive_is_refused_and_named(name: str, value: float) -> None:
    with pytest.raises(InvalidLimits) as caught:
        Limits(**{name: value})
    assert str(caught.value) == f"{name} must be greater than zero, not {value}"
    assert isinstance(caught.value, FivebookError)
    assert isinstance(caught.value, ValueError)


def test_one_bad_limit_is_refused_beside_good_ones() -> None:
    with pytest.raises(InvalidLimits, match="nodes must be greater than zero, not -5"):
        Limits(depth=4, nodes=-5)


def test_a_result_has_a_distance_where_it_is_a_proven_win_or_loss() -> None:
    result = SearchResult(
        move=7,
        value=WIN - 3,
        bound=Bound.EXACT,
        proven=True,
        depth=3,
        nodes=10,
        seconds=0.1,
        line=(7,),
    )
    assert result.distance == 3
    assert replace(result, value=-(WIN - 4)).distance == 4
    assert replace(result, value=0).distance is None
    assert replace(result, proven=False).distance is None
