"""The Gomoku searcher: the compiled searches behind the interface that all games share."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.clock import Allotment
from engine.game import Symmetry
from engine.games.gomoku import Rule, alphabeta, board
from engine.games.gomoku.forced_threats import ForcedThreats
from engine.games.gomoku.state import UNLIMITED, new_state, set_up
from engine.games.gomoku.strategy.forced import Forced, ForcedSearch
from engine.games.gomoku.weights import Weights
from engine.multipv import best_first
from engine.position import Move, Position
from engine.search import Limits, SearchOptions, SearchResult
from engine.tables import new_table
from engine.values import WIN, Bound, Value, distance, is_decisive

if TYPE_CHECKING:
    from engine.games.gomoku import Gomoku

# Up to here the search sees every win and every defence, so that no shorter win can exist.
_SURE_DISTANCE = 4
# Dark may be left without an allowed move before light makes the five that the search sees.
_SURE_DISTANCE_TO_LIGHTS_WIN_IN_RENJU = 2
# The part of a limit by nodes or time that may be spent on a proof before the search begins.
_PROOF_SHARE = 4
# On the empty board there is nothing to find out.
_FIRST_MOVES_DEPTH = 6


class GomokuSearcher:
    """Alpha-beta with iterative deepening for one Gomoku game. For one thread at a time.

    A search that is limited by nodes or time, and not by depth, first looks for a forced win, and
    where no moves are forbidden for a forced loss; it is over if it finds one. Limited by time
    alone it spends little on the empty board, where it plays on the centre.

    No search limited by nodes or depth uses what another one left in the transposition table, so
    that its result is the same whatever was searched before; one limited by time alone does, and in
    a game gains from the search of the move before. Several threads search the
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
        self._generation = self._oldest = 0
        self._forced = ForcedThreats(game) if game.forbids_moves else ForcedSearch(game)
        self._searched: tuple[Position, int] | None = None

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

    def expect(self, position: Position, line: Sequence[Move], value: Value, depth: int) -> None:
        """Put into the table what another search expected, see `engine.search.Searcher`.

        A decided value is left to this one's own proof.
        """
        if is_decisive(value):
            return
        self._next_generation(alone=False)
        state = self.state_of(position)
        state["generation"] = self._generation
        cells = [board.padded(move, self._game.size) for move in line]
        alphabeta.expect(state, self._table, np.array(cells, np.int64), value, depth)

    def so_far(self) -> list[SearchResult]:
        """What the search that another thread is in has found, see `engine.search.Searcher`."""
        if self._searched is None or not self._states[0]["best_depth"][0]:
            return []
        position, started = self._searched
        return self._shared_out(best_first(self._results(position)), self._nodes, started)

    def end(self) -> None:
        """Have the search that another thread is in end, see `engine.search.Searcher`."""
        self._forced.end()
        for state in self._states:
            state["stop"] = 1

    def state_of(self, position: Position) -> Any:
        """The kernels' record with `position` on its board, until it is put to the next use."""
        state = self._states[0]
        set_up(state, self._game.size, position)
        return state

    def _search(
        self, position: Position, limits: Limits, lines: int, exclude: Collection[Move]
    ) -> list[SearchResult]:
        started = time.monotonic_ns()
        self._searched = None
        excluded = set(exclude)
        moves = len(set(self._game.legal_moves(position)) - excluded)
        if moves == 0:
            raise ValueError("no move is left to search")
        allotment = limits.allotment(position.ply, self._game.cell_count)
        proven = self._prove(position, limits, allotment, excluded, started)
        spent = self._forced.spent
        if proven is not None:
            excluded.add(proven.line[0])
            moves, lines = moves - 1, lines - 1
            if moves == 0 or lines == 0:
                return self._shared_out([proven], spent, started)
        left = None if limits.nodes is None else max(limits.nodes - spent, 1)
        by_time_alone = limits.nodes is None and limits.depth is None
        self._next_generation(alone=not by_time_alone)
        self._set_up(position, left, allotment, excluded, started)
        if proven is None:
            self._searched = position, started
        deepest = limits.depth or self._game.cell_count
        if position.ply == 0 and by_time_alone and lines == 1 and not excluded:
            deepest = _FIRST_MOVES_DEPTH
        self._run_threads(min(deepest, int(self._states[0]["empties"])), min(lines, moves))
        results = self._results(position)
        if proven is not None:
            results = [proven, *(_no_better(result, proven) for result in results)]
        return self._shared_out(results, spent + self._nodes, started)

    def _prove(
        self,
        position: Position,
        limits: Limits,
        allotment: Allotment | None,
        excluded: Collection[Move],
        started: int,
    ) -> SearchResult | None:
        """The result where a forced win or loss is found that the excluded moves do not change."""
        self._forced.spent = 0
        nodes = None if limits.nodes is None else limits.nodes // _PROOF_SHARE
        if limits.depth or nodes == 0 or (nodes is None and allotment is None):
            return None
        deadline = started + int(allotment.soft * 1e9 / _PROOF_SHARE) if allotment else 0
        found = self._forced.settle(position, nodes=nodes, deadline=deadline)
        return None if found is None else self._proven(position, found, excluded)

    def _proven(
        self, position: Position, found: Forced, excluded: Collection[Move]
    ) -> SearchResult | None:
        """The result of a proof; where the move is excluded, with one that is as good, if any."""
        value = WIN - found.distance if found.wins else found.distance - WIN
        bound = self._bound(value, dark_to_move=position.dark_to_move)
        line: tuple[Move, ...] | None = found.line
        if found.line[0] in excluded:
            line = self._image(position, found.line, excluded)
        if line is None and not found.wins:
            left = [move for move in self._game.legal_moves(position) if move not in excluded]
            line, bound = (left[0],), Bound.UPPER
        if line is None:
            return None
        return SearchResult(
            move=line[0],
            value=value,
            bound=bound,
            proven=True,
            depth=found.distance,
            nodes=0,
            seconds=0.0,
            line=line,
        )

    def _image(
        self, position: Position, line: tuple[Move, ...], excluded: Collection[Move]
    ) -> tuple[Move, ...] | None:
        """An image of `line` by a symmetry of `position` that starts with no excluded move."""
        for symmetry in self._own_symmetries(position):
            if self._game.map_move(line[0], symmetry) not in excluded:
                return self._game.map_line(line, symmetry)
        return None

    def _set_up(
        self,
        position: Position,
        nodes: int | None,
        allotment: Allotment | None,
        excluded: Collection[Move],
        started: int,
    ) -> None:
        game = self._game
        for state in self._states:
            set_up(state, game.size, position)
            state["excluded"][:] = 0
            state["excluded"][[board.padded(move, game.size) for move in excluded]] = 1
            state["node_limit"] = UNLIMITED
            if nodes is not None:
                state["node_limit"] = max(nodes // len(self._states), 1)
            state["deadline"] = started + int(allotment.hard * 1e9) if allotment else 0
            state["soft_deadline"] = started + int(allotment.soft * 1e9) if allotment else 0
            state["generation"] = self._generation
            state["oldest"] = self._oldest
            state["best_depth"] = 0
            state["stop"] = 0

    def _next_generation(self, *, alone: bool) -> None:
        """Number the next search; `alone`, it does not use what is in the table."""
        self._generation += 1
        if self._generation == alphabeta.GENERATIONS:
            self._table.fill(0)
            self._generation = 1
        if alone or self._generation == 1:
            self._oldest = self._generation

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

    @property
    def _nodes(self) -> int:
        """Those of all threads."""
        return sum(int(state["nodes"]) for state in self._states)

    def _results(self, position: Position) -> list[SearchResult]:
        """Those of the thread that came farthest."""
        state = max(self._states, key=lambda state: (state["proven"][0], state["best_depth"][0]))
        numbers = range(int(state["results"]))
        return [
            SearchResult(
                move=(line := self._line(state, number))[0],
                value=(value := int(state["best_value"][number])),
                bound=self._bound(value, dark_to_move=position.dark_to_move),
                proven=bool(state["proven"][number]),
                depth=int(state["best_depth"][number]),
                nodes=0,
                seconds=0.0,
                line=line,
            )
            for number in numbers
            if number == 0 or state["best_depth"][number] > 0
        ]

    @staticmethod
    def _shared_out(results: list[SearchResult], nodes: int, started: int) -> list[SearchResult]:
        """`results` with the nodes and the time of the whole shared out among them."""
        count = len(results)
        seconds = (time.monotonic_ns() - started) / 1e9
        return [
            replace(
                result, nodes=nodes // count + (number < nodes % count), seconds=seconds / count
            )
            for number, result in enumerate(results)
        ]

    def _line(self, state: Any, number: int) -> tuple[Move, ...]:
        start = number * board.MAX_PLY
        cells = state["best_line"][start : start + int(state["best_length"][number])]
        return tuple(board.unpadded(int(cell), self._game.size) for cell in cells)

    def _twins(self, position: Position, exclude: Collection[Move]) -> set[Move]:
        """The moves that a symmetry of `position` turns into an earlier, not excluded one."""
        game = self._game
        own = self._own_symmetries(position)
        twins = set()
        for move in game.legal_moves(position) if len(own) > 1 else []:
            images = {game.map_move(move, symmetry) for symmetry in own}
            if min(images - set(exclude), default=move) < move:
                twins.add(move)
        return twins

    def _own_symmetries(self, position: Position) -> list[Symmetry]:
        game = self._game
        return [s for s in game.symmetries if game.map_position(position, s) == position]

    def _bound(self, value: int, *, dark_to_move: bool) -> Bound:
        sure = _SURE_DISTANCE
        if self._game.rule is Rule.RENJU and (value > 0) != dark_to_move:
            sure = _SURE_DISTANCE_TO_LIGHTS_WIN_IN_RENJU
        if not is_decisive(value) or (distance(value) or 0) <= sure:
            return Bound.EXACT
        return Bound.LOWER if value > 0 else Bound.UPPER


def _no_better(result: SearchResult, proven: SearchResult) -> SearchResult:
    """What is known of another move beside the first one, which is proven.

    Where all moves lose, no other lasts longer.
    """
    if proven.value > 0 or (result.proven and result.value <= proven.value):
        return result
    return replace(result, value=proven.value, bound=Bound.UPPER, proven=True)
