"""A dask scheduler and its workers on this machine, as processes of their own."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.checkout import ROOT

_SECONDS_TO_START = 120


class LocalCluster:
    """A scheduler at `address`; workers can be added and killed."""

    def __init__(self, folder: Path, scheduler_runs: str, allowed_failures: int) -> None:
        pytest.importorskip("distributed", reason="dask.distributed is not installed")
        self._folder = folder
        self.workers: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        self._environment = os.environ | {
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": str(allowed_failures)
        }
        self._scheduler = self._start(
            scheduler_runs, "scheduler", *options, "--scheduler-file", str(file)
        )
        self.address = _address_in(file, self._scheduler)

    def add_worker(self, runs: str = "pass") -> subprocess.Popen[bytes]:
        """Start a worker of one thread, which nobody starts anew when it dies.

        It `runs` this statement before all else.
        """
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
        folder = ("--local-directory", str(self._folder))
        worker = self._start(runs, "worker", self.address, *options, *folder)
        self.workers.append(worker)
        return worker

    def wait_for_workers(self, count: int) -> None:
        """Until so many have told the scheduler that they are there."""
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=_SECONDS_TO_START)

    def stop_scheduler(self) -> None:
        self._scheduler.send_signal(signal.SIGKILL)
        self._scheduler.wait()

    def stop(self) -> None:
        for process in (*self.workers, self._scheduler):
            process.send_signal(signal.SIGKILL)
            process.wait()

    def _start(self, runs: str, kind: str, *options: str) -> subprocess.Popen[bytes]:
        code = f"{runs}; import runpy; runpy.run_module('dask', run_name='__main__')"
        command = [sys.executable, "-c", code, kind, *options]
        with (self._folder / f"{kind}.log").open("ab") as log:
            return subprocess.Popen(
                command,
                stdout=log,
                stderr=log,
                cwd=ROOT,
                env=self._environment,
            )


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
def local_cluster(
    folder: Path, workers: int, *, scheduler_runs: str = "pass", allowed_failures: int = 3
) -> Iterator[LocalCluster]:
    """A scheduler with so many workers, which end with the block.

    The scheduler runs a statement before all else; a task may be in flight at `allowed_failures`
    deaths of workers.
    """
    cluster = LocalCluster(folder, scheduler_runs, allowed_failures)
    try:
        for _ in range(workers):
            cluster.add_worker()
        if workers:
            cluster.wait_for_workers(workers)
        yield cluster
    finally:
        cluster.stop()
