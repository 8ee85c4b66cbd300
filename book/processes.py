"""Processes and signals, alike for every room that starts workers."""

import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import Empty
from types import FrameType
from typing import Any

_SECONDS_BETWEEN_LOOKS = 0.5
_STANDARD_ERROR = 2
_ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM)
# A shell adds this to the number of the signal that ended a program.
_OF_A_SIGNAL = 128
# Whoever signals a process and then its group, as `timeout` does, means it once.
_SECONDS_OF_ONE_SIGNAL = 0.25
_SHOW_CURSOR = b"\x1b[?25h"


def begin_work(parent: int) -> None:
    """Have this process be a worker of `parent`: it leaves Ctrl-C to it, ends when that is no more,
    and may grow as its work does."""
    # Imported here because most that needs the rest of this module starts no workers.
    from joblib.externals.loky import process_executor

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    # loky takes 300 MB more than after the first task for a leak, has such a worker end, and warns
    # of it. Here they are tables; and where warnings are errors, the executor then waits for ever.
    process_executor._MAX_MEMORY_LEAK_SIZE = sys.maxsize


@contextmanager
def workers(jobs: int) -> Iterator[Any]:
    """An executor of `jobs` processes, which leave Ctrl-C to this one.

    At the end of the block they are killed, with the programs they have started, whatever they
    are doing.
    """
    from joblib.externals.loky import ProcessPoolExecutor

    executor = ProcessPoolExecutor(jobs, initializer=begin_work, initargs=(os.getpid(),))
    try:
        with _interrupts_held_back():
            # The processes inherit this, and the first call starts them all.
            executor.submit(int)
        yield executor
    finally:
        with warnings.catch_warnings():
            # Where there is no pgrep, loky warns that it kills no more than the workers. The
            # programs they have started end with their input.
            warnings.simplefilter("ignore")
            _forget_waiting(executor)
            executor.shutdown(kill_workers=True)


def _forget_waiting(executor: Any) -> None:
    """Take back the tasks that no worker has been sent.

    The end of an executor that kills its workers stumbles over them in its thread.
    """
    with suppress(Empty):
        while True:
            executor._work_ids.get_nowait()


@dataclass
class Interruption:
    """Whether Ctrl-C or SIGTERM has come, and which of them first."""

    number: int = 0
    _since: float = 0.0

    @property
    def status(self) -> int:
        """The exit status of what it cut short: 130 or 143, 0 if none has come."""
        return _OF_A_SIGNAL + self.number if self.number else 0

    def begins(self, number: int) -> bool:
        """Take in a signal; returns whether it is the first, and ends the process at the second."""
        now = time.monotonic()
        if self.number and now > self._since + _SECONDS_OF_ONE_SIGNAL:
            _leave(_OF_A_SIGNAL + number)
        if self.number:
            return False
        self.number, self._since = number, now
        return True


@contextmanager
def stopping_on_interrupt(
    stop: Callable[[], None], when: str | None = None
) -> Iterator[Interruption]:
    """Within it the first Ctrl-C (or SIGTERM) calls `stop`, and the second ends the process.

    The user is told of both, with `when` it stops, if that is given.
    """
    interruption = Interruption()

    def call(number: int, frame: FrameType | None) -> None:
        if interruption.begins(number):
            if when:
                _tell_at_once(f"Stopping {when}; once more to stop at once.")
            stop()

    before = {number: signal.signal(number, call) for number in _ENDING_SIGNALS}
    try:
        yield interruption
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def exit_by_interrupt() -> Callable[[int], None]:
    """Have the first Ctrl-C raise `KeyboardInterrupt` and SIGTERM `SystemExit`, from now on.

    The second ends the process. What is returned is to be called with the exit status once that
    is certain: no signal changes it then.
    """
    interruption = Interruption()

    def call(number: int, frame: FrameType | None) -> None:
        if interruption.begins(number):
            if number == signal.SIGINT:
                raise KeyboardInterrupt
            sys.exit(interruption.status)

    def settle(status: int) -> None:
        for number in obeyed:
            signal.signal(number, lambda *_: _leave(status))

    # What runs in the background of a shell may have to ignore Ctrl-C.
    obeyed = [n for n in _ENDING_SIGNALS if signal.getsignal(n) is not signal.SIG_IGN]
    for number in obeyed:
        signal.signal(number, call)
    return settle


def _leave(status: int) -> None:
    """End this process at once, with its terminal as it was."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and stream.isatty():
            os.write(stream.fileno(), _SHOW_CURSOR)
            break
    os._exit(status)


def _tell_at_once(text: str) -> None:
    """Print it on the standard error, from a signal's handler."""
    try:
        if sys.stderr is not None:
            print(text, file=sys.stderr, flush=True)
    except RuntimeError:
        # The signal came in the middle of writing to that stream.
        os.write(_STANDARD_ERROR, f"{text}\n".encode())


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    from multiprocessing import resource_tracker

    # It would be started within, which lets all signals through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with(parent: int) -> None:
    # A parent that was killed tells nobody; its orphans get another one.
    while os.getppid() == parent:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    os._exit(1)
