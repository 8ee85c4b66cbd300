"""The key of compact books as docs/compact.md tells it, in plain whole numbers."""

from engine.game import Game
from engine.position import Position, cells_of

_MOST = (1 << 64) - 1


def slow_key(game: Game, position: Position) -> int:
    """The key, with salt 0, of any image of a position."""
    images = [game.map_position(position, symmetry) for symmetry in game.symmetries]
    dark, light = min((cells_of(image.dark), cells_of(image.light)) for image in images)
    key = 0
    for cell in dark:
        key ^= stone_number(game, 2 * cell)
    for cell in light:
        key ^= stone_number(game, 2 * cell + 1)
    return key


def stone_number(game: Game, number: int) -> int:
    """The number of that number in the game's sequence."""
    seed = 0xCBF29CE484222325
    for byte in game.id.encode():
        seed = (seed ^ byte) * 0x100000001B3 & _MOST
    mixed = seed + (number + 1) * 0x9E3779B97F4A7C15 & _MOST
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & _MOST
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _MOST
    return mixed ^ mixed >> 31
