"""This project's own search as a player."""

from engine.games.base import Game
from engine.players.base import Choice, Player
from engine.position import Position
from engine.search import Limits


class EnginePlayer(Player):
    """Searches each position within `limits`, whatever was played before."""

    name = "engine"

    def __init__(self, game: Game, limits: Limits) -> None:
        self.game = game
        self.limits = limits
        self.movetime = limits.movetime
        self._searcher = game.searcher()

    def choose(self, position: Position) -> Choice:
        result = self._searcher.search(position, self.limits)
        assert result.move is not None  # nothing is excluded
        return Choice(result.move, result.value, result.depth, result.nodes)
