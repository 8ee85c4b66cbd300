"""Interrupts of what takes long."""

import os
import signal
import subprocess
import sys
import time

import pytest

from book.processes import workers

_WRITING = """
import sys
from book.processes import stopping_on_interrupt

stopped = []
with stopping_on_interrupt(lambda: stopped.append(True), "now"):
    while not stopped:
        sys.stderr.write("working\\n")
        sys.stderr.flush()
"""


def test_an_interrupt_in_the_middle_of_a_line_ends_in_order() -> None:
    command = [sys.executable, "-c", _WRITING]
    buffered = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=buffered) as process:
        assert process.stderr is not None
        process.stderr.readline()
        # By then nothing more goes into the pipe, and it waits in the middle of a line.
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
        errors = process.stderr.read()
    assert process.returncode == 0, errors[-1000:]
    assert "Stopping now; once more to stop at once." in errors


_ENDLESS = """
import sys, time
from book.processes import exit_by_interrupt, stopping_on_interrupt

exit_by_interrupt()
with stopping_on_interrupt(lambda: print("stopping", flush=True), "never"):
    print("begun", flush=True)
    while True:
        time.sleep(0.01)
"""

_SETTLED = """
import time
from book.processes import exit_by_interrupt

exit_by_interrupt()(0)
print("settled", flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_second_signal_ends_what_does_not_stop(number: signal.Signals, status: int) -> None:
    command = [sys.executable, "-c", _ENDLESS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        process.send_signal(number)
        assert process.stdout.readline() == b"stopping\n"
        # Less than this is taken for one.
        time.sleep(0.5)
        process.send_signal(number)
        _, errors = process.communicate()
    assert process.returncode == status
    assert b"Traceback" not in errors


def test_two_signals_of_one_moment_are_one() -> None:
    # As `timeout` sends them: to the process, and to its group.
    command = [sys.executable, "-c", _ENDLESS.replace("while True:", "for _ in range(200):")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGTERM)
        output, errors = process.communicate()
    assert (process.returncode, output) == (0, b"stopping\n"), errors


def test_no_signal_changes_a_status_that_is_certain() -> None:
    command = [sys.executable, "-c", _SETTLED]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    assert (process.returncode, errors) == (0, b"")


def test_workers_end_in_order_when_a_task_waits() -> None:
    # The thread that hands out the tasks is held up, and then finds that all is to end. What it
    # raised would be a warning, and so an error.
    with workers(1) as executor:
        ended = executor.submit(int)
        ended.add_done_callback(lambda _: time.sleep(0.5))
        ended.result()
        waiting = executor.submit(time.sleep, 60)
    assert waiting.exception(timeout=30) is not None


_kept: list[bytes] = []


def grow(size: int) -> int:
    """Keep so many bytes more in this process; gives its number."""
    _kept.append(b"x" * size)
    # loky looks at a worker's size after a task, once a second has passed since it did so last.
    time.sleep(1.2)
    return os.getpid()


@pytest.mark.slow
def test_a_worker_may_grow_with_its_work() -> None:
    # Tables that are made when they are needed: no leak, for which it would be replaced.
    with workers(1) as executor:
        first = executor.submit(os.getpid).result()
        grown = [executor.submit(grow, size) for size in (0, 400_000_000, 0, 0)]
        assert [future.result(timeout=60) for future in grown] == [first] * 4
