"""Making a file all at once: it is there as a whole, or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from book.errors import BookUnwritable
from book.replacing import make_durable
from book.storage import sqlite
from book.storage.address import Access


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """The name beside `path` of a file to be written; it gets its own name after the block.

    Raises:
        BookUnwritable: if there is something at `path`, or it cannot be written.
        BookMissing: if there is no such folder.
    """
    _refuse_existing(path)
    sqlite.check_file(path, Access.WRITE)
    partial = partial_of(path)
    with sqlite.locked(path) as is_alone:
        if not is_alone:
            raise BookUnwritable(f"'{path}' is being built by another process")
        _remove(partial)
        try:
            yield partial
            _refuse_existing(path)
            _put_in_place(partial, path)
        finally:
            _remove(partial)


def partial_of(path: Path) -> Path:
    """Where a new file for `path` is written."""
    return path.with_name(f"{path.name}.partial")


def _refuse_existing(path: Path) -> None:
    if os.path.lexists(path):
        raise BookUnwritable(f"'{path}' exists: give a name that is not taken")


def _put_in_place(partial: Path, path: Path) -> None:
    try:
        make_durable(partial)
        partial.rename(path)
        make_durable(path.parent)
    except OSError as error:
        raise BookUnwritable(f"cannot write '{path}': {error.strerror}") from error


def _remove(partial: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        partial.with_name(partial.name + ending).unlink(missing_ok=True)
