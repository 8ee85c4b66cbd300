"""The agent of consecutive rows is as its report tells it, weaknesses included."""

from random import Random

import pytest

from engine import registry
from engine.game import Game
from engine.players.base import Choice
from engine.players.consecutive_rows import FIVE, ConsecutiveRows, evaluate
from engine.players.engine import EnginePlayer
from engine.players.row_boards import board_of
from engine.position import Move, Position
from engine.search import Limits
from tests.engine.samples import random_game
from tests.oracles.boards import position_of
from tests.oracles.slow_consecutive_rows import (
    SlowConsecutiveRows,
    evaluation,
    lines_of,
    stones_on,
)

GOMOKU_11 = registry.get("gomoku-11")
DARK_STONE, LIGHT_STONE = 1, -1
# Alpha-beta alone: a proof would tell that the forks below are lost whatever is played.
ENGINE_LIMITS = Limits(depth=20, nodes=100_000)

# x is to move. Next, o can make two fours at once on f6: closed fours, or fours with a gap.
CLOSED_UP_FORK = """
    ...........
    .....x.....
    ..x..o.....
    .....o.....
    ....xo.....
    .xooo......
    ...........
    ....x......
    ...........
    ...........
    x..........
"""
GAPPED_FORK = """
    ...........
    .....x.....
    ..x..o.....
    .....o.....
    ....x......
    .xoo..o....
    .....o.....
    ....x......
    ...........
    ...........
    x..........
"""

# The same threat, and in the corner a three of o with an open end and no room for a five.
HEMMED_THREE = """
    x..........
    ...x.......
    .....o.....
    .....o.....
    ...........
    ..oo..o....
    .....o.x..x
    x..........
    o.x........
    xo..x....x.
    .ooox.x....
"""

# A row on an otherwise empty board, after which side it is to move, weakest first.
ROWS = (
    ("oxx.", LIGHT_STONE),
    ("oxx.", DARK_STONE),
    (".xx.", LIGHT_STONE),
    ("oxxx.", LIGHT_STONE),
    (".xx.", DARK_STONE),
    ("oxxx.", DARK_STONE),
    ("oxxxx.", LIGHT_STONE),
    (".xxx.", LIGHT_STONE),
    (".xxx.", DARK_STONE),
    (".xxxx.", LIGHT_STONE),
    ("oxxxx.", DARK_STONE),
    (".xxxx.", DARK_STONE),
    ("oxxxxxo", LIGHT_STONE),
)
# The nearest win for x in each of these, in plies if o does not parry: 4, 3, 2, 1, 0.
WINS = (
    (".xxx.", LIGHT_STONE),
    (".xxx.", DARK_STONE),
    (".xxxx.", LIGHT_STONE),
    ("oxxxx.", DARK_STONE),
    ("oxxxxxo", LIGHT_STONE),
)

directions = pytest.mark.parametrize("step", [(0, 1), (1, 0), (1, 1), (1, -1)])
both_colours = pytest.mark.parametrize("dark", [True, False], ids=["dark", "light"])


def random_positions(game: Game, count: int, seed: int) -> list[Position]:
    """Unfinished positions of random games with between one stone and most cells taken."""
    random = Random(seed)
    found: list[Position] = []
    while len(found) < count:
        line = [position for _, position in random_game(game, random)][:-1]
        found.append(random.choice(line))
    return found


def crowded_boards(size: int, count: int) -> list[Position]:
    """Stones thrown on the board, fives among them; not a position of any game."""
    random = Random(size)
    boards = []
    for _ in range(count):
        density = random.random()
        stones = [random.choice("xo") if random.random() < density else "." for _ in range(size**2)]
        dark, light = (
            sum(1 << cell for cell, stone in enumerate(stones) if stone == colour)
            for colour in "xo"
        )
        boards.append(Position(dark, light))
    return boards


def value_of(game: Game, position: Position, turn: int) -> int:
    return evaluate(board_of(game, position), turn)


def row_alone(row: str) -> Position:
    """`row` in the middle of an empty board of 15×15."""
    first = 7 * 15 + 5
    dark, light = (
        sum(1 << first + at for at, stone in enumerate(row) if stone == colour) for colour in "xo"
    )
    return Position(dark, light)


def value_of_row(row: str, turn: int) -> int:
    return value_of(registry.get("gomoku-15"), row_alone(row), turn)


def four_in_a_row(step: tuple[int, int], dark: bool, *, own: bool) -> tuple[Position, Move]:
    """On 11×11 a four of one colour, closed at one end, and the cell that completes it.

    It is the turn of that colour, or else of the other, all of whose stones stand alone.
    """
    up, right = step
    blocked, *four, completing = [(4 + k * up) * 11 + 5 + (k - 1) * right for k in range(-1, 5)]
    corners = [0, 10, 110, 120]
    others = [blocked, *corners][: 4 + (not dark) - (not own)]
    mine, theirs = (sum(1 << cell for cell in group) for group in (four, others))
    return (Position(mine, theirs) if dark else Position(theirs, mine)), completing


