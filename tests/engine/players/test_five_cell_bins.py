"""The five-cell bins agent: its bins, its tree, and what it gets wrong."""

from random import Random

import pytest

from engine import registry
from engine.game import Outcome
from engine.players.engine import EnginePlayer
from engine.players.five_cell_bins import FiveCellBins, evaluate
from engine.players.stones import DARK_STONE, LIGHT_STONE, stones_of
from engine.position import Position
from engine.search import Limits
from tests.engine.samples import random_game
from tests.oracles import slow_five_cell_bins as slow
from tests.oracles.boards import position_of

GOMOKU_5 = registry.get("gomoku-5")
GOMOKU_11 = registry.get("gomoku-11")


def after(line: str) -> Position:
    return GOMOKU_11.play_line(GOMOKU_11.parse_line(line))


def value_of(drawing: str) -> int:
    """The evaluation of a drawn board of five cells a side, for dark."""
    return evaluate(stones_of(GOMOKU_5, position_of(drawing)), DARK_STONE)


@pytest.mark.parametrize(
    ("row", "twos", "threes", "fours", "fives"),
    [
        ("x....", 0, 0, 0, 0),
        ("xx...", 2, 0, 0, 0),
        ("xxx..", 4, 2, 0, 0),
        ("xxxx.", 6, 4, 2, 0),
        ("xxxxx", 8, 6, 4, 2),
        ("xx.xx", 4, 0, 0, 0),
    ],
)
def test_every_row_is_counted_from_both_of_its_ends_and_so_are_the_rows_within(
    row: str, twos: int, threes: int, fours: int, fives: int
) -> None:
    board = "\n".join([".....", ".....", row, ".....", "....."])
    assert value_of(board) == 2 * twos + 6 * threes + 1_000 * fours + 50_000 * fives


@pytest.mark.parametrize(
    "drawing",
    [
        ".....\n.....\n.xxx.\n.....\n.....",
        ".....\n..x..\n..x..\n..x..\n.....",
        ".....\n.x...\n..x..\n...x.\n.....",
        ".....\n...x.\n..x..\n.x...\n.....",
    ],
    ids=["row", "column", "falling", "rising"],
)
def test_rows_are_counted_on_every_axis(drawing: str) -> None:
    assert value_of(drawing) == 2 * 6 + 4 * 2


def test_the_value_is_own_minus_the_opponents() -> None:
    position = position_of(".....\nooo..\n.....\n..xx.\n.....")
    stones = stones_of(GOMOKU_5, position)
    assert evaluate(stones, DARK_STONE) == 2 * 2 - (2 * 6 + 4 * 2)
    assert evaluate(stones, LIGHT_STONE) == -evaluate(stones, DARK_STONE)


def test_the_whole_tree_is_built_before_it_is_valued() -> None:
    choice = FiveCellBins(GOMOKU_11).choose(after("f6"))
    # Four moves beside the stone, with ten moves next to the pair, and four at its corners, with
    # twelve: alpha-beta leaves none of them out.
    assert (choice.depth, choice.nodes) == (2, 8 + 4 * 10 + 4 * 12)


@pytest.mark.parametrize(
    ("size", "plies", "depth", "games_tried"),
    [
        (5, 1, 3, 1),
        (5, 6, 2, 8),
        (5, 14, 2, 8),
        (5, 17, 3, 6),
        (5, 20, 4, 8),
        (5, 23, 3, 8),
        (6, 9, 2, 6),
        (7, 30, 2, 3),
        (9, 16, 1, 8),
    ],
)
def test_a_plain_version_agrees_on_move_value_and_nodes(
    size: int, plies: int, depth: int, games_tried: int
) -> None:
    game = registry.get(f"gomoku-{size}")
    agent = FiveCellBins(game, depth)
    compared = 0
    for seed in range(games_tried):
        reached = [position for _, position in random_game(game, Random(seed))][:plies]
        if len(reached) == plies and game.outcome(reached[-1]) is None:
            choice = agent.choose(reached[-1])
            expected = slow.choose(size, reached[-1], depth)
            assert (choice.move, choice.value, choice.nodes) == expected
            compared += 1
    assert compared >= games_tried / 3


def test_it_completes_five_rather_than_block_a_four() -> None:
    position = after("d6 d8 e6 e8 f6 f8 g6 g8")
    choice = FiveCellBins(GOMOKU_11).choose(position)
    assert GOMOKU_11.outcome(GOMOKU_11.play(position, choice.move)) is Outcome.DARK_WINS


def test_it_blocks_a_four_with_one_open_end() -> None:
    position = after("d6 c6 e6 a1 f6 k11 g6")
    assert GOMOKU_11.format_move(FiveCellBins(GOMOKU_11).choose(position).move) == "h6"


# What it gets wrong, and the engine does not.


def opponent_wins(position: Position) -> bool:
    """Whether the engine proves a win for the side to move."""
    result = GOMOKU_11.searcher().search(position, Limits(nodes=20_000))
    return result.proven and result.value > 0


def test_a_row_of_three_is_worth_twice_its_rows_and_a_dead_one_as_much() -> None:
    rows_within = 1 * 6 + 2 * 2
    assert (
        evaluate(stones_of(GOMOKU_11, after("d6 a1 e6 k1 f6 f11")), DARK_STONE) == 2 * rows_within
    )
    assert (
        evaluate(stones_of(GOMOKU_11, after("d6 c6 e6 g6 f6 f11")), DARK_STONE) == 2 * rows_within
    )


@pytest.mark.parametrize(
    ("line", "dead_four"),
    [
        ("f4 f8 d4 f7 e4 c4 g4 h4 e3 e7 e5 e2", "e6"),
        ("f3 i3 f5 g4 f9 d3 e3 e6 h3 c3 g6 f4", "g3"),
        ("e4 d7 g4 f5 e7 f4 f3 d5 e2 h5", "d1"),
    ],
)
def test_it_makes_a_four_that_can_never_be_five_and_loses_where_the_engine_does_not(
    line: str, dead_four: str
) -> None:
    position = after(line)
    move = FiveCellBins(GOMOKU_11).choose(position).move
    assert GOMOKU_11.format_move(move) == dead_four
    assert opponent_wins(GOMOKU_11.play(position, move))

    engine = EnginePlayer(GOMOKU_11, Limits(nodes=20_000))
    assert not opponent_wins(GOMOKU_11.play(position, engine.choose(position).move))


def test_it_misses_a_win_that_the_engine_proves() -> None:
    position = after("f4 f8 d4 f7 e4 c4 g4 h4 e3 e7 e5 e2")
    result = GOMOKU_11.searcher().search(position, Limits(nodes=20_000))
    assert result.proven
    assert result.value > 0
    move = FiveCellBins(GOMOKU_11).choose(position).move
    assert opponent_wins(GOMOKU_11.play(position, move))


def test_it_knows_no_limits_but_its_depth_and_the_engine_keeps_to_any() -> None:
    position = after("f6")
    assert FiveCellBins(GOMOKU_11).movetime is None
    # No shallower iteration first: a tree of depth 1 would add eight more.
    assert FiveCellBins(GOMOKU_11).choose(position).nodes == 96
    assert EnginePlayer(GOMOKU_11, Limits(nodes=50)).choose(position).nodes <= 50
