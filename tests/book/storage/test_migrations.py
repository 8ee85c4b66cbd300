"""The migrations make exactly the tables that the code speaks of."""

import shutil
import sqlite3
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Table, create_engine, text

import book.storage.migrations
from book.reader import BookReader
from book.rows.counts import CountChanges
from book.rows.propagation import propagate
from book.storage.address import Address
from book.storage.database import Access, open_engine
from book.storage.revisions import migrate
from book.storage.schema import REVISIONS, metadata
from book.whole.export import records
from book.wishes import wishes_of
from book.writer import BookWriter
from engine.game import Game
from tests.book.handmade import of_revision_0002
from tests.oracles.book_checker import assert_sound

TABLES = sorted(metadata.tables)


def test_migrations_make_the_tables_of_the_schema(empty_book: Path) -> None:
    with open_engine(Address.of(empty_book), Access.READ).connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_the_revisions_are_the_scripts_in_order() -> None:
    scripts = ScriptDirectory(str(Path(book.storage.migrations.__file__).parent))
    found = [script.revision for script in scripts.walk_revisions()]
    assert tuple(reversed(found)) == REVISIONS


def test_a_new_book_has_the_last_revision(empty_book: Path) -> None:
    found = sqlite3.connect(empty_book).execute("SELECT version_num FROM alembic_version")
    assert found.fetchall() == [(REVISIONS[-1],)]


def test_a_new_book_has_the_schema_to_which_an_empty_one_migrates(empty_book: Path) -> None:
    query = text("SELECT name, sql FROM sqlite_schema")
    migrated = create_engine("sqlite://")
    with migrated.begin() as connection:
        migrate(connection)
        wanted = connection.execute(query).all()
    with open_engine(Address.of(empty_book), Access.READ).connect() as connection:
        assert connection.execute(query).all() == wanted


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


@pytest.fixture
def old_book(gomoku_book: Path, gomoku: Game, tmp_path: Path) -> Path:
    """A book of revision 0002, in which a lost position's slot costs what others do."""
    path = Path(shutil.copy(gomoku_book, tmp_path / "old.db"))
    with BookWriter(path, gomoku) as writer, writer.transaction() as connection:
        (leaf,) = connection.exec_driver_sql(
            "SELECT max(id) FROM positions WHERE NOT proven AND rest_state = 0"
            " AND id NOT IN (SELECT parent FROM moves)"
        ).scalars()
        connection.exec_driver_sql(f"UPDATE positions SET rest_value = -2000 WHERE id = {leaf}")
        propagate(connection, [leaf], CountChanges())
        connection.exec_driver_sql(f"UPDATE positions SET open_cost = 100 WHERE id = {leaf}")
    of_revision_0002(path)
    return path


def test_an_old_book_can_be_read_as_it_is(old_book: Path, gomoku: Game) -> None:
    before = old_book.read_bytes()
    with BookReader(old_book) as reader:
        assert reader.get(gomoku, gomoku.initial) is not None
        assert wishes_of(reader) == []
    assert old_book.read_bytes() == before


def test_a_writer_brings_an_old_book_up_with_all_its_costs(old_book: Path, gomoku: Game) -> None:
    before = without_costs(old_book)
    BookWriter(old_book, gomoku).close()
    with open_engine(Address.of(old_book), Access.READ).connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    assert without_costs(old_book) == before
    assert_sound(old_book, gomoku)


def without_costs(book: Path) -> list[dict[str, object]]:
    """What a book says, but for the costs, which follow from the rest."""
    return [{**record, "open_cost": None} for record in records(book)]


def test_there_are_views_for_people(empty_book: Path) -> None:
    found = sqlite3.connect(empty_book).execute(
        "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name"
    )
    assert [name for (name,) in found] == [
        *("best_moves", "boards", "hints", "known_moves", "lines", "played"),
    ]
