"""``fivebook vacuum``."""

import click

from book.storage.address import Address
from book.whole.vacuum import vacuum as make_smaller
from fivebook.console import echo, print_json
from fivebook.options import BOOK, json_option


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
        echo(f"{book}: {before:,} bytes before, {after:,} bytes now")
