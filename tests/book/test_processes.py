"""Interrupts of what takes long."""

import os
import signal
import subprocess
import sys
import time

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
