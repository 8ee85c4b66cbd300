"""`fivebook serve` as people run it: a process on a port."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

_TIMEOUT = 120


@contextmanager
def served(*arguments: str, host: str = "127.0.0.1") -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The running process and its URL, once it has announced that it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "fivebook.cli", "serve", "--port", str(port), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        url = f"http://{host}:{port}"
        # An access log has lines before.
        assert any(url in line for line in iter(process.stdout.readline, "")), process.communicate(
            timeout=_TIMEOUT
        )
        yield process, url
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=_TIMEOUT)


def get(url: str) -> Any:
    with urlopen(url, timeout=_TIMEOUT) as response:
        return json.load(response)


def test_it_answers_from_books_and_live_and_ends_cleanly(
    gomoku_book: Path, swap_book: Path
) -> None:
    with served(str(gomoku_book), str(swap_book), "--live-searches", "1") as (process, url):
        assert get(f"{url}/api/v1/position?game=gomoku-9")["source"] in {"book", "proof"}
        assert get(f"{url}/api/v1/best?game=pentago-swap&moves=a1:12,f6:34,c3:14,b5:23&movetime=5")
        with pytest.raises(HTTPError, match="400"):
            get(f"{url}/api/v1/position?game=chess")
        process.terminate()
        # Requests are logged only where that is asked for.
        assert process.communicate(timeout=_TIMEOUT) == ("", "")
        assert process.returncode == 0


def test_it_takes_books_and_settings_from_a_file(gomoku_book: Path, tmp_path: Path) -> None:
    file = tmp_path / "service.toml"
    file.write_text(f"books = ['{gomoku_book}']\nlive-searches = 1\n")
    with served("--config", str(file)) as (_, url):
        books = get(f"{url}/api/v1/books")["books"]
        assert [book["file"] for book in books] == [gomoku_book.name]


def test_it_answers_over_ipv6_what_no_book_holds(gomoku_book: Path) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError as error:
        pytest.skip(f"this machine has no IPv6: {error}")
    with served(str(gomoku_book), "--host", "::1", host="[::1]") as (_, url):
        answer = get(f"{url}/api/v1/best?game=gomoku-9&moves=a1,i9,a9&movetime=5")
        assert answer["source"] == "live"


def test_ctrl_c_ends_it_cleanly() -> None:
    with served("--workers", "2") as (process, url):
        assert get(f"{url}/healthz")["status"] == "ok"
        # The terminal sends it to every process of the foreground group.
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(_TIMEOUT) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_lookups_are_answered_while_live_searches_run(gomoku_book: Path) -> None:
    hour = 3_600_000
    with ThreadPoolExecutor(2) as threads:
        with served(str(gomoku_book), "--live-searches", "1", "--movetime-cap", "1h") as (_, url):
            far = f"{url}/api/v1/position?game=gomoku-9&movetime={hour}&moves="
            running = [threads.submit(get, far + moves) for moves in ("a1,i9,a9", "a1,i9,b9")]
            while not all(each.running() for each in running):
                pass
            for _ in range(20):
                answer = get(f"{url}/api/v1/position?game=gomoku-9&book_only=1")
                assert answer["source"] != "live"
            assert not any(each.done() for each in running)
        # Killed with its supervisor, the worker let go of both.
        for each in running:
            assert each.exception() is not None


def test_a_port_in_use_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "-m", "fivebook.cli", "serve", "--port", str(port)],
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIMEOUT,
        )
    assert done.returncode == 2
    assert done.stderr == (
        f"Error: port {port} on 127.0.0.1 is in use: "
        "end what uses it, or name another with --port\n"
    )


def test_a_second_server_on_the_same_port_is_told() -> None:
    with served() as (_, url):
        port = url.rpartition(":")[2]
        done = subprocess.run(
            [sys.executable, "-m", "fivebook.cli", "serve", "--port", port],
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIMEOUT,
        )
    assert done.returncode == 2


def test_an_address_of_another_machine_is_told() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fivebook.cli", "serve", "--host", "192.0.2.1"],
        capture_output=True,
        text=True,
        check=False,
        timeout=_TIMEOUT,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("Error: cannot listen on 192.0.2.1 port 8000")
