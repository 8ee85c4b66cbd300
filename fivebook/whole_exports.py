"""Exports that are no text: of one game of a book, for programs and browsers to answer from."""

from collections.abc import Callable
from pathlib import Path

import click

from book.compact import is_compact
from book.output import check_folder, check_output, files_of
from book.reader import BookReader
from book.replacing import replacing, replacing_folder
from book.storage.address import Address
from book.whole.compact import write_compact
from engine.game import Game
from fivebook.options import game_of
from service.site.writer import is_site, write_site

_WRITERS: dict[str, Callable[[Address, Game, Path], object]] = {
    "compact": write_compact,
    "site": write_site,
}
WHOLE_FORMS = sorted(_WRITERS)


def write_whole(form: str, book: Address, game: Game | None, output: Path, *, force: bool) -> None:
    """Write `game`, or the only one of the `book`, to `output` in one of `WHOLE_FORMS`.

    Raises:
        click.UsageError: if no output is named, or the book does not hold the game.
        BookError: if the book cannot be read, or the output is something else.
        OSError: if it cannot be written; then what was there is still there.
    """
    if str(output) == "-":
        raise click.UsageError(f"--format {form} needs -o: it is not written to the terminal")
    with BookReader(book) as reader:
        game = game_of(reader, game)
    if form == "site":
        check_folder(output, files_of(book), is_site)
        place = replacing_folder(output)
    else:
        check_output(output, files_of(book), is_compact, force=force)
        place = replacing(output)
    with place as partial:
        _WRITERS[form](book, game, partial)
