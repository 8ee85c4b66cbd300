"""``fivebook prove-check``."""

from pathlib import Path

import click
from click.core import ParameterSource

from engine.game import Game
from fivebook.checks import books, certificates
from fivebook.checks.check import Asked
from fivebook.console import FOUND, print_json, say
from fivebook.options import GAME, POSITIVE, json_option


@click.command("prove-check")
@click.argument("file", metavar="FILE|BOOK")
@click.argument("moves", nargs=-1)
@click.option("--game", type=GAME, help="Needed where the book holds several games.")
@click.option("--all", "everything", is_flag=True, help="Check every proven position of a book.")
@click.option("--jobs", type=POSITIVE, default=1, show_default=True, help="Entries at a time.")
@click.option(
    "--nodes",
    type=POSITIVE,
    help="Nodes of each search where a book's lines end.  [default: 100,000 in Gomoku, 5,000,000 "
    "in the Pentago games]",
)
@click.option(
    "--state",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File that keeps what has been checked: the same command goes on from there.",
)
@click.option("--sample", type=POSITIVE, help="Check only this many, drawn at random.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Another seed draws another sample.",
)
@json_option
@click.pass_context
def prove_check(
    ctx: click.Context,
    file: str,
    moves: tuple[str, ...],
    game: Game | None,
    everything: bool,
    jobs: int,
    nodes: int | None,
    state: Path | None,
    sample: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Check the proofs of a BOOK, or the certificate FILE of a win, without the engine.

    In a BOOK, the position after MOVES (none: the empty board) and all that its proof rests on:
    a win needs its move, a loss every reply, a draw both; where the book ends, a search of the
    checker's own must confirm what it says. With --all or --sample, proven positions wherever they
    are. What is wrong and what was not confirmed is listed, with exit status 1.

    In a certificate, every reply must be answered until the winner has five in a row; where the
    certificate ends, a plain search must find the win. A certificate with a hole is rejected, with
    the moves that lead there and exit status 1. The checker shares no code with the engine;
    docs/proofs.md tells what it does.

    \b
    Examples:
      fivebook prove-check gomoku.db "h8 i9"
      fivebook prove-check gomoku.db --all --jobs 2
      fivebook prove-check pentago-swap.cert --sample 1000
      fivebook prove-check pentago-swap.cert --jobs 2 --state checked.npz
    """
    if books.is_book(file):
        known, called, check = frozenset(books.OPTIONS), "a book", books.check
    else:
        known, called, check = certificates.options(file), "no book", certificates.check
    if not known:
        called = "a certificate that is checked as one whole"
    _refuse_others(ctx, known, f"'{file}' is {called}")
    checked = check(Asked(file, moves, game, everything, jobs, nodes, state, sample, seed))
    if as_json:
        print_json(checked.document)
    else:
        for line in checked.lines:
            say(line)
    if checked.rejected:
        ctx.exit(FOUND)
    ctx.exit(checked.interrupted)


def _refuse_others(ctx: click.Context, known: frozenset[str], why: str) -> None:
    """Refuse what was given on the command line and makes no sense for this kind."""
    ours = known | {"file", "as_json"}
    for param in ctx.command.params:
        name = param.name or ""
        given = ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and name not in ours:
            what = param.opts[0] if isinstance(param, click.Option) else param.make_metavar(ctx)
            raise click.UsageError(f"{why}: there is no {what} for it")
