"""Opening a book's file, and saying in one sentence what is wrong with it."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from enum import Enum
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Dialect, Engine, Select, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from book.errors import (
    BookError,
    BookMissing,
    BookUnreadable,
    BookUnwritable,
    NewerSchema,
    NotABook,
)
from book.schema import REVISIONS

_MAGIC = b"SQLite format 3\0"
_WAIT_FOR_LOCK_MS = 10_000
_NO_LONGER_READ = ("0001",)


class Access(Enum):
    """What a book is opened for."""

    READ = "read"
    WRITE = "write"
    """Creates the book where there is none."""


class Prepared:
    """A statement that is asked often, as the driver takes it: several times as fast.

    What it gives is as the driver has it: SQLite's truth values are 0 and 1.
    """

    def __init__(self, statement: Select[*tuple[Any, ...]], dialect: Dialect) -> None:
        compiled = statement.compile(dialect=dialect)
        self._text = str(compiled)
        self._values = {name: value for name, value in compiled.params.items() if value is not None}
        self._names: Sequence[str] | None = compiled.positiontup if compiled.positional else None

    def all(self, connection: Connection, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        """All rows that the statement finds with `values` for its parameters."""
        values = self._values | values
        given = values if self._names is None else [values[name] for name in self._names]
        driver: Any = connection.connection.driver_connection
        found: list[tuple[Any, ...]] = driver.execute(self._text, given).fetchall()
        return found


def open_engine(path: Path, access: Access) -> Engine:
    """A checked engine for the book at `path`, of the present schema; without a pool.

    Raises:
        BookError: the one that fits.
    """
    new = _check_file(path, access)
    if not new:
        # Looked at before anything is set up: a file that is no book is not to be touched.
        with explained(path):
            _check_schema(path, access)
    engine = create_engine("sqlite://", creator=lambda: _connect(path, access), poolclass=NullPool)
    if access is Access.WRITE:
        event.listen(engine, "connect", _set_up_writer)
        # Python's driver would begin a transaction only at the first change, so that what was
        # read before it could be outdated; the builder takes the write lock at once.
        event.listen(
            engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE")
        )
        with explained(path):
            _bring_schema_up(engine)
    return engine


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn the database's errors into sentences about the book at `path`."""
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        raise _explain(path, str(cause)) from error


def _explain(path: Path, cause: str) -> BookError:
    if "disk is full" in cause or "disk I/O" in cause:
        return BookUnwritable(
            f"cannot write '{path}': the disk is full or failing; all finished searches that "
            "were stored before are safe"
        )
    if "readonly" in cause or "unable to open" in cause:
        return BookUnwritable(f"cannot write '{path}': the file or its folder is read-only")
    if "locked" in cause:
        return BookUnwritable(f"cannot use '{path}': another program holds it locked")
    if "not a database" in cause or "no such table" in cause:
        return NotABook(f"'{path}' is no fivebook book")
    return BookUnreadable(f"cannot read '{path}': {cause}")


def _check_file(path: Path, access: Access) -> bool:
    """Look at the file without SQLite; returns whether a book is to be created."""
    try:
        return _look_at_file(path, access)
    except OSError as error:
        raise BookUnreadable(f"cannot read '{path}': {error.strerror}") from error


def _look_at_file(path: Path, access: Access) -> bool:
    if path.is_dir():
        raise NotABook(f"'{path}' is a folder, not a book")
    if not path.exists():
        if access is Access.READ:
            raise BookMissing(f"there is no book at '{path}'; fivebook build makes one")
        if not path.parent.is_dir():
            raise BookMissing(f"cannot create '{path}': there is no folder '{path.parent}'")
        if not os.access(path.parent, os.W_OK):
            raise BookUnwritable(f"cannot create '{path}': its folder is read-only")
        return True
    with path.open("rb") as file:
        start = file.read(len(_MAGIC))
    # An empty file is what `touch` and mktemp leave for a new book.
    new = not start and access is Access.WRITE
    if start != _MAGIC and not new:
        raise NotABook(f"'{path}' is no fivebook book")
    if access is Access.WRITE and not os.access(path, os.W_OK):
        raise BookUnwritable(f"cannot write '{path}': the file is read-only")
    if access is Access.WRITE and not os.access(path.parent, os.W_OK):
        raise BookUnwritable(f"cannot write '{path}': its folder is read-only")
    return new


