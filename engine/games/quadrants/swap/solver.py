"""Exact results of Pentago-swap: who wins, in how many plies, and by which moves."""

import time
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from engine.game import Game
from engine.games.quadrants.alphabeta import CELLS, TURNS, pack_board, unpack_move
from engine.games.quadrants.swap.claims import Claims
from engine.games.quadrants.swap.supernodes import AFTER_SWAP
from engine.position import Move, Position
from engine.proof import TABLE_MEBIBYTES

_FIRST_ARRANGEMENT = 1
# A claim takes at least this many times the nodes of the one with two plies less, or as many as
# that one took: towards a full board growth slackens. Of claims that hold half take less than five
# times as many, of those that fail half more than seven times.
_TIMES_MORE = 4
# Where neither side wins within this many plies it is mostly a draw. The whole rest, if it has at
# most this many plies, is then asked about at once: that takes half as long as ply by ply.
_STEPS, _MOST_REST = 16, 24


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


class _Limits:
    """Limits by nodes and time, that run from now on."""

    def __init__(self, nodes: int | None, deadline: int | None) -> None:
        self._nodes = nodes
        self._deadline = deadline
        self._started = time.monotonic_ns()

    def allow(self, spent: int, more: int) -> bool:
        """Whether after `spent` nodes they leave room for as many more at the same rate."""
        if self._nodes is not None and spent + more > self._nodes:
            return False
        if self._deadline is None:
            return True
        now = time.monotonic_ns()
        return more * (now - self._started) <= spent * (self._deadline - now)


