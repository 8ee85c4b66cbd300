"""Libraries of RenLib (``.lib``): a tree of moves on 15×15 with comments and labels.

After a head of 20 bytes, with the version, come the nodes, parents first and first children first:
a byte for the point, a byte of flags, two more where the flag of an extension is set, then a
comment and a label if the flags say so. Texts end with a zero and take an even number of bytes;
those of old libraries end with a byte whose highest bit is set.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from book.errors import InvalidRecord
from book.files.contents import LONGEST_TEXT, Item, Node, Noted, Request
from book.files.format import Format, Writing
from book.files.remarks import remark_of, with_remark
from book.files.source import Source
from engine import registry
from engine.game import Game
from engine.position import Cell, Position

_MAGIC = b"\xffRenLib\xff"
_VERSION = b"\x03\x04"
_VERSIONS = (b"\x03\x00", b"\x03\x01", b"\x03\x02", b"\x03\x03", _VERSION)
_HEAD = _MAGIC + _VERSION + b"\xff" * 10
_SIZE = 15
_USUAL = "gomoku-15"
_LEGACY = "cp1252"
_HAS_SIBLING, _NO_CHILD, _OLD_COMMENT, _MARK = 0x80, 0x40, 0x20, 0x10
_COMMENT, _NO_MOVE, _EXTENSION = 0x08, 0x02, 0x01
_LABEL = b"\x00\x01"
# A title and the text below it stand in one comment with this between them.
_BREAK = b"\x08"
# The letters that old libraries have in the place of these signs.
_OLD_LETTERS = str.maketrans("}{|][\\", "åäöÅÄÖ")
_MARKED = "*"
_LAST = 0x80
_DEEPEST = 512
_MOST_TEXT = 2 * LONGEST_TEXT


@dataclass(frozen=True, slots=True)
class _LibraryNode:
    """A node as it stands in a library; `cell` is None for a root or a pass."""

    cell: Cell | None
    flags: int
    comment: str
    label: str


def read(file: BinaryIO, request: Request) -> Iterator[Item]:
    """The positions of a library.

    Raises:
        InvalidRecord: if it is damaged, or of a version that is not known.
    """
    game = request.game or registry.get(_USUAL)
    source = Source(file, request.most_bytes)
    _read_head(source, game)
    # Where the siblings of the nodes above go on; None below what was left out.
    waiting: list[Position | None] = []
    parent: Position | None = game.initial
    for number in range(1, request.most_nodes + 1):
        node = _read_node(source, game, number, request)
        position = _after(game, parent, node, number, request)
        if parent is not None and (position is None or node.flags & _NO_MOVE):
            yield from _beside(game, parent, node)
        elif position is not None:
            yield from _noted(game, position, node, is_root=number == 1 and node.cell is None)
        if node.flags & _HAS_SIBLING:
            waiting.append(parent)
        if len(waiting) > _DEEPEST:
            raise InvalidRecord(f"node {number:,} is deeper in the tree than a board has points")
        if not node.flags & _NO_CHILD:
            parent = parent if node.flags & _NO_MOVE else position
        elif waiting:
            parent = waiting.pop()
        else:
            _expect_end(source)
            return
    raise InvalidRecord(f"it has more than {request.most_nodes:,} nodes: split it")


def _expect_end(source: Source) -> None:
    if not source.is_at_end():
        raise InvalidRecord(f"something follows its last node, at byte {source.at:,}")


def _read_head(source: Source, game: Game) -> None:
    if game.width != game.height or game.width > _SIZE:
        raise InvalidRecord(f"a library has a board of up to {_SIZE}×{_SIZE}, {game.id} has not")
    head = source.take(len(_HEAD), "the head")
    if not head.startswith(_MAGIC):
        raise InvalidRecord("it is no RenLib library")
    version = head[len(_MAGIC) : len(_MAGIC) + 2]
    if version not in _VERSIONS:
        raise InvalidRecord(
            f"it is of RenLib {version[0]}.{version[1]}, and only 3.0 to 3.4 can be read"
        )


def _read_node(source: Source, game: Game, number: int, request: Request) -> _LibraryNode:
    what = f"node {number:,}"
    point, flags = source.take(2, what)
    has_label = False
    if flags & _EXTENSION:
        has_label = bool(source.take(2, what)[1] & _LABEL[1])
    comment = ""
    if flags & _OLD_COMMENT:
        comment = _old_text(source, what)
    elif flags & _COMMENT:
        comment = _text(source, what, request)
    label = _text(source, what, request) if has_label else ""
    return _LibraryNode(_cell(game, point, what), flags, comment, label)


def _cell(game: Game, point: int, what: str) -> Cell | None:
    """The cell of a point: its column from 1 in the low four bits, its row from the top above."""
    if point == 0:
        return None
    row, column = point >> 4, (point & 15) - 1
    if not (0 <= column < game.width and row < game.height):
        raise InvalidRecord(f"{what} is beside the board of {game.id}")
    return (game.height - 1 - row) * game.width + column


def _text(source: Source, what: str, request: Request) -> str:
    raw = bytearray()
    while 0 not in (pair := source.take(2, f"the text of {what}")):
        raw += pair
        if len(raw) > _MOST_TEXT:
            raise InvalidRecord(f"the text of {what} does not end")
    raw += pair[: pair.index(0)]
    title, _, below = bytes(raw).partition(_BREAK)
    text = request.text(title + b"\n" + below if below else title, _LEGACY)
    return text.replace("\r\n", "\n").removeprefix("\n")


def _old_text(source: Source, what: str) -> str:
    raw = bytearray()
    while not raw or raw[-1] < _LAST:
        pair = source.take(2, f"the text of {what}")
        raw += pair[:1] if pair[0] >= _LAST else pair
        if len(raw) > _MOST_TEXT:
            raise InvalidRecord(f"the text of {what} does not end")
    text = bytes(letter & ~_LAST for letter in raw).decode("ascii").translate(_OLD_LETTERS)
    return text.replace(_BREAK.decode(), "\n").replace("\0", "")


def _after(
    game: Game, parent: Position | None, node: _LibraryNode, number: int, request: Request
) -> Position | None:
    """The position of a node, None if it is left out with all below it."""
    if parent is None:
        request.left_out.add("a node below one that was left out")
        return None
    if node.cell is None:
        if number == 1:
            return parent
        request.left_out.add("a pass, with what is below it", f"node {number:,}")
        return None
    if (parent.dark | parent.light) >> node.cell & 1:
        if not node.flags & _NO_MOVE:
            reason = "a move to a point that is taken, with what is below it"
            request.left_out.add(reason, f"node {number:,}")
        return None
    return game.play(parent, node.cell)


def _noted(game: Game, position: Position, node: _LibraryNode, *, is_root: bool) -> Iterator[Noted]:
    label = node.label or (_MARKED if node.flags & _MARK else "")
    if is_root and not (node.comment or label):
        return
    noted = with_remark(Noted(game, position, label=label, comment=node.comment))
    if noted is not None:
        yield noted


def _beside(game: Game, parent: Position, node: _LibraryNode) -> Iterator[Noted]:
    """What a node without a position says, as a comment of its parent."""
    where = "pass" if node.cell is None else game.format_cell(node.cell)
    said = ": ".join(filter(None, (where, node.label, node.comment)))
    if node.label or node.comment:
        yield Noted(game, parent, comment=said)


def write(writing: Writing, file: BinaryIO) -> None:
    """Write a book as a library of version 3.4.

    Raises:
        InvalidRecord: if the board is larger than that of a library.
    """
    game = writing.game
    if game.width > _SIZE:
        raise InvalidRecord(f"a library has a board of up to {_SIZE}×{_SIZE}, {game.id} has not")
    file.write(_HEAD)
    for node in writing.nodes():
        file.write(_node_bytes(game, node))


def _node_bytes(game: Game, node: Node) -> bytes:
    point = 0 if node.move is None else _point(game, node.move)
    noted = node.noted
    remark = remark_of(noted, is_root=node.move is None)
    comment, label = (noted.comment, noted.label) if noted else ("", "")
    text = "\n".join(filter(None, (remark, comment)))
    flags = (_HAS_SIBLING if node.has_sibling else 0) | (0 if node.has_child else _NO_CHILD)
    flags |= _COMMENT if text else 0
    if label == _MARKED:
        flags, label = flags | _MARK, ""
    flags |= _EXTENSION if label else 0
    title, _, below = text.partition("\n")
    raw = title.encode() + (_BREAK + below.replace("\n", "\r\n").encode() if below else b"")
    parts = [bytes([point, flags]), _LABEL if label else b"", _padded(raw), _padded(label.encode())]
    return b"".join(parts)


def _point(game: Game, cell: Cell) -> int:
    row, column = divmod(cell, game.width)
    return (game.height - 1 - row) << 4 | column + 1


def _padded(text: bytes) -> bytes:
    """A text with its end, in an even number of bytes; nothing where there is none."""
    return text + bytes(2 - len(text) % 2) if text else b""


FORMATS = (
    Format(
        name="lib",
        title="library of RenLib",
        endings=(".lib",),
        is_one=lambda start: start.startswith(_MAGIC),
        read=read,
        write=write,
        family="gomoku",
    ),
)
