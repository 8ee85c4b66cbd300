"""What alpha-beta thinks of a position: the move to try first, and how far off a win may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.games.gomoku import alphabeta, board
from engine.games.gomoku.state import UNLIMITED, new_state, set_up
from engine.position import Move, Position
from engine.tables import new_table
from engine.values import Value

if TYPE_CHECKING:
    from engine.games.gomoku import Gomoku

TABLE = 64
"""Size of the table, in MiB, where nothing else is asked for."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """A move, and what it is worth to the side that makes it."""

    move: Move
    value: Value


class Guide:
    """Alpha-beta for one Gomoku game whose table keeps what earlier questions found.

    A question about a position below an earlier one is therefore answered in few nodes. What is
    answered depends on all that was asked since the last `forget`. For one thread at a time.
    """

    def __init__(self, game: Gomoku, *, table: int = TABLE) -> None:
        self._game = game
        self._state = new_state(game.rule)
        self._table = new_table(table, alphabeta.ENTRY)
        self._generation = 0
        self.forget()

    @property
    def spent(self) -> int:
        """The nodes of the last question."""
        return int(self._state["nodes"])

    def forget(self) -> None:
        """Let no answer depend on what was asked before."""
        self._generation += 1
        if self._generation == alphabeta.GENERATIONS:
            self._table.fill(0)
            self._generation = 1

    def end(self) -> None:
        """Have the search that another thread is in end, with what it knows by then."""
        self._state["stop"] = 1

    def ask(self, position: Position, nodes: int, deadline: int = 0) -> Opinion:
        """The best move within `nodes`, or what is known of it at the `deadline` on the clock of
        `time.monotonic_ns`, 0 for none. The game must not be over."""
        state = self._state
        set_up(state, self._game.size, position)
        state["excluded"][:] = 0
        state["node_limit"] = nodes or UNLIMITED
        state["deadline"], state["soft_deadline"] = deadline, 0
        state["generation"] = state["oldest"] = self._generation
        state["stop"] = 0
        alphabeta.think(state, self._table, int(state["empties"]), 1)
        move = board.unpadded(int(state["best_line"][0]), self._game.size)
        return Opinion(move, int(state["best_value"][0]))
