"""Processes that play the games of a match."""

from functools import cache

from engine import registry
from engine.players.base import Player
from engine.search import Limits
from service.play.arena.openings import Opening
from service.play.arena.referee import Forfeit, PlayedGame, play_game
from service.play.players import make_player


def play_in_worker(
    game_id: str,
    texts: tuple[str, str],
    names: tuple[str, str],
    limits: Limits,
    opening: Opening,
    swapped: bool,
    margin: float,
) -> PlayedGame:
    """A game between the players that `texts` describe; `swapped`: the second one is dark."""
    players = _players(game_id, texts, limits)
    if swapped:
        players, names = players[::-1], names[::-1]
    played = play_game(players, names, opening, margin, control=limits.clock)
    if played.forfeit is Forfeit.FAILED:
        # A program that has ended plays no further game; a new one may.
        for player in players:
            player.close()
        _players.cache_clear()
    return played


@cache
def _players(game_id: str, texts: tuple[str, str], limits: Limits) -> tuple[Player, Player]:
    """This process's players, two also where they are described alike."""
    first, second = (make_player(text, registry.get(game_id), limits) for text in texts)
    return first, second
