"""Altering one stored value of a book, or one row, by a seed."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from book.errors import BookError
from book.integrity.verify import Verification
from book.storage.address import Address
from book.storage.database import at_one_moment
from engine.errors import FivebookError

_TRIES = 100

Row = tuple[Any, ...]


def alter(book: Path, seed: int) -> str:
    """Alter the book at `book`; returns what was done."""
    chance = random.Random(seed)
    with closing(sqlite3.connect(book, isolation_level=None)) as connection:
        before = _everything(connection)
        tables = sorted(name for name, rows in before.items() if rows)
        for _ in range(_TRIES):
            way = chance.choice((_value, _value, _value, _delete, _insert, _swap))
            connection.execute("BEGIN")
            try:
                told = way(connection, chance, chance.choice(tables))
            except (sqlite3.IntegrityError, OverflowError):
                told = None
            if told is not None and _everything(connection) != before:
                connection.execute("COMMIT")
                return told
            connection.execute("ROLLBACK")
    raise AssertionError("nothing could be altered")


def is_seen(book: Path) -> bool:
    """Whether `fivebook verify` would tell of a fault, or fail."""
    try:
        with at_one_moment(Address.of(book)) as connection:
            return next(Verification(connection).findings(), None) is not None
    except (BookError, FivebookError):
        return True


def _everything(connection: sqlite3.Connection) -> dict[str, list[Row]]:
    """All rows of all tables, with the kinds of their values."""
    query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    found = {}
    for (table,) in connection.execute(query).fetchall():
        names = _columns(connection, table)
        kinds = ", ".join(f'"{name}", typeof("{name}")' for name in names)
        found[table] = sorted(connection.execute(f"SELECT {kinds} FROM {table}"), key=repr)
    return found


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def _keys(connection: sqlite3.Connection, table: str) -> list[str]:
    info = connection.execute(f"PRAGMA table_info({table})").fetchall()
    return [row[1] for row in info if row[5]]


def _a_row(connection: sqlite3.Connection, chance: random.Random, table: str) -> dict[str, Any]:
    names = _columns(connection, table)
    rows = connection.execute(f"SELECT * FROM {table}").fetchall()
    return dict(zip(names, chance.choice(rows), strict=True))


def _here(keys: list[str]) -> str:
    return " AND ".join(f'"{key}" = ?' for key in keys)


def _value(connection: sqlite3.Connection, chance: random.Random, table: str) -> str:
    row, keys = _a_row(connection, chance, table), _keys(connection, table)
    column = chance.choice(list(row))
    value = _another(chance, row[column])
    connection.execute(
        f'UPDATE {table} SET "{column}" = ? WHERE {_here(keys)}', [value, *map(row.get, keys)]
    )
    return f"{table}.{column} of {[row[key] for key in keys]}: {row[column]!r} to {value!r}"


def _another(chance: random.Random, value: Any) -> Any:
    kind = chance.randrange(8)
    if kind == 0:
        return None
    if kind == 1:
        return chance.choice((0.5, "word", b"\0\xff", 1, -7, 1 << 40))
    if isinstance(value, int):
        return value ^ 1 << chance.randrange(20) if kind < 5 else value + chance.choice((-1, 1))
    if isinstance(value, (bytes, str)) and value:
        at = chance.randrange(len(value))
        if isinstance(value, bytes):
            return value[:at] + bytes([value[at] ^ 1 << chance.randrange(8)]) + value[at + 1 :]
        return value[:at] + chance.choice("0179abh{}") + value[at + 1 :]
    return chance.randrange(-5, 5)


def _delete(connection: sqlite3.Connection, chance: random.Random, table: str) -> str:
    row, keys = _a_row(connection, chance, table), _keys(connection, table)
    values = [row[key] for key in keys]
    connection.execute(f"DELETE FROM {table} WHERE {_here(keys)}", values)
    return f"{table} without {values}"


def _insert(connection: sqlite3.Connection, chance: random.Random, table: str) -> str:
    row, keys = _a_row(connection, chance, table), _keys(connection, table)
    key = chance.choice(keys)
    row[key] = row[key] + chance.randrange(1, 9) if isinstance(row[key], int) else "another"
    places = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} VALUES ({places})", list(row.values()))
    return f"{table} with {[row[key] for key in keys]}"


def _swap(connection: sqlite3.Connection, chance: random.Random, table: str) -> str:
    """Exchange all but the keys of two rows, or one column of theirs."""
    keys = _keys(connection, table)
    one, other = (_a_row(connection, chance, table) for _ in range(2))
    names = [name for name in one if name not in keys]
    if names and chance.random() < 0.5:
        names = [chance.choice(names)]
    for row, values in ((one, other), (other, one)):
        for name in names:
            connection.execute(
                f'UPDATE {table} SET "{name}" = ? WHERE {_here(keys)}',
                [values[name], *map(row.get, keys)],
            )
    return f"{table}: {names} of {[one[k] for k in keys]} and {[other[k] for k in keys]}"
