"""Logs of the server on which classes play Pentago-swap (McGill University, COMP 424, 2019).

A line for each move: the row from the top and the column, both from 0, the two quadrants that are
swapped (TL, TR, BL, BR) and the player, 0 first. `GAMEOVER` closes the game and says who won. Lines
that begin with `#` or START belong to the log, and are passed over.
"""

import re
from collections.abc import Iterator
from typing import BinaryIO

from book.errors import InvalidRecord
from book.files.contents import Item, Played, Request
from book.files.format import Format
from book.files.games import played
from book.files.source import Source
from engine import registry
from engine.game import Game, Outcome
from engine.position import Move

_QUADRANTS = {"TL": 1, "TR": 2, "BL": 3, "BR": 4}
_MOVE = re.compile(r"([0-5]) ([0-5]) (TL|TR|BL|BR) (TL|TR|BL|BR) ([01])")
_MOVE_LINE = re.compile(rb"^[0-5] [0-5] [TB][LR] [TB][LR] [01]\r?$", re.MULTILINE)
_END = "GAMEOVER"
_BESIDE = ("#", "START", "PLAY", "WINNER", "DRAW", "UNDECIDED", "CANCELLED")
_OUTCOMES = {"WINNER 0": Outcome.DARK_WINS, "WINNER 1": Outcome.LIGHT_WINS, "DRAW": Outcome.DRAW}


def read(file: BinaryIO, request: Request) -> Iterator[Item]:
    """The games of a log.

    Raises:
        InvalidRecord: if a line is none of a log, or a move cannot be played.
    """
    game = registry.get("pentago-swap")
    if not request.wants(game):
        return
    moves: list[Move] = []
    raw = Source(file, request.most_text).rest()
    for number, line in enumerate(request.whole_text(raw).split("\n"), start=1):
        line = line.strip()
        try:
            if line.startswith(_END):
                yield Played(game, *played(game, moves, _outcome(line)))
                moves = []
            elif line and not line.startswith(_BESIDE):
                moves.append(_move(game, line, len(moves)))
        except InvalidRecord as error:
            raise InvalidRecord(f"line {number}: {error}") from error
    if moves:
        request.left_out.add("a game without GAMEOVER, whose end is not known")
        yield Played(game, *played(game, moves))


def _move(game: Game, line: str, ply: int) -> Move:
    match = _MOVE.fullmatch(line)
    if match is None:
        raise InvalidRecord(f"'{line[:40]}' is no move such as '2 3 TL BR 0'")
    if int(match[5]) != ply % 2:
        raise InvalidRecord(f"'{line}' is a move of player {match[5]}, who is not to move")
    row, column = game.height - 1 - int(match[1]), int(match[2])
    if match[3] == match[4]:
        raise InvalidRecord(f"'{line}' swaps a quadrant with itself")
    first, second = sorted((_QUADRANTS[match[3]], _QUADRANTS[match[4]]))
    cell = game.format_cell(row * game.width + column)
    return game.parse_move(f"{cell}:{first}{second}")


def _outcome(line: str) -> Outcome | None:
    return next((outcome for end, outcome in _OUTCOMES.items() if line.endswith(end)), None)


FORMATS = (
    Format(
        name="swap-log",
        title="log of a class-room server of Pentago-swap",
        endings=(".log",),
        is_one=lambda start: _MOVE_LINE.search(start) is not None,
        read=read,
    ),
)
