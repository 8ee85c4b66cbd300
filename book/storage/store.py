"""Where a book is stored: in an SQLite file of its own, or in a schema of a PostgreSQL database.

What differs between the two is here. Everybody else speaks of a `Store`, of the same tables, and of
statements that both understand.
"""

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from sqlalchemy import URL, Connection, Engine, Row, Select, insert, select
from sqlalchemy.exc import DatabaseError, DBAPIError

from book.errors import BookError, BookUnreadable, BookUnwritable
from book.storage import postgresql, sqlite
from book.storage.address import Access, Address
from book.storage.log import mark_copy
from book.storage.new_file import new_file
from book.storage.postgresql import Session
from book.storage.schema import metadata

# A name in a damaged schema may be no text; Python then fails to read SQLite's own message.
DATABASE_ERRORS = (DBAPIError, sqlite3.Error, UnicodeDecodeError)
"""What reading and writing raise, before it is explained."""

_ROWS_AT_ONCE = 5_000
_PAGES_AT_ONCE = 1_000
_MOST_DAMAGE_OF_A_FILE = 1_000


class Store(ABC):
    """The place of one book.

    Its errors are those of the driver, to be turned into sentences by `explained`.
    """

    dialect: ClassVar[str]
    """SQLAlchemy's name of the kind of database."""
    is_shareable: ClassVar[bool]
    """Whether several builders may work on a book at once."""
    join_texts: ClassVar[str]
    """The aggregate function that makes one text of several, with a text between them."""

    def __init__(self, address: Address) -> None:
        self.address = address

    @abstractmethod
    def open_engine(self, access: Access) -> Engine:
        """A checked engine for the book, of the present schema; without a pool.

        Raises:
            BookError: the one that fits, where it is no fault of the database's.
        """

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn the database's errors into sentences about the book."""
        try:
            yield
        except DATABASE_ERRORS as error:
            raise self._explain(error) from error

    @abstractmethod
    def stay_at_one_moment(self, connection: Connection) -> None:
        """Have a connection for reading see the book as it is at the next look at it."""

    @abstractmethod
    def locked(self, connection: Connection) -> AbstractContextManager[bool]:
        """Keep other builders away; gives whether that is so, or another was here before.

        It ends with the block or with the connection.
        """

    def lock_again(self, connection: Connection) -> bool:
        """Keep other builders away by a connection made anew; returns whether there are none."""
        return True

    @abstractmethod
    def join(self, connection: Connection) -> bool:
        """Share the book with the builders at work on it, to the end of the connection.

        Returns whether that is possible. `connection` is in a transaction.
        """

    @abstractmethod
    def let_others_join(self, connection: Connection) -> None:
        """Share what `locked` holds with builders that `join`, where that is possible."""

    @abstractmethod
    def lock_for_entering(self, connection: Connection) -> None:
        """Wait until no other builder enters results, and keep it so to the transaction's end."""

    def session(self, connection: Connection) -> object:
        """What tells the connection from others on its server, None where there is no server."""
        return None

    def end_session(self, connection: Connection, session: object) -> bool:
        """End a former connection of this process, which the server may not know to be lost.

        Returns whether it has ended by now.
        """
        return True

    def limit_silence(self, connection: Connection, seconds: float) -> None:  # noqa: B027
        """Have a server end the connection when nothing comes within a transaction for so long."""

    def transaction_number(self, connection: Connection) -> str | None:
        """The number of the transaction, if it has changed anything on a server."""
        return None

    def was_committed(self, connection: Connection, number: str) -> bool:
        """Whether the transaction of this number was, whose session has ended."""
        return False

    @contextmanager
    def alone(self, connection: Connection) -> Iterator[None]:
        """Keep other builders away.

        Raises:
            BookUnwritable: if there is one.
        """
        with self.locked(connection) as is_alone:
            if not is_alone:
                raise self.is_being_built()
            yield

    def is_being_built(self) -> BookUnwritable:
        """That another builder has the book."""
        return BookUnwritable(f"'{self.address}' is being built by another process")

    @abstractmethod
    def new_book(self) -> AbstractContextManager[Connection]:
        """A connection to a new book, in a transaction; it is there once the block has ended.

        Raises:
            BookUnwritable: if something is there already.
            BookError: if it cannot be written.
        """

    @abstractmethod
    def checkpoint(self, connection: Connection, *, wholly: bool = False) -> None:
        """Have all that is stored be in the place where the book is, not only in a log beside it.

        `wholly` waits a moment for readers who are in the way.
        """

    @staticmethod
    def edition(connection: Connection) -> object:
        """What changes for `connection` when another one has changed the book.

        None where that is not told.
        """
        return None

    def place(self) -> object:
        """What tells whether the book is still where it was; never equal to that of another."""
        return None

    @abstractmethod
    def size(self, connection: Connection) -> int:
        """The bytes that the book takes, with its indexes and with what is not yet in its place."""

    @abstractmethod
    def pack(self, connection: Connection) -> None:
        """Give back the space that the book no longer uses."""

    @abstractmethod
    def copy(self, connection: Connection, copy: Path) -> None:
        """Write the book, as `connection` sees it at one moment, into a new file.

        Raises:
            BookError: if the book cannot be read, or the copy exists or cannot be written.
        """

    @staticmethod
    @abstractmethod
    def damage(connection: Connection) -> list[str]:
        """What the database itself finds wrong with the place where it keeps the book."""

    @abstractmethod
    def _explain(self, error: Exception) -> BookError:
        """What is wrong with the book, by the database's words."""


