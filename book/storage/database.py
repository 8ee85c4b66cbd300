"""Opening a book wherever it is, and saying in one sentence what is wrong with it."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from sqlalchemy import Connection, Dialect, Engine, Select

from book.storage.address import Access, Address
from book.storage.store import store_of

__all__ = ["Access", "Prepared", "explained", "open_engine"]


def open_engine(address: Address, access: Access) -> Engine:
    """A checked engine for the book at `address`, of the present schema; without a pool.

    Raises:
        BookError: the one that fits.
    """
    store = store_of(address)
    with store.explained():
        return store.open_engine(access)


def explained(address: Address) -> AbstractContextManager[None]:
    """Turn the database's errors into sentences about the book at `address`."""
    return store_of(address).explained()


@contextmanager
def at_one_moment(address: Address) -> Iterator[Connection]:
    """A connection for reading, to which the book is as it was at the first look at it."""
    store = store_of(address)
    with store.explained(), store.open_engine(Access.READ).connect() as connection:
        store.stay_at_one_moment(connection)
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
        if self._values:
            values = self._values | values
        if self._names is None:
            return connection.exec_driver_sql(self._text, values).all()
        driver: Any = connection.connection.driver_connection
        found: list[tuple[Any, ...]] = driver.execute(
            self._text, [values[name] for name in self._names]
        ).fetchall()
        return found
