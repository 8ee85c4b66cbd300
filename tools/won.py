"""The figures of a proved win in Gomoku: its parts, and how long it may take.

python -m tools.won gomoku-17 seventeen.db --thirds data/thirds/gomoku-17.txt
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import median

import click

from book.reader import BookReader
from engine.game import Game
from engine.games.gomoku import Gomoku
from engine.values import distance
from fivebook.options import GAME
from precompute.certificates.gomoku.builder import has_parts
from precompute.certificates.gomoku.opening import Line
from precompute.certificates.gomoku.part import Part, game_of
from precompute.certificates.gomoku.proof import ROUNDS, ProofByParts

_FILE = click.Path(path_type=Path, dir_okay=False)
_BOOK = click.Path(path_type=Path, dir_okay=False, exists=True)


@click.command()
@click.argument("game", type=GAME)
@click.argument("book", type=_BOOK)
@click.option("--thirds", type=_FILE, help="Write dark's second stones to this file.")
def main(game: Game, book: Path, thirds: Path | None) -> None:
    """Tell what the parts took from which BOOK was made, a win of GAME with BOOK.parts beside it,
    and within how many plies dark wins after each second move.
    """
    if not has_parts(game, game.initial):
        raise click.UsageError(f"no proof of {game.id} is made of parts")
    gomoku = game_of(game.id)
    parts = book.with_name(f"{book.name}.parts")
    if not parts.exists():
        raise click.UsageError(f"'{parts}' does not exist")
    with ProofByParts(gomoku, parts) as proof, BookReader(book) as reader:
        if not proof.complete:
            raise click.ClickException(f"the proof in '{parts}' is not complete")
        chosen = proof.thirds
        told = [*_of_parts(gomoku, proof.tried_parts), "", *_bounds(gomoku, reader, chosen)]
    click.echo("\n".join(told))
    if thirds is not None:
        lines = map(gomoku.format_line, chosen)
        head = f"# Dark's second stones in {game.id}, after each second move: those of"
        thirds.write_text("\n".join([f"{head} data/{game.id}.cert.", *lines, ""]))


def _of_parts(game: Gomoku, parts: list[Part]) -> Iterator[str]:
    nodes = [part.nodes for part in parts]
    hardest = max(parts, key=lambda part: part.nodes)
    yield f"{len(parts):,} pairs, {sum(nodes):,} nodes, median {median(nodes):,.0f}"
    yield f"hardest: {game.format_line(hardest.line)}, {hardest.nodes:,} nodes"
    for least, most in pairwise((0, *ROUNDS)):
        share = [count for count in nodes if least < count <= most]
        yield f"pairs with up to {most:,} nodes: {len(share):,}, {sum(share):,} nodes in all"


def _bounds(game: Gomoku, reader: BookReader, thirds: list[Line]) -> Iterator[str]:
    """Dark's bounds after the second moves, the largest first."""
    by_bound: dict[int, list[Line]] = defaultdict(list)
    for line in thirds:
        entry = reader.get(game, game.play_line(line[:-1]), best_only=True)
        plies = distance(entry.value) if entry else None
        if plies is None:
            raise click.ClickException(f"the book has no win after '{game.format_line(line[:-1])}'")
        by_bound[plies + len(line) - 1].append(line)
    for plies, lines in sorted(by_bound.items(), reverse=True):
        yield f"within {plies} plies: {', '.join(map(game.format_line, lines))}"


if __name__ == "__main__":
    main()
