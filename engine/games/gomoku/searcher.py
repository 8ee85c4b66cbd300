"""The Gomoku searcher: the compiled search behind the interface that all games share."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from engine.games.gomoku import Rule, alphabeta, board
from engine.games.gomoku.state import UNLIMITED, new_state, set_up
from engine.games.gomoku.weights import Weights
from engine.multipv import lines_by_exclusion
from engine.position import Move, Position
from engine.search import Limits, SearchOptions, SearchResult
from engine.tables import new_table
from engine.values import Bound, distance, is_decisive

if TYPE_CHECKING:
    from engine.games.gomoku import Gomoku

# Up to here the search sees every win and every defence, so that no shorter win can exist.
_SURE_DISTANCE = 4
# Dark may be left without an allowed move before light makes the five that the search sees.
_SURE_DISTANCE_TO_LIGHTS_WIN_IN_RENJU = 2


class GomokuSearcher:
    """Alpha-beta with iterative deepening for one Gomoku game. For one thread at a time.

    Each search starts with an empty transposition table, so that a search limited by nodes or
    depth gives the same result whatever was searched before. Without `weights` the evaluation
    uses those in their file.
    """

    def __init__(
        self,
        game: Gomoku,
        options: SearchOptions = SearchOptions(),
        weights: Weights | None = None,
    ) -> None:
        self._game = game
        self._state = new_state(game.rule, weights)
        self._table = new_table(options.table, alphabeta.ENTRY)

    def search(
        self, position: Position, limits: Limits, *, exclude: Collection[Move] = ()
    ) -> SearchResult:
        """Search `position` until a limit, leaving out the root moves in `exclude`.

        Raises:
            ValueError: if the game is over or no move is left.
        """
        started = time.monotonic_ns()
        if len(set(self._game.legal_moves(position)) - set(exclude)) == 0:
            raise ValueError("no move is left to search")
        state, size = self._state, self._game.size
        self._set_up(position, exclude)
        state["node_limit"] = limits.nodes or UNLIMITED
        allotment = limits.allotment(position.ply, self._game.cell_count)
        state["deadline"] = started + int(allotment.hard * 1e9) if allotment else 0
        empties = int(state["empties"])
        alphabeta.think(state, self._table, min(limits.depth or empties, empties))
        line = state["best_line"][: int(state["best_length"])]
        value, settled = int(state["best_value"]), bool(state["settled"])
        return SearchResult(
            move=board.unpadded(int(line[0]), size),
            value=value,
            bound=self._bound(value, dark_to_move=position.dark_to_move),
            proven=settled,
            depth=int(state["best_depth"]),
            nodes=int(state["nodes"]),
            seconds=(time.monotonic_ns() - started) / 1e9,
            line=tuple(board.unpadded(int(cell), size) for cell in line),
        )

    def search_lines(
        self, position: Position, limits: Limits, count: int, *, exclude: Collection[Move] = ()
    ) -> list[SearchResult]:
        """The `count` best root moves outside `exclude`, best first.

        Raises:
            ValueError: if the game is over, no move is left or `count` is not positive.
        """
        return lines_by_exclusion(self, self._game, position, limits, count, exclude)

    def state_of(self, position: Position) -> Any:
        """The kernels' record with `position` on its board, until it is put to the next use."""
        self._set_up(position, ())
        return self._state

    def _bound(self, value: int, *, dark_to_move: bool) -> Bound:
        sure = _SURE_DISTANCE
        if self._game.rule is Rule.RENJU and (value > 0) != dark_to_move:
            sure = _SURE_DISTANCE_TO_LIGHTS_WIN_IN_RENJU
        if not is_decisive(value) or (distance(value) or 0) <= sure:
            return Bound.EXACT
        return Bound.LOWER if value > 0 else Bound.UPPER

    def _set_up(self, position: Position, exclude: Collection[Move]) -> None:
        size = self._game.size
        set_up(self._state, size, position)
        self._state["excluded"][:] = 0
        self._state["excluded"][[board.padded(move, size) for move in exclude]] = 1
