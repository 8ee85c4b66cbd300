"""The log beside a file: SQLite's write-ahead log, and whether it is that of this book.

SQLite takes any log of the right name for the file's own, and so spoils a book that was put where
another had been. Therefore each log begins with a mark, in the header of its first page: two
numbers, one for the state of the file that it goes on from (`application_id`) and a new one for
what follows (`user_version`). The file has the latter once that page has gone into it.

The format of a log: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
"""

import secrets
import sqlite3
import struct
import time
from collections.abc import Iterator
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

_HEADER = struct.Struct(">8s I I 8s 8s")
_FRAME = struct.Struct(">I I 8s 8s")
_LARGEST_PAGE = 1 << 16
_AT_STATE, _AT_BEFORE = 60, 68
_BITS = 31
# A builder may put the log into the book, and begin another, while it is looked at.
_LOOKS = 5
_SECONDS_BETWEEN_LOOKS = 0.05


def log_of(path: Path) -> Path:
    """The log of the file at `path`."""
    return path.with_name(f"{path.name}-wal")


def has_log(path: Path) -> bool:
    """Whether anything is in the log of the file at `path`."""
    try:
        with log_of(path).open("rb") as log:
            return next(_states(log), None) is not None
    except FileNotFoundError:
        return False


def mark(connection: sqlite3.Connection) -> None:
    """Have the log that the present transaction begins say what it belongs to."""
    before = state(connection)
    after = secrets.randbits(_BITS) or 1
    connection.execute(f"PRAGMA application_id = {before}")
    connection.execute(f"PRAGMA user_version = {after}")


def mark_copy(connection: sqlite3.Connection) -> None:
    """Have a file that was copied be another than the first, whose log is not its own."""
    connection.execute(f"PRAGMA user_version = {secrets.randbits(_BITS) or 1}")


def state(connection: sqlite3.Connection) -> int:
    """The number of the state of a file, also of one that was never marked."""
    marked = connection.execute("PRAGMA user_version").fetchone()[0]
    return int(marked) if marked else _state_of_unmarked(connection)


def is_own(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the log of the file at `path` is its own, or there is none.

    `connection` sees the file without its log.
    """
    for look in range(_LOOKS):
        if look:
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        if _fits(_mark_of(path) or state(connection), path):
            return True
    return False


def _mark_of(path: Path) -> int:
    """The number of the state of a file, 0 if it was never marked.

    A full disk can leave a file with half of its log in it, and shorter than it says: SQLite reads
    one like that only where it lets the schema be mended.
    """
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _fits(file: int, path: Path) -> bool:
    try:
        with log_of(path).open("rb") as log:
            for number, (before, after) in enumerate(_states(log)):
                if file == after or (number == 0 and file == before):
                    return True
                if number == 0 and not after:
                    # Of a version that marked neither logs nor books.
                    return not _mark_of(path)
            log.seek(0)
            return next(_states(log), None) is None
    except FileNotFoundError:
        return True


def _states(log: BinaryIO) -> Iterator[tuple[int, int]]:
    """The marks in a log, the first for its first page whatever that is: 0 and 0 for none."""
    header = log.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return
    _, size, _, salt, _ = _HEADER.unpack(header)
    if not 0 < size <= _LARGEST_PAGE:
        return
    at = _HEADER.size
    is_first = True
    while len(frame := log.read(_FRAME.size)) == _FRAME.size:
        page, _, frame_salt, _ = _FRAME.unpack(frame)
        if frame_salt != salt:
            return
        if page == 1:
            head = log.read(100)
            if len(head) < 100:
                return
            yield _number(head, _AT_BEFORE), _number(head, _AT_STATE)
        elif is_first:
            yield 0, 0
        is_first = False
        at += _FRAME.size + size
        log.seek(at)


def _number(head: bytes, at: int) -> int:
    return int.from_bytes(head[at : at + 4], "big", signed=True)


def _state_of_unmarked(connection: sqlite3.Connection) -> int:
    """A number for what is in a file that was made before files were marked, or is empty."""
    facts = [connection.execute("PRAGMA schema_version").fetchone()]
    for query in (
        "SELECT max(id) FROM positions",
        "SELECT max(id), max(started) FROM runs",
    ):
        try:
            facts += connection.execute(query).fetchall()
        except sqlite3.OperationalError:
            # An empty file has no tables.
            break
    digest = blake2b(repr(facts).encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") >> 1 or 1
