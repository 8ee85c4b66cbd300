"""Books in PostgreSQL, one in each schema of a database: for readers on many machines."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.pool import NullPool

from book.errors import (
    BookAway,
    BookError,
    BookMissing,
    BookOutOfReach,
    BookUnreadable,
    BookUnwritable,
    NotABook,
)
from book.storage.address import Access
from book.storage.revisions import check_revision, migrate
from book.storage.schema import REVISIONS

# Any numbers that other programs are unlikely to lock.
_CREATING = 0x66697665
_BUILDING = 0x626F6F6B
_ENTERING = 0x656E7465
_HERE = "to_regnamespace(current_schema())::int"
_LOCK_NOT_AVAILABLE = "55P03"
# How long a builder waits for another that is just beginning with the book.
_WAIT_FOR_FIRST = "10s"
# A server that does not answer is not waited for for minutes, nor a machine that is lost.
_PATIENCE = {
    "connect_timeout": 5,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
# The server ends connections, or takes none yet: 57P04, a database that was dropped, is not here.
_ENDED = frozenset({"57P01", "57P02", "57P03", "57P05", "25P03", "53300"})
_CONNECTION_EXCEPTION = "08"
_SIZE = """
SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = current_schema() AND c.relkind = 'r'
"""
# After a minute without a sign of a builder's machine the server lets go of its locks.
_NOTICE_LOST_MACHINE = (
    "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3"
)


def open_engine(url: URL, book: str, access: Access) -> Engine:
    """A checked engine for the book at `url`, which is called `book`.

    Raises:
        BookError: the one that fits, where it is no fault of the database's.
    """
    engine = _engine(url, book, access)
    with engine.connect() as connection:
        if access is Access.WRITE:
            # One builder creates the tables; another that starts meanwhile waits for them.
            connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _CREATING})
        tables = set(inspect(connection).get_table_names())
        revision = None
        if {"alembic_version", "positions", "games"} <= tables:
            query = "SELECT version_num FROM alembic_version"
            revision = connection.exec_driver_sql(query).scalar()
            if revision is None:
                raise BookUnreadable(f"'{book}' is damaged: its schema has lost its version")
            check_revision(revision, book)
        elif tables:
            raise NotABook(f"'{book}' is a PostgreSQL database, but no fivebook book")
        elif access is Access.READ:
            raise BookMissing(f"there is no book at '{book}'; fivebook build makes one")
        if access is Access.WRITE and revision != REVISIONS[-1]:
            migrate(connection)
        connection.commit()
    return engine


@contextmanager
def new_book(url: URL, book: str) -> Iterator[Connection]:
    """A connection to a new book at `url`, all in one transaction; `book` is what to call it.

    Raises:
        BookUnwritable: if the schema there is not empty.
    """
    engine = _engine(url, book, Access.WRITE)
    with engine.begin() as connection:
        # Held against builders that would begin a book here meanwhile.
        if not lock_for_building(connection):
            raise BookUnwritable(f"'{book}' is being built by another process")
        if inspect(connection).get_table_names():
            raise BookUnwritable(f"'{book}' is not empty: give a schema without tables")
        migrate(connection)
        yield connection


def _engine(url: URL, book: str, access: Access) -> Engine:
    # What the URL says is not overruled.
    given: dict[str, object] = {
        name: most for name, most in _PATIENCE.items() if name not in url.query
    }
    if access is Access.WRITE:
        options = url.normalized_query.get("options", ())
        given["options"] = " ".join((_NOTICE_LOST_MACHINE, *options))
    # What it would log of lost connections is dealt with here.
    logging.getLogger("psycopg").setLevel(logging.CRITICAL)
    try:
        engine = create_engine(url, poolclass=NullPool, connect_args=given)
    except ImportError:
        raise BookError(
            f"'{book}' needs the PostgreSQL driver: pip install 'fivebook[postgresql]'"
        ) from None
    if access is Access.WRITE:
        event.listen(engine, "checkin", _let_go)
    return engine


def _let_go(connection: Any, _: object) -> None:
    # A server notices a closed connection in its own time: whoever builds next would be refused.
    if connection is not None:
        with suppress(connection.Error), connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock_all()")


def lock_for_building(connection: Connection) -> bool:
    """Keep other builders away for as long as the connection lasts; returns whether it could."""
    statement = text(f"SELECT pg_try_advisory_lock(:number, {_HERE})")
    return bool(connection.execute(statement, {"number": _BUILDING}).scalar_one())


def let_others_build(connection: Connection) -> None:
    """Share what `lock_for_building` holds with builders that ask for a share."""
    for function in ("pg_advisory_lock_shared", "pg_advisory_unlock"):
        statement = text(f"SELECT {function}(:number, {_HERE})")
        connection.execute(statement, {"number": _BUILDING})


def lock_with_others(connection: Connection) -> bool:
    """Share a book with those at work on it, as long as the connection lasts; returns whether
    it could."""
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{_WAIT_FOR_FIRST}'")
    statement = text(f"SELECT pg_advisory_lock_shared(:number, {_HERE})")
    try:
        with connection.begin_nested():
            connection.execute(statement, {"number": _BUILDING})
    except OperationalError as error:
        if getattr(error.orig, "sqlstate", None) == _LOCK_NOT_AVAILABLE:
            return False
        raise
    return True


def lock_for_entering(connection: Connection) -> None:
    """Wait until no other builder enters results, and keep it so to the transaction's end."""
    statement = text(f"SELECT pg_advisory_xact_lock(:number, {_HERE})")
    connection.execute(statement, {"number": _ENTERING})


