"""``fivebook export``."""

from contextlib import closing
from typing import TextIO

import click

from book.errors import BookError
from book.storage.address import Address
from book.whole.export import WRITERS, fields, records
from fivebook.options import BOOK


@click.command()
@click.argument("book", type=BOOK)
@click.option(
    "--format",
    "form",
    type=click.Choice(sorted(WRITERS)),
    default="csv",
    show_default=True,
    help="How it is written; jsonl has an object a line.",
)
@click.option("-o", "--output", type=click.File("w"), default="-", help="File to write to.")
@click.option(
    "--reproducible",
    is_flag=True,
    help="Leave out times and runs: equal books then give equal files.",
)
def export(book: Address, form: str, output: TextIO, reproducible: bool) -> None:
    """Write every position of BOOK with its moves, one row each, in canonical orientation.

    The same rows can be had by SQL: the views boards, known_moves, lines and best_moves are
    made for sqlite-utils, Datasette and the like.

    \b
    Examples:
      fivebook export gomoku.db > gomoku.csv
      fivebook export gomoku.db --format jsonl -o gomoku.jsonl
      sqlite-utils query gomoku.db "select * from best_moves where ply < 4" -t
    """
    try:
        names = fields(reproducible=reproducible)
        with closing(records(book, reproducible=reproducible)) as rows:
            WRITERS[form](names, rows, output)
        output.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise BookError(f"cannot write '{output.name}': {error.strerror}") from error
