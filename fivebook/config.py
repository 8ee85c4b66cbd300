"""Options from a TOML file, which the command line and the environment go before."""

import tomllib
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import click

from book.storage.address import Address
from fivebook.options import BOOK

_Command = TypeVar("_Command", bound=Callable[..., Any])


def config_option(command: _Command) -> _Command:
    """Add ``--config``: a file that sets the command's other options, and its books."""
    return click.option(
        "--config",
        type=click.Path(path_type=Path),
        is_eager=True,
        expose_value=False,
        callback=_use,
        help="TOML file with any of these options, by their names, and books = [...].",
    )(command)


def _use(ctx: click.Context, param: click.Parameter, file: Path | None) -> None:
    if file is not None:
        ctx.default_map = {**(ctx.default_map or {}), **_read(ctx.command, param, file)}


def _read(command: click.Command, own: click.Parameter, file: Path) -> dict[str, Any]:
    """The values in `file`, by the names of the command's parameters.

    Raises:
        click.UsageError: if it cannot be read, or sets what the command does not have.
    """
    try:
        with file.open("rb") as opened:
            found = tomllib.load(opened)
    except OSError as error:
        raise click.UsageError(f"cannot read '{file}': {error.strerror}") from error
    except ValueError as error:
        # Of TOML, or of UTF-8.
        raise click.UsageError(f"'{file}' is no TOML file: {error}") from error
    known = {_key(param): param for param in command.params if param is not own}
    values = {}
    for key, value in found.items():
        if key not in known:
            meant = get_close_matches(key, known, n=1)
            guess = f"did you mean '{meant[0]}'?" if meant else f"it knows {', '.join(known)}"
            raise click.UsageError(f"'{file}' sets '{key}', which there is not: {guess}")
        values[known[key].name or key] = _value(known[key], key, value, file)
    return values


def _key(param: click.Parameter) -> str:
    """What a parameter is called in a file: as on the command line, without dashes before it."""
    if isinstance(param, click.Option):
        return next(name for name in param.opts if name.startswith("--")).removeprefix("--")
    return param.name or ""


def _value(param: click.Parameter, key: str, value: object, file: Path) -> Any:
    if param.nargs == -1:
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise click.UsageError(f"'{key}' in '{file}' is no list of texts")
        return [_beside(file, one) for one in value] if param.type is BOOK else value
    if isinstance(value, bool):
        return value
    if not isinstance(value, str | int | float):
        raise click.UsageError(f"'{key}' in '{file}' is no text, number, true or false")
    # As it would be typed: a plain number of a duration counts milliseconds there, too.
    return str(value)


def _beside(file: Path, book: str) -> str:
    """The address of a book; a relative path starts from the folder of `file`."""
    path = Address.of(book).path
    return book if path is None else str(file.parent / path)
