"""Books: how fast they are built and answer."""

import http.client
import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from book.reader import BookReader
from engine import games
from engine.position import Move
from service.local import fivebook, free_port, served

BUILD_NODES = 20_000
_LOOKUPS = 100


@dataclass(frozen=True, slots=True)
class Build:
    """A book built by the `fivebook build` of another process."""

    game: str
    jobs: int
    positions: int
    positions_per_second: float
    bytes_per_position: int


@dataclass(frozen=True, slots=True)
class Lookup:
    """How long it takes in microseconds, the median and the 99th percentile."""

    game: str
    way: str
    median: int
    slowest_percent: int


def measure_books(names: Sequence[str], positions: int) -> tuple[list[Build], list[Lookup]]:
    """Build a book of each game, with two jobs and with one, and look its main line up."""
    builds: list[Build] = []
    lookups: list[Lookup] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            book = Path(folder) / f"{name}.db"
            for jobs in (2, 1):
                book.unlink(missing_ok=True)
                builds.append(_build(book, name, positions, jobs))
            lookups += _look_up(book, name)
    return builds, lookups


def _build(book: Path, name: str, positions: int, jobs: int) -> Build:
    limits = ("--positions", positions, "--nodes", BUILD_NODES, "--jobs", jobs)
    command = fivebook("build", book, "--game", name, *limits, "--json")
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    built = json.loads(output)
    rate = round(built["added"] / built["seconds"], 1)
    return Build(name, jobs, positions, rate, book.stat().st_size // positions)


def _look_up(book: Path, name: str) -> list[Lookup]:
    """Along the book's main line, as a player meets its positions."""
    game = games.get(name)
    with BookReader(book) as reader:
        line = reader.find(game, game.initial).moves[0].line
        lines = [line[:ply] for ply in range(len(line))]
        positions = [game.play_line(line) for line in lines]
        stored = [i for i, position in enumerate(positions) if reader.get(game, position)]
        in_process = {
            "in process, all moves": [partial(reader.find, game, positions[i]) for i in stored],
            "in process, best move": [
                partial(reader.find, game, positions[i], lines=0, best_only=True) for i in stored
            ],
        }
        found = {way: _timed(calls) for way, calls in in_process.items()}
    with (
        served([book], free_port()) as address,
        closing(http.client.HTTPConnection(urlsplit(address).netloc)) as connection,
    ):

        def ask(route: str, line: tuple[Move, ...]) -> None:
            query = urlencode({"game": name, "moves": game.format_line(line)})
            connection.request("GET", f"/api/v1/{route}?{query}")
            connection.getresponse().read()

        for way, route in (("HTTP, all moves", "position"), ("HTTP, best move", "best")):
            found[way] = _timed([partial(ask, route, lines[i]) for i in stored])
    return [Lookup(name, way, *times) for way, times in found.items()]


def _timed(calls: Sequence[Callable[[], object]]) -> tuple[int, int]:
    """Median and 99th percentile, in microseconds, of the calls in turn, after a warm-up."""
    times = []
    for call in 2 * _LOOKUPS * list(calls):
        started = time.perf_counter_ns()
        call()
        times.append((time.perf_counter_ns() - started) / 1000)
    times = times[len(times) // 2 :]
    return round(statistics.median(times)), round(statistics.quantiles(times, n=100)[-1])
