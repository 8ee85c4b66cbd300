"""Positions one move on and one move back, up to symmetry."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import registry
from engine.game import Game, Key
from engine.position import Position
from tests.engine.samples import every_game, unfinished_positions
from tests.examples import examples
from tests.oracles.boards import slow_rules_of

some_examples = examples(15)


def counts_by_ply(game: Game, plies: int) -> list[int]:
    """For ply 1 to `plies`, the positions that `Game.children` reaches."""
    counts = []
    level: dict[Key, Position] = {b"": game.initial}
    for _ in range(plies):
        level = {
            child.canonical.key: child.canonical.position
            for position in level.values()
            for child in game.children(position)
        }
        counts.append(len(level))
    return counts


@pytest.mark.parametrize(
    ("game_id", "counts"),
    [
        ("gomoku-5", [6, 85, 904]),
        ("gomoku-6", [6, 165, 2_715]),
        ("gomoku-7-standard", [10, 315]),
        ("gomoku-15", [36, 6_405]),
        ("gomoku-15-standard", [36, 6_405]),
        ("pentago-swap", [6, 165, 2_715]),
        ("pentago", [6, 165, 2_715]),
        ("pentago-twist", [18, 630]),
    ],
)
def test_the_number_of_positions_up_to_symmetry_is_known(game_id: str, counts: list[int]) -> None:
    assert counts_by_ply(registry.get(game_id), len(counts)) == counts


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game_id", "counts"),
    [
        ("gomoku-5", [6, 85, 904, 9_664]),
        ("gomoku-7-standard", [10, 315, 7_038]),
        ("pentago-swap", [6, 165, 2_715, 44_481]),
        ("pentago-twist", [18, 630, 10_710]),
    ],
)
def test_the_number_of_positions_of_more_plies_is_known(game_id: str, counts: list[int]) -> None:
    assert counts_by_ply(registry.get(game_id), len(counts)) == counts


@pytest.mark.parametrize(
    ("game_id", "plies"),
    [
        ("gomoku-5", 3),
        ("gomoku-6", 2),
        ("gomoku-15", 1),
        ("pentago-swap", 2),
        ("pentago", 2),
        ("pentago-twist", 2),
        pytest.param("gomoku-5", 4, marks=pytest.mark.slow),
        pytest.param("gomoku-7-standard", 3, marks=pytest.mark.slow),
        pytest.param("gomoku-15", 2, marks=pytest.mark.slow),
        pytest.param("pentago-swap", 3, marks=pytest.mark.slow),
    ],
)
def test_the_slow_rules_count_as_many_positions(game_id: str, plies: int) -> None:
    game = registry.get(game_id)
    slow = slow_rules_of(game)
    assert counts_by_ply(game, plies) == slow.unfinished_positions(plies)


@every_game
@given(data=st.data())
@some_examples
def test_the_moves_of_the_children_are_all_that_do_not_end_the_game(
    game: Game, data: st.DataObject
) -> None:
    position = data.draw(unfinished_positions(game))
    children = game.children(position)
    going_on = [
        move
        for move in game.legal_moves(position)
        if game.outcome(game.play(position, move)) is None
    ]
    assert sorted(move for child in children for move in child.moves) == going_on
    assert len({child.canonical.key for child in children}) == len(children)
    assert [child.moves[0] for child in children] == sorted(child.moves[0] for child in children)
    for child in children:
        assert list(child.moves) == sorted(child.moves)
        for move in child.moves:
            assert game.canonical(game.play(position, move)).position == child.canonical.position


@every_game
@given(data=st.data())
@some_examples
def test_all_images_of_a_position_have_the_same_children(game: Game, data: st.DataObject) -> None:
    position = data.draw(unfinished_positions(game))
    symmetry = data.draw(st.sampled_from(game.symmetries))
    turned = game.map_position(position, symmetry)
    assert {(child.canonical.key, len(child.moves)) for child in game.children(position)} == {
        (child.canonical.key, len(child.moves)) for child in game.children(turned)
    }


def test_the_move_that_ends_the_game_leads_to_no_child() -> None:
    game = registry.get("gomoku-5")
    position = game.play_line(game.parse_line("a1 a2 b1 b2 c1 c2 d1 d2"))
    moves = {game.format_move(move) for child in game.children(position) for move in child.moves}
    assert "e1" not in moves
    assert "e2" in moves


def test_a_finished_game_has_no_children() -> None:
    game = registry.get("gomoku-5")
    finished = game.play_line(game.parse_line("a1 a2 b1 b2 c1 c2 d1 d2 e1"))
    assert game.children(finished) == []


@pytest.mark.parametrize(
    "game_id",
    [
        "gomoku-5",
        "gomoku-6-standard",
        "gomoku-11",
        "gomoku-26",
        "pentago-swap",
        "pentago",
        "pentago-twist",
    ],
)
@given(data=st.data())
@some_examples
def test_a_position_is_a_parent_of_each_of_its_children_by_the_smallest_move(
    game_id: str, data: st.DataObject
) -> None:
    game = registry.get(game_id)
    parent = game.canonical(data.draw(unfinished_positions(game)))
    child = data.draw(st.sampled_from(game.children(parent.position) or [None]))
    if child is not None:
        assert game.parents(child.canonical.position)[parent.key] == child.moves[0]


@pytest.mark.parametrize(
    "game_id",
    ["gomoku-5", "gomoku-6-standard", "gomoku-6-renju", "pentago-swap", "pentago", "pentago-twist"],
)
def test_the_parents_of_a_position_are_those_that_have_it_as_a_child(game_id: str) -> None:
    game = registry.get(game_id)
    expected: dict[Key, dict[Key, int]] = {}
    level = {game.canonical(game.initial).key: game.initial}
    for _ in range(2):
        after = {}
        for key, position in level.items():
            for child in game.children(position):
                after[child.canonical.key] = child.canonical.position
                expected.setdefault(child.canonical.key, {})[key] = child.moves[0]
        for key, position in after.items():
            assert game.parents(position) == expected[key]
        level = after


@every_game
@given(data=st.data())
@some_examples
def test_a_move_taken_back_and_made_again_leads_to_the_same_position(
    game: Game, data: st.DataObject
) -> None:
    start = data.draw(unfinished_positions(game))
    move = data.draw(st.sampled_from(game.legal_moves(start)))
    position = game.play(start, move)
    before = list(game.unplay(position))
    assert (start, move) in before
    assert len(before) == len(set(before))
    for earlier, leading_move in before:
        assert game.outcome(earlier) is None
        assert leading_move in game.legal_moves(earlier)
        assert game.play(earlier, leading_move) == position


@every_game
def test_no_move_leads_to_the_empty_board(game: Game) -> None:
    assert list(game.unplay(game.initial)) == []
    assert game.parents(game.initial) == {}
