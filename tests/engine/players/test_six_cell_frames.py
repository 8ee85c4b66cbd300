"""The six-cell frames agent: its table, its search, and what it does not see."""

from itertools import product
from random import Random

import pytest

from engine import registry
from engine.game import Game
from engine.players.engine import EnginePlayer
from engine.players.six_cell_frames import FRAMES, SixCellFrames, worth
from engine.players.stones import DARK_STONE, LIGHT_STONE, stone_to_move, stones_of
from engine.position import Position
from engine.search import Limits
from tests.engine.samples import random_game
from tests.oracles import slow_six_cell_frames as slow
from tests.oracles.boards import position_of

GOMOKU_11 = registry.get("gomoku-11")


def after(line: str, game: Game = GOMOKU_11) -> Position:
    return game.play_line(game.parse_line(line))


def choice_in(drawing: str, depth: int | None = None) -> str:
    """The agent's move on a drawn board of eleven cells a side."""
    choice = SixCellFrames(GOMOKU_11, depth).choose(position_of(drawing))
    return GOMOKU_11.format_move(choice.move)


def index_of(frame: str) -> int:
    return int(frame.translate(str.maketrans(".o#", "012")), 3)


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        ("ooooo#", 1_000_000),
        ("oooooo", 1_000_000),
        (".oooo.", 50_000),
        ("#oooo.", 5_000),
        ("oo.oo#", 5_000),
        ("#oooo#", 0),
        ("..ooo.", 2_000),
        (".o.oo.", 1_500),
        ("#ooo..", 300),
        ("o.o.o#", 300),
        (".o..o.", 100),
        ("#oo...", 20),
        ("..o...", 5),
        ("#o...#", 0),
        ("......", 0),
    ],
)
def test_a_frame_is_worth_what_it_could_become(frame: str, expected: int) -> None:
    assert FRAMES[index_of(frame)] == expected


def test_the_table_holds_every_frame() -> None:
    frames = ["".join(cells) for cells in product(".o#", repeat=6)]
    assert len(FRAMES) == len(frames)
    assert all(FRAMES[index_of(frame)] == slow.worth_of_frame(frame) for frame in frames)


def test_a_stone_is_worth_its_best_frame_on_each_axis_added_up() -> None:
    stones = stones_of(GOMOKU_11, after("d6 a11 e6 c11"))
    row, column = divmod(GOMOKU_11.parse_cell("f6"), 11)
    # For dark a row of three and three lone stones; for light four lone stones, each of which
    # still finds five free cells.
    assert worth(stones, row, column, DARK_STONE) == 2_000 + 3 * 5
    assert worth(stones, row, column, LIGHT_STONE) == 4 * 5


def test_the_edge_blocks_like_a_stone() -> None:
    stones = stones_of(GOMOKU_11, after("a5 k1 a6 k3"))
    row, column = divmod(GOMOKU_11.parse_cell("a7"), 11)
    assert worth(stones, row, column, DARK_STONE) == 2_000 + 3 * 5
    row, column = divmod(GOMOKU_11.parse_cell("k4"), 11)
    # A row of three against the edge, and one diagonal with room for four stones only.
    assert worth(stones, row, column, LIGHT_STONE) == 300 + 2 * 5


def test_a_move_gains_for_its_own_side_and_by_what_it_blocks() -> None:
    choice = SixCellFrames(GOMOKU_11, depth=1).choose(after("f6"))
    assert GOMOKU_11.format_move(choice.move) == "e5"
    # A lone stone on four axes, and an open two with three lone stones blocked.
    assert (choice.value, choice.nodes) == (4 * 5 + 100 + 3 * 5, 8)


@pytest.mark.parametrize(("depth", "nodes"), [(3, 888), (4, 8_888)])
def test_ten_candidates_at_most_are_tried_at_each_ply(depth: int, nodes: int) -> None:
    # Eight neighbours at first, more than ten from then on.
    assert SixCellFrames(GOMOKU_11, depth).choose(after("f6")).nodes == nodes


def test_it_looks_three_plies_ahead_unless_told_otherwise() -> None:
    position = after("f6")
    assert SixCellFrames(GOMOKU_11).choose(position).depth == 3
    assert SixCellFrames(GOMOKU_11).choose(position) == SixCellFrames(GOMOKU_11, 3).choose(position)


