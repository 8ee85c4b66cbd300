"""Many canonical positions found at a time are those that are found one by one."""

from random import Random

import pytest

from book.rows.canonical_images import smallest_images
from book.rows.links import WaysTo
from engine import registry
from engine.game import Game
from engine.position import Position

NAMES = ["gomoku-5", "gomoku-26", "gomoku-15-renju", "pentago-swap", "pentago-twist"]


def some_positions(game: Game) -> list[Position]:
    """The empty board, a few that are symmetrical, and many of all plies from random games."""
    random = Random(4)
    found = [game.initial]
    for _ in range(20):
        position = game.initial
        while game.outcome(position) is None and position.ply < 30:
            position = game.play(position, random.choice(game.legal_moves(position)))
            if game.outcome(position) is None:
                found.append(position)
    random.shuffle(found)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_images_are_the_canonical_positions(name: str) -> None:
    game = registry.get(name)
    some = some_positions(game)
    for position, image in zip(some, smallest_images(game, some), strict=True):
        canonical = game.canonical(position)
        assert (image.stones, image.key) == (canonical.stones, canonical.key)
        assert list(image.symmetries) == game.symmetries_to_canonical(position)


@pytest.mark.parametrize("name", NAMES)
def test_ways_are_those_from_the_parents_that_are_stored(name: str) -> None:
    game = registry.get(name)
    some = dict(enumerate(p for p in some_positions(game) if p.ply < 8))
    ways = WaysTo(game, some)
    stored = {key for key in ways.parents if key[0] % 2}
    expected = {
        (key, at): move
        for at, position in some.items()
        for key, move in game.parents(position).items()
        if key in stored
    }
    assert ways.links(stored) == expected


def test_of_no_positions_there_are_no_images() -> None:
    assert smallest_images(registry.get("gomoku-5"), []) == []
