"""Digests of rows, and their sums, so that no change of a stored value goes unseen."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the columns and the table; `book.storage.revisions` computes what is in them."""
    for table in ("games", "runs", "history", "positions", "tasks"):
        op.add_column(table, sa.Column("digest", sa.Integer))
    op.create_table(
        "digests",
        sa.Column("game", sa.Integer, sa.ForeignKey("games.id"), primary_key=True),
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("total", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    # What was counted down to nothing is no longer kept.
    op.execute("DELETE FROM counts WHERE positions = 0")
