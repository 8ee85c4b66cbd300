"""Opening suites: what makes them, and those that are shipped."""

import pytest
from click.testing import CliRunner

from engine import registry
from engine.game import Game
from engine.search import Limits
from service.play.arena.openings import suite
from tools.suite import main

SHIPPED = ("gomoku-11", "gomoku-15", "gomoku-19", "pentago", "pentago-swap", "pentago-twist")
NODES, MARGIN = 3_000, 40

shipped = pytest.mark.parametrize("game", [registry.get(name) for name in SHIPPED], ids=SHIPPED)


def made(game_id: str, seed: int = 1) -> list[str]:
    """The openings of a small suite, in notation."""
    options = ["--openings", "6", "--nodes", NODES, "--margin", MARGIN, "--seed", seed]
    result = CliRunner().invoke(main, [game_id, *map(str, options)])
    assert result.exit_code == 0, result.output
    return [line for line in result.stdout.splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("game_id", ["gomoku-9", "pentago-swap"])
def test_every_opening_is_within_the_margin_of_equal(game_id: str) -> None:
    game = registry.get(game_id)
    searcher = game.searcher()
    lines = made(game_id)
    assert len(lines) == 6
    for line in lines:
        position = game.play_line(game.parse_line(line))
        result = searcher.search(position, Limits(nodes=NODES))
        assert abs(result.value) <= MARGIN
        assert not result.proven


def test_a_suite_is_the_same_for_the_same_seed_alone() -> None:
    assert made("gomoku-9") == made("gomoku-9") != made("gomoku-9", seed=2)


@shipped
def test_a_shipped_suite_has_a_hundred_openings_no_two_alike(game: Game) -> None:
    keys = {game.canonical(game.play_line(line)).key for line in suite(game)}
    assert len(keys) == len(suite(game)) == 100


@shipped
def test_shipped_openings_leave_the_game_to_be_played(game: Game) -> None:
    for line in suite(game):
        assert 3 <= len(line) <= 7
        assert game.outcome(game.play_line(line)) is None


@shipped
@pytest.mark.slow
def test_shipped_openings_are_not_lost_to_a_short_search(game: Game) -> None:
    searcher = game.searcher()
    for line in suite(game):
        result = searcher.search(game.play_line(line), Limits(nodes=200_000))
        assert not result.proven
