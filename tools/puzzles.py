"""Puzzles, positions with a forced win of a known length: made, read and solved.

python -m tools.puzzles vcf 200 > data/puzzles/vcf.txt

`python -m tools.bench puzzles` counts how many of those in data/puzzles are solved in time.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

import click

from engine import __version__, registry
from engine.game import Game
from engine.games.gomoku import Gomoku
from engine.games.gomoku.threat_solver import ThreatSolver
from engine.position import Move, Position
from engine.search import Limits
from fivebook.options import POSITIVE
from tools.suite import central_moves

KINDS = {"vcf": "by fours alone", "vct": "by fours and threes, not by fours alone"}
"""How the side to move wins."""

_GAMES = ("gomoku-15", "gomoku-15-standard", "gomoku-19")
# Fewer nodes a move leave more threats standing.
_PLAYING = Limits(nodes=1_000)
_SOLVER_NODES = 1_000_000
_SHORTEST = 7
_RANDOM_MOVES = 4


class Puzzle(NamedTuple):
    """The side to move has a win of its kind in `distance` plies, and no shorter one."""

    game: Gomoku
    distance: int
    position: Position


@dataclass(frozen=True, slots=True)
class Attempt:
    """What became of a puzzle; `solved` if the win was found, as short as it can be."""

    puzzle: Puzzle
    solved: bool
    nodes: int
    seconds: float


def read_puzzles(lines: Iterable[str]) -> list[Puzzle]:
    """The puzzles on `lines`: game, distance and moves of each; `#` begins a comment line.

    Raises:
        FivebookError: if there is no such game or move.
    """
    return [_puzzle(line) for line in lines if not line.startswith("#")]


def _puzzle(line: str) -> Puzzle:
    name, distance, moves = line.split(maxsplit=2)
    game = _gomoku(name)
    return Puzzle(game, int(distance), game.play_line(game.parse_line(moves)))


def solve_all(kind: str, puzzles: Iterable[Puzzle]) -> Iterator[Attempt]:
    """Try each of `puzzles`, of one of the KINDS, with the threat solver's usual nodes."""
    solvers: dict[str, ThreatSolver] = {}
    for puzzle in puzzles:
        solver = solvers.setdefault(puzzle.game.id, ThreatSolver(puzzle.game))
        solve = solver.vcf if kind == "vcf" else solver.vct
        started = time.perf_counter()
        result = solve(puzzle.position)
        seconds = time.perf_counter() - started
        yield Attempt(puzzle, result.distance == puzzle.distance, result.nodes, seconds)


@click.command()
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.argument("count", type=POSITIVE)
def main(kind: str, count: int) -> None:
    """Print COUNT puzzles of a KIND, from games of the engine against itself.

    They are the same for the same engine.
    """
    click.echo(f"# {count} positions in which the side to move wins {KINDS[kind]}:")
    click.echo("# the game, the length of the shortest such win in plies, and the moves so far.")
    click.echo(
        f"# From games of fivebook {__version__}'s engine against itself, no two equal by symmetry."
    )
    click.echo(f"# Made by: python -m tools.puzzles {kind} {count}")
    click.echo("# Licence: MIT, as fivebook itself.")
    sources = [_puzzles(_gomoku(name), kind, Random(f"{kind} {name}")) for name in _GAMES]
    for index in range(count):
        click.echo(next(sources[index % len(sources)]))


def _gomoku(name: str) -> Gomoku:
    game = registry.get(name)
    assert isinstance(game, Gomoku)
    return game


def _puzzles(game: Gomoku, kind: str, random: Random) -> Iterator[str]:
    """At most one puzzle a game, the first that is long enough."""
    solver, seen = ThreatSolver(game), set()
    while True:
        for line, position in _game(game, random):
            distance = _distance(solver, kind, position)
            if distance is not None and distance >= _SHORTEST:
                key = game.canonical(position).key
                if key not in seen:
                    yield f"{game.id} {distance} {game.format_line(line)}"
                seen.add(key)
                break


def _distance(solver: ThreatSolver, kind: str, position: Position) -> int | None:
    """Plies to a win of this kind and no easier one; None if none was found."""
    by_fours = solver.vcf(position, nodes=_SOLVER_NODES)
    if kind == "vcf":
        return by_fours.distance
    if by_fours.won is not False:
        return None
    return solver.vct(position, nodes=_SOLVER_NODES).distance


def _game(game: Game, random: Random) -> Iterator[tuple[list[Move], Position]]:
    """Every position of one game, after a few random moves near the centre."""
    searcher, position = game.searcher(), game.initial
    line: list[Move] = []
    while game.outcome(position) is None:
        if len(line) < _RANDOM_MOVES:
            move = random.choice(central_moves(game, position))
        else:
            yield line, position
            move = searcher.search(position, _PLAYING).line[0]
        line = [*line, move]
        position = game.play(position, move)


if __name__ == "__main__":
    main()
