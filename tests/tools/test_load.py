"""`python -m tools.load`: every question is asked, and every answer is counted."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.books import small_book
from tests.checkout import ROOT


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return small_book(tmp_path / "small.db", "gomoku-9", 30)


def told(*arguments: object) -> dict[str, Any]:
    command = [sys.executable, "-m", "tools.load", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_a_book_is_asked_while_it_is_built(book: Path) -> None:
    before = book.read_bytes()
    found = told("builder", book, "--seconds", 2, "--full", 1)
    assert found["statuses"].keys() == {"book 200"}
    # Half of that, for two seconds; what is told is rounded.
    assert found["statuses"]["book 200"] == pytest.approx(found["capacity"], abs=2)
    spread = found["answered within"]["book"]
    assert 0 < spread["p50"] <= spread["p99"] <= spread["most"]
    assert book.read_bytes() == before


@pytest.mark.slow
def test_live_searches_have_room_for_half_of_them(book: Path) -> None:
    found = told("overload", book, "--seconds", 3)
    counts = found["statuses"]
    assert counts.keys() == {"book 200", "live 200", "live 503"}
    assert sum(counts.values()) == 600
    assert counts["live 200"] <= 40
    assert found["memory"]
