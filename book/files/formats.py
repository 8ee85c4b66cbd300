"""The formats, found by their names and told by the first bytes of files.

Every module in `book.files` that defines `FORMATS` adds its own; adding a module adds a format.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import book.files
from book.errors import InvalidRecord
from book.files.contents import Item, Request
from book.files.format import Format

_LOOKED_AT = 4096
_BOOK = b"SQLite format 3\0"


@cache
def formats() -> dict[str, Format]:
    """All formats by their names, in the order of these."""
    names = (
        module.name
        for module in pkgutil.walk_packages(book.files.__path__, f"{book.files.__name__}.")
    )
    modules = [importlib.import_module(name) for name in names if name != __name__]
    found = [each for module in modules for each in getattr(module, "FORMATS", ())]
    return {each.name: each for each in sorted(found, key=lambda each: each.name)}


def format_of(path: Path) -> Format:
    """The format of the file at `path`, by its first bytes and then by its ending.

    Raises:
        InvalidRecord: if it is of none that is known.
        OSError: if it cannot be read.
    """
    with path.open("rb") as file:
        start = file.read(_LOOKED_AT)
    if start.startswith(_BOOK):
        raise InvalidRecord(f"'{path}' is a book already: fivebook merge makes one book of several")
    known = formats().values()
    ending = path.suffix.lower()
    fitting = [each for each in known if each.is_one is not None and each.is_one(start)]
    named = [each for each in known if ending in each.endings]
    for found in (*(each for each in named if each in fitting), *fitting, *named):
        return found
    endings = sorted(ending for each in known for ending in each.endings)
    raise InvalidRecord(
        f"'{path}' is of no known kind (of {', '.join(endings)}): name it with --format"
    )


def is_of(form: Format, path: Path) -> bool:
    """Whether the file at `path` begins as one of the format, or is empty.

    Raises:
        OSError: if it cannot be read.
    """
    with path.open("rb") as file:
        start = file.read(_LOOKED_AT)
    return not start or (form.is_one is not None and form.is_one(start))


def read_file(path: Path, request: Request, form: Format | None = None) -> Iterator[Item]:
    """What the file at `path` holds, in its own order.

    Raises:
        InvalidRecord: if it cannot be read; what came before is then to be thrown away.
    """
    try:
        found = form or format_of(path)
        if request.game is not None and not found.holds(request.game):
            reason = f"a {found.title}, which cannot hold {request.game.id}"
            request.left_out.add(reason, f"'{path}'")
            return
        with path.open("rb") as file:
            try:
                yield from found.read(file, request)
            except InvalidRecord as error:
                raise InvalidRecord(f"'{path}' is no {found.title}: {error}") from error
    except OSError as error:
        raise InvalidRecord(f"cannot read '{path}': {error.strerror}") from error
