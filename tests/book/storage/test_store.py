"""What SQLite and PostgreSQL do differently is said in one place, and the rest is alike."""

import re
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from book.errors import BookUnwritable
from book.storage.address import Access, Address, AnyAddress
from book.storage.store import PostgresqlStore, SqliteStore, kind_of, store_of
from tests.books import rows_of, small_book
from tests.checkout import ROOT
from tests.servers import postgresql_book

OF_ONE_KIND = re.compile(r"isinstance\(\S*place, |dialect\.name|import postgresql")


def test_nobody_but_the_storage_asks_what_kind_of_book_it_is() -> None:
    asking = {
        path.relative_to(ROOT).parts[:2]
        for room in ("book", "precompute", "service", "fivebook")
        for path in (ROOT / room).rglob("*.py")
        if OF_ONE_KIND.search(path.read_text())
    }
    # The benchmark fills its books in each database's own fastest way.
    assert asking - {("fivebook", "bench")} == {("book", "storage")}


def test_a_connection_tells_its_kind_of_store(place: AnyAddress) -> None:
    store = store_of(Address.of(place))
    assert isinstance(store, SqliteStore if isinstance(place, Path) else PostgresqlStore)
    engine = store.open_engine(Access.WRITE)
    with engine.connect() as connection:
        assert kind_of(connection) is type(store)
    engine.dispose()


def test_one_has_the_lock_until_it_lets_go(place: AnyAddress) -> None:
    store = store_of(Address.of(place))
    engine = store.open_engine(Access.WRITE)
    with engine.connect() as first, engine.connect() as second:
        with store.alone(first):
            with store.locked(second) as is_alone:
                assert not is_alone
            with pytest.raises(BookUnwritable, match="being built"), store.alone(second):
                pass
        first.close()
        with store.locked(second) as is_alone:
            assert is_alone
    engine.dispose()


def test_a_copy_is_a_file_with_the_same_rows(place: AnyAddress, tmp_path: Path) -> None:
    small_book(place, "gomoku-9", 5)
    store = store_of(Address.of(place))
    engine = store.open_engine(Access.READ)
    with engine.connect() as connection:
        store.stay_at_one_moment(connection)
        assert store.size(connection) > 4096
        assert store.damage(connection) == []
        store.copy(connection, tmp_path / "copy.db")
    engine.dispose()
    script = "SELECT lookup, stones, value FROM positions ORDER BY lookup"
    assert rows_of(tmp_path / "copy.db", script) == rows_of(place, script)


def test_who_is_silent_between_two_rows_of_a_statement_loses_the_connection() -> None:
    with postgresql_book() as address:
        store = store_of(Address.of(address))
        engine = store.open_engine(Access.WRITE)
        with engine.connect() as connection, engine.connect() as other:
            store.limit_silence(connection, 0.1)
            connection.exec_driver_sql(
                "CREATE FUNCTION pg_temp.note(which int) RETURNS int LANGUAGE plpgsql"
                " AS $$ BEGIN RAISE NOTICE USING MESSAGE = which; RETURN which; END $$"
            )
            connection.commit()
            pid = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
            told: list[str] = []

            def be_silent(notice: Any) -> None:
                told.append(notice.message_primary)
                wait_for_end(other, pid)

            driver: Any = connection.connection.driver_connection
            driver.add_notice_handler(be_silent)
            rows = [{"which": which} for which in range(3)]
            with pytest.raises(DBAPIError):
                connection.execute(text("SELECT pg_temp.note(:which)"), rows)
            # The server may tell that it ends the connection.
            assert told[0] == "0"
            assert not {"1", "2"} & set(told)
            connection.invalidate()
        engine.dispose()


def wait_for_end(connection: Connection, pid: int) -> None:
    """Wait until the server has ended a session."""
    statement = text("SELECT 1 FROM pg_stat_activity WHERE pid = :pid")
    deadline = time.monotonic() + 30
    while connection.execute(statement, {"pid": pid}).first() is not None:
        connection.rollback()
        assert time.monotonic() < deadline, "it goes on"
