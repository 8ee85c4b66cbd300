"""Several lines from a searcher that finds one: the best move, then the best of the others."""

import time
from collections.abc import Collection
from dataclasses import replace

from engine.game import Game
from engine.position import Move, Position
from engine.search import Limits, Searcher, SearchResult

_SHORTEST_MOVETIME = 0.001


def lines_by_exclusion(
    searcher: Searcher,
    game: Game,
    position: Position,
    limits: Limits,
    count: int,
    exclude: Collection[Move] = (),
) -> list[SearchResult]:
    """What `Searcher.search_lines` returns, by one search for each line.

    Each search gets an equal part of the nodes and of the time that those before it have left.
    The depth is for each of them.

    Raises:
        ValueError: if the game is over, no move is left or `count` is not positive.
    """
    if count < 1:
        raise ValueError(f"the number of lines must be one or more, not {count}")
    legal = set(game.legal_moves(position))
    left_over = legal - set(exclude)
    rest = _Rest(limits, position.ply, game.cell_count)
    found: list[SearchResult] = []
    for lines in range(max(min(count, len(left_over)), 1), 0, -1):
        result = searcher.search(position, rest.part(lines), exclude=legal - left_over)
        assert result.move is not None  # there is a move left
        found.append(result)
        left_over -= alike(game, position, result.move)
        rest.nodes -= result.nodes
        if rest.is_spent or not left_over:
            break
    return best_first(found)


class _Rest:
    """What several searches have left of the limits that are for all of them."""

    def __init__(self, limits: Limits, ply: int, cells: int) -> None:
        self._limits = limits
        allotment = limits.allotment(ply, cells)
        self._deadline = time.monotonic() + allotment.hard if allotment else None
        self.nodes = limits.nodes or 0

    @property
    def is_spent(self) -> bool:
        """Whether there is nothing left for another search."""
        if self._limits.nodes is not None and self.nodes <= 0:
            return True
        return self._deadline is not None and time.monotonic() >= self._deadline

    def part(self, searches: int) -> Limits:
        """The limits of the next of that many searches."""
        limits = self._limits
        if limits.nodes is not None:
            limits = replace(limits, nodes=max(self.nodes // searches, 1))
        if self._deadline is not None:
            share = (self._deadline - time.monotonic()) / searches
            limits = replace(limits, movetime=max(share, _SHORTEST_MOVETIME), clock=None)
        return limits


def best_first(found: list[SearchResult]) -> list[SearchResult]:
    """The results of moves searched one after the other, each without those before, in order.

    A later search, of fewer moves, may have come deeper and found more in its move: unless the
    one before it is proven, which is then the truth about both.
    """
    ordered: list[SearchResult] = []
    for result in found:
        place = len(ordered)
        while place and not ordered[place - 1].proven and ordered[place - 1].value < result.value:
            place -= 1
        ordered.insert(place, result)
    return ordered


def alike(game: Game, position: Position, move: Move) -> set[Move]:
    """The moves that lead where `move` does, or to an image of that."""
    child = game.play(position, move)
    images = {game.map_position(child, symmetry) for symmetry in game.symmetries}
    return {other for other in game.legal_moves(position) if game.play(position, other) in images}
