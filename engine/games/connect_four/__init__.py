"""Connect Four on a board of any width and height: stones fall, four in a row win."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from engine.errors import InvalidMove
from engine.game import MIRRORED, Family, Outcome, Symmetry
from engine.lines import Rows
from engine.plain_game import PlainGame
from engine.position import Bitboard, Cell, Move, Position, board_of, cells_of
from engine.values import Value

LEAST, MOST = 4, 26
# What a row of four that only one side has stones in is worth, by how many these are.
_WORTH = (0, 4, 16, 64)


class ConnectFour(PlainGame):
    """A move is the cell on which the stone comes to lie. A full board without a four is a draw."""

    # What is up and what is down is not the same to falling stones.
    symmetries = (0, MIRRORED)

    def __init__(self, width: int, height: int) -> None:
        self.id = f"connect-four-{width}x{height}"
        self.title = f"Connect Four {width}×{height}"
        self.width, self.height = width, height
        self.move_count = width * height

    def legal_moves(self, position: Position) -> list[Move]:
        return cells_of(self._open_cells(position)) if self.outcome(position) is None else []

    def play(self, position: Position, move: Move) -> Position:
        if position.dark_to_move:
            return Position(position.dark | 1 << move, position.light)
        return Position(position.dark, position.light | 1 << move)

    def unplay(self, position: Position) -> Iterator[tuple[Position, Move]]:
        taken = position.dark | position.light
        for cell in cells_of(position.light if position.dark_to_move else position.dark):
            stone = 1 << cell
            before = Position(position.dark & ~stone, position.light & ~stone)
            if not taken >> cell + self.width & 1 and self.outcome(before) is None:
                yield before, cell

    def outcome(self, position: Position) -> Outcome | None:
        if self._fours.any(position.dark):
            return Outcome.DARK_WINS
        if self._fours.any(position.light):
            return Outcome.LIGHT_WINS
        return Outcome.DRAW if position.dark | position.light == self._full_board else None

    def why_illegal(self, position: Position, move: Move) -> str | None:
        reason = super().why_illegal(position, move)
        if reason is None and not self._open_cells(position) >> move & 1:
            return "a stone would fall further down"
        return reason

    def cell_of(self, move: Move) -> Cell:
        return move

    def map_move(self, move: Move, symmetry: Symmetry) -> Move:
        return self.map_cell(move, symmetry)

    def map_line(self, line: Sequence[Move], symmetry: Symmetry) -> tuple[Move, ...]:
        return self.map_cells(line, symmetry)

    def format_move(self, move: Move) -> str:
        return self.format_cell(move)

    def parse_move(self, text: str, position: Position | None = None) -> Move:
        """A column alone will do where it is known how high its stones are."""
        if position is None or not re.fullmatch("[a-zA-Z]", text):
            return self.parse_cell(text)
        column = self.parse_cell(f"{text}1")
        for cell in range(column, self.cell_count, self.width):
            if not (position.dark | position.light) >> cell & 1:
                return cell
        raise InvalidMove(f"'{text}' is no move: the column is full")

    def parse_line(self, text: str) -> list[Move]:
        position, line = self.initial, []
        for word in re.split(r"[\s,]+", text.strip()) if text.strip() else []:
            line.append(self.parse_move(word, position))
            position = self.play(position, line[-1])
        return line

    def estimate(self, position: Position) -> Value:
        value = 0
        for row in self._rows:
            dark, light = (position.dark & row).bit_count(), (position.light & row).bit_count()
            if not (dark and light):
                value += _WORTH[dark] - _WORTH[light]
        return value if position.dark_to_move else -value

    def _open_cells(self, position: Position) -> Bitboard:
        """The free cells with a stone or the bottom of the board below them."""
        taken = position.dark | position.light
        return (taken << self.width | (1 << self.width) - 1) & ~taken & self._full_board

    @cached_property
    def _full_board(self) -> Bitboard:
        return (1 << self.cell_count) - 1

    @cached_property
    def _fours(self) -> Rows:
        return Rows(self.width, self.height, 4)

    @cached_property
    def _rows(self) -> list[Bitboard]:
        """The cells of every row of four."""
        rows = []
        for cell in range(self.cell_count):
            row, column = divmod(cell, self.width)
            for up, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                if row + 3 * up < self.height and 0 <= column + 3 * right < self.width:
                    step = up * self.width + right
                    rows.append(board_of(cell + n * step for n in range(4)))
        return rows


def _find(game_id: str) -> ConnectFour | None:
    match = re.fullmatch(r"connect-four-([1-9][0-9]?)x([1-9][0-9]?)", game_id)
    sizes = [int(size) for size in match.groups()] if match else []
    return ConnectFour(*sizes) if sizes and min(sizes) >= LEAST and max(sizes) <= MOST else None


FAMILIES = (
    Family(
        name="connect-four",
        title="Connect Four",
        ids=f"connect-four-WxH, width and height from {LEAST} to {MOST}",
        options="stones fall to the lowest free cell of their column, four in a row win",
        examples=("connect-four-7x6", "connect-four-5x4"),
        find=_find,
    ),
)
