"""The rules of Connect Four on a board of any width and height."""

import re

from book.audit.rules import MIRROR, AuditBoard, AuditRules


class ConnectFourRules(AuditRules):
    """A move is the cell its stone falls to. Rows lie one bit more apart than there are columns, so
    that no line runs from one edge into the other."""

    def __init__(self, game_id: str, width: int, height: int) -> None:
        self._up = width + 1
        super().__init__(game_id, width, height, width * height, MIRROR)

    def _bit(self, row: int, column: int) -> int:
        return row * self._up + column

    def play(self, board: AuditBoard, move: int) -> AuditBoard | None:
        own, other = board.sides
        if not 0 <= move < len(self.cells) or (own | other) >> self.cells[move] & 1:
            return None
        if move >= self.width and not (own | other) >> self.cells[move - self.width] & 1:
            return None
        return board.with_sides(own | 1 << self.cells[move], other)

    def result(self, board: AuditBoard) -> int | None:
        own, other = (self._has_four(stones) for stones in board.sides)
        if own or other:
            return int(own) - int(other)
        return 0 if board.dark | board.light == self.full else None

    def name(self, move: int) -> str:
        return self._cell_name(move)

    def parse(self, text: str, board: AuditBoard) -> int:
        """A column alone is the move to its lowest free cell."""
        for row in range(self.height if len(text) == 1 else 0):
            move = super().parse(f"{text}{row + 1}", board)
            if self.play(board, move) is not None:
                return move
        return super().parse(text, board)

    def _has_four(self, stones: int) -> bool:
        for step in (1, self._up, self._up + 1, self._up - 1):
            pairs = stones & stones >> step
            if pairs & pairs >> 2 * step:
                return True
        return False


def find_rules(game_id: str) -> ConnectFourRules | None:
    """The rules of a game of this kind; None if the id is of no such game."""
    match = re.fullmatch(r"connect-four-(\d+)x(\d+)", game_id)
    return ConnectFourRules(game_id, int(match[1]), int(match[2])) if match else None
