"""A side's clock during a game."""

import pytest

from engine.clock import Clock
from service.play.clocks import GameClock


def test_a_clock_starts_with_its_base() -> None:
    control = Clock(60.0, 0.5, 40)
    assert GameClock(control).reading == control


def test_a_move_takes_its_time_and_gives_the_increment() -> None:
    clock = GameClock(Clock(60.0, 0.5))
    assert clock.spend(10.0) == 50.0
    assert clock.reading == Clock(50.5, 0.5)


def test_the_increment_comes_too_late_for_the_move_that_oversteps() -> None:
    clock = GameClock(Clock(1.0, 5.0))
    assert clock.spend(1.25) == -0.25


def test_after_so_many_moves_there_is_more_time() -> None:
    clock = GameClock(Clock(10.0, moves_to_go=2))
    clock.spend(3.0)
    assert clock.reading == Clock(7.0, moves_to_go=1)
    clock.spend(3.0)
    assert clock.reading == Clock(14.0, moves_to_go=2)


def test_who_has_overstepped_within_a_margin_is_told_of_almost_nothing_left() -> None:
    clock = GameClock(Clock(1.0))
    clock.spend(1.03)
    assert clock.reading.left == pytest.approx(0.001)
    # What was overstepped is not forgotten.
    assert clock.spend(0.01) == pytest.approx(-0.04)
