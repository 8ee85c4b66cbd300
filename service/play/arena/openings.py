"""Openings as files: a line of moves for each, `#` before comments."""

from functools import partial
from pathlib import Path

from book.files.lines import read_lines
from engine.errors import FivebookError
from engine.game import Game
from engine.position import Move

Opening = tuple[Move, ...]

_SUITES = Path(__file__).parents[3] / "data" / "openings"


class InvalidOpenings(FivebookError, ValueError):
    """A file that is no opening suite of the game."""


def suite(game: Game) -> tuple[Opening, ...]:
    """The openings of `game` that come with a checkout; where there are none, the empty board."""
    path = _SUITES / f"{game.id}.txt"
    return read_openings(game, path) if path.is_file() else ((),)


def read_openings(game: Game, path: Path) -> tuple[Opening, ...]:
    """The openings in the file at `path`: legal, and none of them a finished game.

    Raises:
        InvalidOpenings: with the number of the first bad line.
    """
    return read_lines(path, "opening", partial(_opening, game), InvalidOpenings)


def _opening(game: Game, text: str) -> Opening:
    moves = game.parse_line(text)
    outcome = game.outcome(game.play_line(moves))
    if outcome is not None:
        raise InvalidOpenings(f"the game is over after '{text}' ({outcome.value})")
    return tuple(moves)
