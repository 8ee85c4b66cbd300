"""Spoiling a book as no disk would: bytes, values and schema, by a seed."""

import random
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

PAGE = 4096

_TABLES = ("games", "runs", "positions", "moves", "counts", "cells", "move_names", "tasks")
_TEXTS = (
    "",
    "[/red]",
    "[bold]h8",
    "\x1b]0;owned\x07\x1b[31m",
    "\x00",
    "{}",
    "[]",
    "null",
    '{"limits": []}',
    '{"limits": {"nodes": "[/x]"}}',
    '{"limits": null, "table": {}}',
    '{"limits": {"nodes": 1e999}}',
    '{"limits":' * 500,
    "hexagonal-15",
    "gomoku-9",
    "h8",
    "x" * 5_000,
)
_NUMBERS = (-1, 0, 1, 2, 7, 255, 256, 29_999, 30_000, -30_000, 1 << 31, 1 << 62, -(1 << 63))
_REALS = (0.5, -1.5, 1e300, float("inf"), float("-inf"))
_SCHEMA = (
    "CREATE VIEW foreign_view AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
    " SELECT i FROM n",
    "CREATE TRIGGER t AFTER UPDATE ON runs BEGIN DELETE FROM positions WHERE id > 9; END",
    "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM positions; END",
    "CREATE TABLE people (name TEXT)",
    "CREATE INDEX foreign_index ON positions (abs(value))",
    "DROP INDEX positions_by_lookup",
    "DROP INDEX moves_by_child",
    "DROP TABLE history",
    "DROP TABLE counts",
    "DROP VIEW lines",
    "ALTER TABLE positions ADD COLUMN more TEXT DEFAULT 'x'",
    "ALTER TABLE runs RENAME COLUMN parameters TO p",
    "DELETE FROM alembic_version",
    "UPDATE alembic_version SET version_num = '9999'",
    "UPDATE alembic_version SET version_num = x'00ff'",
    "UPDATE alembic_version SET version_num = '0003'",
)
# More than a table of the book has; an earlier way may have left one without end.
_MOST_ROWS = 1_000
_ENDLESS = (
    "CREATE VIEW {name} AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
    "SELECT {columns} FROM n"
)


def mutate(book: Path, seed: int) -> str:
    """Spoil the book at `book` in one to three ways; returns what was done."""
    chance = random.Random(seed)
    ways = (_set_value, _set_value, _bytes, _bytes, _schema, _pages, _cut, _roots, _endless, _log)
    done = []
    for way in chance.choices(ways, k=chance.choice((1, 1, 1, 2, 3))):
        # What an earlier way has spoilt may keep the next one out.
        with suppress(sqlite3.Error, OverflowError, IndexError, MemoryError, TypeError, ValueError):
            done.append(f"{way.__name__} {way(book, chance)}")
    return "; ".join(done)


def _set_value(book: Path, chance: random.Random) -> str:
    """Put any value into any column of one row, whatever the schema asks for."""
    with closing(_unchecked(book)) as connection:
        table = chance.choice(_TABLES)
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        rows = connection.execute(f"SELECT {', '.join(map(_quoted, columns))} FROM {table}")
        row = chance.choice(rows.fetchmany(_MOST_ROWS))
        column = chance.choice(columns)
        value = _value(chance, row[columns.index(column)])
        schema = connection.execute(
            "SELECT sql FROM sqlite_schema WHERE name = ?", (table,)
        ).fetchone()[0]
        _rewrite(connection, table, schema.replace(" NOT NULL", ""))
        here = " AND ".join(f"{_quoted(name)} IS ?" for name in columns)
        connection.execute(
            f"UPDATE OR REPLACE {table} SET {_quoted(column)} = ? WHERE {here}", (value, *row)
        )
        _rewrite(connection, table, schema)
        return f"{table}.{column} = {str(value)[:40]!r}"


