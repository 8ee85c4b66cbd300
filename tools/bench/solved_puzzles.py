"""Puzzles: how many the threat solver finds the win of, and how fast."""

import statistics
from dataclasses import dataclass

from tools.bench.checkout import path_of, spread
from tools.puzzles import read_puzzles, solve_all

IN_TIME = 1.0
"""Seconds within which a puzzle is to be solved."""


@dataclass(frozen=True, slots=True)
class SolvedPuzzles:
    """`solved` is the share solved within IN_TIME; `slowest` of all, solved or not."""

    kind: str
    puzzles: int
    solved: float
    nodes: int
    median_milliseconds: float
    slowest_milliseconds: float


def file_name(kind: str) -> str:
    """Where the puzzles of a kind are."""
    return f"data/puzzles/{kind}.txt"


def solve_puzzles(kind: str, most: int | None) -> SolvedPuzzles:
    """Try all puzzles of a kind, or `most` of them."""
    lines = path_of(file_name(kind)).read_text(encoding="utf-8").splitlines()
    attempts = list(solve_all(kind, spread(read_puzzles(lines), most)))
    times = [attempt.seconds for attempt in attempts]
    in_time = [attempt.solved and attempt.seconds <= IN_TIME for attempt in attempts]
    return SolvedPuzzles(
        kind=kind,
        puzzles=len(attempts),
        solved=round(statistics.fmean(in_time), 4),
        nodes=sum(attempt.nodes for attempt in attempts),
        median_milliseconds=round(1000 * statistics.median(times), 1),
        slowest_milliseconds=round(1000 * max(times), 1),
    )