def loses(position: Position, move: Move, nodes: int) -> bool:
    """Whether alpha-beta alone proves within `nodes` that the opponent wins after `move`."""
    after = GOMOKU_11.play(position, move)
    result = GOMOKU_11.searcher().search(after, Limits(depth=20, nodes=nodes))
    return result.proven and result.value > 0


@pytest.mark.parametrize(
    ("game_id", "depth", "count"),
    [
        ("gomoku-5", 4, 10),
        ("gomoku-5", 3, 20),
        ("gomoku-6", 3, 20),
        ("gomoku-7", 3, 8),
        ("gomoku-8", 2, 12),
        ("gomoku-9", 3, 2),
        ("gomoku-11", 2, 4),
        ("gomoku-15", 1, 10),
    ],
)
def test_plain_python_finds_the_same_move_value_and_node_count(
    game_id: str, depth: int, count: int
) -> None:
    game = registry.get(game_id)
    for position in random_positions(game, count, seed=depth):
        choice = ConsecutiveRows(game, depth).choose(position)
        slow = SlowConsecutiveRows(game.size)
        turn = "x" if position.dark_to_move else "o"
        value, (row, column) = slow.search(stones_on(game, position), turn, choice.depth)
        assert choice == Choice(row * game.size + column, value, choice.depth, slow.nodes)


def test_alpha_beta_finds_the_value_of_full_minimax() -> None:
    game = registry.get("gomoku-5")
    for position in random_positions(game, 10, seed=5):
        choice = ConsecutiveRows(game, 3).choose(position)
        turn = "x" if position.dark_to_move else "o"
        full = SlowConsecutiveRows(5).minimax(stones_on(game, position), turn, choice.depth)
        assert choice.value == (full if turn == "x" else -full)


@pytest.mark.parametrize("drawing", [CLOSED_UP_FORK, GAPPED_FORK, HEMMED_THREE])
def test_plain_python_agrees_on_whole_boards_at_the_depth_of_the_report(drawing: str) -> None:
    position = position_of(drawing)
    slow = SlowConsecutiveRows(11)
    value, (row, column) = slow.search(stones_on(GOMOKU_11, position), "x", 3)
    choice = ConsecutiveRows(GOMOKU_11).choose(position)
    assert choice == Choice(row * 11 + column, value, 3, slow.nodes)


@pytest.mark.parametrize("size", [5, 6, 11, 26])
def test_plain_python_values_any_board_alike(size: int) -> None:
    game = registry.get(f"gomoku-{size}")
    for board in crowded_boards(size, 60):
        for turn, stone in ((DARK_STONE, "x"), (LIGHT_STONE, "o")):
            value = value_of(game, board, turn)
            plain = evaluation(size, stones_on(game, board), stone)
            # Where both sides have a five, which no game allows, either may be met first.
            assert value == plain or abs(value) == abs(plain) == FIVE


@pytest.mark.parametrize("size", [5, 6, 11, 19, 26])
def test_the_value_for_one_colour_is_the_negative_for_the_other(size: int) -> None:
    game = registry.get(f"gomoku-{size}")
    values = set()
    for board in crowded_boards(size, 100):
        swapped = Position(board.light, board.dark)
        for turn in (DARK_STONE, LIGHT_STONE):
            value = value_of(game, board, turn)
            assert value == -value_of(game, swapped, -turn)
            values.add(value)
    assert len(values) > 50


def test_longer_opener_and_own_turn_are_worth_more() -> None:
    values = [value_of_row(row, turn) for row, turn in ROWS]
    assert values == sorted(values)
    assert values[0] > 0
    assert values[-1] == FIVE


@pytest.mark.parametrize("row", ["oxxxx", "oxxx", "oxx"])
def test_two_open_ends_are_far_above_one(row: str) -> None:
    two_open_ends = row.replace("o", ".")
    assert value_of_row(two_open_ends, LIGHT_STONE) >= 100 * value_of_row(row, LIGHT_STONE)


@pytest.mark.parametrize("row", ["oxxxxo", "oxxxo", "oxxo"])
def test_a_row_without_an_open_end_is_worth_nothing(row: str) -> None:
    assert value_of_row(row, LIGHT_STONE) == value_of_row(row, DARK_STONE) == 0


