"""Keys: pinned for ever, and different for different positions."""

from collections.abc import Iterator
from itertools import islice
from random import Random

import numpy as np
import pytest

from engine import registry
from engine.game import Canonical
from tests.engine.samples import EXAMPLES


@pytest.mark.parametrize(
    ("game_id", "line", "stones", "key"),
    [
        ("gomoku-15", "", "", "2d1ab97faa18e6fdb5db662fd3e56929"),
        ("gomoku-15", "h8", "70", "2f6d308119b8608dc9e69f8e326e11ef"),
        ("gomoku-15", "h8 i9", "7060", "795bfa335f1f2aeee1e236c31b36ddd3"),
        ("gomoku-15-standard", "h8 i9", "7060", "750bfa93e84add890f73cab2a1a6e5a4"),
        ("gomoku-15-renju", "h8 i9", "7060", "a8824f9e00c3e61be4f90a095e690c2c"),
        ("gomoku-15", "a1 b3 o15 c7 d4", "0030e01124", "b39d54d3bf29dcda0821682a3a29b465"),
        ("gomoku-5", "a1 e5 b4", "000818", "727687194dee2d62f5ea486de2261b3c"),
        ("gomoku-6-standard", "f1 a2", "000b", "2aff558e6bf97ac01bee473abb578b27"),
        ("gomoku-16", "p16 a1", "00ff", "11fa6ce7e60be593fabbfc0c09d2a248"),
        ("gomoku-19", "k10 q4 d16 c3", "003c00b5012d0132", "041a44af9d5c244811585868fff6982b"),
        (
            "gomoku-26",
            "z26 a1 m13 n14 b25",
            "00000032015f014402a3",
            "3547fd4a31e6ea7545e0c2d96ed97803",
        ),
        ("pentago-swap", "", "", "165d018593f3e88fcee1ec24a6548280"),
        ("pentago-swap", "b2:13", "07", "e3a6a95c851eff38c77906bbf11e6136"),
        (
            "pentago-swap",
            "b2:13 e5:24 a1:12 f6:34 c3:14",
            "020f190a1e",
            "755cc949ab59d2eba673b79757400d47",
        ),
        ("pentago", "", "", "3276cf55ca208fc9c4bf0f8048f4f020"),
        ("pentago", "b2:1R", "07", "f9ae3bcbee13275c9107d3a82c8d0da1"),
        (
            "pentago",
            "b2:1R e5:2R a1:4R f6:3R c3:1R",
            "02070e1c23",
            "45dedc818745a9b19b0451c8ebeb2158",
        ),
        ("pentago-twist", "", "", "2d79b57c238ae16930690148310f5175"),
        ("pentago-twist", "b2:1R", "07", "914aedab269a888e7e253fb08565d044"),
        (
            "pentago-twist",
            "b2:1R e5:2R a1:4R f6:3R c3:1R",
            "070c0e1c23",
            "cfc080b87b6f3927ec6a4d8fba41b484",
        ),
    ],
)
def test_a_key_never_changes(game_id: str, line: str, stones: str, key: str) -> None:
    """Books in the world depend on these bytes: whatever changes them breaks every book."""
    game = registry.get(game_id)
    canonical = game.canonical(game.play_line(game.parse_line(line)))
    assert canonical.stones.hex() == stones
    assert canonical.key.hex() == key


def test_the_same_stones_have_different_keys_in_different_games() -> None:
    keys = {registry.get(game_id).key(b"\x01\x02") for game_id in EXAMPLES}
    assert len(keys) == len(EXAMPLES)


def random_canonicals(seed: int) -> Iterator[tuple[int, Canonical]]:
    """Positions after 7 to 11 plies of random games, each with the number of its game."""
    random = Random(seed)
    playable = [registry.get(name) for name in ("gomoku-11", "gomoku-15-standard", "pentago-swap")]
    while True:
        for number, game in enumerate(playable):
            position = game.initial
            ply = 0
            while ply < 11:
                # Trying until a cell is free is much faster than listing the legal moves.
                move = random.randrange(game.move_count)
                if (position.dark | position.light) >> game.cell_of(move) & 1:
                    continue
                position = game.play(position, move)
                ply += 1
                if ply >= 7:
                    yield number, game.canonical(position)


def distinct(records: bytearray) -> int:
    """The number of different records of 16 bytes."""
    rows = np.frombuffer(records, dtype=np.uint64).reshape(-1, 2)
    ordered = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
    return 1 + int(np.any(ordered[1:] != ordered[:-1], axis=1).sum())


def distinct_positions_and_keys(count: int) -> tuple[int, int]:
    """Of `count` random positions, how many differ by their stones and how many by their keys."""
    stones, keys = bytearray(), bytearray()
    for number, canonical in islice(random_canonicals(seed=1), count):
        # At most 11 stones of a byte each, then their number and that of the game.
        stones += canonical.stones.ljust(14, b"\0")
        stones += bytes((len(canonical.stones), number))
        keys += canonical.key
    return distinct(stones), distinct(keys)


@pytest.mark.parametrize(
    "count",
    [
        200_000,
        pytest.param(1_000_000, marks=pytest.mark.slow),
        pytest.param(10_000_000, marks=pytest.mark.slow),
    ],
)
def test_no_two_of_many_different_random_positions_share_a_key(count: int) -> None:
    positions, keys = distinct_positions_and_keys(count + count // 100)
    assert positions >= count
    assert keys == positions
