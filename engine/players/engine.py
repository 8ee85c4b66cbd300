"""This project's own search as a player."""

from collections.abc import Sequence
from dataclasses import replace

from engine.clock import Clock
from engine.game import Game
from engine.players.base import Choice, Player
from engine.position import Move, Position
from engine.search import Limits, SearchOptions
from engine.values import Value

_USUAL_NODES_A_SECOND = 1_000_000


class EnginePlayer(Player):
    """Searches each position within `limits`, whatever was played before.

    Raises:
        InvalidOptions: if there is no memory for its table.
    """

    name = "engine"

    def __init__(
        self, game: Game, limits: Limits, options: SearchOptions = SearchOptions()
    ) -> None:
        self.game = game
        self.limits = limits
        self.options = options
        self.movetime = limits.movetime
        self._searcher = game.searcher(options)
        # Of all searches, as though there had been one before.
        self._nodes, self._seconds = _USUAL_NODES_A_SECOND, 1.0

    def choose(self, position: Position) -> Choice:
        return self._search(position, self.limits)

    def choose_by_clock(self, position: Position, clock: Clock) -> Choice:
        return self._search(position, replace(self.limits, clock=clock))

    def nodes_for(self, position: Position, clock: Clock | None = None) -> int | None:
        limits = self.limits if clock is None else replace(self.limits, clock=clock)
        share = limits.allotment(position.ply, self.game.cell_count)
        if share is None:
            return limits.nodes
        in_time = int(share.soft * self._nodes / self._seconds)
        return in_time if limits.nodes is None else min(in_time, limits.nodes)

    def expect(self, position: Position, line: Sequence[Move], value: Value, depth: int) -> None:
        """See `engine.search.Searcher.expect`."""
        self._searcher.expect(position, line, value, depth)

    def look_ahead(self, position: Position) -> None:
        """Fill the table for as long as a move may take, where each has a time of its own."""
        if self.limits.movetime is not None and self.limits.clock is None:
            self._search(position, self.limits)

    def end(self) -> None:
        """Have the choice that another thread waits for be made soon."""
        self._searcher.end()

    def _search(self, position: Position, limits: Limits) -> Choice:
        result = self._searcher.search(position, limits)
        assert result.move is not None  # nothing is excluded
        self._nodes += result.nodes
        self._seconds += result.seconds
        return Choice(result.move, result.value, result.depth, result.nodes)
