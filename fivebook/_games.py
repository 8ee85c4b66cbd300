"""The games of the Python face, and how moves go in and out of it."""

from collections.abc import Iterable
from functools import cache

from book.files.moves import read_moves
from engine import registry
from engine.errors import FivebookError, InvalidMove
from engine.game import Family, Game
from engine.position import Move, Position

Moves = str | Iterable[str | int]
"""The moves that lead to a position from the empty board.

A text, such as ``"h8 i9"``, or notations and numbers one by one, such as ``["h8", "i9"]``.
"""


class GameOver(FivebookError, ValueError):
    """The game has ended: nothing is left to search or prove."""


class MoveText(str):
    """A move's notation, such as ``h8``, which also has its `number` in the game."""

    number: Move

    def __new__(cls, text: str, number: Move) -> "MoveText":
        move = super().__new__(cls, text)
        move.number = number
        return move

    def __reduce__(self) -> tuple[type[str], tuple[str, Move]]:
        return MoveText, (str(self), self.number)


def games() -> tuple[Family, ...]:
    """The families of games, by name; `Family.examples` are ids that `game` understands.

    >>> [family.name for family in games() if "gomoku-19" in family.examples]
    ['gomoku']
    """
    return registry.families()


def game(game_id: str) -> Game:
    """The rules of the game called `game_id`: its board, moves, notation and outcome.

    >>> gomoku = game("gomoku-15")
    >>> gomoku.title
    'Gomoku 15×15, five or more in a row'
    >>> gomoku.parse_move("h8"), gomoku.format_move(112)
    (112, 'h8')

    Raises:
        UnknownGame: if there is none of this id.
    """
    return registry.get(game_id)


def read_line(game: Game, moves: Moves) -> list[Move]:
    """The numbers of `moves`, which are not checked for being legal.

    Raises:
        InvalidMove: if one of them is no move of the game.
    """
    if isinstance(moves, str):
        return read_moves(game, moves)
    return [_read_move(game, move) for move in moves]


def _read_move(game: Game, move: str | int) -> Move:
    if isinstance(move, str):
        return game.parse_move(move)
    if 0 <= move < game.move_count:
        return move
    raise InvalidMove(f"{move} is no move of {game.id}: their numbers run to {game.move_count - 1}")


def read_unfinished(game: Game, moves: Moves) -> Position:
    """The position after `moves`, in which the game goes on.

    Raises:
        InvalidMove: if one of `moves` is no move of the game.
        IllegalMove: if one of them cannot be played.
        GameOver: if the game has ended by then.
    """
    line = read_line(game, moves)
    position = game.play_line(line)
    outcome = game.outcome(position)
    if outcome is not None:
        raise GameOver(f"{game.id} is over {after(game, line)}: {outcome.value}")
    return position


def after(game: Game, line: list[Move]) -> str:
    """Which position a sentence is about."""
    return f"after '{game.format_line(line)}'" if line else "with an empty board"


@cache
def notation(game: Game) -> tuple[MoveText, ...]:
    """The notation of every move, by number."""
    return tuple(MoveText(game.format_move(move), move) for move in range(game.move_count))
