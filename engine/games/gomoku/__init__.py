"""Gomoku, also called gobang: two players, one stone a move, five in a row wins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from engine.games.base import Family, Game, Outcome, Symmetry
from engine.games.rows import Rows
from engine.position import Cell, Move, Position, cells_of
from engine.proof import TABLE_MEBIBYTES

if TYPE_CHECKING:
    from engine.games.gomoku.features import GomokuEvaluation
    from engine.games.gomoku.proof_solver import ProofSolver
    from engine.games.gomoku.searcher import GomokuSearcher

MIN_SIZE = 5
MAX_SIZE = 26


class Gomoku(Game):
    """One board size and rule; a move is the cell its stone goes to.

    Freestyle: five or more in a row win. Standard: exactly five. A full board is a draw.
    """

    def __init__(self, size: int, *, exactly_five: bool) -> None:
        self.id = f"gomoku-{size}-standard" if exactly_five else f"gomoku-{size}"
        rule = "exactly five in a row" if exactly_five else "five or more in a row"
        self.title = f"Gomoku {size}×{size}, {rule}"
        self.size = size
        self.move_count = size * size
        self.exactly_five = exactly_five

    def legal_moves(self, position: Position) -> list[Move]:
        if self.outcome(position) is not None:
            return []
        return cells_of(self._full_board & ~(position.dark | position.light))

    def play(self, position: Position, move: Move) -> Position:
        if position.dark_to_move:
            return Position(position.dark | 1 << move, position.light)
        return Position(position.dark, position.light | 1 << move)

    def unplay(self, position: Position) -> Iterator[tuple[Position, Move]]:
        dark_moved = not position.dark_to_move
        for cell in cells_of(position.dark if dark_moved else position.light):
            if dark_moved:
                before = Position(position.dark ^ 1 << cell, position.light)
            else:
                before = Position(position.dark, position.light ^ 1 << cell)
            if self.outcome(before) is None:
                yield before, cell

    def outcome(self, position: Position) -> Outcome | None:
        if self._rows.any(position.dark):
            return Outcome.DARK_WINS
        if self._rows.any(position.light):
            return Outcome.LIGHT_WINS
        if position.dark | position.light == self._full_board:
            return Outcome.DRAW
        return None

    def cell_of(self, move: Move) -> Cell:
        return move

    def map_move(self, move: Move, symmetry: Symmetry) -> Move:
        return self.map_cell(move, symmetry)

    def parse_move(self, text: str) -> Move:
        return self.parse_cell(text)

    def format_move(self, move: Move) -> str:
        return self.format_cell(move)

    def searcher(self) -> GomokuSearcher:
        from engine.games.gomoku.searcher import GomokuSearcher

        return GomokuSearcher(self)

    def evaluation(self) -> GomokuEvaluation:
        from engine.games.gomoku.features import GomokuEvaluation

        return GomokuEvaluation(self)

    def prover(self, *, table: int = TABLE_MEBIBYTES) -> ProofSolver:
        from engine.games.gomoku.proof_solver import ProofSolver

        return ProofSolver(self, table=table)

    @cached_property
    def _rows(self) -> Rows:
        return Rows(self.size, 5, exact=self.exactly_five)

    @cached_property
    def _full_board(self) -> int:
        return (1 << self.cell_count) - 1


def _find(game_id: str) -> Gomoku | None:
    match = re.fullmatch(r"gomoku-([1-9][0-9]?)(-standard)?", game_id)
    if match is None or not MIN_SIZE <= int(match[1]) <= MAX_SIZE:
        return None
    return Gomoku(int(match[1]), exactly_five=bool(match[2]))


FAMILY = Family(
    name="gomoku",
    title="Gomoku, also called gobang",
    ids=f"gomoku-N and gomoku-N-standard, N from {MIN_SIZE} to {MAX_SIZE}",
    options="gomoku-N is freestyle (five or more win), gomoku-N-standard asks for exactly five",
    examples=("gomoku-15", "gomoku-15-standard", "gomoku-19"),
    find=_find,
)
