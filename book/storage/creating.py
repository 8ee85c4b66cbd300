"""Making a book all at once: it is there as a whole, or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection

from book.errors import BookUnwritable
from book.storage import postgresql, sqlite
from book.storage.address import Address
from book.storage.database import Access, explained, open_engine
from book.writer import alone_at


@contextmanager
def new_book(address: Address) -> Iterator[Connection]:
    """A connection to a new book, which is at `address` once the block has come to its end.

    In PostgreSQL all of it is one transaction; a file has another name until then.

    Raises:
        BookUnwritable: if something is there already.
        BookError: if it cannot be written.
    """
    if not isinstance(address.place, Path):
        with (
            explained(address),
            postgresql.new_book(address.place, str(address)) as connection,
        ):
            yield connection
        return
    with new_file(address.place) as partial:
        engine = open_engine(Address(partial), Access.WRITE)
        try:
            with explained(address), engine.connect() as connection:
                sqlite.set_journal(connection, "OFF")
                with connection.begin():
                    yield connection
                sqlite.set_journal(connection, "DELETE")
        finally:
            engine.dispose()


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """The name beside `path` of a file to be written; it gets its own name after the block.

    Raises:
        BookUnwritable: if there is something at `path`, or it cannot be written.
        BookMissing: if there is no such folder.
    """
    _refuse_existing(path)
    sqlite.check_file(path, Access.WRITE)
    partial = path.with_name(f"{path.name}.partial")
    with alone_at(path):
        _remove(partial)
        try:
            yield partial
            _refuse_existing(path)
            _put_in_place(partial, path)
        finally:
            _remove(partial)


def _refuse_existing(path: Path) -> None:
    if os.path.lexists(path):
        raise BookUnwritable(f"'{path}' exists: give a name that is not taken")


def _put_in_place(partial: Path, path: Path) -> None:
    try:
        _make_durable(partial)
        partial.rename(path)
        _make_durable(path.parent)
    except OSError as error:
        raise BookUnwritable(f"cannot write '{path}': {error.strerror}") from error


def _make_durable(path: Path) -> None:
    """Have the disk hold what was written to a file, or which names a folder has."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _remove(partial: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        partial.with_name(partial.name + ending).unlink(missing_ok=True)
