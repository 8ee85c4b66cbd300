"""What the engine knows of a win in Gomoku, as the writer of certificates asks for it."""

from collections.abc import Callable

from book.certificates.gomoku.board import Board, Cell, Stones
from engine.games.gomoku import Gomoku
from engine.games.gomoku.strategy.finder import Kind, StrategyFinder
from engine.games.gomoku.threat_solver import ThreatResult, ThreatSolver
from engine.position import Position, Side, board_of, cells_of

# A longer win by threats becomes moves and entries, each with a shorter one left.
_NODES_FOR_LINE = 5_000


class StrategyAdviser:
    """Answers by the strategies in the store of `finder`, and by threats; see `Adviser`."""

    def __init__(self, game: Gomoku, finder: StrategyFinder, winner: Side) -> None:
        self._game = game
        self._finder = finder
        self._solver = ThreatSolver(game)
        self._winner = winner

    def move(self, board: Board) -> Cell | None:
        """The move that the store knows, or else the first of a win by threats."""
        position = self._unfinished(board)
        entry = None if position is None else self._finder.move(position)
        return None if entry is None else entry.move

    def threats(self, board: Board) -> Stones | None:
        """See `Adviser`; none where the store has a quiet move."""
        position = self._unfinished(board)
        if position is None or self._is_quiet(position):
            return None
        return self._line(self._solver.vct, position)

    def fours(self, board: Board) -> Stones | None:
        """See `Adviser`."""
        position = self._unfinished(board)
        return None if position is None else self._line(self._solver.vcf, position)

    def _is_quiet(self, position: Position) -> bool:
        entry = self._finder.entry(position) if position.to_move is self._winner else None
        return entry is not None and entry.kind is Kind.QUIET

    def _line(self, solve: Callable[..., ThreatResult], position: Position) -> Stones | None:
        again = position.to_move is not self._winner
        result = solve(position, nodes=_NODES_FOR_LINE, after_pass=again)
        return result.line if result.won else None

    def _unfinished(self, board: Board) -> Position | None:
        position = position_of(board, self._winner)
        return position if self._game.outcome(position) is None else None


def position_of(board: Board, winner: Side) -> Position:
    """A board of the winner and the opponent as a position of the engine's."""
    sides = board_of(board.winner), board_of(board.opponent)
    return Position(*(sides if winner is Side.DARK else sides[::-1]))


def board_from(position: Position, winner: Side) -> Board:
    """A position of the engine's as a board of the winner and the opponent."""
    dark, light = tuple(cells_of(position.dark)), tuple(cells_of(position.light))
    return Board(dark, light) if winner is Side.DARK else Board(light, dark)
