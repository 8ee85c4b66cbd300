"""Games of Piskvork, of Renju programs and of a class-room server, by files written by hand."""

import pytest

from book.errors import InvalidRecord
from book.files.contents import Played, Request
from engine import registry
from engine.game import Outcome
from tests.book.files.vectors import items, lines

PSQ = b"""Piskvorky 15x15, 11:11, 0\r
8,8,0\r
9,7,1250\r
8,7,31\r
pbrain-one.exe\r
pbrain-two.exe\r
-1\r
"""
LOG = b"""# Server version 0.14 running on here:8123
# Game ID: 7
START 0 someone
START 1 other
0 0 TL BR 0
5 5 BL TR 1
GAMEOVER WINNER 0
# Game ended
"""


def test_piskvork_counts_columns_and_rows_from_the_top_left() -> None:
    assert list(lines(items("psq", PSQ))) == ["h8 i9 h9"]


def test_the_rule_of_a_game_of_piskvork_is_that_which_is_asked_for() -> None:
    wanted = registry.get("gomoku-15-standard")
    (found,) = items("psq", PSQ, Request(game=wanted))
    assert found.game is wanted
    request = Request(game=registry.get("gomoku-19"))
    assert items("psq", PSQ, request) == []
    assert request.left_out.counts == {"a game on a board of 15×15": 1}


def test_a_game_that_is_won_on_the_board_has_its_outcome() -> None:
    moves = "1,1 1,15 2,1 3,15 3,1 5,15 4,1 7,15 5,1"
    raw = "\n".join(["Piskvorky 15x15, 11:11, 0", *(f"{move},0" for move in moves.split())])
    (found,) = items("psq", raw.encode())
    assert isinstance(found, Played)
    assert found.outcome is Outcome.DARK_WINS


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "starts with a line"),
        (b"Piskvorky 15x14, 11:11, 0\n8,8,0", "no board of 15×14"),
        (b"Piskvorky 99x99, 11:11, 0\n8,8,0", "no board of 99×99"),
        (b"Piskvorky 15x15, 11:11, 0\n16,8,0", "beside the board"),
        (b"Piskvorky 15x15, 11:11, 0\n8,8,0\n8,8,0", "the cell is taken"),
    ],
)
def test_what_is_no_game_of_piskvork_is_refused(raw: bytes, reason: str) -> None:
    with pytest.raises(InvalidRecord, match=reason):
        items("psq", raw)


def test_a_pos_file_has_a_count_and_a_byte_a_move() -> None:
    # Row 8 from the top: 7 * 15 + 7; the row above: 6 * 15 + 7.
    assert list(lines(items("pos", bytes([2, 112, 97])))) == ["h8 h9"]


@pytest.mark.parametrize("raw", [b"", b"\x02\x70", b"\x01\xe1", b"\x02\x70\x70"])
def test_a_damaged_pos_file_is_refused(raw: bytes) -> None:
    with pytest.raises(InvalidRecord):
        items("pos", raw)


def test_bytes_behind_the_last_move_are_counted() -> None:
    request = Request()
    assert list(lines(items("pos", bytes([1, 112, 0, 0]), request))) == ["h8"]
    assert request.left_out.counts == {"a byte after the last move": 2}


def test_a_log_has_rows_from_the_top_and_the_quadrants_that_are_swapped() -> None:
    (found,) = items("swap-log", LOG)
    assert list(lines([found])) == ["a6:14 f1:23"]
    assert isinstance(found, Played)
    assert found.outcome is Outcome.DARK_WINS


def test_a_game_without_an_end_is_counted() -> None:
    request = Request()
    raw = LOG[: LOG.index(b"GAMEOVER")]
    assert list(lines(items("swap-log", raw, request))) == ["a6:14 f1:23"]
    assert sum(request.left_out.counts.values()) == 1


@pytest.mark.parametrize("line", ["0 0 TL TL 0", "6 0 TL TR 0", "0 0 TL TR 1", "h8"])
def test_what_is_no_log_is_refused_by_its_line(line: str) -> None:
    with pytest.raises(InvalidRecord, match="line"):
        items("swap-log", f"{line}\nGAMEOVER DRAW\n".encode())
