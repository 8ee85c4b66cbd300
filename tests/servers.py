"""The PostgreSQL server that tests may use, and books in it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import pytest
from sqlalchemy import Engine, create_engine, make_url, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

_VARIABLE = "FIVEBOOK_TEST_POSTGRESQL"
_USUAL = "postgresql+psycopg://postgres@127.0.0.1:5432/test"


def postgresql_engine() -> Engine:
    """An engine for the server; without one the test is skipped, and says why."""
    url = os.environ.get(_VARIABLE, _USUAL)
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    engine = create_engine(
        url, poolclass=NullPool, isolation_level="AUTOCOMMIT", connect_args={"connect_timeout": 5}
    )
    try:
        engine.connect().close()
    except DBAPIError as error:
        why = str(error.orig).splitlines()[0]
        pytest.skip(f"no PostgreSQL server to test with (set {_VARIABLE} to its URL): {why}")
    return engine


@contextmanager
def postgresql_book() -> Iterator[str]:
    """The address of a place for a new book, which is there as long as the block lasts."""
    engine = postgresql_engine()
    schema = f"fivebook_{uuid4().hex}"
    with engine.connect() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    url = make_url(engine.url).update_query_dict({"options": f"-csearch_path={schema}"})
    try:
        yield url.set(drivername="postgresql").render_as_string(hide_password=False)
    finally:
        with engine.connect() as connection:
            connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
        engine.dispose()
