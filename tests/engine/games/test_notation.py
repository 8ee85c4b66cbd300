"""Moves and lines as texts, and what is said about texts that are none."""

import pytest

from engine import registry
from engine.errors import FivebookError, IllegalMove, InvalidMove
from engine.game import Game
from tests.engine.samples import every_game

GOMOKU = registry.get("gomoku-15")
PENTAGO = registry.get("pentago-swap")


@every_game
def test_every_move_reads_back_from_its_notation_in_either_case(game: Game) -> None:
    names = [game.format_move(move) for move in range(game.move_count)]
    assert len(set(names)) == game.move_count
    assert [game.parse_move(name) for name in names] == list(range(game.move_count))
    assert [game.parse_move(name.upper()) for name in names] == list(range(game.move_count))


@every_game
def test_a_line_reads_back_from_its_notation(game: Game) -> None:
    line = list(range(game.move_count))
    assert game.parse_line(game.format_line(line)) == line


@pytest.mark.parametrize(
    ("game_id", "name", "row", "column"),
    [
        ("gomoku-15", "a1", 0, 0),
        ("gomoku-15", "h8", 7, 7),
        ("gomoku-15", "o1", 0, 14),
        ("gomoku-15", "a15", 14, 0),
        ("gomoku-26", "z26", 25, 25),
        ("gomoku-26", "i10", 9, 8),
        ("gomoku-5", "b4", 3, 1),
        ("pentago-swap", "f1", 0, 5),
    ],
)
def test_a_cell_is_a_column_letter_and_a_row_counted_from_the_bottom(
    game_id: str, name: str, row: int, column: int
) -> None:
    game = registry.get(game_id)
    assert game.parse_cell(name) == row * game.width + column
    assert game.format_cell(row * game.width + column) == name


def test_the_two_quadrants_may_come_in_either_order() -> None:
    assert PENTAGO.parse_move("B2:31") == PENTAGO.parse_move("b2:13")
    assert PENTAGO.format_move(PENTAGO.parse_move("B2:31")) == "b2:13"


@pytest.mark.parametrize(
    "text", ["h8 i9 g7", "h8,i9,g7", "h8, i9, g7", " h8  i9\tg7 ", "H8,I9 G7,", "h8\ni9\ng7\n"]
)
def test_spaces_and_commas_separate_moves(text: str) -> None:
    assert GOMOKU.format_line(GOMOKU.parse_line(text)) == "h8 i9 g7"


def test_a_line_of_pentago_swap_is_separated_alike() -> None:
    line = PENTAGO.parse_line("b2:13, E5:42 a1:12")
    assert PENTAGO.format_line(line) == "b2:13 e5:24 a1:12"


@pytest.mark.parametrize("text", ["", "  ", ",", " , ,"])
def test_a_text_without_moves_is_the_empty_line(text: str) -> None:
    assert GOMOKU.parse_line(text) == []
    assert GOMOKU.format_line([]) == ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "h",
        "8",
        "8h",
        "h0",
        "h08",
        "h16",
        "h150",
        "p1",
        "h-8",
        "h+8",
        "h 8",
        " h8",
        "h8\n",
        "hh8",
        "h8i9",
        "h8.",
        "h8:12",
        "ä1",
        "h８",
        "\N{KELVIN SIGN}1",
        "pass",
    ],
)
def test_a_text_that_is_no_move_of_gomoku_is_named(text: str) -> None:
    with pytest.raises(InvalidMove) as caught:
        GOMOKU.parse_move(text)
    assert str(caught.value) == f"'{text}' is no cell of gomoku-15: cells run from a1 to o15"


def test_the_cells_that_exist_are_those_of_the_size() -> None:
    assert registry.get("gomoku-26").parse_move("p16")
    with pytest.raises(InvalidMove, match="cells run from a1 to e5"):
        registry.get("gomoku-5").parse_move("f1")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "b2",
        "b2:",
        "b2:1",
        "b2:11",
        "b2:15",
        "b2:05",
        "b2:123",
        "b2:-1",
        "b2:ab",
        "b2:1²",
        "b2:1 ",
        "b2 :1",
        "b213",
        "b2-13",
        "12:b2",
        "b2:1:3",
        "b2:13:",
    ],
)
def test_a_text_that_is_no_move_of_pentago_swap_is_named_with_an_example(text: str) -> None:
    with pytest.raises(InvalidMove) as caught:
        PENTAGO.parse_move(text)
    assert str(caught.value).startswith(f"'{text}' is no move of pentago-swap")
    assert "b2:13" in str(caught.value)


