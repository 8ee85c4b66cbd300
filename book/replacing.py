"""Putting a file in place as a whole."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_OF_A_FOLDER = ("partial", "former")


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


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """A new, empty folder to be filled, which takes the place of `path` after the block.

    Until then it lies beside it. A folder that is at `path` is removed with all that is in it.

    Raises:
        OSError: if it cannot be written; what was at `path` is still there.
    """
    path = Path(os.path.realpath(path))
    partial, former = (path.with_name(f".{secrets.token_hex(8)}.{end}") for end in _OF_A_FOLDER)
    partial.mkdir()
    try:
        yield partial
        for each in (*partial.rglob("*"), partial):
            make_durable(each)
        if path.exists():
            path.rename(former)
        try:
            partial.rename(path)
        except OSError:
            if former.exists():
                former.rename(path)
            raise
        make_durable(path.parent)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        shutil.rmtree(former, ignore_errors=True)


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
