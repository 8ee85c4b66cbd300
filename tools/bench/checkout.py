"""The files of a checkout that the benchmark needs, and the positions in them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import click

from engine.game import Game
from engine.position import Position
from service.play.arena.openings import read_openings

_ROOT = Path(__file__).parents[2]
_Item = TypeVar("_Item")


class NoCheckout(click.ClickException):
    """A file is missing that every checkout has."""

    exit_code = 2


def path_of(name: str) -> Path:
    """The file called `name`, as seen from the root of the checkout.

    Raises:
        NoCheckout: if it is not there.
    """
    path = _ROOT / name
    if not path.is_file():
        raise NoCheckout(f"this part of the benchmark needs a whole checkout: there is no '{path}'")
    return path


def suite_name(game_id: str) -> str:
    """Where the fixed positions of a game are."""
    return f"data/bench/{game_id}.txt"


def positions_of(game: Game, most: int | None) -> list[Position]:
    """The positions that searches of `game` are measured on, `most` of them at most."""
    lines = read_openings(game, path_of(suite_name(game.id)))
    return [game.play_line(line) for line in spread(lines, most)]


def spread(items: Sequence[_Item], most: int | None) -> list[_Item]:
    """All of `items`, or `most` from all over them."""
    count = min(len(items), most or len(items))
    return [items[index * len(items) // count] for index in range(count)]
