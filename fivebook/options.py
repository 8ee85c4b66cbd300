"""The parameters that several commands take: their types, and options that are alike everywhere."""

import codecs
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import click
from click.shell_completion import CompletionItem

from book.storage.address import Address
from engine import registry
from engine.clock import Clock
from engine.errors import FivebookError, InvalidOptions
from engine.game import Game
from engine.quantities import (
    parse_clock,
    parse_duration,
    parse_memory,
    parse_percentage,
    parse_probability,
)
from engine.search import MOST_TABLE, MOST_THREADS

if TYPE_CHECKING:
    from book.reader import BookReader

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Value = TypeVar("_Value")


class _Parsed(click.ParamType[_Value], Generic[_Value]):
    """A parameter that `parse` reads; a value of type `kind` has been read already."""

    def __init__(self, name: str, kind: type[Any], parse: Callable[[str], _Value]) -> None:
        self.name = name
        self._kind = kind
        self._parse = parse

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> _Value:
        if isinstance(value, self._kind):
            read: _Value = value
            return read
        try:
            return self._parse(str(value))
        except FivebookError as error:
            self.fail(str(error), param, ctx)


class _GameType(_Parsed[Game]):
    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        examples = (
            CompletionItem(example, help=family.title)
            for family in registry.families()
            for example in family.examples
        )
        return [item for item in examples if item.value.startswith(incomplete)]


class _BookType(_Parsed[Address]):
    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        # The shell itself goes into folders.
        return [CompletionItem(incomplete, type="dir"), *_book_files(incomplete)]


def _book_files(incomplete: str) -> list[CompletionItem]:
    folder, slash, start = incomplete.rpartition("/")
    try:
        place = Path(folder + slash).expanduser()
        names = sorted(path.name for path in place.glob("*.db"))
    except (OSError, RuntimeError):
        # A folder that cannot be read, or the home of somebody there is not.
        return []
    return [CompletionItem(folder + slash + name) for name in names if name.startswith(start)]


def _encoding(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError as error:
        raise InvalidOptions(f"'{name}' is no encoding: utf-8 and gb18030 are") from error


GAME = _GameType("game id", Game, registry.get)
BOOK = _BookType("book", Address, Address.of)
DURATION = _Parsed("duration", float, parse_duration)
CLOCK = _Parsed("clock", Clock, parse_clock)
MEMORY = _Parsed("size", int, parse_memory)
PROBABILITY = _Parsed("probability", float, parse_probability)
PERCENTAGE = _Parsed("percentage", float, parse_percentage)
ENCODING = _Parsed("encoding", type(None), _encoding)
POSITIVE = click.IntRange(min=1)
THREADS = click.IntRange(1, MOST_THREADS)
TABLE = click.IntRange(1, MOST_TABLE)


def json_option(command: _Command) -> _Command:
    """Add ``--json``, which every command that prints results takes."""
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(
        command
    )


def variety_options(command: _Command) -> _Command:
    """Add ``--book-margin``, ``--seed`` and ``--exclude``, for what plays from a book."""
    excluded = click.option(
        "--exclude",
        "excluded",
        type=click.Path(exists=True, dir_okay=False),
        help="Takes no move from the book that leads where a line of this file does, such as what "
        "an opponent has prepared; but proven wins.",
    )
    seed = click.option(
        "--seed", type=int, help="Chooses the same among those moves each time.  [default: chance]"
    )
    margin = click.option(
        "--book-margin",
        type=PERCENTAGE,
        default="0%",
        show_default=True,
        help="Chooses among the book's moves that give away at most this of the winning chance, "
        "such as 3%; better ones more often.",
    )
    return margin(seed(excluded(command)))


def coordinates_option(command: _Command) -> _Command:
    """Add ``--coordinates``, which every command takes that reads moves as numbers."""
    return click.option(
        "--coordinates",
        type=click.Choice(["natural", "piskvork"]),
        default="natural",
        show_default=True,
        help="What 7,7 means: columns and rows from 1, from below; or from 0, from above.",
    )(command)


def encoding_option(command: _Command) -> _Command:
    """Add ``--encoding``, which every command takes that reads files of other programs."""
    return click.option(
        "--encoding", type=ENCODING, help="Of texts in these files.  [default: to be guessed]"
    )(command)


def force_option(command: _Command) -> _Command:
    """Add ``--force``, which every command takes that writes a file that may be there already."""
    return click.option(
        "--force", is_flag=True, help="Replace the output even if it is something else."
    )(command)


def game_of(reader: "BookReader", game: Game | None) -> Game:
    """`game`, or the one game that the book holds.

    Raises:
        click.UsageError: if it does not hold `game`, or several where none is named.
    """
    return registry.get(name_game(reader.address, [held.id for held in reader.games], game))


def name_game(book: Address, held: Sequence[str], game: Game | None) -> str:
    """The id of `game`, or of the one game that `book` holds; `held` are the ids of those.

    Raises:
        click.UsageError: if it holds none of that, or several where none is named.
    """
    if game is None and len(held) == 1:
        return held[0]
    if game is None:
        raise click.UsageError(f"'{book}' holds {' and '.join(held) or 'no game'}: use --game")
    if game.id not in held:
        raise click.UsageError(f"'{book}' does not hold {game.id}")
    return game.id
