"""Plain text: a game or a position a line.

A line is the moves of a game, in any habit (`book.files.moves`), with its result behind them if it
is known: ``h8 i9 h9 1-0``. Or it is a position, in the form that a book is written in: the moves
that lead to it, or the marks of its board and who is to move, then between bars a remark
(`book.files.remarks`), a label and a comment. Boards may also stand alone, with a value for the
side to move, as Othello programs keep them: ``---XO--- X +12``. Lines that begin with # are passed
over, but for ``# game: ID``; blocks of move text (``[Game "..."]``) are games as well.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from math import isqrt
from typing import BinaryIO

from book.errors import InvalidRecord
from book.files.contents import Item, Node, Noted, Played, Request
from book.files.format import Format, Writing
from book.files.games import played
from book.files.moves import draw_marks, is_marks, position_of_marks, read_moves
from book.files.remarks import after_words, words_of
from book.files.source import Source
from book.files.syntax import parse_text
from engine import registry
from engine.errors import FivebookError, IllegalMove, InvalidMove, UnknownGame
from engine.game import Game, Outcome
from engine.position import Position
from engine.values import HEURISTIC_MAX

_GAME_LINE = re.compile(r"#\s*game:\s*(\S+)\s*")
_RESULTS = {
    "1-0": Outcome.DARK_WINS,
    "0-1": Outcome.LIGHT_WINS,
    "1/2-1/2": Outcome.DRAW,
    "1/2": Outcome.DRAW,
    "b+": Outcome.DARK_WINS,
    "w+": Outcome.LIGHT_WINS,
    "dark": Outcome.DARK_WINS,
    "light": Outcome.LIGHT_WINS,
    "draw": Outcome.DRAW,
    "*": None,
}
_BOARD = re.compile(r"(\S{16,676})(?:\s+([XOxo]))?(?:\s+([-+]?\d{1,6}))?")
_BAR = "|"
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", _BAR: "\\p"}
_UNESCAPES = {escape[1]: text for text, escape in _ESCAPES.items()}
_LONGEST_LINE = 300_000
_SHOWN = 40


def read(file: BinaryIO, request: Request) -> Iterator[Item]:
    """The games and positions of a text.

    A line that cannot be read is left out, and counted, unless none can be.

    Raises:
        InvalidRecord: if it is no text, does not tell its game, or no line of it can be read.
    """
    text = request.whole_text(Source(file, request.most_text).rest())
    if re.search(r'^\s*\[Game "', text, re.MULTILINE):
        yield from _blocks(text, request)
    else:
        yield from _lines(text, request)


def _blocks(text: str, request: Request) -> Iterator[Item]:
    for number, (headers, words) in enumerate(parse_text(text), start=1):
        place = f"game {number:,}"
        try:
            game = registry.get(headers["Game"])
            if request.wants(game, place):
                result = headers.get("Result", "")
                outcome = next((each for each in Outcome if each.value == result), None)
                moves = [game.parse_move(word) for word in words]
                yield Played(game, *played(game, moves, outcome))
        except FivebookError as error:
            request.left_out.add("a game that cannot be read", f"{place}: {error}")


def _lines(text: str, request: Request) -> Iterator[Item]:
    game = request.game
    read = failed = 0
    first = ""
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.strip()
        if match := _GAME_LINE.fullmatch(line):
            game = _called(match[1])
        elif line and not line.startswith("#"):
            try:
                items = list(_line(line, game, request))
            except (InvalidRecord, InvalidMove, IllegalMove, UnknownGame) as error:
                failed, first = failed + 1, first or f"line {number:,}: {error}"
                request.left_out.add("a line that cannot be read", f"line {number:,}: {error}")
                continue
            read += 1
            yield from (item for item in items if request.wants(item.game, f"line {number:,}"))
    if failed and not read:
        raise InvalidRecord(first)


def _line(line: str, game: Game | None, request: Request) -> Iterator[Item]:
    if len(line) > _LONGEST_LINE:
        raise InvalidRecord(f"it has more than {_LONGEST_LINE:,} characters")
    if _BAR in line:
        noted = _noted(_named(game), line, request)
        if noted is not None:
            yield noted
    elif (match := _BOARD.fullmatch(line)) and is_marks(match[1]):
        yield _board(game or _game_of(len(match[1])), match)
    else:
        yield _played(_named(game), line, request)


def _called(game_id: str) -> Game:
    try:
        return registry.get(game_id)
    except UnknownGame as error:
        raise InvalidRecord(str(error)) from error


def _named(game: Game | None) -> Game:
    if game is None:
        raise InvalidRecord("it does not tell its game: name it with --game")
    return game


def _game_of(cells: int) -> Game:
    """The usual game on a square of so many cells."""
    size = str(isqrt(cells))
    sized = next(family for family in registry.families() if family.sgf is not None)
    return registry.get(sized.sized(size))


def _board(game: Game, match: re.Match[str]) -> Noted:
    if len(match[1]) != game.cell_count:
        raise InvalidRecord(f"a board of {len(match[1])} cells is none of {game.id}")
    position = position_of_marks(game, match[1])
    if match[2] and (match[2].upper() == "X") != position.dark_to_move:
        raise InvalidRecord(f"{match[2]} is not to move after {position.ply} stones")
    value = None if match[3] is None else int(match[3])
    if value is not None and abs(value) > HEURISTIC_MAX:
        raise InvalidRecord(f"{value} is beyond {HEURISTIC_MAX}, the greatest value")
    return Noted(game, position, value=value)


def _played(game: Game, line: str, request: Request) -> Played:
    start, _, last = line.rpartition(" ")
    if last.lower() in _RESULTS:
        moves, outcome = start, _RESULTS[last.lower()]
    else:
        moves, outcome = line, None
    return Played(game, *played(game, read_moves(game, moves, request.coordinates), outcome))


def _noted(game: Game, line: str, request: Request) -> Noted | None:
    parts = [part.strip() for part in line.split(_BAR)]
    where, words, label, comment = (*parts, "", "", "")[:4]
    noted = Noted(game, _position(game, where, request), label=_unescaped(label))
    return after_words(replace(noted, comment=request.kept(_unescaped(comment))), words)


def _position(game: Game, where: str, request: Request) -> Position:
    if (match := _BOARD.fullmatch(where)) and is_marks(match[1]):
        return _board(game, match).position
    position = game.initial
    for move in read_moves(game, where, request.coordinates):
        if (position.dark | position.light) >> game.cell_of(move) & 1:
            raise InvalidRecord(f"'{where[:_SHOWN]}' has two stones on one cell")
        position = game.play(position, move)
    return position


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: _UNESCAPES.get(match[1], match[1]), text)


def _escaped(text: str) -> str:
    return re.sub(r"[\\\n\r|]", lambda match: _ESCAPES[match[0]], text)


def write(writing: Writing, file: BinaryIO) -> None:
    """Write a line for each position of a book, with the moves that lead to it."""
    file.write(f"# game: {writing.game.id}\n".encode())
    for node in writing.nodes():
        if node.noted is not None:
            file.write(_told(writing.game, node, node.noted).encode())


def _told(game: Game, node: Node, noted: Noted) -> str:
    where = game.format_line(node.path) if node.path else _marks_of(game, node.position)
    texts = (where, words_of(noted), _escaped(noted.label), _escaped(noted.comment))
    return f" {_BAR} ".join(texts).rstrip() + "\n"


def _marks_of(game: Game, position: Position) -> str:
    return f"{draw_marks(game, position)} {'X' if position.dark_to_move else 'O'}"


def write_boards(writing: Writing, file: BinaryIO) -> None:
    """Write a line for each position of a book: its board, who is to move, its value if any."""
    for noted in writing.noted():
        value = "" if noted.value is None else f" {_within(noted.value):+d}"
        file.write(f"{_marks_of(writing.game, noted.position)}{value}\n".encode())


def _within(value: int) -> int:
    return max(-HEURISTIC_MAX, min(HEURISTIC_MAX, value))


FORMATS = (
    Format(
        name="txt",
        title="list of moves",
        endings=(".txt", ".pgn"),
        read=read,
        write=write,
        is_one=lambda start: start.startswith(b"# game:"),
    ),
    Format(name="boards", title="boards with values", endings=(), read=read, write=write_boards),
)
