"""Boards with a colour for each side."""

from engine import registry
from fivebook.displays.painting import paint

BOARD = """\
5  . . . . .
4  . . . O .
3  . .(X). .
2  . . . . .
1  . . . . .

   a b c d e"""


def test_painting_changes_no_character() -> None:
    game = registry.get("gomoku-5")
    position = game.play_line(game.parse_line("c3 d4"))
    assert paint(game, position, game.parse_cell("c3")).plain == BOARD


def test_each_side_has_a_colour() -> None:
    game = registry.get("gomoku-5")
    painted = paint(game, game.play_line(game.parse_line("c3 d4 a1")))
    styles: dict[str, set[str]] = {"X": set(), "O": set()}
    for span in painted.spans:
        styles[painted.plain[span.start : span.end]].add(str(span.style))
    assert [len(style) for style in styles.values()] == [1, 1]
    assert styles["X"] != styles["O"]


def test_a_row_that_wins_stands_out() -> None:
    game = registry.get("gomoku-9")
    before = game.play_line(game.parse_line("a1 a9 b2 b9 c3 c9 d4 d9"))
    after = game.play_line(game.parse_line("e5"), before)
    assert len(paint(game, before).spans) == 8
    assert len(paint(game, after).spans) == 9 + 5
