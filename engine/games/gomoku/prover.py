"""The Gomoku prover: who wins by force, quiet moves included, with the proof's line."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from engine.games.gomoku import board, dfpn, threats, vct
from engine.games.gomoku.state import UNLIMITED, new_state, set_up
from engine.games.gomoku.strategy.finder import StrategyFinder, StrategyResult
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
# The finder of strategies is strong where df-pn is lost, in openings, and weak where the board is
# small or full. So it has this many nodes early on, and a share of those that df-pn has had.
_NODES_FOR_STRATEGY = 300_000
_STRATEGY_SHARE = 3
_SMALLEST_BOARD_FOR_STRATEGY = 9
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
        self._spent_on_strategy = 0
        suits_strategies = game.size >= _SMALLEST_BOARD_FOR_STRATEGY and not game.forbids_moves
        self._finder = StrategyFinder(game) if suits_strategies else None
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
        for_strategy = self._share_for_strategy(nodes)
        strategies = self._strategies(position, for_strategy, loses)
        self._spent_on_strategy = spent = 0
        while True:
            limit = nodes - for_strategy
            self._search(position, limit, spent, min(limit, spent + _NODES_A_STEP))
            spent = int(self._state["nodes"])
            won = self._answer()
            if won is not None or (spent >= limit and self._spent_on_strategy >= for_strategy):
                break
            yield self._proof(None, (), None)
            result = self._go_on_with_strategies(strategies, spent if spent < limit else nodes)
            if result is None:
                # Nothing is left to find, so that the rest is for df-pn.
                for_strategy = self._spent_on_strategy
            elif result.won:
                line = self._strategy_line(position, result)
                self._state["nodes"] = spent
                yield self._proof(True, line, result.distance)
                return
        distance = int(self._prover["distance"]) if won else None
        line = self._line(position, distance) if distance else ()
        self._state["nodes"] = spent
        yield self._proof(won, line, distance)

    def _share_for_strategy(self, nodes: int) -> int:
        if self._finder is None:
            return 0
        fair = (nodes + _STRATEGY_SHARE * _NODES_FOR_STRATEGY) // (1 + _STRATEGY_SHARE)
        return min(fair, max(0, nodes - _NODES_A_STEP) // 2)

    def _strategies(self, position: Position, nodes: int, loses: bool) -> Iterator[StrategyResult]:
        """What the finder comes to know, if this is a game for it."""
        if self._finder is not None and nodes > 0:
            self._finder.store = {}
            yield from self._finder.steps(position, nodes=nodes, loses=loses)

    def _go_on_with_strategies(
        self, strategies: Iterator[StrategyResult], spent: int
    ) -> StrategyResult | None:
        """Give the finder its share beside the nodes `spent` on df-pn; None once it has ended."""
        share = _NODES_FOR_STRATEGY + spent // _STRATEGY_SHARE
        result = next(strategies, None)
        while result is not None:
            self._spent_on_strategy = result.nodes
            if result.won or result.nodes >= share:
                break
            result = next(strategies, None)
        return result

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
        self._spent_on_strategy = 0
        strategy = self._follow_strategy(position, within)
        if strategy is not None:
            return strategy
        self._search(position, nodes, 0, UNLIMITED)
        won, move, distance = self._answer(), self._best_move(), int(self._prover["distance"])
        if within is not None and not (won and distance <= within):
            # It may have been promised by a win by threats, whose positions are not in the table.
            ending = self._ending(position, within, _NODES_FOR_LINE)
            if ending:
                won, move, distance = True, ending[0], len(ending)
        return self._proof(won, (move,), distance) if won else self._proof(won, (), None)

    def _follow_strategy(self, position: Position, within: int | None) -> Proof | None:
        """`follow` by the strategy that was found last, if there is one."""
        if self._finder is None or not self._finder.store:
            return None
        self._state["nodes"] = 0
        most = UNLIMITED if within is None else within
        entry = self._finder.entry(position)
        if entry is not None and entry.distance <= most:
            return self._proof(True, (entry.move,), entry.distance)
        ending = self._ending(position, most, _NODES_FOR_LINE)
        return self._proof(True, ending[:1], len(ending)) if ending else None

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
        nodes = int(self._state["nodes"]) + self._spent_on_strategy
        return Proof(won, line, distance, nodes, share)

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

    def _strategy_line(self, position: Position, result: StrategyResult) -> tuple[Move, ...]:
        """The line of the win that the finder proved, as far as it is found."""
        assert self._finder is not None
        assert result.distance is not None
        line = self._finder.line(position)
        end = self._game.play_line(line, start=position)
        if self._game.outcome(end) is None:
            line += self._way_out(end, result.distance - len(line))
        return line

    def _way_out(self, position: Position, distance: int) -> tuple[Move, ...]:
        """The end of a line, by threats; whoever is to lose meets them at their first cell."""
        if position.ply % 2 == self._prover["attacker"]:
            return self._ending(position, distance, _NODES_FOR_LINE)
        set_up(self._state, self._game.size, position)
        self._state["colour"] = 1 - self._state["colour"]
        self._state["node_limit"] = self._state["next_check"] = UNLIMITED
        self._state["nodes"] = self._state["stop"] = 0
        if vct.vct(self._state, self._threats, threats.MAX_DEPTH, _NODES_FOR_LINE) <= 0:
            return ()
        reply = board.unpadded(int(self._threats["line"][0]), self._game.size)
        after = self._game.play(position, reply)
        ending = self._ending(after, distance - 1, _NODES_FOR_LINE)
        return (reply, *ending) if ending else ()

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
