"""``fivebook bench``."""

import http.client
import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import click
from rich.box import SIMPLE
from rich.table import Table

from book.console import POSITIVE, console, json_option, print_json
from book.reader import BookReader
from engine import games
from engine.position import Move
from engine.search import Limits
from service.local import fivebook, free_port, served

_SUITES = {
    "gomoku-15": (
        6,
        ("", "h8", "h8 i9", "h8 h9 j10", "h8 i9 h9 h7 g8 i8 f8 e8", "h8 g8 i9 g7 g9 j10 h6 f9"),
    ),
    "pentago-swap": (
        5,
        ("", "b2:12", "b2:12 e5:34", "b5:13 e5:12 e2:34", "c3:12 d4:12 b5:23 e2:34 a1:13"),
    ),
}
_BUILD_NODES = 20_000
_LOOKUPS = 100


@dataclass(frozen=True, slots=True)
class _Search:
    game: str
    positions: int
    depth: int
    nodes: int
    nodes_per_second: int


@dataclass(frozen=True, slots=True)
class _Build:
    game: str
    jobs: int
    positions: int
    positions_per_second: float
    bytes_per_position: int


@dataclass(frozen=True, slots=True)
class _Lookup:
    """Microseconds, the median and the 99th percentile."""

    game: str
    way: str
    median: int
    slowest_percent: int


@click.command()
@click.option("--positions", type=POSITIVE, default=200, show_default=True, help="Of each book.")
@json_option
def bench(positions: int, as_json: bool) -> None:
    """Measure search, building and lookups on this machine, for each kind of game.

    The nodes of the search suites change only when the search does. Everything else is a time:
    compare it only with another one taken on the same idle machine.

    \b
    Examples:
      fivebook bench
      fivebook bench --positions 1000 --json
    """
    searches = [_bench_search(name) for name in _SUITES]
    builds: list[_Build] = []
    lookups: list[_Lookup] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in _SUITES:
            book = Path(folder) / f"{name}.db"
            for jobs in (2, 1):
                book.unlink(missing_ok=True)
                builds.append(_bench_build(book, name, positions, jobs))
            lookups += _bench_lookups(book, name)
    if as_json:
        print_json(
            {
                "search": [asdict(row) for row in searches],
                "build": [asdict(row) for row in builds],
                "lookup": [asdict(row) for row in lookups],
            }
        )
        return
    _print("search, one thread", searches)
    _print(f"building, {_BUILD_NODES:,} nodes a search", builds)
    _print("lookups along the main line, microseconds", lookups)


def _bench_search(name: str) -> _Search:
    game = games.get(name)
    depth, lines = _SUITES[name]
    searcher = game.searcher()
    results = [
        searcher.search(game.play_line(game.parse_line(line)), Limits(depth=depth))
        for line in lines
    ]
    nodes = sum(result.nodes for result in results)
    seconds = sum(result.seconds for result in results)
    return _Search(name, len(lines), depth, nodes, round(nodes / seconds))


def _bench_build(book: Path, name: str, positions: int, jobs: int) -> _Build:
    limits = ("--positions", positions, "--nodes", _BUILD_NODES, "--jobs", jobs)
    command = fivebook("build", book, "--game", name, *limits, "--json")
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    built = json.loads(output)
    rate = round(built["added"] / built["seconds"], 1)
    return _Build(name, jobs, positions, rate, book.stat().st_size // positions)


def _bench_lookups(book: Path, name: str) -> list[_Lookup]:
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
    return [_Lookup(name, way, *times) for way, times in found.items()]


def _timed(calls: Sequence[Callable[[], object]]) -> tuple[int, int]:
    """Median and 99th percentile, in microseconds, of the calls in turn, after a warm-up."""
    times = []
    for call in 2 * _LOOKUPS * list(calls):
        started = time.perf_counter_ns()
        call()
        times.append((time.perf_counter_ns() - started) / 1000)
    times = times[len(times) // 2 :]
    return round(statistics.median(times)), round(statistics.quantiles(times, n=100)[-1])


def _print(title: str, rows: list[_Search] | list[_Build] | list[_Lookup]) -> None:
    names = list(asdict(rows[0]))
    table = Table(*(name.replace("_", " ") for name in names), title=title, box=SIMPLE)
    for column, name in zip(table.columns, names, strict=True):
        column.justify = "left" if isinstance(getattr(rows[0], name), str) else "right"
    for row in rows:
        values = asdict(row).values()
        table.add_row(*(v if isinstance(v, str) else f"{v:,}" for v in values))
    console.print(table)
