"""`python -m tools.page_load`: the page is loaded, weighed and timed."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.books import small_book
from tests.checkout import ROOT


@pytest.mark.slow
def test_the_page_is_loaded_and_weighed(tmp_path: Path) -> None:
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))):
        pytest.skip("there is no Chromium to visit the page with (apt install chromium)")
    book = small_book(tmp_path / "small.db", "gomoku-9", 10)
    command = [sys.executable, "-m", "tools.page_load", str(book), "--loads", "2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["loads"] == 2
    assert found["cold milliseconds"] > 0 < found["warm milliseconds"]
    # What it weighs is the same everywhere.
    assert found["requests"] <= 30
    assert found["bytes sent"] < found["bytes"] < 150_000
