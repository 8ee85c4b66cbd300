"""What was imported: the files, and what each says of positions, with views for people."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

# The cells `first` to `last` of packed stones, by name.
_CELLS = """(SELECT {joined}(name, ' ') FROM (
        SELECT named.name FROM cells AS counter
        JOIN cells AS named ON named.game = counter.game AND named.code = substr(
            i.stones, counter.number * length(counter.code) + 1, length(counter.code))
        WHERE counter.game = i.game AND counter.number {among}
        ORDER BY counter.number) AS names)"""
_PLAYED = """
CREATE VIEW played AS
SELECT g.name AS game, i.ply, {dark} AS dark, {light} AS light,
    i.games, i.dark_wins, i.draws, i.light_wins
FROM (
    SELECT game, lookup, stones, ply, sum(games) AS games, sum(dark_wins) AS dark_wins,
        sum(draws) AS draws, sum(light_wins) AS light_wins
    FROM imported WHERE games > 0 GROUP BY game, lookup, stones, ply) AS i
JOIN games AS g ON g.id = i.game
"""
_HINTS = """
CREATE VIEW hints AS
SELECT g.name AS game, i.ply, {dark} AS dark, {light} AS light,
    i.value, i.depth, i.label, i.comment, s.name AS source
FROM imported AS i JOIN games AS g ON g.id = i.game JOIN sources AS s ON s.id = i.source
WHERE i.value IS NOT NULL OR i.label <> '' OR i.comment <> ''
"""


def upgrade() -> None:
    """Add the tables and views."""
    op.create_table(
        "sources",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("game", sa.Integer, sa.ForeignKey("games.id"), nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("form", sa.String, nullable=False),
        sa.Column("fingerprint", sa.String, nullable=False),
        sa.Column("at", sa.String, nullable=False),
        sa.Column("digest", sa.Integer),
    )
    op.create_table(
        "imported",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("game", sa.Integer, sa.ForeignKey("games.id"), nullable=False),
        sa.Column("source", sa.Integer, sa.ForeignKey("sources.id"), nullable=False),
        sa.Column("lookup", sa.Integer, nullable=False),
        sa.Column("stones", sa.LargeBinary, nullable=False),
        sa.Column("ply", sa.Integer, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("dark_wins", sa.Integer, nullable=False),
        sa.Column("draws", sa.Integer, nullable=False),
        sa.Column("light_wins", sa.Integer, nullable=False),
        sa.Column("value", sa.Integer),
        sa.Column("bound", sa.Integer),
        sa.Column("depth", sa.Integer, nullable=False),
        sa.Column("label", sa.String, nullable=False),
        sa.Column("comment", sa.String, nullable=False),
        sa.Column("digest", sa.Integer),
    )
    op.create_index("imported_by_lookup", "imported", ["lookup"])
    joined = "group_concat" if op.get_bind().dialect.name == "sqlite" else "string_agg"
    dark = _CELLS.format(joined=joined, among="< (i.ply + 1) / 2")
    light = _CELLS.format(joined=joined, among="BETWEEN (i.ply + 1) / 2 AND i.ply - 1")
    for view in (_PLAYED, _HINTS):
        op.execute(view.format(dark=dark, light=light))
