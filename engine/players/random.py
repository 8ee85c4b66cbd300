"""The yardstick's zero: any legal move."""

from random import Random

from engine.game import Game
from engine.players.base import Choice, Player
from engine.position import Position


class RandomPlayer(Player):
    """Chooses among all legal moves, each as likely as the other.

    With a `seed` the move depends on the seed and the position and on nothing else.
    """

    name = "random"

    def __init__(self, game: Game, seed: int | None = None) -> None:
        self.game = game
        self._seed = seed

    def choose(self, position: Position) -> Choice:
        seed = None if self._seed is None else f"{self._seed} {position.dark} {position.light}"
        return Choice(Random(seed).choice(self.game.legal_moves(position)))
