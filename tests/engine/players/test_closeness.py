"""The closeness agent: its distances, its search, and what a swap does that it does not see."""

from random import Random

import pytest

from engine import registry
from engine.game import Outcome
from engine.games.quadrants.alphabeta import pack_board
from engine.players.base import Choice
from engine.players.closeness import Closeness, distances
from engine.players.engine import EnginePlayer
from engine.position import Position
from engine.search import Limits
from tests.engine.samples import random_game
from tests.oracles import slow_closeness as slow
from tests.oracles.boards import board_of, position_of

GAME = registry.get("pentago-swap")


def after(line: str) -> Position:
    return GAME.play_line(GAME.parse_line(line))


def distances_of(drawing: str) -> int:
    """The sum over the dark stones of a drawn board."""
    return distances(pack_board(position_of(drawing).dark))


@pytest.mark.parametrize(
    ("bottom_rows", "expected"),
    [
        ("......\n......\n......", 0),
        ("......\n......\n.x....", 0),
        ("......\n......\nxx....", 1),
        ("......\nx.....\n.x....", 2),
        ("......\n......\nx....x", 5),
        ("x.....\n......\nxx....", 1 + 2 + 3),
        ("x....x\n......\n...xo.", (5 + 0) + (3 + 2) + (2 + 2)),
    ],
)
def test_distances_are_summed_by_columns_and_rows_over_all_pairs(
    bottom_rows: str, expected: int
) -> None:
    assert distances_of("......\n......\n......\n" + bottom_rows) == expected


def test_a_full_board_of_one_colour_sums_all_pairs() -> None:
    # Along one axis: 5 lines, with 6, 12, 18, 24 and 30 of the 36 stones on one side.
    per_axis = 6 * 30 + 12 * 24 + 18 * 18 + 24 * 12 + 30 * 6
    assert distances_of("\n".join(["xxxxxx"] * 6)) == 2 * per_axis


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", "b2:12"),
        ("b2:12", "e2:12"),
        ("b2:12 e2:12", "b5:12"),
        ("a1:12", "b2:12"),
        ("a1:12 b2:12 e2:12", "b5:12"),
    ],
)
def test_a_sides_first_two_stones_go_to_centres_of_quadrants(line: str, expected: str) -> None:
    assert Closeness(GAME).choose(after(line)) == Choice(GAME.parse_move(expected))


def test_the_first_two_stones_of_both_sides_are_on_centres() -> None:
    agent = Closeness(GAME)
    position = GAME.initial
    for _ in range(4):
        position = GAME.play_line([agent.choose(position).move], position)
    assert position.dark | position.light == 1 << 7 | 1 << 10 | 1 << 25 | 1 << 28


def test_then_it_searches_three_plies_unless_told_otherwise() -> None:
    position = after("b2:12 e2:12 b5:12 b5:12")
    assert Closeness(GAME).choose(position).depth == 3
    assert Closeness(GAME).choose(position) == Closeness(GAME, 3).choose(position)


def test_at_depth_one_every_cell_and_swap_is_tried_once() -> None:
    position = after("b2:12 e2:12 b5:12 b5:12")
    assert Closeness(GAME, depth=1).choose(position).nodes == 32 * 6


@pytest.mark.parametrize(
    ("plies", "depth", "games_tried"),
    [
        (4, 1, 4),
        (12, 1, 8),
        (6, 2, 3),
        (14, 2, 4),
        (20, 2, 8),
        (28, 2, 12),
        (28, 3, 8),
        (30, 3, 16),
        (32, 3, 20),
        (34, 3, 30),
    ],
)
def test_a_plain_version_agrees_on_move_value_and_nodes(
    plies: int, depth: int, games_tried: int
) -> None:
    agent = Closeness(GAME, depth)
    compared = 0
    for seed in range(games_tried):
        reached = [position for _, position in random_game(GAME, Random(seed))][:plies]
        if len(reached) == plies and GAME.outcome(reached[-1]) is None:
            choice = agent.choose(reached[-1])
            board = tuple("".join(row).upper() for row in board_of(GAME, reached[-1]))
            assert (choice.move, choice.value, choice.nodes) == slow.choose(board, depth)
            compared += 1
    assert compared >= 2


