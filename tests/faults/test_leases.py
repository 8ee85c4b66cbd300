"""Builders that share a book, stopped for a while or with wrong clocks, build that of one."""

import os
import signal
import struct
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest

from book.whole.export import records
from book.writer import BookWriter
from engine import registry
from engine.search import Limits
from precompute.backend import Backend
from precompute.builder import Builder, BuildOptions, BuildState
from precompute.modes.explore import Explore
from tests.books import rows_of
from tests.checkout import ROOT
from tests.libraries import compiled
from tests.oracles.book_checker import assert_sound
from tests.servers import own_server, postgresql_book, way_to

GAME = registry.get("gomoku-9")
POSITIONS = 12
_SECONDS = 300
_HOUR, _DAY = 3600, 86_400


def options(lease: float) -> BuildOptions:
    limits = Limits(nodes=20)
    return BuildOptions(GAME, Explore(POSITIONS), limits, 1, Backend.THREADING, lease=lease)


@cache
def alone() -> list[dict[str, object]]:
    """The book of one builder."""
    with postgresql_book() as address:
        Builder(address, options(60)).run()
        return list(records(address, reproducible=True))


def another(address: str, lease: str, **environment: str) -> subprocess.Popen[str]:
    """A builder of the same book in a process of its own."""
    command = (
        f"build {address} --game {GAME.id} --nodes 20 --table 1 --positions {POSITIONS} "
        f"--backend threading --lease {lease}"
    )
    return subprocess.Popen(
        [sys.executable, "-m", "fivebook.cli", *command.split()],
        cwd=ROOT,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def ended(builder: subprocess.Popen[str]) -> None:
    """Wait for a builder's end, which has to be an orderly one."""
    output, _ = builder.communicate(timeout=_SECONDS)
    assert builder.returncode == 0, output


def wait_for_stop(process: subprocess.Popen[str]) -> None:
    """Wait until a process has stopped."""
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        state = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]
        if state == "T":
            return
        time.sleep(0.02)
    raise AssertionError("it goes on")


def stopped_at(request: int) -> None:
    """Stop a builder at this request for longer than its lease, while another does its work."""
    with postgresql_book() as address:
        BookWriter(address, GAME).close()
        with way_to(address) as way:
            stopped: list[subprocess.Popen[str]] = []
            way.call_at(request, lambda: stopped[0].send_signal(signal.SIGSTOP))
            stopped.append(another(way.address, "1s"))
            try:
                wait_for_stop(stopped[0])
                Builder(address, options(1.0)).run()
                assert list(records(address, reproducible=True)) == alone()
            finally:
                stopped[0].send_signal(signal.SIGCONT)
            ended(stopped[0])
        assert list(records(address, reproducible=True)) == alone()
        assert rows_of(address, "SELECT * FROM tasks") == []
        assert_sound(address, GAME)


@pytest.mark.slow
def test_a_builder_that_was_stopped_in_a_transaction_holds_up_no_other() -> None:
    stopped_at(300)


@pytest.mark.slow
@pytest.mark.parametrize("request_number", range(201, 420, 19))
def test_a_builder_may_be_stopped_at_any_request(request_number: int) -> None:
    stopped_at(request_number)


class Clock:
    """The clock of whatever is started in its environment."""

    def __init__(self, folder: Path) -> None:
        library = compiled(ROOT / "tests" / "faults" / "clock.c", folder / "clock.so")
        self._file = folder / "offset"
        self.set(0)
        self._file.chmod(0o666)
        self.environment = {"LD_PRELOAD": str(library), "CLOCK_OFFSET": str(self._file)}

    def set(self, seconds: int) -> None:
        """Have it be wrong by that much."""
        with self._file.open("r+b" if self._file.exists() else "w+b") as file:
            file.write(struct.pack("=q", seconds))


@pytest.fixture
def clock(open_folder: Path) -> Clock:
    return Clock(open_folder)


def built_by_two(address: str, clock: Clock, **environment: str) -> None:
    """Build by two, while the clock goes back and forth."""
    BookWriter(address, GAME).close()
    other: list[subprocess.Popen[str]] = []
    offsets = (_DAY, -_DAY, _HOUR, -_HOUR, 0)

    def change(state: BuildState) -> None:
        if not other:
            other.append(another(address, "5s", **environment))
            begun = "SELECT count(*) AS runs FROM runs"
            deadline = time.monotonic() + _SECONDS
            while rows_of(address, begun)[0]["runs"] < 2:
                assert time.monotonic() < deadline
                time.sleep(0.02)
        clock.set(offsets[state.searches % len(offsets)])

    Builder(address, options(5.0), change).run()
    ended(other[0])
    assert list(records(address, reproducible=True)) == alone()
    assert rows_of(address, "SELECT * FROM tasks") == []
    assert_sound(address, GAME)


@pytest.mark.slow
def test_the_clock_of_a_builder_may_be_wrong(clock: Clock) -> None:
    with postgresql_book() as address:
        built_by_two(address, clock, **clock.environment)


@pytest.mark.slow
def test_the_clock_of_the_server_may_be_set(clock: Clock) -> None:
    with own_server(**clock.environment) as server, postgresql_book(server.url) as address:
        built_by_two(address, clock)
        clock.set(0)
