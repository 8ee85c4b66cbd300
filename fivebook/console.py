"""What every room's commands share on the terminal: parameter types, output, wording."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click
from rich.console import Console

from book.storage.address import Address
from engine import registry
from engine.clock import Clock
from engine.errors import FivebookError, InvalidOptions
from engine.game import Game
from engine.search import MOST_TABLE, MOST_THREADS
from engine.tables import require_memory
from engine.values import Value, distance

console = Console()

_Command = TypeVar("_Command", bound=Callable[..., Any])
_SECONDS = {"ms": 0.001, "": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


class _GameType(click.ParamType[Game]):
    name = "game id"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Game:
        if isinstance(value, Game):
            return value
        try:
            return registry.get(value)
        except FivebookError as error:
            self.fail(str(error), param, ctx)


class _BookType(click.ParamType[Address]):
    name = "book"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Address:
        try:
            return Address.of(value)
        except FivebookError as error:
            self.fail(str(error), param, ctx)


class _DurationType(click.ParamType[float]):
    name = "duration"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        if isinstance(value, float):
            return value
        match = re.fullmatch(r"([0-9]+\.?[0-9]*|\.[0-9]+)(ms|s|m|h|)", str(value))
        if match is None or float(match[1]) == 0:
            self.fail(
                f"'{value}' is no duration greater than zero, such as 500ms, 30s, 2m or 8h "
                "(a plain number counts milliseconds)",
                param,
                ctx,
            )
        return float(match[1]) * _SECONDS[match[2]]


class _ProbabilityType(click.ParamType[float]):
    """A number from 0 to 1, from e.g. ``0.1`` or ``10%``."""

    name = "probability"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        if isinstance(value, float):
            return value
        match = re.fullmatch(r"([0-9]+\.?[0-9]*|\.[0-9]+)(%?)", str(value))
        probability = float(match[1]) / (100 if match[2] else 1) if match else 2.0
        if probability > 1:
            self.fail(f"'{value}' is no probability, such as 0.1 or 10%", param, ctx)
        return probability


class _ClockType(click.ParamType[Clock]):
    name = "clock"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Clock:
        if isinstance(value, Clock):
            return value
        match = re.fullmatch(r"(?:([1-9][0-9]{0,3})/)?([^+/]+)(?:\+([^+/]+))?", str(value))
        if match is None:
            self.fail(
                f"'{value}' is no clock, such as 60s, 60s+500ms (added after every move) or "
                "40/60s (again for every 40 moves)",
                param,
                ctx,
            )
        return Clock(
            left=DURATION.convert(match[2], param, ctx),
            increment=DURATION.convert(match[3], param, ctx) if match[3] else 0.0,
            moves_to_go=int(match[1]) if match[1] else None,
        )


class _MemoryType(click.ParamType[int]):
    """A size in MiB, from e.g. ``512``, ``512MB`` or ``4GB``."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"(\d+)\s*(?:(M|G)i?B?)?", value.strip(), re.IGNORECASE)
        mebibytes = int(match[1]) * (1024 if match[2] in ("g", "G") else 1) if match else 0
        if not 1 <= mebibytes <= MOST_TABLE:
            self.fail(
                f"'{value}' is no size like 512MB or 4GB, up to {MOST_TABLE // 1024}GB "
                "(a plain number counts MiB)",
                param,
                ctx,
            )
        try:
            require_memory(mebibytes)
        except InvalidOptions as error:
            self.fail(str(error), param, ctx)
        return mebibytes


GAME = _GameType()
BOOK = _BookType()
DURATION = _DurationType()
CLOCK = _ClockType()
MEMORY = _MemoryType()
PROBABILITY = _ProbabilityType()
POSITIVE = click.IntRange(min=1)
THREADS = click.IntRange(1, MOST_THREADS)
TABLE = click.IntRange(1, MOST_TABLE)


def json_option(command: _Command) -> _Command:
    """Add ``--json``, which every command that prints results takes."""
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(
        command
    )


def print_json(data: object) -> None:
    """Print `data` as indented JSON on standard output."""
    click.echo(json.dumps(data, indent=2, ensure_ascii=False))


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


def describe_value(value: Value, proven: bool) -> str:
    """How people write a value: ``+35``, ``win in 7``, ``loss in 6``, ``draw``."""
    plies = distance(value)
    if plies is not None:
        return f"{'win' if value > 0 else 'loss'} in {plies}"
    return "draw" if proven else f"{value:+d}"


def describe_clock(clock: Clock) -> str:
    """How a clock is written: ``60 s``, ``60 s + 0.5 s``, ``40 moves in 60 s``."""
    base = f"{clock.left:g} s"
    if clock.moves_to_go is not None:
        base = f"{clock.moves_to_go} moves in {base}"
    return f"{base} + {clock.increment:g} s" if clock.increment else base
