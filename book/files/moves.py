"""Moves and positions as people write them, whatever their habit.

``h8 i9``, ``h8,i9``, ``h8i9``, ``8,8 9,9`` (columns and rows from 1, from the bottom left), ``7,7``
(Piskvork: from 0, from the top left), ``hh`` (SGF), and boards drawn with characters.
"""

import re
from collections.abc import Iterator

from book.errors import InvalidRecord
from book.files.contents import Coordinates
from book.files.sgf import parse_point
from engine.errors import InvalidMove
from engine.game import Game
from engine.position import Move, Position, board_of

_NUMBERS = re.compile(r"\s*\d{1,2}\s*,\s*\d{1,2}(?:[\s;]+\d{1,2}\s*,\s*\d{1,2})*[\s;]*")
_PAIR = re.compile(r"(\d{1,2})\s*,\s*(\d{1,2})")
_LONGEST_MOVE = 8
_DARK, _LIGHT, _EMPTY = "Xx#@●*Bb", "OoWw○", ".-_+·,"
_MARKS = _DARK + _LIGHT + _EMPTY
_ROW_NUMBER = re.compile(r"^\s*\d{1,2}(?=[\s|]|[^\d\s])|(?<=[\s|])\d{1,2}\s*$")


def read_moves(game: Game, text: str, coordinates: Coordinates = Coordinates.NATURAL) -> list[Move]:
    """The moves in `text`; whether they can be played is not looked at.

    Raises:
        InvalidMove: if a part of it is no move in any habit.
    """
    if _NUMBERS.fullmatch(text):
        pairs = _PAIR.findall(text)
        return [_numbered(game, int(x), int(y), coordinates) for x, y in pairs]
    try:
        return game.parse_line(text)
    except InvalidMove:
        words = re.split(r"[\s,;]+", text.strip(" \t\r\n,;"))
        found = [_glued(game, word) or _of_points(game, word) for word in words]
        if not all(found):
            raise
        return [move for moves in found for move in moves or ()]


def _numbered(game: Game, x: int, y: int, coordinates: Coordinates) -> Move:
    if coordinates is Coordinates.PISKVORK:
        column, row = x, game.height - 1 - y
    else:
        column, row = x - 1, y - 1
    if not (0 <= column < game.width and 0 <= row < game.height):
        first = 0 if coordinates is Coordinates.PISKVORK else 1
        last = f"{game.width - 1 + first},{game.height - 1 + first}"
        raise InvalidMove(
            f"'{x},{y}' is no cell of {game.id}: cells run from {first},{first} to {last}"
        )
    return game.parse_move(game.format_cell(row * game.width + column))


def _glued(game: Game, word: str) -> list[Move] | None:
    """The moves of a word such as ``h8i9``, None if it is none."""
    moves = []
    while word:
        for length in range(min(len(word), _LONGEST_MOVE), 0, -1):
            try:
                moves.append(game.parse_move(word[:length]))
            except InvalidMove:
                continue
            word = word[length:]
            break
        else:
            return None
    return moves


def _of_points(game: Game, word: str) -> list[Move] | None:
    """The moves of a word of SGF's points, such as ``hhii``, None if it is none."""
    points = re.findall("..", word.lower())
    if not points or len(word) % 2:
        return None
    try:
        return [game.parse_move(game.format_cell(parse_point(game, each))) for each in points]
    except (InvalidMove, InvalidRecord):
        return None


def is_picture(text: str) -> bool:
    """Whether `text` is meant for a drawn board: it has a row for which no moves would be taken."""
    return "\n" in text.strip() and any(_is_row(line) for line in text.splitlines())


def read_picture(game: Game, text: str) -> Position:
    """The position of a drawn board, its top row first.

    Dark stones are X, x, B, #, @, * or ●, light ones O, o, W or ○, free cells ``.``, ``-``, ``_``,
    ``+`` or ``·``. Row numbers, column letters and the parentheses of a last move do not matter.

    Raises:
        InvalidMove: if it is no board of the game, or of stones that nobody could have put there.
    """
    rows = [_marks(line) for line in text.splitlines() if _is_row(line)]
    if len(rows) != game.height or any(len(row) != game.width for row in rows):
        raise InvalidMove(
            f"no board of {game.id}: it takes {game.height} rows of {game.width} marks, "
            "X and O for stones and . for a free cell"
        )
    return position_of_marks(game, "".join(rows))


def position_of_marks(game: Game, marks: str) -> Position:
    """The position of the marks of all cells, row by row from the top.

    Raises:
        InvalidMove: if nobody could have put these stones there.
    """
    dark, light = (board_of(_cells(game, marks, side)) for side in (_DARK, _LIGHT))
    if dark.bit_count() - light.bit_count() not in (0, 1):
        raise InvalidMove(
            f"the board has {dark.bit_count()} dark and {light.bit_count()} light stones, and they "
            "are to be equal or one more of dark"
        )
    return Position(dark, light)


def _cells(game: Game, marks: str, side: str) -> Iterator[int]:
    for at, mark in enumerate(marks):
        if mark in side:
            row, column = divmod(at, game.width)
            yield (game.height - 1 - row) * game.width + column


def draw_marks(game: Game, position: Position) -> str:
    """The marks of all cells, row by row from the top: X dark, O light, - free."""
    marks = []
    for row in reversed(range(game.height)):
        for cell in range(row * game.width, (row + 1) * game.width):
            is_dark, is_light = position.dark >> cell & 1, position.light >> cell & 1
            marks.append("X" if is_dark else "O" if is_light else "-")
    return "".join(marks)


def is_marks(text: str) -> bool:
    """Whether `text` is nothing but marks."""
    return all(mark in _MARKS for mark in text)


def _is_row(line: str) -> bool:
    marks = _marks(line)
    return len(marks) > 1 and is_marks(marks)


def _marks(line: str) -> str:
    line = re.sub("[()]", " ", line)
    for _ in range(2):
        line = _ROW_NUMBER.sub("", line)
    return re.sub(r"[\s|]", "", line)
