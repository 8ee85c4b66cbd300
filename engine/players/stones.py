"""Boards as the agents' kernels take them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.game import Game
from engine.position import Cell, Position, cells_of

EMPTY, DARK_STONE, LIGHT_STONE = 0, 1, -1


def stones_of(game: Game, position: Position) -> NDArray[Any]:
    """A fresh int8 array of shape (height, width): 1 dark, -1 light, 0 empty.

    ``array.ravel()[cell]`` is the stone on `cell`.
    """
    stones = np.zeros(game.cell_count, dtype=np.int8)
    stones[cells_of(position.dark)] = DARK_STONE
    stones[cells_of(position.light)] = LIGHT_STONE
    return stones.reshape(game.height, game.width)


def stone_to_move(position: Position) -> int:
    """The stone of the side to move."""
    return DARK_STONE if position.dark_to_move else LIGHT_STONE


def centre_of(game: Game) -> Cell:
    """The middle cell; where there are several, the one farthest up and to the right."""
    return game.height // 2 * game.width + game.width // 2
