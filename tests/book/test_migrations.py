"""The migrations make exactly the tables that the code speaks of."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Table

import book.migrations
from book.address import Address
from book.database import Access, open_engine
from book.export import records
from book.schema import REVISIONS, metadata
from book.writer import BookWriter
from engine.games.base import Game
from tests.book.conftest import CopyOf

TABLES = sorted(metadata.tables)


def test_migrations_make_the_tables_of_the_schema(empty_book: Path) -> None:
    with open_engine(Address.of(empty_book), Access.READ).connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_the_revisions_are_the_scripts_in_order() -> None:
    scripts = ScriptDirectory(str(Path(book.migrations.__file__).parent))
    found = [script.revision for script in scripts.walk_revisions()]
    assert tuple(reversed(found)) == REVISIONS


def test_a_new_book_has_the_last_revision(empty_book: Path) -> None:
    found = sqlite3.connect(empty_book).execute("SELECT version_num FROM alembic_version")
    assert found.fetchall() == [(REVISIONS[-1],)]


@pytest.mark.parametrize("name", TABLES)
def test_columns_stand_in_the_order_of_the_schema(empty_book: Path, name: str) -> None:
    found = sqlite3.connect(empty_book).execute(f"PRAGMA table_info({name})")
    assert [row[1] for row in found] == [column.name for column in metadata.tables[name].columns]


@pytest.mark.parametrize("name", TABLES)
def test_rows_lie_on_the_primary_key_where_the_schema_says_so(empty_book: Path, name: str) -> None:
    table: Table = metadata.tables[name]
    (statement,) = (
        sqlite3.connect(empty_book)
        .execute("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", (name,))
        .fetchone()
    )
    wanted = not table.dialect_options["sqlite"]["with_rowid"]
    assert ("WITHOUT ROWID" in statement) == wanted


def test_indexes_are_those_of_the_schema(empty_book: Path) -> None:
    connection = sqlite3.connect(empty_book)
    found = connection.execute(
        "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
    ).fetchall()
    wanted = [
        (index.name, table.name) for table in metadata.tables.values() for index in table.indexes
    ]
    assert sorted(found) == sorted(wanted)
    for table in metadata.tables.values():
        for index in table.indexes:
            columns = [row[2] for row in connection.execute(f"PRAGMA index_info({index.name})")]
            assert columns == [column.name for column in index.columns]


def test_there_are_views_for_people(empty_book: Path) -> None:
    found = sqlite3.connect(empty_book).execute(
        "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name"
    )
    assert [name for (name,) in found] == ["best_moves", "boards", "known_moves", "lines"]


def of_revision_0002(book: Path) -> None:
    """Make a book what it was before there were leases."""
    with closing(sqlite3.connect(book)) as connection:
        connection.execute("ALTER TABLE tasks DROP COLUMN leased_by")
        connection.execute("ALTER TABLE tasks DROP COLUMN leased_until")
        connection.execute("UPDATE alembic_version SET version_num = '0002'")
        connection.commit()


def test_a_reader_takes_a_book_from_before_leases_as_it_is(
    copy_of: CopyOf, gomoku_book: Path
) -> None:
    path = copy_of(gomoku_book)
    of_revision_0002(path)
    before = path.read_bytes()
    assert list(records(path)) == list(records(gomoku_book))
    assert path.read_bytes() == before


def test_a_builder_brings_a_book_from_before_leases_up(
    copy_of: CopyOf, gomoku_book: Path, gomoku: Game
) -> None:
    path = copy_of(gomoku_book)
    of_revision_0002(path)
    BookWriter(path, gomoku).close()
    with open_engine(Address.of(path), Access.READ).connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    assert list(records(path)) == list(records(gomoku_book))
