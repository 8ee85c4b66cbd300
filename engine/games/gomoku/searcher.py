"""The Gomoku searcher: the compiled search behind the interface that all games share."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.games.gomoku import alphabeta, board, lines
from engine.games.gomoku.weights import Weights
from engine.games.gomoku.weights import read as read_weights
from engine.position import Move, Position, cells_of
from engine.search import Limits, SearchResult
from engine.values import Bound, distance, is_decisive

if TYPE_CHECKING:
    from engine.games.gomoku import Gomoku

_TABLE_ENTRIES = 1 << 18
_ZOBRIST_SEED = 5
_FREESTYLE_FLAGS = (1 << 16) - 1
_EXACT_FLAGS = (1 << 18) - 1
_UNLIMITED = np.iinfo(np.int64).max
# Up to here the search sees every win and every defence, so that no shorter win can exist.
_SURE_DISTANCE = 4


class GomokuSearcher:
    """Alpha-beta with iterative deepening for one Gomoku game. For one thread at a time.

    Each search starts with an empty transposition table, so that a search limited by nodes or
    depth gives the same result whatever was searched before. Without `weights` the evaluation
    uses those in their file.
    """

    def __init__(self, game: Gomoku, weights: Weights | None = None) -> None:
        self._game = game
        states = np.zeros(1, dtype=board.STATE)
        self._state = states[0]
        self._table = np.zeros(_TABLE_ENTRIES, dtype=alphabeta.ENTRY)
        flags = _EXACT_FLAGS if game.exactly_five else _FREESTYLE_FLAGS
        for colour in (0, 1):
            start = colour * lines.TABLE_SIZE
            table = states["table"][0, start : start + flags + 1]
            lines.fill_table(table, colour, game.exactly_five)
        weights = weights or read_weights()
        rows, levels = (np.array(each, np.int64) for each in (weights.rows, weights.levels))
        board.fill_pattern_tables(self._state, rows, levels)
        states["tempo"] = weights.tempo
        random = np.random.Generator(np.random.PCG64(_ZOBRIST_SEED))
        states["zobrist"] = random.integers(1, 1 << 63, 2 * board.CELLS, dtype=np.uint64)
        states["reach"] = 5 if game.exactly_five else 4
        states["flags"] = flags

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
        state["node_limit"] = limits.nodes or _UNLIMITED
        state["deadline"] = started + int(limits.movetime * 1e9) if limits.movetime else 0
        empties = int(state["empties"])
        alphabeta.think(state, self._table, min(limits.depth or empties, empties))
        line = state["best_line"][: int(state["best_length"])]
        value, settled = int(state["best_value"]), bool(state["settled"])
        return SearchResult(
            move=board.unpadded(int(line[0]), size),
            value=value,
            bound=_bound(value),
            proven=settled,
            depth=int(state["best_depth"]),
            nodes=int(state["nodes"]),
            seconds=(time.monotonic_ns() - started) / 1e9,
            line=tuple(board.unpadded(int(cell), size) for cell in line),
        )

    def state_of(self, position: Position) -> Any:
        """The kernels' record with `position` on its board, until it is put to the next use."""
        self._set_up(position, ())
        return self._state

    def _set_up(self, position: Position, exclude: Collection[Move]) -> None:
        size = self._game.size
        dark, light = cells_of(position.dark), cells_of(position.light)
        stones = np.empty(len(dark) + len(light), dtype=np.int64)
        stones[0::2] = [board.padded(cell, size) for cell in dark]
        stones[1::2] = [board.padded(cell, size) for cell in light]
        board.set_up(self._state, size, stones)
        self._state["excluded"][:] = 0
        self._state["excluded"][[board.padded(move, size) for move in exclude]] = 1


def _bound(value: int) -> Bound:
    if not is_decisive(value) or (distance(value) or 0) <= _SURE_DISTANCE:
        return Bound.EXACT
    return Bound.LOWER if value > 0 else Bound.UPPER
