"""Databases of Rapfi and Yixin (``.db``): positions with values, labels, bounds and comments.

A file is plain or an LZ4 frame. All numbers are little-endian: the count of records, then for each
the length of its key, the key, the length of its content and the content. A key is the rule, width
and height, then column and row of each dark stone and of each light one, in the image under the
symmetries that gives the smallest key. The content is a label, a value, a depth and bound, and a
text; without any it only says that the position is there. A first record without a board says that
texts are in UTF-8.
"""

import struct
from collections.abc import Iterator, Sequence
from typing import BinaryIO, cast

from book.errors import InvalidRecord
from book.files.contents import Item, Noted, Request
from book.files.format import Format, Writing
from book.files.source import Source
from engine import registry
from engine.errors import UnknownGame
from engine.game import OF_A_SQUARE, Game
from engine.position import Position, board_of, cells_of
from engine.values import HEURISTIC_MAX, WIN, Bound, Value, is_decisive

_LZ4 = b"\x04\x22\x4d\x18"
_RULES = ("", "-standard", "-renju")
_SIDES = range(5, 27)
_CHARSET = b'charset="UTF-8"'
_LEGACY = "gb18030"
_PASS = (255, 255)
_CONTENT = struct.Struct("<bhh")
# A value of this database is a winning chance by a logistic curve of half the width of ours.
_SCALE = 2
_MATE, _FARTHEST_MATE = WIN, 500
_BOUNDS = {1: Bound.UPPER, 2: Bound.LOWER, 3: Bound.EXACT}
_BOUND_NUMBERS = {bound: number for number, bound in _BOUNDS.items()} | {None: 0}
_NO_RECORD, _NO_LABEL = 0, -1
_RULE_BYTES = (b"\0", b"\1", b"\2")
_MOST_DEPTH = (1 << 13) - 1
_MOST_TEXT = (1 << 16) - 1 - _CONTENT.size


def read(file: BinaryIO, request: Request) -> Iterator[Item]:
    """The positions of a database.

    Raises:
        InvalidRecord: if it is damaged.
    """
    source = Source(_unpacked(file), request.most_bytes)
    is_utf8 = False
    for number in range(1, source.number(4, "the count of records") + 1):
        if number > request.most_nodes:
            raise InvalidRecord(f"it has more than {request.most_nodes:,} records: split it")
        key = source.take(source.number(2, "a record's key"), f"the key of record {number:,}")
        if not key:
            continue
        content = source.take(source.number(2, "a record"), f"record {number:,}")
        if key[1:3] == b"\0\0":
            is_utf8 = is_utf8 or content[_CONTENT.size :].startswith(_CHARSET)
        elif position := _position(key, number, request):
            game, stones = position
            yield _noted(game, stones, content, number, request, "utf-8" if is_utf8 else _LEGACY)
    if not source.is_at_end():
        raise InvalidRecord(f"something follows its last record, at byte {source.at:,}")


def _unpacked(file: BinaryIO) -> BinaryIO:
    start = file.read(len(_LZ4))
    file.seek(-len(start), 1)
    if start != _LZ4:
        return file
    from lz4.frame import LZ4FrameFile

    return cast(BinaryIO, _Unpacked(LZ4FrameFile(file)))


class _Unpacked:
    """The bytes of an LZ4 frame, whose faults are those of a file."""

    def __init__(self, frame: BinaryIO) -> None:
        self._frame = frame

    def read(self, count: int) -> bytes:
        """The next bytes; fewer than `count` at the end alone."""
        try:
            return self._frame.read(count)
        except (EOFError, RuntimeError) as error:
            raise InvalidRecord("its LZ4 frame is damaged, or breaks off") from error


def _position(key: bytes, number: int, request: Request) -> tuple[Game, Position] | None:
    """The game and the stones of a key; None where they are left out, which is counted."""
    place = f"record {number:,}"
    game = _game(key[:3])
    if game is None:
        request.left_out.add("of a rule or a board that fivebook does not have", place)
        return None
    points = list(zip(key[3::2], key[4::2], strict=False))
    reason = _why_no_position(game, key, points)
    if reason:
        request.left_out.add(reason, place)
        return None
    if not request.wants(game, place):
        return None
    cells = [row * game.width + column for column, row in points]
    darks = (len(cells) + 1) // 2
    return game, Position(board_of(cells[:darks]), board_of(cells[darks:]))


def _game(head: bytes) -> Game | None:
    rule, width, height = (*head, 0, 0, 0)[:3]
    if rule >= len(_RULES) or width != height or width not in _SIDES:
        return None
    try:
        return registry.get(f"gomoku-{width}{_RULES[rule]}")
    except UnknownGame:
        return None


def _why_no_position(game: Game, key: bytes, points: Sequence[tuple[int, int]]) -> str | None:
    if len(key) % 2 == 0:
        return "a key of half a stone"
    if _PASS in points:
        return "a position after a pass"
    if any(column >= game.width or row >= game.height for column, row in points):
        return "a stone beside the board"
    if len(set(points)) < len(points):
        return "two stones on one point"
    return None


