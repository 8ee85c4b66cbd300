"""The positions that the search is measured on, and what makes them: they are quiet."""

import subprocess
import sys

import pytest

from engine import registry
from engine.games.gomoku import Gomoku
from engine.games.gomoku.threat_solver import ThreatSolver
from engine.position import Position
from engine.search import Limits
from tests.checkout import DATA

FILE = DATA / "bench" / "gomoku-15.txt"
MARGIN = 200


@pytest.fixture(scope="module")
def game() -> Gomoku:
    game = registry.get("gomoku-15")
    assert isinstance(game, Gomoku)
    return game


def positions(game: Gomoku, text: str) -> list[Position]:
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return [game.play_line(game.parse_line(line)) for line in lines]


def assert_no_threat_wins(game: Gomoku, position: Position) -> None:
    solver = ThreatSolver(game)
    assert solver.vct(position).won is False
    assert solver.vcf(position, after_pass=True).won is False


def test_shipped_positions_are_of_all_stages_and_no_two_alike(game: Gomoku) -> None:
    shipped = positions(game, FILE.read_text())
    assert len({game.canonical(position).key for position in shipped}) == len(shipped) == 24
    plies = [position.ply for position in shipped]
    assert plies == sorted(plies)
    assert (plies[0], plies[-1]) == (4, 30)


def test_no_side_wins_a_shipped_position_by_threats(game: Gomoku) -> None:
    for position in positions(game, FILE.read_text()):
        assert_no_threat_wins(game, position)


def made(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.quiet_positions", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_new_positions_can_be_made_the_same_at_any_time(game: Gomoku) -> None:
    text = made("1").stdout
    (position,) = positions(game, text)
    assert made("1").stdout == text
    assert_no_threat_wins(game, position)
    result = game.searcher().search(position, Limits(nodes=1_000_000))
    assert not result.proven
    assert abs(result.value) <= MARGIN


@pytest.mark.parametrize("arguments", [(), ("0",), ("many",), ("1", "2")], ids=str)
def test_bad_arguments_are_told(arguments: tuple[str, ...]) -> None:
    run = made(*arguments)
    assert run.returncode != 0
    assert "Usage: " in run.stderr
    assert "Traceback" not in run.stderr
