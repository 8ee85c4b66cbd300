"""Being somebody for whom permissions count, and mounts that only a test sees."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_NOBODY = 65534


@contextmanager
def plain_user(folder: Path) -> Iterator[None]:
    """Within it this process is not root, if it was; `folder` is what it works in.

    It has a place of its own for compiled code, as every user has. All that is needed must have
    been imported before: root's files may be out of reach.
    """
    if os.geteuid() != 0:
        yield
        return
    try:
        # The saved id stays root's, so that there is a way back. `os.access` goes by the real one.
        os.setresuid(_NOBODY, _NOBODY, 0)
    except OSError as error:
        pytest.skip(f"root heeds no permissions, and cannot become another user: {error}")
    try:
        reachable = os.access(folder, os.X_OK)
        if reachable:
            with tempfile.TemporaryDirectory() as home, pytest.MonkeyPatch.context() as patch:
                patch.setenv("XDG_CACHE_HOME", home)
                yield
    finally:
        os.setresuid(0, 0, 0)
    if not reachable:
        pytest.skip(f"root heeds no permissions, and no other user can reach {folder}")


def private_mounts() -> list[str]:
    """The start of a command whose mounts nobody else sees; skips where there are none."""
    command = ["unshare", "--user", "--map-root-user", "--mount"]
    if shutil.which("unshare") is None:
        pytest.skip("there is no unshare program to make a mount of one's own")
    probe = [*command, "sh", "-c", "mount -t tmpfs none /mnt"]
    done = subprocess.run(probe, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"this system allows no mounts of one's own: {done.stderr.strip()}")
    return command
