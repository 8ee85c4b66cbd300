"""Where the searches of a build are done: in threads, in processes, or on other machines.

All of them are executors. joblib's `Parallel` has the same backends, but ends a call when its
iterator does, so that jobs wait for one another before more can be sent. With dask (joblib 1.6)
it never returns if a task is given up: a task that failed anywhere but in its own code is not
called back for.
"""

import time
from abc import abstractmethod
from collections import Counter, deque
from collections.abc import Collection, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from joblib.externals.loky.process_executor import TerminatedWorkerError

from book.closing import Closing
from book.processes import workers
from book.rows.encoding import Searched
from book.writer import PlannedTask, Task
from engine import registry
from engine.errors import FivebookError
from engine.position import cells_of
from engine.search import Limits, SearchOptions
from precompute.job import run_task

# So many searches are sent for each that can be done at a time: the next one lies ready.
_AHEAD = 2
# A search that was in flight when this many workers died is done alone. If its worker dies again,
# the search is what kills them.
_SUSPECT = 2

Done = tuple[PlannedTask, Searched]


@dataclass(frozen=True, slots=True)
class Search:
    """What all searches of a build have in common."""

    game_id: str
    limits: Limits
    options: SearchOptions


class WorkersLost(FivebookError):
    """The workers cannot do a search, or are out of reach; the build may go on later."""


class Dispatch(Closing):
    """Sends searches to workers. A context manager, which ends them."""

    def __init__(self, search: Search, jobs: int) -> None:
        self._search = search
        self._jobs = jobs
        self._running: dict[Future[Any], PlannedTask] = {}

    @property
    def jobs(self) -> int:
        """How many searches are done at a time, now."""
        return self._jobs

    @property
    def room(self) -> int:
        """How many more searches may be sent, now."""
        return max(0, _AHEAD * self.jobs - len(self._running))

    @property
    def busy(self) -> bool:
        """Whether results are still to come."""
        return bool(self._running)

    @abstractmethod
    def send(self, planned: PlannedTask) -> None:
        """Have a search done."""

    @abstractmethod
    def finished(self, seconds: float) -> Sequence[Done]:
        """The searches that have ended; if there are none, those that do so first within so many
        seconds.

        Raises:
            WorkersLost: if a search cannot be done.
        """

    def _ended(self, seconds: float) -> Collection[Future[Any]]:
        """The calls that have ended, or do so first within that many seconds."""
        if not self._running:
            time.sleep(seconds)
        return wait(self._running, seconds, FIRST_COMPLETED).done


class ThreadDispatch(Dispatch):
    """Searches in threads of this process: nothing is to be started, but a search that crashes
    takes the build with it."""

    def __init__(self, search: Search, jobs: int) -> None:
        super().__init__(search, jobs)
        self._executor = ThreadPoolExecutor(jobs, thread_name_prefix="search")

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)

    def send(self, planned: PlannedTask) -> None:
        search = self._search
        future = self._executor.submit(
            run_task, search.game_id, planned.task, search.limits, search.options
        )
        self._running[future] = planned

    def finished(self, seconds: float) -> Sequence[Done]:
        return [(self._running.pop(future), future.result()) for future in self._ended(seconds)]


class ProcessDispatch(Dispatch):
    """Searches in processes of this machine.

    When one of them dies, perhaps for lack of memory, all are started anew and the searches
    in flight are done again.
    """

    def __init__(self, search: Search, jobs: int) -> None:
        super().__init__(search, jobs)
        self._pool = ExitStack()
        self._waiting: deque[PlannedTask] = deque()
        self._deaths: Counter[int] = Counter()
        self._start()

    def close(self) -> None:
        self._pool.close()

    @property
    def room(self) -> int:
        return 0 if self._waiting or self._alone else super().room

    @property
    def busy(self) -> bool:
        return super().busy or bool(self._waiting)

    def send(self, planned: PlannedTask) -> None:
        self._waiting.append(planned)
        self._submit_waiting()

    def finished(self, seconds: float) -> Sequence[Done]:
        done = self._ended(seconds)
        if any(isinstance(future.exception(), TerminatedWorkerError) for future in done):
            # The others fail as well, but for those that had ended before.
            done = wait(self._running).done
            self._start()
        finished = [found for future in done for found in self._outcome(future)]
        self._submit_waiting()
        return finished

    @property
    def _alone(self) -> bool:
        """Whether a search is running that may be what kills workers."""
        return any(map(self._is_suspect, self._running.values()))

    def _is_suspect(self, planned: PlannedTask) -> bool:
        return self._deaths[planned.id] >= _SUSPECT

    def _start(self) -> None:
        self._pool.close()
        self._executor = self._pool.enter_context(workers(self._jobs))

    def _submit_waiting(self) -> None:
        while self._waiting and not self._alone:
            if self._running and self._is_suspect(self._waiting[0]):
                return
            planned = self._waiting.popleft()
            self._running[self._submit(planned.task)] = planned

    def _submit(self, task: Task) -> Future[Any]:
        search = self._search
        try:
            future: Future[Any] = self._executor.submit(
                run_task, search.game_id, task, search.limits, search.options
            )
        except TerminatedWorkerError as error:
            # One died unnoticed. Whatever is in flight fails, and this with it.
            future = Future()
            future.set_exception(error)
        return future

    def _outcome(self, future: Future[Any]) -> Sequence[Done]:
        """The result of a search, or nothing if it is to be done again."""
        planned = self._running.pop(future)
        try:
            searched = future.result()
        except TerminatedWorkerError as error:
            if self._is_suspect(planned):
                raise WorkersLost(
                    f"the search of {named(self._search, planned.task)} has killed its worker "
                    f"{_SUSPECT + 1} times, perhaps for lack of memory; the same command tries "
                    "it again"
                ) from error
            self._deaths[planned.id] += 1
            self._waiting.append(planned)
            return ()
        del self._deaths[planned.id]
        return [(planned, searched)]


def named(search: Search, task: Task) -> str:
    """What to call a task's position in a sentence: its game, and its stones in notation."""
    game = registry.get(search.game_id)
    position = game.unpack(task.stones)
    if not position.ply:
        return f"the empty board of {game.id}"
    dark, light = (
        " ".join(map(game.format_cell, cells_of(stones)))
        for stones in (position.dark, position.light)
    )
    return f"{game.id} with dark {dark}" + (f" and light {light}" if light else "")
