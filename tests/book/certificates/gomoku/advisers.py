"""Advisers for the writer of certificates, who ask the engine."""

from collections.abc import Mapping

from book.certificates.gomoku.board import Board, Cell, Rules, Stones
from engine import registry
from engine.games.gomoku import Gomoku
from engine.games.gomoku.threat_solver import ThreatResult, ThreatSolver
from engine.position import Position, board_of, cells_of


class EngineAdviser:
    """Wins by threats from the engine's solver; quiet moves from a plain search of a few plies.

    A quiet move is one after which threats would win if the opponent passed, and after which every
    reply that may break that is answered, by threats or by another quiet move. `quiet` are such
    moves that are known, by canonical boards.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        winner_is_dark: bool = True,
        nodes: int = 20_000,
        quiet: Mapping[Board, Cell] | None = None,
        plies: int = 2,
        width: int = 6,
    ) -> None:
        game = registry.get(rules.game)
        assert isinstance(game, Gomoku)
        self._rules = rules
        self._game = game
        self._solver = ThreatSolver(game)
        self._winner_is_dark = winner_is_dark
        self._nodes = nodes
        self._quiet = dict(quiet or {})
        self._plies = plies
        self._width = width

    @property
    def quiet(self) -> dict[Board, Cell]:
        """The quiet moves given and found, by canonical boards."""
        return dict(self._quiet)

    def threats(self, board: Board) -> Stones | None:
        if board in self._quiet:
            return None
        return _line(self._solved(board, fours=False))

    def fours(self, board: Board) -> Stones | None:
        return _line(self._solved(board, fours=True))

    def move(self, board: Board) -> Cell | None:
        if board not in self._quiet and not self._is_won(board, self._plies):
            return None
        return self._quiet.get(board)

    def _is_won(self, board: Board, plies: int) -> bool:
        """Whether a canonical board, the winner to move, is won with so many quiet moves."""
        if board in self._quiet or self._solved(board, fours=False).won:
            return True
        if plies == 0:
            return False
        ranked = sorted(self._candidates(board))
        return any(
            self._answers_all(board, move, breaking, plies - 1)
            for _, move, breaking in ranked[: self._width]
        )

    def _candidates(self, board: Board) -> list[tuple[int, Cell, list[Cell]]]:
        """Quiet moves, each with the replies that threats do not answer and how many they are."""
        found = []
        near = [divmod(cell, self._rules.size) for cell in (*board.winner, *board.opponent)]
        for move in self._rules.free(board):
            row, column = divmod(move, self._rules.size)
            if all(max(abs(row - r), abs(column - c)) > 2 for r, c in near):
                continue
            after = board.with_winner(move)
            position = self._position(after)
            if self._game.outcome(position) is not None:
                continue
            passed = self._solver.vct(position, nodes=self._nodes // 4, after_pass=True)
            if passed.won:
                replies = self._solver.defences(position, passed.line, nodes=self._nodes // 4)
                open_ = [reply for reply in sorted(replies) if not self._is_answered(after, reply)]
                found.append((len(open_), move, open_))
        return found

    def _answers_all(self, board: Board, move: Cell, replies: list[Cell], plies: int) -> bool:
        after = board.with_winner(move)
        canonical = (self._rules.canonical(after.with_opponent(reply))[0] for reply in replies)
        if not all(self._is_won(reached, plies) for reached in canonical):
            return False
        self._quiet[board] = move
        return True

    def _is_answered(self, after: Board, reply: Cell) -> bool:
        reached = after.with_opponent(reply)
        if self._game.outcome(self._position(reached)) is not None:
            return False
        return bool(self._solved(reached, fours=False).won)

    def _solved(self, board: Board, *, fours: bool) -> ThreatResult:
        position = self._position(board)
        if self._game.outcome(position) is not None:
            return ThreatResult(False, (), None, 0)
        again = position.dark_to_move != self._winner_is_dark
        search = self._solver.vcf if fours else self._solver.vct
        return search(position, nodes=self._nodes, after_pass=again)

    def _position(self, board: Board) -> Position:
        sides = board_of(board.winner), board_of(board.opponent)
        return Position(*sides if self._winner_is_dark else sides[::-1])


def board_from(position: Position, *, winner_is_dark: bool = True) -> Board:
    """The position as a board of the winner and the opponent."""
    dark, light = tuple(cells_of(position.dark)), tuple(cells_of(position.light))
    return Board(dark, light) if winner_is_dark else Board(light, dark)


def _line(result: ThreatResult) -> Stones | None:
    return result.line if result.won else None