class SqliteStore(Store):
    """A book in a file of its own."""

    dialect = "sqlite"
    is_shareable = False
    join_texts = "group_concat"

    def __init__(self, address: Address, path: Path) -> None:
        super().__init__(address)
        self._path = path

    def open_engine(self, access: Access) -> Engine:
        return sqlite.open_engine(self._path, access)

    def stay_at_one_moment(self, connection: Connection) -> None:
        # Python's driver begins no transaction for reading.
        connection.exec_driver_sql("BEGIN")

    @contextmanager
    def locked(self, connection: Connection) -> Iterator[bool]:
        with sqlite.locked(self._path) as is_alone:
            yield is_alone

    def join(self, connection: Connection) -> bool:
        return False

    def let_others_join(self, connection: Connection) -> None:
        """There are no others."""

    def lock_for_entering(self, connection: Connection) -> None:
        """Nobody else enters anything."""

    @contextmanager
    def new_book(self) -> Iterator[Connection]:
        with new_file(self._path) as partial, self.explained():
            engine = sqlite.open_engine(partial, Access.WRITE)
            try:
                with engine.connect() as connection:
                    sqlite.set_journal(connection, "OFF")
                    with connection.begin():
                        yield connection
                    sqlite.set_journal(connection, "DELETE")
            finally:
                engine.dispose()

    def checkpoint(self, connection: Connection, *, wholly: bool = False) -> None:
        sqlite.checkpoint(connection, wholly=wholly)

    def place(self) -> object:
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino

    @staticmethod
    def edition(connection: Connection) -> object:
        return sqlite.driver_of(connection).execute("PRAGMA data_version").fetchone()

    def size(self, connection: Connection) -> int:
        parts = (self._path, self._path.with_name(f"{self._path.name}-wal"))
        return sum(part.stat().st_size for part in parts if part.exists())

    def pack(self, connection: Connection) -> None:
        # The log begins with its mark, which a transaction writes.
        connection.begin().commit()
        driver = sqlite.driver_of(connection)
        for statement in ("VACUUM", "ANALYZE", "PRAGMA wal_checkpoint(TRUNCATE)"):
            driver.execute(statement)

    def copy(self, connection: Connection, copy: Path) -> None:
        with new_file(copy) as partial, store_of(Address(copy)).explained():
            with closing(sqlite3.connect(partial)) as target:
                # A backup begins anew whenever the book changes, unless it reads in a transaction.
                # Something has to be called between its steps for Ctrl-C to be heard.
                sqlite.driver_of(connection).backup(
                    target, pages=_PAGES_AT_ONCE, progress=lambda *_: None
                )
                target.execute("PRAGMA journal_mode = DELETE")
                mark_copy(target)
            with closing(sqlite3.connect(partial)) as target:
                found = target.execute("PRAGMA quick_check(1)").fetchone()[0]
            if found != "ok":
                raise BookUnreadable(f"the book is damaged: {found.splitlines()[-1]}")

    @staticmethod
    def damage(connection: Connection) -> list[str]:
        statement = f"PRAGMA integrity_check({_MOST_DAMAGE_OF_A_FILE})"
        told: list[str] = []
        try:
            told += connection.exec_driver_sql(statement).scalars()
        except DatabaseError as error:
            # The check itself can stumble over what it looks for.
            told.append(str(error.orig))
        return [" ".join(line.split()) for line in told if line != "ok"]

    def _explain(self, error: Exception) -> BookError:
        return sqlite.explain(str(self.address), _cause(error))


