"""Proves wins in Gomoku by following advice: good where a win is far off and somebody sees it.

The finder of strategies weighs many moves against one another. Where alpha-beta, or another
program, sees a win it mostly is one, and so its move alone is followed here: the replies to it are
listed, most of them refuted at once, and each of the others is proved to lose in the same way.
What it sees is only where to look; what is kept has been proved.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from engine.games.gomoku.strategy.finder import Entry, Kind, StrategyFinder, StrategyResult
from engine.games.gomoku.strategy.guide import Guide
from engine.games.gomoku.strategy.workspace import Workspace
from engine.position import Move, Position
from engine.values import HEURISTIC_MAX

if TYPE_CHECKING:
    from engine.games.gomoku import Gomoku

# With so few nodes the finder alone proves more: 59 of 60 random openings, for 56 with advice.
_TOO_FEW_FOR_ADVICE = 2_000_000
# For the finder where the proof begins, and where it goes on; and where nobody sees a win.
_NODES_AT_FIRST, _NODES_BEFORE, _NODES_WITHOUT = 200_000, 50_000, 10_000_000
_NODES_FOR_REPLIES, _NODES_FOR_REPLY = 5_000_000, 5_000
# The nodes of the first question to alpha-beta, and how many times as many the next one has; all
# questions about a position have at most this part of the limit.
_FIRST_QUESTION, _TIMES_AS_MANY, _SHARE = 200_000, 2, 2
_TABLE = 128


class Adviser(Protocol):
    """Somebody who sees wins; `spent` are the nodes of the last question, if they count."""

    spent: int

    def advice(self, position: Position, nodes: int) -> Move | None:
        """The move by which the side to move may win, if it is seen within so many nodes."""

    def forget(self) -> None:
        """Let no advice depend on what was asked before."""


class SearchAdviser:
    """Alpha-beta as an adviser, with more and more nodes until it sees a win.

    For one thread at a time.
    """

    def __init__(self, game: Gomoku) -> None:
        self.spent = 0
        self._guide = Guide(game, table=_TABLE)

    def advice(self, position: Position, nodes: int) -> Move | None:
        """See `Adviser`."""
        self.spent = 0
        question = _FIRST_QUESTION
        while self.spent < nodes:
            left = nodes - self.spent
            enough_for_two = left >= question * (1 + _TIMES_AS_MANY)
            opinion = self._guide.ask(position, question if enough_for_two else left)
            self.spent += self._guide.spent
            if opinion.value >= HEURISTIC_MAX:
                return opinion.move
            question *= _TIMES_AS_MANY
        return None

    def forget(self) -> None:
        """See `Adviser`."""
        self._guide.forget()


class AdvisedFinder:
    """Proves that the side to move wins positions of one Gomoku game without forbidden moves.

    The `adviser` is asked, alpha-beta if there is none. What was proved last is known to `finder`,
    and `nodes` have been spent on it. With alpha-beta a result depends on the arguments alone,
    unless a deadline cuts it off. For one thread at a time.

    Raises:
        ValueError: if the game forbids moves.
    """

    def __init__(self, game: Gomoku, adviser: Adviser | None = None) -> None:
        self._workspace = Workspace(game)
        self.finder = StrategyFinder(game, workspace=self._workspace)
        self.nodes = 0
        self._game = game
        self._adviser = SearchAdviser(game) if adviser is None else adviser
        self._limit = self._deadline = 0
        self._open: set[bytes] = set()

    def prove(self, position: Position, *, nodes: int, deadline: int = 0) -> StrategyResult:
        """Try to prove that the side to move wins, within `nodes`, and before the `deadline` on the
        clock of `time.monotonic_ns`, 0 for none.

        Raises:
            ValueError: if the game is over.
        """
        self.finder.store = {}
        self._open = set()
        self._adviser.forget()
        self.nodes, self._limit, self._deadline = 0, nodes, deadline
        is_enough = nodes > _TOO_FEW_FOR_ADVICE
        distance = self._distance(position, _NODES_AT_FIRST if is_enough else nodes)
        return StrategyResult(True if distance is not None else None, self.nodes, distance)

    def settle(self, position: Position) -> bool:
        """Have the finder keep what wins in `position`; gives whether anything does.

        Whatever is left of the nodes, a win by threats is looked for.
        """
        if self._game.outcome(position) is not None:
            return False
        self._set_up(position, _NODES_WITHOUT)
        win = self._workspace.find_win(_NODES_WITHOUT)
        self.nodes += self._workspace.spent
        if win is None:
            return self._distance(position) is not None and self.finder.entry(position) is not None
        self._keep(position, Entry(win.move, Kind.THREAT, win.distance))
        return True

    @property
    def _left(self) -> int:
        """The nodes that may still be spent."""
        late = 0 < self._deadline <= time.monotonic_ns()
        return 0 if late else max(0, self._limit - self.nodes)

    def _distance(self, position: Position, alone: int = _NODES_BEFORE) -> int | None:
        """Within how many plies the side to move wins; None where that is not found.

        The finder has `alone` nodes before anybody is asked.
        """
        stones = self._game.canonical(position).stones
        if stones in self._open:
            return None
        found = self._alone(position, alone)
        left = self._left
        if found is None and left:
            move = self._adviser.advice(position, min(left, self._limit // _SHARE))
            self.nodes += self._adviser.spent
            if move is None:
                found = self._alone(position, _NODES_WITHOUT)
            else:
                found = self._by(move, position)
        if found is None:
            self._open.add(stones)
        return found

    def _alone(self, position: Position, nodes: int) -> int | None:
        """`_distance`, found by the finder."""
        entry = self.finder.entry(position)
        if entry is not None:
            return entry.distance
        left = self._left
        if not left:
            return None
        result = self.finder.prove(position, nodes=min(nodes, left), deadline=self._deadline)
        self.nodes += result.nodes
        return result.distance

    def _by(self, move: Move, position: Position) -> int | None:
        """`_distance`, if `move` wins."""
        game = self._game
        after = game.play(position, move)
        if game.outcome(after) is not None:
            # A five the finder had seen; a full board is a draw.
            return None
        self._set_up(after, min(self._left, _NODES_FOR_REPLIES))
        replies = self._workspace.find_replies(_NODES_FOR_REPLY)
        self.nodes += self._workspace.spent
        longest = 0 if replies is None else replies.longest
        for reply in game.legal_moves(after) if replies is None else replies.open:
            child = game.play(after, reply)
            distance = self._distance(child) if game.outcome(child) is None else None
            if distance is None:
                return None
            longest = max(longest, distance + 1)
        self._keep(position, Entry(move, Kind.QUIET, longest + 1))
        return longest + 1

    def _set_up(self, position: Position, nodes: int) -> None:
        """Have the workspace look at `position`, whoever was to win before."""
        self._workspace.forget()
        self._workspace.set_up(position, nodes)

    def _keep(self, position: Position, entry: Entry) -> None:
        """Have the finder know `entry`, the move in the orientation of `position`."""
        canonical = self._game.canonical(position)
        move = self._game.map_move(entry.move, canonical.symmetry)
        self.finder.store[canonical.stones] = replace(entry, move=move)
