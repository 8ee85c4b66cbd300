"""Opening a book wherever it is, and saying in one sentence what is wrong with it."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Dialect, Engine, Select
from sqlalchemy.exc import DBAPIError

from book.storage import postgresql, sqlite
from book.storage.address import Access, Address

__all__ = ["Access", "Prepared", "explained", "open_engine"]


def open_engine(address: Address, access: Access) -> Engine:
    """A checked engine for the book at `address`, of the present schema; without a pool.

    Raises:
        BookError: the one that fits.
    """
    with explained(address):
        if isinstance(address.place, Path):
            return sqlite.open_engine(address.place, access)
        return postgresql.open_engine(address.place, str(address), access)


@contextmanager
def explained(address: Address) -> Iterator[None]:
    """Turn the database's errors into sentences about the book at `address`."""
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        cause = str(error.orig if isinstance(error, DBAPIError) else error)
        explain = sqlite.explain if isinstance(address.place, Path) else postgresql.explain
        raise explain(str(address), cause) from error


@contextmanager
def at_one_moment(address: Address) -> Iterator[Connection]:
    """A connection for reading, to which the book is as it was at the first look at it."""
    engine = open_engine(address, Access.READ)
    with explained(address), engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            # Python's driver begins no transaction for reading.
            connection.exec_driver_sql("BEGIN")
        else:
            connection.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
        yield connection


class Prepared:
    """A statement that is asked often, with as little between it and the database as can be.

    What it gives is as the driver has it: SQLite's truth values are 0 and 1.
    """

    def __init__(self, statement: Select[*tuple[Any, ...]], dialect: Dialect) -> None:
        compiled = statement.compile(dialect=dialect)
        self._text = str(compiled)
        self._values = {name: value for name, value in compiled.params.items() if value is not None}
        self._names: Sequence[str] | None = compiled.positiontup if compiled.positional else None

    def all(self, connection: Connection, values: dict[str, Any]) -> Sequence[Sequence[Any]]:
        """All rows that the statement finds with `values` for its parameters."""
        values = self._values | values
        if self._names is None:
            return connection.exec_driver_sql(self._text, values).all()
        driver: Any = connection.connection.driver_connection
        found: list[tuple[Any, ...]] = driver.execute(
            self._text, [values[name] for name in self._names]
        ).fetchall()
        return found
