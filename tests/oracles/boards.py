"""Between drawn boards, which the slow rules use, and the engine's positions."""

from engine.game import Game
from engine.position import Position
from tests.oracles.slow_rules import (
    Board,
    SlowConnectFour,
    SlowGame,
    SlowGomoku,
    SlowPentago,
    SlowPentagoSwap,
    SlowPentagoTwist,
    SlowRenju,
    as_board,
)


def slow_rules_of(game: Game) -> SlowGame:
    """The slow rules of `game`, told from its id."""
    if game.id.startswith("connect-four-"):
        return SlowConnectFour(game.width, game.height)
    name, *options = game.id.split("-")
    if name == "gomoku":
        if "renju" in options:
            return SlowRenju(int(options[0]))
        return SlowGomoku(int(options[0]), exactly_five="standard" in options)
    if options == ["swap"]:
        return SlowPentagoSwap()
    return SlowPentagoTwist() if options else SlowPentago()


def board_of(game: Game, position: Position) -> Board:
    """`position` as it is drawn, the top row first."""

    def stone(row: int, column: int) -> str:
        bit = 1 << row * game.width + column
        assert not (position.dark & bit and position.light & bit)
        return "x" if position.dark & bit else "o" if position.light & bit else "."

    return [
        [stone(row, column) for column in range(game.width)] for row in reversed(range(game.height))
    ]


def position_of(drawing: str) -> Position:
    """The position that `drawing` shows, the top row first."""
    dark = light = 0
    board = as_board(drawing)
    for row, line in enumerate(reversed(board)):
        for column, stone in enumerate(line):
            bit = 1 << row * len(line) + column
            dark |= bit if stone == "x" else 0
            light |= bit if stone == "o" else 0
    return Position(dark, light)
