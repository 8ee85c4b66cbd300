"""The exact value of a position by trying everything, on the plain rules of `slow_rules`."""

from tests.oracles.slow_rules import Board, SlowGame, as_text

# A win in n plies is WIN - n, a loss -(WIN - n), a draw 0; for the side to move.
WIN = 30_000


class Solver:
    """Full minimax with a memory; for boards with few free cells."""

    def __init__(self, game: SlowGame) -> None:
        self._game = game
        self._known: dict[str, int] = {}

    def value(self, board: Board) -> int:
        text = as_text(board)
        if text not in self._known:
            self._known[text] = self._value(board)
        return self._known[text]

    def value_of_moves(self, board: Board, moves: list[str]) -> int:
        """The value when only `moves` may be played."""
        return max(one_ply_back(self.value(self._game.play(board, move))) for move in moves)

    def _value(self, board: Board) -> int:
        outcome = self._game.outcome(board)
        if outcome == "draw":
            return 0
        if outcome is not None:
            # In Gomoku only who moved last can have won.
            return -WIN
        return self.value_of_moves(board, self._game.legal_moves(board))


def one_ply_back(value: int) -> int:
    """A child's value as its parent sees it."""
    if value > 0:
        return -value + 1
    return -value - 1 if value < 0 else 0
