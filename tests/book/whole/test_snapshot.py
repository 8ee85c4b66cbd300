"""A snapshot is the book as it was at one moment; vacuum gives back what a book does not use."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from book.storage import store
from book.storage.address import Address, AnyAddress
from book.whole.export import records
from book.whole.prune import Cut, prune
from book.whole.snapshot import snapshot
from book.whole.vacuum import vacuum
from book.writer import BookWriter
from engine import registry
from tests.books import Fivebook, change, rows_of, slowly_on_a_server, small_book
from tests.oracles.book_checker import assert_sound

GAME = registry.get("gomoku-9")


def copied(book: AnyAddress, copy: Path) -> Path:
    snapshot(Address.of(book), copy)
    return copy


def test_a_snapshot_says_what_its_book_says(any_book: AnyAddress, tmp_path: Path) -> None:
    copy = copied(any_book, tmp_path / "copy.db")
    assert list(records(copy)) == list(records(any_book))


def test_a_snapshot_has_the_plan_so_that_building_goes_on_as_in_its_book(
    place: AnyAddress, tmp_path: Path
) -> None:
    small_book(str(place), "gomoku-9", 20)
    planned = "INSERT INTO tasks (game, batch, key, stones, new, excluded, limits) "
    change(
        place, planned + "SELECT game, 1, :blob, stones, true, :blob, 'x' FROM positions", blob=b"x"
    )
    tasks = "SELECT * FROM tasks ORDER BY id"
    assert rows_of(copied(place, tmp_path / "copy.db"), tasks) == rows_of(place, tasks)


def test_a_snapshot_is_one_file(any_book: AnyAddress, tmp_path: Path) -> None:
    copy = copied(any_book, tmp_path / "copy.db")
    assert rows_of(copy, "PRAGMA journal_mode") == [{"journal_mode": "delete"}]
    assert os.listdir(tmp_path) == ["copy.db"]


@contextmanager
def changing_all_the_time(book: AnyAddress) -> Iterator[Callable[[], int]]:
    """Another thread writes one number into all positions, and the next; tells how many it has."""
    over = threading.Event()
    written = [0]

    def write() -> None:
        with BookWriter(book, GAME) as writer:
            while not over.is_set():
                with writer.transaction() as connection:
                    connection.exec_driver_sql(
                        f"UPDATE positions SET milliseconds = {written[0] + 1}"
                    )
                written[0] += 1

    thread = threading.Thread(target=write)
    thread.start()
    try:
        while not written[0]:
            time.sleep(0.001)
        yield lambda: written[0]
    finally:
        over.set()
        thread.join()


@slowly_on_a_server
def test_a_snapshot_is_of_one_moment_whatever_is_written_meanwhile(
    place: AnyAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_PAGES_AT_ONCE", 1)
    monkeypatch.setattr(store, "_ROWS_AT_ONCE", 1)
    small_book(str(place), "gomoku-9", 30)
    with changing_all_the_time(place) as written:
        for number in range(5):
            before = written()
            copy = copied(place, tmp_path / f"{number}.db")
            [row] = rows_of(copy, "SELECT DISTINCT milliseconds FROM positions")
            assert row["milliseconds"] >= before
            # The writer did not have to wait for the copy's end.
            while written() == before:
                time.sleep(0.001)


@slowly_on_a_server
def test_snapshots_of_a_book_that_is_built_are_sound(place: AnyAddress, tmp_path: Path) -> None:
    small_book(str(place), "gomoku-9", 1)
    options = ["--game", "gomoku-9", "--nodes", "100"]
    builder = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "fivebook.cli",
            "build",
            str(Address.of(place).with_password),
            *options,
        ],
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        held = [1]
        while len(held) < 4:
            copy = copied(place, tmp_path / f"{len(held)}.db")
            assert_sound(copy, GAME)
            [row] = rows_of(copy, "SELECT count(*) AS positions FROM positions")
            if row["positions"] > held[-1]:
                held.append(row["positions"])
            copy.unlink()
            assert builder.poll() is None
    finally:
        builder.kill()
        builder.wait()


def test_what_exists_is_never_overwritten(
    any_book: AnyAddress, tmp_path: Path, fivebook: Fivebook
) -> None:
    (tmp_path / "copy.db").write_text("mine")
    result = fivebook("snapshot", any_book, "-o", tmp_path / "copy.db")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert (tmp_path / "copy.db").read_text() == "mine"


def test_a_copy_needs_a_folder(gomoku_book: Path, tmp_path: Path, fivebook: Fivebook) -> None:
    result = fivebook("snapshot", gomoku_book, "-o", tmp_path / "none" / "copy.db")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert not os.listdir(tmp_path)


def test_a_damaged_book_gives_no_copy(tmp_path: Path, fivebook: Fivebook) -> None:
    book = small_book(tmp_path / "book.db", "gomoku-9", 30)
    data = bytearray(book.read_bytes())
    data[8 * 4096 : 9 * 4096] = b"\xff" * 4096
    book.write_bytes(data)
    result = fivebook("snapshot", book, "-o", tmp_path / "copy.db")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert os.listdir(tmp_path) == ["book.db"]


# Vacuum


@slowly_on_a_server
def test_vacuum_gives_back_what_pruning_left(place: AnyAddress) -> None:
    small_book(str(place), "gomoku-9", 120)
    address = Address.of(place)
    prune(address, GAME, Cut(plies=1))
    left = list(records(place))
    before, after = vacuum(address)
    assert after < before
    assert list(records(place)) == left


def test_vacuum_leaves_one_file(tmp_path: Path) -> None:
    book = small_book(tmp_path / "book.db", "gomoku-9", 20)
    _, after = vacuum(Address(book))
    assert os.listdir(tmp_path) == ["book.db"]
    assert book.stat().st_size == after


def test_vacuum_waits_for_no_builder(place: AnyAddress, fivebook: Fivebook) -> None:
    small_book(str(place), "gomoku-9", 5)
    with BookWriter(place, GAME):
        result = fivebook("vacuum", place)
    assert result.exit_code == 2
    assert "is being built by another process" in result.stderr
    assert fivebook("vacuum", place).exit_code == 0
