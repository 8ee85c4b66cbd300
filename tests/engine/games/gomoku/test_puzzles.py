"""The puzzles that are shipped, and what makes them: the solver finds wins, and they are wins."""

import subprocess
import sys
from typing import NamedTuple

import pytest

from engine import registry
from engine.games.gomoku import Gomoku, Rule
from engine.games.gomoku.threat_solver import ThreatSolver
from engine.position import Position
from tests.checkout import DATA
from tests.engine.threat_claims import asker, sides
from tests.oracles.proof_checker import ProofChecker
from tools.puzzles import solve_all

PUZZLES = DATA / "puzzles"

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
    game = registry.get(name)
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


def test_wins_by_fours_hold_against_every_reply() -> None:
    check_replies("vcf", read("vcf"))


def test_wins_by_threats_hold_against_every_reply() -> None:
    check_replies("vct", [puzzle for puzzle in read("vct") if puzzle.distance <= 13])


@pytest.mark.slow
def test_all_wins_by_threats_hold_against_every_reply() -> None:
    """Takes about a minute."""
    check_replies("vct", read("vct"))


def check_replies(kind: str, puzzles: list[Puzzle]) -> None:
    for game, _, position in puzzles:
        checker = ProofChecker(game.size, exactly_five=game.rule is Rule.STANDARD)
        solve = getattr(ThreatSolver(game), kind)
        assert checker.hole(*sides(game, position), asker(game, solve)) is None


@both_kinds
def test_all_puzzles_can_be_solved_in_one_go(kind: str) -> None:
    attempts = solve_all(kind)
    assert len(attempts) == len(read(kind))
    assert all(attempt.solved for attempt in attempts)
    assert all(attempt.nodes < 1_000_000 for attempt in attempts)


def made(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.puzzles", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@both_kinds
def test_new_puzzles_can_be_made(kind: str) -> None:
    lines = [line for line in made(kind, "2").stdout.splitlines() if not line.startswith("#")]
    assert len(lines) == 2
    for game, distance, position in map(puzzle_of, lines):
        assert getattr(ThreatSolver(game), kind)(position).distance == distance >= 7


def test_the_puzzles_solved_within_a_second_are_counted() -> None:
    (line,) = made("solve", "vcf").stdout.splitlines()
    count = len(read("vcf"))
    assert line.startswith(f"vcf: {count} of {count} solved, ")
    assert " of all within 1 s; the slowest took " in line


@pytest.mark.parametrize(
    "arguments", [(), ("vcf",), ("vcx", "2"), ("vcf", "two"), ("solve", "2")], ids=str
)
def test_bad_arguments_are_told(arguments: tuple[str, ...]) -> None:
    run = made(*arguments)
    assert run.returncode != 0
    assert "usage:" in run.stderr
    assert "Traceback" not in run.stderr
