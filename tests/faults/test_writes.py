"""A disk that fails once, or whose power is cut, at any write of a build costs nothing stored."""

import os
import subprocess
import sys
from itertools import cycle
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.libraries import compiled

_POWER_CUTS = ("power cut", "power cut after some writes")
_KINDS = ("error", "full", "torn", *_POWER_CUTS)
# How many writes a build of that size takes at most, which each run confirms.
_OPERATIONS = 345
_PARTS = 2
# They meet each phase of a build: new tables, searches, the end, and the copy.
_SOME = (9, 75, 120, 165, 232, 275, 290, 296, 150, 200)


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The disk that fails, to be loaded before all other libraries."""
    library = tmp_path_factory.mktemp("disk") / "disk.so"
    return compiled(ROOT / "tests" / "faults" / "disk.c", library)


def wrong(library: Path, folder: Path, faults: list[str]) -> str:
    """What goes wrong with builds that are failed so, one by one."""
    command = [sys.executable, "-m", "tests.faults.failing_disk", str(library), str(folder)]
    done = subprocess.run(
        command + faults,
        cwd=ROOT,
        env=os.environ | {"LD_PRELOAD": str(library)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    *told, count = done.stdout.splitlines()
    assert 0 < int(count) <= _OPERATIONS
    return "\n".join(told)


@pytest.mark.slow
def test_a_write_that_fails_costs_nothing_stored(library: Path, tmp_path: Path) -> None:
    some = [f"{kind}:{at}" for kind, at in zip(_KINDS * 2, _SOME, strict=True)]
    assert wrong(library, tmp_path, some) == ""


@pytest.mark.slow
@pytest.mark.parametrize("part", range(_PARTS))
@pytest.mark.parametrize("kinds", [("error",), ("full",), ("torn",), _POWER_CUTS])
def test_each_write_may_fail_and_costs_nothing_stored(
    kinds: tuple[str, ...], part: int, library: Path, tmp_path: Path
) -> None:
    places = range(1 + part, _OPERATIONS + 1, _PARTS)
    each = [f"{kind}:{at}" for kind, at in zip(cycle(kinds), places, strict=False)]
    assert wrong(library, tmp_path, each) == ""
