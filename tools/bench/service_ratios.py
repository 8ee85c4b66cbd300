"""What answers from a book cost the service, beside a constant route of the same length.

Both are asked of one server in turns, a few hundred times each, over one connection. What counts is
the time of its processors: so neither this program nor others on the machine show in the ratio.
"""

import http.client
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from urllib.parse import urlencode

from book.reader import BookReader
from engine.game import Game
from engine.search import Limits
from fivebook.local import free_port
from service.answerer import Answerer
from service.inquiry import Inquiry
from tools.bench.checkout import path_of

_ROUNDS = 10
_LONGEST_LINE = 30
# How often a reply leaves the book's best move.
_ASIDE = 0.5
_START_SECONDS = 60
_LIMITS = Limits(nodes=1)


@dataclass(frozen=True, slots=True)
class ServiceRatio:
    """One route: microseconds of processor time an answer, and those of a constant one.

    `ratio` is the median of the rounds: the constant route's time divided by the answer's.
    `in_process_us` is the time of the lookup alone, without the server.
    """

    route: str
    positions: int
    bytes: int
    answer_us: float
    constant_us: float
    ratio: float
    in_process_us: float


def measure(book: Path, count: int) -> Iterator[ServiceRatio]:
    """The ratios of `/best` and `/position` over `count` different positions of `book`."""
    with BookReader(book) as reader:
        (game,) = reader.games
        lines = stored_lines(reader, game, count)
    with _served(book) as (process, connection):
        for route, best_only in (("best", True), ("position", False)):
            in_process = _in_process(book, game, lines, best_only=best_only)
            yield _measure(process, connection, route, game, lines, in_process)


def stored_lines(reader: BookReader, game: Game, count: int) -> list[str]:
    """The moves to at most `count` different positions that a book holds, along random lines."""
    random, found = Random(1), dict[bytes, str]()
    for _ in range(count):
        position, line = game.initial, list[int]()
        while len(line) < _LONGEST_LINE and game.outcome(position) is None:
            entry = reader.get(game, position, lines=0)
            if entry is None:
                break
            found.setdefault(game.canonical(position).key, game.format_line(line))
            known = [move.move for move in entry.moves]
            move = random.choice(known if random.random() < _ASIDE else known[:1])
            position = game.play(position, move)
            line.append(move)
        if len(found) >= count:
            break
    lines = list(found.values())[:count]
    random.shuffle(lines)
    return lines


def _measure(
    process: int,
    connection: http.client.HTTPConnection,
    route: str,
    game: Game,
    lines: Sequence[str],
    in_process: float,
) -> ServiceRatio:
    queries = [urlencode({"game": game.id, "moves": line}) for line in lines]
    answers = [f"/api/v1/{route}?{query}" for query in queries]
    sizes = [_ask(connection, address) for address in answers]
    constants = [f"/constant/{size}" for size in sizes]
    rounds: list[tuple[float, float]] = []
    for turn in range(_ROUNDS):
        sides = [answers, constants] if turn % 2 else [constants, answers]
        times = {id(side): _processor_time(process, connection, side) for side in sides}
        rounds.append((times[id(answers)], times[id(constants)]))
    answer, constant = (statistics.median(side) for side in zip(*rounds, strict=True))
    return ServiceRatio(
        f"/{route}",
        len(lines),
        round(statistics.fmean(sizes)),
        round(1e6 * answer, 1),
        round(1e6 * constant, 1),
        round(statistics.median(constant / answer for answer, constant in rounds), 2),
        round(1e6 * in_process, 1),
    )


def _processor_time(
    process: int, connection: http.client.HTTPConnection, addresses: Sequence[str]
) -> float:
    """The seconds of processor time that each of `addresses` takes a process."""
    before = _seconds_of(process)
    for address in addresses:
        _ask(connection, address)
    return (_seconds_of(process) - before) / len(addresses)


def _seconds_of(process: int) -> float:
    """What a process and the workers that it started have taken of the processors."""
    processes = (process, *_children(process))
    threads = [path for each in processes for path in Path(f"/proc/{each}/task").iterdir()]
    # Nanoseconds first; what `stat` has is counted in hundredths of a second.
    return sum(int((path / "schedstat").read_text().split()[0]) for path in threads) / 1e9


def _children(process: int) -> list[int]:
    told = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(each) for each in told.split()]


def _ask(connection: http.client.HTTPConnection, address: str) -> int:
    connection.request("GET", address)
    return len(connection.getresponse().read())


def _in_process(book: Path, game: Game, lines: Sequence[str], *, best_only: bool) -> float:
    """Seconds that a lookup takes without a server, in the best of some rounds."""
    with Answerer((book,)) as answerer:
        inquiries = [Inquiry.read(game, line) for line in lines]
        times = []
        for _ in range(_ROUNDS):
            since = time.perf_counter()
            for inquiry in inquiries:
                lines_wanted = 0 if best_only else 1
                answerer.answer(inquiry, _LIMITS, lines=lines_wanted, best_only=best_only)
            times.append((time.perf_counter() - since) / len(inquiries))
    return min(times)


@contextmanager
def _served(book: Path) -> Iterator[tuple[int, http.client.HTTPConnection]]:
    port = free_port()
    command = (sys.executable, "-m", "tools.bench.constant_route", str(port), str(book.resolve()))
    server = subprocess.Popen(
        command,
        cwd=path_of("pyproject.toml").parent,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_START_SECONDS)
    try:
        _wait_for(connection)
        yield server.pid, connection
    finally:
        connection.close()
        server.terminate()
        server.wait()


def _wait_for(connection: http.client.HTTPConnection) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            _ask(connection, "/healthz")
        except OSError:
            connection.close()
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return
