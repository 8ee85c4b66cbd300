"""What commands do where a machine allows little."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from fivebook import machine
from fivebook.machine import MachineRefuses, prepare
from tests.book.users import private_mounts
from tests.checkout import ROOT

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


def python_where_nothing_can_be_written(script: str) -> subprocess.CompletedProcess[str]:
    """Run a script where the engine's folder is read-only and there is no other."""
    engine = shlex.quote(str(ROOT / "engine"))
    mounted = f"mount --bind {engine} {engine} && mount -o remount,bind,ro {engine}"
    python = f"exec {sys.executable} -B -c {shlex.quote(script)}"
    left = {name: text for name, text in os.environ.items() if "CACHE" not in name}
    return subprocess.run(
        [*private_mounts(), "sh", "-c", f"{mounted} && {python}"],
        cwd=ROOT,
        env=left | {"HOME": "/dev/null"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("ask", ["search('gomoku-5', nodes=9)", "prove('gomoku-5', nodes=9)"])
def test_python_is_told_in_one_sentence_where_no_compiled_code_can_be_kept(ask: str) -> None:
    done = python_where_nothing_can_be_written(
        f"import tempfile, fivebook; tempfile.tempdir = '/dev/null/none'; fivebook.{ask}"
    )
    assert done.stderr.splitlines()[-1] == (
        "fivebook.machine.MachineRefuses: no folder for compiled code can be written: "
        "name one by NUMBA_CACHE_DIR"
    )


@pytest.mark.parametrize("first", ["", "import numba; "])
def test_python_compiles_for_itself_where_there_is_only_a_temporary_folder(
    first: str, tmp_path: Path
) -> None:
    done = python_where_nothing_can_be_written(
        f"{first}import tempfile, fivebook; tempfile.tempdir = {str(tmp_path)!r}; "
        "fivebook.machine.prepare_python(); import engine.kernels as kernels; print(kernels.now())"
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0
    assert "RuntimeWarning: no folder for compiled code can be written" in done.stderr
    # Nothing is left of it.
    assert list(tmp_path.iterdir()) == []
