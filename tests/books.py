"""Small books for tests, and what is in them by SQL."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from click.testing import Result
from sqlalchemy import select, text

from book.reader import BookReader
from book.rows.digests import digest_all
from book.storage.address import Address, AnyAddress
from book.storage.database import Access, open_engine
from book.storage.schema import games
from engine import registry
from engine.search import Limits
from precompute.builder import Builder, BuildOptions
from precompute.modes.explore import Explore

NODES = Limits(nodes=300)

slowly_on_a_server = pytest.mark.parametrize(
    "place", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True
)
"""For tests that take long where the book is in PostgreSQL: there they are among the slow ones."""

Fivebook = Callable[..., Result]
CopyOf = Callable[[Path], Path]


Place = TypeVar("Place", str, Path)


def small_book(place: Place, name: str, positions: int) -> Place:
    """A book of a few positions at `place`; added to what is there."""
    Builder(place, BuildOptions(registry.get(name), Explore(positions), NODES)).run()
    return place


def seal(book: AnyAddress) -> None:
    """Have a book that was changed by SQL be what was written."""
    engine = open_engine(Address.of(book), Access.WRITE)
    with engine.begin() as connection:
        for number in connection.execute(select(games.c.id)).scalars().all():
            digest_all(connection, number)
    engine.dispose()


def rows_of(book: AnyAddress, script: str, **values: object) -> list[dict[str, Any]]:
    """What SQL finds in the book, wherever it is."""
    with BookReader(book) as reader, reader.connection() as connection:
        return [dict(row) for row in connection.execute(text(script), values).mappings()]


def change(book: AnyAddress, script: str, **values: object) -> None:
    """Change a book, wherever it is, by SQL."""
    engine = open_engine(Address.of(book), Access.WRITE)
    with engine.begin() as connection:
        connection.execute(text(script), values)
    engine.dispose()
