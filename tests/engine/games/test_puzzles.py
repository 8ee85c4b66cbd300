"""The puzzles that are shipped, and what makes them: the solver finds wins, and they are wins."""

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from engine import games
from engine.games.gomoku import Gomoku, Rule
from engine.games.gomoku.threat_solver import ThreatSolver
from engine.position import Position
from tests.engine.threat_claims import asker, sides
from tests.oracles.threat_checker import ThreatChecker

PUZZLES = Path(__file__).parents[3] / "data" / "puzzles"

both_kinds = pytest.mark.parametrize("kind", ["vcf", "vct"])


class Puzzle(NamedTuple):
    game: Gomoku
    distance: int
    position: Position


def read(kind: str) -> list[Puzzle]:
    lines = (PUZZLES / f"{kind}.txt").read_text().splitlines()
    return [puzzle_of(line) for line in lines if not line.startswith("#")]


def puzzle_of(line: str) -> Puzzle:
    name, distance, moves = line.split(maxsplit=2)
    game = games.get(name)
    assert isinstance(game, Gomoku)
    return Puzzle(game, int(distance), game.play_line(game.parse_line(moves)))


@pytest.mark.parametrize(("kind", "count"), [("vcf", 200), ("vct", 100)])
def test_there_are_many_puzzles_no_two_alike(kind: str, count: int) -> None:
    puzzles = read(kind)
    assert len({game.canonical(position).key for game, _, position in puzzles}) == len(puzzles)
    assert len(puzzles) >= count


def test_wins_by_fours_are_found_and_as_short_as_stated() -> None:
    for game, distance, position in read("vcf"):
        assert ThreatSolver(game).vcf(position).distance == distance


def test_wins_by_threats_are_found_and_as_short_as_stated() -> None:
    check_distances(read("vct")[::10])


@pytest.mark.slow
def test_all_wins_by_threats_are_found_and_as_short_as_stated() -> None:
    check_distances(read("vct"))


def check_distances(puzzles: list[Puzzle]) -> None:
    for game, distance, position in puzzles:
        solver = ThreatSolver(game)
        assert solver.vcf(position).won is False
        assert solver.vct(position).distance == distance


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "longest"), [("vcf", 99), ("vct", 13)])
def test_wins_hold_against_every_reply(kind: str, longest: int) -> None:
    checked = 0
    for game, distance, position in read(kind):
        if distance <= longest:
            checker = ThreatChecker(game.size, exactly_five=game.rule is Rule.STANDARD)
            own, other = sides(game, position)
            solve = getattr(ThreatSolver(game), kind)
            assert checker.hole(own, other, asker(game, solve)) is None
            checked += 1
    assert checked >= 40


def made(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "engine.games.gomoku.puzzles", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@both_kinds
def test_new_puzzles_can_be_made(kind: str) -> None:
    lines = [line for line in made(kind, "2").stdout.splitlines() if not line.startswith("#")]
    assert len(lines) == 2
    for game, distance, position in map(puzzle_of, lines):
        assert getattr(ThreatSolver(game), kind)(position).distance == distance >= 7


@pytest.mark.parametrize("arguments", [(), ("vcf",), ("vcx", "2"), ("vcf", "two")], ids=str)
def test_bad_arguments_are_told(arguments: tuple[str, ...]) -> None:
    run = made(*arguments)
    assert run.returncode != 0
    assert "usage:" in run.stderr
    assert "Traceback" not in run.stderr
