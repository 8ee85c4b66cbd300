"""Libraries of RenLib, by files written by hand."""

import pytest

from book.errors import InvalidRecord
from book.files.contents import Noted, Request
from engine import registry
from tests.book.files.vectors import items, noted, position

GAME = registry.get("gomoku-15")
HEAD_30 = bytes.fromhex("ff 52656e4c6962 ff 03 00") + b"\xff" * 10
HEAD_34 = bytes.fromhex("ff 52656e4c6962 ff 03 04") + b"\xff" * 10
# Column 8 of row 8 from the top is h8: 16 * 7 + 8. Then h9, one row above, and i8 beside it.
H8, H9, I8 = "78", "68", "79"


def library(nodes: str, head: bytes = HEAD_34) -> bytes:
    return head + bytes.fromhex(nodes)


@pytest.mark.parametrize("head", [HEAD_30, HEAD_34], ids=["3.0", "3.4"])
def test_nodes_come_in_preorder_with_siblings(head: bytes) -> None:
    # h8 has the children h9 and i8, and h9 has none.
    found = items("lib", library(f"{H8}00 {H9}c0 {I8}40", head))
    assert [item.position for item in noted(found)] == [
        position(GAME, line) for line in ("h8", "h8 h9", "h8 i8")
    ]


def test_a_root_stands_above_the_first_move() -> None:
    found = items("lib", library(f"0000 {H8}40"))
    assert [item.position for item in noted(found)] == [position(GAME, "h8")]


def test_the_comment_of_a_root_is_that_of_the_empty_board() -> None:
    (found,) = noted(items("lib", library("0048 6162 6300")))
    assert (found.position, found.comment) == (GAME.initial, "abc")


@pytest.mark.parametrize(
    ("text", "comment"),
    [
        ("6100", "a"),
        ("6162 0000", "ab"),
        ("6162 6300", "abc"),
        ("6108 6200", "a\nb"),
        ("0861 0000", "a"),
        ("c3a9 0000", "é"),
        ("e900", "é"),
    ],
)
def test_comments_end_in_a_zero_and_fill_pairs_of_bytes(text: str, comment: str) -> None:
    found = noted(items("lib", library(f"{H8}08 {text} {H9}40")))
    assert [item.comment for item in found] == [comment, ""]


def test_an_old_comment_ends_with_its_highest_bit() -> None:
    # "ab}" with the last bit set, in old letters; then the next node at once.
    found = noted(items("lib", library(f"{H8}20 6162 fd00 {H9}40", HEAD_30)))
    assert [item.comment for item in found] == ["abå", ""]


def test_a_label_follows_the_comment() -> None:
    found = noted(items("lib", library(f"{H8}49 0001 6869 0000 4100")))
    assert [(item.comment, item.label) for item in found] == [("hi", "A")]


def test_an_extension_without_a_label_has_no_text() -> None:
    found = noted(items("lib", library(f"{H8}01 0000 {H9}40")))
    assert len(found) == 2


def test_a_mark_is_a_label() -> None:
    assert [item.label for item in noted(items("lib", library(f"{H8}50")))] == ["*"]


def test_a_text_beside_the_moves_is_said_of_the_position_above() -> None:
    # Flag 02 with a label at h9: nobody has moved there.
    found = noted(items("lib", library(f"{H8}00 {H9}43 0001 4100")))
    assert [(item.position, item.comment) for item in found] == [
        (position(GAME, "h8"), ""),
        (position(GAME, "h8"), "h9: A"),
    ]


def test_a_move_to_a_point_that_is_taken_is_left_out_with_what_is_below() -> None:
    request = Request()
    found = noted(items("lib", library(f"{H8}00 {H8}80 {I8}40 {H9}40"), request))
    assert [item.position for item in found] == [position(GAME, "h8"), position(GAME, "h8 h9")]
    assert sum(request.left_out.counts.values()) == 2


@pytest.mark.parametrize(
    ("nodes", "reason"),
    [
        (f"{H8}00", "breaks off"),
        (f"{H8}c0", "breaks off"),
        (f"{H8}48 6162", "breaks off"),
        (f"{H8}40 {H9}40", "something follows"),
        ("f040", "beside the board"),
        ("f140", "beside the board"),
        ("", "breaks off"),
    ],
)
def test_a_damaged_library_is_refused(nodes: str, reason: str) -> None:
    with pytest.raises(InvalidRecord, match=reason):
        items("lib", library(nodes))


@pytest.mark.parametrize("game", ["gomoku-15-renju", "gomoku-13"])
def test_a_library_is_of_the_game_that_is_asked_for(game: str) -> None:
    wanted = registry.get(game)
    (found,) = items("lib", library("1140"), Request(game=wanted))
    assert found == Noted(wanted, position(wanted, f"a{wanted.height - 1}"))


def test_a_library_has_no_larger_board() -> None:
    with pytest.raises(InvalidRecord, match="15×15"):
        items("lib", library("1140"), Request(game=registry.get("gomoku-19")))


def test_another_version_is_refused() -> None:
    with pytest.raises(InvalidRecord, match=r"RenLib 4\.0"):
        items("lib", HEAD_34.replace(b"\x03\x04", b"\x04\x00") + b"\x78\x40")
