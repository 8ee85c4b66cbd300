"""No move waits for the collector to look through all that was loaded before the game."""

import gc
from collections.abc import Iterator
from contextlib import closing

import pytest

from engine import registry
from engine.search import Limits, SearchOptions
from service.play.arena.referee import Rules
from service.play.arena.workers import Table, play_in_worker
from service.play.brain import Brain
from service.play.variety import ALWAYS_THE_BEST

# With the compiler loaded there are over 150,000.
MOST_OBJECTS = 20_000


@pytest.fixture(autouse=True)
def nothing_set_aside() -> Iterator[None]:
    gc.unfreeze()
    assert len(gc.get_objects()) > MOST_OBJECTS
    yield
    gc.unfreeze()


def test_a_brain_has_little_to_collect_once_it_is_started() -> None:
    with closing(Brain(None, SearchOptions())) as brain:
        assert list(brain.answers(iter(["START 11"]))) == ["OK"]
        assert len(gc.get_objects()) < MOST_OBJECTS


def test_a_process_of_the_arena_has_little_to_collect() -> None:
    game, limits = registry.get("gomoku-7"), Limits(nodes=10)
    rules = Rules(margin=1.0)
    table = Table(game.id, ("engine", "random"), ("A", "B"), limits, rules, ALWAYS_THE_BEST)
    play_in_worker(table, 0, (), None)
    assert len(gc.get_objects()) < MOST_OBJECTS