def _value(chance: random.Random, now: Any) -> Any:
    kind = chance.randrange(7)
    if kind == 0:
        return None
    if kind == 1:
        return chance.choice(_TEXTS)
    if kind == 2:
        return chance.choice(_NUMBERS)
    if kind == 3:
        return chance.choice(_REALS)
    if kind == 4:
        return chance.randbytes(chance.choice((0, 1, 2, 16, 81, 700, 100_000)))
    if isinstance(now, int):
        return now ^ 1 << chance.randrange(16)
    if isinstance(now, bytes) and now:
        at = chance.randrange(len(now))
        return now[:at] + bytes([chance.randrange(256)]) + now[at + 1 :]
    return "y" * 2_000_000 if kind == 6 else str(now) + "]"


def _bytes(book: Path, chance: random.Random) -> str:
    """Overwrite some bytes, half of them in the headers of pages."""
    content = bytearray(book.read_bytes())
    places = []
    for _ in range(chance.choice((1, 1, 2, 8))):
        at = chance.randrange(len(content))
        if chance.random() < 0.5:
            at = at // PAGE * PAGE + chance.randrange(16)
        if at < 100 and chance.random() < 0.7:
            at = chance.randrange(16, 100)
        content[at] = chance.choice((0, 1, 13, 127, 255, chance.randrange(256)))
        places.append(at)
    book.write_bytes(content)
    return str(places)


def _pages(book: Path, chance: random.Random) -> str:
    """Put one page in the place of another."""
    content = bytearray(book.read_bytes())
    pages = len(content) // PAGE
    source, target = chance.randrange(pages), chance.randrange(1, pages)
    content[target * PAGE : (target + 1) * PAGE] = content[source * PAGE : (source + 1) * PAGE]
    book.write_bytes(content)
    return f"{source} to {target}"


def _cut(book: Path, chance: random.Random) -> str:
    content = book.read_bytes()
    kept = chance.randrange(1, len(content))
    book.write_bytes(content[:kept])
    return str(kept)


def _schema(book: Path, chance: random.Random) -> str:
    statement = chance.choice(_SCHEMA)
    with closing(sqlite3.connect(book)) as connection:
        connection.execute(statement)
        connection.commit()
    return statement


def _roots(book: Path, chance: random.Random) -> str:
    """Have a table or an index lie where another one does."""
    with closing(_unchecked(book)) as connection:
        names = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE rootpage > 0")
        ]
        one, other = chance.sample(names, 2)
        connection.execute(
            "UPDATE sqlite_schema SET rootpage = "
            "(SELECT rootpage FROM sqlite_schema WHERE name = ?) WHERE name = ?",
            (other, one),
        )
        connection.commit()
    return f"{one} at {other}"


def _endless(book: Path, chance: random.Random) -> str:
    """Put a view without end in the place of a table or of a view."""
    with closing(_unchecked(book)) as connection:
        name = chance.choice((*_TABLES, "boards", "known_moves"))
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
        text = _ENDLESS.format(
            name=name, columns=", ".join(f"i AS {_quoted(column)}" for column in columns)
        )
        connection.execute(
            "UPDATE sqlite_schema SET sql = ?, rootpage = 0, type = ? WHERE name = ?",
            (text, chance.choice(("view", "table")), name),
        )
        connection.commit()
    return name


def _log(book: Path, chance: random.Random) -> str:
    """Leave a log beside the book, of its own kind and spoilt, or of nothing."""
    log = book.with_name(f"{book.name}-wal")
    copy = book.with_name("copy.db")
    copy.write_bytes(book.read_bytes())
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("UPDATE positions SET value = value + 1")
        connection.commit()
        content = bytearray(copy.with_name("copy.db-wal").read_bytes())
    copy.unlink()
    for _ in range(chance.randrange(3)):
        content[chance.randrange(len(content))] = chance.randrange(256)
    log.write_bytes(content[: chance.choice((len(content), chance.randrange(len(content))))])
    return f"{len(content)} bytes"


def _unchecked(book: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(book)
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("PRAGMA writable_schema = ON")
    return connection


def _rewrite(connection: sqlite3.Connection, table: str, text: str) -> None:
    connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (text, table))
    version = connection.execute("PRAGMA schema_version").fetchone()[0]
    connection.execute(f"PRAGMA schema_version = {version + 1}")
    connection.commit()


def _quoted(name: str) -> str:
    return f'"{name}"'