@pytest.mark.parametrize(
    ("size", "plies", "depth"),
    [
        (5, 1, 3),
        (5, 6, 3),
        (5, 13, 4),
        (5, 18, 4),
        (5, 23, 3),
        (6, 9, 3),
        (7, 20, 2),
        (8, 30, 2),
        (11, 50, 2),
        (15, 12, 2),
    ],
)
def test_a_plain_version_agrees_on_move_value_and_nodes(size: int, plies: int, depth: int) -> None:
    game = registry.get(f"gomoku-{size}")
    agent = SixCellFrames(game, depth)
    compared = 0
    for seed in range(8):
        reached = [position for _, position in random_game(game, Random(seed))][:plies]
        if len(reached) == plies and game.outcome(reached[-1]) is None:
            choice = agent.choose(reached[-1])
            expected = slow.choose(size, reached[-1], depth)
            assert (choice.move, choice.value, choice.nodes) == expected
            compared += 1
    assert compared >= 3


@pytest.mark.parametrize(
    "line",
    [
        "f6 g7 f7 g8 f8 g9",
        "f6 e6 g6 h6 g7 f8 e5 d4 h8 i9",
        "f6 f7 e7 g5 d8 c9 g6 e6 g7 g8",
        "h4 g6 f8 e4 i5 j6 h6 g7 g5",
    ],
)
def test_a_plain_version_agrees_in_games_with_threats(line: str) -> None:
    position = after(line)
    choice = SixCellFrames(GOMOKU_11).choose(position)
    assert (choice.move, choice.value, choice.nodes) == slow.choose(11, position, 3)


FOUR_AGAINST_FOUR = """
    ...........
    ...........
    ..oooo.....
    .x.........
    ...........
    ...x.......
    ...xx......
    ...x.......
    ...x.......
    ...o.......
    .o.........
"""


def test_it_completes_five_rather_than_block_a_four() -> None:
    assert choice_in(FOUR_AGAINST_FOUR) == "d7"


def test_it_blocks_a_four_with_one_open_end() -> None:
    assert (
        choice_in("""
            ...........
            ...........
            .xoooo.....
            ...........
            ...x.......
            ...xx......
            ...x.......
            ...........
            ...........
            ...........
            ...........
        """)
        == "g9"
    )


# What it does not see, and the engine does.


def opponent_wins(position: Position) -> bool:
    """Whether alpha-beta alone proves a win for the side to move."""
    result = GOMOKU_11.searcher().search(position, Limits(depth=20, nodes=20_000))
    return result.proven and result.value > 0


def test_two_open_threes_at_once_are_less_to_it_than_a_single_four() -> None:
    position = position_of("""
        ...........
        ...........
        .oxxx......
        ...........
        ...........
        ...........
        ......xx...
        .....x.....
        .....x.....
        ...........
        .......oooo
    """)
    stones = stones_of(GOMOKU_11, position)
    row, column = divmod(GOMOKU_11.parse_cell("f5"), 11)
    assert worth(stones, row, column, DARK_STONE) == 2 * 2_000 + 2 * 5
    row, column = divmod(GOMOKU_11.parse_cell("f9"), 11)
    assert worth(stones, row, column, DARK_STONE) == 5_000 + 3 * 5


@pytest.mark.parametrize(
    ("line", "double_three"),
    [
        ("h4 g6 f8 e4 i5 j6 h6 g7 g5", "h5"),
        ("d6 g7 h7 g6 f7 h6 g8 h9 f8", "f9"),
        ("g4 f8 d7 g7 h6 g8 g9 e6 f7 e5", "e8"),
    ],
)
def test_it_lets_two_open_threes_happen_and_the_engine_does_not(
    line: str, double_three: str
) -> None:
    position = after(line)
    move = SixCellFrames(GOMOKU_11).choose(position).move
    allowed = GOMOKU_11.play(position, move)
    assert opponent_wins(allowed)

    colour = stone_to_move(allowed)
    cell = GOMOKU_11.parse_cell(double_three)
    assert 3_500 <= worth(stones_of(GOMOKU_11, allowed), *divmod(cell, 11), colour) < 5_000
    winning = GOMOKU_11.play_line([cell], allowed)
    reply = GOMOKU_11.searcher().search(winning, Limits(nodes=20_000))
    assert reply.proven
    assert reply.value < 0

    engine = EnginePlayer(GOMOKU_11, Limits(nodes=20_000))
    assert not opponent_wins(GOMOKU_11.play(position, engine.choose(position).move))


def test_it_knows_no_limits_but_its_depth_and_the_engine_keeps_to_any() -> None:
    position = after("f6")
    assert SixCellFrames(GOMOKU_11).movetime is None
    # No shallower iteration first: 8 + 80 + 800 moves, and there is no move without all of them.
    assert SixCellFrames(GOMOKU_11).choose(position).nodes == 888
    assert EnginePlayer(GOMOKU_11, Limits(nodes=100)).choose(position).nodes <= 100
