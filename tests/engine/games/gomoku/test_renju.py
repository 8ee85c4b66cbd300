"""Renju: what dark must not play, and how games end without it."""

from collections import Counter
from random import Random

import pytest

from engine import registry
from engine.errors import IllegalMove
from engine.game import Outcome
from engine.games.gomoku import Gomoku
from engine.position import Position, cells_of
from tests.oracles.boards import board_of, position_of, slow_rules_of
from tests.oracles.slow_rules import SlowRenju

OVERLINE, DOUBLE_FOUR, DOUBLE_THREE = "an overline", "a double four", "a double three"

# The point in question is marked with an asterisk.
TWO_OPEN_THREES = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . x . . . .
    . . . . x . . . .
    . . x x * . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""
THREES_WITH_GAPS = """
    . . . . . . . . .
    . . . . . . . x .
    . . . . . . . . .
    . . . . . x . . .
    . x . x * . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""
ONE_THREE_IS_CLOSED = """
    . . . . . . . . .
    . . . . o . . . .
    . . . . x . . . .
    . . . . x . . . .
    . . x x * . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""
ONE_THREE_HAS_NO_ROOM = """
    . . . . . . . . .
    . . . . x . . . .
    . . . . x . . . .
    . . . . . . . . .
    o . x x * . o . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""
ONE_THREE_BECOMES_SIX_OR_NOTHING = """
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . x . . . .
    . . . . . . x . . . .
    . x . . x x * . . x .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
"""
THREE_FOURS = """
    . . . . . . . . .
    . . . . x . . . .
    . . . . x . . . .
    . . . . x . . . .
    o x x x * . . . .
    . . . x . . . . .
    . . x . . . . . .
    . x . . . . . . .
    . . . . . . . . .
"""
TWO_FOURS_IN_A_LINE = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . x . x * x . x .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""
TWO_FOURS_OF_TWOS_IN_A_LINE = """
    . . . . . . . . . .
    . . . . . . . . . .
    . . . . . . . . . .
    . . . . . . . . . .
    . . . . . . . . . .
    . x x . x * . x x .
    . . . . . . . . . .
    . . . . . . . . . .
    . . . . . . . . . .
    . . . . . . . . . .
"""
TWO_FOURS_OF_THREES_IN_A_LINE = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    x x x . * . x x x
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""
GAPS_THAT_MAKE_SIX = """
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    x x x . x * . x x x .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
"""
AN_OPEN_FOUR_IS_ONE_FOUR = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . x x * x . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""
A_FOUR_AND_A_THREE = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . x . . . .
    . . . . x . . . .
    o x x x * . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""
A_FOUR_AND_TWO_THREES = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . x . x . .
    . . . . x x . . .
    o x x x * . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""
SIX = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . x x x * x x . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""
NINE = """
    x . . . . . . . .
    x . . . . . . . .
    x . . . . . . . .
    x . . . . . . . .
    * . . . . . . . .
    x . . . . . . . .
    x . . . . . . . .
    x . . . . . . . .
    x . . . . . . . .
"""
FIVE_AND_SIX = """
    . . . . . . . . .
    . . . . x . . . .
    . . . . x . . . .
    . . . . x . . . .
    . x x x * x x . .
    . . . . x . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""
FIVE_AND_TWO_FOURS = """
    . . . . . . . . .
    . . . . x . . x .
    . . . . x . x . .
    . . . . x x . . .
    x x x x * . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""
# In what follows one of two threes could become a straight four on the point to its right alone.
EXTENDED_BY_A_DOUBLE_FOUR = """
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . x . . . . .
    . . . . . x . . . . .
    . o . x x * . . . . .
    . . . . . . x . . . .
    . . . . . . x . . . .
    . . . . . . x . . . .
    . . . . . . o . . . .
    . . . . . . . . . . .
"""
EXTENDED_BY_AN_OVERLINE = """
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . x . . . .
    . . . . . x x . . . .
    . . . . . x x . . . .
    . o . x x * . . . . .
    . . . . . . x . . . .
    . . . . . . x . . . .
    . . . . . . o . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
"""
EXTENDED_BY_A_DOUBLE_THREE = """
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . x . . x . .
    . . . . . x . x . . .
    . o . x x * . . . . .
    . . . . . . x . . . .
    . . . . . . x . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
"""
EXTENDED_BY_A_FALSE_DOUBLE_THREE = """
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . o .
    . . . . . x . . x . .
    . . . . . x . x . . .
    . o . x x * . . . . .
    . . . . . . x . . . .
    . . . . . . x . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
"""
EXTENDED_BY_A_FIVE = """
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . x . . . . .
    . . . . . x . . . . .
    . o . x x * . . . . .
    . . . . . . x . . . .
    . . . . . . x . . . .
    . . . . . . x . . . .
    . . . . . . x . . . .
    . . . . . . . . . . .
