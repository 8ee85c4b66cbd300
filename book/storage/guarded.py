"""Connections to files that may come from anybody."""

import os
import sqlite3
from pathlib import Path
from typing import Any

# Far more than the longest value in a book, which is the plan's search of a large board.
_LONGEST_VALUE = 1 << 20
_STEPS_BETWEEN_LOOKS = 5_000_000
# Exporting takes up to 200 steps of SQLite's for each byte of a book, all else a few.
_STEPS = 20_000_000
_STEPS_FOR_A_BYTE = 1_000

TOO_MANY_STEPS = "interrupted"
"""What SQLite says where a statement was ended by its connection."""
TOO_LONG = "string or blob too big"
"""What SQLite says of a value that no book has."""


class GuardedConnection(sqlite3.Connection):
    """Believes nothing of the file at `path`.

    Functions in its schema are not called, its longest values are not read, and a statement that
    takes more steps than one over a file of its size can need is ended.
    """

    def guard(self, path: Path) -> None:
        """Begin; `path` is the file's."""
        self.path = path
        self._steps = 0
        self.execute("PRAGMA trusted_schema = OFF")
        self.execute("PRAGMA cell_size_check = ON")
        # Offered from Python 3.12 on.
        if hasattr(self, "setconfig"):
            self.setconfig(getattr(sqlite3, "SQLITE_DBCONFIG_DEFENSIVE"), True)  # noqa: B009
        self.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        self.set_progress_handler(self._is_endless, _STEPS_BETWEEN_LOOKS)

    # Both, since the driver makes the cursor of `execute` without a call of `cursor`.

    def cursor(self, *arguments: Any) -> Any:
        """A cursor for the next statement."""
        self._steps = 0
        return super().cursor(*arguments)

    def execute(self, *arguments: Any) -> Any:
        """A cursor that has executed a statement."""
        self._steps = 0
        try:
            return super().execute(*arguments)
        except UnicodeDecodeError as error:
            # SQLite quotes a damaged schema in its message, whatever bytes it has.
            raise sqlite3.DatabaseError("the schema is malformed") from error

    def _is_endless(self) -> bool:
        self._steps += _STEPS_BETWEEN_LOOKS
        return self._steps > _STEPS + _STEPS_FOR_A_BYTE * _size(self.path)


def _size(path: Path) -> int:
    """The bytes of the file and of its log, as far as they are still there."""
    size = 0
    for part in (path, path.with_name(f"{path.name}-wal")):
        try:
            size += os.stat(part).st_size
        except OSError:
            continue
    return size
