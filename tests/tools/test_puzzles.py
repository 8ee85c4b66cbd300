"""The puzzles that are shipped, and what makes them: the solver finds wins, and they are wins."""

import subprocess
import sys

import pytest

from engine.games.gomoku import Rule
from engine.games.gomoku.threat_solver import ThreatSolver
from tests.checkout import DATA
from tests.engine.threat_claims import asker, sides
from tests.oracles.proof_checker import ProofChecker
from tools.puzzles import Puzzle, read_puzzles, solve_all

PUZZLES = DATA / "puzzles"

both_kinds = pytest.mark.parametrize("kind", ["vcf", "vct"])


def read(kind: str) -> list[Puzzle]:
    return read_puzzles((PUZZLES / f"{kind}.txt").read_text().splitlines())


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


@pytest.mark.slow
@both_kinds
def test_all_puzzles_can_be_solved_in_one_go(kind: str) -> None:
    attempts = list(solve_all(kind, read(kind)))
    assert len(attempts) == len(read(kind))
    assert all(attempt.solved for attempt in attempts)
    assert all(attempt.nodes < 1_000_000 for attempt in attempts)


def made(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.puzzles", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@both_kinds
def test_new_puzzles_can_be_made(kind: str) -> None:
    puzzles = read_puzzles(made(kind, "2").stdout.splitlines())
    assert len(puzzles) == 2
    for game, distance, position in puzzles:
        assert getattr(ThreatSolver(game), kind)(position).distance == distance >= 7


@pytest.mark.parametrize(
    "arguments", [(), ("vcf",), ("vcx", "2"), ("vcf", "two"), ("vcf", "0")], ids=str
)
def test_bad_arguments_are_told(arguments: tuple[str, ...]) -> None:
    run = made(*arguments)
    assert run.returncode != 0
    assert "Usage: " in run.stderr
    assert "Traceback" not in run.stderr
