"""Books in PostgreSQL, one in each schema of a database: for readers on many machines."""

from sqlalchemy import URL, Connection, Engine, create_engine, inspect, text
from sqlalchemy.pool import NullPool

from book.address import Access
from book.errors import BookError, BookMissing, BookUnreadable, BookUnwritable, NotABook
from book.revisions import check_revision, migrate
from book.schema import REVISIONS

# Any number that other programs are unlikely to lock.
_CREATING = 0x66697665
_BUILDING = 0x626F6F6B


def open_engine(url: URL, book: str, access: Access) -> Engine:
    """A checked engine for the book at `url`, which is called `book`.

    Raises:
        BookError: the one that fits, where it is no fault of the database's.
    """
    try:
        engine = create_engine(url, poolclass=NullPool)
    except ImportError:
        raise BookError(
            f"'{book}' needs the PostgreSQL driver: pip install 'fivebook[postgresql]'"
        ) from None
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


def lock_for_building(connection: Connection) -> bool:
    """Keep other builders away for as long as the connection lasts; returns whether it could."""
    statement = text("SELECT pg_try_advisory_lock(:number, to_regnamespace(current_schema())::int)")
    return bool(connection.execute(statement, {"number": _BUILDING}).scalar_one())


def explain(book: str, cause: str) -> BookError:
    """What is wrong with the book, by the database's words."""
    first = cause.strip().splitlines()[0]
    if "does not exist" in cause and "database" in cause:
        return BookMissing(f"there is no database for '{book}': {first}")
    if "connection" in cause:
        return BookUnreadable(f"cannot reach '{book}': {first}")
    if "permission denied" in cause or "read-only" in cause:
        return BookUnwritable(f"cannot write '{book}': {first}")
    if "No space left" in cause:
        return BookUnwritable(f"cannot write '{book}': the server's disk is full")
    return BookUnreadable(f"cannot use '{book}': {first}")
