"""The clock inside kernels, and the folder that keeps machine code."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numba
import pytest

import engine
from engine import kernels

ROOM = Path(engine.__file__).parent


def test_the_clock_inside_kernels_is_that_of_monotonic_ns() -> None:
    before = time.monotonic_ns()
    between = kernels.now()
    assert before <= between <= time.monotonic_ns()


def cache_folder_of(room: Path) -> str:
    """The cache folder that a process finds which imports `room`."""
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
    code = "from engine import kernels; print(kernels.cache_folder())"
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=room.parent,
        env=environment | {"PYTHONPATH": str(room.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout.strip()


def test_a_change_in_any_source_of_the_room_starts_a_new_cache_folder(tmp_path: Path) -> None:
    room = tmp_path / "engine"
    shutil.copytree(ROOM, room, ignore=shutil.ignore_patterns("__pycache__"))
    unchanged = cache_folder_of(room)
    assert Path(unchanged).parent == room / "__pycache__"
    assert cache_folder_of(room) == unchanged
    rules = room / "lines.py"
    rules.write_text(rules.read_text() + "\n")
    assert cache_folder_of(room) != unchanged


def test_only_the_caches_of_earlier_states_are_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    current, outdated, other = (tmp_path / name for name in ("kernels-2", "kernels-1", "else"))
    for folder in (current, outdated, other):
        folder.mkdir()
        (folder / "code").touch()
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(current))
    kernels.drop_outdated_caches()
    assert {path.name for path in tmp_path.iterdir()} == {"kernels-2", "else"}
    assert (current / "code").exists()


def test_a_cache_folder_that_the_user_chose_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen, beside = tmp_path / "chosen", tmp_path / "kernels-1"
    chosen.mkdir()
    beside.mkdir()
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(chosen))
    kernels.drop_outdated_caches()
    assert beside.exists()
