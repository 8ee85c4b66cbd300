"""Exact results of Pentago-swap: who wins, in how many plies, and by which moves."""

# The kernels carry numba's types, not Python's.
# mypy: allow-untyped-calls

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from engine.games.base import Game
from engine.games.pentago_swap import exact as kernels
from engine.games.pentago_swap.alphabeta import CELLS, TURNS, pack_board, unpack_move
from engine.games.pentago_swap.supernodes import AFTER_SWAP, fives, potential, spread
from engine.kernels import u64
from engine.position import Move, Position
from engine.proof import TABLE_MEBIBYTES, Proof
from engine.tables import new_table

_NO_LIMIT = 1 << 62
_FIRST_ARRANGEMENT = u64(1)
_NODES = 1_000_000
# Between two looks at the world outside: a fraction of a second.
_NODES_A_STEP = 300_000
# For what the table does not tell of a move of a line.
_NODES_FOR_LINE = 300_000


@dataclass(frozen=True, slots=True)
class Solution:
    """What is proven of a position, for the side to move.

    `outcome` is None while it is open; then `horizon` tells that neither side wins within so
    many plies. A win or loss comes in exactly `distance` plies. `moves`, ascending, all do
    equally well: they win soonest, lose latest, keep the draw or, while it is open, do not lose
    within the horizon. `complete` says that they are all there are; where a limit came first
    they are only some, or none.
    """

    outcome: Literal["win", "loss", "draw"] | None
    distance: int | None
    moves: tuple[Move, ...]
    complete: bool
    horizon: int
    nodes: int


