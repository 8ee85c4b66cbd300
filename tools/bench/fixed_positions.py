"""Searches of fixed positions: nodes, nodes a second, threads, depth in a time."""

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from engine.game import Game
from engine.position import Position
from engine.search import Limits, Searcher, SearchOptions, SearchResult


@dataclass(frozen=True, slots=True)
class FixedDepth:
    """Searches to a fixed depth in one thread. `nodes` changes only when the search does."""

    game: str
    positions: int
    depth: int
    nodes: int
    nodes_per_second: int


@dataclass(frozen=True, slots=True)
class ThreadSpeed:
    """The same searches with one thread or several, which took turns.

    Against one thread, `speed` is how many times the nodes a second are, `sooner` how many times
    sooner all searches together reach their depth, and `sooner_on_average` the geometric mean
    of that over positions.
    """

    game: str
    depth: int
    threads: int
    searches: int
    nodes_per_second: int
    speed: float
    seconds: float
    sooner: float
    sooner_on_average: float


@dataclass(frozen=True, slots=True)
class DepthInTime:
    """The depths finished in a time; `proven` positions were settled before it was over."""

    game: str
    positions: int
    movetime: float
    threads: int
    proven: int
    median: float
    depths: dict[int, int]


def search_fixed(game: Game, positions: Sequence[Position], depth: int, table: int) -> FixedDepth:
    """Search each position to `depth`."""
    searcher = game.searcher(SearchOptions(table=table))
    nodes, seconds = _sums([searcher.search(each, Limits(depth=depth)) for each in positions])
    return FixedDepth(game.id, len(positions), depth, nodes, round(nodes / seconds))


def search_in_threads(
    game: Game, positions: Sequence[Position], depth: int, options: SearchOptions, repeats: int
) -> tuple[ThreadSpeed, ThreadSpeed]:
    """Search each position to `depth`, with one thread and with several in turn."""
    searchers = game.searcher(SearchOptions(table=options.table)), game.searcher(options)
    for searcher in searchers:
        # What only the first search of all has to do.
        searcher.search(positions[0], Limits(depth=1))
    pairs = [_pair(searchers, position, depth, repeats) for position in positions]
    ratios = [_sums(first)[1] / _sums(second)[1] for first, second in pairs]
    sums = [_sums([result for pair in pairs for result in pair[side]]) for side in range(2)]
    speeds = [nodes / seconds for nodes, seconds in sums]

    def row(side: int) -> ThreadSpeed:
        return ThreadSpeed(
            game=game.id,
            depth=depth,
            threads=(1, options.threads)[side],
            searches=repeats * len(positions),
            nodes_per_second=round(speeds[side]),
            speed=round(speeds[side] / speeds[0], 2),
            seconds=round(sums[side][1], 3),
            sooner=round(sums[0][1] / sums[side][1], 2),
            sooner_on_average=round(statistics.geometric_mean(ratios), 2) if side else 1.0,
        )

    return row(0), row(1)


def _pair(
    searchers: tuple[Searcher, Searcher], position: Position, depth: int, repeats: int
) -> tuple[list[SearchResult], list[SearchResult]]:
    """The results of both searchers, which take turns at being the first."""
    results: tuple[list[SearchResult], list[SearchResult]] = ([], [])
    for repeat in range(repeats):
        for side in (repeat % 2, 1 - repeat % 2):
            results[side].append(searchers[side].search(position, Limits(depth=depth)))
    return results


def _sums(results: Sequence[SearchResult]) -> tuple[int, float]:
    """Nodes and seconds; some time at least, so that it can be divided by."""
    seconds = sum(result.seconds for result in results)
    return sum(result.nodes for result in results), max(seconds, 1e-9)


def depth_in_time(
    game: Game, positions: Sequence[Position], movetime: float, options: SearchOptions
) -> DepthInTime:
    """Search each position for `movetime` seconds."""
    searcher = game.searcher(options)
    results = [searcher.search(position, Limits(movetime=movetime)) for position in positions]
    depths = [result.depth for result in results]
    return DepthInTime(
        game=game.id,
        positions=len(positions),
        movetime=movetime,
        threads=options.threads,
        proven=sum(result.proven for result in results),
        median=statistics.median(depths),
        depths=dict(sorted(Counter(depths).items())),
    )
