"""Processes and signals, alike for every room that starts workers."""

import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from types import FrameType
from typing import Any

_SECONDS_BETWEEN_LOOKS = 0.5
_STANDARD_ERROR = 2


def follow(parent: int) -> None:
    """Have this worker leave Ctrl-C to the process `parent`, and end when that is no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


@contextmanager
def workers(jobs: int) -> Iterator[Any]:
    """An executor of `jobs` processes, which leave Ctrl-C to this one.

    At the end of the block they are killed, with the programs they have started, whatever they
    are doing.
    """
    # Imported here because most that needs the rest of this module starts no workers.
    from joblib.externals.loky import ProcessPoolExecutor

    executor = ProcessPoolExecutor(jobs, initializer=follow, initargs=(os.getpid(),))
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
            executor.shutdown(kill_workers=True)


@contextmanager
def stopping_on_interrupt(stop: Callable[[], None], when: str | None = None) -> Iterator[None]:
    """Within it the first Ctrl-C (or SIGTERM) calls `stop`, and the second ends the process.

    The user is told of both, with `when` it stops, if that is given.
    """

    def call(number: int, frame: FrameType | None) -> None:
        signal.signal(number, before[signal.Signals(number)])
        if when:
            _tell_at_once(f"Stopping {when}; once more to stop at once.")
        stop()

    before = {number: signal.signal(number, call) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


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
