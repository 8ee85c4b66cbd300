"""The commands that keep books in order: `fivebook merge`, `prune`, `vacuum`, `snapshot`."""

import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from book.reader import BookReader
from book.rows.encoding import stones_by_name
from book.storage.address import Address
from book.whole.merge import Conflict, MergeConflict, MergeState
from book.whole.merge import merge as merge_books
from book.whole.prune import Cut, look
from book.whole.prune import prune as prune_book
from book.whole.snapshot import snapshot as make_snapshot
from book.whole.vacuum import vacuum as make_smaller
from engine.game import Game
from fivebook.commands.diff import describe_book_value, describe_stones
from fivebook.console import BOOK, GAME, json_option, print_json


class _ShareType(click.ParamType[float]):
    """A part of one, from e.g. ``5%``."""

    name = "percentage"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        if isinstance(value, float):
            return value
        match = re.fullmatch(r"([0-9]+\.?[0-9]*|\.[0-9]+) ?%", str(value))
        if match is None or float(match[1]) > 100:
            self.fail(f"'{value}' is no percentage from 0% to 100%, such as 5%", param, ctx)
        return float(match[1]) / 100


_SHARE = _ShareType()


@click.command()
@click.argument("first", type=BOOK, metavar="A")
@click.argument("others", type=BOOK, metavar="B [MORE...]", nargs=-1, required=True)
@click.option("-o", "--output", type=BOOK, required=True, help="The new book.")
@click.option(
    "--keep-conflicts", is_flag=True, help="Where books contradict each other, believe the first."
)
@json_option
@click.pass_context
def merge(
    ctx: click.Context,
    first: Address,
    others: tuple[Address, ...],
    output: Address,
    keep_conflicts: bool,
    as_json: bool,
) -> None:
    """Write a new book that holds every position of A, B and MORE.

    Of a position that several hold, the search that counts is a proven one, then the deeper one,
    then the one with more nodes; one whose rest move leads to a position of another book comes
    last. Links between positions of different books are made, and all values follow anew. What
    one of the books proves stays proven.

    Books in which the same position has proven values that cannot both be true are not merged:
    the positions are listed, with exit status 1. With --keep-conflicts they are merged, and the
    book named first is believed.

    \b
    Examples:
      fivebook merge monday.db tuesday.db -o both.db
      fivebook merge gomoku.db swap.db renju.db -o all.db --json
    """
    conflicts: list[dict[str, Any]] = []

    def tell(conflict: Conflict) -> None:
        if as_json:
            conflicts.append(_conflict_as_dict(conflict))
        else:
            click.echo(_describe_conflict(conflict))

    try:
        merged = merge_books(
            [first, *others],
            output,
            keep_conflicts=keep_conflicts,
            tell=tell,
            report=(lambda state: None) if as_json else _show_merging,
        )
    except MergeConflict as error:
        if as_json:
            print_json({"book": None, "conflicts": conflicts})
        click.echo(f"{error}: '{output}' was not written; see --keep-conflicts", err=True)
        ctx.exit(1)
    if as_json:
        print_json({"book": str(output), **asdict(merged), "conflicts": conflicts})
        return
    click.echo(
        f"{output}: {merged.positions:,} positions of {1 + len(others)} books in "
        f"{merged.seconds:.1f} s"
    )
    if merged.unproven:
        click.echo(
            f"{merged.unproven:,} positions that were marked as proven are not: it does not follow "
            "from the rows of their books. fivebook verify tells what is wrong there."
        )


def _show_merging(state: MergeState) -> None:
    click.echo(f"{state.step}: {state.positions:,} positions, {state.seconds:.1f} s", err=True)


def _describe_conflict(conflict: Conflict) -> str:
    claims = "; ".join(
        f"{describe_book_value(claim.value)} in {claim.source}" for claim in conflict.claims
    )
    return f"{describe_stones(conflict.game, conflict.stones)}: {claims}"


