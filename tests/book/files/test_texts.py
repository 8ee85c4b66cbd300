"""Plain text, and moves and boards in every habit."""

import pytest

from book.errors import InvalidRecord
from book.files.contents import Coordinates, Noted, Played, Request
from book.files.moves import is_picture, read_moves, read_picture
from engine import registry
from engine.errors import InvalidMove
from engine.game import Outcome
from service.play.drawing import draw
from tests.book.files.vectors import items, lines, noted, position

GAME = registry.get("gomoku-15")
SWAP = registry.get("pentago-swap")


@pytest.mark.parametrize(
    "text", ["h8 i9", "h8,i9", "h8i9", "H8I9", "8,8 9,9", "hh ig", "hhig", "h8; i9", " h8\ti9 "]
)
def test_moves_are_read_in_every_habit(text: str) -> None:
    assert GAME.format_line(read_moves(GAME, text)) == "h8 i9"


def test_piskvork_counts_from_nought_and_from_the_top() -> None:
    assert GAME.format_line(read_moves(GAME, "7,7 0,0", Coordinates.PISKVORK)) == "h8 a15"


def test_moves_of_other_games_may_be_glued() -> None:
    assert SWAP.format_line(read_moves(SWAP, "b2:13e5:24")) == "b2:13 e5:24"


@pytest.mark.parametrize("text", ["q16", "h8 zz9", "16,1", "0,0", "h8,,?"])
def test_what_is_no_move_is_refused_by_name(text: str) -> None:
    with pytest.raises(InvalidMove):
        read_moves(GAME, text)


@pytest.mark.parametrize("game_id", ["gomoku-5", "gomoku-15", "pentago-swap", "gomoku-26"])
def test_a_board_drawn_in_a_terminal_is_read(game_id: str) -> None:
    game = registry.get(game_id)
    there = game.play(game.initial, game.legal_moves(game.initial)[3])
    picture = draw(game, there, game.legal_moves(game.initial)[0])
    assert is_picture(picture)
    assert read_picture(game, picture) == there


@pytest.mark.parametrize(
    "picture", [".....\n" * 4, "X....\n" * 5, "......\n" * 5, "O....\n" + ".....\n" * 4]
)
def test_what_is_no_board_is_refused(picture: str) -> None:
    with pytest.raises(InvalidMove):
        read_picture(registry.get("gomoku-5"), picture)


def test_a_line_is_a_game_with_its_result() -> None:
    found = items("txt", b"# game: gomoku-15\nh8 i9 1-0\nh8i9 0-1\n\nh8 1/2-1/2\nh8 i9 *\nh8\n")
    outcomes = [item.outcome for item in found if isinstance(item, Played)]
    assert list(lines(found)) == ["h8 i9", "h8 i9", "h8", "h8 i9", "h8"]
    assert outcomes == [Outcome.DARK_WINS, Outcome.LIGHT_WINS, Outcome.DRAW, None, None]


def test_a_board_alone_has_a_value_for_the_side_to_move() -> None:
    marks = "-" * 112 + "X" + "-" * 112
    (found,) = noted(items("boards", f"{marks} O -12".encode()))
    assert found == Noted(GAME, position(GAME, "h8"), value=-12)


def test_a_line_that_cannot_be_read_is_counted() -> None:
    request = Request(game=GAME)
    assert list(lines(items("txt", b"h8 i9\nh8 h8\n", request))) == ["h8 i9"]
    assert request.left_out.counts == {"a line that cannot be read": 1}


@pytest.mark.parametrize("raw", [b"h8 i9", b"# game: gomoku-15\nnothing here", b"\xff\xfe\x00"])
def test_a_text_without_games_is_refused(raw: bytes) -> None:
    with pytest.raises(InvalidRecord):
        items("txt", raw)


def test_blocks_of_move_text_are_games() -> None:
    raw = b'[Game "pentago-swap"]\n[Result "light wins"]\n\nb2:13 e5:24\n'
    (found,) = items("txt", raw)
    assert found == Played(SWAP, tuple(SWAP.parse_line("b2:13 e5:24")), Outcome.LIGHT_WINS)
