"""The Gomoku prover: who wins by force, quiet moves included, with the proof's line."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from engine.games.gomoku import board, dfpn, threats, vct
from engine.games.gomoku.state import UNLIMITED, new_state, set_up
from engine.position import Move, Position
from engine.proof import TABLE_MEBIBYTES, Proof

if TYPE_CHECKING:
    from engine.games.gomoku import Gomoku

_NODES = 1_000_000
# Between two looks at the world outside: a fraction of a second.
_NODES_A_STEP = 100_000
# For what the table does not tell of a line: the search finds wins by threats within fewer nodes,
# but with other failures in mind.
_NODES_FOR_LINE = 500_000
_NODES_FOR_ENDING = 2_000
_LISTS_SHARE = 4
_MEBIBYTE = 1 << 20


class GomokuProver:
    """Proves who wins in positions of one Gomoku game. For one thread at a time.

    `table` is the size of its table in MiB. A result depends on the arguments alone, whatever
    was asked before; only `follow` goes by the proof before.
    """

    by_plies = False

    def __init__(self, game: Gomoku, *, table: int = TABLE_MEBIBYTES) -> None:
        self._game = game
        self._state = new_state(game.rule)
        self._threats = np.zeros(1, dtype=threats.THREATS)[0]
        self._prover = np.zeros(1, dtype=dfpn.PROVER)[0]
        size = table * _MEBIBYTE
        self._list_count = size // _LISTS_SHARE // dfpn.CACHED_LIST.itemsize
        clusters = (size - size // _LISTS_SHARE) // (dfpn.WAYS * dfpn.ENTRY.itemsize)
        self._entries = clusters * dfpn.WAYS
        self._learned = False
        self._forget()

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
        """`prove`, step by step: yields what is known until the claim is settled.

        Raises:
            ValueError: if the game is over, or if `within` is given.
        """
        if within is not None:
            raise ValueError("a proof-number search does not go by plies")
        if self._game.outcome(position) is not None:
            raise ValueError("the game is over")
        if not self._learned:
            self._forget()
        self._prover["attacker"] = (position.ply + loses) % 2
        spent = 0
        while True:
            self._search(position, nodes, spent, spent + _NODES_A_STEP)
            spent = int(self._state["nodes"])
            won = self._answer()
            if won is not None or self._state["stop"]:
                break
            yield self._proof(None, (), None)
        distance = int(self._prover["distance"]) if won else None
        line = self._line(position, distance) if distance else ()
        self._state["nodes"] = spent
        yield self._proof(won, line, distance)

    def kin(self, position: Position) -> Hashable:
        """Equal for images of one another."""
        return self._game.canonical(position).key

    def follow(
        self, position: Position, *, within: int | None = None, nodes: int = _NODES
    ) -> Proof:
        """The next move of the side that was to win last, in a position on the way, where it is
        to move; by what is known, and by a win of at most `within` plies if there may be one.

        Raises:
            ValueError: if the game is over.
        """
        if self._game.outcome(position) is not None:
            raise ValueError("the game is over")
        self._search(position, nodes, 0, UNLIMITED)
        won, move, distance = self._answer(), self._best_move(), int(self._prover["distance"])
        if within is not None and not (won and distance <= within):
            # It may have been promised by a win by threats, whose positions are not in the table.
            ending = self._ending(position, within, _NODES_FOR_LINE)
            if ending:
                won, move, distance = True, ending[0], len(ending)
        return self._proof(won, (move,), distance) if won else self._proof(won, (), None)

    def knowledge(self) -> bytes:
        """Nothing: a proof of Gomoku is all in its table."""
        return b""

    def learn(self, knowledge: bytes) -> None:
        """See `engine.proof.Prover`.

        Raises:
            ValueError: if there is any knowledge.
        """
        if knowledge:
            raise ValueError("a proof of Gomoku cannot be taken up again")
        self._learned = True

    def _forget(self) -> None:
        # New tables take memory only as they fill.
        self._table = np.zeros(self._entries, dtype=dfpn.ENTRY)
        self._lists = np.zeros(self._list_count, dtype=dfpn.CACHED_LIST)
        self._threats["failures"][:] = 0
        self._prover["used"] = 0

    def _search(self, position: Position, nodes: int, spent: int, pause_at: int) -> None:
        """Go on with the search of `position`, with `spent` of `nodes`, until `pause_at`."""
        state = self._state
        set_up(state, self._game.size, position)
        for limit in ("deadline", "stop", "next_check"):
            state[limit] = 0
        state["node_limit"], state["nodes"] = nodes, spent
        self._prover["pause_at"] = pause_at
        dfpn.prove(state, self._threats, self._prover, self._table, self._lists)

    def _answer(self) -> bool | None:
        if self._prover["proof"] == 0:
            return True
        return False if self._prover["disproof"] == 0 else None

    def _best_move(self) -> Move:
        return board.unpadded(int(self._prover["move"]), self._game.size)

    def _proof(self, won: bool | None, line: tuple[Move, ...], distance: int | None) -> Proof:
        share = int(self._prover["used"]) / len(self._table)
        return Proof(won, line, distance, int(self._state["nodes"]), share)

    def _line(self, position: Position, distance: int) -> tuple[Move, ...]:
        """The line of the win within `distance` that was proven, as far as it is found."""
        line: list[Move] = []
        while self._game.outcome(position) is None:
            if position.ply % 2 == self._prover["attacker"]:
                ending = self._ending(position, distance, _NODES_FOR_ENDING)
                if not ending and not self._leads_on(position):
                    ending = self._ending(position, distance, _NODES_FOR_LINE)
                if ending:
                    return (*line, *ending)
            self._search(position, _NODES_FOR_LINE, 0, UNLIMITED)
            # Where the rule forbids the reply that lasts longest, there is no move.
            known = self._answer() and self._prover["move"] >= 0
            if not known or self._prover["distance"] > distance:
                break
            move, distance = self._best_move(), int(self._prover["distance"]) - 1
            line.append(move)
            position = self._game.play(position, move)
        return tuple(line)

    def _leads_on(self, position: Position) -> bool:
        """Whether the table has the win of the side to move, and what it leads to."""
        # Without nodes there is only the table.
        self._search(position, 0, 0, UNLIMITED)
        if not self._answer():
            return False
        self._search(self._game.play(position, self._best_move()), 0, 0, UNLIMITED)
        return self._answer() is True

    def _ending(self, position: Position, distance: int, nodes: int) -> tuple[Move, ...]:
        """The line of a win by threats within `distance`, if there is one."""
        set_up(self._state, self._game.size, position)
        self._state["node_limit"] = self._state["next_check"] = UNLIMITED
        self._state["nodes"] = self._state["stop"] = 0
        for solve in (threats.vcf, vct.vct):
            found = solve(self._state, self._threats, threats.MAX_DEPTH, nodes)
            if 0 < found <= distance:
                line = self._threats["line"][:found]
                return tuple(board.unpadded(int(at), self._game.size) for at in line)
        return ()
