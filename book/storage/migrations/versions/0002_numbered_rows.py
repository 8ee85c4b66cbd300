"""The tables, and views over them for people. Books of revision 0001 had others."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = None

# The names of the cells or moves in a blob of codes, in their order. Numbers from 0 on count.
_NAMES = """
    (SELECT {joined}(name, ' ') FROM (
        SELECT named.name FROM {table} AS counter
        JOIN {table} AS named ON named.game = counter.game AND named.code = substr(
            {blob}, counter.{number} * length(counter.code) + 1, length(counter.code))
        WHERE counter.game = {game} AND {which} ORDER BY counter.{number}) AS names)
"""
_CELLS = {"table": "cells", "number": "number", "game": "p.game", "blob": "p.stones"}
_MOVES = {"table": "move_names", "number": "move", "game": "p.game", "blob": "p.rest_line"}

# Positions by name: what a person sees of the packed stones.
_BOARDS = """
CREATE VIEW boards AS
SELECT p.id, g.name AS game, p.ply, {dark} AS dark, {light} AS light
FROM positions AS p JOIN games AS g ON g.id = p.game
"""

# Every known move of every position. A won or lost child is one ply further away for the parent
# (engine.values.from_child).
_KNOWN_MOVES = """
CREATE VIEW known_moves AS
SELECT m.parent AS id, m.move, n.name, c.proven, 'book' AS source, n.name AS line,
    CASE WHEN c.value > 29000 THEN 1 - c.value
         WHEN c.value < -29000 THEN -1 - c.value ELSE -c.value END AS value
FROM moves AS m
JOIN positions AS c ON c.id = m.child
JOIN move_names AS n ON n.game = c.game AND n.move = m.move
UNION ALL
SELECT p.id, n.move, n.name, p.rest_proven, 'rest', {line}, p.rest_value
FROM positions AS p
JOIN move_names AS first ON first.game = p.game AND first.move = 0
JOIN move_names AS n ON n.game = p.game
    AND n.code = substr(p.rest_line, 1, length(first.code))
"""

_LINES = """
CREATE VIEW lines AS
SELECT b.game, b.ply, b.dark, b.light, k.name AS move, k.value, k.proven, k.source, k.line, b.id
FROM known_moves AS k JOIN boards AS b ON b.id = k.id
"""

_BEST_MOVES = """
CREATE VIEW best_moves AS
SELECT b.game, b.ply, b.dark, b.light, k.name AS move, k.value, k.proven, k.source, k.line, b.id
FROM (SELECT *, row_number() OVER (PARTITION BY id ORDER BY value DESC, move) AS rank
      FROM known_moves) AS k
JOIN boards AS b ON b.id = k.id
WHERE k.rank = 1
"""


def upgrade() -> None:
    """Create everything."""
    op.create_table(
        "games",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String, nullable=False, unique=True),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("game", sa.Integer, sa.ForeignKey("games.id"), nullable=False),
        sa.Column("started", sa.String, nullable=False),
        sa.Column("ended", sa.String),
        sa.Column("version", sa.String, nullable=False),
        sa.Column("evaluation", sa.String, nullable=False),
        sa.Column("parameters", sa.String, nullable=False),
        sa.Column("positions", sa.Integer, nullable=False),
        sa.Column("searches", sa.Integer, nullable=False),
        sa.Column("nodes", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "positions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("game", sa.Integer, sa.ForeignKey("games.id"), nullable=False),
        sa.Column("lookup", sa.Integer, nullable=False),
        sa.Column("stones", sa.LargeBinary, nullable=False),
        sa.Column("ply", sa.Integer, nullable=False),
        sa.Column("value", sa.Integer, nullable=False),
        sa.Column("bound", sa.Integer, nullable=False),
        sa.Column("proven", sa.Boolean, nullable=False),
        sa.Column("rest_state", sa.Integer, nullable=False),
        sa.Column("rest_value", sa.Integer),
        sa.Column("rest_bound", sa.Integer),
        sa.Column("rest_proven", sa.Boolean),
        sa.Column("rest_line", sa.LargeBinary),
        sa.Column("open_cost", sa.Integer),
        sa.Column("depth", sa.Integer, nullable=False),
        sa.Column("nodes", sa.BigInteger, nullable=False),
        sa.Column("milliseconds", sa.Integer, nullable=False),
        sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), nullable=False),
    )
    op.create_index("positions_by_lookup", "positions", ["lookup"])
    op.create_index(
        "positions_pending",
        "positions",
        ["game", "ply"],
        sqlite_where=sa.text("rest_state = 2"),
        postgresql_where=sa.text("rest_state = 2"),
    )
    op.create_table(
        "moves",
        sa.Column("parent", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("child", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("move", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("moves_by_child", "moves", ["child"])
    op.create_table(
        "counts",
        sa.Column("game", sa.Integer, sa.ForeignKey("games.id"), primary_key=True),
        sa.Column("ply", sa.Integer, primary_key=True),
        sa.Column("depth", sa.Integer, primary_key=True),
        sa.Column("positions", sa.Integer, nullable=False),
        sa.Column("proven", sa.Integer, nullable=False),
        sa.Column("nodes", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "cells",
        sa.Column("game", sa.Integer, sa.ForeignKey("games.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("code", sa.LargeBinary, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("cells_by_code", "cells", ["game", "code"])
    op.create_table(
        "move_names",
        sa.Column("game", sa.Integer, sa.ForeignKey("games.id"), primary_key=True),
        sa.Column("move", sa.Integer, primary_key=True),
        sa.Column("code", sa.LargeBinary, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("move_names_by_code", "move_names", ["game", "code"])
    op.create_table(
        "tasks",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("game", sa.Integer, sa.ForeignKey("games.id"), nullable=False),
        sa.Column("batch", sa.Integer, nullable=False),
        sa.Column("key", sa.LargeBinary(16), nullable=False),
        sa.Column("stones", sa.LargeBinary, nullable=False),
        sa.Column("new", sa.Boolean, nullable=False),
        sa.Column("excluded", sa.LargeBinary, nullable=False),
        sa.Column("limits", sa.String, nullable=False),
        sa.Column("result", sa.String),
    )
    joined = "group_concat" if op.get_bind().dialect.name == "sqlite" else "string_agg"
    first_light = "(p.ply + 1) / 2"

    def names(kind: dict[str, str], which: str) -> str:
        return _NAMES.format(joined=joined, which=which, **kind)

    dark = names(_CELLS, f"counter.number < {first_light}")
    light = names(_CELLS, f"counter.number BETWEEN {first_light} AND p.ply - 1")
    line = names(_MOVES, "counter.move < length(p.rest_line) / length(counter.code)")
    op.execute(_BOARDS.format(dark=dark, light=light))
    op.execute(_KNOWN_MOVES.format(line=line))
    op.execute(_LINES)
    op.execute(_BEST_MOVES)
