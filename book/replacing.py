"""Putting a file in place as a whole."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """The name of a file to be written, which takes the place of `path` after the block.

    Until then it lies beside it. What is no file, such as /dev/stdout, is written to directly.

    Raises:
        OSError: if it cannot be written; what was at `path` is still there.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    path = Path(os.path.realpath(path))
    partial = path.with_name(f".{secrets.token_hex(8)}.partial")
    os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        if path.exists():
            shutil.copymode(path, partial)
        yield partial
        make_durable(partial)
        partial.replace(path)
        make_durable(path.parent)
    finally:
        partial.unlink(missing_ok=True)


def make_durable(path: Path) -> None:
    """Have the disk hold what was written to a file, or which names a folder has.

    Raises:
        OSError: if it cannot.
    """
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
