"""The PostgreSQL servers that tests may use, and books in them."""

import os
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import Engine, create_engine, make_url, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

_VARIABLE = "FIVEBOOK_TEST_POSTGRESQL"
_USUAL = "postgresql+psycopg://postgres@127.0.0.1:5432/test"


def postgresql_engine(url: str | None = None) -> Engine:
    """An engine for the server at `url`, or for the one of the variable or else the usual one.

    Without one of the latter the test is skipped, and says why.
    """
    asked_for = url is not None
    url = url or os.environ.get(_VARIABLE, _USUAL)
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    engine = create_engine(
        url, poolclass=NullPool, isolation_level="AUTOCOMMIT", connect_args={"connect_timeout": 5}
    )
    try:
        engine.connect().close()
    except DBAPIError as error:
        if asked_for:
            raise
        why = str(error.orig).splitlines()[0]
        pytest.skip(f"no PostgreSQL server to test with (set {_VARIABLE} to its URL): {why}")
    return engine


@contextmanager
def postgresql_book(server: str | None = None) -> Iterator[str]:
    """The address of a place for a new book, which is there as long as the block lasts."""
    engine = postgresql_engine(server)
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


class Server:
    """A PostgreSQL server of the tests' own, with its data in `folder`."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs, self._folder = programs, folder
        self._one_at_a_time = threading.RLock()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self.url = f"postgresql+psycopg://postgres@127.0.0.1:{self._port}/postgres"
        self._call("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")

    def start(self, **environment: str) -> None:
        """Let it answer; nothing is done if it does."""
        settings = {
            "port": self._port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": self._folder,
            "fsync": "off",
            "shared_buffers": "16MB",
        }
        given = " ".join(f"-c {name}={value}" for name, value in settings.items())
        log = f"{self._folder}/log"
        with self._one_at_a_time:
            if not (self._folder / "data" / "postmaster.pid").exists():
                self._call("pg_ctl", "start", "-w", "-l", log, "-o", given, **environment)

    def stop(self, how: str = "fast") -> None:
        """End it: `fast` takes transactions back, `immediate` is as good as a crash."""
        with self._one_at_a_time:
            self._call("pg_ctl", "stop", "-w", "-m", how)

    def _call(self, program: str, *arguments: str, **environment: str) -> None:
        command = [str(self._programs / program), "-D", str(self._folder / "data"), *arguments]
        if os.geteuid() == 0:
            # It refuses to be root.
            command = ["runuser", "-u", "postgres", "--", *command]
        done = subprocess.run(
            command,
            env=os.environ | environment,
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if program == "initdb" else subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            check=False,
        )
        assert done.returncode == 0, (command, done.stdout)


@contextmanager
def own_server(**environment: str) -> Iterator[Server]:
    """A server that a test may stop; skipped where its programs are not."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    places = [*Path("/usr/lib/postgresql").glob("*/bin"), Path(shutil.which("initdb") or "").parent]
    programs = next((place for place in places if (place / "pg_ctl").exists()), None)
    if programs is None or (os.geteuid() == 0 and not shutil.which("runuser")):
        pytest.skip("no PostgreSQL server to start: its initdb and pg_ctl are not installed")
    folder = Path(tempfile.mkdtemp(prefix="fivebook-server-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        server = Server(programs, folder)
        server.start(**environment)
        try:
            yield server
        finally:
            server.start()
            server.stop("immediate")
    finally:
        shutil.rmtree(folder)


class Way:
    """A way to the PostgreSQL server that can be cut, and mended.

    `requests` counts what went this way to the server, each of which it answers; `straight` is the
    address without it.
    """

    def __init__(self, address: str) -> None:
        self.straight = address
        url = make_url(address)
        self._server = (url.host or "127.0.0.1", url.port or 5432)
        self._ends: list[socket.socket] = []
        self.requests = 0
        self._at = 0
        self._arrives, self._cuts = False, True
        self._also: Callable[[], object] = lambda: None
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

    def cut_once(
        self, at: int, *, arrives: bool, also: Callable[[], object] = lambda: None
    ) -> None:
        """End the connection of the request of this number, after which others are let in.

        The answer never comes, whether the request `arrives` or not. What is `also` to be done is
        done by then.
        """
        self.requests, self._at, self._arrives, self._also = 0, at, arrives, also
        self._cuts = True

    def call_at(self, request: int, also: Callable[[], object]) -> None:
        """Have something done before the request of this number goes on its way."""
        self.cut_once(request, arrives=True, also=also)
        self._cuts = False

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
                try:
                    server = socket.create_connection(self._server)
                except ConnectionRefusedError:
                    client.close()
                    continue
                self._ends += (client, server)
                for carry in (self._ask, self._carry):
                    ends = (client, server) if carry == self._ask else (server, client)
                    threading.Thread(target=carry, args=ends, daemon=True).start()

    def _ask(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while request := client.recv(1 << 20):
                self.requests += 1
                is_last = self.requests == self._at and self._cuts
                if self.requests == self._at and not self._cuts:
                    self._also()
                if is_last and self._arrives:
                    client.shutdown(socket.SHUT_RDWR)
                if self._arrives or not is_last:
                    server.sendall(request)
                if is_last:
                    self._also()
                    break
        for end, how in ((server, socket.SHUT_WR), (client, socket.SHUT_RDWR)):
            with suppress(OSError):
                end.shutdown(how)

    def _carry(self, start: socket.socket, end: socket.socket) -> None:
        with suppress(OSError):
            while part := start.recv(65536):
                end.sendall(part)
        for each in (end, start):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


@contextmanager
def way_to(address: str) -> Iterator[Way]:
    """A way to the book at `address` that can be cut."""
    way = Way(address)
    try:
        yield way
    finally:
        way.cut()
