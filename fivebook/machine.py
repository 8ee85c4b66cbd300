"""What a machine has to allow before a command, or Python, compiles and searches."""

import atexit
import os
import resource
import shutil
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path

import engine
from engine.errors import FivebookError

_LEAST_FILES = 64
_USUAL_FILES = 1024
_NUMBA_FOLDER = "NUMBA_CACHE_DIR"


class MachineRefuses(FivebookError):
    """This machine does not allow what every search needs."""


def prepare() -> str | None:
    """Have files and a folder for compiled code; returns what the user is to know of that.

    Raises:
        MachineRefuses: if there are none to be had.
    """
    _allow_files()
    return _have_folder()


@cache
def prepare_python() -> None:
    """Have a folder for compiled code; warns where it is for this process alone.

    Raises:
        MachineRefuses: if there is none to be had.
    """
    note = _have_folder()
    if note:
        warnings.warn(note.removeprefix("Note: "), RuntimeWarning, stacklevel=3)


def _have_folder() -> str | None:
    chosen = os.environ.get(_NUMBA_FOLDER)
    if any(map(_can_be_written, [Path(chosen)] if chosen else _folders())):
        return None
    try:
        folder = tempfile.mkdtemp(prefix="fivebook-")
    except OSError:
        raise MachineRefuses(
            f"no folder for compiled code can be written: name one by {_NUMBA_FOLDER}"
        ) from None
    # The processes of --jobs find it there, too.
    os.environ[_NUMBA_FOLDER] = folder
    if "numba" in sys.modules:
        # It has read its settings, maybe for other code than ours.
        sys.modules["numba"].config.CACHE_DIR = folder
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return (
        "Note: no folder for compiled code can be written. What this process compiles, which may "
        f"take minutes, is for itself alone; name a folder by {_NUMBA_FOLDER}."
    )


def _allow_files() -> None:
    """Raise the limit of open files where it is low and may be raised."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= _LEAST_FILES:
        return
    most = _USUAL_FILES if hard == resource.RLIM_INFINITY else min(hard, _USUAL_FILES)
    if most < _LEAST_FILES:
        raise MachineRefuses(
            f"only {most} files may be open at a time, and a search needs {_LEAST_FILES}: "
            f"raise the limit, as by 'ulimit -n {_USUAL_FILES}'"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _folders() -> list[Path]:
    """Where compiled code is kept, as `engine.kernels` chooses: beside it, or with the user."""
    beside = Path(engine.__file__).parent / "__pycache__"
    try:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:
        return [beside]
    return [beside, home / "fivebook"]


def _can_be_written(folder: Path) -> bool:
    """Whether `folder` is there or can be made, and files can be made in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False
