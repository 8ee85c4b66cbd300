"""What the engine knows of a win in Gomoku, as the writer of certificates asks for it."""

from book.certificates.gomoku.board import Board, Cell, Stones
from engine.games.gomoku import Gomoku
from engine.games.gomoku.strategy.finder import Kind, StrategyFinder
from engine.games.gomoku.threat_solver import ThreatSolver
from engine.position import Position, Side, board_of, cells_of

# A longer win by threats becomes moves and entries, each with a shorter one left. A tenth of it
# makes more than twice as many entries, which take longer to write than the longer wins to find.
_NODES_FOR_LINE = 50_000


class StrategyAdviser:
    """Answers by the strategies in the store of `finder`, and by threats; see `Adviser`."""

    def __init__(self, game: Gomoku, finder: StrategyFinder, winner: Side) -> None:
        self._game = game
        self._finder = finder
        self._solver = ThreatSolver(game, remembers=True)
        self._winner = winner
        # The writer asks again for the first move of a win that it could not make a list of.
        self._lines: dict[tuple[Board, bool], Stones | None] = {}

    def move(self, board: Board) -> Cell | None:
        """The move that the store knows, or else the first of a win by threats."""
        position = self._unfinished(board)
        entry = None if position is None else self._finder.move(position)
        return None if entry is None else entry.move

    def threats(self, board: Board) -> Stones | None:
        """See `Adviser`; none where the store has a quiet move."""
        return self._known_line(board, False)

    def fours(self, board: Board) -> Stones | None:
        """See `Adviser`."""
        return self._known_line(board, True)

    def _known_line(self, board: Board, only_fours: bool) -> Stones | None:
        asked = board, only_fours
        if asked not in self._lines:
            self._lines[asked] = self._find_line(board, only_fours)
        return self._lines[asked]

    def _find_line(self, board: Board, only_fours: bool) -> Stones | None:
        position = self._unfinished(board)
        if position is None or (self._is_quiet(position) and not only_fours):
            return None
        solve = self._solver.vcf if only_fours else self._solver.vct
        again = position.to_move is not self._winner
        result = solve(position, nodes=_NODES_FOR_LINE, after_pass=again)
        return result.line if result.won else None

    def _is_quiet(self, position: Position) -> bool:
        entry = self._finder.entry(position) if position.to_move is self._winner else None
        return entry is not None and entry.kind is Kind.QUIET

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