class ExactSolver:
    """Solves positions within a horizon; for one thread at a time.

    `table` is the size of its table in MiB. What the table holds is true whatever wrote it, and
    stays for later questions: answers do not depend on it, but the nodes they take do, and with
    them what a limit by nodes leaves open. After `forget`, an answer depends on the question
    and the size of the table alone.

    Raises:
        InvalidOptions: if there is no memory for the table.
    """

    def __init__(self, game: Game, *, table: int = TABLE_MEBIBYTES) -> None:
        self._game = game
        self._state = np.zeros(1, dtype=kernels.STATE_DTYPE)[0]
        self._table = new_table(table, kernels.ENTRY_DTYPE)

    @property
    def used(self) -> float:
        """The share of the table in use."""
        return int(self._state["used"]) / len(self._table)

    def forget(self) -> None:
        """Empty the table."""
        if self._state["used"]:
            self._table.view(np.uint8).fill(0)
            self._state["used"] = 0

    def solve(
        self,
        position: Position,
        *,
        horizon: int = CELLS,
        nodes: int | None = None,
        deadline: int | None = None,
        list_moves: bool = True,
    ) -> Solution:
        """What is proven of `position` within `horizon` plies.

        `nodes` limits the search; `deadline` too, on the clock of `time.monotonic_ns`. Without
        `list_moves` a win has one best move, as far as it is known, and others none.

        Raises:
            ValueError: if the game is over.
        """
        *_, last = self.steps(
            position, horizon=horizon, nodes=nodes, deadline=deadline, list_moves=list_moves
        )
        return last

    def steps(
        self,
        position: Position,
        *,
        horizon: int = CELLS,
        nodes: int | None = None,
        deadline: int | None = None,
        list_moves: bool = True,
    ) -> Iterator[Solution]:
        """`solve`, yielding what is known after each ply of the horizon; the last is the answer.

        Raises:
            ValueError: if the game is over.
        """
        if self._game.outcome(position) is not None:
            raise ValueError("the game is over")
        self._prepare(nodes, deadline)
        left = CELLS - position.ply
        last = min(horizon, left)
        settled = 0
        for plies, attacks, then_settled in _claims(last):
            holds = self._holds(position, attacks, plies)
            if self._stopped:
                break
            if holds:
                yield self._decided(position, attacks, plies, list_moves)
                return
            settled = then_settled
            yield Solution(None, None, (), False, settled, self.nodes)
        outcome: Literal["draw"] | None = "draw" if settled == left else None
        moves, complete = self._not_lost(position, settled, list_moves)
        yield Solution(outcome, None, moves, complete, settled, self.nodes)

    def winning_moves(
        self,
        position: Position,
        plies: int,
        *,
        nodes: int | None = None,
        deadline: int | None = None,
    ) -> tuple[Move, ...] | None:
        """All moves that win within `plies`, an odd number, ascending; None if a limit came first.

        Raises:
            ValueError: if the game is over.
        """
        if self._game.outcome(position) is not None:
            raise ValueError("the game is over")
        self._prepare(nodes, deadline)
        moves, complete = self._that_hold(position, True, plies)
        return moves if complete else None

    def family_wins(
        self, mine: int, theirs: int, wanted: int, plies: int, *, nodes: int | None = None
    ) -> int | None:
        """The arrangements of `wanted` in which the side to move wins within `plies`.

        A family is what four slots hold of `mine`, the side to move's, and of `theirs`, and
        `wanted` a mask of its arrangements, none of them over: see `supernodes`. None if a limit
        came first.
        """
        self._prepare(nodes, None)
        wins = self._family_claim(mine, theirs, True, plies, wanted)
        return None if self._stopped else wins

    def family_moves(
        self, mine: int, theirs: int, wanted: int, plies: int
    ) -> tuple[tuple[int, int], ...]:
        """Few placements by which the side to move wins all of `wanted` within `plies`.

        Pairs of a cell, ``9 * slot + cell of the slot``, and all arrangements after the swap that
        are won by it, and that a swap leads to from boards no other pair wins. The best one known
        comes first. They win less than `wanted` where that is not won. See `family_wins`.
        """
        self._prepare(None, None)
        moves: list[tuple[int, int]] = []
        left = wanted
        for cell in self._by_promise(mine, theirs, plies):
            won = self._won_by(mine, theirs, cell, left, plies)
            gained = int(spread(u64(won))) & left
            if gained:
                moves.append((cell, won))
                left ^= gained
            if not left:
                break
        return tuple(moves)

    def _by_promise(self, mine: int, theirs: int, plies: int) -> list[int]:
        """The free cells of a family: the one known to be best, then by how near fives are."""
        best = int(kernels.known_best(self._table, u64(mine), u64(theirs), True, plies))
        free = [cell for cell in range(CELLS) if not (mine | theirs) >> cell & 1]

        def promise(cell: int) -> tuple[bool, int]:
            return cell == best, int(potential(u64(mine | 1 << cell), u64(theirs)))

        return sorted(free, key=promise, reverse=True)

    def _won_by(self, mine: int, theirs: int, cell: int, wanted: int, plies: int) -> int:
        """The arrangements, one swap from `wanted`, that a placement wins within `plies`."""
        mine |= 1 << cell
        own_fives = int(fives(u64(mine), u64(theirs))[0])
        after = int(spread(u64(wanted))) & ~int(fives(u64(theirs), u64(mine))[0])
        wins = after & own_fives
        if after & ~own_fives:
            wins |= self._family_claim(theirs, mine, False, plies - 1, after & ~own_fives)
        return wins

    def _family_claim(self, mine: int, theirs: int, attacks: bool, plies: int, wanted: int) -> int:
        return int(
            kernels.settle(
                self._state, self._table, u64(mine), u64(theirs), attacks, plies, u64(wanted)
            )
        )

    def copy(self) -> Self:
        """Another solver, for another thread, that knows what this one knows."""
        other = copy(self)
        other._state = self._state.copy()
        other._table = self._table.copy()
        return other

    def prove(self, position: Position, *, nodes: int = _NODES, loses: bool = False) -> Proof:
        """Whether the side to move can force a win; with `loses`, whether the other side can.

        Raises:
            ValueError: if the game is over.
        """
        *_, last = self.proof_steps(position, nodes=nodes, loses=loses)
        return last

    def proof_steps(
        self, position: Position, *, nodes: int, loses: bool = False
    ) -> Iterator[Proof]:
        """`prove`, step by step: yields what is known until the claim is settled.

        Raises:
            ValueError: if the game is over.
        """
        if self._game.outcome(position) is not None:
            raise ValueError("the game is over")
        self.forget()
        self._prepare(None, None)
        left = CELLS - position.ply
        for plies in [*range(1 + loses, left, 2), left]:
            while True:
                spent = self.nodes
                self._allow(min(nodes, spent + _NODES_A_STEP))
                holds = self._holds(position, not loses, plies)
                if not self._stopped or self.nodes >= nodes:
                    break
                yield self._proof(None, (), None, self.nodes)
            if self._stopped:
                yield self._proof(None, (), None, self.nodes)
                return
            if holds:
                spent = self.nodes
                self._allow(_NO_LIMIT)
                line = self._line(position, plies)
                yield self._proof(True, line, plies, spent)
                return
        yield self._proof(False, (), None, self.nodes)

    def _proof(
        self, won: bool | None, line: tuple[Move, ...], distance: int | None, nodes: int
    ) -> Proof:
        return Proof(won, line, distance, nodes, self.used)

    def _line(self, position: Position, plies: int) -> tuple[Move, ...]:
        """Best play, as far as it is found within few nodes a move."""
        line: list[Move] = []
        while self._game.outcome(position) is None:
            found = self.solve(position, horizon=plies, nodes=_NODES_FOR_LINE)
            if found.distance is None or not found.moves:
                break
            line.append(found.moves[0])
            position = self._game.play(position, found.moves[0])
            plies = found.distance - 1
        return tuple(line)

    @property
    def nodes(self) -> int:
        """The nodes of the last question."""
        return int(self._state["nodes"])

    def _prepare(self, nodes: int | None, deadline: int | None) -> None:
        self._state["nodes"] = 0
        self._state["deadline"] = deadline or 0
        self._state["history"] = 0
        self._allow(nodes or _NO_LIMIT)

    def _allow(self, nodes: int) -> None:
        """Let the search go on until it has so many nodes in all."""
        state = self._state
        state["stopped"] = 0
        state["node_limit"] = nodes
        state["next_check"] = min(int(state["nodes"]) + kernels.NODES_BETWEEN_CHECKS, nodes)

    @property
    def _stopped(self) -> bool:
        return bool(self._state["stopped"])

    def _holds(self, position: Position, attacks: bool, plies: int) -> bool:
        """Whether the side to move wins, or without `attacks` loses, within `plies`."""
        mine, theirs = _boards(position)
        return bool(
            kernels.settle(
                self._state, self._table, mine, theirs, attacks, plies, _FIRST_ARRANGEMENT
            )
        )

    def _decided(self, position: Position, attacks: bool, plies: int, list_moves: bool) -> Solution:
        """The solution where a claim holds within `plies`, and did not within two plies less."""
        sooner = self._holds(position, attacks, plies - 1)
        if self._stopped:
            return Solution(None, None, (), False, plies - 2, self.nodes)
        distance = plies - 1 if sooner else plies
        outcome: Literal["win", "loss"] = "win" if attacks else "loss"
        if attacks:
            moves, complete = self._that_hold(position, True, distance, all_of_them=list_moves)
        else:
            moves, complete = self._not_lost(position, distance - 1, list_moves)
        return Solution(outcome, distance, moves, complete, distance, self.nodes)

    def _that_hold(
        self, position: Position, attacks: bool, plies: int, *, all_of_them: bool = True
    ) -> tuple[tuple[Move, ...], bool]:
        """The moves that win, or without `attacks` lose, within `plies`; whether they are all."""
        kernels.settle_moves(
            self._state, self._table, *_boards(position), attacks, plies, all_of_them
        )
        proved = self._state["proved"]
        moves = sorted(
            unpack_move(bit * TURNS + swap, len(AFTER_SWAP))
            for bit in range(CELLS)
            for swap, after in enumerate(AFTER_SWAP)
            if int(proved[bit]) >> int(after) & 1
        )
        return tuple(moves), all_of_them and not self._stopped

    def _not_lost(
        self, position: Position, plies: int, list_moves: bool
    ) -> tuple[tuple[Move, ...], bool]:
        """The moves that do not lose within `plies`; none if a limit came."""
        if not list_moves or self._stopped:
            return (), False
        lost, complete = self._that_hold(position, False, plies)
        if not complete:
            return (), False
        return tuple(sorted(set(self._game.legal_moves(position)) - set(lost))), True


class ExactProver:
    """The exact solver as `engine.proof` asks for it."""

    def __init__(self, game: Game, *, table: int = TABLE_MEBIBYTES) -> None:
        self._solver = ExactSolver(game, table=table)

    def steps(self, position: Position, *, nodes: int, loses: bool = False) -> Iterator[Proof]:
        """See `engine.proof.Prover`. The distance is the shortest, give or take the last ply."""
        return self._solver.proof_steps(position, nodes=nodes, loses=loses)


def _claims(horizon: int) -> Iterator[tuple[int, bool, int]]:
    """The claims to settle, by plies, with whether the side to move wins by them.

    And how far, once they have failed, neither side wins. A claimant's win mostly comes with its
    own stone; within the last ply it may also come with the other side's.
    """
    for plies in range(1, horizon + 1):
        yield plies, plies % 2 == 1, plies - 1
    if horizon:
        yield horizon, horizon % 2 == 0, horizon


def _boards(position: Position) -> tuple[np.uint64, np.uint64]:
    dark, light = u64(pack_board(position.dark)), u64(pack_board(position.light))
    return (dark, light) if position.dark_to_move else (light, dark)