"""

NESTED = {
    "by a double four": EXTENDED_BY_A_DOUBLE_FOUR,
    "by an overline": EXTENDED_BY_AN_OVERLINE,
    "by a double three": EXTENDED_BY_A_DOUBLE_THREE,
    "by a five": EXTENDED_BY_A_FIVE,
}


def renju(size: int) -> Gomoku:
    game = registry.get(f"gomoku-{size}-renju")
    assert isinstance(game, Gomoku)
    return game


def marked(drawing: str) -> tuple[Gomoku, Position, int]:
    """The game and position that `drawing` shows, and the cell of its asterisk."""
    with_stone = position_of(drawing.replace("*", "x"))
    position = position_of(drawing)
    (cell,) = cells_of(with_stone.dark ^ position.dark)
    return renju(len(drawing.split("\n")) - 2), position, cell


def foul(drawing: str) -> str | None:
    game, position, cell = marked(drawing)
    return game._forbidden_points.foul(position.dark, position.light, cell)


@pytest.mark.parametrize(
    ("drawing", "expected"),
    [
        pytest.param(TWO_OPEN_THREES, DOUBLE_THREE, id="two open threes"),
        pytest.param(THREES_WITH_GAPS, DOUBLE_THREE, id="threes with gaps"),
        pytest.param(ONE_THREE_IS_CLOSED, None, id="one three is closed"),
        pytest.param(ONE_THREE_HAS_NO_ROOM, None, id="one three has no room"),
        pytest.param(ONE_THREE_BECOMES_SIX_OR_NOTHING, None, id="six or nothing"),
        pytest.param(THREE_FOURS, DOUBLE_FOUR, id="three fours"),
        pytest.param(TWO_FOURS_IN_A_LINE, DOUBLE_FOUR, id="two fours in a line"),
        pytest.param(TWO_FOURS_OF_TWOS_IN_A_LINE, DOUBLE_FOUR, id="of twos"),
        pytest.param(TWO_FOURS_OF_THREES_IN_A_LINE, DOUBLE_FOUR, id="of threes"),
        pytest.param(GAPS_THAT_MAKE_SIX, None, id="gaps that make six"),
        pytest.param(AN_OPEN_FOUR_IS_ONE_FOUR, None, id="open four"),
        pytest.param(A_FOUR_AND_A_THREE, None, id="four and three"),
        pytest.param(A_FOUR_AND_TWO_THREES, DOUBLE_THREE, id="four and two threes"),
        pytest.param(SIX, OVERLINE, id="six"),
        pytest.param(NINE, OVERLINE, id="nine"),
        pytest.param(FIVE_AND_SIX, None, id="five and six"),
        pytest.param(FIVE_AND_TWO_FOURS, None, id="five and two fours"),
        pytest.param(EXTENDED_BY_A_FALSE_DOUBLE_THREE, DOUBLE_THREE, id="a false double three"),
        *(pytest.param(drawing, None, id=how) for how, drawing in NESTED.items()),
    ],
)
def test_what_is_a_foul(drawing: str, expected: str | None) -> None:
    assert foul(drawing) == expected


@pytest.mark.parametrize("drawing", NESTED.values(), ids=NESTED)
def test_a_three_counts_once_it_can_be_extended(drawing: str) -> None:
    # Without the stones around the point to the right of the asterisk.
    lines = [line.split() for line in drawing.strip().split("\n")]
    plain = "\n".join(" ".join((*line[:6], ".", ".", ".", ".", ".")) for line in lines)
    assert foul(f"\n{plain}\n") == DOUBLE_THREE


def random_stones(random: Random, size: int) -> Position:
    """Many dark stones in no order, so that their rows cross, and few light ones."""
    cells = random.sample(range(size * size), size * size)
    dark = round(len(cells) * random.uniform(0.1, 0.4))
    light = round((len(cells) - dark) * random.uniform(0, 0.3))
    stones = [sum(1 << cell for cell in cells[:dark])]
    stones.append(sum(1 << cell for cell in cells[dark : dark + light]))
    return Position(*stones)


def compare_with_slow_rules(random: Random, count: int) -> Counter[str | None]:
    """How often each foul was seen on empty cells of `count` boards; the slow rules agree."""
    seen: Counter[str | None] = Counter()
    for _ in range(count):
        game = renju(random.choice((5, 6, 7, 8, 9, 11)))
        slow = slow_rules_of(game)
        assert isinstance(slow, SlowRenju)
        position = random_stones(random, game.size)
        board, fast = board_of(game, position), game._forbidden_points
        listed = set(fast.all(position.dark, position.light))
        for name in slow.free_cells(board):
            cell = game.parse_cell(name)
            expected = slow.foul(board, name)
            assert fast.foul(position.dark, position.light, cell) == expected
            assert (cell in listed) == (expected is not None)
            seen[expected] += 1
    return seen


def test_every_free_cell_of_random_boards_is_judged_as_by_the_slow_rules() -> None:
    seen = compare_with_slow_rules(Random(1), 200)
    assert min(seen[reason] for reason in (OVERLINE, DOUBLE_FOUR, DOUBLE_THREE)) > 20


@pytest.mark.slow
def test_every_free_cell_of_many_random_boards_is_judged_as_by_the_slow_rules() -> None:
    seen = compare_with_slow_rules(Random(2), 4_000)
    assert min(seen[reason] for reason in (OVERLINE, DOUBLE_FOUR, DOUBLE_THREE)) > 400


def dark_to_move(position: Position, size: int) -> Position:
    """`position` with light stones in the corners' rows until dark is to move."""
    light = position.light
    for cell in range(size * size):
        if light.bit_count() == position.dark.bit_count():
            break
        apart = cell // size in (0, size - 1) and cell % 2 == 0
        if apart and not (position.dark | light) >> cell & 1:
            light |= 1 << cell
    return Position(position.dark, light)