def _conflict_as_dict(conflict: Conflict) -> dict[str, Any]:
    dark, light = stones_by_name(conflict.game, conflict.stones)
    return {
        "game": conflict.game.id,
        "dark": dark,
        "light": light,
        "claims": [{"source": claim.source, **asdict(claim.value)} for claim in conflict.claims],
    }


@click.command()
@click.argument("book", type=BOOK)
@click.option("--game", type=GAME, help="Needed where the book holds several games.")
@click.option("--plies", type=click.IntRange(min=0), help="Take out what is deeper than this ply.")
@click.option(
    "--max-loss",
    type=_SHARE,
    metavar="X%",
    help="Take out what is reached by a move that gives away more winning probability.",
)
@click.option("--below", metavar="MOVES", help="Take out what is reached through this line only.")
@click.option("--dry-run", is_flag=True, help="Only say how much it would be.")
@json_option
def prune(
    book: Address,
    game: Game | None,
    plies: int | None,
    max_loss: float | None,
    below: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Take positions out of BOOK: the deep, the badly played, or those below a line.

    What stays keeps its value, proof and best move. A way to a position is good or bad as a whole:
    --max-loss looks at the cheapest one from the empty board, as fivebook build does. Positions
    that the empty board no longer leads to go as well; those it never led to only by --plies.
    Searches that are planned are dropped. fivebook vacuum then gives the space back.

    \b
    Examples:
      fivebook prune gomoku.db --plies 12 --dry-run
      fivebook prune gomoku.db --max-loss 20%
      fivebook prune gomoku.db --below "h8 a1"
    """
    if plies is None and max_loss is None and below is None:
        raise click.UsageError("say what is to go: --plies, --max-loss or --below")
    game = _game_of(book, game)
    line = None if below is None else game.play_line(game.parse_line(below))
    work = look if dry_run else prune_book
    pruned = work(book, game, Cut(plies, max_loss, line))
    if as_json:
        print_json({"book": str(book), "dry_run": dry_run, **asdict(pruned)})
        return
    verb = "would go" if dry_run else "are gone"
    click.echo(
        f"{book}: {pruned.removed:,} positions {verb}, about {pruned.bytes:,} bytes; "
        f"{pruned.left:,} positions stay"
    )


def _game_of(book: Address, game: Game | None) -> Game:
    """The game that is meant, which the book must hold."""
    with BookReader(book) as reader:
        games = reader.games
    held = ", ".join(one.id for one in games) or "no game"
    if game is None and len(games) != 1:
        raise click.UsageError(f"'{book}' holds {held}: say which with --game")
    if game is not None and game not in games:
        raise click.BadParameter(f"'{book}' holds {held}, not {game.id}", param_hint="--game")
    return game or games[0]


@click.command()
@click.argument("book", type=BOOK)
@json_option
def vacuum(book: Address, as_json: bool) -> None:
    """Give back the space that BOOK does not use, and bring its statistics up to date.

    Not while a builder has the book. SQLite needs as much free space meanwhile as the book takes;
    in PostgreSQL readers wait.

    \b
    Examples:
      fivebook vacuum gomoku.db
      fivebook vacuum postgresql://me@host/books --json
    """
    before, after = make_smaller(book)
    if as_json:
        print_json({"book": str(book), "bytes_before": before, "bytes": after})
    else:
        click.echo(f"{book}: {before:,} bytes before, {after:,} bytes now")


@click.command()
@click.argument("book", type=BOOK)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="The file to write."
)
@json_option
def snapshot(book: Address, output: Path, as_json: bool) -> None:
    """Copy BOOK as it is now into a new file, even while it is built.

    The builder goes on meanwhile. A copy of a PostgreSQL book is an SQLite file as well.

    \b
    Examples:
      fivebook snapshot gomoku.db -o monday.db
      fivebook snapshot postgresql://me@host/books -o books.db
    """
    size = make_snapshot(book, output)
    if as_json:
        print_json({"book": str(book), "copy": str(output), "bytes": size})
    else:
        click.echo(f"{output}: {size:,} bytes")
