"""Finding games by their ids."""

import pytest

from engine import registry
from engine.errors import FivebookError, UnknownGame
from tests.engine.samples import EXAMPLES


def test_all_families_are_found_in_the_order_of_their_names() -> None:
    assert [family.name for family in registry.families()] == [
        "connect-four",
        "gomoku",
        "pentago",
        "pentago-swap",
    ]


@pytest.mark.parametrize("game_id", EXAMPLES)
def test_an_example_names_a_game_that_knows_its_id(game_id: str) -> None:
    assert registry.get(game_id).id == game_id


def test_a_game_is_the_same_object_each_time() -> None:
    assert registry.get("gomoku-11-standard") is registry.get("gomoku-11-standard")


@pytest.mark.parametrize("size", range(5, 27))
def test_gomoku_has_every_size_from_5_to_26_by_every_rule(size: int) -> None:
    assert registry.get(f"gomoku-{size}").cell_count == size * size
    assert registry.get(f"gomoku-{size}-standard").move_count == size * size
    assert registry.get(f"gomoku-{size}-renju").size == size


@pytest.mark.parametrize(
    "game_id",
    [
        "",
        " ",
        "gomoku",
        "gomoku-",
        "gomoku-0",
        "gomoku-4",
        "gomoku-27",
        "gomoku-015",
        "gomoku-+15",
        "gomoku-150",
        "gomoku--15",
        "Gomoku-15",
        "gomoku-15 ",
        "gomoku-15\n",
        "gomoku-15-",
        "gomoku-15-exact",
        "gomoku-15-standard-standard",
        "gomoku-15-standard-renju",
        "gomoku-15-renju-",
        "gomoku-standard",
        "pentago-",
        "pentago-turn",
        "pentago-swap-6",
        "connect-four",
        "connect-four-7",
        "connect-four-3x6",
        "connect-four-7x27",
        "connect-four-7x06",
        "connect-four-7x6x5",
        "chess",
        "base",
        "rows",
    ],
)
def test_an_unknown_game_is_named_with_the_games_that_exist(game_id: str) -> None:
    with pytest.raises(UnknownGame) as caught:
        registry.get(game_id)
    message = str(caught.value)
    assert f"'{game_id}'" in message
    assert "gomoku-N" in message
    assert "pentago-swap" in message
    assert isinstance(caught.value, FivebookError)


def test_the_empty_board_has_no_stones_and_dark_to_move() -> None:
    for game_id in EXAMPLES:
        initial = registry.get(game_id).initial
        assert initial.ply == 0
        assert initial.dark_to_move
        game = registry.get(game_id)
        first = game.width if game_id.startswith("connect-four") else game.move_count
        assert len(game.legal_moves(initial)) == first


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("gomoku15", "gomoku-15"),
        ("gomoku13", "gomoku-13"),
        ("Gomoku_15", "gomoku-15"),
        ("gomku-13", "gomoku-13"),
        ("gomoku", "gomoku-15"),
        ("gomoku-15-renyu", "gomoku-15-renju"),
        ("pentagoswap", "pentago-swap"),
    ],
)
def test_a_slip_of_the_finger_is_answered_with_the_id_that_was_meant(text: str, meant: str) -> None:
    with pytest.raises(UnknownGame, match=f"unknown game '{text}'; did you mean '{meant}'. There"):
        registry.get(text)


@pytest.mark.parametrize("text", ["", "chess", "gomoku-4", "gomoku-27", "gomoku-15" * 1000])
def test_what_is_like_no_id_gets_no_suggestion(text: str) -> None:
    with pytest.raises(UnknownGame, match=f"unknown game '{text}'; there are "):
        registry.get(text)
