"""The demo of a cluster does what it says."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_a_book_made_by_workers_of_which_one_is_killed_is_that_of_two_jobs(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    command = [sys.executable, "-m", "tools.cluster_demo"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "killing a worker at " in run.stdout
    assert run.stdout.splitlines()[-1] == "the books are equal: 200 positions"
