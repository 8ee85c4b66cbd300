"""The clock inside kernels, and the folder that keeps machine code."""

import os
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.serialize import dumps

import engine
from engine import kernels

ROOM = Path(engine.__file__).parent
# Prints how many kernels there are, and the names of those loaded before searches and by them.
LOADED = """
from engine import kernels, registry
from engine.search import Limits

def loaded():
    return {each.py_func.__qualname__ for each in kernels._kernels if each.overloads}

games = [registry.get(family.examples[0]) for family in registry.families()]
searchers = [game.searcher() for game in games]
before = loaded()
for game, searcher in zip(games, searchers):
    position = game.initial
    for _ in range(6):
        found = searcher.search(position, Limits(nodes=2000))
        searcher.search_lines(position, Limits(nodes=2000), 2)
        searcher.search(position, Limits(depth=1), exclude=[found.move])
        position = game.play(position, found.move)
print(len(kernels._kernels), len(before), *(loaded() - before))
"""

# Prints whether numba was made ready to compile, and what a search found.
READY = """
import sys
from engine import registry
from engine.search import Limits

game = registry.get("gomoku-9")
found = game.searcher().search(game.play_line(game.parse_line("e5 d4")), Limits(nodes=2000))
print("numba.np.linalg" in sys.modules, found.move, found.value, found.nodes, found.line)
"""


def test_the_clock_inside_kernels_is_that_of_monotonic_ns() -> None:
    before = time.monotonic_ns()
    between = kernels.now()
    assert before <= between <= time.monotonic_ns()


def test_few_kernels_are_loaded_and_none_while_a_search_runs() -> None:
    run = subprocess.run(
        [sys.executable, "-c", LOADED], cwd=ROOM.parent, capture_output=True, text=True, check=True
    )
    count, before, *during = run.stdout.split()
    assert 0 < int(before) < int(count) / 4
    assert during == []


def test_what_is_kept_is_loaded_without_numba_being_made_ready_to_compile(tmp_path: Path) -> None:
    kept = shutil.copytree(kernels.cache_folder(), tmp_path / "kept")

    def ready_and_found() -> tuple[str, list[str]]:
        ready, *found = subprocess.run(
            [sys.executable, "-c", READY],
            cwd=ROOM.parent,
            env=os.environ | {"NUMBA_CACHE_DIR": str(kept)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        return ready, found

    # The first one compiles what is not kept yet.
    _, found = ready_and_found()
    assert ready_and_found() == ("False", found)
    for file in kept.rglob("alphabeta.think-*"):
        file.unlink()
    # It is compiled from those that it calls, which are loaded.
    assert ready_and_found() == ("True", found)
    assert ready_and_found() == ("False", found)


def made() -> Any:
    """A kernel that has not been loaded."""

    @kernels.kernel("int64(int64[::1], int64)")
    def ends_at(cells: Any, wanted: int) -> int:
        return int(cells[wanted])

    return ends_at


def test_a_kernel_can_first_be_called_by_several_threads_at_once() -> None:
    ends_at, cells, barrier = made(), np.arange(8), threading.Barrier(8)

    def call(wanted: int) -> int:
        barrier.wait()
        return int(ends_at(cells, wanted))

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(call, range(8))) == list(range(8))


def test_the_first_call_refuses_what_every_later_one_does() -> None:
    ends_at = made()
    for _ in range(2):
        for given in (np.arange(8.0), np.arange(8)[::2], np.zeros((2, 2), np.int64), "cells"):
            with pytest.raises(TypeError):
                ends_at(given, 1)
        assert ends_at(np.arange(8), 7) == 7


def test_a_kernel_can_be_sent_to_another_process_before_it_was_called() -> None:
    program = (
        "import pickle, sys\n"
        "ends_at, cells = pickle.load(sys.stdin.buffer)\n"
        "assert ends_at(cells, 3) == 3"
    )
    sent = dumps((made(), np.arange(8)))
    subprocess.run([sys.executable, "-c", program], cwd=ROOM.parent, input=sent, check=True)


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
