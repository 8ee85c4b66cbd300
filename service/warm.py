"""Loading the engine ahead of the first question."""

from collections.abc import Callable

from engine import games
from engine.games.base import Game
from engine.search import Limits


def load_searchers(report: Callable[[Game], None] = lambda game: None) -> None:
    """Compile the search of every family of games, or load it from the compiler's cache.

    `report` is called before each. Afterwards no search in this process waits for the compiler.
    """
    for family in games.families():
        game = games.get(family.examples[0])
        report(game)
        game.searcher().search(game.initial, Limits(nodes=1))
