"""The yardstick's zero: any legal move."""

from random import Random

from engine.games.base import Game
from engine.players.base import Choice, Player
from engine.position import Position


class RandomPlayer(Player):
    """Chooses among all legal moves, each as likely as the other; `seed` makes it repeatable."""

    name = "random"

    def __init__(self, game: Game, seed: int | None = None) -> None:
        self.game = game
        self._random = Random(seed)

    def choose(self, position: Position) -> Choice:
        return Choice(self._random.choice(self.game.legal_moves(position)))
