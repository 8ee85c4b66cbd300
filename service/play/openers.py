"""Players in openings that are chosen, and the memory that programs take."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from random import Random

from engine.clock import Clock
from engine.players.base import Player, UnsuitableGame
from engine.players.engine import EnginePlayer
from service.answerer import Answerer
from service.play.book import BookPlayer
from service.play.gomocup import GomocupPlayer
from service.play.swapping import Decider, Decision, Opener, Opening, OpeningRule


class EngineOpener:
    """Decides as `answerer` advises, within the limits of `engine`; draws stones by `random`."""

    def __init__(self, engine: EnginePlayer, answerer: Answerer, random: Random) -> None:
        self._engine = engine
        self._decider = Decider(answerer)
        self._random = random

    def decide(self, opening: Opening, clock: Clock | None) -> Decision:
        """What to do in `opening`, see `Opener.decide`."""
        limits = self._engine.limits
        if clock is not None:
            limits = replace(limits, clock=clock)
        return self._decider.decide(opening, limits, self._random)


@contextmanager
def opener_of(player: Player, rule: OpeningRule, game_number: int) -> Iterator[Opener]:
    """What puts stones and chooses colours by `rule` for `player`, to the end of the block.

    It is ready to be asked. The stones of this project's own players differ from game to game, and
    are the same again for the same number.

    Raises:
        UnsuitableGame: if nothing does.
    """
    if isinstance(player, GomocupPlayer):
        if rule is not OpeningRule.SWAP2:
            raise UnsuitableGame(f"the Gomocup protocol has openings by swap2, and not by {rule}")
        yield player
        return
    engine = player.engine if isinstance(player, BookPlayer) else player
    if not isinstance(engine, EnginePlayer):
        raise UnsuitableGame(f"{player.name} chooses no openings: it knows of moves alone")
    books = [player.address] if isinstance(player, BookPlayer) else []
    seed = player.variety.seed if isinstance(player, BookPlayer) else None
    with Answerer(books, options=engine.options) as answerer:
        answerer.prepare(player.game)
        yield EngineOpener(engine, answerer, Random(f"{seed or 0} {game_number}"))


def begin_game(player: Player, number: int) -> None:
    """Have `player` ready for the game of this number, before any clock runs.

    Raises:
        PlayerFailed: if its program is not.
    """
    if isinstance(player, GomocupPlayer):
        player.begin_game()
    if isinstance(player, BookPlayer):
        player.begin_game(number)


def peak_memory_of(player: Player) -> int:
    """The most memory that the program of `player` has had, in bytes.

    It is 0 for players within this process, and where the system does not tell.
    """
    return player.peak_memory if isinstance(player, GomocupPlayer) else 0
