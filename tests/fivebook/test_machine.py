"""What commands do where a machine allows little."""

import subprocess
import sys
from pathlib import Path

import pytest

from fivebook import machine
from fivebook.machine import MachineRefuses, prepare

FIVEBOOK = f"exec {sys.executable} -m fivebook.cli"


def shell(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=False, timeout=120
    )


def test_too_few_open_files_are_told_in_one_sentence(tmp_path: Path) -> None:
    book = tmp_path / "book.db"
    done = shell(f"ulimit -n 16; {FIVEBOOK} build {book} --game gomoku-9 --positions 2")
    assert done.returncode == 2
    assert done.stderr.startswith("Error: only 16 files may be open at a time")
    assert done.stderr.count("\n") == 1
    assert not book.exists()


def test_a_low_limit_is_raised_where_it_may_be(tmp_path: Path) -> None:
    options = f"{tmp_path}/b.db --game gomoku-9 --nodes 9 --json --positions 2"
    done = shell(f"ulimit -Sn 16; {FIVEBOOK} build {options}")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """No folder for compiled code can be written."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/dev/null/none")


@pytest.mark.usefixtures("nowhere")
def test_without_a_folder_for_compiled_code_one_is_made_for_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    note = prepare()
    assert note is not None
    assert "no folder for compiled code can be written" in note
    assert len(list(tmp_path.iterdir())) == 1
    # The processes that it starts have it, and are content.
    assert prepare() is None


@pytest.mark.usefixtures("nowhere")
def test_without_any_place_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/dev/null/none")
    with pytest.raises(MachineRefuses, match="name one by NUMBA_CACHE_DIR"):
        prepare()


def test_the_usual_folders_are_those_of_the_engine() -> None:
    from engine import kernels

    assert kernels._writable_home() in machine._folders()
