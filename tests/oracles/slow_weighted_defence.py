"""The agent of weighted defence as its report tells it, with strings and dicts.

A board is a dict from (row, column) to ``x`` (dark) or ``o`` (light). Values are for `own`, the
colour whose agent thinks.
"""

import re

from tests.oracles.slow_consecutive_rows import OTHER, Board, Cell, lines_of

WON = 10**12
INFINITY = 10 * WON


def worth(length: int, open_ends: int) -> int:
    """What one row is worth before it is known whose it is."""
    if length >= 5 or (length == 4 and open_ends == 2):
        return 10**5
    if open_ends == 0:
        return 0
    return 10**length if open_ends == 2 else 10 ** (length - 1)


def evaluation(size: int, board: Board, own: str) -> int:
    """Ten times the worth of one's own rows less eleven times that of the opponent's."""
    total = 0
    for line in lines_of(size):
        text = "|" + "".join(board.get(cell, ".") for cell in line) + "|"
        for row in re.finditer("x+|o+", text):
            open_ends = (text[row.start() - 1] + text[row.end()]).count(".")
            weight = 10 if row[0][0] == own else -11
            total += weight * worth(len(row[0]), open_ends)
    return total


def has_five(size: int, board: Board, cell: Cell) -> bool:
    """Whether a line through `cell`, on which the last stone was put, holds a five."""
    return any(
        re.search("x{5}|o{5}", "".join(board.get(other, ".") for other in line))
        for line in lines_of(size)
        if cell in line
    )


class SlowWeightedDefence:
    """One search; `nodes` are the stones put on the board."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.nodes = 0

    def search(self, board: Board, turn: str, depth: int) -> tuple[int, Cell]:
        """The value for `turn`, who is to move, and the best move."""
        return self._best(board, turn, turn, depth, -INFINITY, INFINITY)

    def minimax(self, board: Board, own: str, turn: str, depth: int) -> int:
        """The value when no branch is left out."""
        if depth == 0:
            return evaluation(self.size, board, own)
        values = []
        for cell in [(r, c) for r in range(self.size) for c in range(self.size)]:
            if cell not in board:
                after = {**board, cell: turn}
                if has_five(self.size, after, cell):
                    values.append(WON if turn == own else -WON)
                else:
                    values.append(self.minimax(after, own, OTHER[turn], depth - 1))
        return max(values) if turn == own else min(values)

    def _best(
        self, board: Board, own: str, turn: str, depth: int, low: int, high: int
    ) -> tuple[int, Cell]:
        best = (-1, -1)
        for cell in [(r, c) for r in range(self.size) for c in range(self.size)]:
            if cell in board:
                continue
            self.nodes += 1
            after = {**board, cell: turn}
            if has_five(self.size, after, cell):
                value = WON if turn == own else -WON
            elif depth == 1:
                value = evaluation(self.size, after, own)
            else:
                value, _ = self._best(after, own, OTHER[turn], depth - 1, low, high)
            if turn == own and value > low:
                low, best = value, cell
            if turn != own and value < high:
                high, best = value, cell
            if low >= high:
                break
        return (low if turn == own else high), best