class PostgresqlStore(Store):
    """A book in a schema of a database on a server, which looks after what it stores."""

    dialect = "postgresql"
    is_shareable = True
    join_texts = "string_agg"

    def __init__(self, address: Address, url: URL) -> None:
        super().__init__(address)
        self._url = url

    def open_engine(self, access: Access) -> Engine:
        return postgresql.open_engine(self._url, str(self.address), access)

    def stay_at_one_moment(self, connection: Connection) -> None:
        connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    @contextmanager
    def locked(self, connection: Connection) -> Iterator[bool]:
        yield self.lock_again(connection)

    def lock_again(self, connection: Connection) -> bool:
        with connection.begin():
            return postgresql.lock_for_building(connection)

    def join(self, connection: Connection) -> bool:
        return postgresql.lock_with_others(connection)

    def let_others_join(self, connection: Connection) -> None:
        postgresql.let_others_build(connection)

    def lock_for_entering(self, connection: Connection) -> None:
        postgresql.lock_for_entering(connection)

    def session(self, connection: Connection) -> object:
        return postgresql.session(connection)

    def end_session(self, connection: Connection, session: object) -> bool:
        return not isinstance(session, Session) or postgresql.has_ended(connection, session)

    def limit_silence(self, connection: Connection, seconds: float) -> None:
        postgresql.limit_silence(connection, seconds)

    def transaction_number(self, connection: Connection) -> str | None:
        return postgresql.transaction_number(connection)

    def was_committed(self, connection: Connection, number: str) -> bool:
        return postgresql.was_committed(connection, number)

    @contextmanager
    def new_book(self) -> Iterator[Connection]:
        with self.explained(), postgresql.new_book(self._url, str(self.address)) as connection:
            yield connection

    def checkpoint(self, connection: Connection, *, wholly: bool = False) -> None:
        """A server sees to it."""

    def size(self, connection: Connection) -> int:
        return postgresql.size(connection)

    def pack(self, connection: Connection) -> None:
        connection.execution_options(isolation_level="AUTOCOMMIT")
        for table in metadata.sorted_tables:
            connection.exec_driver_sql(f"VACUUM FULL ANALYZE {table.name}")

    def copy(self, connection: Connection, copy: Path) -> None:
        with store_of(Address(copy)).new_book() as target:
            for table in metadata.sorted_tables:
                rows = self._streamed(connection, select(table))
                while some := [row._asdict() for row in islice(rows, _ROWS_AT_ONCE)]:
                    target.execute(insert(table), some)

    def _streamed(
        self, connection: Connection, statement: Select[*tuple[Any, ...]]
    ) -> Iterator[Row[*tuple[Any, ...]]]:
        with self.explained():
            yield from connection.execute(statement, execution_options={"stream_results": True})

    @staticmethod
    def damage(connection: Connection) -> list[str]:
        return []

    def _explain(self, error: Exception) -> BookError:
        return postgresql.explain(str(self.address), error)


def _cause(error: Exception) -> str:
    """What went wrong, in the database's words."""
    if isinstance(error, UnicodeDecodeError):
        return "malformed, with a name that is no text"
    return str(error.orig if isinstance(error, DBAPIError) else error)


def store_of(address: Address) -> Store:
    """The store of the book at `address`."""
    if isinstance(address.place, Path):
        return SqliteStore(address, address.place)
    return PostgresqlStore(address, address.place)


def kind_of(connection: Connection) -> type[Store]:
    """The kind of store that `connection` leads to."""
    kinds: tuple[type[Store], ...] = (SqliteStore, PostgresqlStore)
    return next(kind for kind in kinds if kind.dialect == connection.dialect.name)
