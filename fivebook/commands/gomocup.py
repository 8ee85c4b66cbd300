"""``fivebook gomocup``."""

from contextlib import closing

import click

from book.reader import BookReader
from book.storage.address import Address
from engine.search import SearchOptions
from fivebook.options import BOOK, TABLE, THREADS
from service.play.brain import Brain
from service.play.typed import typed_lines


@click.command()
@click.option("--book", type=BOOK, help="Book to answer from first.")
@click.option("--threads", type=THREADS, default=1, show_default=True, help="Threads of a search.")
@click.option(
    "--table",
    type=TABLE,
    help="Transposition table, in MiB.  [default: 4, or as many as the manager's max_memory has "
    "room for]",
)
def gomocup(book: Address | None, threads: int, table: int | None) -> None:
    """Play as an engine for a tournament manager that speaks the Gomocup protocol.

    Commands come on standard input, a line each, and answers go to standard output. Square
    boards from 5×5 to 26×26 are played, by the rules 0 (five or more win), 1 (exactly five)
    and 4 (renju). The limits are those that the manager sends,
    for a turn and for a match, and one second a turn if it sends none. The command ends with
    the line END, and with its input.

    \b
    Examples:
      fivebook gomocup
      fivebook gomocup --book gomoku.db --threads 2 --table 64
      fivebook arena engine "gomocup:fivebook gomocup" --game gomoku-15 --clock 30s
    """
    if book is not None:
        # Opened here: a bad book ends the command with one sentence.
        BookReader(book).close()
    options = SearchOptions(threads, table or SearchOptions().table)
    with closing(Brain(book, options, may_grow=table is None)) as brain:
        for answer in brain.answers(typed_lines()):
            click.echo(answer)
