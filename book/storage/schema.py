"""The tables of a book.

A position is stored once, as its canonical image, and every move in a row is written in that
image's orientation. The migrations in `book.storage.migrations` create these tables and the views
beside them; a test holds both against each other.

Rows and links go by small numbers. A position is found by the first four bytes of its key and
told from others with the same four bytes by its stones, so that no collision can go unseen.

Rows that nothing else tells have a `digest` of their other columns: see `book.rows.digests`.
"""

from collections.abc import Iterable
from enum import IntEnum
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    type_coerce,
)
from sqlalchemy.sql.sqltypes import NullType

# Every revision of the schema, in the order they came; this code reads and writes the last.
REVISIONS = ("0002", "0003", "0004", "0005", "0006", "0007", "0008")


class RestState(IntEnum):
    """What is known of a position's rest slot."""

    OPEN = 0
    """The rest move and its value stand in the row."""
    NONE = 1
    """Every move leads to a stored position."""
    PENDING = 2
    """The former rest move leads to a stored position by now; another is to be searched."""
    ENDS = 3
    """As open, but the rest move ends the game: no position is behind it."""
    KEPT = 4
    """The slot is the proof of the position, whatever is stored behind its moves.

    Another book had it, which lacked some of the moves that lead to a stored position here; the
    first move of the line may be one of these.
    """


WITH_MOVE = frozenset({RestState.OPEN, RestState.ENDS, RestState.KEPT})
"""The states of slots that have a move and a value."""


class Wish(IntEnum):
    """Where somebody wants the book to grow; these numbers never change."""

    MORE = 1
    """The step into the position costs nothing."""
    LESS = 2
    """The step into the position costs much more."""
    NEVER = 3
    """No slot is expanded at the position, nor below it by way of it."""


metadata = MetaData()

games = Table(
    "games",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("digest", Integer),
)

# One invocation of the builder. `evaluation` is the hash of the file of the evaluation's weights,
# empty where the game's evaluation has none.
runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("game", Integer, ForeignKey("games.id"), nullable=False),
    Column("started", String, nullable=False),
    Column("ended", String),
    Column("version", String, nullable=False),
    Column("evaluation", String, nullable=False),
    Column("parameters", String, nullable=False),
    Column("positions", Integer, nullable=False, default=0),
    Column("searches", Integer, nullable=False, default=0),
    Column("nodes", BigInteger, nullable=False, default=0),
    Column("digest", Integer),
)

# What the empty board was worth, each time that this changed: its value for dark, who is to move,
# and how many positions the book held.
history = Table(
    "history",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("game", Integer, ForeignKey("games.id"), nullable=False),
    Column("at", String, nullable=False),
    Column("run", Integer, ForeignKey("runs.id"), nullable=False),
    Column("positions", Integer, nullable=False),
    Column("value", Integer, nullable=False),
    Column("proven", Boolean, nullable=False),
    Column("digest", Integer),
)

# `lookup` is made of the key by `book.rows.encoding.lookup_of`. `value`, `bound` and `proven` are
# the book value. The columns `rest_*` are the rest slot: the best of the moves whose positions are
# not stored begins the packed `rest_line`, and `rest_state` is one of RestState, which tells of
# exceptions. `open_cost` is the cost of the way from the position to the cheapest open rest slot at
# or below it, null where there is none. `wish` is one of Wish, null where nobody wished anything.
positions = Table(
    "positions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("game", Integer, ForeignKey("games.id"), nullable=False),
    Column("lookup", Integer, nullable=False),
    Column("stones", LargeBinary, nullable=False),
    Column("ply", Integer, nullable=False),
    Column("value", Integer, nullable=False),
    Column("bound", Integer, nullable=False),
    Column("proven", Boolean, nullable=False),
    Column("rest_state", Integer, nullable=False),
    Column("rest_value", Integer),
    Column("rest_bound", Integer),
    Column("rest_proven", Boolean),
    Column("rest_line", LargeBinary),
    Column("open_cost", Integer),
    Column("depth", Integer, nullable=False),
    Column("nodes", BigInteger, nullable=False),
    Column("milliseconds", Integer, nullable=False),
    Column("run", Integer, ForeignKey("runs.id"), nullable=False),
    Column("wish", Integer),
    Column("digest", Integer),
)
Index("positions_by_lookup", positions.c.lookup)
_is_pending = positions.c.rest_state == RestState.PENDING.value
Index(
    "positions_pending",
    positions.c.game,
    positions.c.ply,
    sqlite_where=_is_pending,
    postgresql_where=_is_pending,
)

