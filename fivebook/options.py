"""The parameters that several commands take: their types, and options that are alike everywhere."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import click
from click.shell_completion import CompletionItem

from book.storage.address import Address
from engine import registry
from engine.clock import Clock
from engine.errors import FivebookError
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


GAME = _GameType("game id", Game, registry.get)
BOOK = _BookType("book", Address, Address.of)
DURATION = _Parsed("duration", float, parse_duration)
CLOCK = _Parsed("clock", Clock, parse_clock)
MEMORY = _Parsed("size", int, parse_memory)
PROBABILITY = _Parsed("probability", float, parse_probability)
PERCENTAGE = _Parsed("percentage", float, parse_percentage)
POSITIVE = click.IntRange(min=1)
THREADS = click.IntRange(1, MOST_THREADS)
TABLE = click.IntRange(1, MOST_TABLE)


def json_option(command: _Command) -> _Command:
    """Add ``--json``, which every command that prints results takes."""
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(
        command
    )


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
