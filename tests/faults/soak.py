"""A service under twice its load, while a builder writes one of its books and another is replaced.

`python -m tests.faults.soak SECONDS` prints what was asked and answered as JSON, and ends with
status 1 if anything went wrong.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from shutil import copyfile
from statistics import median
from typing import Any
from urllib.parse import urlencode, urlsplit

from book.reader import BookReader
from engine import registry
from engine.search import Limits
from fivebook.local import memory_of
from precompute.builder import Builder, BuildOptions
from precompute.modes.explore import Explore
from service.answerer import Answerer
from service.http.documents import encode
from service.inquiry import Inquiry
from service.notated import NotatedAnswer
from tests.checkout import ROOT
from tests.service.http.connections import connection, post
from tests.service.http.test_serve import served

REPLACED, GROWING = registry.get("gomoku-9"), registry.get("gomoku-7")
# With one live search six threads answer: one that searches, one that waits, four for lookups.
_CLIENTS = 12
_SECONDS_BETWEEN_BOOKS = 0.5
_TIMEOUT = 60
_MIB = 1 << 20
# Of the memory in the second quarter of the time: caches fill in the first.
_MOST_GROWTH = 1.1
_LEAST_LOOKS = 40
_DOCUMENTED = {
    "replaced": {200},
    "missed": {404},
    "growing": {200, 404},
    "live": {200, 503},
    "batch": {200, 503},
    "bad": {400},
    "nowhere": {404},
    "method": {405},
}
_KINDS = (
    *["replaced"] * 6,
    *["live", "batch", "growing"] * 2,
    "missed",
    "bad",
    "nowhere",
    "method",
)

Document = dict[str, Any]


@dataclass
class Soak:
    """What came of it; all is well where `faults` is empty. `memory` is in bytes, each second."""

    seconds: float
    statuses: Counter[str] = field(default_factory=Counter)
    compared: Counter[str] = field(default_factory=Counter)
    books: int = 0
    positions: int = 0
    memory: list[int] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def check_memory(self) -> None:
        """Compare the last quarter of the time with the second."""
        quarter = len(self.memory) // 4
        if len(self.memory) < _LEAST_LOOKS:
            return
        early, late = median(self.memory[quarter : 2 * quarter]), median(self.memory[-quarter:])
        if late > early * _MOST_GROWTH:
            self.faults.append(f"memory grew from {early / _MIB:.0f} to {late / _MIB:.0f} MiB")

    def told(self) -> Document:
        """As JSON has it."""
        every = max(1, len(self.memory) // 12)
        return {
            "seconds": self.seconds,
            "statuses": dict(sorted(self.statuses.items())),
            "book answers compared": dict(sorted(self.compared.items())),
            "books put in place": self.books,
            "positions built meanwhile": self.positions,
            "memory in MiB": [round(each / _MIB) for each in self.memory[::every]],
            "faults": self.faults,
        }


class _Editions:
    """Two editions of one book, which take turns in one place, and the answers of each."""

    def __init__(self, folder: Path) -> None:
        self.place, self._new = folder / "replaced.db", folder / "replaced.new"
        self._paths = []
        for nodes in (300, 900):
            path = folder / f"edition-{nodes}.db"
            Builder(path, BuildOptions(REPLACED, Explore(40), Limits(nodes=nodes))).run()
            self._paths.append(path)
        cells = [REPLACED.format_line([move]) for move in REPLACED.legal_moves(REPLACED.initial)]
        lines = ["", *cells, *(f"e5 {cell}" for cell in cells if cell != "e5")]
        self.answers = [_answers(path, lines) for path in self._paths]
        held = [{line for line in lines if answers[line]} for answers in self.answers]
        self.held = sorted(held[0] & held[1])
        self.missed = sorted(set(lines) - held[0] - held[1])
        self.put(0)

    def put(self, number: int) -> None:
        """Put one of them in place, by turns."""
        copyfile(self._paths[number % 2], self._new)
        os.replace(self._new, self.place)


def _answers(book: Path, lines: list[str]) -> dict[str, Document | None]:
    with Answerer([book]) as answerer:
        return {line: _stored(answerer, line) for line in lines}


def _stored(answerer: Answerer, line: str) -> Document | None:
    game = answerer.game(None)
    (answer,) = answerer.stored_each([Inquiry.read(game, line)])
    if answer is None:
        return None
    return _timeless(json.loads(encode(NotatedAnswer.of(answer))))


def _timeless(document: Document) -> Document:
    return {name: value for name, value in document.items() if name != "elapsed_us"}


class _Load:
    """Asks the service at `url`, from several threads, until `ends`."""

    def __init__(
        self,
        url: str,
        editions: _Editions,
        growing: Answerer,
        watching: BookReader,
        soak: Soak,
        ends: float,
    ) -> None:
        self._url = url
        self._editions = editions
        self._growing = growing
        self._watching = watching
        self._soak = soak
        self._ends = ends
        self._lock = threading.Lock()

    def ask_until_the_end(self, seed: int) -> None:
        """Ask one question after the other over one connection, as long as it lasts."""
        chance = random.Random(seed)
        asking = HTTPConnection(urlsplit(self._url).netloc, timeout=_TIMEOUT)
        while time.monotonic() < self._ends:
            kind = chance.choice(_KINDS)
            try:
                self._ask(kind, asking, chance)
            except Exception as error:
                self._fault(f"{kind}: {type(error).__name__}: {error}")
                asking.close()
        asking.close()

    def send_halves_until_the_end(self, seed: int) -> None:
        """Keep some connections open on which a body is not sent to its end."""
        while time.monotonic() < self._ends:
            with connection(self._url) as half:
                half.sendall(post(self._url, "Content-Length: 40") + b'{"game')
                half.settimeout(max(0.1, self._ends - time.monotonic()))
                try:
                    answer = half.recv(65536)
                except TimeoutError:
                    return
            self._count("half", int(answer.split()[1]), {408})

    def _ask(self, kind: str, asking: HTTPConnection, chance: random.Random) -> None:
        lines = self._editions.missed if kind == "missed" else self._editions.held
        line = chance.choice(lines)
        if kind in {"replaced", "missed"}:
            told = self._told(kind, asking, REPLACED.id, line, book_only=1)
            if kind == "replaced":
                self._compare(kind, line, told, [each[line] for each in self._editions.answers])
        elif kind == "growing":
            self._ask_growing(asking, chance)
        elif kind == "live":
            far = chance.choice(self._editions.missed)
            reply = next(cell for cell in ("a1", "b1", "c1") if cell not in far.split())
            self._told(kind, asking, REPLACED.id, f"{far} {reply}", movetime=30)
        elif kind == "batch":
            self._ask_batch(asking, chance)
        elif kind == "bad":
            self._told(kind, asking, REPLACED.id, chance.choice(["z9", "e5 e5"]))
        else:
            path = "/nowhere" if kind == "nowhere" else "/api/v1/positions"
            self._document(kind, asking, path)

    def _ask_growing(self, asking: HTTPConnection, chance: random.Random) -> None:
        """The builder may write at any moment: only answers between two commits are compared."""
        line = chance.choice(["", "d4", "d4 c3", "d4 d5", "d4 c4", "d4 e5 c3"])
        before = self._commits()
        told = self._told("growing", asking, GROWING.id, line, book_only=1)
        right = _stored(self._growing, line)
        if before == self._commits():
            found = None if "status" in told else told
            self._compare("growing", line, found, [right])

    def _commits(self) -> int:
        """A number that changes with every commit to the book that grows."""
        # Of one connection: this reader never has another.
        with self._lock, self._watching.connection() as connection:
            return int(connection.exec_driver_sql("PRAGMA data_version").scalar_one())

    def _ask_batch(self, asking: HTTPConnection, chance: random.Random) -> None:
        lines = chance.choices(self._editions.held, k=chance.choice((1, 20, 400)))
        lines += chance.sample(self._editions.missed, 5)
        body = {"game": REPLACED.id, "positions": lines, "book_only": True}
        told = self._document("batch", asking, "/api/v1/positions", body)
        if "answers" not in told:
            return
        answers = [None if each is None else _timeless(each) for each in told["answers"]]
        # All of one edition.
        of_each = [[edition[line] for line in lines] for edition in self._editions.answers]
        self._compare("batch", f"{len(lines)} lines", answers, of_each)

    def _told(
        self, kind: str, asking: HTTPConnection, game: str, line: str, **more: object
    ) -> Document:
        query = urlencode({"game": game, "moves": line, **more})
        return _timeless(self._document(kind, asking, f"/api/v1/position?{query}"))

    def _document(
        self, kind: str, asking: HTTPConnection, path: str, body: object = None
    ) -> Document:
        if body is None:
            asking.request("GET", path)
        else:
            asking.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        response = asking.getresponse()
        document: Document = json.load(response)
        self._count(kind, response.status, _DOCUMENTED[kind])
        if response.headers["Fivebook-Away"]:
            self._fault(f"{kind}: {response.headers['Fivebook-Away']} is away")
        if (
            response.status >= 400
            and response.headers["Content-Type"] != "application/problem+json"
        ):
            self._fault(f"{kind}: {response.status} without a problem document")
        return document

    def _compare(self, kind: str, what: str, told: object, right: list[Any]) -> None:
        with self._lock:
            self._soak.compared[kind] += 1
        if told not in right:
            self._fault(f"{kind}: the answer to '{what}' is not the file's: {str(told)[:300]}")

    def _count(self, kind: str, status: int, documented: set[int]) -> None:
        with self._lock:
            self._soak.statuses[f"{kind} {status}"] += 1
        if status not in documented:
            self._fault(f"{kind}: status {status}")

    def _fault(self, fault: str) -> None:
        with self._lock:
            self._soak.faults.append(fault)


@contextmanager
def _building(book: Path, soak: Soak) -> Iterator[None]:
    """A builder writes to the book to the end of the block."""
    options = ["--game", GROWING.id, "--nodes", "3000", "--positions", "1000000", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "fivebook.cli", "build", str(book), *options],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    begun = _positions(book)
    try:
        while process.poll() is None and _positions(book) == begun:
            time.sleep(0.1)
        yield
        soak.positions = _positions(book) - begun
        if process.poll() is not None:
            soak.faults.append(f"the builder ended with status {process.returncode}")
    finally:
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=_TIMEOUT)
    if "Traceback" in told:
        soak.faults.append(f"the builder fell over: {told[-300:]}")


def _positions(book: Path) -> int:
    with BookReader(book) as reader:
        return reader.positions(GROWING)


def soak(folder: Path, seconds: float) -> Soak:
    """Serve books in `folder` for so long, asked by twice as many as can be answered at once."""
    result = Soak(seconds)
    editions = _Editions(folder)
    growing = folder / "growing.db"
    Builder(growing, BuildOptions(GROWING, Explore(10), Limits(nodes=300))).run()
    with served(str(editions.place), str(growing), "--live-searches", "1") as (process, url):
        with (
            _building(growing, result),
            Answerer([growing]) as file,
            BookReader(growing) as watching,
        ):
            _load_and_replace(
                _Load(url, editions, file, watching, result, time.monotonic() + seconds),
                editions,
                process.pid,
                result,
            )
        process.terminate()
        told = process.communicate(timeout=_TIMEOUT)[1]
        if process.returncode != 0 or told:
            result.faults.append(f"the service ended with {process.returncode}: {told[-500:]}")
    result.check_memory()
    return result


def _load_and_replace(load: _Load, editions: _Editions, server: int, result: Soak) -> None:
    with ThreadPoolExecutor(_CLIENTS + 4) as threads:
        asking = [threads.submit(load.ask_until_the_end, seed) for seed in range(_CLIENTS)]
        asking += [threads.submit(load.send_halves_until_the_end, seed) for seed in range(4)]
        looked = 0.0
        while not all(each.done() for each in asking):
            time.sleep(_SECONDS_BETWEEN_BOOKS)
            result.books += 1
            editions.put(result.books)
            if time.monotonic() - looked >= 1:
                looked = time.monotonic()
                result.memory.append(memory_of(server))
        for each in asking:
            each.result()


def main() -> None:
    """Soak for so many seconds, and say what came of it."""
    with tempfile.TemporaryDirectory(prefix="fivebook-") as folder:
        result = soak(Path(folder), float(sys.argv[1]))
    print(json.dumps(result.told(), indent=1))
    sys.exit(1 if result.faults else 0)


if __name__ == "__main__":
    main()
