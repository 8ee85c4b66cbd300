"""Gomoku, also called gobang: two players, one stone a move, five in a row wins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from engine.game import Family, Game, Outcome, Symmetry
from engine.games.gomoku.renju import ForbiddenPoints, Foul
from engine.lines import Rows
from engine.position import Cell, Move, Position, cells_of
from engine.proof import TABLE_MEBIBYTES
from engine.search import SearchOptions

if TYPE_CHECKING:
    from engine.games.gomoku.features import GomokuEvaluation
    from engine.games.gomoku.prover import GomokuProver
    from engine.games.gomoku.searcher import GomokuSearcher

MIN_SIZE = 5
MAX_SIZE = 26


class Rule(StrEnum):
    """What wins, and what dark must not play."""

    FREESTYLE = "five or more in a row"
    STANDARD = "exactly five in a row"
    RENJU = "renju"


# The sizes of board that say how sure values are, each for those that it is nearest to.
_MEASURED_SIZES = 15, 11

_SUFFIXES = {Rule.FREESTYLE: "", Rule.STANDARD: "-standard", Rule.RENJU: "-renju"}


class Gomoku(Game):
    """One board size and rule; a move is the cell its stone goes to.

    Freestyle: five or more in a row win. Standard: exactly five. Renju: exactly five for dark,
    who must not make an overline, a double four or a double three with any other move, and five
    or more for light. A full board is a draw; if dark may play on no free cell, light wins.
    """

    def __init__(self, size: int, rule: Rule) -> None:
        self.id = id_of(size, rule)
        self.title = f"Gomoku {size}×{size}, {rule}"
        self.size = self.width = self.height = size
        self.move_count = size * size
        self.rule = rule
        self.forbids_moves = rule is Rule.RENJU

    def legal_moves(self, position: Position) -> list[Move]:
        if self.outcome(position) is not None:
            return []
        free = self._full_board & ~(position.dark | position.light)
        for cell in self._forbidden(position):
            free ^= 1 << cell
        return cells_of(free)

    def forbidden_moves(self, position: Position) -> list[Move]:
        forbidden = list(self._forbidden(position))
        return forbidden if forbidden and self.outcome(position) is None else []

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
            if self._foul(before, cell) is None and self.outcome(before) is None:
                yield before, cell

    def outcome(self, position: Position) -> Outcome | None:
        if self._dark_rows.any(position.dark):
            return Outcome.DARK_WINS
        if self._light_rows.any(position.light):
            return Outcome.LIGHT_WINS
        if position.dark | position.light == self._full_board:
            return Outcome.DRAW
        return None if self._can_play(position) else Outcome.LIGHT_WINS

    def cell_of(self, move: Move) -> Cell:
        return move

    def map_move(self, move: Move, symmetry: Symmetry) -> Move:
        return self.map_cell(move, symmetry)

    def map_line(self, line: Sequence[Move], symmetry: Symmetry) -> tuple[Move, ...]:
        return self.map_cells(line, symmetry)

    def parse_move(self, text: str, position: Position | None = None) -> Move:
        return self.parse_cell(text)

    def format_move(self, move: Move) -> str:
        return self.format_cell(move)

    def why_illegal(self, position: Position, move: Move) -> str | None:
        reason = super().why_illegal(position, move)
        foul = None if reason else self._foul(position, move)
        return reason if foul is None else f"{foul} is forbidden to dark"

    def searcher(self, options: SearchOptions = SearchOptions()) -> GomokuSearcher:
        from engine.games.gomoku.searcher import GomokuSearcher

        return GomokuSearcher(self, options)

    def evaluation(self) -> GomokuEvaluation:
        from engine.games.gomoku.features import GomokuEvaluation

        return GomokuEvaluation(self)

    @property
    def measured_as(self) -> str:
        return id_of(min(_MEASURED_SIZES, key=lambda size: abs(size - self.size)), self.rule)

    def prover(self, *, table: int = TABLE_MEBIBYTES, threads: int = 1) -> GomokuProver:
        from engine.games.gomoku.prover import GomokuProver

        return GomokuProver(self, table=table)

    def _foul(self, position: Position, move: Move) -> Foul | None:
        if not (self.forbids_moves and position.dark_to_move):
            return None
        return self._forbidden_points.foul(position.dark, position.light, move)

    def _forbidden(self, position: Position) -> Iterator[Cell]:
        if self.forbids_moves and position.dark_to_move:
            yield from self._forbidden_points.all(position.dark, position.light)

    def _can_play(self, position: Position) -> bool:
        """Whether some free cell is not forbidden; there must be a free one."""
        if not (self.forbids_moves and position.dark_to_move):
            return True
        free = self._full_board & ~(position.dark | position.light)
        return any(self._foul(position, cell) is None for cell in cells_of(free))

    @cached_property
    def _dark_rows(self) -> Rows:
        return Rows(self.size, self.size, 5, exact=self.rule is not Rule.FREESTYLE)

    @cached_property
    def _light_rows(self) -> Rows:
        return Rows(self.size, self.size, 5, exact=self.rule is Rule.STANDARD)

    @cached_property
    def _forbidden_points(self) -> ForbiddenPoints:
        return ForbiddenPoints(self.size)

    @cached_property
    def _full_board(self) -> int:
        return (1 << self.cell_count) - 1


def id_of(size: int, rule: Rule = Rule.FREESTYLE) -> str:
    """The id of the game on a board of `size`, by `rule`."""
    return f"gomoku-{size}{_SUFFIXES[rule]}"


def _find(game_id: str) -> Gomoku | None:
    match = re.fullmatch(r"gomoku-([1-9][0-9]?)(|-standard|-renju)", game_id)
    if match is None or not MIN_SIZE <= int(match[1]) <= MAX_SIZE:
        return None
    rule = next(rule for rule, suffix in _SUFFIXES.items() if suffix == match[2])
    return Gomoku(int(match[1]), rule)


FAMILIES = (
    Family(
        name="gomoku",
        title="Gomoku, also called gobang",
        ids=f"gomoku-N, gomoku-N-standard and gomoku-N-renju, N from {MIN_SIZE} to {MAX_SIZE}",
        options=(
            "gomoku-N is freestyle (five or more win), gomoku-N-standard asks for exactly five, "
            "gomoku-N-renju forbids dark overlines, double fours and double threes"
        ),
        examples=("gomoku-15", "gomoku-15-standard", "gomoku-15-renju", "gomoku-19"),
        find=_find,
        sgf=4,
        sized=lambda size: f"gomoku-{size}",
    ),
)
