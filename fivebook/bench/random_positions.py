"""Random positions: how many a live search settles exactly."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from random import Random

from engine.game import Game
from engine.position import Position
from engine.search import Limits, Method, Searcher, SearchOptions, SearchResult

NODES = 1_000_000
STONES = (8, 10, 12, 14, 16)


@dataclass(frozen=True, slots=True)
class Settled:
    """Shares of random positions whose result is proven by a search within `movetime` seconds,
    and by one of a single thread within NODES, which is the same everywhere. `solver` is the part
    of the latter that is the exact solver's."""

    game: str
    stones: int
    positions: int
    movetime: float
    threads: int
    in_time: float
    in_nodes: float
    solver: float


def settle_random(
    game: Game, count: int, movetime: float, options: SearchOptions
) -> Iterator[Settled]:
    """Search `count` positions for each number of STONES, the same each time."""
    several = game.searcher(options)
    one = game.searcher(replace(options, threads=1))
    for stones in STONES:
        positions = list(islice(random_positions(game, stones, Random(stones)), count))
        timed = _search(several, positions, Limits(movetime=movetime))
        counted = _search(one, positions, Limits(nodes=NODES))
        yield Settled(
            game=game.id,
            stones=stones,
            positions=count,
            movetime=movetime,
            threads=options.threads,
            in_time=sum(result.proven for result in timed) / count,
            in_nodes=sum(result.proven for result in counted) / count,
            solver=sum(result.method is Method.SOLVER for result in counted) / count,
        )


def random_positions(game: Game, stones: int, random: Random) -> Iterator[Position]:
    """Positions of random play that is not over after that many stones."""
    while True:
        position = game.initial
        while position.ply < stones and game.outcome(position) is None:
            position = game.play(position, random.choice(game.legal_moves(position)))
        if game.outcome(position) is None:
            yield position


def _search(searcher: Searcher, positions: list[Position], limits: Limits) -> list[SearchResult]:
    return [searcher.search(position, limits) for position in positions]
