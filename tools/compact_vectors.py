"""Makes docs/compact-vectors.tsv: keys of compact books to test a reader with.

python -m tools.compact_vectors > docs/compact-vectors.tsv
"""

from collections.abc import Iterator
from random import Random

import click

from book.compact import key_of
from engine import registry
from engine.game import Game
from engine.position import Position, cells_of
from fivebook.bench.random_positions import random_positions

# Every size and rule of Gomoku, both games of a stone and a turn, and boards that are no square.
GAMES = (
    *(f"gomoku-{size}{rule}" for size in range(5, 27) for rule in ("", "-standard", "-renju")),
    *("pentago", "pentago-twist", "pentago-swap"),
    *("connect-four-7x6", "connect-four-5x4", "connect-four-6x6", "connect-four-26x26"),
)
_PLIES = (1, 4, 9)


@click.command()
def main() -> None:
    """Print a line of names, and one for each position: of random play, in any orientation."""
    click.echo("game\tdark\tlight\tkey")
    for name in GAMES:
        game = registry.get(name)
        for position in _positions(game):
            sides = "\t".join(_names(game, side) for side in (position.dark, position.light))
            key = key_of(game, game.canonical(position).position)
            click.echo(f"{name}\t{sides}\t{key:016x}")


def _positions(game: Game) -> Iterator[Position]:
    random = Random(game.id)
    for plies in _PLIES:
        yield next(random_positions(game, plies, random))


def _names(game: Game, stones: int) -> str:
    return " ".join(map(game.format_cell, cells_of(stones)))


if __name__ == "__main__":
    main()
