"""Deep search of Pentago-swap and its relatives: limits in, a `SearchResult` out."""

import time
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event

import numpy as np

from engine.game import Game
from engine.games.quadrants import alphabeta as kernels
from engine.games.quadrants.alphabeta import NO_MOVE, pack_board, pack_move, unpack_move
from engine.games.quadrants.swap.proven_lines import ProvenLines, require_unfinished
from engine.games.quadrants.swap.solver import ExactSolver
from engine.kernels import LONG_AGO
from engine.multipv import alike, lines_by_exclusion
from engine.position import Move, Position
from engine.search import Limits, SearchOptions, SearchResult
from engine.tables import new_table
from engine.values import HEURISTIC_MAX, WIN, Bound, Value, is_decisive

_NO_LIMIT = 1 << 62
# The exact solver's table in MiB: it is emptied before every search.
_MOST_EXACT_TABLE = 16
# Of the time of a search in several threads, before alpha-beta begins beside the solver: most of
# what the solver can settle takes it much less.
_SOLVER_ALONE = 0.25
_LAST_GENERATION = np.iinfo(kernels.ENTRY_DTYPE["generation"]).max


class QuadrantSearcher:
    """Iterative-deepening alpha-beta over every legal move.

    An iteration to depth *d* sees every win and loss within *d* + 1 plies, so that a proven
    distance of at most *d* + 1 is exact. A longer one, read from the transposition table, is a
    limit: the search goes on to make it exact. With `reduces` late moves are reduced unless there
    is a limit by depth: then all but the shortest distances are limits, and a proof ends the
    search. An unproven value is an estimate and has `Bound.EXACT`.

    A result's depth is that of the last whole iteration; a better move met in the unfinished next
    one replaces its move. Depth 0 is the best-looking move of those looked at before a limit came.

    Nodes are moves made in the tree; a limit by nodes is kept exactly. It searches in one thread,
    however many it is granted.
    """

    def __init__(
        self,
        game: Game,
        kernel_game: int,
        options: SearchOptions = SearchOptions(),
        *,
        reduces: bool = False,
    ) -> None:
        """`kernel_game` is what the kernels call `game`, which has some turns for each cell."""
        self._game = game
        self._kernel_game = kernel_game
        self._reduces = reduces
        self._turns = game.move_count // game.cell_count
        self._states = np.zeros(1, dtype=kernels.STATE_DTYPE)
        self._state = self._states[0]
        self._table = new_table(options.table, kernels.ENTRY_DTYPE, kernels.MOST_ENTRIES)
        self._generation = 0
        self._ended = False
        self._started = 0
        self._whole: list[SearchResult] = []

    def search(
        self, position: Position, limits: Limits, *, exclude: Collection[Move] = ()
    ) -> SearchResult:
        """Search `position` until a limit, leaving out the root moves in `exclude`.

        A proven value is the truth about the moves that were not excluded. With a limit by depth
        or nodes alone the result depends on the arguments and nothing else.

        Raises:
            ValueError: if the game is over.
        """
        require_unfinished(self._game, position)
        return self.go_on(position, limits, exclude, started=time.monotonic_ns())

    def go_on(
        self,
        position: Position,
        limits: Limits,
        exclude: Collection[Move],
        *,
        started: int,
        spent: int = 0,
    ) -> SearchResult:
        """`search`, within what is left of limits that began to run at `started`.

        That is on the clock of `time.monotonic_ns`; `spent` are the nodes that are gone. The
        result has those, and all of the time.
        """
        allotment = limits.allotment(position.ply, self._game.cell_count)
        self._started = started
        if not exclude:
            self.forget()
        self._prepare(position, limits, exclude)
        if limits.nodes:
            self._state["node_limit"] -= spent
            self._state["next_check"] = min(kernels.NODES_BETWEEN_CHECKS, self._state["node_limit"])
        no_new_depth = _NO_LIMIT
        if allotment is not None:
            self._state["deadline"] = started + int(allotment.hard * 1e9)
            no_new_depth = started + int(allotment.soft * 1e9)
        if self._ended:
            self._state["deadline"] = LONG_AGO
        empty = self._game.cell_count - position.ply
        kernels.list_root(self._state)
        if self._state["stopped"]:
            result = self._after_looks(position, exclude)
        else:
            result = self._deepen(
                min(empty, limits.depth or empty), no_new_depth, is_first=not exclude
            )
        return replace(
            result,
            line=self._continued(position, result),
            nodes=spent + int(self._state["nodes"]),
            seconds=(time.monotonic_ns() - started) / 1e9,
        )

    def forget(self) -> None:
        """Have nothing found so far, before a search begins."""
        self._whole = []

    def expect(self, position: Position, line: Sequence[Move], value: Value, depth: int) -> None:
        """See `engine.search.Searcher`. Every search here begins with nothing."""

    def so_far(self) -> list[SearchResult]:
        """What the search for the first line has found, see `engine.search.Searcher`."""
        seconds = (time.monotonic_ns() - self._started) / 1e9
        nodes = int(self._state["nodes"])
        return [replace(result, nodes=nodes, seconds=seconds) for result in self._whole]

    def end(self) -> None:
        """Have the search that another thread is in, and all later ones until `may_begin`, end
        soon."""
        self._ended = True
        self._state["deadline"] = LONG_AGO

    def may_begin(self) -> None:
        """Take back what `end` said."""
        self._ended = False

    def search_lines(
        self, position: Position, limits: Limits, count: int, *, exclude: Collection[Move] = ()
    ) -> list[SearchResult]:
        """The `count` best root moves outside `exclude`, best first.

        Raises:
            ValueError: if the game is over or `count` is not positive.
        """
        return lines_by_exclusion(self, self._game, position, limits, count, exclude)

    def _prepare(self, position: Position, limits: Limits, exclude: Collection[Move]) -> None:
        """Make everything as new, so that no earlier search shows in the result."""
        self._states.view(np.uint8).fill(0)
        self._generation += 1
        if self._generation > _LAST_GENERATION:
            self._table.view(np.uint8).fill(0)
            self._generation = 1
        state = self._state
        state["generation"] = self._generation
        state["game"] = self._kernel_game
        state["reduces"] = self._reduces and limits.depth is None
        state["node_limit"] = limits.nodes or _NO_LIMIT
        state["next_check"] = min(kernels.NODES_BETWEEN_CHECKS, state["node_limit"])
        state["killers"] = NO_MOVE
        dark, light = pack_board(position.dark), pack_board(position.light)
        if not position.dark_to_move:
            dark, light = light, dark
        state["root_me"], state["root_opponent"] = dark, light
        for move in exclude:
            state["excluded"][pack_move(move, self._turns)] = 1
        state["excluded"].reshape(kernels.CELLS, kernels.TURNS)[:, self._turns :] = 1

    def _deepen(self, last_depth: int, no_new_depth: int, *, is_first: bool) -> SearchResult:
        """`no_new_depth` is on the clock of `time.monotonic_ns`."""
        result = self._result(NO_MOVE, 0)
        for depth in range(1, last_depth + 1):
            if depth > 1 and time.monotonic_ns() >= no_new_depth:
                break
            searched = kernels.search_root(self._state, self._table, depth)
            if self._state["stopped"]:
                return self._after_part(result, depth, searched)
            value = int(self._state["best_value"])
            if self._state["best_move"] == NO_MOVE:
                return result
            result = self._result(
                self._state["best_move"],
                value,
                depth=depth,
                proven=is_decisive(value) or not self._state["best_taint"],
                bound=self._bound_after(depth, value),
                line=self._best_line(),
            )
            if is_first:
                self._whole = [result]
            if result.proven and (result.bound is Bound.EXACT or self._state["reduces"]):
                break
        return result

    def _after_part(self, whole: SearchResult, depth: int, searched: int) -> SearchResult:
        """The result when the iteration to `depth` was cut short; `whole` is that of the last."""
        move, value = int(self._state["best_move"]), int(self._state["best_value"])
        if value > HEURISTIC_MAX:
            if whole.proven and whole.value >= value:
                return whole
            bound = self._bound_after(depth, value)
            return self._result(
                move, value, depth=depth - 1, proven=True, bound=bound, line=self._best_line()
            )
        if whole.proven or not searched:
            return whole
        if value >= -HEURISTIC_MAX:
            return self._result(move, value, depth=depth - 1, line=self._best_line())
        # All that was searched loses: take the best of the rest, unless all that is known to lose.
        scores = self._state["child_score"][0, : self._state["count"][0]]
        best = int(np.argmax(scores))
        value = max(int(scores[best]), int(self._state["root_ending_value"]))
        move = int(self._state["child_move"][0, best])
        if value != scores[best]:
            move = int(self._state["root_ending_move"])
        lost = value < -HEURISTIC_MAX
        bound = Bound.UPPER if lost else Bound.EXACT
        return self._result(move, value, depth=depth - 1, proven=lost, bound=bound)

    def _after_looks(self, position: Position, exclude: Collection[Move]) -> SearchResult:
        """The result when a limit came before all root moves were looked at."""
        ending, value = self._state["root_ending_move"], self._state["root_ending_value"]
        if value > HEURISTIC_MAX:
            return self._result(ending, value, proven=True)
        if self._state["count"][0] and self._state["child_score"][0, 0] > value:
            return self._result(self._state["child_move"][0, 0], self._state["child_score"][0, 0])
        if value == 0:
            return self._result(ending, 0)
        # The last move was not looked at, and all before it that were are known to lose.
        moves = [move for move in self._game.legal_moves(position) if move not in exclude]
        return self._result(pack_move(moves[-1], self._turns), 0)

    def _bound_after(self, depth: int, value: Value) -> Bound:
        """How a true value from an iteration to `depth` relates to the truth."""
        if self._state["reduces"]:
            depth = min(depth, kernels.REDUCED_FROM_DEPTH - 1)
        if not is_decisive(value) or WIN - abs(value) <= depth + 1:
            return Bound.EXACT
        return Bound.LOWER if value > 0 else Bound.UPPER

    def _best_line(self) -> list[int]:
        return [int(move) for move in self._state["line"][0, : self._state["line_length"][0]]]

    def _continued(self, position: Position, result: SearchResult) -> tuple[Move, ...]:
        """The line of `result`, followed into the table as far as it leads."""
        line = list(result.line)
        position = self._game.play_line(line, position)
        length = WIN - abs(result.value) if is_decisive(result.value) else result.depth
        while line and self._game.outcome(position) is None:
            value = result.value if len(line) % 2 == 0 else -result.value
            if is_decisive(value):
                value += len(line) if value > 0 else -len(line)
            me, opponent = pack_board(position.dark), pack_board(position.light)
            if not position.dark_to_move:
                me, opponent = opponent, me
            move = kernels.next_of_line(
                self._state,
                self._table,
                np.uint64(me),
                np.uint64(opponent),
                value,
                len(line) < length,
            )
            if move == NO_MOVE:
                break
            line.append(unpack_move(move, self._turns))
            position = self._game.play(position, line[-1])
        return tuple(line)

    def _result(
        self,
        packed_move: int,
        value: Value,
        *,
        depth: int = 0,
        proven: bool = False,
        bound: Bound = Bound.EXACT,
        line: Collection[int] | None = None,
    ) -> SearchResult:
        """A result in the moves of the rules; `line` is the move alone if it is not given."""
        packed_move = int(packed_move)
        if packed_move == NO_MOVE:
            return SearchResult(None, 0, Bound.EXACT, False, 0, 0, 0.0, ())
        return SearchResult(
            move=unpack_move(packed_move, self._turns),
            value=int(value),
            bound=bound,
            proven=proven,
            depth=depth,
            nodes=0,
            seconds=0.0,
            line=tuple(unpack_move(move, self._turns) for move in line or (packed_move,)),
        )


