"""The Gomoku threat solver: forced wins by fours, and by fours and threes, with their lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.games.gomoku import board, threats, vct
from engine.games.gomoku.state import UNLIMITED, new_state, set_up
from engine.position import Move, Position

if TYPE_CHECKING:
    from engine.games.gomoku import Gomoku

_NODES = 1_000_000
_NODES_FOR_DEFENCE = 20_000


@dataclass(frozen=True, slots=True)
class ThreatResult:
    """The outcome of a search for a forced win of one kind.

    `won` is True where it was found, which proves that the attacker wins; False where there is
    no win of that kind, though there may be another; None where the nodes or the time did not
    suffice, or a win within 62 moves of the attacker (`threats.MAX_DEPTH`) was not found.
    `line` is the win down to the five, with a defence that lasts longest; `distance` is its
    length in plies, and no win of that kind is shorter. Without a win they are empty and None.

    In renju a four that dark is forbidden to parry wins, and a line may end where dark is
    forbidden every move. A threat is one that the attacker's own rows make; to make an old row
    dangerous by what a move forbids or allows to dark is another kind.
    """

    won: bool | None
    line: tuple[Move, ...]
    distance: int | None
    nodes: int


class ThreatSolver:
    """Finds forced wins of one Gomoku game. For one thread at a time.

    A result depends on the arguments alone, whatever was asked before. With `remembers`, what was
    once searched in vain is not searched again: that saves nodes where positions are asked about
    that lead to each other, and which wins are found within a limit depends on all questions.
    """

    def __init__(self, game: Gomoku, *, remembers: bool = False) -> None:
        self._game = game
        self._remembers = remembers
        self._state = new_state(game.rule)
        self._threats = np.zeros(1, dtype=threats.THREATS)[0]

    def vcf(
        self,
        position: Position,
        *,
        nodes: int = _NODES,
        after_pass: bool = False,
        deadline: int = 0,
    ) -> ThreatResult:
        """Look for a win of the side to move in which each of its moves makes a four.

        With `after_pass`, a win of the other side, were it to move. Ends at the `deadline`, on the
        clock of `time.monotonic_ns`, 0 for none.

        Raises:
            ValueError: if the game is over.
        """
        return self._solve(threats.vcf, position, nodes, after_pass, deadline)

    def vct(
        self,
        position: Position,
        *,
        nodes: int = _NODES,
        after_pass: bool = False,
        deadline: int = 0,
    ) -> ThreatResult:
        """Look for a win of the side to move by fours and by threats of an open or double four.

        `after_pass` and `deadline` are as for `vcf`.

        Raises:
            ValueError: if the game is over.
        """
        return self._solve(vct.vct, position, nodes, after_pass, deadline)

    def defences(
        self, position: Position, line: Sequence[Move], *, nodes: int = _NODES_FOR_DEFENCE
    ) -> frozenset[Move]:
        """The replies of the side to move that may break `line`, a win the other side threatens.

        After any other legal reply the other side still wins: a win by fours as `line` has it,
        another win by a threat that is no longer than `line`, found within `nodes` a reply. All
        moves that make a four are among the replies.

        Raises:
            ValueError: if the game is over.
        """
        self._set_up(position)
        state, size = self._state, self._game.size
        padded = np.array([board.padded(move, size) for move in line], dtype=np.int64)
        found = np.empty(board.MAX_CELLS, dtype=np.int64)
        count = vct.list_defences(state, self._threats, padded, found, nodes)
        return frozenset(board.unpadded(int(at), size) for at in found[:count])

    def end(self) -> None:
        """Have the search that another thread is in end, as if its nodes did not suffice."""
        self._state["stop"] = 1

    def _solve(
        self,
        kernel: Callable[[Any, Any, int, int], int],
        position: Position,
        nodes: int,
        after_pass: bool,
        deadline: int,
    ) -> ThreatResult:
        self._set_up(position)
        if deadline:
            self._state["deadline"], self._state["next_check"] = deadline, 0
        if after_pass:
            self._state["colour"] = 1 - self._state["colour"]
        distance = kernel(self._state, self._threats, threats.MAX_DEPTH, nodes)
        used = int(self._state["nodes"])
        if distance <= 0:
            return ThreatResult(None if distance == threats.CUT else False, (), None, used)
        line = self._threats["line"][:distance]
        moves = tuple(board.unpadded(int(at), self._game.size) for at in line)
        return ThreatResult(True, moves, distance, used)

    def _set_up(self, position: Position) -> None:
        if self._game.outcome(position) is not None:
            raise ValueError("the game is over")
        set_up(self._state, self._game.size, position)
        for limit in ("node_limit", "next_check"):
            self._state[limit] = UNLIMITED
        for limit in ("deadline", "nodes", "stop"):
            self._state[limit] = 0
        if not self._remembers:
            self._threats["failures"][:] = 0
