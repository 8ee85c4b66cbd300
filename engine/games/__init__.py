"""The games, found by their ids.

Every module in this package but `base` and `rows` is a family of games and defines `FAMILY`;
adding a module adds its games.
"""

import importlib
import pkgutil
from functools import cache

from engine.errors import UnknownGame
from engine.games.base import Family, Game

_NOT_FAMILIES = {"base", "rows"}


@cache
def families() -> tuple[Family, ...]:
    """The families of games, by name."""
    names = {module.name for module in pkgutil.iter_modules(__path__)} - _NOT_FAMILIES
    return tuple(importlib.import_module(f"{__name__}.{name}").FAMILY for name in sorted(names))


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
