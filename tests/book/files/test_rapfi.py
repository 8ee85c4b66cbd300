"""Databases of Rapfi and Yixin, by files written by hand."""

from io import BytesIO

import pytest
from lz4 import frame

from book.errors import InvalidRecord
from book.files.contents import Noted, Request
from book.files.format import Writing
from book.files.formats import formats
from engine import registry
from engine.position import Position
from engine.values import WIN, Bound
from tests.book.files.vectors import items, noted, position

GAME = registry.get("gomoku-15")
META = bytes.fromhex("0300 000000 1400 00 0000 0000") + b'charset="UTF-8"'
# Dark h8 and i8 (columns 7 and 8, row 7), light h9: the side to move is light. Rule 0, 15 by 15.
KEY = bytes.fromhex("0900 00 0f 0f 07 07 08 07 07 08")
# The label w, the value -29990, depth 12 with an exact bound, and a text.
CONTENT = bytes.fromhex("0900 77 da8a 3300") + b"gut!"


def database(*records: bytes, meta: bytes = META) -> bytes:
    return (len(records) + bool(meta)).to_bytes(4, "little") + meta + b"".join(records)


def test_the_metadata_is_as_long_as_it_says() -> None:
    assert META[5:7] == (len(META) - 7).to_bytes(2, "little")


@pytest.mark.parametrize("pack", [bytes, frame.compress], ids=["plain", "LZ4"])
def test_a_record_has_a_position_with_label_value_bound_depth_and_text(pack: object) -> None:
    assert callable(pack)
    found = items("rapfi-db", pack(database(KEY + CONTENT)))
    expected = Noted(
        GAME,
        position(GAME, "h8 h9 i8"),
        value=-(WIN - 10),
        bound=Bound.EXACT,
        depth=12,
        label="w",
        comment="gut!",
    )
    assert found == [expected]


@pytest.mark.parametrize(
    ("content", "value", "bound", "depth", "label"),
    [
        ("0000", None, None, 0, ""),
        ("0100 78", None, None, 0, "x"),
        ("0500 ff 6400 0000", 200, None, 0, ""),
        ("0500 ff 6400 0500", 200, Bound.UPPER, 1, ""),
        ("0500 ff 9cff 0a00", -200, Bound.LOWER, 2, ""),
        ("0500 64 0000 0300", 0, Bound.EXACT, 0, "d"),
        ("0500 6c 2975 0300", WIN - 7, Bound.EXACT, 0, "l"),
    ],
)
def test_contents_are_read_as_far_as_they_go(
    content: str, value: int | None, bound: Bound | None, depth: int, label: str
) -> None:
    (found,) = noted(items("rapfi-db", database(KEY + bytes.fromhex(content))))
    assert (found.value, found.bound, found.depth, found.label) == (value, bound, depth, label)


@pytest.mark.parametrize(
    ("rule", "side", "game"),
    [(0, 15, "gomoku-15"), (1, 15, "gomoku-15-standard"), (2, 20, "gomoku-20-renju")],
)
def test_a_key_tells_rule_and_board(rule: int, side: int, game: str) -> None:
    key = bytes([5, 0, rule, side, side, 7, 7])
    (found,) = items("rapfi-db", database(key + b"\0\0"))
    assert found.game.id == game


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("0300 03 0f0f", "of a rule or a board that fivebook does not have"),
        ("0300 00 0f10", "of a rule or a board that fivebook does not have"),
        ("0700 00 0f0f 0707 ffff", "a position after a pass"),
        ("0500 00 0f0f 0f00", "a stone beside the board"),
        ("0700 00 0f0f 0707 0707", "two stones on one point"),
        ("0400 00 0f0f 07", "a key of half a stone"),
    ],
)
def test_what_has_no_place_in_a_book_is_counted(key: str, reason: str) -> None:
    request = Request()
    assert items("rapfi-db", database(bytes.fromhex(key) + b"\0\0"), request) == []
    assert request.left_out.counts == {reason: 1}
    assert request.left_out.places[reason] == ["record 2"]


@pytest.mark.parametrize("length", range(len(database(KEY + CONTENT))))
def test_a_file_that_breaks_off_is_refused(length: int) -> None:
    with pytest.raises(InvalidRecord, match="breaks off"):
        items("rapfi-db", database(KEY + CONTENT)[:length])


def test_a_packed_file_that_breaks_off_is_refused() -> None:
    with pytest.raises(InvalidRecord, match="LZ4 frame"):
        items("rapfi-db", frame.compress(database(KEY + CONTENT))[:-12])


def test_a_packed_file_may_not_grow_beyond_the_limit() -> None:
    bomb = frame.compress(database(*[KEY + b"\xff\xff" + bytes(0xFFFF)] * 100))
    assert len(bomb) < 100_000
    with pytest.raises(InvalidRecord, match="more than 1,000,000 bytes"):
        items("rapfi-db", bomb, Request(most_bytes=1_000_000))


def test_texts_without_a_charset_are_chinese() -> None:
    text = "必胜".encode("gb18030")
    record = KEY + (5 + len(text)).to_bytes(2, "little") + bytes(5) + text
    (found,) = noted(items("rapfi-db", database(record, meta=b"")))
    assert found.comment == "必胜"


def written(*positions: Noted) -> bytes:
    file = BytesIO()
    writing = Writing(GAME, lambda: iter(()), lambda: iter(positions))
    write = formats()["rapfi-db"].write
    assert write is not None
    write(writing, file)
    return frame.decompress(file.getvalue())


def test_the_smallest_image_is_written_with_its_stones_in_order() -> None:
    # Of the corners' images the one at column 0 and row 0 is the smallest.
    said = Noted(GAME, position(GAME, "o15 a8"), value=200, bound=Bound.LOWER, depth=3)
    key = bytes.fromhex("0700 00 0f0f 0000 0e07")
    assert written(said) == database(
        min(key, bytes.fromhex("0700 00 0f0f 0000 070e")) + bytes.fromhex("0500 ff 6400 0e00")
    )


def test_a_position_of_which_nothing_is_known_has_no_content() -> None:
    assert written(Noted(GAME, Position())) == database(bytes.fromhex("0300 00 0f0f 0000"))
