"""A copy of a book as it is at one moment, in a file, while a builder may be at work."""

import sqlite3
from contextlib import closing
from itertools import islice
from pathlib import Path

from sqlalchemy import insert, select

from book.errors import BookUnreadable
from book.storage import sqlite
from book.storage.address import Address
from book.storage.creating import new_book, new_file
from book.storage.database import explained
from book.storage.schema import metadata
from book.whole.moment import Moment

_ROWS_AT_ONCE = 5_000
_PAGES_AT_ONCE = 1_000


def snapshot(source: Address, copy: Path) -> int:
    """Copy the book at `source` into a new file; returns its size in bytes.

    The builder goes on meanwhile, and nothing of what it writes then is in the copy.

    Raises:
        BookError: if the book cannot be read, or the copy exists or cannot be written.
    """
    with Moment(source) as book:
        if isinstance(source.place, Path):
            _copy_file(book, copy)
        else:
            _copy_tables(book, copy)
    return copy.stat().st_size


def _copy_file(book: Moment, copy: Path) -> None:
    with new_file(copy) as partial, explained(Address(copy)):
        with closing(sqlite3.connect(partial)) as target:
            # A backup begins anew whenever the book changes, unless it reads in a transaction.
            # Something has to be called between its steps for Ctrl-C to be heard.
            sqlite.driver_of(book.connection).backup(
                target, pages=_PAGES_AT_ONCE, progress=lambda *_: None
            )
            target.execute("PRAGMA journal_mode = DELETE")
        _check(partial)


def _copy_tables(book: Moment, copy: Path) -> None:
    with new_book(Address(copy)) as connection:
        for table in metadata.sorted_tables:
            rows = book.rows(select(table))
            while some := [row._asdict() for row in islice(rows, _ROWS_AT_ONCE)]:
                connection.execute(insert(table), some)


def _check(partial: Path) -> None:
    with closing(sqlite3.connect(partial)) as target:
        found = target.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise BookUnreadable(f"the book is damaged: {found.splitlines()[-1]}")
