"""Clients that read their answers slowly, or not at all, hold little memory, and not for long."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from book.reader import BookReader
from service.http.deliveries import _connections
from tests.service.http.reading_server import LONG

_TIMEOUT = 120.0
# The kernel's word for it (net/tcp_states.h).
_TCP_CLOSE = 7
HOUR = 3600.0


@contextmanager
def reading_server(seconds: float) -> Iterator[int]:
    """The port of a server whose answers are to be read within so many seconds."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    command = [sys.executable, "-m", "tests.service.http.reading_server", str(port), str(seconds)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: ask(port, "/healthz"))
        yield port
    finally:
        process.terminate()
        process.wait(_TIMEOUT)


def ask(port: int, path: str) -> str:
    """An answer, empty where there is none."""
    with suppress(URLError), urlopen(f"http://127.0.0.1:{port}{path}", timeout=_TIMEOUT) as answer:
        return str(answer.read().decode())
    return ""


def until(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + _TIMEOUT
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@contextmanager
def asking(port: int, path: str, client: int = 1) -> Iterator[socket.socket]:
    """A connection of one of several clients on this machine, with little room for answers."""
    with socket.socket() as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        opened.settimeout(_TIMEOUT)
        opened.bind((f"127.0.0.{client}", 0))
        opened.connect(("127.0.0.1", port))
        opened.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        yield opened


def is_closed(opened: socket.socket) -> bool:
    """Whether the other end has cut the connection off, though there may be more to read."""
    return opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == _TCP_CLOSE


def status(opened: socket.socket) -> int:
    return int(opened.recv(12).split()[1])


@pytest.mark.parametrize("path", ["/long", "/short"])
def test_who_reads_a_byte_now_and_then_is_cut_off(path: str) -> None:
    with reading_server(2.0) as port, asking(port, path) as slow:
        until(lambda: slow.recv(1) and is_closed(slow))
        until(lambda: ask(port, "/held") == "0")


def test_who_asks_on_without_reading_is_cut_off() -> None:
    with reading_server(2.0) as port, asking(port, "/short") as slow:
        slow.sendall(b"GET /short HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100)
        until(lambda: is_closed(slow))
        assert ask(port, "/healthz")


def test_who_reads_on_is_not_cut_off_however_long_it_asks() -> None:
    with reading_server(2.0) as port, asking(port, "/short") as steady:
        since, answers = time.monotonic(), 1
        while time.monotonic() - since < 6.0:
            steady.sendall(b"GET /short HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answers += 1
            read = 0
            while read < 60_000:
                read += len(steady.recv(8192))
        assert answers > 3


def test_long_answers_that_nobody_reads_leave_room_for_others() -> None:
    with reading_server(HOUR) as port, ExitStack() as opened:
        one = opened.enter_context(asking(port, "/long"))
        assert status(one) == 200
        # A client may have half of the room, and so may another.
        refused = opened.enter_context(asking(port, "/long"))
        assert status(refused) == 503
        other = opened.enter_context(asking(port, "/long", client=2))
        assert status(other) == 200
        third = opened.enter_context(asking(port, "/long", client=3))
        answer = third.recv(65536).decode()
        assert answer.startswith("HTTP/1.1 503 ")
        assert "retry-after: 1" in answer.lower()
        assert ask(port, "/held") == str(2 * LONG)
        assert len(ask(port, "/short")) == 60_000


@pytest.mark.parametrize("how", ["read", "closed"])
def test_what_was_read_or_given_up_is_held_no_longer(how: str) -> None:
    with reading_server(HOUR) as port, asking(port, "/long") as reader:
        until(lambda: ask(port, "/held") == str(LONG))
        left = LONG if how == "read" else 0
        while left > 0:
            left -= len(reader.recv(1 << 20))
        if how == "closed":
            reader.close()
        until(lambda: ask(port, "/held") == "0")


def test_looking_at_connections_takes_no_lock_from_a_book(gomoku_book: Path) -> None:
    with BookReader(gomoku_book) as reader, reader.connection() as connection:
        connection.exec_driver_sql("SELECT count(*) FROM positions").fetchone()
        assert locked_files() >= {gomoku_book.stat().st_ino}
        assert list(_connections(9)) == []
        assert locked_files() >= {gomoku_book.stat().st_ino}


def locked_files() -> set[int]:
    """The numbers of the files on which this process has locks."""
    fields = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    return {int(each[5].rpartition(":")[2]) for each in fields if each[4] == str(os.getpid())}
