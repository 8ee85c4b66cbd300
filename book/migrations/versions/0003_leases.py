"""Leases: several builders may work on the plan of one book."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Let the plan say who is at a search."""
    op.add_column("tasks", sa.Column("leased_by", sa.String))
    op.add_column("tasks", sa.Column("leased_until", sa.DateTime(timezone=True)))
