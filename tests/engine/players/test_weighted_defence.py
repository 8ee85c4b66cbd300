"""The agent of weighted defence is as its report tells it, weaknesses included."""

import pytest

from engine import registry
from engine.players.base import Choice
from engine.players.engine import EnginePlayer
from engine.players.row_boards import board_of
from engine.players.weighted_defence import FIVE, WeightedDefence, evaluate
from tests.engine.players.test_consecutive_rows import (
    DARK_STONE,
    ENGINE_LIMITS,
    GOMOKU_11,
    LIGHT_STONE,
    both_colours,
    crowded_boards,
    directions,
    four_in_a_row,
    loses,
    random_positions,
    row_alone,
)
from tests.oracles.boards import position_of
from tests.oracles.slow_consecutive_rows import stones_on
from tests.oracles.slow_weighted_defence import SlowWeightedDefence, evaluation

# x is to move. Next, o can make two fours at once on f6: closed fours, or fours with a gap.
CLOSED_UP_FORK = """
    ..........x
    ...........
    ...........
    .....x.....
    x..........
    ...........
    ....oxo....
    ...o...o...
    ..o.....o..
    .x.......x.
    ...........
"""
GAPPED_FORK = """
    ..........x
    ...........
    ...........
    ....xx.....
    x...o.o....
    ...........
    ...........
    ...o...o...
    ..o.....o..
    .x.......x.
    ...........
"""


def value_of_row(row: str, own: int = DARK_STONE) -> int:
    return evaluate(board_of(registry.get("gomoku-15"), row_alone(row)), own)


def value_along(row: str) -> int:
    """What `row`, stones of x, is worth along itself: all it is worth but for the other three
    directions, in each of which every stone stands alone with two open ends."""
    return value_of_row(row) - 3 * 10 * 10 * row.count("x")


@pytest.mark.parametrize(
    ("game_id", "depth", "count"),
    [
        ("gomoku-5", 3, 10),
        ("gomoku-5", None, 20),
        ("gomoku-6", None, 20),
        ("gomoku-7", None, 20),
        ("gomoku-9", None, 10),
        ("gomoku-11", 2, 2),
        ("gomoku-15", 1, 6),
    ],
)
def test_plain_python_finds_the_same_move_value_and_node_count(
    game_id: str, depth: int | None, count: int
) -> None:
    game = registry.get(game_id)
    for position in random_positions(game, count, seed=2):
        choice = WeightedDefence(game, depth).choose(position)
        slow = SlowWeightedDefence(game.size)
        turn = "x" if position.dark_to_move else "o"
        value, (row, column) = slow.search(stones_on(game, position), turn, choice.depth)
        assert choice == Choice(row * game.size + column, value, choice.depth, slow.nodes)


def test_alpha_beta_finds_the_value_of_full_minimax() -> None:
    game = registry.get("gomoku-5")
    for position in random_positions(game, 10, seed=5):
        choice = WeightedDefence(game).choose(position)
        turn = "x" if position.dark_to_move else "o"
        full = SlowWeightedDefence(5).minimax(stones_on(game, position), turn, turn, choice.depth)
        assert choice.value == full


@pytest.mark.parametrize("size", [5, 6, 11, 26])
def test_plain_python_values_any_board_alike(size: int) -> None:
    game = registry.get(f"gomoku-{size}")
    for board in crowded_boards(size, 60):
        for own, stone in ((DARK_STONE, "x"), (LIGHT_STONE, "o")):
            plain = evaluation(size, stones_on(game, board), stone)
            assert evaluate(board_of(game, board), own) == plain


def test_the_worth_of_a_row_grows_tenfold_with_each_stone() -> None:
    assert [value_along(row) for row in ("x", "xx", "xxx")] == [100, 1_000, 10_000]


@pytest.mark.parametrize("row", ["x", "xx", "xxx", "xxxx"])
def test_a_closed_end_costs_as_much_as_a_stone_and_two_cost_everything(row: str) -> None:
    crossing = 3 * 10 * 10 * len(row)
    blocker = -11 * (1 + 3 * 10)
    assert value_of_row(f"{row}o") == 10 * 10 ** (len(row) - 1) + crossing + blocker
    assert value_of_row(f"o{row}o") == 0 + crossing + 2 * blocker


def test_an_open_four_equals_a_win() -> None:
    assert value_along("xxxx") == value_along("xxxxx") == 10 * 10**5


@pytest.mark.parametrize("own", [DARK_STONE, LIGHT_STONE])
@pytest.mark.parametrize("rows", ["x....o", "xx...oo", "xxx..ooo"])
def test_the_opponents_rows_weigh_more_than_ones_own(rows: str, own: int) -> None:
    assert value_of_row(rows, own) < 0


def test_it_looks_one_ply_ahead_and_two_once_five_stones_are_on_the_board() -> None:
    line = GOMOKU_11.parse_line("f6 g7 a1 k2 b9 j8 e3")
    depths = [
        WeightedDefence(GOMOKU_11).choose(GOMOKU_11.play_line(line[:count])).depth
        for count in range(1, 8)
    ]
    assert depths == [1, 1, 1, 1, 2, 2, 2]


def test_every_empty_cell_is_considered() -> None:
    position = GOMOKU_11.play_line(GOMOKU_11.parse_line("a1 k6"))
    assert WeightedDefence(GOMOKU_11).choose(position).nodes == 121 - 2


@directions
@both_colours
def test_a_five_in_one_move_is_played_in_every_direction(step: tuple[int, int], dark: bool) -> None:
    position, completing = four_in_a_row(step, dark, own=True)
    choice = WeightedDefence(GOMOKU_11).choose(position)
    assert (choice.move, choice.value) == (completing, FIVE)


@directions
@both_colours
def test_a_five_of_the_opponent_is_blocked_in_every_direction(
    step: tuple[int, int], dark: bool
) -> None:
    position, completing = four_in_a_row(step, dark, own=False)
    assert WeightedDefence(GOMOKU_11).choose(position).move == completing


def test_an_open_three_of_the_opponent_is_answered() -> None:
    position = GOMOKU_11.play_line(GOMOKU_11.parse_line("f6 a1 f7 a11 f8"))
    move = WeightedDefence(GOMOKU_11).choose(position).move
    assert GOMOKU_11.format_move(move) in {"f4", "f5", "f9", "f10"}


# Known weakness: what the agent gets wrong and the engine gets right.


def test_a_four_with_a_gap_is_worth_no_more_than_its_parts_apart() -> None:
    assert value_of_row("xxx.x") == value_of_row("xxx..x")


def test_a_fork_of_unbroken_rows_is_parried() -> None:
    position = position_of(CLOSED_UP_FORK)
    for player in (WeightedDefence(GOMOKU_11), EnginePlayer(GOMOKU_11, ENGINE_LIMITS)):
        assert not loses(position, player.choose(position).move, nodes=3_000)


def test_gapped_rows_are_not_seen() -> None:
    position = position_of(GAPPED_FORK)
    assert loses(position, WeightedDefence(GOMOKU_11).choose(position).move, nodes=1_000)
    engine = EnginePlayer(GOMOKU_11, ENGINE_LIMITS)
    assert not loses(position, engine.choose(position).move, nodes=3_000)
