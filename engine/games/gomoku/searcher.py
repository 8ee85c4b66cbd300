"""The Gomoku searcher: the compiled search behind the interface that all games share."""

from __future__ import annotations

import time
from collections.abc import Collection
from threading import Thread
from typing import TYPE_CHECKING, Any

from engine.games.gomoku import Rule, alphabeta, board
from engine.games.gomoku.state import UNLIMITED, new_state, set_up
from engine.games.gomoku.weights import Weights
from engine.multipv import best_first
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

    No search uses what another one left in the transposition table, so that a search limited by
    nodes or depth gives the same result whatever was searched before. Several threads search the
    same position and share the table (lazy SMP); each gets an equal part of a limit by nodes.
    Without `weights` the evaluation uses those in their file.
    """

    def __init__(
        self,
        game: Gomoku,
        options: SearchOptions = SearchOptions(),
        weights: Weights | None = None,
    ) -> None:
        self._game = game
        self._states = [new_state(game.rule, weights) for _ in range(options.threads)]
        for number, state in enumerate(self._states):
            state["thread"] = number
        self._table = new_table(options.table, alphabeta.ENTRY)
        self._generation = 0

    def search(
        self, position: Position, limits: Limits, *, exclude: Collection[Move] = ()
    ) -> SearchResult:
        """Search `position` until a limit, leaving out the root moves in `exclude`.

        Raises:
            ValueError: if the game is over or no move is left.
        """
        return self._search(position, limits, 1, exclude)[0]

    def search_lines(
        self, position: Position, limits: Limits, count: int, *, exclude: Collection[Move] = ()
    ) -> list[SearchResult]:
        """The `count` best root moves, see `engine.search.Searcher`.

        Raises:
            ValueError: if the game is over, no move is left or `count` is not positive.
        """
        if count < 1:
            raise ValueError(f"the number of lines must be one or more, not {count}")
        if count == 1:
            return self._search(position, limits, 1, exclude)
        twins = self._twins(position, exclude)
        return best_first(self._search(position, limits, count, {*exclude, *twins}))

    def state_of(self, position: Position) -> Any:
        """The kernels' record with `position` on its board, until it is put to the next use."""
        state = self._states[0]
        set_up(state, self._game.size, position)
        return state

    def _search(
        self, position: Position, limits: Limits, lines: int, exclude: Collection[Move]
    ) -> list[SearchResult]:
        started = time.monotonic_ns()
        moves = len(set(self._game.legal_moves(position)) - set(exclude))
        if moves == 0:
            raise ValueError("no move is left to search")
        self._set_up(position, limits, exclude, started)
        empties = int(self._states[0]["empties"])
        self._run_threads(min(limits.depth or empties, empties), min(lines, moves))
        return self._results(position, started)

    def _set_up(
        self, position: Position, limits: Limits, exclude: Collection[Move], started: int
    ) -> None:
        game = self._game
        allotment = limits.allotment(position.ply, game.cell_count)
        self._next_generation()
        for state in self._states:
            set_up(state, game.size, position)
            state["excluded"][:] = 0
            state["excluded"][[board.padded(move, game.size) for move in exclude]] = 1
            state["node_limit"] = UNLIMITED
            if limits.nodes:
                state["node_limit"] = max(limits.nodes // len(self._states), 1)
            state["deadline"] = started + int(allotment.hard * 1e9) if allotment else 0
            state["soft_deadline"] = started + int(allotment.soft * 1e9) if allotment else 0
            state["generation"] = self._generation
            state["stop"] = 0

    def _next_generation(self) -> None:
        self._generation += 1
        if self._generation == alphabeta.GENERATIONS:
            self._table.fill(0)
            self._generation = 1

    def _run_threads(self, depth: int, lines: int) -> None:
        """Search with all threads until the first of them is done."""

        def run(state: Any) -> None:
            alphabeta.think(state, self._table, depth, lines)
            for other in self._states:
                other["stop"] = 1

        helpers = [Thread(target=run, args=(state,)) for state in self._states[1:]]
        for helper in helpers:
            helper.start()
        run(self._states[0])
        for helper in helpers:
            helper.join()

    def _results(self, position: Position, started: int) -> list[SearchResult]:
        """Those of the thread that came farthest; nodes and time are shared out among them."""
        state = max(self._states, key=lambda state: (state["proven"][0], state["best_depth"][0]))
        nodes = sum(int(state["nodes"]) for state in self._states)
        seconds = (time.monotonic_ns() - started) / 1e9
        numbers = range(int(state["results"]))
        searched = [n for n in numbers if n == 0 or state["best_depth"][n] > 0]
        return [
            SearchResult(
                move=(line := self._line(state, number))[0],
                value=(value := int(state["best_value"][number])),
                bound=self._bound(value, dark_to_move=position.dark_to_move),
                proven=bool(state["proven"][number]),
                depth=int(state["best_depth"][number]),
                nodes=nodes // len(searched) + (number < nodes % len(searched)),
                seconds=seconds / len(searched),
                line=line,
            )
            for number in searched
        ]

    def _line(self, state: Any, number: int) -> tuple[Move, ...]:
        start = number * board.MAX_PLY
        cells = state["best_line"][start : start + int(state["best_length"][number])]
        return tuple(board.unpadded(int(cell), self._game.size) for cell in cells)

    def _twins(self, position: Position, exclude: Collection[Move]) -> set[Move]:
        """The moves that a symmetry of `position` turns into an earlier, not excluded one."""
        game = self._game
        own = [s for s in game.symmetries if game.map_position(position, s) == position]
        twins = set()
        for move in game.legal_moves(position) if len(own) > 1 else []:
            images = {game.map_move(move, symmetry) for symmetry in own}
            if min(images - set(exclude), default=move) < move:
                twins.add(move)
        return twins

    def _bound(self, value: int, *, dark_to_move: bool) -> Bound:
        sure = _SURE_DISTANCE
        if self._game.rule is Rule.RENJU and (value > 0) != dark_to_move:
            sure = _SURE_DISTANCE_TO_LIGHTS_WIN_IN_RENJU
        if not is_decisive(value) or (distance(value) or 0) <= sure:
            return Bound.EXACT
        return Bound.LOWER if value > 0 else Bound.UPPER
