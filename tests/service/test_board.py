"""Boards drawn with plain characters."""

import doctest

from engine import games
from service import board


def test_the_example_of_the_docstring_is_true() -> None:
    assert doctest.testmod(board).failed == 0


def test_row_numbers_of_two_digits_keep_the_columns_straight() -> None:
    game = games.get("gomoku-26")
    lines = board.draw(game, game.play_line(game.parse_line("a1 z26"))).splitlines()
    assert lines[0].startswith("26 ")
    assert lines[0].endswith("O")
    assert lines[25].startswith("1  X ")
    assert len({len(line) for line in lines if line}) == 1
