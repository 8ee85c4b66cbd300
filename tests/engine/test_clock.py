"""A clock, and the time that each move gets of it."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.clock import LAG, Clock, allot
from engine.errors import InvalidLimits
from engine.search import Limits

CELLS = 225

seconds = st.floats(0.001, 1e6)
clocks = st.builds(
    Clock, seconds, st.just(0.0) | st.floats(0.0, 1e3), st.none() | st.integers(1, 200)
)
plies = st.integers(0, CELLS - 1)


@given(clocks, plies)
def test_a_move_gets_some_time_and_never_all_that_is_left(clock: Clock, ply: int) -> None:
    allotment = allot(clock, ply, CELLS)
    assert 0 < allotment.soft <= allotment.hard < clock.left


@given(clocks, plies)
def test_a_reserve_is_kept_for_what_is_not_thinking(clock: Clock, ply: int) -> None:
    assert clock.left - allot(clock, ply, CELLS).hard >= min(LAG, clock.left / 2) * 0.999


@given(clocks, plies)
def test_more_time_is_never_less_for_a_move(clock: Clock, ply: int) -> None:
    more = replace(clock, left=2 * clock.left, increment=clock.increment)
    assert allot(more, ply, CELLS).soft >= allot(clock, ply, CELLS).soft
    assert allot(more, ply, CELLS).hard >= allot(clock, ply, CELLS).hard


@given(seconds, st.floats(0.1, 10.0), plies)
def test_an_increment_is_spent_while_there_is_time(left: float, increment: float, ply: int) -> None:
    without, with_it = (allot(Clock(left, added), ply, CELLS) for added in (0.0, increment))
    assert with_it.soft >= without.soft


def test_in_the_long_run_a_move_takes_about_its_increment() -> None:
    allotment = allot(Clock(left=3.0, increment=2.0), 60, CELLS)
    assert allotment.soft == pytest.approx(1.1, abs=0.2)
    assert allotment.hard > 2.0


@given(clocks, plies)
def test_fewer_moves_to_go_give_more_for_each(clock: Clock, ply: int) -> None:
    shares = [
        allot(replace(clock, increment=0.0, moves_to_go=moves), ply, CELLS).soft
        for moves in (40, 10, 2, 1)
    ]
    assert shares == sorted(shares)


def test_the_last_move_before_more_time_comes_may_take_nearly_all() -> None:
    allotment = allot(Clock(left=10.0, moves_to_go=1), 40, CELLS)
    assert allotment.hard == pytest.approx(10.0 - LAG)
    assert allotment.soft < allotment.hard


def test_the_last_move_before_the_board_is_full_may_take_nearly_all() -> None:
    assert allot(Clock(left=10.0), CELLS - 1, CELLS).hard == pytest.approx(10.0 - LAG)


def test_the_first_stones_get_less_time_than_those_after_them() -> None:
    allotments = [allot(Clock(left=60.0), ply, CELLS) for ply in (0, 1, 2, 3)]
    assert allotments[0] == allotments[1]
    assert allotments[2] == allotments[3]
    assert allotments[1].soft < allotments[2].soft / 3
    assert allotments[1].hard < allotments[2].hard / 3


@given(st.floats(5.0, 1e4), st.just(0.0) | st.floats(0.0, 5.0))
def test_whole_games_of_full_hard_limits_stay_within_the_clock(
    left: float, increment: float
) -> None:
    for ply in range(0, CELLS, 2):
        spent = allot(Clock(left, increment), ply, CELLS).hard
        left = left - spent + increment
        assert left > 0


@given(st.floats(2.0, 1e4), st.integers(1, 60))
def test_every_period_of_moves_stays_within_its_time(base: float, moves: int) -> None:
    left, to_go = base, moves
    for ply in range(0, CELLS, 2):
        left -= allot(Clock(left, 0.0, to_go), ply, CELLS).hard
        assert left > 0
        to_go -= 1
        if to_go == 0:
            left, to_go = left + base, moves


def test_late_results_are_provided_for() -> None:
    left = 10.0
    for ply in range(0, 120, 2):
        left -= allot(Clock(left), ply, CELLS).hard + 0.02
        assert left > 0


@pytest.mark.parametrize(
    ("numbers", "sentence"),
    [
        ((0.0,), "the time left must be greater than zero, not 0.0"),
        ((-1.0,), "the time left must be greater than zero, not -1.0"),
        ((math.nan,), "the time left must be greater than zero, not nan"),
        ((math.inf,), "the time left must be greater than zero, not inf"),
        ((1.0, -0.5), "the increment must be zero or more, not -0.5"),
        ((1.0, math.nan), "the increment must be zero or more, not nan"),
        ((1.0, 0.0, 0), "moves to go must be one or more, not 0"),
    ],
)
def test_a_clock_that_makes_no_sense_is_refused(numbers: tuple[float, ...], sentence: str) -> None:
    with pytest.raises(InvalidLimits) as caught:
        Clock(*numbers)  # type: ignore[arg-type]
    assert str(caught.value) == sentence


def test_of_a_clock_and_a_movetime_the_earlier_holds() -> None:
    clock = Clock(left=60.0)
    alone = allot(clock, 10, CELLS)
    assert Limits(clock=clock).allotment(10, CELLS) == alone
    assert Limits(clock=clock, movetime=1000.0).allotment(10, CELLS) == alone
    short = Limits(clock=clock, movetime=0.1).allotment(10, CELLS)
    assert short is not None
    assert (short.soft, short.hard) == (0.1, 0.1)


def test_limits_without_time_allot_none() -> None:
    assert Limits(nodes=5).allotment(0, CELLS) is None


def test_a_movetime_is_there_to_be_used() -> None:
    allotment = Limits(movetime=2.0).allotment(0, CELLS)
    assert allotment is not None
    assert allotment.soft == allotment.hard == 2.0
