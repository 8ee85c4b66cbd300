"""A dask scheduler and its workers on this machine, as processes of their own."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_SECONDS_TO_START = 120


class LocalCluster:
    """A scheduler at `address`; workers can be added and killed."""

    def __init__(self, folder: Path) -> None:
        pytest.importorskip("distributed", reason="dask.distributed is not installed")
        self._folder = folder
        self.workers: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        self._scheduler = self._start("scheduler", *options, "--scheduler-file", str(file))
        self.address = _address_in(file, self._scheduler)

    def add_worker(self) -> subprocess.Popen[bytes]:
        """Start a worker of one thread, which nobody starts anew when it dies."""
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
        folder = ("--local-directory", str(self._folder))
        worker = self._start("worker", self.address, *options, *folder)
        self.workers.append(worker)
        return worker

    def wait_for_workers(self, count: int) -> None:
        """Until so many have told the scheduler that they are there."""
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=_SECONDS_TO_START)

    def stop(self) -> None:
        for process in (*self.workers, self._scheduler):
            process.send_signal(signal.SIGKILL)
            process.wait()

    def _start(self, kind: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", kind, *options]
        with (self._folder / f"{kind}.log").open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, cwd=Path(__file__).parents[2])


def _address_in(file: Path, process: subprocess.Popen[bytes]) -> str:
    deadline = time.monotonic() + _SECONDS_TO_START
    while time.monotonic() < deadline and process.poll() is None:
        try:
            address: Any = json.loads(file.read_text())["address"]
        except (OSError, ValueError):
            time.sleep(0.05)
        else:
            return str(address)
    raise AssertionError("the scheduler did not start")


@contextmanager
def local_cluster(folder: Path, workers: int) -> Iterator[LocalCluster]:
    """A scheduler with so many workers, which end with the block."""
    cluster = LocalCluster(folder)
    try:
        for _ in range(workers):
            cluster.add_worker()
        if workers:
            cluster.wait_for_workers(workers)
        yield cluster
    finally:
        cluster.stop()