class ExactSolver:
    """Solves positions within a horizon; for one caller at a time.

    Its `claims` have a table of `table` MiB and some `threads`; what limits by nodes leave open
    depends on what the table holds. After `forget`, with one thread, an answer depends on the
    question and the size of the table alone.

    Raises:
        InvalidOptions: if there is no memory for the table.
    """

    def __init__(self, game: Game, *, table: int = TABLE_MEBIBYTES, threads: int = 1) -> None:
        self._game = game
        self.claims = Claims(table=table, threads=threads)
        self._excluded: frozenset[Move] = frozenset()

    @property
    def used(self) -> float:
        """The share of the table in use."""
        return self.claims.used

    def forget(self) -> None:
        """Empty the table."""
        self.claims.forget()

    def solve(
        self,
        position: Position,
        *,
        horizon: int = CELLS,
        nodes: int | None = None,
        deadline: int | None = None,
        list_moves: bool = True,
        exclude: Collection[Move] = (),
        sparing: bool = False,
    ) -> Solution:
        """What is proven of `position` within `horizon` plies, if no move of `exclude` is played.

        `nodes` limits the search; `deadline` too, on the clock of `time.monotonic_ns`. With
        `sparing` it ends where a limit will probably come before the next result. Without
        `list_moves` a win has one best move, as far as it is known, and others none. There must
        be a move outside `exclude`.

        Raises:
            ValueError: if the game is over.
        """
        *_, last = self.steps(
            position,
            horizon=horizon,
            nodes=nodes,
            deadline=deadline,
            list_moves=list_moves,
            exclude=exclude,
            sparing=sparing,
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
        exclude: Collection[Move] = (),
        sparing: bool = False,
    ) -> Iterator[Solution]:
        """`solve`, yielding what is known after each ply of the horizon; the last is the answer.

        Raises:
            ValueError: if the game is over.
        """
        if self._game.outcome(position) is not None:
            raise ValueError("the game is over")
        self._prepare(nodes, deadline, exclude)
        left = CELLS - position.ply
        last = min(horizon, left)
        settled = 0
        taken = defaultdict[int, int](int)
        limits = _Limits(nodes, deadline)
        may_hold = [True, False]
        for plies, attacks, then_settled in _claims(last):
            least = _at_least(taken[plies - 2], taken[plies - 4])
            if attacks in may_hold and sparing and not limits.allow(self.nodes, least):
                break
            if settled == _STEPS and last <= _MOST_REST:
                may_hold = [each for each in may_hold if self._holds(position, each, last)]
                if self._stopped:
                    break
            if attacks not in may_hold:
                settled = then_settled
                continue
            before = self.nodes
            holds = self._holds(position, attacks, plies)
            if self._stopped:
                break
            taken[plies] = self.nodes - before
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
        moves, _ = self._settled(position, True, plies)
        return None if self._stopped else moves

    def winning_move(self, position: Position, plies: int) -> tuple[Move, ...]:
        """Some moves that win within `plies`, an odd number, where it is known that there are."""
        self._prepare(None, None)
        return self._settled(position, True, plies, all_of_them=False)[0]

    def line(
        self, position: Position, plies: int, *, nodes: int, deadline: int | None = None
    ) -> tuple[tuple[Move, ...], int]:
        """Best play for `plies`, as far as it is found within `nodes`; and the nodes it took."""
        line: list[Move] = []
        spent = 0
        while self._game.outcome(position) is None and spent < nodes:
            found = self.solve(position, horizon=plies, nodes=nodes - spent, deadline=deadline)
            spent += found.nodes
            if found.outcome is None or not found.moves:
                break
            line.append(found.moves[0])
            position = self._game.play(position, found.moves[0])
            plies = (found.distance or plies) - 1
        return tuple(line), spent

    @property
    def nodes(self) -> int:
        """The nodes of the last question."""
        return self.claims.nodes

    def _prepare(
        self, nodes: int | None, deadline: int | None, exclude: Collection[Move] = ()
    ) -> None:
        self._excluded = frozenset(exclude)
        self.claims.limit(nodes, deadline)

    @property
    def _stopped(self) -> bool:
        return self.claims.stopped

    def _holds(self, position: Position, attacks: bool, plies: int) -> bool:
        """Whether the side to move wins, or without `attacks` loses, within `plies`."""
        holds = bool(self.claims.settle(*boards_of(position), attacks, plies, _FIRST_ARRANGEMENT))
        if not self._excluded or self._stopped or holds != attacks:
            return holds
        # Some move wins, or does not lose: is it one that may be played?
        with_it, without = self._settled(position, attacks, plies)
        return bool(with_it) if attacks else not without

    def _decided(self, position: Position, attacks: bool, plies: int, list_moves: bool) -> Solution:
        """The solution where a claim holds within `plies`, and did not within two plies less."""
        sooner = self._holds(position, attacks, plies - 1)
        if self._stopped:
            return Solution(None, None, (), False, plies - 2, self.nodes)
        distance = plies - 1 if sooner else plies
        outcome: Literal["win", "loss"] = "win" if attacks else "loss"
        if attacks:
            moves, _ = self._settled(position, True, distance, all_of_them=list_moves)
            complete = list_moves and not self._stopped
        else:
            moves, complete = self._not_lost(position, distance - 1, list_moves)
        return Solution(outcome, distance, moves, complete, distance, self.nodes)

    def _settled(
        self, position: Position, attacks: bool, plies: int, *, all_of_them: bool = True
    ) -> tuple[tuple[Move, ...], tuple[Move, ...]]:
        """The moves that win, or without `attacks` lose, within `plies`; and those that do not.

        As far as the limits let it, both ascending. Unless `all_of_them` are asked for, there are
        none of the second, and one of the first at least, if there is one.
        """
        all_of_them = all_of_them or bool(self._excluded)
        settled = self.claims.settle_moves(
            *boards_of(position), attacks, plies, all_of_them=all_of_them
        )
        moves: dict[bool, list[Move]] = {True: [], False: []}
        for bit, mask in settled.items():
            for swap, after in enumerate(AFTER_SWAP):
                move = unpack_move(bit * TURNS + swap, len(AFTER_SWAP))
                if move not in self._excluded:
                    moves[bool(mask >> int(after) & 1)].append(move)
        return tuple(sorted(moves[True])), tuple(sorted(moves[False])) if all_of_them else ()

    def _not_lost(
        self, position: Position, plies: int, list_moves: bool
    ) -> tuple[tuple[Move, ...], bool]:
        """The moves that do not lose within `plies`, as far as the limits let it; whether these are
        all."""
        if not list_moves or self._stopped:
            return (), False
        _, moves = self._settled(position, False, plies)
        return moves, not self._stopped


def _at_least(last: int, one_before: int) -> int:
    """The nodes of a claim at least, by those of the ones with two and with four plies less."""
    return min(_TIMES_MORE * last, last * last // max(one_before, 1))


def _claims(horizon: int) -> Iterator[tuple[int, bool, int]]:
    """The claims to settle, by plies, with whether the side to move wins by them.

    And how far, once they have failed, neither side wins. A claimant's win mostly comes with its
    own stone; within the last ply it may also come with the other side's.
    """
    for plies in range(1, horizon + 1):
        yield plies, plies % 2 == 1, plies - 1
    if horizon:
        yield horizon, horizon % 2 == 0, horizon


def boards_of(position: Position) -> tuple[int, int]:
    """The stones of the side to move and of the other, as the kernels have them."""
    dark, light = pack_board(position.dark), pack_board(position.light)
    return (dark, light) if position.dark_to_move else (light, dark)
