"""Leases, so that several builders may work on one book, and wishes where it is to grow."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns."""
    op.add_column("tasks", sa.Column("leased_by", sa.String))
    op.add_column("tasks", sa.Column("leased_until", sa.DateTime(timezone=True)))
    op.add_column("positions", sa.Column("wish", sa.Integer))
