"""The PostgreSQL server that tests may use, and books in it."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
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


class Way:
    """A way to the PostgreSQL server that can be cut, and mended."""

    def __init__(self, address: str) -> None:
        url = make_url(address)
        self._server = (url.host or "127.0.0.1", url.port or 5432)
        self._ends: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._port = self._listener.getsockname()[1]
        self.address = url.set(host="127.0.0.1", port=self._port).render_as_string(
            hide_password=False
        )
        self._listen()

    def cut(self) -> None:
        """End all connections, and let nobody in."""
        # Closing alone would not wake who waits for it.
        for end in (self._listener, *self._ends):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._ends.clear()

    def mend(self) -> None:
        """Let in whoever comes."""
        self._listener = socket.create_server(("127.0.0.1", self._port))
        self._listen()

    def _listen(self) -> None:
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                server = socket.create_connection(self._server)
                self._ends += (client, server)
                for ends in ((client, server), (server, client)):
                    threading.Thread(target=self._carry, args=ends, daemon=True).start()

    def _carry(self, start: socket.socket, end: socket.socket) -> None:
        with suppress(OSError), ExitStack() as closed:
            closed.callback(end.close)
            closed.callback(start.close)
            while part := start.recv(65536):
                end.sendall(part)


@contextmanager
def way_to(address: str) -> Iterator[Way]:
    """A way to the book at `address` that can be cut."""
    way = Way(address)
    try:
        yield way
    finally:
        way.cut()
