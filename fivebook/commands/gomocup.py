"""``fivebook gomocup``."""

from contextlib import closing

import click

from book.lessons import Lessons
from book.reader import BookReader
from book.storage.address import Address
from engine.search import SearchOptions
from fivebook.options import BOOK, TABLE, THREADS, variety_options
from service.play.brain import Brain
from service.play.stopping import read_ahead
from service.play.typed import typed_lines
from service.play.variety import Variety


@click.command()
@click.option("--book", type=BOOK, help="Book to answer from first.")
@click.option("--threads", type=THREADS, default=1, show_default=True, help="Threads of a search.")
@click.option(
    "--table",
    type=TABLE,
    help="Transposition table, in MiB.  [default: 4, or as many as the manager's max_memory has "
    "room for]",
)
@variety_options
@click.option(
    "--learn",
    type=BOOK,
    help="Note the games that are lost, for this book: fivebook build --mode learn learns from "
    "them.",
)
def gomocup(
    book: Address | None,
    threads: int,
    table: int | None,
    book_margin: float,
    seed: int | None,
    excluded: str | None,
    learn: Address | None,
) -> None:
    """Play as an engine for a tournament manager that speaks the Gomocup protocol.

    Commands come on standard input, a line each, and answers go to standard output. Square
    boards from 5×5 to 26×26 are played, by the rules 0 (five or more win), 1 (exactly five)
    and 4 (renju). The limits are those that the manager sends,
    for a turn and for a match, and one second a turn if it sends none. SWAP2BOARD is answered
    by the book and then by searches, with other stones for each --seed. The command ends with
    the line END, and with its input; pbrain-fivebook is the same command as a program.
    Nobody tells an engine how a game ended: with --learn those are noted which it saw to be lost.

    \b
    Examples:
      fivebook gomocup
      fivebook gomocup --book gomoku.db --threads 2 --table 64
      fivebook gomocup --book gomoku.db --book-margin 3% --seed 7
      fivebook gomocup --book gomoku.db --learn gomoku.db
      FIVEBOOK_GOMOCUP_BOOK=gomoku.db pbrain-fivebook
      fivebook arena engine "gomocup:fivebook gomocup" --game gomoku-15 --clock 30s
    """
    if book is not None:
        # Opened here: a bad book ends the command with one sentence.
        BookReader(book).close()
    options = SearchOptions(threads, table or SearchOptions().table)
    variety = Variety(book_margin, seed, excluded)
    lessons = None if learn is None else Lessons(learn)
    brain = Brain(book, options, may_grow=table is None, variety=variety, lessons=lessons)
    with closing(brain):
        for answer in brain.answers(read_ahead(typed_lines(), brain.stop)):
            click.echo(answer)