# Files that were imported, by the first letters of a hash of what they hold, so that none counts
# twice.
sources = Table(
    "sources",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("game", Integer, ForeignKey("games.id"), nullable=False),
    Column("name", String, nullable=False),
    Column("form", String, nullable=False),
    Column("fingerprint", String, nullable=False),
    Column("at", String, nullable=False),
    Column("digest", Integer),
)

# What a source says of a position, which need not be among `positions`: how many of its games came
# there, how they ended, and what it claims. Nothing of this is a value of the book, or proven.
# `value` is for the side to move, null where there is none; `bound` is null where the source leaves
# it open.
imported = Table(
    "imported",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("game", Integer, ForeignKey("games.id"), nullable=False),
    Column("source", Integer, ForeignKey("sources.id"), nullable=False),
    Column("lookup", Integer, nullable=False),
    Column("stones", LargeBinary, nullable=False),
    Column("ply", Integer, nullable=False),
    Column("games", Integer, nullable=False),
    Column("dark_wins", Integer, nullable=False),
    Column("draws", Integer, nullable=False),
    Column("light_wins", Integer, nullable=False),
    Column("value", Integer),
    Column("bound", Integer),
    Column("depth", Integer, nullable=False),
    Column("label", String, nullable=False),
    Column("comment", String, nullable=False),
    Column("digest", Integer),
)
Index("imported_by_lookup", imported.c.lookup)

# Links: the move that leads from one stored position to another.
moves = Table(
    "moves",
    metadata,
    Column("parent", Integer, primary_key=True, autoincrement=False),
    Column("child", Integer, primary_key=True, autoincrement=False),
    Column("move", Integer, nullable=False),
    sqlite_with_rowid=False,
)
Index("moves_by_child", moves.c.child)

# How many positions of a ply had a last search of a depth, how many of them are proven, and the
# nodes of these searches: what would take long to count in a large book.
counts = Table(
    "counts",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("ply", Integer, primary_key=True),
    Column("depth", Integer, primary_key=True),
    Column("positions", Integer, nullable=False),
    Column("proven", Integer, nullable=False),
    Column("nodes", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

# Notation, so that views are readable: cells and moves by their packed code and their number.
cells = Table(
    "cells",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("code", LargeBinary, nullable=False),
    Column("name", String, nullable=False),
    sqlite_with_rowid=False,
)
Index("cells_by_code", cells.c.game, cells.c.code)
move_names = Table(
    "move_names",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("move", Integer, primary_key=True),
    Column("code", LargeBinary, nullable=False),
    Column("name", String, nullable=False),
    sqlite_with_rowid=False,
)
Index("move_names_by_code", move_names.c.game, move_names.c.code)

# The plan: searches decided on and not yet in the book. A batch's results enter the book
# together, in the order of `id`, once it is complete. `excluded` is the keys, one after the
# other, of the children that the search leaves out; a position not yet stored has none. Where
# several builders work on a book, `leased_by` names the one that is at the search, and until when
# (by the clock of the database) nobody else is to begin it.
tasks = Table(
    "tasks",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("game", Integer, ForeignKey("games.id"), nullable=False),
    Column("batch", Integer, nullable=False),
    Column("key", LargeBinary(16), nullable=False),
    Column("stones", LargeBinary, nullable=False),
    Column("new", Boolean, nullable=False),
    Column("excluded", LargeBinary, nullable=False),
    Column("limits", String, nullable=False),
    Column("result", String),
    Column("leased_by", String),
    Column("leased_until", DateTime(timezone=True)),
    Column("digest", Integer),
)

# The sums modulo 2**64 of what is in each table of a game, as signed numbers, and under the name
# `content` that of what an export shows of its positions.
digests = Table(
    "digests",
    metadata,
    Column("game", Integer, ForeignKey("games.id"), primary_key=True),
    Column("name", String, primary_key=True),
    Column("total", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)


def undigested(table: Table) -> list[Column[Any]]:
    """All columns but the digest, which the tables of a book before revision 0007 lack."""
    return [column for column in table.c if column.name != "digest"]


def as_is(columns: Iterable[Column[Any]]) -> list[ColumnElement[Any]]:
    """The `columns` as the database has them: a damaged one may hold anything, and converting that
    to its type could fail."""
    return [type_coerce(column, NullType()).label(column.name) for column in columns]
