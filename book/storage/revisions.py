"""The revision of a book's schema: refusing what cannot be used, and creating what is missing."""

from collections import deque
from pathlib import Path

from sqlalchemy import Connection, select, text

from book.errors import BookUnreadable, NewerSchema, NotABook
from book.storage.schema import REVISIONS, games

_NO_LONGER_READ = ("0001",)
_PRESENT_COSTS = REVISIONS.index("0005")
_DIGESTS = REVISIONS.index("0007")
_IMPORTS = REVISIONS.index("0008")
_NEWEST = Path(__file__).with_name("newest.sql")
_revisions = text("SELECT version_num FROM alembic_version")
_set_revision = text("INSERT INTO alembic_version VALUES (:revision)")


def check_revision(revision: str, book: str) -> None:
    """Make sure that this version can use a schema of this revision.

    Whoever reads may have an older one before him: revisions only ever added what builders need.

    Raises:
        BookError: if it cannot; `book` is what to call the book.
    """
    if revision in _NO_LONGER_READ:
        raise NotABook(
            f"'{book}' has schema {revision}, which this version cannot bring up to date: "
            "build it anew under another name"
        )
    if revision not in REVISIONS:
        raise NewerSchema(
            f"'{book}' was written by a later version of fivebook (schema {revision}, this "
            f"version knows up to {REVISIONS[-1]}); update fivebook to use it"
        )


def has_present_costs(connection: Connection) -> bool:
    """Whether the costs in a book are by the formula of this version."""
    return _revision_at(connection) >= _PRESENT_COSTS


def has_digests(connection: Connection) -> bool:
    """Whether the rows of a book have digests, as those of earlier revisions have not."""
    return _revision_at(connection) >= _DIGESTS


def has_imports(connection: Connection) -> bool:
    """Whether a book has the tables of what was imported, as earlier revisions have not."""
    return _revision_at(connection) >= _IMPORTS


def _revision_at(connection: Connection) -> int:
    """The place among `REVISIONS` of that of a book."""
    found = connection.execute(_revisions).scalars().all()
    if len(found) != 1 or found[0] not in REVISIONS:
        raise BookUnreadable("the book is damaged: its schema has lost its version")
    return REVISIONS.index(found[0])


def create(connection: Connection) -> None:
    """Make the schema of the last revision in an SQLite database that is empty."""
    _, _, statements = _NEWEST.read_text("utf-8").partition("\n")
    for statement in statements.split(";\n")[:-1]:
        connection.exec_driver_sql(statement)
    connection.execute(_set_revision, {"revision": REVISIONS[-1]})


def migrate(connection: Connection) -> None:
    """Bring the schema up to the last revision, from nothing or from an older one.

    All of it happens in the transaction that `connection` is in.
    """
    # Imported here because they are slow to load, and needed once in the life of a book.
    from alembic import command
    from alembic.config import Config

    from book.rows.digests import digest_all
    from book.rows.propagation import propagate_all

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
    # Costs follow from the rest, by a formula that was another before 0005; digests come last.
    for game in connection.execute(select(games.c.id)).scalars().all():
        deque(propagate_all(connection, game), maxlen=0)
        digest_all(connection, game)
