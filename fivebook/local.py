"""The `fivebook` command and its service as other processes, for the demo and the benchmark."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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


@contextmanager
def served(books: Sequence[Path], port: int) -> Iterator[str]:
    """The address of a service of `books`, which ends with the block."""
    command = fivebook("serve", *books, "--port", port)
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}/healthz", server)
        yield address
    finally:
        server.terminate()
        server.wait()


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
