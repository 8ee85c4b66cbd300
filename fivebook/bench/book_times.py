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
from typing import Any
from urllib.parse import urlencode, urlsplit

from book.reader import BookReader
from engine import registry
from engine.position import Move
from fivebook import open_book
from fivebook.local import fivebook, free_port, served

BUILD_NODES = 20_000
# A tenth of a second on an idle machine, more or less.
_LONG_NODES = 200_000
_NODES_AT_FIRST = 1_000
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
class Occupancy:
    """Going on with a book by the `fivebook build` of another process.

    `searching` is the share of their time that the jobs were searching, since each had ended a
    first search; `milliseconds` are those of a search, on average.
    """

    game: str
    jobs: int
    searches: int
    milliseconds: float
    searching: float


@dataclass(frozen=True, slots=True)
class Lookup:
    """How long it takes in microseconds, the median and the 99th percentile."""

    game: str
    way: str
    median: int
    slowest_percent: int


@dataclass(frozen=True, slots=True)
class FaceLookup:
    """What the Python face costs, from the text of the moves to the text of the answer.

    `parts` is the time in microseconds of reading the moves, the reader's lookup and writing the
    answer's moves, `face` that of one call and the same answer: medians of calls made in turns.
    """

    game: str
    answer: str
    parts: float
    face: float
    ratio: float


def measure_books(
    names: Sequence[str], positions: int
) -> tuple[list[Build], list[Lookup], list[FaceLookup]]:
    """Build a book of each game, with two jobs and with one, and look its main line up."""
    builds: list[Build] = []
    lookups: list[Lookup] = []
    faces: list[FaceLookup] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            book = Path(folder) / f"{name}.db"
            for jobs in (2, 1):
                book.unlink(missing_ok=True)
                builds.append(_build(book, name, positions, jobs))
            lookups += _look_up(book, name)
            faces += compare_face(book, name)
    return builds, lookups, faces


def measure_occupancy(name: str, positions: int) -> list[Occupancy]:
    """How busy two jobs are, and one, with a book of that many positions.

    Its first quarter is made by short searches, since the first few wait for one another.
    """
    with tempfile.TemporaryDirectory() as folder:
        return [_occupy(Path(folder) / f"{jobs}.db", name, positions, jobs) for jobs in (2, 1)]


def _occupy(book: Path, name: str, positions: int, jobs: int) -> Occupancy:
    _built(book, name, max(1, positions // 4), _NODES_AT_FIRST, jobs)
    told = _built(book, name, positions, _LONG_NODES, jobs)
    searches = max(1, told["searches"])
    return Occupancy(
        name,
        jobs,
        told["searches"],
        round(told["search_seconds"] * 1000 / searches, 1),
        told["searching"],
    )


def _built(book: Path, name: str, positions: int, nodes: int, jobs: int) -> dict[str, Any]:
    """What `fivebook build` tells of the book that it made."""
    limits = ("--positions", positions, "--nodes", nodes, "--jobs", jobs)
    command = fivebook("build", book, "--game", name, *limits, "--json")
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    told: dict[str, Any] = json.loads(output)
    return told


def _build(book: Path, name: str, positions: int, jobs: int) -> Build:
    built = _built(book, name, positions, BUILD_NODES, jobs)
    rate = round(built["added"] / built["seconds"], 1)
    return Build(name, jobs, positions, rate, book.stat().st_size // positions)


def _look_up(book: Path, name: str) -> list[Lookup]:
    """Along the book's main line, as a player meets its positions."""
    game = registry.get(name)
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
        served([book], free_port()) as service,
        closing(http.client.HTTPConnection(urlsplit(service.address).netloc)) as connection,
    ):

        def ask(route: str, line: tuple[Move, ...]) -> None:
            query = urlencode({"game": name, "moves": game.format_line(line)})
            connection.request("GET", f"/api/v1/{route}?{query}")
            connection.getresponse().read()

        for way, route in (("HTTP, all moves", "position"), ("HTTP, best move", "best")):
            found[way] = _timed([partial(ask, route, lines[i]) for i in stored])
    return [Lookup(name, way, *times) for way, times in found.items()]


def compare_face(book: Path, name: str) -> list[FaceLookup]:
    """Lookups along the main line through the face, and by the calls that it makes."""
    game = registry.get(name)
    with open_book(book) as face, BookReader(book) as reader:

        def best_by_parts(text: str) -> object:
            position = game.play_line(game.parse_line(text))
            entry = reader.find(game, position, lines=0, best_only=True)
            return game.format_move(entry.moves[0].move)

        def all_by_parts(text: str) -> object:
            entry = reader.find(game, game.play_line(game.parse_line(text)))
            return [(game.format_move(m.move), game.format_line(m.line)) for m in entry.moves]

        def all_by_face(text: str) -> object:
            return [(known.move, " ".join(known.line)) for known in face.lookup(text).moves]

        line = reader.find(game, game.initial).moves[0].line
        lines = [game.format_line(line[:ply]) for ply in range(len(line))]
        texts = [text for text in lines if face.get(text) is not None]
        rows = []
        for answer, by_parts, by_face in (
            ("best move", best_by_parts, face.best),
            ("all moves", all_by_parts, all_by_face),
        ):
            times = [_in_turns(partial(by_parts, text), partial(by_face, text)) for text in texts]
            parts, whole = (statistics.fmean(side) for side in zip(*times, strict=True))
            rows.append(
                FaceLookup(name, answer, round(parts, 1), round(whole, 1), round(whole / parts, 3))
            )
        return rows


def _in_turns(one: Callable[[], object], other: Callable[[], object]) -> tuple[float, float]:
    """Medians, in microseconds, of two calls that are made in turns and answer alike."""
    assert one() == other()
    times: tuple[list[int], list[int]] = ([], [])
    for turn in range(2 * _LOOKUPS):
        for side in (turn % 2, 1 - turn % 2):
            started = time.perf_counter_ns()
            (one, other)[side]()
            times[side].append(time.perf_counter_ns() - started)
    return statistics.median(times[0]) / 1000, statistics.median(times[1]) / 1000


def _timed(calls: Sequence[Callable[[], object]]) -> tuple[int, int]:
    """Median and 99th percentile, in microseconds, of the calls in turn, after a warm-up."""
    times = []
    for call in 2 * _LOOKUPS * list(calls):
        started = time.perf_counter_ns()
        call()
        times.append((time.perf_counter_ns() - started) / 1000)
    times = times[len(times) // 2 :]
    return round(statistics.median(times)), round(statistics.quantiles(times, n=100)[-1])
