"""Boards drawn with characters."""

import doctest
from random import Random

import pytest

from engine import registry
from engine.game import Outcome
from engine.position import Position
from service.play import drawing
from tests.engine.samples import random_game

BOARD = """\
5  . . . . .
4  . . . O .
3  . .(X). .
2  . . . . .
1  . . . . .

   a b c d e"""


def test_the_example_of_the_docstring_is_true() -> None:
    assert doctest.testmod(drawing).failed == 0


def test_row_numbers_of_two_digits_keep_the_columns_straight() -> None:
    game = registry.get("gomoku-26")
    lines = drawing.draw(game, game.play_line(game.parse_line("a1 z26"))).splitlines()
    assert lines[0].startswith("26 ")
    assert lines[0].endswith("O")
    assert lines[25].startswith("1  X ")
    assert len({len(line) for line in lines if line}) == 1


def test_the_last_stone_stands_in_parentheses() -> None:
    game = registry.get("gomoku-5")
    position = game.play_line(game.parse_line("c3 d4"))
    assert drawing.draw(game, position, game.parse_cell("c3")) == BOARD


@pytest.mark.parametrize(("cell", "row"), [("a1", "1 (X). . . ."), ("e1", "1  . . . .(X)")])
def test_parentheses_fit_at_the_edge(cell: str, row: str) -> None:
    game = registry.get("gomoku-5")
    last = game.parse_cell(cell)
    assert drawing.draw(game, Position(dark=1 << last), last).splitlines()[4] == row


@pytest.mark.parametrize(
    ("game_id", "dark", "light", "winning"),
    [
        ("gomoku-9", "a1 b1 c1 d1 e1 g1", "", "a1 b1 c1 d1 e1"),
        ("gomoku-9", "", "e1 d2 c3 b4 a5 b5", "e1 d2 c3 b4 a5"),
        ("gomoku-9", "e1 e2 e3 e4 e5 e6", "a1", "e1 e2 e3 e4 e5 e6"),
        ("gomoku-9-standard", "e1 e2 e3 e4 e5 e6", "a1", ""),
        ("gomoku-9-renju", "e1 e2 e3 e4 e5 e6", "a1 a2 a3 a4 a5 a6", "a1 a2 a3 a4 a5 a6"),
        ("gomoku-9-renju", "e1 e2 e3 e4 e5", "a1", "e1 e2 e3 e4 e5"),
        ("gomoku-9", "a1 b1 c1 d1 e1 a2 a3 a4 a5", "", "a1 b1 c1 d1 e1 a2 a3 a4 a5"),
        ("gomoku-9", "e1 f1 g1 h1 i1 a2", "", "e1 f1 g1 h1 i1"),
        ("gomoku-9", "g1 h1 i1 a2 b2", "", ""),
        ("pentago-swap", "a1 b1 c1 d1 e1", "a2 b2 c2 d2 e2", "a1 b1 c1 d1 e1 a2 b2 c2 d2 e2"),
    ],
)
def test_winning_cells_are_those_of_rows_that_win(
    game_id: str, dark: str, light: str, winning: str
) -> None:
    game = registry.get(game_id)
    stones = (sum(1 << game.parse_cell(cell) for cell in side.split()) for side in (dark, light))
    expected = sorted(map(game.parse_cell, winning.split()))
    assert drawing.winning_cells(game, Position(*stones)) == expected


@pytest.mark.parametrize(
    "game_id",
    ["gomoku-7", "gomoku-7-standard", "gomoku-9-renju", "pentago-swap", "pentago", "pentago-twist"],
)
def test_who_has_winning_cells_has_won(game_id: str) -> None:
    game = registry.get(game_id)
    won = 0
    for seed in range(20):
        for _, position in random_game(game, Random(seed)):
            cells = drawing.winning_cells(game, position)
            colours = {
                Outcome.DARK_WINS if position.dark >> cell & 1 else Outcome.LIGHT_WINS
                for cell in cells
            }
            outcome = game.outcome(position)
            if len(colours) == 2:
                assert outcome is Outcome.DRAW
            elif colours:
                assert outcome in colours
                won += 1
            else:
                assert outcome in (None, Outcome.DRAW)
    assert won


@pytest.mark.parametrize(
    ("game_id", "move", "cell"),
    [
        ("gomoku-15", "h8", "h8"),
        ("pentago-swap", "a1:12", "a1"),
        ("pentago-swap", "a1:34", "d1"),
        ("pentago-swap", "b2:13", "b5"),
        ("pentago-swap", "f6:23", "c3"),
        ("pentago", "a1:3R", "a3"),
        ("pentago", "a1:3L", "c1"),
        ("pentago", "a1:1R", "a1"),
        ("pentago-twist", "d6:2F", "f6"),
    ],
)
def test_a_turn_takes_the_last_stone_with_it(game_id: str, move: str, cell: str) -> None:
    game = registry.get(game_id)
    assert game.format_cell(game.landing(game.initial, game.parse_move(move))) == cell


def test_a_stone_that_wins_before_the_turn_stays_where_it_is() -> None:
    game = registry.get("pentago")
    dark, light = (
        sum(1 << game.parse_cell(cell) for cell in cells.split())
        for cells in ("a1 b1 c1 e1", "a6 c6 a4 c4")
    )
    position = Position(dark, light)
    assert game.landing(position, game.parse_move("d1:4R")) == game.parse_cell("d1")
    assert game.landing(position, game.parse_move("f3:4R")) == game.parse_cell("f1")