@pytest.mark.parametrize("game_id", ["pentago", "pentago-twist"])
@pytest.mark.parametrize(
    "text",
    ["", "b2", "b2:", "b2:1", "b2:R", "b2:R1", "b2:5R", "b2:0R", "b2:1X", "b2:1R ", "b2:1RR",
     "b2 :1R", "b21R", "1R:b2", "b2:1R:", "b2:\N{ARABIC-INDIC DIGIT ONE}R"],
)  # fmt: skip
def test_a_text_that_is_no_move_of_pentago_is_named_with_an_example(
    game_id: str, text: str
) -> None:
    with pytest.raises(InvalidMove) as caught:
        registry.get(game_id).parse_move(text)
    named, _, advice = str(caught.value).partition(f" of {game_id}: ")
    assert named in (f"'{text}' is no move", f"'{text.partition(':')[0]}' is no cell")
    assert "as in b2:1R" in advice or "cells run from a1 to f6" in advice


@pytest.mark.parametrize(
    ("game_id", "text", "letters"),
    [("pentago", "b2:1F", "R or L"), ("pentago-twist", "b2:1L", "R or F")],
)
def test_the_turns_of_the_other_game_are_none_of_this(
    game_id: str, text: str, letters: str
) -> None:
    with pytest.raises(InvalidMove, match=f"and {letters} for how it is turned, as in b2:1R"):
        registry.get(game_id).parse_move(text)


@pytest.mark.parametrize("cell", ["", "g1", "a7", "a0", "2b", "b", "b 2", "\N{KELVIN SIGN}1"])
def test_a_stone_beside_the_board_is_named_with_the_cells_there_are(cell: str) -> None:
    with pytest.raises(InvalidMove) as caught:
        PENTAGO.parse_move(f"{cell}:13")
    assert f"'{cell}' is no cell of pentago-swap: cells run from a1 to f6" in str(caught.value)


def test_the_bad_part_of_a_line_is_named() -> None:
    with pytest.raises(InvalidMove, match="'i99'"):
        GOMOKU.parse_line("h8 i99 g7")


def test_a_taken_cell_is_named_with_the_moves_before() -> None:
    with pytest.raises(IllegalMove) as caught:
        GOMOKU.play_line(GOMOKU.parse_line("h8 i9 h8"))
    assert str(caught.value) == "illegal move 'h8' in gomoku-15 after 'h8 i9': the cell is taken"


def test_a_taken_cell_of_the_position_one_starts_from_is_named() -> None:
    start = PENTAGO.play_line(PENTAGO.parse_line("a1:24"))
    with pytest.raises(IllegalMove) as caught:
        PENTAGO.play_line(PENTAGO.parse_line("a1:12"), start)
    assert str(caught.value) == "illegal move 'a1:12' in pentago-swap: the cell is taken"


def test_the_cell_that_counts_as_taken_is_the_one_after_the_swaps() -> None:
    # The stone of a1 goes to a4, and a1 is free again.
    assert PENTAGO.play_line(PENTAGO.parse_line("a1:13 a1:24")).ply == 2
    with pytest.raises(IllegalMove, match="illegal move 'a4:12'"):
        PENTAGO.play_line(PENTAGO.parse_line("a1:13 a4:12"))


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("a1 a2 b1 b2 c1 c2 d1 d2 e1 e2", "dark wins"),
        ("a1 a2 b1 b2 c1 c2 d1 d2 o15 e2 h8", "light wins"),
    ],
)
def test_a_move_after_the_end_of_the_game_is_illegal(text: str, result: str) -> None:
    *before, last = text.split()
    with pytest.raises(IllegalMove) as caught:
        GOMOKU.play_line(GOMOKU.parse_line(text))
    sentence = f"illegal move '{last}' in gomoku-15 after '{' '.join(before)}'"
    assert str(caught.value) == f"{sentence}: the game is over ({result})"


@pytest.mark.parametrize("error", [InvalidMove, IllegalMove])
def test_what_is_wrong_with_a_move_can_be_caught_as_two_kinds(error: type[Exception]) -> None:
    assert issubclass(error, FivebookError)
    assert issubclass(error, ValueError)
