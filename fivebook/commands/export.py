"""``fivebook export``."""

import sys
from codecs import getwriter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import click

from book.errors import BookUnwritable
from book.files.format import Format
from book.files.formats import formats, is_of
from book.files.moves import read_moves
from book.output import check_output, files_of
from book.replacing import replacing
from book.storage.address import Address
from book.whole.export import WRITERS, fields, is_export, records, write_parquet
from book.whole.moment import Moment
from book.whole.writing import Choice, chosen, write_book
from engine import registry
from engine.game import Game
from fivebook.console import echo, say
from fivebook.options import BOOK, GAME, POSITIVE, force_option, name_game
from fivebook.whole_exports import WHOLE_FORMS, write_whole

_TABLES = {*WRITERS, "parquet"}
_FILES = {name for name, form in formats().items() if form.write is not None}


@click.command()
@click.argument("book", type=BOOK)
@click.option(
    "--format",
    "form",
    type=click.Choice(sorted({*_TABLES, *_FILES, *WHOLE_FORMS})),
    default="csv",
    show_default=True,
    help="How it is written; jsonl has an object a line.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, allow_dash=True),
    default="-",
    help="File to write to; of site a folder.",
)
@force_option
@click.option("--game", type=GAME, help="This game alone; needed for files of one game.")
@click.option("--below", metavar="MOVES", help="Only the position after these, and what follows.")
@click.option("--plies", type=click.IntRange(min=0), help="Only positions up to this ply.")
@click.option("--min-depth", type=POSITIVE, help="Only what was searched that deep, or is proven.")
@click.option("--proven", is_flag=True, help="Only what is proven.")
@click.option(
    "--reproducible",
    is_flag=True,
    help="Leave out times, runs and imports: equal books then give equal files.",
)
def export(
    book: Address,
    form: str,
    output: Path,
    force: bool,
    game: Game | None,
    below: str | None,
    plies: int | None,
    min_depth: int | None,
    proven: bool,
    reproducible: bool,
) -> None:
    """Write positions of BOOK for other programs.

    csv, json, jsonl and parquet have a row for each position with its moves, in canonical
    orientation. sgf and lib are trees, rapfi-db is a database, txt and boards are lines of text;
    psq and pos take the main line alone. What a format cannot hold is counted and listed.

    compact is one small file of a game that engines answer from without Python, and is the same
    for equal books: docs/compact.md. site is a folder for any web server: the page that explores
    a game, with the book in pieces that it fetches as it needs them. Both take a game as a whole.

    The same rows can be had by SQL: the views boards, known_moves, lines, best_moves, played and
    hints are made for sqlite-utils, Datasette and the like.

    \b
    Examples:
      fivebook export gomoku.db > gomoku.csv
      fivebook export gomoku.db --format jsonl -o gomoku.jsonl
      fivebook export gomoku.db --format lib -o gomoku.lib --below "h8 i9" --plies 12
      fivebook export gomoku.db --format compact -o gomoku.compact
      fivebook export gomoku.db --format site -o site
      sqlite-utils query gomoku.db "select * from best_moves where ply < 4" -t
    """
    choice = _Chosen(book, game, below, plies, min_depth, proven)
    try:
        if form in WHOLE_FORMS:
            if below is not None or plies is not None or min_depth is not None or proven:
                raise click.UsageError(f"{form} takes all of a game: leave out what chooses parts")
            write_whole(form, book, game, output, force=force)
        elif form in _TABLES:
            _write_table(book, form, output, choice, force=force, reproducible=reproducible)
        else:
            _write_file(book, formats()[form], output, choice, force=force)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise BookUnwritable(f"cannot write '{output}': {error.strerror}") from error


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The options that say what of the book is written."""

    book: Address
    game: Game | None
    below: str | None
    plies: int | None
    min_depth: int | None
    proven: bool

    def choice(self, game: Game) -> Choice:
        """The positions of `game` that are wanted."""
        below = None if self.below is None else game.play_line(read_moves(game, self.below))
        return Choice(below, self.plies, self.min_depth or 0, self.proven)

    def one_game(self, book: Moment) -> Game:
        """The game that is named, or the only one that the book holds."""
        return registry.get(name_game(self.book, list(book.numbers), self.game))

    def wanted(self, book: Moment) -> Callable[[Game, bytes], bool]:
        """Whether a position of a game is to be written, by its canonical stones."""
        if (self.below, self.plies, self.min_depth, self.proven) == (None, None, None, False):
            return lambda game, stones: self.game in (None, game)
        if self.below is None and self.game is None:
            names = list(book.numbers)
        else:
            names = [self.one_game(book).id]
        stones = {
            game: frozenset(chosen(book, game, self.choice(game)))
            for game in map(registry.get, names)
        }
        return lambda game, each: each in stones.get(game, ())


def _write_table(
    book: Address, form: str, output: Path, what: _Chosen, *, force: bool, reproducible: bool
) -> None:
    names = fields(reproducible=reproducible)
    with Moment(book) as moment:
        wanted = what.wanted(moment)
    with (
        closing(records(book, reproducible=reproducible, wanted=wanted)) as rows,
        _opened(output, book, is_export, force=force) as file,
    ):
        if form == "parquet":
            write_parquet(names, rows, file)
            return
        # After an error a TextIOWrapper would close the file, which may be the terminal.
        text: Any = getwriter("utf-8")(file)
        WRITERS[form](names, rows, text)


def _write_file(book: Address, form: Format, output: Path, what: _Chosen, *, force: bool) -> None:
    with Moment(book) as moment:
        game = what.one_game(moment)
        found = BytesIO()
        count, left_out = write_book(moment, game, what.choice(game), form, found)
    with _opened(output, book, partial(is_of, form), force=force) as file:
        file.write(found.getbuffer())
    for line in left_out.described():
        echo(f"left out: {line}", err=True)
    if str(output) != "-":
        say(f"{output}: {count:,} positions of {game.id}")


@contextmanager
def _opened(
    output: Path, book: Address, is_ours: Callable[[Path], bool], *, force: bool
) -> Iterator[BinaryIO]:
    if str(output) == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    check_output(output, files_of(book), is_ours, force=force)
    with replacing(output) as partial_file, partial_file.open("wb") as file:
        yield file
