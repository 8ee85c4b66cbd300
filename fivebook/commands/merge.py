"""``fivebook merge``."""

from dataclasses import asdict
from typing import Any

import click

from book.rows.encoding import stones_by_name
from book.storage.address import Address
from book.whole.merge import Conflict, MergeConflict, MergeState
from book.whole.merge import merge as merge_books
from fivebook.console import FOUND, echo, errors, print_json
from fivebook.displays.positions import describe_book_value, describe_stones
from fivebook.displays.progress import ProgressDisplay
from fivebook.options import BOOK, json_option


@click.command()
@click.argument("first", type=BOOK, metavar="A")
@click.argument("others", type=BOOK, metavar="B [MORE...]", nargs=-1, required=True)
@click.option("-o", "--output", type=BOOK, required=True, help="The new book.")
@click.option(
    "--keep-conflicts", is_flag=True, help="Where books contradict each other, believe the first."
)
@click.option(
    "--prefer-first",
    is_flag=True,
    help="Of several searches that prove nothing, take that of the book named first.",
)
@json_option
@click.pass_context
def merge(
    ctx: click.Context,
    first: Address,
    others: tuple[Address, ...],
    output: Address,
    keep_conflicts: bool,
    prefer_first: bool,
    as_json: bool,
) -> None:
    """Write a new book that holds every position of A, B and MORE.

    Of a position that several hold, the search that counts is a proven one, then the deeper one,
    then the one with more nodes; one whose rest move leads to a position of another book comes
    last. With --prefer-first the search of the book named first comes before a deeper one, as it
    should where its engine is the stronger. Links between positions of different books are made,
    and all values follow anew. What one of the books proves stays proven.

    Books in which the same position has proven values that cannot both be true are not merged:
    the positions are listed, with exit status 1. With --keep-conflicts they are merged, and the
    book named first is believed.

    \b
    Examples:
      fivebook merge monday.db tuesday.db -o both.db
      fivebook merge gomoku.db swap.db renju.db -o all.db --json
      fivebook merge new.db old.db -o both.db --prefer-first
    """
    conflicts: list[dict[str, Any]] = []

    def tell(conflict: Conflict) -> None:
        if as_json:
            conflicts.append(_conflict_as_dict(conflict))
        else:
            echo(_describe_conflict(conflict))

    try:
        with ProgressDisplay(_describe_state, terminal=errors, quiet=as_json) as progress:
            merged = merge_books(
                [first, *others],
                output,
                keep_conflicts=keep_conflicts,
                prefer_first=prefer_first,
                tell=tell,
                report=progress.show,
            )
    except MergeConflict as error:
        if as_json:
            print_json({"book": None, "conflicts": conflicts})
        echo(f"{error}: '{output}' was not written; see --keep-conflicts", err=True)
        ctx.exit(FOUND)
    if as_json:
        print_json({"book": str(output), **asdict(merged), "conflicts": conflicts})
        return
    echo(
        f"{output}: {merged.positions:,} positions of {1 + len(others)} books in "
        f"{merged.seconds:.1f} s"
    )
    if merged.unproven:
        echo(
            f"{merged.unproven:,} positions that were marked as proven are not: it does not follow "
            "from the rows of their books. fivebook verify tells what is wrong there."
        )


def _describe_state(state: MergeState) -> str:
    return f"{state.step}: {state.positions:,} positions, {state.seconds:.1f} s"


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
