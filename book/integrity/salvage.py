"""Copying what can still be read of a damaged file into a new book.

Only the tables that nothing else tells are copied; links, counts and notation follow from them.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import Table, select

from book.errors import BookMissing, BookUnreadable, BookUnwritable
from book.integrity.repair import Tell, repair
from book.integrity.stored import is_whole
from book.output import files_of, refuse_inputs
from book.rows.digests import digest_all
from book.storage.address import Access, Address
from book.storage.database import explained, open_engine
from book.storage.known_schema import is_known
from book.storage.schema import games, imported, positions, runs, sources, tasks
from book.storage.sqlite import connect

_digested = select(games.c.id).where(games.c.digest.is_not(None))
_COPIED = (games, runs, positions, tasks, sources, imported)
_AT_ONCE = 1024
# The bytes that a row takes at least, where they are numbered without gaps.
_LEAST_ROW = 32


def salvage(damaged: Address, new: Address, tell: Tell) -> dict[str, int]:
    """Make a book at `new` of the rows of `damaged` that can be read, and repair it.

    Returns how many rows of each table were copied. The damaged file stays as it is.

    Raises:
        BookError: if nothing can be read, or there is something at `new`.
    """
    old, path = _file(damaged), _file(new)
    if not old.is_file():
        raise BookMissing(f"there is no book at '{old}'")
    refuse_inputs([path], files_of(damaged))
    if path.exists():
        raise BookUnwritable(f"'{new}' is there already: give the name of a new file")
    try:
        open_engine(new, Access.WRITE).dispose()
        copied = _copy(old, new)
        _believe_undigested(new)
        repair(new, tell)
    except BaseException:
        for part in (path, *(path.with_name(f"{path.name}-{end}") for end in ("wal", "shm"))):
            part.unlink(missing_ok=True)
        raise
    return copied


def _file(address: Address) -> Path:
    if address.path is None:
        raise BookUnwritable(f"'{address}' is no file; a server's own backups bring it back")
    return address.path


def _copy(old: Path, new: Address) -> dict[str, int]:
    # Python's driver, since SQLAlchemy's holds writers to references that may be broken here.
    with (
        closing(connect(old, Access.READ)) as source,
        explained(new),
        closing(sqlite3.connect(_file(new))) as target,
    ):
        source.text_factory = lambda text: text.decode(errors="replace")
        copied = {table.name: _copy_table(source, old, table, target) for table in _COPIED}
        target.commit()
    if not copied["games"]:
        raise BookUnreadable(f"'{old}' is damaged: which games it holds cannot be read")
    return copied


def _believe_undigested(new: Address) -> None:
    """Take the rows of a book from before there were digests for what was written."""
    with explained(new), open_engine(new, Access.WRITE).begin() as connection:
        if connection.execute(_digested).first() is None:
            for number in connection.execute(select(games.c.id)).scalars().all():
                digest_all(connection, number)


def _copy_table(
    source: sqlite3.Connection, old: Path, table: Table, target: sqlite3.Connection
) -> int:
    if not is_known(source, table.name):
        return 0
    names = _columns_of_both(source, table)
    places = ", ".join("?" * len(names))
    # A row that lacks what it must have, or has another's number, is as good as lost.
    statement = f"INSERT OR IGNORE INTO {table.name} ({', '.join(names)}) VALUES ({places})"
    rows = _readable_rows(
        source, f"SELECT {', '.join(names)} FROM {table.name}", _last(source, old, table)
    )
    return target.executemany(statement, rows).rowcount


def _columns_of_both(source: sqlite3.Connection, table: Table) -> list[str]:
    """The columns that a table has in the damaged file too: one of an earlier version has fewer."""
    try:
        there = {name for _, name, *_ in source.execute(f"PRAGMA table_info({table.name})")}
    except sqlite3.DatabaseError:
        return [column.name for column in table.c]
    return [column.name for column in table.c if column.name in there]


def _last(source: sqlite3.Connection, old: Path, table: Table) -> int:
    """The number of the last row, or where that cannot be read one that it hardly exceeds."""
    size = old.stat().st_size
    for statement in (f"SELECT max(id) FROM {table.name}", "SELECT max(child) FROM moves"):
        try:
            last = source.execute(statement).fetchone()[0]
        except sqlite3.DatabaseError:
            continue
        if last is None or is_whole(last, 0, size):
            return last or 0
    return size // _LEAST_ROW


def _readable_rows(
    source: sqlite3.Connection, statement: str, last: int
) -> Iterator[tuple[Any, ...]]:
    """The rows numbered 1 to `last`, but for those whose reading fails."""
    ranges = [(start, min(start + _AT_ONCE - 1, last)) for start in range(1, last + 1, _AT_ONCE)]
    ranges.reverse()
    while ranges:
        start, end = ranges.pop()
        try:
            yield from source.execute(
                f"{statement} WHERE id BETWEEN ? AND ?", (start, end)
            ).fetchall()
        except sqlite3.DatabaseError:
            if start < end:
                middle = (start + end) // 2
                ranges += [(middle + 1, end), (start, middle)]
