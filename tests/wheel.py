"""The wheel of this checkout."""

import subprocess
import sys
from pathlib import Path

from tests.checkout import ROOT


def build_wheel(folder: Path) -> Path:
    """The wheel, built in `folder` by what is installed here."""
    options = ("--wheel", "--no-isolation", "--outdir", folder)
    subprocess.run([sys.executable, "-m", "build", *options, ROOT], check=True)
    (path,) = folder.glob("*.whl")
    return path