class Session(NamedTuple):
    """A connection as its server knows it: the number of a process may come again."""

    pid: int
    began: datetime


def session(connection: Connection) -> Session:
    """That of `connection`."""
    query = "SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()"
    return Session(*connection.exec_driver_sql(query).one())


def has_ended(connection: Connection, session: Session) -> bool:
    """Whether a former session is over, with its transaction and its locks; if not, end it."""
    statement = text(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE pid = :pid AND backend_start = :began"
    )
    return connection.execute(statement, session._asdict()).first() is None


def limit_silence(connection: Connection, seconds: float) -> None:
    """Have the server end the connection when nothing comes within a transaction for so long."""
    milliseconds = max(1, round(1000 * seconds))
    connection.exec_driver_sql(f"SET idle_in_transaction_session_timeout = {milliseconds}")
    if not event.contains(connection.engine, "do_executemany", _one_by_one):
        event.listen(connection.engine, "do_executemany", _one_by_one)


def _one_by_one(cursor: Any, statement: str, rows: Iterable[Any], _context: object) -> bool:
    """Execute a statement for each row, and tell SQLAlchemy that it is done.

    psycopg's own `executemany` sends rows without waiting for answers. While the next of them is
    not there the server takes the connection for busy and not for idle, so that a limit of silence
    would not end that of a builder that was stopped between two rows.
    """
    for row in rows:
        cursor.execute(statement, row)
    return True


def transaction_number(connection: Connection) -> str | None:
    """The number of the transaction, None if it has changed nothing."""
    number: str | None = connection.exec_driver_sql(
        "SELECT pg_current_xact_id_if_assigned()::text"
    ).scalar_one()
    return number


def was_committed(connection: Connection, number: str) -> bool:
    """Whether a transaction was committed whose session is over.

    A server that crashed may give the number again if nothing of the transaction had reached its
    disk: whoever believes this has to be right in the end all the same.
    """
    # A server that took the place of another may not have come so far.
    statement = text(
        "SELECT CASE WHEN CAST(:number AS xid8) < pg_snapshot_xmax(pg_current_snapshot()) "
        "THEN pg_xact_status(CAST(:number AS xid8)) = 'committed' END"
    )
    return bool(connection.execute(statement, {"number": number}).scalar_one())


def size(connection: Connection) -> int:
    """The bytes that the book's tables take, with their indexes."""
    return int(connection.exec_driver_sql(_SIZE).scalar_one())


def explain(book: str, error: Exception) -> BookError:
    """What is wrong with the book, by the database's words."""
    cause = str(error.orig if isinstance(error, DBAPIError) else error)
    first = next(iter(cause.strip().splitlines()), type(error).__name__)
    if "does not exist" in cause and "database" in cause:
        return BookMissing(f"there is no database for '{book}': {first}")
    if "does not exist" in cause and "relation" in cause:
        return BookAway(f"there is no book at '{book}' any more: {first}")
    if isinstance(error, DBAPIError) and _is_out_of_reach(error):
        # psycopg gives what an attempt to connect came to along with its errors.
        is_attempt = getattr(error.orig, "pgconn", None) is not None
        was_connected = error.connection_invalidated or ("closed" in cause and not is_attempt)
        return BookOutOfReach(f"cannot reach '{book}': {first}", was_connected=was_connected)
    if "permission denied" in cause or "read-only" in cause:
        return BookUnwritable(f"cannot write '{book}': {first}")
    if "No space left" in cause:
        return BookUnwritable(f"cannot write '{book}': the server's disk is full")
    return BookUnreadable(f"cannot use '{book}': {first}")


def _is_out_of_reach(error: DBAPIError) -> bool:
    state: str | None = getattr(error.orig, "sqlstate", None)
    if state is None:
        # Not the server's words, but those of the driver, which did not get through to it.
        return error.connection_invalidated or isinstance(error, OperationalError)
    return state in _ENDED or state.startswith(_CONNECTION_EXCEPTION)
