"""The `fivebook` command and its service as other processes, for the demo and the benchmark."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import click

_USUAL_PORT = 8000
# The first start of all compiles, on a machine that may be busy.
_STARTING_SECONDS = 180


def fivebook(*arguments: object) -> list[str]:
    """The command line that runs `fivebook` with this Python."""
    return [sys.executable, "-m", "fivebook.cli", *map(str, arguments)]


def free_port() -> int:
    """The usual port, or any other one if that is taken."""
    for port in (_USUAL_PORT, 0):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise click.ClickException("no port is free on 127.0.0.1")


@dataclass(frozen=True, slots=True)
class Served:
    """A service that runs: where it answers, and its process."""

    address: str
    process: int


@contextmanager
def served(books: Sequence[Path], port: int, *options: object) -> Iterator[Served]:
    """A service of `books`, which ends with the block."""
    command = fivebook("serve", *books, "--port", port, *options)
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}/healthz", server)
        yield Served(address, server.pid)
    finally:
        server.terminate()
        server.wait()


def memory_of(process: int) -> int:
    """Bytes in memory of a process and those it started."""
    found = 0
    for place in Path(f"/proc/{process}/task").glob("*/children"):
        found += sum(memory_of(int(child)) for child in place.read_text().split())
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return found + pages * os.sysconf("SC_PAGE_SIZE")


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _STARTING_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        try:
            urlopen(address).close()
        except URLError:
            time.sleep(0.1)
        else:
            return
    raise click.ClickException("the service did not start")
