"""The games, found by their ids.

Every module in `engine.games` defines `FAMILIES`, its families of games; adding a module adds
its games.
"""

import importlib
import pkgutil
from functools import cache

import engine.games
from engine.errors import UnknownGame
from engine.game import Family, Game


@cache
def families() -> tuple[Family, ...]:
    """The families of games, by name."""
    package = engine.games
    names = (
        f"{package.__name__}.{module.name}" for module in pkgutil.iter_modules(package.__path__)
    )
    found = (family for name in names for family in importlib.import_module(name).FAMILIES)
    return tuple(sorted(found, key=lambda family: family.name))


@cache
def get(game_id: str) -> Game:
    """The game called `game_id`; the same object each time.

    Raises:
        UnknownGame: if there is none.
    """
    for family in families():
        game = family.find(game_id)
        if game is not None:
            return game
    known = "; ".join(f"{family.ids} ({family.title})" for family in families())
    raise UnknownGame(f"unknown game '{game_id}'; there are {known}")
