"""The service under twice its load: see `tests.faults.soak`, which `make soak` runs for an hour."""

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.checkout import ROOT


def assert_well(seconds: int, *before: str) -> None:
    command = [*before, sys.executable, "-m", "tests.faults.soak", str(seconds)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    print(done.stdout)
    assert told["faults"] == []
    assert told["books put in place"] > 0
    assert {"replaced", "batch", "growing"} <= told["book answers compared"].keys()
    assert {"live 200", "missed 404", "bad 400"} <= told["statuses"].keys()


@pytest.mark.slow
def test_a_service_under_load_answers_as_documented_and_from_its_books() -> None:
    assert_well(6)


@pytest.mark.slow
def test_and_for_five_minutes_its_memory_stays_flat() -> None:
    # It takes as long whatever it is given of the processors, which others need to end.
    assert_well(300, "nice")
