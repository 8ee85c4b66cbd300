"""Several lines from a searcher that finds one: the best move, then the best of the others."""

import time
from collections.abc import Collection
from dataclasses import replace

from engine.games.base import SYMMETRIES, Game
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

    Each search gets an equal part of the nodes and of the time that those before it have left,
    and at least one node and a millisecond. The depth is for each of them.

    Raises:
        ValueError: if the game is over, no move is left or `count` is not positive.
    """
    if count < 1:
        raise ValueError(f"the number of lines must be one or more, not {count}")
    left_over = set(game.legal_moves(position)) - set(exclude)
    allotment = limits.allotment(position.ply, game.cell_count)
    started = time.monotonic()
    nodes = limits.nodes
    found: list[SearchResult] = []
    for lines_left in range(max(min(count, len(left_over)), 1), 0, -1):
        part = limits
        if nodes is not None:
            part = replace(part, nodes=max(nodes // lines_left, 1))
        if allotment is not None:
            seconds = allotment.hard - (time.monotonic() - started)
            movetime = max(seconds / lines_left, _SHORTEST_MOVETIME)
            part = replace(part, movetime=movetime, clock=None)
        excluded = set(game.legal_moves(position)) - left_over
        result = searcher.search(position, part, exclude=excluded)
        assert result.move is not None  # there is a move left
        found.append(result)
        left_over -= _alike(game, position, result.move)
        if nodes is not None:
            nodes -= result.nodes
        if not left_over:
            break
    # A later search, of fewer moves, may have come deeper and found more in its move.
    return sorted(found, key=lambda result: -result.value)


def _alike(game: Game, position: Position, move: Move) -> set[Move]:
    """The moves that lead where `move` does, or to an image of that."""
    child = game.play(position, move)
    images = {game.map_position(child, symmetry) for symmetry in SYMMETRIES}
    return {other for other in game.legal_moves(position) if game.play(position, other) in images}
