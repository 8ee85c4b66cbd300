"""SGF: games, and whole trees."""

import pytest

from book.errors import InvalidRecord
from book.files.contents import Noted, Played, Request
from engine import registry
from engine.game import Outcome
from engine.position import Position, board_of
from tests.book.files.vectors import items, lines, noted, position

GAME = registry.get("gomoku-15")


def test_a_line_is_a_game_with_its_result() -> None:
    (found,) = items("sgf", b"(;GM[4]SZ[15]RE[W+R];B[hh];W[ig])")
    assert found == Played(GAME, tuple(GAME.parse_line("h8 i9")), Outcome.LIGHT_WINS)


def test_every_node_of_a_tree_is_a_position() -> None:
    found = items("sgf", b"(;GM[4]SZ[15];B[hh](;W[hg];B[ii])(;W[ih]))")
    assert [item.position for item in noted(found)] == [
        position(GAME, line) for line in ("h8", "h8 h9", "h8 h9 i7", "h8 i8")
    ]
    assert list(lines(found)) == []


def test_the_main_line_of_a_tree_with_players_is_a_game() -> None:
    found = items("sgf", b"(;GM[4]SZ[15]PB[x]RE[B+];B[hh](;W[hg];B[ii])(;W[ih]))")
    assert list(lines(found)) == ["h8 h9 i7"]


def test_comments_labels_and_values_are_read_from_darks_view() -> None:
    found = items(
        "sgf",
        rb"(;GM[4]SZ[15];B[hh]C[two\] \
lines"
        + b"\n"
        + rb"here]V[1.5]N[A];W[hg]V[-2])",
    )
    assert noted(found) == [
        Noted(GAME, position(GAME, "h8"), -150, label="A", comment="two] lines\nhere"),
        Noted(GAME, position(GAME, "h8 h9"), -200),
    ]


def test_stones_that_are_set_up_begin_a_tree() -> None:
    found = items("sgf", b"(;GM[4]SZ[15]AB[hh][ii]AW[aa:ab]PL[B]C[here];B[gg])")
    start = Position(
        board_of(map(GAME.parse_cell, ("h8", "i7"))), board_of(map(GAME.parse_cell, ("a15", "a14")))
    )
    assert [(item.position, item.comment) for item in noted(found)] == [
        (start, "here"),
        (GAME.play(start, GAME.parse_move("g9")), ""),
    ]
    assert list(lines(found)) == []


@pytest.mark.parametrize(
    "tree",
    [
        "(;GM[1]SZ[19];B[aa])",
        "(;GM[4]SZ[99];B[aa])",
        "(;GM[4]SZ[15]AB[aa][bb];W[cc])",
        "(;GM[4]SZ[15];W[aa])",
        "(;GM[4]SZ[15];B[zz])",
        "(;GM[4]SZ[15];B[])",
        "(;GM[4]SZ[15];B[hh];W[hh])",
    ],
)
def test_what_cannot_be_carried_over_is_counted_and_the_rest_read(tree: str) -> None:
    request = Request()
    found = items("sgf", f"{tree}\n(;GM[4]SZ[15];B[hh])".encode(), request)
    assert list(lines(found))[-1] == "h8"
    assert sum(request.left_out.counts.values()) >= 1


@pytest.mark.parametrize("text", ["", "h8 i9", "(;GM[4]SZ[15];B[hh]", "(;GM[4]SZ[15];B[hh"])
def test_what_is_no_tree_is_refused(text: str) -> None:
    with pytest.raises(InvalidRecord):
        items("sgf", text.encode())


def test_variations_may_be_deep_but_not_without_end() -> None:
    deep = "(;GM[4]SZ[15]" + "(;B[hh]" * 100_000
    with pytest.raises(InvalidRecord, match="variations"):
        items("sgf", deep.encode())
