"""What a move gives away costs twice as much, so that a book goes deeper."""

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Nothing of the schema; `book.storage.revisions` computes all costs anew."""
