"""The compiled search beside the same search in plain Python, which the tests keep."""

import importlib.util
import time
from collections.abc import Sequence
from dataclasses import dataclass

import click

from engine.game import Game
from engine.position import Position
from engine.search import Limits, Searcher, SearchOptions, SearchResult
from tools.bench.checkout import path_of

SOURCE = "tests/oracles/reference_gomoku.py"


@dataclass(frozen=True, slots=True)
class AgainstPlainPython:
    """Both searches to a fixed depth, with the same nodes; in nodes a second of processor time."""

    game: str
    positions: int
    depth: int
    nodes: int
    kernels: int
    plain_python: int
    ratio: float


def compare(
    game: Game, positions: Sequence[Position], depth: int, table: int
) -> AgainstPlainPython:
    """Search each position to `depth` with both.

    Raises:
        click.ClickException: if they differ in move, value, line or nodes.
    """
    options = SearchOptions(table=table)
    kernels, plain = game.searcher(options), _reference(game, options)
    nodes, kernel_seconds, plain_seconds = 0, 0.0, 0.0
    for position in positions:
        found, found_seconds = _timed(kernels, position, depth)
        expected, expected_seconds = _timed(plain, position, depth)
        for name in ("nodes", "move", "value", "line"):
            ours, theirs = getattr(found, name), getattr(expected, name)
            if ours != theirs:
                raise click.ClickException(
                    f"the kernels and plain Python differ in {name} at depth {depth} on the "
                    f"position with {position.ply} stones: {ours} and {theirs}"
                )
        nodes += found.nodes
        kernel_seconds += found_seconds
        plain_seconds += expected_seconds
    return AgainstPlainPython(
        game=game.id,
        positions=len(positions),
        depth=depth,
        nodes=nodes,
        kernels=round(nodes / kernel_seconds),
        plain_python=round(nodes / plain_seconds),
        ratio=round(plain_seconds / kernel_seconds, 1),
    )


def _reference(game: Game, options: SearchOptions) -> Searcher:
    # By its path, since whatever is called `tests` elsewhere could be found by name.
    spec = importlib.util.spec_from_file_location("reference_gomoku", path_of(SOURCE))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    searcher: Searcher = module.ReferenceSearcher(game, options)
    return searcher


def _timed(searcher: Searcher, position: Position, depth: int) -> tuple[SearchResult, float]:
    """The result and the processor time, which other work on the machine does not lengthen."""
    started = time.process_time()
    result = searcher.search(position, Limits(depth=depth))
    return result, max(time.process_time() - started, 1e-9)
