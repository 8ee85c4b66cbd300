"""Small databases beside a book: services and builders write them while others read them."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlite_utils import Database

from book.errors import BookUnreadable, BookUnwritable
from book.storage.address import Access
from book.storage.sqlite import connect


@contextmanager
def reading(path: Path) -> Iterator[Database]:
    """The database at `path`, to be read.

    Raises:
        BookUnreadable: if it cannot be.
    """
    with _open(path, Access.READ) as connection:
        yield Database(connection)


@contextmanager
def writing_alone(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that alone may write until the end of the block, where it commits.

    Raises:
        BookUnwritable: if it cannot be written.
    """
    with _open(path, Access.WRITE) as connection:
        # SQLite lets nobody wait who has read in a transaction before it writes.
        connection.execute("BEGIN IMMEDIATE")
        yield connection


@contextmanager
def _open(path: Path, access: Access) -> Iterator[sqlite3.Connection]:
    """A connection whose transaction is committed at the end of the block."""
    try:
        with closing(connect(path, access)) as connection, connection:
            yield connection
    except sqlite3.Error as error:
        kind = BookUnwritable if access is Access.WRITE else BookUnreadable
        raise kind(f"cannot use '{path}': {error}") from error
