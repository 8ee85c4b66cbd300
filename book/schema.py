"""The tables of a book.

A position is stored once, as its canonical image, and every move in a row is written in that
image's orientation. The migrations in `book.migrations` create these tables and the views
beside them; a test holds both against each other.
"""

from enum import IntEnum

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
)

# Every revision of the schema, in the order they came; this code reads and writes the last.
REVISIONS = ("0001",)


class RestState(IntEnum):
    """What is known of a position's rest slot."""

    OPEN = 0
    """The rest move and its value stand in the row."""
    NONE = 1
    """Every move leads to a stored position."""
    PENDING = 2
    """The former rest move leads to a stored position by now; another is to be searched."""


metadata = MetaData()

games = Table(
    "games",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False, unique=True),
)

# One invocation of the builder.
runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("game", Integer, ForeignKey("games.id"), nullable=False),
    Column("started", String, nullable=False),
    Column("ended", String),
    Column("version", String, nullable=False),
    Column("parameters", String, nullable=False),
    Column("positions", Integer, nullable=False, default=0),
    Column("searches", Integer, nullable=False, default=0),
    Column("nodes", Integer, nullable=False, default=0),
)

# `value`, `bound` and `proven` are the book value. The columns `rest_*` are the rest slot: the
# best of the moves whose positions are not stored, and `rest_child` the key of the position
# that it leads to. `rest_state` is one of RestState. `cost` is the position's expansion cost,
# `slot_cost` that of the position behind its rest move, and null where nothing is to be
# expanded.
positions = Table(
    "positions",
    metadata,
    Column("key", LargeBinary(16), primary_key=True),
    Column("game", Integer, ForeignKey("games.id"), nullable=False),
    Column("ply", Integer, nullable=False),
    Column("stones", LargeBinary, nullable=False),
    Column("value", Integer, nullable=False),
    Column("bound", Integer, nullable=False),
    Column("proven", Boolean, nullable=False),
    Column("rest_state", Integer, nullable=False),
    Column("rest_move", Integer),
    Column("rest_value", Integer),
    Column("rest_bound", Integer),
    Column("rest_proven", Boolean),
    Column("rest_child", LargeBinary(16)),
    Column("rest_line", String),
    Column("cost", Integer, nullable=False),
    Column("slot_cost", Integer),
    Column("depth", Integer, nullable=False),
    Column("nodes", Integer, nullable=False),
    Column("milliseconds", Float, nullable=False),
    Column("run", Integer, ForeignKey("runs.id"), nullable=False),
    sqlite_with_rowid=False,
)
Index("positions_by_ply", positions.c.game, positions.c.ply, positions.c.key)
Index("positions_by_rest_child", positions.c.rest_child)
Index("positions_by_slot_cost", positions.c.game, positions.c.slot_cost, positions.c.key)

# Links: the move that leads from one stored position to another.
moves = Table(
    "moves",
    metadata,
    Column("parent", LargeBinary(16), primary_key=True),
    Column("move", Integer, primary_key=True),
    Column("child", LargeBinary(16), nullable=False),
    sqlite_with_rowid=False,
)
Index("moves_by_child", moves.c.child)

# Notation, so that views are readable: cells by their packed code, moves by their number.
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
    Column("name", String, nullable=False),
    sqlite_with_rowid=False,
)

# The plan: searches decided on and not yet in the book. A batch's results enter the book
# together, in the order of `id`, once it is complete. `excluded` is the keys, one after the
# other, of the children that the search leaves out; a position not yet stored has none.
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
)
