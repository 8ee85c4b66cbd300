"""The command about wishes: `fivebook wish`."""

from dataclasses import asdict
from pathlib import Path

import click

from book.errors import PositionNotFound
from book.files.contents import Coordinates, Request
from book.files.moves import read_moves
from book.reader import BookReader
from book.storage.address import Address
from book.storage.schema import Wish
from book.wishes import Wished, make_wish, wish_file, wishes_of
from engine.game import Game
from fivebook.console import print_json, say
from fivebook.options import (
    BOOK,
    GAME,
    coordinates_option,
    encoding_option,
    game_of,
    json_option,
)

_WISHES: dict[str, Wish | None] = {wish.name.lower(): wish for wish in Wish} | {"none": None}


@click.command()
@click.argument("book", type=BOOK)
@click.argument("moves", required=False)
@click.argument("wish", type=click.Choice(list(_WISHES)), required=False)
@click.option("--game", type=GAME, help="Needed where the book holds several games.")
@coordinates_option
@encoding_option
@json_option
def wish(
    book: Address,
    moves: str | None,
    wish: str | None,
    game: Game | None,
    coordinates: str,
    encoding: str | None,
    as_json: bool,
) -> None:
    """Wish where BOOK is to grow, or list all wishes.

    MOVES lead to a stored position; "" is the empty board. The step into it costs nothing with
    WISH more, and much more with less; with never the book does not grow by way of it. The next
    build follows the wish; while one is running none can be made.

    MOVES may also be a file of games or positions, of any kind that fivebook import takes: then all
    of its positions are meant. What the book does not hold of them, fivebook build --mode learn
    adds.

    \b
    Examples:
      fivebook wish gomoku.db "h8 i9" more
      fivebook wish both.db a1 never --game gomoku-15
      fivebook wish gomoku.db games.sgf more
      fivebook wish gomoku.db
    """
    if moves is None:
        with BookReader(book) as reader:
            found = [w for w in wishes_of(reader) if game is None or w.game == game.id]
    elif wish is None:
        raise click.UsageError(f"say what is wished of '{moves}': {', '.join(_WISHES)}")
    elif Path(moves).is_file():
        request = Request(coordinates=Coordinates(coordinates), encoding=encoding)
        _make_all(book, game, Path(moves), _WISHES[wish], request, as_json=as_json)
        return
    else:
        found = [_make(book, game, moves, _WISHES[wish], Coordinates(coordinates))]
    if as_json:
        print_json({"book": str(book), "wishes": [asdict(wished) for wished in found]})
        return
    for wished in found:
        say(_describe(wished))
    if not found:
        say(f"{book}: no wishes")


def _make_all(
    book: Address,
    game: Game | None,
    path: Path,
    wish: Wish | None,
    request: Request,
    *,
    as_json: bool,
) -> None:
    """Wish something of all positions of a file, and say of how many."""
    with BookReader(book) as reader:
        game = game_of(reader, game)
    found = wish_file(book, game, path, wish, request)
    left_out = list(request.left_out.described())
    if as_json:
        print_json({"book": str(book), **asdict(found), "left_out": left_out})
        return
    for line in left_out:
        say(f"{path}: left out {line}")
    say(f"{game.id}: {found.stored:,} stored positions of {path} are wished")
    if found.asked:
        say(f"{found.asked:,} others wait for fivebook build {book} --mode learn")


def _make(
    book: Address, game: Game | None, moves: str, wish: Wish | None, coordinates: Coordinates
) -> Wished:
    # Looked at first: writing would make a book where there is none.
    with BookReader(book) as reader:
        game = game_of(reader, game)
        position = game.play_line(read_moves(game, moves, coordinates))
        outcome = game.outcome(position)
        if outcome is not None:
            raise click.UsageError(f"the game is over after '{moves}': {outcome.value}")
        if reader.get(game, position) is None:
            raise PositionNotFound(
                f"'{book}' does not hold {game.id} after '{moves}'; "
                f'fivebook build {book} --game {game.id} --root "{moves}" adds it'
            )
    return make_wish(book, game, position, wish)


def _describe(wished: Wished) -> str:
    stones = f"dark {wished.dark or '-'}, light {wished.light or '-'}"
    return f"{wished.game}: {wished.wish or 'no wish'} for {stones}"
