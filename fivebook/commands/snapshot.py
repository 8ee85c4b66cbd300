"""``fivebook snapshot``."""

from pathlib import Path

import click

from book.storage.address import Address
from book.whole.snapshot import snapshot as make_snapshot
from fivebook.console import echo, print_json
from fivebook.options import BOOK, json_option


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
        echo(f"{output}: {size:,} bytes")
