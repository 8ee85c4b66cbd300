"""Whether the columns of a file hold what their kind says: SQLite itself would take anything."""

from collections.abc import Iterator

from sqlalchemy import Boolean, Column, Connection, Integer, LargeBinary, Table, text

from book.errors import BookUnreadable
from book.rows.encoding import BOUNDS
from book.storage.address import Address
from book.storage.schema import RestState
from book.storage.store import SqliteStore, kind_of
from engine.values import WIN

_VALUES, _BOUNDS = (-WIN, WIN), (min(BOUNDS), max(BOUNDS))
_RANGES = {
    "value": _VALUES,
    "rest_value": _VALUES,
    "bound": _BOUNDS,
    "rest_bound": _BOUNDS,
    "proven": (0, 1),
    "rest_proven": (0, 1),
    "rest_state": (min(RestState), max(RestState)),
}


def require_sound(connection: Connection, address: Address, *tables: Table) -> None:
    """Make sure that all columns of `tables` hold values of their kind, and name rows that are
    there. A server sees to that by itself.

    Raises:
        BookUnreadable: if one does not.
    """
    if kind_of(connection) is not SqliteStore:
        return
    there = {
        (table.name, name)
        for table in tables
        for _, name, *_ in connection.exec_driver_sql(f"PRAGMA table_info({table.name})")
    }
    for table in tables:
        # Revisions only ever added columns.
        columns = [column for column in table.c if (table.name, column.name) in there]
        wrong = " OR ".join(condition for column in columns for condition in _wrong(column))
        if connection.execute(text(f"SELECT 1 FROM {table.name} WHERE {wrong} LIMIT 1")).scalar():
            raise BookUnreadable(
                f"'{address}' is damaged: the table {table.name} holds what it cannot; "
                "fivebook verify tells what, fivebook repair mends it"
            )


def _wrong(column: Column[object]) -> Iterator[str]:
    """What holds of a row in which `column` is wrong, in SQL."""
    name = f'"{column.name}"'
    kinds = [_kind(column), *(["null"] if column.nullable else [])]
    yield f"typeof({name}) NOT IN ({', '.join(map(repr, kinds))})"
    if column.table.name in ("positions", "imported") and column.name in _RANGES:
        least, most = _RANGES[column.name]
        yield f"{name} NOT BETWEEN {int(least)} AND {int(most)}"
    for key in column.foreign_keys:
        yield f"{name} NOT IN (SELECT {key.column.name} FROM {key.column.table.name})"


def _kind(column: Column[object]) -> str:
    if isinstance(column.type, (Integer, Boolean)):
        return "integer"
    return "blob" if isinstance(column.type, LargeBinary) else "text"
