"""The command that mends a book: `fivebook repair`."""

import click

from book.integrity.repair import repair as mend
from book.integrity.salvage import salvage
from book.storage.address import Address
from fivebook.console import print_json, say
from fivebook.displays.findings import Report
from fivebook.options import BOOK, json_option


@click.command()
@click.argument("book", type=BOOK)
@click.option(
    "--salvage",
    "new",
    type=BOOK,
    metavar="NEW",
    help="Leave BOOK alone, copy the rows that can be read into a new book, and repair that.",
)
@json_option
def repair(book: Address, new: Address | None, as_json: bool) -> None:
    """Mend what fivebook verify finds wrong in BOOK.

    Values, proofs, costs, counts, links and notation follow from the rest of the book, and are
    written anew. What does not follow is taken out: a slot that makes no sense, or a position
    that cannot be read. The next build searches it anew. All happens in one transaction, and no
    builder may be at work meanwhile.

    \b
    Examples:
      fivebook repair gomoku.db
      fivebook repair damaged.db --salvage saved.db
    """
    report = Report(quiet=as_json)
    copied = None
    if new is None:
        mend(book, report.add)
    else:
        copied = salvage(book, new, report.add)
    if as_json:
        place = str(book if new is None else new)
        print_json({"book": place, **report.as_dict("mended"), "copied": copied})
        return
    report.print_rest()
    if copied is not None:
        rows = ", ".join(f"{count:,} {table}" for table, count in copied.items())
        say(f"{new}: {rows} could be read")
    found = report.kinds.total()
    told = f"{found:,} faults mended" if found else "nothing to mend"
    say(f"{new or book}: {told}")
