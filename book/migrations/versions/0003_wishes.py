"""Wishes: where somebody wants the book to grow."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the column. Costs are settled anew in `book.revisions`, since their formula changed."""
    op.add_column("positions", sa.Column("wish", sa.Integer))
