"""Libraries that are loaded before all others, which give a process another disk or clock."""

import shutil
import subprocess
from pathlib import Path

import pytest


def compiled(source: Path, library: Path) -> Path:
    """The `library` made of a source; without a compiler the test is skipped, and says why."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip(f"no C compiler for {source.name}: install gcc or clang")
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lpthread"]
    subprocess.run(command, check=True)
    return library
