"""``fivebook export``."""

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TextIO

import click

from book.errors import BookUnwritable
from book.output import check_output, files_of
from book.replacing import replacing
from book.storage.address import Address
from book.whole.export import WRITERS, fields, is_export, records
from fivebook.options import BOOK, force_option


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
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    default="-",
    help="File to write to.",
)
@force_option
@click.option(
    "--reproducible",
    is_flag=True,
    help="Leave out times and runs: equal books then give equal files.",
)
def export(book: Address, form: str, output: Path, force: bool, reproducible: bool) -> None:
    """Write every position of BOOK with its moves, one row each, in canonical orientation.

    The same rows can be had by SQL: the views boards, known_moves, lines and best_moves are
    made for sqlite-utils, Datasette and the like.

    \b
    Examples:
      fivebook export gomoku.db > gomoku.csv
      fivebook export gomoku.db --format jsonl -o gomoku.jsonl
      sqlite-utils query gomoku.db "select * from best_moves where ply < 4" -t
    """
    names = fields(reproducible=reproducible)
    try:
        with (
            closing(records(book, reproducible=reproducible)) as rows,
            _opened(output, book, force=force) as file,
        ):
            WRITERS[form](names, rows, file)
            file.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise BookUnwritable(f"cannot write '{output}': {error.strerror}") from error


@contextmanager
def _opened(output: Path, book: Address, *, force: bool) -> Iterator[TextIO]:
    if str(output) == "-":
        yield sys.stdout
        return
    check_output(output, files_of(book), is_export, force=force)
    with replacing(output) as partial, partial.open("w", encoding="utf-8") as file:
        yield file
