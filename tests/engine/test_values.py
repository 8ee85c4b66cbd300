"""The scale of values."""

import pytest

from engine.values import (
    HEURISTIC_MAX,
    WIN,
    Bound,
    distance,
    from_child,
    is_decisive,
    winning_probability,
)


def test_a_belief_changes_its_sign_from_child_to_parent() -> None:
    assert [from_child(value) for value in (0, 1, -250, HEURISTIC_MAX, -HEURISTIC_MAX)] == [
        0,
        -1,
        250,
        -HEURISTIC_MAX,
        HEURISTIC_MAX,
    ]


def test_to_move_into_a_lost_position_wins_one_ply_later() -> None:
    assert from_child(-WIN) == WIN - 1
    assert from_child(-(WIN - 4)) == WIN - 5


def test_to_move_into_a_won_position_loses_one_ply_later() -> None:
    assert from_child(WIN - 1) == -(WIN - 2)
    assert from_child(WIN - 5) == -(WIN - 6)


@pytest.mark.parametrize("plies", [0, 1, 2, 36, 676])
def test_the_distance_of_a_win_and_of_a_loss_is_in_plies(plies: int) -> None:
    assert distance(WIN - plies) == plies
    assert distance(-(WIN - plies)) == plies


@pytest.mark.parametrize("value", [0, 100, -100, HEURISTIC_MAX, -HEURISTIC_MAX])
def test_a_belief_has_no_distance(value: int) -> None:
    assert distance(value) is None
    assert not is_decisive(value)


def test_a_value_is_decisive_from_just_above_the_largest_belief() -> None:
    assert is_decisive(HEURISTIC_MAX + 1)
    assert is_decisive(-(HEURISTIC_MAX + 1))


def test_every_game_is_shorter_than_the_gap_between_belief_and_win() -> None:
    assert not is_decisive(HEURISTIC_MAX)
    assert is_decisive(WIN - 26 * 26)


def test_an_even_position_is_won_half_of_the_time() -> None:
    assert winning_probability(0) == 0.5


def test_the_chances_of_both_sides_add_up_to_one() -> None:
    for value in (1, 100, 400, 5_000, WIN):
        assert winning_probability(value) + winning_probability(-value) == pytest.approx(1)


def test_more_is_better() -> None:
    chances = [winning_probability(value) for value in range(-3_000, 3_001, 100)]
    assert chances == sorted(set(chances))
    assert winning_probability(400) == pytest.approx(0.731, abs=0.001)


def test_a_sure_win_is_certain_and_a_sure_loss_has_no_chance() -> None:
    assert winning_probability(WIN) == pytest.approx(1)
    assert winning_probability(-WIN) == pytest.approx(0)


def test_bounds_read_as_words() -> None:
    assert [str(bound) for bound in Bound] == ["exact", "lower", "upper"]
