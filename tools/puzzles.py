"""Makes the puzzles in data/puzzles: positions of the engine's own games with a forced win.

python -m tools.puzzles vcf 200 > data/puzzles/vcf.txt
python -m tools.puzzles solve vcf
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from engine import __version__, registry
from engine.game import Game
from engine.games.gomoku import Gomoku
from engine.games.gomoku.threat_solver import ThreatSolver
from engine.position import Move, Position
from engine.search import Limits

_GAMES = ("gomoku-15", "gomoku-15-standard", "gomoku-19")
_KINDS = ("vcf", "vct")
_USAGE = "(vcf|vct) COUNT | solve (vcf|vct)"
# Fewer nodes a move leave more threats standing.
_PLAYING = Limits(nodes=1_000)
_SOLVER_NODES = 1_000_000
_SHORTEST = 7
_RANDOM_MOVES = 4
_REACH = 3
_FOLDER = Path(__file__).parents[1] / "data" / "puzzles"


class Attempt(NamedTuple):
    """What the threat solver made of one puzzle: whether it found a win as short as stated."""

    solved: bool
    seconds: float
    nodes: int


def solve_all(kind: str) -> list[Attempt]:
    """Solve every shipped puzzle of a kind, vcf or vct, in the order of its file."""
    solvers = {game.id: ThreatSolver(game) for game in _games()}
    attempts = []
    for line in (_FOLDER / f"{kind}.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        name, distance, moves = line.split(maxsplit=2)
        game = registry.get(name)
        position = game.play_line(game.parse_line(moves))
        started = time.perf_counter()
        result = getattr(solvers[name], kind)(position)
        seconds = time.perf_counter() - started
        attempts.append(Attempt(result.distance == int(distance), seconds, result.nodes))
    return attempts


def report(kind: str) -> None:
    """Solve the puzzles of a kind and print how many are solved, how fast."""
    attempts = solve_all(kind)
    solved = [attempt for attempt in attempts if attempt.solved]
    within = sum(attempt.seconds <= 1 for attempt in solved)
    slowest = max(attempts, key=lambda attempt: attempt.seconds)
    print(
        f"{kind}: {len(solved)} of {len(attempts)} solved, {within / len(attempts):.1%} of all "
        f"within 1 s; the slowest took {slowest.seconds:.3f} s, {slowest.nodes:,} nodes"
    )


def main(kind: str, count: int) -> None:
    """Print `count` puzzles of a kind, vcf or vct; the same for the same engine."""
    means = {"vcf": "by fours alone", "vct": "by fours and threes, not by fours alone"}
    print(f"# {count} positions in which the side to move wins {means[kind]}:")
    print("# the game, the length of the shortest such win in plies, and the moves so far.")
    print(
        f"# From games of fivebook {__version__}'s engine against itself, no two equal by symmetry."
    )
    print(f"# Made by: python -m tools.puzzles {kind} {count}")
    print("# Licence: MIT, as fivebook itself.")
    sources = [_puzzles(game, kind, Random(f"{kind} {game.id}")) for game in _games()]
    for index in range(count):
        print(next(sources[index % len(sources)]), flush=True)


def _games() -> Iterator[Gomoku]:
    for name in _GAMES:
        game = registry.get(name)
        assert isinstance(game, Gomoku)
        yield game


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
            move = random.choice([m for m in game.legal_moves(position) if _is_central(game, m)])
        else:
            yield line, position
            move = searcher.search(position, _PLAYING).line[0]
        line = [*line, move]
        position = game.play(position, move)


def _is_central(game: Game, move: Move) -> bool:
    row, column = divmod(move, game.width)
    return max(abs(row - game.width // 2), abs(column - game.width // 2)) <= _REACH


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["solve", kind] if kind in _KINDS:
            report(kind)
        case [kind, count] if kind in _KINDS and count.isdecimal():
            main(kind, int(count))
        case _:
            sys.exit(f"usage: python -m tools.puzzles {_USAGE}")
