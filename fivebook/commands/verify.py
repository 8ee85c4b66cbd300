"""The command that checks a book: `fivebook verify`."""

import click

from book.integrity.verify import Verification
from book.storage.address import Address
from book.storage.database import at_one_moment
from fivebook.console import print_json, say
from fivebook.displays.findings import Report
from fivebook.options import BOOK, POSITIVE, json_option
from precompute.deep_check import DeepCheck

_NODES = 1_000_000


@click.command()
@click.argument("book", type=BOOK)
@click.option("--sample", type=POSITIVE, help="Look only at this many positions, drawn at random.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the sample.")
@click.option(
    "--deep",
    is_flag=True,
    help="Search again: what is proven is to be proven again, and what was searched by nodes or "
    "depth has to give the same.",
)
@click.option(
    "--nodes",
    type=POSITIVE,
    default=_NODES,
    show_default=True,
    help="For each proof that --deep makes again.",
)
@json_option
@click.pass_context
def verify(
    ctx: click.Context,
    book: Address,
    sample: int | None,
    seed: int,
    deep: bool,
    nodes: int,
    as_json: bool,
) -> None:
    """Check BOOK: every position, link, value, proof and count against the rules and the others.

    Prints a line for each fault, at most 20 of a kind, and ends with status 1 if there is one;
    fivebook repair mends them. A builder may be at work: the book is seen at one moment. With
    --sample the checks that need the whole book are left out: those of the file itself, of counts,
    and of links to nowhere.

    \b
    Examples:
      fivebook verify gomoku.db
      fivebook verify gomoku.db --sample 1000 --seed 7
      fivebook verify gomoku.db --sample 50 --deep --nodes 5000000
    """
    report = Report(quiet=as_json)
    with at_one_moment(book) as connection:
        verification = Verification(connection, sample, seed)
        for finding in verification.findings():
            report.add(finding)
        searches = DeepCheck(verification, nodes)
        if deep:
            for finding in searches.findings():
                report.add(finding)
    found = report.kinds.total()
    if as_json:
        told = {
            "looked_at": verification.looked_at,
            "clean": not found,
            "digests": verification.has_digests,
        }
        searched = {"deep": searches.as_dict() if deep else None}
        print_json({"book": str(book), **told, **report.as_dict("findings"), **searched})
    else:
        report.print_rest()
        if not verification.has_digests:
            say(f"{book} was last written by a version without digests: not all damage shows")
        faults = f"{found:,} faults" if found else "no fault"
        say(f"{book}: {verification.looked_at:,} positions looked at, {faults}")
        if deep:
            say(searches.describe())
    if found:
        ctx.exit(1)
