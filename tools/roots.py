"""Chooses the openings of a suite that a longer search, too, takes for equal, to grow a book from.

python -m tools.roots gomoku-15 data/openings/gomoku-15.txt data/roots/level/gomoku-15.txt --jobs 2
"""

from pathlib import Path

import click
from joblib import Parallel, delayed

from engine import __version__, registry
from engine.game import Game
from engine.search import Limits, SearchOptions
from fivebook.options import GAME, POSITIVE
from service.play.arena.openings import InvalidOpenings, Opening, read_openings

# In MiB: a search of millions of nodes knows again what it has seen.
_TABLE = 64


@click.command()
@click.argument("game", type=GAME)
@click.argument("suite", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--roots", type=POSITIVE, default=40, show_default=True)
@click.option("--nodes", type=POSITIVE, default=4_000_000, show_default=True)
@click.option("--jobs", type=POSITIVE, default=1, show_default=True)
def main(game: Game, suite: Path, file: Path, roots: int, nodes: int, jobs: int) -> None:
    """Write into FILE those openings of SUITE that are nearest to equal, at most as many as ROOTS.

    They stay in the order of the suite; none is proven. The same for the same engine and options.
    """
    try:
        openings = read_openings(game, suite)
    except InvalidOpenings as error:
        raise click.BadParameter(str(error), param_hint="SUITE") from error
    file.parent.mkdir(parents=True, exist_ok=True)
    searched = Parallel(n_jobs=jobs, return_as="generator")(
        delayed(_off_balance)(game.id, opening, nodes) for opening in openings
    )
    known: dict[Opening, int] = {}
    for number, (opening, off) in enumerate(zip(openings, searched, strict=True), 1):
        click.echo(
            f"\r{game.id}: {number} of {len(openings)}", nl=number == len(openings), err=True
        )
        if off is not None:
            known[opening] = off
    nearest = sorted(known, key=lambda opening: known[opening])[:roots]
    most = max((known[opening] for opening in nearest), default=0)
    command = f"{game.id} {suite} {file} --roots {roots} --nodes {nodes}"
    head = f"""\
# {len(nearest)} openings of {suite}, to grow a book of {game.id} from: those
# nearest to equal, within {most} centi-units, in a search of {nodes:,} nodes by
# fivebook {__version__}'s engine.
# Made by: python -m tools.roots {command}
# Licence: MIT, as fivebook itself.
"""
    chosen = [opening for opening in known if opening in nearest]
    lines = "".join(f"{game.format_line(opening)}\n" for opening in chosen)
    file.write_text(head + lines, encoding="utf-8")


def _off_balance(game_id: str, opening: Opening, nodes: int) -> int | None:
    """How far from equal the opening is, in centi-units; None if it is decided."""
    game = registry.get(game_id)
    searcher = game.searcher(SearchOptions(table=_TABLE))
    result = searcher.search(game.play_line(opening), Limits(nodes=nodes))
    return None if result.proven else abs(result.value)


if __name__ == "__main__":
    main()
