"""A book built by two dask workers, of which one is killed. Run by `make demo-cluster`."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click

from book.errors import BookError
from book.reader import BookReader
from book.whole.export import records
from book.whole.summary import summarise
from engine import registry
from fivebook.console import console
from fivebook.local import fivebook

_FOLDER = Path("demo")
_GAME = "gomoku-11"
_POSITIONS = 200
_BUILD = ("--game", _GAME, "--positions", _POSITIONS, "--nodes", 20_000)
_HERE = ("--host", "127.0.0.1", "--no-dashboard")
_STARTING_SECONDS = 60


@click.command()
def demo() -> None:
    """Build a book by a dask scheduler and two workers on this machine, kill one worker in the
    middle, build the same book by two jobs, and compare."""
    _FOLDER.mkdir(exist_ok=True)
    far, near = _FOLDER / "cluster.db", _FOLDER / "local.db"
    for book in (far, near):
        book.unlink(missing_ok=True)
    with ExitStack() as stack:
        address = stack.enter_context(_scheduler())
        workers = [stack.enter_context(_worker(address)) for _ in range(2)]
        to = ("--backend", "dask", "--scheduler", address)
        builder = _begin(far, *to)
        while builder.poll() is None and _stored(far) < _POSITIONS // 2:
            time.sleep(0.1)
        console.print(f"killing a worker at {_stored(far)} positions", highlight=False)
        workers[0].kill()
        if builder.wait():
            raise click.ClickException("the build with dask failed")
    if _begin(near, "--jobs", 2).wait():
        raise click.ClickException("the build without dask failed")
    one, other = (list(records(book, reproducible=True)) for book in (far, near))
    if one != other:
        raise click.ClickException("the books differ")
    console.print(f"the books are equal: {len(one)} positions", highlight=False)


def _begin(book: Path, *how: object) -> subprocess.Popen[bytes]:
    console.rule(" ".join(map(str, ("fivebook build", book, *_BUILD, *how))), align="left")
    return subprocess.Popen(fivebook("build", book, *_BUILD, *how))


def _stored(book: Path) -> int:
    """How many positions the book holds so far."""
    try:
        with BookReader(book) as reader:
            return sum(layer.positions for layer in summarise(reader, registry.get(_GAME)).layers)
    except BookError:
        # It is just being made.
        return 0


@contextmanager
def _scheduler() -> Iterator[str]:
    """The address of a scheduler, which ends with the block."""
    file = _FOLDER / "scheduler.json"
    file.unlink(missing_ok=True)
    with _dask("scheduler", "--port", "0", "--scheduler-file", str(file)) as process:
        yield _address_in(file, process)


def _address_in(file: Path, scheduler: subprocess.Popen[bytes]) -> str:
    deadline = time.monotonic() + _STARTING_SECONDS
    while scheduler.poll() is None and time.monotonic() < deadline:
        try:
            return str(json.loads(file.read_text())["address"])
        except (OSError, ValueError):
            time.sleep(0.1)
    raise click.ClickException("the scheduler did not start: pip install 'fivebook[dask]'")


@contextmanager
def _worker(address: str) -> Iterator[subprocess.Popen[bytes]]:
    """A worker of one thread that nobody starts anew."""
    with _dask("worker", address, "--nthreads", "1", "--no-nanny") as process:
        yield process


@contextmanager
def _dask(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "dask", *arguments, *_HERE]
    with (_FOLDER / "dask.log").open("ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    demo()
