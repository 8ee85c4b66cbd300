"""The command that builds: `fivebook build`."""

from typing import Any

import click

from book.address import Address
from book.console import BOOK, DURATION, GAME, POSITIVE, TABLE, console, json_option, print_json
from book.processes import stopping_on_interrupt
from engine.games.base import Game
from engine.search import Limits, SearchOptions
from precompute.builder import Builder, BuildOptions, BuildState
from precompute.progress import BuildDisplay

_DEFAULT_NODES = 20_000


@click.command()
@click.argument("book", type=BOOK)
@click.option("--game", type=GAME, required=True, help="See fivebook games.")
@click.option("--positions", type=POSITIVE, help="Stop when the book holds this many positions.")
@click.option("--plies", type=click.IntRange(min=0), help="Every position up to this ply instead.")
@click.option("--time", "seconds", type=DURATION, help="Stop after this time, e.g. 90s, 2m, 8h.")
@click.option(
    "--nodes",
    type=POSITIVE,
    help=f"Nodes for each search; {_DEFAULT_NODES:,} if no limit is given.",
)
@click.option("--depth", type=POSITIVE, help="Depth of each search, in plies.")
@click.option("--movetime", type=DURATION, help="Time for each search; not reproducible.")
@click.option(
    "--table",
    type=TABLE,
    default=SearchOptions().table,
    show_default=True,
    help="Transposition table of each search, in MiB. Another size makes another book.",
)
@click.option("--jobs", type=POSITIVE, default=1, show_default=True, help="Searches at a time.")
@json_option
def build(
    book: Address,
    game: Game,
    positions: int | None,
    plies: int | None,
    seconds: float | None,
    nodes: int | None,
    depth: int | None,
    movetime: float | None,
    table: int,
    jobs: int,
    as_json: bool,
) -> None:
    """Build BOOK, or go on building it, from the empty board.

    The cheapest positions come first: those that a sensible game reaches soonest. Ctrl-C stops
    after the searches in flight; the same command goes on where it stopped, also after a crash.
    With limits by nodes or depth alone the book is the same for any number of jobs.

    \b
    Examples:
      fivebook build gomoku.db --game gomoku-15 --positions 500 --nodes 20000 --jobs 2
      fivebook build swap.db --game pentago-swap --time 2m
      fivebook build all.db --game gomoku-15 --plies 2 --depth 6
    """
    if positions and plies is not None:
        raise click.UsageError("--positions and --plies cannot be combined")
    if not (nodes or depth or movetime):
        nodes = _DEFAULT_NODES
    options = BuildOptions(
        game, Limits(depth, nodes, movetime), jobs, positions, plies, seconds, table
    )
    with BuildDisplay(book, options) as display:
        builder = Builder(book, options, (lambda state: None) if as_json else display.show)

        def stop() -> None:
            click.echo(
                "Stopping after the searches in flight; once more to stop at once.", err=True
            )
            builder.stop()

        with stopping_on_interrupt(stop):
            state = builder.run()
        root = display.root()
    if as_json:
        print_json(_as_dict(book, state, builder.complete, root))
    else:
        _print_end(book, state, builder.complete, root)


def _as_dict(book: Address, state: BuildState, complete: bool, root: str) -> dict[str, Any]:
    return {
        "book": str(book),
        "positions": state.positions,
        "added": state.added,
        "searches": state.searches,
        "nodes": state.nodes,
        "seconds": round(state.seconds, 3),
        "complete": complete,
        "root": root,
    }


def _print_end(book: Address, state: BuildState, complete: bool, root: str) -> None:
    rate = state.added / state.seconds if state.seconds else 0.0
    console.print(
        f"{book}: {state.positions:,} positions, {state.added:,} of them new, "
        f"{state.searches:,} searches, {state.nodes:,} nodes in {state.seconds:.1f} s "
        f"({rate:.1f} positions/s)",
        highlight=False,
        soft_wrap=True,
    )
    console.print(f"root {root}", highlight=False, soft_wrap=True)
    if not complete:
        console.print("Not finished: the same command goes on from here.", highlight=False)
