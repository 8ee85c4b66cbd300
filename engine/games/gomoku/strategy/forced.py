"""Forced wins and losses at the root of a search, within a bounded share of its limits.

First what threats alone settle: that the side to move wins by them, that it loses to those that
stand, or that no reply meets what the other side would win by. Then, with what is left, the finder
of strategies looks for a win by quiet moves, or where a win threatens, for a win after each of the
replies that may meet it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.games.gomoku.strategy.finder import StrategyFinder
from engine.games.gomoku.strategy.guide import Guide
from engine.games.gomoku.strategy.workspace import Replies, Workspace
from engine.kernels import LONG_AGO
from engine.position import Move, Position

if TYPE_CHECKING:
    from engine.games.gomoku import Gomoku

_NO_LIMIT = 1 << 40
# No search for one kind of threats may use up what the next one needs: each has this part of what
# is left. In games at 100 ms a move, of which a quarter is for all, threats settle two positions of
# three in 3 ms on the average. Quiet moves settle one of fifty and take much longer. With half of
# what is left they cost the search after them more games than they won.
_PART = 2
_QUIET_PART = 8
# A single look at a position may take this long, so that less is of no use.
_LEAST_TIME, _LEAST_NODES = 4_000_000, 1_000
# For what the other side threatens, and for each reply to it.
_NODES_FOR_REPLY = 5_000
_NODES_FOR_LINE = 20_000
# Every searcher has one of these, and the quiet moves' part is some 10,000 nodes. In MiB.
_TABLE = 1


@dataclass(frozen=True, slots=True)
class Forced:
    """Whether the side to move wins, or else loses.

    `distance` is an upper bound of the plies to the five. `line` starts with the winning move, or
    with the reply that lasts longest, as far as that is known; it ends with the five, unless that
    was not found within the limits.
    """

    wins: bool
    distance: int
    line: tuple[Move, ...]


class ForcedSearch:
    """Settles positions of one Gomoku game without forbidden moves. For one thread at a time.

    Without a deadline a result depends on the position and the nodes alone.
    """

    def __init__(self, game: Gomoku) -> None:
        self._game = game
        self._workspace = Workspace(game)
        guide = Guide(game, table=_TABLE)
        self._finder = StrategyFinder(game, workspace=self._workspace, guide=guide)
        self._nodes = self._deadline = self._started = 0
        self.spent = 0

    def settle(
        self, position: Position, *, nodes: int | None = None, deadline: int = 0
    ) -> Forced | None:
        """Whether the side to move wins or loses by force; None where it was not found.

        Spends at most `nodes`, and as many again on the line; `spent` counts both. Ends at the
        `deadline`, on the clock of `time.monotonic_ns`, 0 for none; the line may take as long
        again. `position` must not be finished.
        """
        self._nodes, self._deadline = nodes or _NO_LIMIT, deadline
        self._started, self.spent = time.monotonic_ns(), 0
        return (
            self._win_by_threats(position)
            or self._loss_to_threats(position)
            or self._settle_quietly(position)
        )

    def end(self) -> None:
        """Have what another thread looks for here end soon, as at its deadline."""
        self._deadline = LONG_AGO
        self._finder.end()

    def _settle_quietly(self, position: Position) -> Forced | None:
        """What quiet moves settle, after those of threats alone."""
        self._nodes = self.spent + self._part_of_nodes(_QUIET_PART)
        self._deadline = self._part_of_time(_QUIET_PART)
        if not self._is_worthwhile:
            return None
        replies = self._find_replies(position)
        if replies is not None:
            return self._loss_after(position, replies)
        return self._win_by_strategy(position) if self._is_worthwhile else None

    def _part_of_nodes(self, part: int) -> int:
        return (self._nodes - self.spent) // part

    def _part_of_time(self, part: int) -> int:
        """The deadline for a part of the time that is left; 0 where there is none."""
        if not self._deadline:
            return 0
        left = max(self._deadline - time.monotonic_ns(), 0)
        return self._deadline - left + left // part

    @property
    def _is_worthwhile(self) -> bool:
        in_time = not self._deadline or self._deadline - time.monotonic_ns() >= _LEAST_TIME
        return in_time and self._nodes - self.spent >= _LEAST_NODES

    def _win_by_threats(self, position: Position) -> Forced | None:
        self._begin(position)
        win = self._workspace.find_win(_NO_LIMIT)
        self.spent += self._workspace.spent
        return None if win is None else self._forced(position, True, win.distance, (win.move,))

    def _loss_to_threats(self, position: Position) -> Forced | None:
        self._begin(position)
        loss = self._workspace.find_loss(_NO_LIMIT)
        self.spent += self._workspace.spent
        return None if loss is None else self._forced(position, False, loss.distance, (loss.move,))

    def _find_replies(self, position: Position) -> Replies | None:
        self._begin(position)
        replies = self._workspace.find_replies(_NODES_FOR_REPLY)
        self.spent += self._workspace.spent
        return replies

    def _begin(self, position: Position) -> None:
        """Prepare to search `position` with a part of what is left."""
        self._workspace.forget()
        self._workspace.set_up(position, self._part_of_nodes(_PART), self._part_of_time(_PART))

    def _loss_after(self, position: Position, replies: Replies) -> Forced | None:
        """The loss where all that may meet the win that threatens are `replies`."""
        self._finder.store = {}
        result = self._finder.prove(
            position,
            nodes=self._nodes - self.spent,
            loses=True,
            deadline=self._deadline,
            replies=replies,
        )
        self.spent += result.nodes
        move = self._finder.longest_reply()
        if not result.won or result.distance is None or move is None:
            return None
        line = (move, *self._finder.line(self._game.play(position, move)))
        return self._forced(position, False, result.distance, line)

    def _win_by_strategy(self, position: Position) -> Forced | None:
        self._finder.store = {}
        result = self._finder.prove(
            position, nodes=self._nodes - self.spent, deadline=self._deadline
        )
        self.spent += result.nodes
        if not result.won or result.distance is None:
            return None
        return self._forced(position, True, result.distance, self._finder.line(position))

    def _forced(
        self, position: Position, wins: bool, distance: int, line: tuple[Move, ...]
    ) -> Forced | None:
        """The result, with a line that goes on from what is known of it; None without any move."""
        before = self.spent
        winner = position.to_move if wins else position.to_move.other
        end = self._game.play_line(line, position)
        while self._game.outcome(end) is None:
            self._workspace.set_up(end, self._nodes_for_line(before), self._line_deadline)
            if end.to_move is winner:
                further = self._workspace.find_line(_NO_LIMIT)
            else:
                further = self._find_reply()
            self.spent += self._workspace.spent
            if not further:
                break
            line, end = line + further, self._game.play_line(further, end)
        return Forced(wins, max(distance, len(line)), line) if line else None

    def _find_reply(self) -> tuple[Move, ...]:
        """The reply that lasts longest, on the board that was set up."""
        loss = self._workspace.find_loss(_NO_LIMIT)
        if loss is not None:
            return (loss.move,)
        replies = self._workspace.find_replies(_NODES_FOR_REPLY)
        if replies is None or replies.open or replies.hardest is None:
            return ()
        return (replies.hardest,)

    def _nodes_for_line(self, before: int) -> int:
        return min(self._nodes, _NODES_FOR_LINE) - (self.spent - before)

    @property
    def _line_deadline(self) -> int:
        return 2 * self._deadline - self._started if self._deadline else 0
