"""Games of Piskvork (``.psq``): a line on the board, a line for each move, then other lines.

A move is its column and row, from 1 and from the top left, and the milliseconds that it took.
"""

import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from book.errors import InvalidRecord
from book.files.contents import Item, Played, Request
from book.files.format import Format, Writing
from book.files.games import main_line, played
from book.files.source import Source
from engine import registry
from engine.errors import UnknownGame
from engine.game import Game
from engine.position import Move

_HEAD = re.compile(r"Piskvorky (\d{1,3})x(\d{1,3})(?:\s*,.*)?\s*", re.ASCII)
_MOVE = re.compile(r"\s*(\d{1,3})\s*,\s*(\d{1,3})\s*(?:,\s*-?\d+\s*)?", re.ASCII)
_LEGACY = "cp1250"


def read(file: BinaryIO, request: Request) -> Iterator[Item]:
    """The game of a file.

    Raises:
        InvalidRecord: if it is none, or a move cannot be played.
    """
    raw = Source(file, request.most_text).rest()
    lines = request.text(raw, _LEGACY).removeprefix("\ufeff").splitlines()
    head = _HEAD.fullmatch(lines[0]) if lines else None
    if head is None:
        raise InvalidRecord("a game of Piskvork starts with a line such as 'Piskvorky 15x15, ...'")
    game = request.on_board(_game(head[1], head[2]))
    if game is not None:
        yield Played(game, *played(game, list(_moves(game, lines[1:]))))


def _game(width: str, height: str) -> Game:
    try:
        if width == height:
            return registry.get(f"gomoku-{width}")
    except UnknownGame:
        pass
    raise InvalidRecord(f"there is no board of {width}×{height}: they run from 5×5 to 26×26")


def _moves(game: Game, lines: Sequence[str]) -> Iterator[Move]:
    """The moves of the lines up to the first that is none: names and options follow."""
    for number, line in enumerate(lines, start=2):
        match = _MOVE.fullmatch(line)
        if match is None:
            return
        column, row = int(match[1]) - 1, game.height - int(match[2])
        if not (0 <= column < game.width and 0 <= row < game.height):
            raise InvalidRecord(f"line {number}: '{line.strip()}' is beside the board of {game.id}")
        yield row * game.width + column


def write(writing: Writing, file: BinaryIO) -> None:
    """Write the main line of a book."""
    game = writing.game
    lines = [f"Piskvorky {game.width}x{game.height}, 11:11, 0"]
    for move in main_line(writing):
        row, column = divmod(move, game.width)
        lines.append(f"{column + 1},{game.height - row},0")
    file.write("\r\n".join([*lines, "fivebook", "fivebook", ""]).encode())


FORMATS = (
    Format(
        name="psq",
        title="game of Piskvork",
        endings=(".psq",),
        is_one=lambda start: start.removeprefix(b"\xef\xbb\xbf").startswith(b"Piskvorky "),
        read=read,
        write=write,
        family="gomoku",
    ),
)