def _noted(
    game: Game, position: Position, content: bytes, number: int, request: Request, encoding: str
) -> Noted:
    label, raw, depth_and_bound = _CONTENT.unpack(content[: _CONTENT.size].ljust(5, b"\0"))
    bound = _BOUNDS.get(depth_and_bound & 3)
    value = None if bound is None and raw == 0 else _value(raw, number, request)
    return Noted(
        game,
        position,
        value=value,
        bound=bound if value is not None else None,
        depth=max(0, depth_and_bound >> 2),
        label=_label(label, number, request),
        comment=request.text(content[_CONTENT.size :], encoding).rstrip("\0"),
    )


def _value(raw: int, number: int, request: Request) -> Value | None:
    if abs(raw) > _MATE:
        request.left_out.add("a value beyond the scale", f"record {number:,}")
        return None
    if abs(raw) >= _MATE - _FARTHEST_MATE:
        return raw
    return max(-HEURISTIC_MAX, min(HEURISTIC_MAX, _SCALE * raw))


def _label(label: int, number: int, request: Request) -> str:
    if label in (_NO_RECORD, _NO_LABEL):
        return ""
    if label < ord(" "):
        request.left_out.add("a label that is no character", f"record {number:,}")
        return ""
    return chr(label)


def write(writing: Writing, file: BinaryIO) -> None:
    """Write the noted positions of a book as a packed database."""
    from lz4.frame import LZ4FrameFile

    keyed = ((_key_of(noted, writing), noted) for noted in writing.noted())
    records = sorted((key, _content(noted, writing)) for key, noted in keyed if key is not None)
    with LZ4FrameFile(file, "wb") as packed:
        packed.write((len(records) + 1).to_bytes(4, "little"))
        meta = _CONTENT.pack(0, 0, 0) + _CHARSET
        head: list[tuple[tuple[int, bytes], bytes]] = [((0, bytes(3)), meta)]
        for (_, key), content in head + records:
            packed.write(len(key).to_bytes(2, "little") + key)
            packed.write(len(content).to_bytes(2, "little") + content)


def _key_of(noted: Noted, writing: Writing) -> tuple[int, bytes] | None:
    """The key of a position, behind its length: so they are in order."""
    game = noted.game
    rule = game.id.removeprefix(f"gomoku-{game.width}")
    if rule not in _RULES or game.width not in _SIDES:
        writing.left_out.add(f"{game.id} has no place in this format")
        return None
    head = bytes([_RULES.index(rule), game.width, game.height])
    stones = min(_stones(game, game.map_position(noted.position, s)) for s in OF_A_SQUARE)
    return len(stones), head + stones


def _stones(game: Game, position: Position) -> bytes:
    """Column and row of the dark stones, then of the light ones, each in ascending order."""
    sides = (position.dark, position.light)
    points = [sorted(divmod(cell, game.width)[::-1] for cell in cells_of(side)) for side in sides]
    return bytes(number for side in points for point in side for number in point)


def _content(noted: Noted, writing: Writing) -> bytes:
    """The content of a record; none where nothing is known but that the position is there."""
    label = _label_of(noted, writing)
    text = noted.comment.encode()
    if len(text) > _MOST_TEXT:
        writing.left_out.add("the end of a long comment")
        text = text[:_MOST_TEXT].decode(errors="ignore").encode()
    if label == _NO_LABEL and noted.value is None and not text:
        return b""
    raw = 0 if noted.value is None else _raw(noted.value)
    bound = 0 if noted.value is None else _BOUND_NUMBERS[noted.bound]
    depth = min(noted.depth, _MOST_DEPTH)
    return _CONTENT.pack(label, raw, depth << 2 | bound) + text


def _label_of(noted: Noted, writing: Writing) -> int:
    if not noted.label:
        return _NO_LABEL
    if len(noted.label) > 1 or not " " <= noted.label < "\x7f":
        writing.left_out.add("a label of more than one letter")
        return _NO_LABEL
    return ord(noted.label)


def _raw(value: Value) -> int:
    if is_decisive(value):
        nearest = _MATE - _FARTHEST_MATE
        return value if abs(value) >= nearest else nearest * (1 if value > 0 else -1)
    return int(value / _SCALE)


def _is_one(start: bytes) -> bool:
    if start.startswith(_LZ4):
        return True
    count, length = int.from_bytes(start[:4], "little"), int.from_bytes(start[4:6], "little")
    return count > 0 and length % 2 == 1 and start[6:7] in _RULE_BYTES


FORMATS = (
    Format(
        name="rapfi-db",
        title="database of Rapfi or Yixin",
        endings=(".db",),
        is_one=_is_one,
        read=read,
        write=write,
        family="gomoku",
    ),
)
