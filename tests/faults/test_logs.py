"""A book in progress is a file and its log: neither is lost, and neither is taken for another's."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from book import writer as book_writer
from book.errors import BookError, BookUnreadable, BookUnwritable
from book.reader import BookReader
from book.storage.address import Address
from book.storage.log import log_of
from book.whole.export import records
from book.whole.snapshot import snapshot
from book.writer import BookWriter
from engine import registry
from engine.game import Game
from precompute.builder import Builder, BuildOptions, BuildState
from precompute.modes.explore import Explore
from tests.books import NODES, CopyOf, Fivebook, small_book
from tests.checkout import ROOT

_KILLED = """
import os, signal, sys
from precompute.builder import Builder, BuildOptions
from precompute.modes.explore import Explore
from engine import registry
from engine.search import Limits
options = BuildOptions(registry.get("gomoku-9"), Explore(int(sys.argv[2])), Limits(nodes=300))
def report(state):
    if state.searches >= int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
Builder(sys.argv[1], options, report).run()
"""
READING = (("info",), ("query", "--book-only"), ("verify",), ("export",), ("tree",), ("log",))


def killed_builder(book: Path, positions: int = 200, searches: int = 40) -> Path:
    """Build on a book until a builder is killed in the middle; returns its log."""
    command = [sys.executable, "-c", _KILLED, str(book), str(positions), str(searches)]
    ended = subprocess.run(command, cwd=ROOT, check=False)
    assert ended.returncode == -signal.SIGKILL
    log = book.with_name(f"{book.name}-wal")
    assert log.stat().st_size
    return log


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A book whose builder was killed; what it found last is in the log."""
    book = tmp_path_factory.mktemp("left") / "book.db"
    killed_builder(book)
    return book


@pytest.fixture
def in_progress(left: Path, tmp_path: Path) -> Path:
    """A copy of that book, with its log."""
    book = tmp_path / "book.db"
    for each in (book, log_of(book)):
        shutil.copy(left.with_name(each.name), each)
    return book


def on_disk(book: Path) -> dict[str, bytes]:
    """The bytes of a book and its log."""
    return {
        path.name: path.read_bytes()
        for path in sorted(book.parent.iterdir())
        if not path.name.endswith(("-shm", ".lock"))
    }


@pytest.mark.parametrize("command", READING, ids=lambda command: command[0])
def test_reading_changes_neither_a_book_nor_its_log(
    command: tuple[str, ...], in_progress: Path, fivebook: Fivebook
) -> None:
    before = on_disk(in_progress)
    assert fivebook(command[0], in_progress, *command[1:]).exit_code == 0
    assert on_disk(in_progress) == before


@pytest.mark.parametrize(
    "command", [*READING, ("build", "--game", "gomoku-15")], ids=lambda command: command[0]
)
def test_the_log_of_another_book_is_refused_and_spoils_nothing(
    command: tuple[str, ...], in_progress: Path, fivebook: Fivebook
) -> None:
    shutil.copy(ROOT / "data" / "gomoku-15.db", in_progress)
    before = on_disk(in_progress)
    result = fivebook(command[0], in_progress, *command[1:])
    assert result.exit_code == 2
    assert f"'book.db-wal' is not the log of '{in_progress}'" in result.stderr
    assert on_disk(in_progress) == before


@pytest.mark.parametrize("saved", [snapshot, lambda book, copy: shutil.copy(book.path, copy)])
def test_an_earlier_state_of_a_book_does_not_grow_by_a_later_log(
    saved: Callable[[Address, Path], object], tmp_path: Path, gomoku: Game
) -> None:
    book, copy = tmp_path / "book.db", tmp_path / "saved.db"
    small_book(book, "gomoku-9", 20)
    saved(Address.of(book), copy)
    small_book(book, "gomoku-9", 30)
    killed_builder(book)
    shutil.copy(copy, book)
    with pytest.raises(BookUnreadable, match=r"'book.db-wal' is not the log of"):
        BookReader(book)
    (tmp_path / "book.db-wal").unlink()
    (tmp_path / "book.db-shm").unlink(missing_ok=True)
    with BookReader(book) as reader:
        assert reader.positions(gomoku) == 20


def test_no_book_is_begun_beside_the_log_of_one_that_is_gone(in_progress: Path) -> None:
    in_progress.unlink()
    before = on_disk(in_progress)
    with pytest.raises(BookUnwritable, match="holds what was found for a book that is no longer"):
        BookWriter(in_progress, registry.get("gomoku-9"))
    assert on_disk(in_progress) == before


def test_a_killed_builders_log_is_read_and_built_on(in_progress: Path, tmp_path: Path) -> None:
    small_book(in_progress, "gomoku-9", 60)
    small_book(tmp_path / "whole.db", "gomoku-9", 60)
    assert list(records(in_progress, reproducible=True)) == list(
        records(tmp_path / "whole.db", reproducible=True)
    )


def test_the_file_alone_is_soon_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book_writer, "_SECONDS_IN_LOG", 0.0)
    book, alone = tmp_path / "book.db", tmp_path / "alone.db"
    options = BuildOptions(registry.get("gomoku-9"), Explore(40), NODES)
    found = []

    def look(_state: object) -> None:
        shutil.copyfile(book, alone)
        here, there = list(records(book)), list(records(alone))
        found.append(here == there)

    Builder(book, options, look).run()
    assert len(found) > 30
    assert all(found)


def test_an_orderly_end_leaves_all_in_the_file_though_a_reader_stays(
    tmp_path: Path, gomoku: Game
) -> None:
    book = small_book(tmp_path / "book.db", "gomoku-9", 5)
    with BookReader(book) as reader:
        small_book(book, "gomoku-9", 20)
        shutil.copyfile(book, tmp_path / "alone.db")
        with BookReader(tmp_path / "alone.db") as alone:
            assert alone.positions(gomoku) == reader.positions(gomoku) == 20


@contextmanager
def moved_after(book: Path, searches: int, move: Callable[[], object]) -> Iterator[Builder]:
    def report(state: BuildState) -> None:
        if state.searches == searches:
            move()

    yield Builder(book, BuildOptions(registry.get("gomoku-9"), Explore(200), NODES), report)


@pytest.mark.parametrize("how", ["moved", "replaced", "deleted"])
def test_what_was_found_is_kept_when_the_file_goes(
    how: str, tmp_path: Path, copy_of: CopyOf, gomoku_book: Path, gomoku: Game
) -> None:
    book = tmp_path / "book.db"

    def move() -> None:
        if how == "deleted":
            book.unlink()
            return
        book.rename(tmp_path / "elsewhere.db")
        if how == "replaced":
            shutil.copy(gomoku_book, book)

    with (
        moved_after(book, 40, move) as builder,
        pytest.raises(BookError, match=r"all that was found is in '.*book\.db\.found-1'"),
    ):
        builder.run()
    found = tmp_path / "book.db.found-1"
    whole = small_book(tmp_path / "whole.db", "gomoku-9", 60)
    small_book(found, "gomoku-9", 60)
    assert list(records(found, reproducible=True)) == list(records(whole, reproducible=True))
    if how == "replaced":
        assert list(records(book)) == list(records(gomoku_book))
