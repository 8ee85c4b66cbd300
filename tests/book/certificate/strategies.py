"""A strategy by plain search, for positions that are soon over."""

from collections.abc import Iterator, Sequence

import numpy as np

from book.certificate import kernels
from engine import games
from engine.position import Move, Position
from precompute.certificate import Win, to_board

GAME = games.get("pentago-swap")
SCRATCH = np.zeros(kernels.SCRATCH, dtype=np.int64)


def won(position: Position, plies: int) -> bool:
    """Whether White, to move, wins within so many plies."""
    board = to_board(position)
    return bool(kernels.won(board.white, board.black, 1, plies, 0, SCRATCH))


class Searched:
    """Finds the shortest win, and all moves with one stone that lead there."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self.asked = 0

    def wins(self, positions: Sequence[Position]) -> Iterator[Win | None]:
        for position in positions:
            self.asked += 1
            yield self._win(position)

    def _win(self, position: Position) -> Win | None:
        for distance in range(1, self._longest + 1, 2):
            if won(position, distance):
                return Win(distance, tuple(self._moves(position, distance)))
        return None

    def _moves(self, position: Position, distance: int) -> list[Move]:
        found: list[Move] = []
        for move in GAME.legal_moves(position):
            if found and GAME.cell_of(move) != GAME.cell_of(found[0]):
                break
            if self._is_win(GAME.play(position, move), distance):
                found.append(move)
        return found

    def _is_win(self, position: Position, distance: int) -> bool:
        if (outcome := GAME.outcome(position)) is not None:
            return outcome.value == "dark wins"
        if distance == 1:
            return False
        for reply in GAME.legal_moves(position):
            after = GAME.play(position, reply)
            outcome = GAME.outcome(after)
            if outcome is not None and outcome.value != "dark wins":
                return False
            if outcome is None and not won(after, distance - 2):
                return False
        return True
