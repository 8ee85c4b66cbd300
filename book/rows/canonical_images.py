"""Canonical positions of many at a time, which one by one take most of the time of large books."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.game import OF_A_SQUARE, Game, Key, Symmetry
from engine.position import Position

_Cells = NDArray[np.uint16]
_Turns = tuple[Symmetry, ...]


@dataclass(frozen=True, slots=True)
class Image:
    """The smallest image of a position: what `engine.game.Canonical` says of it, packed.

    `symmetries` are all those that turn the position that was asked about into it, ascending.
    """

    stones: bytes
    key: Key
    symmetries: _Turns


def smallest_images(game: Game, positions: Sequence[Position]) -> list[Image]:
    """The smallest image of each of the `positions`, in their order."""
    by_length: defaultdict[int, list[int]] = defaultdict(list)
    packed = [game.pack(position) for position in positions]
    for at, stones in enumerate(packed):
        by_length[len(stones)].append(at)
    found: dict[int, Image] = {}
    for places in by_length.values():
        dark = (positions[places[0]].ply + 1) // 2
        images, symmetries = _smallest(game, [packed[at] for at in places], dark)
        for at, stones, turns in zip(places, images, symmetries, strict=True):
            found[at] = Image(stones, game.key(stones), turns)
    return [found[at] for at in range(len(packed))]


def _smallest(
    game: Game, packed: Sequence[bytes], dark: int
) -> tuple[list[bytes], list[tuple[Symmetry, ...]]]:
    """The smallest images of positions with `dark` dark stones each, and how to get them."""
    if not packed[0]:
        return list(packed), [tuple(game.symmetries)] * len(packed)
    stored = np.dtype(">u2") if len(game.pack_cell(0)) == 2 else np.dtype(np.uint8)
    cells = np.frombuffer(b"".join(packed), stored).reshape(len(packed), -1)
    smallest = cells.astype(np.uint16)
    # A bit for each symmetry.
    turns = np.zeros(len(packed), np.uint8)
    rows = np.arange(len(packed))
    for symmetry in game.symmetries:
        image = _cell_map(game, symmetry)[cells]
        image[:, :dark].sort(axis=1)
        image[:, dark:].sort(axis=1)
        # Where they differ first; anywhere, if they are equal.
        first = (image != smallest).argmax(axis=1)
        ours, least = image[rows, first], smallest[rows, first]
        is_less = ours < least
        smallest[is_less] = image[is_less]
        turns[is_less] = 0
        turns[ours <= least] |= 1 << symmetry
    blob = smallest.astype(stored).tobytes()
    width = len(packed[0])
    images = [blob[start : start + width] for start in range(0, len(blob), width)]
    return images, [_numbers(bits) for bits in turns.tolist()]


@cache
def _numbers(bits: int) -> _Turns:
    return tuple(symmetry for symmetry in OF_A_SQUARE if bits >> symmetry & 1)


@cache
def _cell_map(game: Game, symmetry: Symmetry) -> _Cells:
    return np.array([game.map_cell(cell, symmetry) for cell in range(game.cell_count)], np.uint16)
