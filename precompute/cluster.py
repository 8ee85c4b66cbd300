"""Workers on other machines: those of a dask scheduler.

A worker that dies costs the tasks it was at, which dask gives to others. One may come, or come
back, at any time.
"""

import asyncio
import logging
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from functools import cache
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import engine
from book.writer import evaluation_hash
from engine import registry
from precompute.dispatch import Dispatch, Result, Sent, Task, Work, WorkersLost

_SECONDS_TO_CONNECT = 10
_SECONDS_BETWEEN_COUNTS = 1.0


def is_protected(address: str) -> bool:
    """Whether nobody but this machine, or holders of a certificate, reach a scheduler there.

    A scheduler runs whatever code it is sent, and so do its workers and clients.
    """
    scheme, _, place = address.rpartition("://")
    if scheme in ("tls", "wss", "inproc"):
        return True
    host = urlsplit(f"//{place}").hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Edition:
    """What of fivebook must be equal on two machines for the results of their work to be."""

    version: str
    evaluation: str

    def __str__(self) -> str:
        return f"fivebook {self.version} with evaluation {self.evaluation or 'of no file'}"


@cache
def edition_of(game_id: str) -> Edition:
    """That of this process."""
    return Edition(engine.__version__, evaluation_hash(registry.get(game_id)))


class ClusterDispatch(Dispatch[Task, Result]):
    """Work by the workers of the dask scheduler at `address`, tcp://HOST:PORT.

    Raises:
        WorkersLost: if there is no scheduler, it has no worker, or one of them is of another
            edition.
    """

    def __init__(self, work: Work[Task, Result], address: str) -> None:
        super().__init__(work, jobs=0)
        self._address = address
        self._edition = edition_of(work.game_id)
        self._client = _connect(address)
        try:
            self._check_workers()
        except BaseException:
            self._client.close()
            raise
        self._executor = self._client.get_executor(pure=False)
        self._counted = float("-inf")
        self._failure: WorkersLost | None = None

    def close(self) -> None:
        # What is still planned there is of no use to anyone.
        self._executor.shutdown(wait=False)
        self._client.close()

    @property
    def jobs(self) -> int:
        if time.monotonic() > self._counted + _SECONDS_BETWEEN_COUNTS:
            try:
                self._jobs = sum(self._client.nthreads().values())
            except OSError as error:
                raise self._lost() from error
            self._counted = time.monotonic()
        return self._jobs

    @property
    def room(self) -> int:
        return 0 if self._failure else super().room

    @property
    def busy(self) -> bool:
        return super().busy or self._failure is not None

    def send(self, task: Task) -> None:
        future = self._executor.submit(_do_there, self._edition, self._work, task)
        self._running[future] = Sent(task)

    def finished(self, seconds: float) -> Sequence[tuple[Task, Result]]:
        """As for all; once a task has failed, none is sent, and those in flight end before that
        is raised, if there are workers left for them."""
        done = [found for future in self._ended(seconds) for found in self._outcome(future)]
        if self._failure and not done and not (self._running and self.jobs):
            raise self._failure
        return done

    def _outcome(self, future: Future[Any]) -> Sequence[tuple[Task, Result]]:
        """A task with its result, or nothing if it failed."""
        task = self._running.pop(future).task
        try:
            return [(task, self._result(task, future))]
        except WorkersLost as failure:
            self._failure = self._failure or failure
            return ()

    def _result(self, task: Task, future: Future[Any]) -> Result:
        from distributed import KilledWorker

        try:
            result: Result | Edition = future.result()
        except KilledWorker as error:
            raise WorkersLost(
                f"{self._work.name(task)} was in flight on each of "
                f"{error.allowed_failures + 1} workers that died, perhaps for lack of memory; "
                "the same command tries it again"
            ) from error
        except (CancelledError, OSError) as error:
            raise self._lost() from error
        except Exception as error:
            raise self._unable("a worker", error) from error
        if isinstance(result, Edition):
            raise self._other("a worker", result)
        return result

    def _lost(self) -> WorkersLost:
        return WorkersLost(
            f"the scheduler at '{self._address}' is gone; the same command goes on from here"
        )

    def _other(self, worker: str, edition: Edition) -> WorkersLost:
        return WorkersLost(
            f"{worker} of '{self._address}' has {edition}, this builder {self._edition}: their "
            "results would differ"
        )

    def _unable(self, worker: str, error: Exception) -> WorkersLost:
        """It cannot load what it is to do, most often, nor perhaps can its scheduler."""
        why = (str(error.__cause__ or error) or type(error).__name__).splitlines()[0]
        return WorkersLost(
            f"{worker} of '{self._address}' cannot do its work; it and the scheduler need "
            f"{self._edition}: {why}"
        )

    def _check_workers(self) -> None:
        """Wait for a worker, have all load the kernels, and refuse other editions."""
        try:
            self._client.wait_for_workers(1, timeout=_SECONDS_TO_CONNECT)
        except TimeoutError:
            raise WorkersLost(
                f"the scheduler at '{self._address}' has no worker: start some with "
                f"dask worker {self._address}"
            ) from None
        told = self._client.run(_prepare, self._edition, self._work, on_error="return")
        for worker, edition in told.items():
            if isinstance(edition, OSError):
                continue
            if isinstance(edition, Exception):
                raise self._unable(f"the worker {worker}", edition)
            if edition != self._edition:
                raise self._other(f"the worker {worker}", edition)


def _connect(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise WorkersLost("--backend dask needs dask: pip install 'fivebook[dask]'") from None
    # What it would log of lost workers and connections is dealt with here.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        return Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False, name="fivebook")
    except (OSError, ValueError, TypeError) as error:
        raise WorkersLost(f"there is no dask scheduler at '{address}': {error}") from error


async def _prepare(edition: Edition, work: Work[Any, Any]) -> Edition:
    """On a worker: load the kernels, compiling them where that was not done, while the worker
    goes on answering; not if its edition is another."""
    if edition_of(work.game_id) == edition:
        await asyncio.to_thread(work.prepare)
    return edition_of(work.game_id)


def _do_there(edition: Edition, work: Work[Task, Result], task: Task) -> Result | Edition:
    """On a worker: the result, or its edition where that is another."""
    here = edition_of(work.game_id)
    return work.do(task) if here == edition else here
