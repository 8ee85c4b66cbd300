"""Games of Renju programs (``.pos``) on 15×15: how many moves there are, then a byte for each.

A byte is 15 times the row from the top plus the column, both from 0.
"""

from collections.abc import Iterator
from typing import BinaryIO

from book.errors import InvalidRecord
from book.files.contents import Item, Played, Request
from book.files.format import Format, Writing
from book.files.games import main_line, played
from book.files.source import Source
from engine import registry
from engine.position import Move

_SIZE = 15
_USUAL = "gomoku-15"


def read(file: BinaryIO, request: Request) -> Iterator[Item]:
    """The game of a file.

    Raises:
        InvalidRecord: if it breaks off, or a move cannot be played.
    """
    game = request.game or registry.get(_USUAL)
    if game.width != _SIZE:
        raise InvalidRecord(f"it has a board of {_SIZE}×{_SIZE}, and {game.id} has not")
    source = Source(file, request.most_bytes)
    raw = source.take(source.number(1, "the number of moves"), "the moves")
    beside = [byte for byte in raw if byte >= _SIZE * _SIZE]
    if beside:
        raise InvalidRecord(f"{beside[0]} is no point: they run from 0 to {_SIZE * _SIZE - 1}")
    rest = len(source.rest())
    if rest:
        request.left_out.add("a byte after the last move", count=rest)
    moves = [_mirrored(byte) for byte in raw]
    yield Played(game, *played(game, moves))


def _mirrored(point: int) -> Move:
    """The cell of a point, whose row is counted from the top, and the other way round."""
    row, column = divmod(point, _SIZE)
    return (_SIZE - 1 - row) * _SIZE + column


def write(writing: Writing, file: BinaryIO) -> None:
    """Write the main line of a book.

    Raises:
        InvalidRecord: if the board has another size.
    """
    if writing.game.width != _SIZE:
        raise InvalidRecord(f"this format is for boards of {_SIZE}×{_SIZE} alone")
    line = main_line(writing)
    file.write(bytes([len(line), *map(_mirrored, line)]))


FORMATS = (
    Format(
        name="pos",
        title="game of a Renju program",
        endings=(".pos",),
        read=read,
        write=write,
        family="gomoku",
    ),
)
