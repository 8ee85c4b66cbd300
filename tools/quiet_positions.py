"""Makes the positions in data/bench: quiet ones of the engine's own games.

python -m tools.quiet_positions 24 > data/bench/gomoku-15.txt
"""

from collections.abc import Iterator
from random import Random

import click

from engine import __version__, registry
from engine.game import Game
from engine.games.gomoku import Gomoku
from engine.games.gomoku.threat_solver import ThreatSolver
from engine.position import Move, Position
from engine.search import Limits
from fivebook.options import POSITIVE
from tools.suite import central_moves

_GAME = "gomoku-15"
_PLIES = (4, 30)
_RANDOM_MOVES, _REACH = 3, 2
# Good play is what leaves positions quiet.
_PLAYING = Limits(nodes=20_000)
_SEARCHED = Limits(nodes=1_000_000)
_MARGIN = 200


@click.command()
@click.argument("count", type=POSITIVE)
def main(count: int) -> None:
    """Print COUNT quiet positions, earlier ones first; the same for the same engine."""
    game = registry.get(_GAME)
    assert isinstance(game, Gomoku)
    click.echo(
        f"# {count} quiet positions of {game.id}, a line of moves each: the side to move has no"
    )
    click.echo("# win by fours and threes, the other side threatens none by fours, and a search of")
    click.echo(
        f"# {_SEARCHED.nodes:,} nodes proves nothing and finds them within {_MARGIN} centi-units"
    )
    click.echo(f"# of equal. From games of fivebook {__version__}'s engine against itself.")
    click.echo(f"# Made by: python -m tools.quiet_positions {count}")
    click.echo("# Licence: MIT, as fivebook itself.")
    first, last = _PLIES
    for index in range(count):
        ply = first + (last - first) * index // max(count - 1, 1)
        click.echo(game.format_line(_quiet_line(game, ply, Random(f"quiet {index}"))))


def _quiet_line(game: Gomoku, ply: int, random: Random) -> tuple[Move, ...]:
    """The first `ply` moves of the first game that is quiet after them."""
    return next(line for line in _lines(game, ply, random) if _is_quiet(game, game.play_line(line)))


def _lines(game: Game, ply: int, random: Random) -> Iterator[tuple[Move, ...]]:
    """The first `ply` moves of games that begin with a few random moves near the centre."""
    searcher = game.searcher()
    central = central_moves(game, game.initial, _REACH)
    while True:
        line = tuple(random.sample(central, _RANDOM_MOVES))
        position = game.play_line(line)
        while len(line) < ply and game.outcome(position) is None:
            result = searcher.search(position, _PLAYING)
            if result.proven:
                break
            line = (*line, result.line[0])
            position = game.play(position, line[-1])
        if len(line) == ply and game.outcome(position) is None:
            yield line


def _is_quiet(game: Gomoku, position: Position) -> bool:
    solver = ThreatSolver(game)
    if solver.vcf(position, after_pass=True).won is not False:
        return False
    if solver.vct(position).won is not False:
        return False
    result = game.searcher().search(position, _SEARCHED)
    return not result.proven and abs(result.value) <= _MARGIN


if __name__ == "__main__":
    main()
