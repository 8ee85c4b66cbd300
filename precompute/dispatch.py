"""Where the work of a build is done: in threads, in processes, or on other machines.

All of them are executors. joblib's `Parallel` has the same backends, but ends a call when its
iterator does, so that jobs wait for one another before more can be sent. With dask (joblib 1.6)
it never returns if a task is given up: a task that failed anywhere but in its own code is not
called back for.
"""

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Collection, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from joblib.externals.loky.process_executor import TerminatedWorkerError

from book.closing import Closing
from book.processes import workers
from engine.errors import FivebookError

# So many tasks are sent for each that can be done at a time: the next one lies ready.
_AHEAD = 2
# A task that was in flight when this many workers died is done alone. If its worker dies again, the
# task is what kills them.
_SUSPECT = 2

Task = TypeVar("Task")
Result = TypeVar("Result")


class Work(ABC, Generic[Task, Result]):
    """What the tasks of a dispatch have in common; it goes to the workers with each of them."""

    __slots__ = ()

    game_id: str

    @abstractmethod
    def prepare(self) -> None:
        """Have this process load the kernels it needs, and compile them where that is not done."""

    @abstractmethod
    def do(self, task: Task) -> Result:
        """Do one task."""

    @abstractmethod
    def name(self, task: Task) -> str:
        """What to call the doing of a task in a sentence."""


class WorkersLost(FivebookError):
    """The workers cannot do a task, or are out of reach; the build may go on later."""


@dataclass(slots=True, eq=False)
class Sent(Generic[Task]):
    """A task that has been sent, and how many workers have died while they were at it."""

    task: Task
    deaths: int = 0

    @property
    def is_suspect(self) -> bool:
        """Whether it may be what kills workers."""
        return self.deaths >= _SUSPECT


class Dispatch(Closing, Generic[Task, Result]):
    """Sends the tasks of `work` to workers. A context manager, which ends them."""

    def __init__(self, work: Work[Task, Result], jobs: int) -> None:
        self._work = work
        self._jobs = jobs
        self._running: dict[Future[Any], Sent[Task]] = {}

    @property
    def jobs(self) -> int:
        """How many tasks are done at a time, now."""
        return self._jobs

    @property
    def room(self) -> int:
        """How many more tasks may be sent, now."""
        return max(0, _AHEAD * self.jobs - len(self._running))

    @property
    def busy(self) -> bool:
        """Whether results are still to come."""
        return bool(self._running)

    @abstractmethod
    def send(self, task: Task) -> None:
        """Have a task done."""

    @abstractmethod
    def finished(self, seconds: float) -> Sequence[tuple[Task, Result]]:
        """The tasks that have ended, with their results; if there are none, those that do so
        first within so many seconds.

        Raises:
            WorkersLost: if a task cannot be done.
        """

    def recall(self) -> None:
        """Take back the tasks that no worker has begun."""
        for future in [future for future in self._running if future.cancel()]:
            del self._running[future]

    def _ended(self, seconds: float) -> Collection[Future[Any]]:
        """The calls that have ended, or do so first within that many seconds."""
        if not self._running:
            time.sleep(seconds)
        return wait(self._running, seconds, FIRST_COMPLETED).done


class ThreadDispatch(Dispatch[Task, Result]):
    """Work in threads of this process: nothing is to be started, but a task that crashes takes
    the build with it."""

    def __init__(self, work: Work[Task, Result], jobs: int) -> None:
        super().__init__(work, jobs)
        self._executor = ThreadPoolExecutor(jobs, thread_name_prefix="search")

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)

    def send(self, task: Task) -> None:
        self._running[self._executor.submit(self._work.do, task)] = Sent(task)

    def finished(self, seconds: float) -> Sequence[tuple[Task, Result]]:
        ended = self._ended(seconds)
        return [(self._running.pop(future).task, future.result()) for future in ended]


class ProcessDispatch(Dispatch[Task, Result]):
    """Work in processes of this machine.

    When one of them dies, perhaps for lack of memory, all are started anew and the tasks in
    flight are done again.
    """

    def __init__(self, work: Work[Task, Result], jobs: int) -> None:
        super().__init__(work, jobs)
        self._pool = ExitStack()
        self._waiting: deque[Sent[Task]] = deque()
        self._start()

    def close(self) -> None:
        self._pool.close()

    @property
    def room(self) -> int:
        return 0 if self._waiting or self._alone else super().room

    @property
    def busy(self) -> bool:
        return super().busy or bool(self._waiting)

    def send(self, task: Task) -> None:
        self._waiting.append(Sent(task))
        self._submit_waiting()

    def recall(self) -> None:
        self._waiting.clear()
        super().recall()

    def finished(self, seconds: float) -> Sequence[tuple[Task, Result]]:
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
        """Whether a task is running that may be what kills workers."""
        return any(sent.is_suspect for sent in self._running.values())

    def _start(self) -> None:
        self._pool.close()
        self._executor = self._pool.enter_context(workers(self._jobs))

    def _submit_waiting(self) -> None:
        while self._waiting and not self._alone:
            if self._running and self._waiting[0].is_suspect:
                return
            sent = self._waiting.popleft()
            self._running[self._submit(sent.task)] = sent

    def _submit(self, task: Task) -> Future[Any]:
        try:
            future: Future[Any] = self._executor.submit(self._work.do, task)
        except TerminatedWorkerError as error:
            # One died unnoticed. Whatever is in flight fails, and this with it.
            future = Future()
            future.set_exception(error)
        return future

    def _outcome(self, future: Future[Any]) -> Sequence[tuple[Task, Result]]:
        """A task with its result, or nothing if it is to be done again."""
        sent = self._running.pop(future)
        try:
            return [(sent.task, future.result())]
        except TerminatedWorkerError as error:
            if sent.is_suspect:
                raise WorkersLost(
                    f"{self._work.name(sent.task)} has killed its worker {_SUSPECT + 1} times, "
                    "perhaps for lack of memory; the same command tries it again"
                ) from error
            sent.deaths += 1
            self._waiting.append(sent)
            return ()
