"""The first tables, and views over them for people."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

# The cells of one side's stones, from the packed bytes: dark ones come first.
_CELLS = """
    (SELECT group_concat(name, ' ') FROM (
        SELECT named.name FROM cells AS counter
        JOIN cells AS named ON named.game = counter.game AND named.code = substr(
            p.stones, counter.number * length(counter.code) + 1, length(counter.code))
        WHERE counter.game = p.game AND counter.number {which} ORDER BY counter.number))
"""
_DARK = _CELLS.format(which="< (p.ply + 1) / 2")
_LIGHT = _CELLS.format(which="BETWEEN (p.ply + 1) / 2 AND p.ply - 1")

# Positions by name: what a person sees of the packed stones.
_BOARDS = f"""
CREATE VIEW boards AS
SELECT p.key, g.name AS game, p.ply, {_DARK} AS dark, {_LIGHT} AS light,
    lower(hex(p.key)) AS position
FROM positions AS p JOIN games AS g ON g.id = p.game
"""

# Every known move of every position. A won or lost child is one ply further away for the parent
# (engine.values.from_child).
_KNOWN_MOVES = """
CREATE VIEW known_moves AS
SELECT m.parent AS key, m.move, n.name, c.proven, 'book' AS source, n.name AS line,
    CASE WHEN c.value > 29000 THEN 1 - c.value
         WHEN c.value < -29000 THEN -1 - c.value ELSE -c.value END AS value
FROM moves AS m
JOIN positions AS c ON c.key = m.child
JOIN move_names AS n ON n.game = c.game AND n.move = m.move
UNION ALL
SELECT p.key, p.rest_move, n.name, p.rest_proven, 'rest', p.rest_line, p.rest_value
FROM positions AS p JOIN move_names AS n ON n.game = p.game AND n.move = p.rest_move
"""

_LINES = """
CREATE VIEW lines AS
SELECT b.game, b.ply, b.dark, b.light, k.name AS move, k.value, k.proven, k.source, k.line,
    b.position
FROM known_moves AS k JOIN boards AS b ON b.key = k.key
"""

_BEST_MOVES = """
CREATE VIEW best_moves AS
SELECT b.game, b.ply, b.dark, b.light, k.name AS move, k.value, k.proven, k.source, k.line,
    b.position
FROM (SELECT *, row_number() OVER (PARTITION BY key ORDER BY value DESC, move) AS rank
      FROM known_moves) AS k
JOIN boards AS b ON b.key = k.key
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
        sa.Column("parameters", sa.String, nullable=False),
        sa.Column("positions", sa.Integer, nullable=False),
        sa.Column("searches", sa.Integer, nullable=False),
        sa.Column("nodes", sa.Integer, nullable=False),
    )
    op.create_table(
        "positions",
        sa.Column("key", sa.LargeBinary(16), primary_key=True),
        sa.Column("game", sa.Integer, sa.ForeignKey("games.id"), nullable=False),
        sa.Column("ply", sa.Integer, nullable=False),
        sa.Column("stones", sa.LargeBinary, nullable=False),
        sa.Column("value", sa.Integer, nullable=False),
        sa.Column("bound", sa.Integer, nullable=False),
        sa.Column("proven", sa.Boolean, nullable=False),
        sa.Column("rest_state", sa.Integer, nullable=False),
        sa.Column("rest_move", sa.Integer),
        sa.Column("rest_value", sa.Integer),
        sa.Column("rest_bound", sa.Integer),
        sa.Column("rest_proven", sa.Boolean),
        sa.Column("rest_child", sa.LargeBinary(16)),
        sa.Column("rest_line", sa.String),
        sa.Column("cost", sa.Integer, nullable=False),
        sa.Column("slot_cost", sa.Integer),
        sa.Column("depth", sa.Integer, nullable=False),
        sa.Column("nodes", sa.Integer, nullable=False),
        sa.Column("milliseconds", sa.Float, nullable=False),
        sa.Column("run", sa.Integer, sa.ForeignKey("runs.id"), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("positions_by_ply", "positions", ["game", "ply", "key"])
    op.create_index("positions_by_rest_child", "positions", ["rest_child"])
    op.create_index("positions_by_slot_cost", "positions", ["game", "slot_cost", "key"])
    op.create_table(
        "moves",
        sa.Column("parent", sa.LargeBinary(16), primary_key=True),
        sa.Column("move", sa.Integer, primary_key=True),
        sa.Column("child", sa.LargeBinary(16), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("moves_by_child", "moves", ["child"])
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
        sa.Column("name", sa.String, nullable=False),
        sqlite_with_rowid=False,
    )
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
    for view in (_BOARDS, _KNOWN_MOVES, _LINES, _BEST_MOVES):
        op.execute(view)
