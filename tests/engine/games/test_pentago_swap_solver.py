"""The exact solver of Pentago-swap against brute force, and its promises to callers."""

import random
from itertools import combinations

import numpy as np
import pytest

from engine.games.pentago_swap import FULL_BOARD, PentagoSwap
from engine.games.pentago_swap.solver import ExactSolver, Solution
from engine.position import Position
from tests.oracles import quick_pentago_swap as quick
from tests.oracles import slow_pentago_swap as slow

GAME = PentagoSwap()


@pytest.fixture(scope="module")
def solver() -> ExactSolver:
    return ExactSolver(GAME, table=16)


def random_position(rng: random.Random, empty: int) -> Position:
    """An unfinished position with so many empty cells."""
    while True:
        cells = rng.sample(range(36), 36 - empty)
        half = (len(cells) + 1) // 2
        dark = sum(1 << cell for cell in cells[:half])
        light = sum(1 << cell for cell in cells[half:])
        position = Position(dark, light)
        if GAME.outcome(position) is None:
            return position


def quick_moves(moves: list[quick.QuickMove]) -> tuple[int, ...]:
    """The moves of the rules that the oracle's moves are."""
    found = []
    for quadrant, cell, (first, second) in moves:
        row = 5 - (quadrant // 2 * 3 + cell // 3)
        column = quadrant % 2 * 3 + cell % 3
        found.append(GAME.parse_move(f"{'abcdef'[column]}{row + 1}:{first + 1}{second + 1}"))
    return tuple(sorted(found))


def said(solution: Solution) -> tuple[str, int]:
    """A solution in the oracle's words."""
    return solution.outcome or "open", solution.distance or 0


def check(solver: ExactSolver, position: Position, horizon: int) -> str:
    board = quick.board_of(position.dark, position.light)
    truth, moves = quick.solve(board, position.ply % 2, horizon)
    solution = solver.solve(position, horizon=horizon)
    assert said(solution) == truth, (position, horizon)
    assert solution.moves == quick_moves(moves), (position, horizon)
    assert solution.complete
    return truth[0]


# Positions by the number of their empty cells.
ORDINARY = {1: 3000, 2: 5000, 3: 6500, 4: 4500, 5: 900, 6: 100}


@pytest.mark.parametrize("empty", ORDINARY)
def test_the_last_plies_are_solved_as_by_brute_force(solver: ExactSolver, empty: int) -> None:
    rng = random.Random(empty)
    seen = {check(solver, random_position(rng, empty), empty) for _ in range(ORDINARY[empty])}
    assert seen >= {"win", "draw"}