@pytest.mark.parametrize(
    ("drawing", "reason"),
    [(TWO_OPEN_THREES, DOUBLE_THREE), (TWO_FOURS_IN_A_LINE, DOUBLE_FOUR), (SIX, OVERLINE)],
    ids=[DOUBLE_THREE, DOUBLE_FOUR, OVERLINE],
)
def test_a_forbidden_point_is_listed_and_playing_there_is_refused_with_the_reason(
    drawing: str, reason: str
) -> None:
    game, position, cell = marked(drawing)
    position = dark_to_move(position, game.size)
    assert game.forbidden_moves(position) == [cell]
    assert cell not in game.legal_moves(position)
    with pytest.raises(IllegalMove, match=f"'e5' in gomoku-9-renju: {reason} is forbidden to dark"):
        game.play_line([cell], position)


@pytest.mark.parametrize("drawing", [TWO_OPEN_THREES, TWO_FOURS_IN_A_LINE], ids=["3-3", "4-4"])
def test_nothing_is_forbidden_to_light(drawing: str) -> None:
    game, position, cell = marked(drawing)
    swapped = dark_to_move(Position(position.light, position.dark), game.size)
    light_to_move = Position(swapped.dark | 1 << game.parse_cell("a1"), swapped.light)
    assert game.forbidden_moves(light_to_move) == []
    assert cell in game.legal_moves(light_to_move)


@pytest.mark.parametrize("length", range(4, 8))
def test_dark_wins_with_exactly_five_and_light_with_five_or_more(length: int) -> None:
    game = renju(9)
    row = (1 << length) - 1
    others = sum(1 << cell for cell in range(18, 18 + 2 * length, 2))
    dark, light = game.outcome(Position(row, others)), game.outcome(Position(others, row))
    assert dark == (Outcome.DARK_WINS if length == 5 else None)
    assert light == (Outcome.LIGHT_WINS if length >= 5 else None)


ONLY_AN_OVERLINE_IS_LEFT = """
    x o x x x o o
    o o x o o x o
    o o x x o o x
    x x x . x x x
    o x o x o x o
    x x x o x o o
    o o o x o o x
"""


def test_dark_without_an_allowed_move_has_lost() -> None:
    game, position = renju(7), position_of(ONLY_AN_OVERLINE_IS_LEFT)
    assert position.dark_to_move
    assert game.outcome(position) is Outcome.LIGHT_WINS
    assert game.legal_moves(position) == []
    assert game.outcome(Position(position.light, position.dark)) is None


def test_a_full_board_is_a_draw() -> None:
    game = renju(5)
    position = position_of("xoxox xoxox oxoxo xoxox oxoxx".replace(" ", "\n"))
    assert game.outcome(position) is Outcome.DRAW


def test_what_only_a_foul_could_have_made_has_no_parent() -> None:
    game, position, cell = marked(TWO_OPEN_THREES)
    before = dark_to_move(position, game.size)
    after = Position(before.dark | 1 << cell, before.light)
    moves = [move for _, move in game.unplay(after)]
    # Any other of the five stones may have been the last one.
    assert sorted([*moves, cell]) == cells_of(after.dark)
    assert (before, cell) not in game.unplay(after)


def test_random_games_agree_with_the_slow_rules_ply_by_ply() -> None:
    random = Random(5)
    forbidden = 0
    for _ in range(6):
        game = renju(random.choice((6, 7)))
        slow, position = slow_rules_of(game), game.initial
        while game.outcome(position) is None:
            legal = game.legal_moves(position)
            assert sorted(map(game.format_move, legal)) == sorted(
                slow.legal_moves(board_of(game, position))
            )
            forbidden += len(game.forbidden_moves(position))
            position = game.play(position, random.choice(legal))
        assert slow.outcome(board_of(game, position)) == game.outcome(position).value
    assert forbidden > 0
