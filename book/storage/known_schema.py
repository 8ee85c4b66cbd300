"""Whether the schema of a file is that of a book, text for text.

A file may come from anybody. A trigger in it would change what a builder writes, and a view of the
same name as a table could be one whose reading never ends.
"""

import re
import sqlite3
from functools import cache, lru_cache
from pathlib import Path

from book.errors import BookUnreadable

_STATEMENTS = Path(__file__).with_name("schema.sql")
_KIND = re.compile(r"CREATE (?:UNIQUE |TEMP |VIRTUAL )*(\w+)")
# What ANALYZE writes, and the index of a primary key or a unique column, which has no text.
_OF_SQLITE = frozenset(
    {
        "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
        "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
    }
)
_NOT_OF_THE_FIRST = frozenset(
    {"digests", "history", "hints", "imported", "imported_by_lookup", "played", "sources"}
)
_MOST_SHOWN = 40
# Somewhat more than a book has of them: whoever opens many books meets the same in each.
_MOST_REMEMBERED = 64


def check_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Make sure that the database at `path` has the tables, indexes and views of a book alone.

    Which of the revisions they are of is not looked at: the columns that an older one lacks are
    missed where they are asked for.

    Raises:
        BookUnreadable: if it has anything else, or lacks one of them.
    """
    known = {statement for statements in known_statements().values() for statement in statements}
    missing = set(known_statements()) - _NOT_OF_THE_FIRST
    for name, text in connection.execute("SELECT name, sql FROM sqlite_schema"):
        if text is None and str(name).startswith("sqlite_autoindex_"):
            continue
        statement = plain(text)
        if statement not in known and statement not in _OF_SQLITE:
            raise BookUnreadable(
                f"'{path}' has {_kind(statement)} that no book has: "
                f"'{str(name)[:_MOST_SHOWN]}'; take it out, or use a book from elsewhere"
            )
        missing.discard(name)
    if missing:
        raise BookUnreadable(
            f"'{path}' is damaged: its schema has lost '{min(missing)}'; fivebook repair "
            "--salvage saves what can still be read"
        )


def is_known(connection: sqlite3.Connection, table: str) -> bool:
    """Whether a table of a damaged file is a book's, as far as its schema can be read."""
    query = "SELECT sql FROM sqlite_schema WHERE name = ?"
    try:
        row = connection.execute(query, (table,)).fetchone()
    except sqlite3.DatabaseError:
        return False
    return row is not None and plain(row[0]) in known_statements()[table]


@cache
def known_statements() -> dict[str, frozenset[str]]:
    """The statements that make each table, index and view of a book, in any of its revisions."""
    lines = [line for line in _STATEMENTS.read_text("utf-8").splitlines() if line[:2] != "--"]
    statements = [line.removesuffix(";") for line in lines]
    names = [re.split(r"[ (]", statement, maxsplit=3)[2] for statement in statements]
    return {
        name: frozenset(
            statement for other, statement in zip(names, statements, strict=True) if other == name
        )
        for name in names
    }


@lru_cache(_MOST_REMEMBERED)
def plain(text: object) -> str:
    """A statement without the white space that means nothing, which versions write differently."""
    one_line = re.sub(r"\s+", " ", text if isinstance(text, str) else "").strip()
    return re.sub(r" ?([(),]) ?", r"\1", one_line)


def _kind(statement: str) -> str:
    found = _KIND.match(statement.upper())
    kind = found[1].lower() if found else "part"
    return f"an {kind}" if kind == "index" else f"a {kind}"
