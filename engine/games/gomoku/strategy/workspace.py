"""The records that searches for strategies work with, and the questions that Python asks them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.games.gomoku import board, threats
from engine.games.gomoku.state import UNLIMITED, new_state, set_up
from engine.games.gomoku.strategy import candidates, threat_search, trees
from engine.position import Move, Position
from engine.tables import new_record

if TYPE_CHECKING:
    from engine.games.gomoku import Gomoku


@dataclass(frozen=True, slots=True)
class ThreatWin:
    """The first move of a win by threats, or the reply to one that lasts longest; `distance` is an
    upper bound of the plies to the five, this move included.
    """

    move: Move
    distance: int


@dataclass(frozen=True, slots=True)
class Replies:
    """The replies of the side to move to a win that the other side threatens.

    All but `open` lose within `longest` plies, counted after the reply, `hardest` among them; where
    every reply is open it is None.
    """

    open: tuple[Move, ...]
    longest: int
    hardest: Move | None


class Workspace:
    """A board and tables for one Gomoku game without forbidden moves. For one thread at a time.

    What is asked is about the position that was set up last. Each question may spend as many nodes
    as it says, and all together those that were given with the position; `spent` counts them. From
    the deadline on, on the clock of `time.monotonic_ns`, nothing more is found.
    """

    def __init__(self, game: Gomoku) -> None:
        self.game = game
        self.state = new_state(game.rule)
        self.threats = new_record(threats.THREATS)
        self.search = new_record(threat_search.THREAT_SEARCH)
        self.tree = new_record(trees.TREE)
        self.survey = new_record(candidates.SURVEY)
        self._line = np.empty(board.MAX_PLY, dtype=np.int16)

    @property
    def spent(self) -> int:
        """The nodes since the position was set up."""
        return int(self.state["nodes"])

    def forget(self) -> None:
        """Let no result depend on what was searched before.

        To be called between searches for one side's wins and for the other's.
        """
        threat_search.forget(self.search)

    def set_up(self, position: Position, nodes: int, deadline: int = 0) -> Any:
        """The kernels' record with `position` on its board; no `deadline` is 0."""
        state = self.state
        set_up(state, self.game.size, position)
        state["node_limit"], state["deadline"] = nodes, deadline
        state["next_check"] = 0 if deadline else UNLIMITED
        state["nodes"] = state["stop"] = 0
        return state

    def end(self) -> None:
        """Have the search that another thread is in end: it finds nothing more."""
        self.state["stop"] = 1

    def find_win(self, nodes: int) -> ThreatWin | None:
        """A win by threats of the side to move."""
        plies = threat_search.find_threat_win(self.state, self.threats, self.search, nodes)
        return ThreatWin(self.unpadded(self.search["move"]), plies) if plies > 0 else None

    def find_loss(self, nodes: int) -> ThreatWin | None:
        """What lasts longest where the side to move loses to the threats that stand."""
        plies = threat_search.find_threat_loss(self.state, self.threats, self.search, nodes)
        return ThreatWin(self.unpadded(self.search["move"]), plies) if plies > 0 else None

    def find_replies(self, nodes: int) -> Replies | None:
        """The replies to what the other side would win by; None if that is not found, or if too
        many are open. `nodes` are for that win, and for each reply.
        """
        survey = self.survey
        survey["most_answers"] = candidates.MOST_ANSWERS
        survey["pass_nodes"] = survey["reply_nodes"] = nodes
        candidates.survey_replies(self.state, self.threats, self.search, self.tree, survey)
        if not survey["kept"]:
            return None
        answers = survey["answers"][0][: survey["counts"][0]]
        hardest = int(self.tree["hardest"])
        return Replies(
            tuple(self.unpadded(at) for at in answers),
            int(survey["longest"][0]),
            self.unpadded(hardest) if hardest else None,
        )

    def find_line(self, nodes: int) -> tuple[Move, ...]:
        """The win by threats of the side to move, with replies that last long; as far as found."""
        length = threat_search.write_line(self.state, self.threats, self.search, self._line, nodes)
        return tuple(self.unpadded(at) for at in self._line[:length])

    def unpadded(self, at: Any) -> Move:
        """The move to a cell of the kernels' board."""
        return board.unpadded(int(at), self.game.size)
