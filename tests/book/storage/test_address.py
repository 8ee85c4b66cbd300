"""A book's address is a path or a URL, and what is wrong with one is said in one sentence."""

import re
from pathlib import Path

import pytest
from sqlalchemy import text

from book.errors import BookMissing, BookUnreadable, NoAddress, NotABook
from book.reader import BookReader
from book.storage.address import Address
from book.writer import BookWriter
from engine.game import Game
from tests.books import Fivebook, change, small_book
from tests.servers import postgresql_book, postgresql_engine


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("book.db", Path("book.db")),
        ("/a/b c.db", Path("/a/b c.db")),
        ("sqlite:///book.db", Path("book.db")),
        ("sqlite:////a/book.db", Path("/a/book.db")),
        (Path("x://y"), Path("x:/y")),
    ],
)
def test_a_path_may_be_written_as_a_url(given: str | Path, path: Path) -> None:
    assert Address.of(given) == Address(path)
    assert (str(Address.of(given)), Address.of(given).name) == (str(path), path.name)


def test_a_database_is_named_without_its_password() -> None:
    text = "postgresql://me:secret@host:5433/books?options=-csearch_path%3Done"
    address = Address.of(text)
    assert "secret" not in str(address)
    assert str(address).startswith("postgresql://me:***@host:5433/books")
    assert address.name == "books"
    assert Address.of("postgresql+psycopg://me:secret@host:5433/books") == Address.of(
        "postgres://me:secret@host:5433/books"
    )


@pytest.mark.parametrize(
    "given", ["mysql://host/books", "postgresql://host", "sqlite://", "://", "http://host/a.db"]
)
def test_any_other_url_is_refused(given: str, fivebook: Fivebook) -> None:
    with pytest.raises(NoAddress):
        Address.of(given)
    result = fivebook("info", given)
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr


def test_a_server_that_does_not_answer_gets_a_sentence(fivebook: Fivebook) -> None:
    pytest.importorskip("psycopg")
    nowhere = "postgresql://me@127.0.0.1:1/books"
    with pytest.raises(BookUnreadable, match=re.escape(f"cannot reach '{nowhere}'")):
        BookReader(nowhere)
    result = fivebook("info", nowhere)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)


def test_a_missing_database_gets_a_sentence() -> None:
    url = postgresql_engine().url.set(database="fivebook_none", drivername="postgresql")
    with pytest.raises(BookMissing, match="there is no database for"):
        BookReader(url.render_as_string(hide_password=False))


def test_a_database_without_a_book_is_not_read() -> None:
    with postgresql_book() as place, pytest.raises(BookMissing, match="there is no book at"):
        BookReader(place)


def test_another_program_s_tables_are_left_alone(gomoku: Game) -> None:
    engine = postgresql_engine()
    with postgresql_book() as place:
        schema = place.rsplit("%3D", 1)[-1]
        with engine.connect() as connection:
            connection.execute(text(f"CREATE TABLE {schema}.people (name TEXT)"))
        for opened in (lambda: BookReader(place), lambda: BookWriter(place, gomoku)):
            with pytest.raises(NotABook, match="is a PostgreSQL database, but no fivebook book"):
                opened()


def test_a_book_of_an_earlier_or_later_version_is_refused_on_a_server_too() -> None:
    with postgresql_book() as place:
        small_book(place, "gomoku-9", 1)
        change(place, "UPDATE alembic_version SET version_num = '9999'")
        with pytest.raises(Exception, match="was written by a later version of fivebook"):
            BookReader(place)