class PentagoSwapSearcher:
    """The exact solver within a share of the limits, then alpha-beta.

    What the solver settles has `Bound.EXACT`; a lost position's move is one that loses last and,
    of these, one after which few replies win soonest. With a limit by depth *d* it looks *d* + 1
    plies ahead. Moves that do equally well have equal values.

    Of several threads the solver makes use of all, alpha-beta of one. For one best move within a
    time, with no limit by nodes, alpha-beta then begins beside the solver, which goes on.
    """

    def __init__(self, game: Game, options: SearchOptions = SearchOptions()) -> None:
        self._game = game
        self._solver = ExactSolver(
            game, table=min(options.table, _MOST_EXACT_TABLE), threads=options.threads
        )
        # Short distances are the solver's.
        self._alpha_beta = QuadrantSearcher(game, kernels.SWAP, options, reduces=True)
        self._threads = options.threads
        self._solving: ProvenLines | None = None

    def search(
        self, position: Position, limits: Limits, *, exclude: Collection[Move] = ()
    ) -> SearchResult:
        """See `QuadrantSearcher.search`.

        Raises:
            ValueError: if the game is over.
        """
        self._alpha_beta.forget()
        allotment = limits.allotment(position.ply, self._game.cell_count)
        if allotment is not None and limits.nodes is None and self._threads > 1:
            return self._search_side_by_side(position, limits, exclude, allotment.soft)
        solving = self._solving = ProvenLines(self._game, self._solver, position, limits)
        proven = solving.lines(1, exclude)
        if proven:
            return proven[0]
        return self._alpha_beta.go_on(
            position, limits, exclude, started=solving.started, spent=solving.spent
        )

    def _search_side_by_side(
        self, position: Position, limits: Limits, exclude: Collection[Move], soft: float
    ) -> SearchResult:
        solving = self._solving = ProvenLines(
            self._game, self._solver, position, limits, of_time=1.0
        )
        proven: list[SearchResult] = []
        solver_is_through = Event()

        def search_aside() -> SearchResult | None:
            if solver_is_through.wait(soft * _SOLVER_ALONE) and proven:
                return None
            return self._alpha_beta.go_on(position, limits, exclude, started=solving.started)

        try:
            with ThreadPoolExecutor(1) as pool:
                aside = pool.submit(search_aside)
                is_open = False
                try:
                    proven += solving.lines(1, exclude)
                    is_open = not proven
                finally:
                    if not is_open:
                        self._alpha_beta.end()
                    solver_is_through.set()
        finally:
            self._alpha_beta.may_begin()
        searched = aside.result()
        if searched is None:
            return proven[0]
        if proven:
            return replace(proven[0], nodes=proven[0].nodes + searched.nodes)
        return replace(searched, nodes=searched.nodes + solving.spent)

    def expect(self, position: Position, line: Sequence[Move], value: Value, depth: int) -> None:
        """See `engine.search.Searcher`. Every search here begins with nothing."""

    def so_far(self) -> list[SearchResult]:
        """What alpha-beta has found, see `engine.search.Searcher`; the solver tells it at once."""
        return self._alpha_beta.so_far()

    def end(self) -> None:
        """Have the search that another thread is in end, see `engine.search.Searcher`."""
        self._alpha_beta.end()
        if self._solving is not None:
            self._solving.end()

    def search_lines(
        self, position: Position, limits: Limits, count: int, *, exclude: Collection[Move] = ()
    ) -> list[SearchResult]:
        """The `count` best root moves outside `exclude`, best first.

        Raises:
            ValueError: if the game is over or `count` is not positive.
        """
        if count == 1:
            return [self.search(position, limits, exclude=exclude)]
        self._alpha_beta.forget()
        solving = self._solving = ProvenLines(self._game, self._solver, position, limits)
        found = solving.lines(count, exclude)
        gone = set(exclude)
        for line in found:
            assert line.move is not None  # it is proven
            gone |= alike(self._game, position, line.move)
        left = solving.limits_left()
        all_gone = gone.issuperset(self._game.legal_moves(position))
        if found and (len(found) == count or left is None or all_gone):
            return found
        nodes, seconds = solving.untold()
        others = lines_by_exclusion(
            self._alpha_beta, self._game, position, left or limits, count - len(found), gone
        )
        first = others[0]
        others[0] = replace(first, nodes=first.nodes + nodes, seconds=first.seconds + seconds)
        return found + others
