"""What the exact solver makes of one position of Pentago-swap: lines that are proven."""

import time
from collections.abc import Collection
from dataclasses import replace

from engine.game import Game
from engine.games.quadrants.swap.solver import ExactSolver, Solution
from engine.kernels import LONG_AGO
from engine.position import Move, Position
from engine.search import Limits, Method, SearchResult
from engine.values import WIN, Bound, Value

_NO_LIMIT = 1 << 62
# How much of a limit by nodes or time the exact solver may use, where it is likely to come to a
# result by then; the heuristic search has the rest. With nine tenths it settles a few positions
# more, and scores 27 % in play against one with a third.
_SHARE = 0.5
# A loser's replies are compared, and a line is followed, within as many nodes as the result took,
# and at least so many.
_LEAST_NODES = 2_000


class ProvenLines:
    """One position put to the exact solver, for its part of limits that run from now on.

    `started` is when, on the clock of `time.monotonic_ns`; `spent` are the nodes so far. `of_time`
    is the solver's share of a limit by time.

    Raises:
        ValueError: if the game is over.
    """

    def __init__(
        self,
        game: Game,
        solver: ExactSolver,
        position: Position,
        limits: Limits,
        *,
        of_time: float = _SHARE,
    ) -> None:
        self.started = time.monotonic_ns()
        require_unfinished(game, position)
        self.spent = 0
        self._told = 0, self.started
        self._game = game
        self._solver = solver
        self._position = position
        self._limits = limits
        self._allotment = limits.allotment(position.ply, game.cell_count)
        self._deadline = None
        if self._allotment is not None:
            self._deadline = self.started + int(self._allotment.soft * 1e9 * of_time)

    def lines(self, count: int, exclude: Collection[Move]) -> list[SearchResult]:
        """The `count` best moves outside `exclude`, best first, as far as they are settled.

        Of moves that lead to the same position, or to an image of it, there is one.
        """
        legal = set(self._game.legal_moves(self._position))
        left = legal - set(exclude)
        depth = self._limits.depth
        horizon = self._game.cell_count if depth is None else depth + 1
        share = int((self._limits.nodes or _NO_LIMIT) * _SHARE)
        self._solver.forget()
        ranked: list[tuple[Move, Solution]] = []
        while left and len(ranked) < count and self.spent < share:
            solution = self._solver.solve(
                self._position,
                horizon=horizon,
                nodes=share - self.spent,
                deadline=self._deadline,
                exclude=legal - left,
                sparing=True,
            )
            self.spent += solution.nodes
            if solution.outcome is None or not solution.moves:
                break
            ranked += [(move, solution) for move in self._moves_of(solution, count)]
            left -= set(solution.moves)
        return [self._result(move, solution) for move, solution in ranked[:count]]

    def end(self) -> None:
        """Have the solver, which another thread asks, end soon, as at its deadline."""
        self._deadline = LONG_AGO
        self._solver.claims.end()

    def limits_left(self) -> Limits | None:
        """What is left of the limits; None: nothing."""
        limits = self._limits
        if limits.nodes is not None:
            if self.spent >= limits.nodes:
                return None
            limits = replace(limits, nodes=limits.nodes - self.spent)
        if self._allotment is not None:
            left = self._allotment.hard - (time.monotonic_ns() - self.started) / 1e9
            if left <= 0:
                return None
            limits = replace(limits, movetime=left, clock=None)
        return limits

    def untold(self) -> tuple[int, float]:
        """The nodes and seconds that are in no result so far."""
        nodes, since = self._told
        self._told = self.spent, time.monotonic_ns()
        return self.spent - nodes, (self._told[1] - since) / 1e9

    def _moves_of(self, solution: Solution, count: int) -> list[Move]:
        """The first moves of `solution` that lead to different positions, `count` or more.

        In a lost position first those after which fewest replies win soonest, of those that are
        compared within the limits.
        """
        moves: dict[bytes, Move] = {}
        for move in solution.moves:
            child = self._game.play(self._position, move)
            moves.setdefault(self._game.canonical(child).key, move)
            if solution.outcome != "loss" and len(moves) == count:
                break
        if solution.outcome != "loss":
            return list(moves.values())
        wins = self._winning_replies(list(moves.values()), solution)
        return sorted(moves.values(), key=lambda move: wins.get(move, self._game.move_count))

    def _winning_replies(self, moves: list[Move], lost: Solution) -> dict[Move, int]:
        """How many replies win soonest after each of `moves`, as far as they are compared."""
        assert lost.distance is not None
        wins: dict[Move, int] = {}
        most = self._allowed(lost)
        for move in moves if lost.distance > 1 and len(moves) > 1 else ():
            if most <= 0:
                break
            child = self._game.play(self._position, move)
            replies = self._solver.winning_moves(
                child, lost.distance - 1, nodes=most, deadline=self._deadline
            )
            self.spent += self._solver.nodes
            most -= self._solver.nodes
            if replies is None:
                break
            wins[move] = len(replies)
        return wins

    def _result(self, move: Move, solution: Solution) -> SearchResult:
        line: tuple[Move, ...] = ()
        plies = solution.distance or self._game.cell_count - self._position.ply
        most = self._allowed(solution)
        if most > 0:
            child = self._game.play(self._position, move)
            line, nodes = self._solver.line(child, plies - 1, nodes=most, deadline=self._deadline)
            self.spent += nodes
        nodes, seconds = self.untold()
        return SearchResult(
            move=move,
            value=_value_of(solution),
            bound=Bound.EXACT,
            proven=True,
            depth=plies,
            nodes=nodes,
            seconds=seconds,
            line=(move, *line),
            method=Method.SOLVER,
        )

    def _allowed(self, solution: Solution) -> int:
        """The nodes for what is told of `solution` beyond its moves."""
        left = (self._limits.nodes or _NO_LIMIT) - self.spent
        return min(max(_LEAST_NODES, solution.nodes), left)


def require_unfinished(game: Game, position: Position) -> None:
    """Refuse to search a finished game.

    Raises:
        ValueError: if it is one.
    """
    if game.outcome(position) is not None:
        raise ValueError(f"nothing to search: this game of {game.id} is over")


def _value_of(solution: Solution) -> Value:
    """The value of a settled position."""
    if solution.distance is None:
        return 0
    return WIN - solution.distance if solution.outcome == "win" else solution.distance - WIN
