"""``fivebook import``."""

from collections.abc import Iterator
from pathlib import Path

import click

from book.files.contents import Coordinates, Request
from book.files.formats import formats
from book.storage.address import Address
from book.whole.importing import ImportedFile, ImportOptions, import_files
from engine.game import Game
from fivebook.console import print_json, say
from fivebook.options import BOOK, GAME, POSITIVE, coordinates_option, encoding_option, json_option


@click.command("import")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False, exists=True)
)
@click.option("-o", "--output", "book", type=BOOK, required=True, help="The book they go into.")
@click.option(
    "--game",
    type=GAME,
    help="What files are read as that do not tell; others are left out.  [default: the book's]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(sorted(formats())),
    help="What the files are.  [default: as their first bytes and their names say]",
)
@coordinates_option
@encoding_option
@click.option("--plies", type=POSITIVE, help="Leave out positions that are deeper.")
@click.option("--add-game", is_flag=True, help="Into a book that is there, bring games it lacks.")
@click.option("--keep-going", is_flag=True, help="List files that cannot be read, and go on.")
@json_option
def import_(
    files: tuple[Path, ...],
    book: Address,
    game: Game | None,
    form: str | None,
    coordinates: str,
    encoding: str | None,
    plies: int | None,
    add_game: bool,
    keep_going: bool,
    as_json: bool,
) -> None:
    """Bring games, trees and databases of other programs into a book.

    Games are counted with their results, positions of trees keep their comments, and those of
    databases their values, with the file they come from. None of it changes a value of the book,
    and nothing of it is proven. What could not be carried over is counted and listed. All files
    enter the book together, or none.

    \b
    Examples:
      fivebook import games/*.psq -o gomoku.db
      fivebook import openings.lib -o renju.db --game gomoku-15-renju
      fivebook import rapfi.db games.sgf -o gomoku.db --plies 30
    """
    options = ImportOptions(
        Request(game=game, coordinates=Coordinates(coordinates), encoding=encoding),
        formats()[form] if form else None,
        plies=plies,
        add_games=add_game,
        keep_going=keep_going,
    )
    found = import_files(book, files, options)
    if as_json:
        print_json({"book": str(book), "files": [_as_dict(file) for file in found]})
        return
    for file in found:
        for line in _described(file):
            say(line)
    positions = sum(file.positions for file in found)
    games = sum(file.games for file in found)
    say(f"{book}: {positions:,} positions and {games:,} games from {len(found):,} files")


def _as_dict(file: ImportedFile) -> dict[str, object]:
    return {
        "file": str(file.path),
        "format": file.form,
        "games": file.games,
        "positions": file.positions,
        "values": file.values,
        "comments": file.comments,
        "was_there": file.was_there,
        "left_out": dict(file.left_out.counts),
        "places": file.left_out.places,
        "problem": file.problem or None,
    }


def _described(file: ImportedFile) -> Iterator[str]:
    if file.problem:
        yield f"left out: {file.problem}"
        return
    if file.was_there:
        yield f"{file.path}: what it holds was imported before"
    for line in file.left_out.described():
        yield f"{file.path}: left out {line}"
