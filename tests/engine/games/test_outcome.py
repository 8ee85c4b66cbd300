"""When a game ends and who has won, by drawn examples, by all rows, and by random games."""

from collections.abc import Iterator
from random import Random

import pytest

from engine import registry
from engine.game import Game, Outcome
from engine.position import Cell, Position
from tests.engine.samples import GOMOKU_IDS, SIZES, random_game
from tests.oracles.boards import board_of, position_of, slow_rules_of

QUADRANT_GAMES = ("pentago-swap", "pentago", "pentago-twist")
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
both_rules = pytest.mark.parametrize("rule", ["", "-standard"], ids=["freestyle", "standard"])
every_size = pytest.mark.parametrize("size", SIZES)


def rows(size: int, length: int) -> Iterator[list[Cell]]:
    """The cells of every row of `length` on the board, in all directions."""
    for row_step, column_step in DIRECTIONS:
        for row in range(size):
            for column in range(size):
                cells = [(row + i * row_step, column + i * column_step) for i in range(length)]
                if all(0 <= r < size and 0 <= c < size for r, c in cells):
                    yield [r * size + c for r, c in cells]


def board(cells: list[Cell]) -> int:
    return sum(1 << cell for cell in cells)


def outcomes(game: Game, length: int) -> set[Outcome | None]:
    """How games end with a row of `length` dark stones, wherever on the board it is."""
    return {game.outcome(Position(dark=board(cells))) for cells in rows(game.width, length)}


@every_size
@both_rules
def test_every_row_of_five_wins_for_its_side(size: int, rule: str) -> None:
    game = registry.get(f"gomoku-{size}{rule}")
    for cells in rows(size, 5):
        assert game.outcome(Position(dark=board(cells))) is Outcome.DARK_WINS
        assert game.outcome(Position(light=board(cells))) is Outcome.LIGHT_WINS


@every_size
@both_rules
def test_no_row_of_four_wins(size: int, rule: str) -> None:
    assert outcomes(registry.get(f"gomoku-{size}{rule}"), 4) == {None}


@pytest.mark.parametrize(
    ("size", "length"),
    [(size, length) for size in SIZES for length in (6, 7, 9, 10) if length <= size],
)
def test_a_row_of_more_than_five_wins_in_freestyle_and_not_in_standard(
    size: int, length: int
) -> None:
    assert outcomes(registry.get(f"gomoku-{size}"), length) == {Outcome.DARK_WINS}
    assert outcomes(registry.get(f"gomoku-{size}-standard"), length) == {None}


@every_size
@both_rules
def test_no_row_goes_on_across_the_edge_of_the_board(size: int, rule: str) -> None:
    game = registry.get(f"gomoku-{size}{rule}")
    real = {tuple(cells) for cells in rows(size, 5)}
    across = 0
    for step in (1, size - 1, size, size + 1):
        for first in range(size * size - 4 * step):
            cells = [first + i * step for i in range(5)]
            if tuple(cells) not in real:
                assert game.outcome(Position(dark=board(cells))) is None
                across += 1
    assert across


@every_size
def test_in_standard_a_stone_across_the_edge_does_not_make_a_five_longer(size: int) -> None:
    game = registry.get(f"gomoku-{size}-standard")
    longer = {tuple(cells) for cells in rows(size, 6)}
    across = 0
    for cells in rows(size, 5):
        step = cells[1] - cells[0]
        for six in ([cells[0] - step, *cells], [*cells, cells[-1] + step]):
            if min(six) >= 0 and max(six) < size * size and tuple(six) not in longer:
                assert game.outcome(Position(dark=board(six))) is Outcome.DARK_WINS
                across += 1
    assert across


@both_rules
def test_stones_of_the_other_side_at_its_ends_do_not_spoil_a_five(rule: str) -> None:
    position = position_of("""
        . . . . . . .
        . . . o . . .
        . . . . . . .
        o x x x x x o
        . . . o . . .
        . . . . o . .
        . . . . . . .
    """)
    assert registry.get(f"gomoku-7{rule}").outcome(position) is Outcome.DARK_WINS


def test_in_standard_a_stone_between_a_two_and_a_three_wins_and_between_threes_does_not() -> None:
    game = registry.get("gomoku-7-standard")
    start = position_of("""
        o . . . . . .
        . . o . . o .
        x x . x x . x
        . . . . . . .
        . o . o . . .
        . . o . . . .
        . . . . . . x
    """)
    assert game.outcome(game.play_line(game.parse_line("c5"), start)) is Outcome.DARK_WINS
    assert game.outcome(game.play_line(game.parse_line("f5"), start)) is None
    assert game.outcome(game.play_line(game.parse_line("f5 a1 c5"), start)) is None
    freestyle = registry.get("gomoku-7")
    six_and_more = freestyle.play_line(game.parse_line("f5 a1 c5"), start)
    assert freestyle.outcome(six_and_more) is Outcome.DARK_WINS