def test_a_plain_version_agrees_on_the_first_search_of_a_game() -> None:
    position = after("b2:12 e2:12 b5:12 b5:12")
    choice = Closeness(GAME).choose(position)
    board = tuple("".join(row).upper() for row in board_of(GAME, position))
    assert (choice.move, choice.value, choice.nodes) == slow.choose(board, 3)


def test_it_takes_a_five() -> None:
    position = after("a3:14 a6:13 b6:13 b2:34 b6:24 d2:34 c6:14 b2:13 d2:23 c2:34")
    choice = Closeness(GAME).choose(position)
    assert choice.value == 100_000
    assert GAME.outcome(GAME.play(position, choice.move)) is Outcome.DARK_WINS


def can_win_at_once(position: Position) -> bool:
    """Whether the side to move has a move that wins."""
    winning = Outcome.DARK_WINS if position.dark_to_move else Outcome.LIGHT_WINS
    return any(
        GAME.outcome(GAME.play(position, move)) is winning for move in GAME.legal_moves(position)
    )


def test_it_stops_a_five_where_two_moves_do() -> None:
    position = after("c4:12 c4:23 b3:12 b4:24 f2:24 e4:12 a1:13 f4:14 f3:12 d3:12")
    moves = GAME.legal_moves(position)
    safe = [move for move in moves if not can_win_at_once(GAME.play(position, move))]
    assert len(safe) == 2
    assert Closeness(GAME).choose(position).move in safe


# What it does not see, and the engine does.


def opponent_wins(position: Position) -> bool:
    """Whether the engine proves a win for the side to move."""
    result = GAME.searcher().search(position, Limits(nodes=50_000))
    return result.proven and result.value > 0


def test_it_values_the_stones_as_they_stood_before_its_swap_tore_them_apart() -> None:
    position = position_of("""
        ......
        ..xx..
        ..x...
        o.....
        ......
        o....o
    """)
    choice = Closeness(GAME, depth=1).choose(position)
    # The fourth stone makes a square, and the first swap is as good to it as any other.
    assert GAME.format_move(choice.move) == "d4:12"
    assert choice.value == (2 + 5 + 7) - 8
    torn = GAME.play(position, choice.move)
    whole = GAME.play(position, GAME.parse_move("d4:34"))
    assert (distances(pack_board(torn.dark)), distances(pack_board(whole.dark))) == (24, 8)


@pytest.mark.parametrize(
    ("line", "sound_swap"),
    [
        (
            "b2:13 d6:12 b2:12 d5:24 b1:13 b6:13 a1:13 e3:34 e3:12 e1:12 a5:12 d2:23",
            "c2:34",
        ),
        (
            "b4:13 a5:24 f4:13 d5:24 b1:12 b2:12 e5:34 f2:34 e2:12 a3:12",
            "d3:12",
        ),
    ],
)
def test_its_swap_loses_where_another_with_the_same_stone_and_the_engines_move_do_not(
    line: str, sound_swap: str
) -> None:
    position = after(line)
    move = Closeness(GAME).choose(position).move
    sound = GAME.parse_move(sound_swap)
    assert GAME.cell_of(move) == GAME.cell_of(sound)
    assert opponent_wins(GAME.play(position, move))
    assert not opponent_wins(GAME.play(position, sound))

    engine = EnginePlayer(GAME, Limits(nodes=50_000))
    assert not opponent_wins(GAME.play(position, engine.choose(position).move))


def test_a_win_at_once_is_no_more_to_it_than_a_later_one_and_the_engine_takes_it() -> None:
    position = after("e2:34 c6:23 d3:13 c6:14 f6:23 b6:24 b5:23 b1:13 a5:34 f2:23 c1:13 c2:24")
    choice = Closeness(GAME).choose(position)
    assert choice.value == 100_000
    assert GAME.outcome(GAME.play(position, choice.move)) is None
    engine = EnginePlayer(GAME, Limits(nodes=1_000))
    best = GAME.play(position, engine.choose(position).move)
    assert GAME.outcome(best) is Outcome.DARK_WINS


def test_it_knows_no_limits_but_its_depth_and_the_engine_keeps_to_any() -> None:
    position = after("b2:12 e2:12 b5:12 b5:12")
    assert Closeness(GAME).movetime is None
    # No shallower iteration first: the moves of depth 3 alone.
    assert Closeness(GAME).choose(position).nodes == 107_236
    assert EnginePlayer(GAME, Limits(nodes=1_000)).choose(position).nodes <= 1_000
