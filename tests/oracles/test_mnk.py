"""The m,n,k-solver agrees with the literature and with trying every move."""

from random import Random

import pytest

from engine.game import Outcome
from engine.position import Position
from tests.oracles.mnk import MnkResult, solve
from tests.oracles.slow_mnk import SlowMnk, side_that_moved, side_to_move

WIN, DRAW = Outcome.DARK_WINS, Outcome.DRAW
SMALL_BOARDS = [
    pytest.param((columns, rows, length), marks=[pytest.mark.slow] if columns * rows > 9 else [])
    for columns in range(1, 5)
    for rows in range(1, 5)
    for length in range(1, 5)
    if columns * rows < 16
]


def position_of(board: str) -> Position:
    dark, light = (
        sum(1 << cell for cell, stone in enumerate(board) if stone == colour) for colour in "xo"
    )
    return Position(dark, light)


def solve_board(game: tuple[int, int, int], board: str, nodes: int | None = None) -> MnkResult:
    return solve(*game, position_of(board), nodes=nodes)


def winner_of(value: int, board: str) -> Outcome:
    """Who wins a position of `value` for the side to move."""
    dark_wins = (value > 0) == position_of(board).dark_to_move
    return DRAW if value == 0 else WIN if dark_wins else Outcome.LIGHT_WINS


def assert_true(game: tuple[int, int, int], slow: SlowMnk, board: str) -> None:
    """The solver's value, distance and move are those that trying every move gives."""
    result = solve_board(game, board)
    value, plies = slow.value(board)
    assert (result.outcome, result.plies or 0) == (winner_of(value, board), plies), board
    assert (result.move is not None) == (value > 0)
    if result.move is not None:
        assert slow.value_after(slow.children(board)[result.move]) == (value, plies), board


def quiet_board(slow: SlowMnk, random: Random, most_free: int) -> str:
    """A random position, 2 to `most_free` free cells, that the side to move wins not at once."""
    cells = range(len(slow.empty_board))
    while True:
        board = list(slow.empty_board)
        taken = random.sample(cells, len(cells) - random.randint(2, most_free))
        for index, cell in enumerate(taken):
            board[cell] = "xo"[index % 2]
        text = "".join(board)
        if not slow.has_won(text, "x") and not slow.has_won(text, "o"):
            mover = side_to_move(text)
            if not any(slow.has_won(child, mover) for child in slow.children(text).values()):
                return text


# Uiterwijk and van den Herik, "The advantage of the initiative", 2000.
@pytest.mark.parametrize(
    ("columns", "rows", "length", "outcome"),
    [
        pytest.param(3, 3, 3, DRAW, marks=pytest.mark.slow),
        (4, 3, 3, WIN),
        (3, 4, 3, WIN),
        (4, 4, 3, WIN),
        (8, 3, 3, WIN),
        (8, 8, 3, WIN),
        (4, 4, 4, DRAW),
        (5, 4, 4, DRAW),
        (6, 4, 4, DRAW),
        (5, 5, 4, DRAW),
        (6, 5, 4, WIN),
        (5, 6, 4, WIN),
        (6, 6, 4, WIN),
        (5, 5, 5, DRAW),
        (6, 6, 5, DRAW),
        (7, 5, 5, DRAW),
        (8, 8, 8, DRAW),
    ],
)
def test_a_known_game_has_its_known_value(
    columns: int, rows: int, length: int, outcome: Outcome
) -> None:
    assert solve(columns, rows, length).outcome is outcome


@pytest.mark.slow
def test_five_in_a_row_on_7x7_is_a_draw() -> None:
    # Hsu, Ko, Chen, Wei, Hsueh and Wu, "On solving the 7,7,5-game and the 8,8,5-game", 2020.
    assert solve(7, 7, 5).outcome is DRAW


@pytest.mark.parametrize(("columns", "rows"), [(1, 1), (1, 2), (7, 1), (8, 8), (64, 1)])
def test_one_in_a_row_is_won_with_the_first_stone(columns: int, rows: int) -> None:
    result = solve(columns, rows, 1)
    assert (result.outcome, result.plies) == (WIN, 1)


@pytest.mark.parametrize(("columns", "rows"), [(3, 1), (1, 3), (2, 2), (7, 2), (8, 8), (64, 1)])
def test_two_in_a_row_are_won_with_the_second_stone(columns: int, rows: int) -> None:
    result = solve(columns, rows, 2)
    assert (result.outcome, result.plies) == (WIN, 3)


@pytest.mark.parametrize("game", [(1, 1, 2), (2, 1, 2), (2, 2, 3), (8, 8, 9), (64, 1, 64)])
def test_a_row_that_cannot_be_made_is_a_draw(game: tuple[int, int, int]) -> None:
    assert solve(*game).outcome is DRAW


@pytest.mark.parametrize("game", SMALL_BOARDS)
def test_empty_small_boards_agree_with_trying_everything(game: tuple[int, int, int]) -> None:
    slow = SlowMnk(*game)
    assert_true(game, slow, slow.empty_board)