def test_in_standard_a_five_that_crosses_a_longer_row_wins() -> None:
    position = position_of("""
        . . . x . . .
        . . . x . . .
        x x x x x x .
        . . . x . . .
        . . . x . . .
        . . . . . . .
        . . . . . . .
    """)
    assert registry.get("gomoku-7-standard").outcome(position) is Outcome.DARK_WINS


FULL_WITHOUT_A_FIVE = """
    x x o o x x
    o o x x o o
    x x o o x x
    o o x x o o
    x x o o x x
    o o x x o o
"""


@pytest.mark.parametrize("game_id", ["gomoku-6", "gomoku-6-standard"])
def test_a_full_board_without_a_five_is_a_draw(game_id: str) -> None:
    game = registry.get(game_id)
    full = position_of(FULL_WITHOUT_A_FIVE)
    before = Position(full.dark, full.light & ~1)
    assert game.outcome(before) is None
    assert game.legal_moves(before) == [game.parse_move("a1")]
    assert game.play_line(game.parse_line("a1"), before) == full
    assert game.outcome(full) is Outcome.DRAW


@both_rules
def test_a_stone_that_fills_the_board_with_a_five_wins(rule: str) -> None:
    game = registry.get(f"gomoku-5{rule}")
    before = position_of("""
        x x x x .
        o o x o o
        x o o x x
        o x o x o
        x o x o o
    """)
    assert before.ply == 24
    full = game.play_line(game.parse_line("e5"), before)
    assert game.outcome(full) is Outcome.DARK_WINS


SWAP_START = """
    x x x | x . .
    . . . | . . .
    . . . | . . .
    - - - + - - -
    . . . | . . .
    . x . | . . .
    o o . | o o o
"""


def after(start: str, move: str, game_id: str = "pentago-swap") -> Outcome | None:
    """How the game stands after `move` in the drawn position."""
    game = registry.get(game_id)
    bare = "\n".join(line for line in start.split("\n") if "-" not in line).replace("|", "")
    return game.outcome(game.play_line(game.parse_line(move), position_of(bare)))


@pytest.mark.parametrize(
    ("move", "outcome"),
    [
        ("e6:24", None),  # d6 and e6 go down to d3 and e3
        ("e6:12", None),  # x x . x x x
        ("e6:13", None),
        ("e6:14", None),
        ("e6:23", None),
        ("e6:34", Outcome.DRAW),  # with the five of light on a1 to e1
        ("f6:12", None),
    ],
)
def test_only_the_board_after_the_swap_counts(move: str, outcome: Outcome | None) -> None:
    assert after(SWAP_START, move) is outcome


def test_a_five_made_by_the_stone_counts_where_the_swap_leaves_it() -> None:
    start = """
        x x x | x . .
        . . . | . . .
        . . . | . . .
        - - - + - - -
        . . . | . . .
        . . . | o o .
        . . . | o o .
    """
    assert after(start, "e6:34") is Outcome.DARK_WINS
    for breaking in ("12", "13", "14", "23", "24"):
        assert after(start, f"e6:{breaking}") is None


def test_a_five_made_by_the_swap_counts() -> None:
    start = """
        . . . | . . .
        . . . | x . .
        . . . | . . .
        - - - + - - -
        . . . | . . .
        x x x | o o .
        . . . | o o .
    """
    # The stone goes to e5; the two come down beside the three by the swap of 2 and 4.
    assert after(start, "e5:24") is Outcome.DARK_WINS
    assert after(start, "e5:13") is Outcome.DARK_WINS
    assert after(start, "e5:14") is None


def test_the_mover_loses_by_a_swap_that_makes_a_five_of_the_other_side() -> None:
    assert after(SWAP_START, "f4:34") is Outcome.LIGHT_WINS


def test_six_in_a_row_win_in_pentago_swap() -> None:
    start = """
        x x x | . x x
        . . . | . . .
        . . . | . . .
        - - - + - - -
        . . . | . . .
        . o o | o . .
        . o . | . o .
    """
    assert after(start, "d6:34") is Outcome.DARK_WINS


TURN_START = """
    x x x | x . .
    . . . | . . .
    . . . | . . .
    - - - + - - -
    o . . | . . .
    o . . | . . x
    o . . | o o .
"""


@pytest.mark.parametrize(
    ("game_id", "move", "outcome"),
    [
        ("pentago", "e6:1R", Outcome.DARK_WINS),  # before the turn that would break it
        ("pentago", "e6:3L", Outcome.DARK_WINS),  # before the turn that would make one of light
        ("pentago", "f6:1R", None),
        ("pentago", "f5:3L", Outcome.LIGHT_WINS),  # the column a goes down to a1 to c1
        ("pentago-twist", "e6:1R", None),
        ("pentago-twist", "e6:1F", Outcome.DARK_WINS),
        ("pentago-twist", "e6:2F", None),  # d6 and e6 go to f6 and e6
    ],
)
def test_a_five_made_by_the_stone_wins_before_the_turn_in_pentago_alone(
    game_id: str, move: str, outcome: Outcome | None
) -> None:
    assert after(TURN_START, move, game_id) is outcome


