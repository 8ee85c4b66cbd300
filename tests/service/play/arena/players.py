"""Players that do as they are told, and a clock that only they move."""

from dataclasses import dataclass

from engine import registry
from engine.players.base import Choice, Player
from engine.position import Position
from service.errors import PlayerFailed

GAME = registry.get("gomoku-5")


@dataclass
class Clock:
    """Calling it tells the time."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


class Scripted(Player):
    """Plays its moves in turn, each taking `seconds`, and fails where there is none left."""

    name = "scripted"
    game = GAME

    def __init__(
        self,
        moves: str,
        clock: Clock | None = None,
        seconds: float = 0.0,
        movetime: float | None = None,
    ) -> None:
        self.movetime = movetime
        self._moves = GAME.parse_line(moves)
        self._clock = clock or Clock()
        self._seconds = seconds

    def choose(self, position: Position) -> Choice:
        self._clock.now += self._seconds
        if not self._moves:
            raise PlayerFailed("nothing is left to play")
        return Choice(self._moves.pop(0), depth=3, nodes=10)
