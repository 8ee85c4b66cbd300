"""Files that commands write, which never take the place of what they read."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from book.errors import OutputRefused
from book.storage.address import Address

_OF_A_DATABASE = ("", "-wal", "-shm", "-journal", ".lock")
_BESIDE_A_BOOK = ("proof", "parts", "draw", "misses", "asked")


def files_of(book: Address) -> list[Path]:
    """The files that a book consists of, and those that belong to it, whether they exist or not."""
    files = [book.beside(ending) for ending in _BESIDE_A_BOOK]
    if book.path is not None:
        files += [book.path.with_name(book.path.name + ending) for ending in _OF_A_DATABASE]
    return files


def check_output(
    path: Path, inputs: Iterable[Path], is_ours: Callable[[Path], bool], *, force: bool = False
) -> None:
    """Refuse to write to `path` where that would destroy something.

    Raises:
        OutputRefused: if it is one of `inputs`, by whatever name, or a file that `is_ours` does
            not know for an earlier output, unless that is forced.
    """
    refuse_inputs([path], inputs)
    try:
        is_taken = path.is_file() and not force and not is_ours(path)
    except OSError as error:
        raise OutputRefused(f"cannot read '{path}': {error.strerror}") from error
    if is_taken:
        raise OutputRefused(
            f"'{path}' is there already, and is something else: give another name, or --force"
        )


def check_folder(path: Path, inputs: Iterable[Path], is_ours: Callable[[Path], bool]) -> None:
    """Refuse to put a folder at `path` where that would destroy something.

    Raises:
        OutputRefused: if one of `inputs` is in it, if it is a file, or if something is in it and
            `is_ours` does not know it for an earlier output.
    """
    real = Path(os.path.realpath(path))
    for other in inputs:
        if real in Path(os.path.realpath(other)).parents and other.exists():
            raise OutputRefused(f"'{other}', which is read, is in '{path}': give another name")
    try:
        is_free = not real.exists() or (
            real.is_dir() and (is_ours(real) or not any(real.iterdir()))
        )
    except OSError as error:
        raise OutputRefused(f"cannot read '{path}': {error.strerror}") from error
    if not is_free:
        raise OutputRefused(f"'{path}' is there already, and is something else: give another name")


def refuse_inputs(outputs: Iterable[Path], inputs: Iterable[Path]) -> None:
    """Refuse to write to what is read.

    Raises:
        OutputRefused: if one of `outputs` is one of `inputs`, by whatever name.
    """
    inputs = list(inputs)
    for path in outputs:
        if any(_are_same(path, other) for other in inputs):
            raise OutputRefused(f"'{path}' is what is read, or belongs to it: give another name")


def _are_same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:
        # One of them does not exist yet.
        return os.path.realpath(path) == os.path.realpath(other)
