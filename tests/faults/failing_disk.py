"""Builds on a disk that fails, each in a child of a process that has everything loaded.

Called with the library of `disk.c`, a folder, and faults such as `error:17`, that at the 17th
operation; prints what went wrong with each, and at last how many operations a build takes.
"""

import ctypes
import gc
import os
import shutil
import signal
import sqlite3
import sys
import traceback
from contextlib import closing
from pathlib import Path

from book.errors import BookUnreadable, NotABook
from book.integrity.verify import Verification
from book.storage.address import Address
from book.storage.database import at_one_moment
from book.whole.export import records
from book.whole.snapshot import snapshot
from engine import registry
from engine.errors import FivebookError
from engine.search import Limits
from precompute.backend import Backend
from precompute.builder import Builder, BuildOptions
from precompute.modes.explore import Explore

KINDS = ("none", "error", "full", "torn", "power cut", "power cut after some writes")
_OPTIONS = BuildOptions(
    registry.get("gomoku-5"), Explore(4), Limits(nodes=20), 1, Backend.THREADING
)
_NO_FAULT, _REFUSED = 0, 2


def build(folder: Path) -> None:
    """Build a book, and save it beside."""
    (folder / "saved.db").unlink(missing_ok=True)
    Builder(folder / "book.db", _OPTIONS).run()
    snapshot(Address.of(folder / "book.db"), folder / "saved.db")


def content(book: Path) -> list[dict[str, object]]:
    return list(records(book, reproducible=True))


class Disk:
    """The library that this process was started with, for the files in `folder`."""

    def __init__(self, library: str, folder: Path) -> None:
        self._library = ctypes.CDLL(library)
        self._folder = folder

    def fail(self, at: int, kind: str) -> None:
        self._library.fail_at(ctypes.c_long(at), KINDS.index(kind), bytes(self._folder))

    @property
    def operations(self) -> int:
        return int(self._library.operations())


def build_with_fault(disk: Disk, folder: Path, at: int, kind: str) -> int:
    """Build in a child; returns how it ended, -9 by a power cut."""
    child = os.fork()
    if not child:
        disk.fail(at, kind)
        try:
            build(folder)
            os._exit(_NO_FAULT)
        except FivebookError:
            os._exit(_REFUSED)
        except BaseException:
            traceback.print_exc(file=sys.stdout)
            sys.stdout.flush()
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def verified(book: Path) -> list[str]:
    """What `fivebook verify` finds in a book; of one that was only begun, what tables it has."""
    try:
        with at_one_moment(Address.of(book)) as connection:
            return [str(finding) for finding in Verification(connection).findings()]
    except NotABook:
        with closing(sqlite3.connect(book)) as connection:
            return [name for (name,) in connection.execute("SELECT name FROM sqlite_schema")]
    except BookUnreadable:
        # A change that was interrupted is taken back by what builds, and not by what reads.
        if not book.with_name(f"{book.name}-journal").exists():
            raise
        return []


def faults(folder: Path, ended: int, whole: list[dict[str, object]]) -> list[str]:
    """What is wrong after a build in `folder` that ended so; it is gone on with."""
    found = []
    if ended not in (_NO_FAULT, _REFUSED, -signal.SIGKILL):
        found.append(f"it ended with {ended}")
    book, saved = folder / "book.db", folder / "saved.db"
    try:
        if book.exists() and book.stat().st_size:
            found += verified(book)
        if saved.exists() and content(saved) != whole:
            found.append("what was saved is not the book")
        build(folder)
        if content(book) != whole or content(saved) != whole:
            found.append("another book became of it")
        found += verified(book)
    except FivebookError as error:
        found.append(f"{type(error).__name__}: {error}")
    return found


def main(library: str, place: str, *chosen: str) -> None:
    disk = Disk(library, Path(place) / "here")
    other = Path(place) / "whole"
    other.mkdir()
    build(other)
    whole = content(other / "book.db")
    # What is there now need not be copied for each child.
    gc.freeze()
    for kind, _, at in (fault.partition(":") for fault in chosen):
        folder = Path(place) / "here"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        ended = build_with_fault(disk, folder, int(at), kind)
        for fault in faults(folder, ended, whole):
            print(f"{kind} at {at}: {fault}", flush=True)
    shutil.rmtree(Path(place) / "here", ignore_errors=True)
    disk.fail(0, "none")
    (Path(place) / "here").mkdir()
    build(Path(place) / "here")
    print(disk.operations)


main(*sys.argv[1:])
