"""The service under load: how long its answers take, and whether it keeps within its limits.

    python -m tools.load builder BOOK     half of what it can answer, while its book is built
    python -m tools.load overload BOOK    ten minutes of twice the live searches it has room for

Questions come at fixed moments, whatever the answers do, and each is timed from its moment: one
that waits behind a late answer shows it. The service has one processor to itself; this program and
the builder have the others. Prints JSON.
"""

import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import click

from book.reader import BookReader
from engine.game import Game
from fivebook.local import fivebook, free_port, memory_of, served
from fivebook.options import POSITIVE
from tools.bench.service_ratios import stored_lines

_POSITIONS = 2_000
# Connections that measure what the service can answer, of which half is then asked.
_FULL = 16
_LIVE_SHARE = 0.1
_MOVETIME_MS = 100
# Stones on the edge: no book goes there, so that it is searched.
_EDGE = 6
_MIB = 1 << 20

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass
class Load:
    """What was answered: statuses, and the seconds since a question was due, by its kind.

    `over` is how much longer than its time a live search took, `memory` the service's bytes.
    """

    rate: float
    statuses: Counter[str] = field(default_factory=Counter)
    times: dict[str, list[float]] = field(default_factory=dict)
    over: list[float] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)

    def told(self) -> dict[str, object]:
        """As JSON has it: times in milliseconds, memory in MiB."""
        every = max(1, len(self.memory) // 10)
        return {
            "questions a second": round(self.rate, 1),
            "statuses": dict(sorted(self.statuses.items())),
            "answered within": {kind: _spread(each) for kind, each in sorted(self.times.items())},
            "live searches over their time": _spread(self.over),
            "memory": [each // _MIB for each in self.memory[::every]],
        }


def _spread(seconds: Sequence[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    shares = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999, "most": 1.0}
    return {
        name: round(1000 * ordered[round(share * (len(ordered) - 1))], 2)
        for name, share in shares.items()
        if ordered
    }


class _Asking:
    """Asks the service at `port`, over as many connections as there are questions at once."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._idle: list[Connection] = []

    async def get(self, path: str) -> tuple[int, bytes]:
        """The status and the body of an answer."""
        while self._idle:
            connection = self._idle.pop()
            # The service closes what was idle for long, perhaps at this moment.
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                return await self._ask(connection, path)
        return await self._ask(await asyncio.open_connection("127.0.0.1", self._port), path)

    async def _ask(self, connection: Connection, path: str) -> tuple[int, bytes]:
        reader, writer = connection
        writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        length = next(line for line in lines if line.startswith(b"content-length:"))
        body = await reader.readexactly(int(length.partition(b":")[2]))
        self._idle.append(connection)
        return int(head.split(b" ", 2)[1]), body

    def close(self) -> None:
        """Close all connections."""
        for _, writer in self._idle:
            writer.close()


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Load a service, and tell how it bears it."""


_book = click.argument("book", type=click.Path(exists=True, dir_okay=False, path_type=Path))


@main.command()
@_book
@click.option("--seconds", type=POSITIVE, default=60, show_default=True)
@click.option(
    "--full",
    type=POSITIVE,
    default=10,
    show_default=True,
    help="Seconds before that, of as many questions as it can answer.",
)
def builder(book: Path, seconds: int, full: int) -> None:
    """Ask half of what it can answer for best moves, while a builder adds to a copy of BOOK."""
    game, lines = _lines(book)
    paths = [_path("best", game, line, book_only=1) for line in lines]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / book.name
        shutil.copyfile(book, copy)
        with _service(copy) as (port, memory), _building(copy, game):
            _come_first()
            capacity = asyncio.run(_capacity(port, paths, full))
            ask = _questions(paths)
            load = asyncio.run(_load(port, capacity / 2, seconds, ask, memory))
    click.echo(json.dumps({"capacity": round(capacity)} | load.told(), indent=1))


@main.command()
@_book
@click.option("--seconds", type=POSITIVE, default=600, show_default=True)
def overload(book: Path, seconds: int) -> None:
    """Ask for known positions, and in one of ten for a live search: twice as many as have room."""
    game, lines = _lines(book)
    paths = [_path("position", game, line, book_only=1) for line in lines]
    rate = 2 * 1000 / _MOVETIME_MS / _LIVE_SHARE
    with _service(book, "--live-searches", 1, "--no-count-misses") as (port, memory):
        load = asyncio.run(_load(port, rate, seconds, _questions(paths, game), memory))
    click.echo(json.dumps(load.told(), indent=1))


def _lines(book: Path) -> tuple[Game, list[str]]:
    with BookReader(book) as reader:
        (game,) = reader.games
        return game, stored_lines(reader, game, _POSITIONS)


def _path(route: str, game: Game, line: str, **more: object) -> str:
    return f"/api/v1/{route}?{urlencode({'game': game.id, 'moves': line, **more})}"


def _questions(paths: Sequence[str], live: Game | None = None) -> Callable[[], tuple[str, str]]:
    """What to ask next, with its kind; now and then a position that is searched in `live`."""
    chance = random.Random(1)

    def ask() -> tuple[str, str]:
        if live is None or chance.random() >= _LIVE_SHARE:
            return "book", chance.choice(paths)
        edge = [live.format_move(move) for move in chance.sample(range(live.width), _EDGE)]
        return "live", _path("position", live, " ".join(edge), movetime=_MOVETIME_MS)

    return ask


async def _capacity(port: int, paths: Sequence[str], seconds: int) -> float:
    """Answers a second, if it always has enough to do."""
    asking, count = _Asking(port), 0
    clock = asyncio.get_running_loop()
    ends = clock.time() + seconds

    async def ask(number: int) -> None:
        nonlocal count
        while clock.time() < ends:
            await asking.get(paths[(number * len(paths) // _FULL + count) % len(paths)])
            count += 1

    await asyncio.gather(*map(ask, range(_FULL)))
    asking.close()
    return count / seconds


async def _load(
    port: int,
    rate: float,
    seconds: int,
    question: Callable[[], tuple[str, str]],
    memory: Callable[[], int],
) -> Load:
    """Ask `rate` questions a second."""
    load, asking = Load(rate), _Asking(port)
    clock = asyncio.get_running_loop()
    begun = clock.time()
    running = deque[asyncio.Task[None]]()

    async def ask(due: float) -> None:
        kind, path = question()
        status, body = await asking.get(path)
        load.statuses[f"{kind} {status}"] += 1
        if status == 200:
            load.times.setdefault(kind, []).append(clock.time() - due)
            if kind == "live":
                load.over.append((json.loads(body)["milliseconds"] - _MOVETIME_MS) / 1000)

    for number in range(round(rate * seconds)):
        due = begun + number / rate
        if (early := due - clock.time()) > 0:
            await asyncio.sleep(early)
        running.append(asyncio.create_task(ask(due)))
        while running and running[0].done():
            running.popleft().result()
        if due - begun >= len(load.memory):
            load.memory.append(memory())
    await asyncio.gather(*running)
    asking.close()
    return load


def _come_first() -> None:
    """Let this program go before the builder on their processor, where it may: what it waits there
    would count as the service's time.
    """
    with suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


@contextmanager
def _service(book: Path, *options: object) -> Iterator[tuple[int, Callable[[], int]]]:
    """A service with a processor of its own: its port, and what tells its memory in bytes."""
    port, (own, *others) = free_port(), sorted(os.sched_getaffinity(0))
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {own})
    try:
        with served((book,), port, *options) as service:
            os.sched_setaffinity(0, others or {own})
            yield port, lambda: memory_of(service.process)
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def _building(book: Path, game: Game) -> Iterator[None]:
    """A builder adds to the book, to the end of the block."""
    options = ("--game", game.id, "--jobs", 1, "--nodes", 20_000, "--positions", 10**9)
    process = subprocess.Popen(
        fivebook("build", book, *options), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
        if process.poll() is not None:
            raise click.ClickException(f"the builder ended with status {process.returncode}")
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


if __name__ == "__main__":
    main()
