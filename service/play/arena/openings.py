"""Openings as files: a line of moves for each, `#` before comments."""

from pathlib import Path

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
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InvalidOpenings(f"cannot read '{path}': {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidOpenings(f"'{path}' is no text file") from error
    openings = []
    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0].strip()
        if text:
            try:
                openings.append(_opening(game, text))
            except FivebookError as error:
                raise InvalidOpenings(f"{path}, line {number}: {error}") from error
    if not openings:
        raise InvalidOpenings(f"'{path}' holds no opening")
    return tuple(openings)


def _opening(game: Game, text: str) -> Opening:
    moves = game.parse_line(text)
    outcome = game.outcome(game.play_line(moves))
    if outcome is not None:
        raise InvalidOpenings(f"the game is over after '{text}' ({outcome.value})")
    return tuple(moves)