@pytest.mark.parametrize(
    "game",
    [pytest.param((3, 3, 3), marks=pytest.mark.slow), (3, 3, 2), (4, 3, 2), (5, 2, 2), (7, 1, 3)],
)
def test_every_position_of_a_tiny_game_agrees_with_trying_everything(
    game: tuple[int, int, int],
) -> None:
    slow = SlowMnk(*game)
    slow.value(slow.empty_board)
    for board in slow.known_boards():
        assert_true(game, slow, board)


@pytest.mark.parametrize(
    ("game", "most_free", "count"),
    [
        ((4, 3, 3), 10, 30),
        ((4, 4, 3), 10, 30),
        ((4, 4, 4), 8, 30),
        ((5, 4, 3), 10, 30),
        ((5, 4, 4), 8, 30),
        ((4, 5, 4), 8, 30),
        ((5, 5, 4), 8, 30),
        ((8, 8, 5), 8, 15),
    ],
)
def test_late_positions_agree_with_trying_everything(
    game: tuple[int, int, int], most_free: int, count: int
) -> None:
    slow, random = SlowMnk(*game), Random(str(game))
    for _ in range(count):
        assert_true(game, slow, quiet_board(slow, random, most_free))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "most_free", "count"),
    [
        ((4, 3, 3), 11, 5_000),
        ((4, 4, 3), 12, 5_000),
        ((4, 4, 4), 10, 2_000),
        ((5, 4, 3), 12, 1_000),
        ((5, 4, 4), 10, 2_000),
        ((5, 5, 4), 10, 1_000),
        ((6, 6, 5), 9, 500),
        ((8, 8, 5), 9, 200),
    ],
)
def test_many_positions_agree_with_trying_everything(
    game: tuple[int, int, int], most_free: int, count: int
) -> None:
    slow, random = SlowMnk(*game), Random(f"slow {game}")
    for _ in range(count):
        assert_true(game, slow, quiet_board(slow, random, most_free))


def assert_win_is_forced(
    game: tuple[int, int, int], slow: SlowMnk, board: str, seen: set[str]
) -> None:
    """Play the solver's moves against every reply, to completed lines in the plies promised."""
    result = solve_board(game, board)
    assert result.move is not None
    assert result.outcome is winner_of(1, board)
    after = slow.children(board)[result.move]
    if slow.has_won(after, side_that_moved(after)):
        assert result.plies == 1
        return
    longest = 0
    for reply in slow.children(after).values():
        assert not slow.has_won(reply, side_that_moved(reply))
        longest = max(longest, solve_board(game, reply).plies or 0)
        if reply not in seen:
            seen.add(reply)
            assert_win_is_forced(game, slow, reply, seen)
    assert result.plies == longest + 2


@pytest.mark.parametrize("game", [(4, 3, 3), (4, 4, 3), (6, 4, 3)])
def test_a_won_game_is_won_against_every_reply(game: tuple[int, int, int]) -> None:
    slow = SlowMnk(*game)
    assert_win_is_forced(game, slow, slow.empty_board, set())


@pytest.mark.slow
def test_four_in_a_row_on_6x5_is_won_against_every_reply() -> None:
    slow = SlowMnk(6, 5, 4)
    assert_win_is_forced((6, 5, 4), slow, slow.empty_board, set())


@pytest.mark.parametrize("game", [(3, 3, 3), (4, 3, 3), (5, 5, 4), (6, 5, 4)])
def test_a_node_limit_gives_the_value_or_unknown(game: tuple[int, int, int]) -> None:
    full = solve(*game)
    assert solve(*game, nodes=full.nodes) == full
    for nodes in (1, 2, 5, full.nodes // 2, full.nodes - 1):
        assert solve(*game, nodes=nodes) == MnkResult(None, None, None, nodes)


def test_a_result_repeats_itself() -> None:
    assert solve(6, 5, 4) == solve(6, 5, 4)


@pytest.mark.parametrize(
    ("columns", "rows", "length"), [(0, 3, 3), (3, 0, 3), (3, 3, 0), (13, 5, 3), (-1, -1, 1)]
)
def test_a_board_out_of_range_is_refused(columns: int, rows: int, length: int) -> None:
    with pytest.raises(ValueError, match=f"{length} in a row on {columns}×{rows}"):
        solve(columns, rows, length)


@pytest.mark.parametrize(
    "start",
    [
        Position(0b111, 0b11000),
        Position(0b1, 0b1),
        Position(1 << 9),
        position_of("xoxxoxoxo"),
    ],
    ids=["won", "two stones on a cell", "off the board", "full"],
)
def test_a_start_that_is_no_unfinished_position_is_refused(start: Position) -> None:
    with pytest.raises(ValueError, match="no unfinished position on 3×3"):
        solve(3, 3, 3, start)


def test_a_node_limit_must_be_positive() -> None:
    with pytest.raises(ValueError, match="greater than zero, not 0"):
        solve(3, 3, 3, nodes=0)