def test_a_nearer_win_outranks_all_farther_ones_together_on_the_largest_board() -> None:
    # Between two rows of a colour on one line lies a cell, and each has two stones or more.
    most_rows = sum((len(line) + 1) // 3 for line in lines_of(26))
    values = [value_of_row(row, turn) for row, turn in ROWS]
    for row, turn in WINS:
        win = value_of_row(row, turn)
        assert win > most_rows * max(value for value in values if value < win)


@directions
@both_colours
def test_a_five_in_one_move_is_played(step: tuple[int, int], dark: bool) -> None:
    position, completing = four_in_a_row(step, dark, own=True)
    choice = ConsecutiveRows(GOMOKU_11).choose(position)
    assert (choice.move, choice.value) == (completing, FIVE + 3)


@directions
@both_colours
def test_a_five_of_the_opponent_is_blocked(step: tuple[int, int], dark: bool) -> None:
    position, completing = four_in_a_row(step, dark, own=False)
    assert ConsecutiveRows(GOMOKU_11).choose(position).move == completing


def test_an_open_three_of_the_opponent_is_answered() -> None:
    position = GOMOKU_11.play_line(GOMOKU_11.parse_line("f6 a1 f7 a11 f8"))
    move = ConsecutiveRows(GOMOKU_11).choose(position).move
    assert GOMOKU_11.format_move(move) in {"f4", "f5", "f9", "f10"}


def test_only_cells_next_to_a_stone_are_considered() -> None:
    position = GOMOKU_11.play_line(GOMOKU_11.parse_line("a1 k6"))
    assert ConsecutiveRows(GOMOKU_11, 1).choose(position).nodes == 3 + 5


# Known weaknesses: what the agent gets wrong and the engine gets right.


@pytest.mark.parametrize("turn", [DARK_STONE, LIGHT_STONE])
def test_a_four_with_a_gap_is_worth_no_more_than_its_unbroken_part(turn: int) -> None:
    assert value_of_row(".xxx.x.", turn) == value_of_row(".xxx.", turn)


def test_a_fork_of_unbroken_rows_is_parried() -> None:
    position = position_of(CLOSED_UP_FORK)
    for player in (ConsecutiveRows(GOMOKU_11), EnginePlayer(GOMOKU_11, ENGINE_LIMITS)):
        assert not loses(position, player.choose(position).move, nodes=3_000)


def test_gapped_rows_are_not_seen() -> None:
    position = position_of(GAPPED_FORK)
    assert loses(position, ConsecutiveRows(GOMOKU_11).choose(position).move, nodes=1_000)
    engine = EnginePlayer(GOMOKU_11, ENGINE_LIMITS)
    assert not loses(position, engine.choose(position).move, nodes=3_000)


@pytest.mark.parametrize("turn", [DARK_STONE, LIGHT_STONE])
def test_a_row_without_room_for_five_is_worth_as_much_as_one_with_room(turn: int) -> None:
    assert value_of_row("oxxx.o", turn) == value_of_row("oxxx..", turn) > 0


def test_rows_that_can_never_become_five_are_overvalued() -> None:
    position = position_of(HEMMED_THREE)
    move = ConsecutiveRows(GOMOKU_11).choose(position).move
    # No five of either colour can ever go through that corner.
    taken = stones_on(GOMOKU_11, position)
    fives = [line[:5] for line in lines_of(11) if line[0] == (0, 0) and len(line) >= 5]
    assert GOMOKU_11.format_move(move) == "a1"
    assert len(fives) == 3
    assert all({taken.get(cell) for cell in five} >= {"x", "o"} for five in fives)
    assert loses(position, move, nodes=50)
    engine = EnginePlayer(GOMOKU_11, ENGINE_LIMITS)
    other = engine.choose(position).move
    assert not loses(position, other, nodes=50)
    # All moves lose, but the engine's not so soon.
    values = [
        GOMOKU_11.searcher().search(GOMOKU_11.play(position, each), Limits(nodes=1_000)).value
        for each in (move, other)
    ]
    assert values[0] > values[1]


def test_the_nodes_of_a_move_grow_without_limit_above_11_by_11() -> None:
    nodes = {}
    for size in (11, 15, 19):
        game = registry.get(f"gomoku-{size}")
        # A knight's lattice: one cell in five is taken and no two stones touch.
        cells = [c for c in range(size**2) if (2 * (c // size) + c % size) % 5 == 0]
        dark, light = (sum(1 << cell for cell in cells[first::2]) for first in (0, 1))
        nodes[size] = ConsecutiveRows(game).choose(Position(dark, light)).nodes
        engine = EnginePlayer(game, ENGINE_LIMITS)
        assert engine.choose(Position(dark, light)).nodes <= 100_000
    assert nodes[15] > 4 * nodes[11]
    assert nodes[19] > 9 * nodes[11]