@pytest.mark.parametrize(
    ("game_id", "move", "rows"),
    [
        ("pentago", "c1:3L", ("o . x x x .", "o . x . . .", "o . . o o x")),
        ("pentago-twist", "a1:3R", ("x . o x x .", "x . o . . .", ". . o o o x")),
    ],
)
def test_a_turn_that_makes_a_five_of_both_sides_is_a_draw(
    game_id: str, move: str, rows: tuple[str, ...]
) -> None:
    empty = (". . . . . .",) * 3
    assert after("\n".join(empty + rows), move, game_id) is Outcome.DRAW


def test_nothing_is_turned_after_a_stone_that_wins() -> None:
    game = registry.get("pentago")
    start = position_of("""
        x x x x . .
        . . . . . .
        . . . . . .
        . . . . . .
        . . . . . .
        o o . . o o
    """)
    cell = game.parse_cell("e6")
    moves = [move for move in game.legal_moves(start) if game.cell_of(move) == cell]
    assert len(moves) == 8
    placed = Position(start.dark | 1 << cell, start.light)
    assert {game.play(start, move) for move in moves} == {placed}


def test_a_row_across_quadrants_and_the_edge_of_the_board_does_not_win() -> None:
    position = position_of("""
        . . . . . .
        . . . . . .
        x x . . . .
        . . . x x x
        . . . . . .
        . . . . . .
    """)
    assert registry.get("pentago-swap").outcome(position) is None


def test_a_full_board_without_a_five_is_a_draw_in_pentago_swap() -> None:
    game = registry.get("pentago-swap")
    full = position_of(FULL_WITHOUT_A_FIVE)
    before = Position(full.dark, full.light & ~1)
    assert game.outcome(before) is None
    moves = [game.format_move(move) for move in game.legal_moves(before)]
    assert moves == ["a1:12", "a1:13", "a1:14", "a1:23", "a1:24", "a1:34"]
    drawn = game.play_line(game.parse_line("a1:14"), before)
    assert drawn.ply == 36
    assert game.outcome(drawn) is Outcome.DRAW


@pytest.mark.parametrize(
    ("game_id", "count"),
    [
        pytest.param(
            game_id,
            8 if game_id.startswith("gomoku-5") else 1,
            marks=[pytest.mark.slow] if game_id == "gomoku-15-renju" else [],
        )
        for game_id in GOMOKU_IDS
        # To look for forbidden points on large boards is what makes slow rules slow.
        if game_id not in ("gomoku-19-renju", "gomoku-26-renju")
    ]
    + [("pentago-swap", 8), ("pentago", 8), ("pentago-twist", 8)]
    + [("connect-four-7x6", 8), ("connect-four-4x5", 8), ("connect-four-5x4", 8)],
)
def test_random_games_run_as_by_the_slow_rules(game_id: str, count: int) -> None:
    game = registry.get(game_id)
    slow = slow_rules_of(game)
    for seed in range(count):
        board = slow.empty_board()
        for move, position in random_game(game, Random(seed)):
            board = slow.play(board, game.format_move(move))
            outcome = game.outcome(position)
            assert board_of(game, position) == board
            assert (outcome.value if outcome else None) == slow.outcome(board)
            legal = set(map(game.format_move, game.legal_moves(position)))
            assert legal == set(slow.legal_moves(board))


@pytest.mark.parametrize("game_id", QUADRANT_GAMES)
def test_every_move_of_random_games_of_quadrants_does_what_the_slow_rules_say(
    game_id: str,
) -> None:
    game = registry.get(game_id)
    slow = slow_rules_of(game)
    seen = set()
    for seed in range(12):
        for _, position in random_game(game, Random(seed)):
            if position.ply < 20 or game.outcome(position):
                continue
            board = board_of(game, position)
            names = [game.format_move(move) for move in game.legal_moves(position)]
            assert sorted(names) == sorted(slow.legal_moves(board))
            for name in names:
                child = game.play_line(game.parse_line(name), position)
                child_board = slow.play(board, name)
                outcome = game.outcome(child)
                assert board_of(game, child) == child_board
                assert (outcome.value if outcome else None) == slow.outcome(child_board)
                seen.add(outcome)
    assert seen == {None, *Outcome}


@pytest.mark.parametrize("game_id", [*GOMOKU_IDS, *QUADRANT_GAMES])
def test_crowded_boards_are_judged_as_by_the_slow_rules(game_id: str) -> None:
    game = registry.get(game_id)
    slow = slow_rules_of(game)
    random = Random(1)
    judged = set()
    for _ in range(40 if game.width <= 11 else 8):
        dark = light = 0
        for cell in range(game.cell_count):
            stone = random.choices("xo.", weights=(5, 2, 2))[0]
            dark |= (stone == "x") << cell
            light |= (stone == "o") << cell
        outcome = game.outcome(Position(dark, light))
        judged.add(outcome)
        # More than one side with a five comes up here, and in no game of Gomoku.
        by_slow_rules = slow.outcome(board_of(game, Position(dark, light)))
        assert (outcome.value if outcome else None) == by_slow_rules
    assert Outcome.DARK_WINS in judged
