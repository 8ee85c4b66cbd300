"""Small certificates, and positions to make them from."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from book.certificates.check import Hole
from book.certificates.pentago_swap import arrangements
from book.certificates.pentago_swap.checker import Checker
from book.certificates.pentago_swap.file import Certificate
from book.certificates.pentago_swap.single_board import SingleBoard
from engine.position import Position
from precompute.certificates.pentago_swap.certify import Certifier
from precompute.certificates.pentago_swap.strategy import EntryRules, to_position
from tests.book.certificates.pentago_swap.strategies import Searched

# Rows from the top. White, X, is to move and wins in so many plies and no sooner.
POSITIONS = {
    3: ".O...O/....../XO.XX./OX..../....OO/.X.X..",
    5: "...O../.....X/OX..X./.O..O./..XO../.OX.X.",
    7: ".X..XX/.O..../...XXO/OOOO.X/..X.../X.O.O.",
    9: "O...../OX.XO./....../...X../.X.OX./..O...",
    11: "....../.X.XO./..O.../....../.X.OX./O.....",
    13: "....../OX..X./.....O/....../XO..../......",
}


def position(rows: str) -> Position:
    """The engine's position for rows from the top."""
    stones = {"X": 0, "O": 0, ".": 0}
    for bit in range(36):
        column, row = arrangements.CORNERS[bit // 9]
        stones[rows.split("/")[5 - row - bit % 9 // 3][column + bit % 3]] |= 1 << bit
    return to_position(SingleBoard(stones["X"], stones["O"]))


@cache
def certificate(distance: int, short: int, leaf: int) -> Certificate:
    """That of the position that is won in so many plies."""
    rules = EntryRules(short, leaf, arrangements.UNLIMITED)
    return Certifier(
        [Searched()], position(POSITIONS[distance]), distance, rules=rules
    ).certificate()


def hole(certificate: Certificate, jobs: int = 1, **options: Any) -> Hole | None:
    """What a check of everything finds wrong."""
    check = Checker(certificate, **options)
    for _ in check.steps(jobs):
        pass
    assert check.complete
    return check.hole


def rebuilt(certificate: Certificate, entries: list[dict[str, Any]]) -> Certificate:
    """The certificate with other entries, in their order."""
    entries = sorted(
        entries,
        key=lambda e: (e["high"].bit_count() + e["low"].bit_count(), e["high"], e["low"]),
    )
    moves = [move for entry in entries for move in entry["moves"]]

    def column(values: list[int]) -> Any:
        return np.array(values, dtype=np.int64)

    return replace(
        certificate,
        high=column([e["high"] for e in entries]),
        low=column([e["low"] for e in entries]),
        boards=column([e["boards"] for e in entries]),
        first=np.concatenate(([0], np.cumsum(column([len(e["moves"]) for e in entries])))),
        stone=column([stone for stone, _ in moves]),
        swapped=column([swapped for _, swapped in moves]),
    )


def entries(certificate: Certificate) -> list[dict[str, Any]]:
    """The entries as they can be changed."""
    c = certificate
    return [
        {
            "high": int(c.high[i]),
            "low": int(c.low[i]),
            "boards": int(c.boards[i]),
            "moves": [
                (int(c.stone[m]), int(c.swapped[m])) for m in range(c.first[i], c.first[i + 1])
            ],
        }
        for i in range(c.entries)
    ]