def _connect(path: Path, access: Access) -> sqlite3.Connection:
    uri = path.absolute().as_uri()
    if access is Access.WRITE:
        return _open_uri(f"{uri}?mode=rwc")
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        # Opened for writing, so that whoever closes the book last can tidy up its log.
        connection = _open_uri(f"{uri}?mode=rw")
        connection.execute("PRAGMA query_only = ON")
        return connection
    connection = _open_uri(f"{uri}?mode=ro")
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.OperationalError:
        # A book in WAL mode needs its -shm file, which a read-only folder cannot take. No
        # builder can be at work there, so the file may be read as one that never changes,
        # provided that nothing is left in the log beside it.
        connection.close()
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise BookUnreadable(
                f"cannot read '{path}': its folder is read-only, and '{log.name}' holds changes "
                "that are not yet in the book; copy both to where they can be written"
            ) from None
        connection = _open_uri(f"{uri}?mode=ro&immutable=1")
    return connection


def _open_uri(uri: str) -> sqlite3.Connection:
    # Each connection is used by one thread, but closed by whichever closes the book.
    return sqlite3.connect(uri, uri=True, timeout=_WAIT_FOR_LOCK_MS / 1000, check_same_thread=False)


def _set_up_writer(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None
    connection.execute("PRAGMA journal_mode = WAL")
    # NORMAL survives a killed process, but a power cut could take the last commits along: each
    # is a finished search, worth far more than the fsync.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _check_schema(path: Path, access: Access) -> None:
    """Make sure that the file is an undamaged book which this version can use."""
    log = path.with_name(f"{path.name}-wal")
    # Without a log nothing needs to be locked, and looking leaves nothing beside the file.
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    with closing(_connect(path, Access.READ) if log.exists() else _open_uri(uri)) as connection:
        pages, page_size = (
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "page_size")
        )
        if not log.exists() and path.stat().st_size < pages * page_size:
            raise BookUnreadable(f"cannot read '{path}': the end of the file is missing")
        revision = _revision(connection, path)
        if revision in _NO_LONGER_READ:
            raise NotABook(
                f"'{path}' was built by fivebook 0.3 or earlier (schema {revision}), whose books "
                "this version cannot use: build it anew under another name"
            )
        if revision is not None and revision not in REVISIONS:
            raise NewerSchema(
                f"'{path}' was written by a later version of fivebook (schema {revision}, this "
                f"version knows up to {REVISIONS[-1]}); update fivebook to use it"
            )
        if access is Access.WRITE:
            # Reading finds damage where it meets it. A builder must not build upon it.
            damage = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if damage != "ok":
                raise BookUnreadable(f"'{path}' is damaged: {damage.splitlines()[-1]}")
        elif revision is None:
            raise NotABook(f"'{path}' is no fivebook book")
        elif revision != REVISIONS[-1]:
            raise NotABook(f"'{path}' has the old schema {revision}; fivebook build brings it up")


def _bring_schema_up(engine: Engine) -> None:
    with engine.connect() as connection:
        tables = connection.exec_driver_sql("SELECT count(*) FROM sqlite_schema").scalar_one()
        query = "SELECT version_num FROM alembic_version"
        if not tables or connection.exec_driver_sql(query).scalar() != REVISIONS[-1]:
            _migrate(connection)
        connection.commit()


def _revision(connection: sqlite3.Connection, path: Path) -> str | None:
    """The schema's revision, None for an empty database."""
    query = "SELECT name FROM sqlite_schema WHERE type = 'table'"
    tables = {name for (name,) in connection.execute(query)}
    if {"alembic_version", "positions", "games"} <= tables:
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        if row is None:
            raise BookUnreadable(f"'{path}' is damaged: its schema has lost its version")
        return str(row[0])
    if tables:
        raise NotABook(f"'{path}' is an SQLite database, but no fivebook book")
    return None


def _migrate(connection: Connection) -> None:
    # Imported here because it is slow to load, and needed once in the life of a book.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
