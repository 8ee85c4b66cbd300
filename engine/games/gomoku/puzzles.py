"""Puzzles, positions with a forced win of a known length, and the solving of them."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine import registry
from engine.games.gomoku import Gomoku
from engine.games.gomoku.threat_solver import ThreatSolver
from engine.position import Position

KINDS = ("vcf", "vct")
"""Wins by fours alone; by fours and threes."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """The side to move has a win of its kind in `distance` plies, and no shorter one."""

    game: Gomoku
    distance: int
    position: Position


@dataclass(frozen=True, slots=True)
class Attempt:
    """What became of a puzzle; `solved` if the win was found, as short as it can be."""

    puzzle: Puzzle
    solved: bool
    nodes: int
    seconds: float


def read_puzzles(lines: Iterable[str]) -> list[Puzzle]:
    """The puzzles on `lines`: game, distance and moves of each; `#` begins a comment line.

    Raises:
        FivebookError: if a game or a move is none.
    """
    return [_puzzle(line) for line in lines if not line.startswith("#")]


def _puzzle(line: str) -> Puzzle:
    name, distance, moves = line.split(maxsplit=2)
    game = registry.get(name)
    assert isinstance(game, Gomoku)
    return Puzzle(game, int(distance), game.play_line(game.parse_line(moves)))


def solve_all(kind: str, puzzles: Iterable[Puzzle]) -> Iterator[Attempt]:
    """Try each of `puzzles`, of one of the KINDS, with the threat solver's usual nodes."""
    solvers: dict[str, ThreatSolver] = {}
    for puzzle in puzzles:
        solver = solvers.setdefault(puzzle.game.id, ThreatSolver(puzzle.game))
        solve = solver.vcf if kind == "vcf" else solver.vct
        started = time.perf_counter()
        result = solve(puzzle.position)
        seconds = time.perf_counter() - started
        yield Attempt(puzzle, result.distance == puzzle.distance, result.nodes, seconds)
