"""The exact solver of Pentago-swap as a prover: a game solved from a position on."""

from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from engine.game import Game
from engine.games.quadrants.alphabeta import CELLS
from engine.games.quadrants.swap.exact import ENTRY_DTYPE
from engine.games.quadrants.swap.solver import ExactSolver, boards_of
from engine.games.quadrants.swap.supernode_wins import SupernodeWins
from engine.games.quadrants.swap.supernodes import canonical
from engine.kernels import u64
from engine.position import Move, Position
from engine.proof import TABLE_MEBIBYTES, Proof

_NODES = 1_000_000
# Between two looks at the world outside: a fraction of a second, or some with several threads,
# whose claims are longer.
_NODES_A_STEP, _SHARED_NODES_A_STEP = 300_000, 5_000_000
# For what the table does not tell of a move of a line.
_NODES_FOR_LINE = 300_000
# Claims with fewer plies left are settled within milliseconds.
_LEAST_KNOWN = 9


class PentagoSwapProver:
    """The exact solver as `engine.proof` asks for it.

    A win's distance is the shortest, give or take the last ply: a swap of the loser's may bring it.
    """

    by_plies = True

    def __init__(self, game: Game, *, table: int = TABLE_MEBIBYTES, threads: int = 1) -> None:
        self._game = game
        self._solver = ExactSolver(game, table=table, threads=threads)
        self._step = _NODES_A_STEP if threads == 1 else _SHARED_NODES_A_STEP
        self._learned = False

    def prove(self, position: Position, *, nodes: int = _NODES, loses: bool = False) -> Proof:
        """Whether the side to move can force a win; with `loses`, whether the other side can.

        Raises:
            ValueError: if the game is over.
        """
        *_, last = self.steps(position, nodes=nodes, loses=loses)
        return last

    def steps(
        self, position: Position, *, nodes: int, loses: bool = False, within: int | None = None
    ) -> Iterator[Proof]:
        """See `engine.proof.Prover`."""
        self._require_unfinished(position)
        if not self._learned:
            self._solver.forget()
        claims, board = self._solver.claims, boards_of(position)
        claims.limit()
        left = CELLS - position.ply
        horizon = 0
        for plies in _lengths(left, loses, within):
            while True:
                claims.allow(min(nodes, claims.nodes + self._step))
                holds = claims.settle(*board, not loses, plies, 1)
                if not claims.stopped or claims.nodes >= nodes:
                    break
                yield self._proof(None, horizon)
            if claims.stopped:
                yield self._proof(None, horizon)
                return
            if holds:
                spent = claims.nodes
                yield Proof(
                    True, self._line(position, loses, plies), plies, spent, claims.used, horizon
                )
                return
            horizon = plies
        yield self._proof(None if horizon < left else False, horizon)

    def kin(self, position: Position) -> Hashable:
        """The supernode: positions that differ by symmetry and by the places of quadrants."""
        mine, theirs = boards_of(position)
        return int(canonical(u64(mine), u64(theirs))[0])

    def follow(
        self, position: Position, *, within: int | None = None, nodes: int = _NODES
    ) -> Proof:
        """See `engine.proof.Prover`. Shorter wins are looked for within `nodes` each.

        Where the win is the shortest, the horizon is two plies less.
        """
        self._require_unfinished(position)
        board = boards_of(position)
        longest = min(within or CELLS, CELLS - position.ply)
        claims = self._solver.claims
        distance: int | None
        if within and claims.known(*board, True, within) & 1:
            distance, horizon, spent = self._shortened(board, within, nodes)
        else:
            distance, horizon, spent = self._shortest(board, longest)
        if distance is None:
            return Proof(False, (), None, spent, claims.used, horizon)
        move = self._solver.winning_move(position, distance)[:1]
        return Proof(True, move, distance, spent + claims.nodes, claims.used, horizon)

    def _shortest(self, board: tuple[int, int], longest: int) -> tuple[int | None, int, int]:
        """The plies of the shortest win within `longest`, if any; the horizon, and the nodes."""
        claims = self._solver.claims
        claims.limit()
        horizon = 0
        for plies in [*range(1, longest, 2), longest]:
            if claims.settle(*board, True, plies, 1):
                return plies, horizon, claims.nodes
            horizon = plies
        return None, horizon, claims.nodes

    def _shortened(self, board: tuple[int, int], won: int, nodes: int) -> tuple[int, int, int]:
        """The plies of the shortest win that is found, with `nodes` for each two plies less than
        `won`; the horizon, and the nodes."""
        claims = self._solver.claims
        spent, horizon = 0, 0
        for plies in range(won - 2, 0, -2):
            claims.limit(nodes)
            wins = claims.settle(*board, True, plies, 1)
            spent += claims.nodes
            if not wins:
                horizon = 0 if claims.stopped else plies
                break
            won = plies
        return won, horizon, spent

    def supernode_wins(self) -> SupernodeWins:
        """What is known of whole families of boards."""
        return SupernodeWins(self._solver.claims.sharing())

    def knowledge(self) -> bytes:
        """The part of the table that is about long claims."""
        return self._solver.claims.knowledge(_LEAST_KNOWN).tobytes()

    def learn(self, knowledge: bytes) -> None:
        """See `engine.proof.Prover`.

        Raises:
            ValueError: if it is no part of a table.
        """
        self._learned = True
        self._solver.claims.learn(np.frombuffer(knowledge, dtype=ENTRY_DTYPE).copy())

    def _line(self, position: Position, loses: bool, plies: int) -> tuple[Move, ...]:
        """The line of a win within `plies`, as far as it is found within few nodes a move.

        In a long line the loser's first moves are not compared.
        """
        line: tuple[Move, ...] = ()
        if not loses:
            line = self._solver.winning_move(position, plies)[:1]
            position = self._game.play_line(line, position)
            plies -= 1
        if self._game.outcome(position) is None:
            line += self._solver.line(position, plies, nodes=_NODES_FOR_LINE * plies)[0]
        return line

    def _require_unfinished(self, position: Position) -> None:
        if self._game.outcome(position) is not None:
            raise ValueError("the game is over")

    def _proof(self, won: bool | None, horizon: int) -> Proof:
        claims = self._solver.claims
        return Proof(won, (), None, claims.nodes, claims.used, horizon)


def _lengths(left: int, loses: bool, within: int | None) -> Sequence[int]:
    """In how many plies a win is looked for, one after the other, with `left` free cells.

    The winner plays the last ply; but a game that goes on to the full board may end by the loser.
    """
    if within is None or within >= left:
        return [*range(1 + loses, left, 2), left]
    return range(1 + loses, within + 1, 2)
