"""Files that commands write: never in the place of what they read, and whole or not at all."""

import os
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from book.reader import BookReader
from book.replacing import replacing
from engine import registry
from tests.books import CopyOf, Fivebook, small_book

WRITERS = (
    ("export",),
    ("plot",),
    ("certify", "--game", "gomoku-7", "--draw"),
    ("certify", "--root", "a1:12 b1:12"),
    ("snapshot",),
    ("merge",),
)


@pytest.fixture
def book(copy_of: CopyOf, gomoku_book: Path) -> Path:
    return copy_of(gomoku_book)


def is_whole(book: Path) -> bool:
    with BookReader(book) as reader:
        return reader.positions(registry.get("gomoku-9")) == 50


def refuses(fivebook: Fivebook, writer: tuple[str, ...], book: Path, output: object) -> bool:
    command, *options = writer
    others = [small_book(book.with_name("other.db"), "gomoku-9", 3)] if command == "merge" else []
    result = fivebook(command, book, *others, *options, "-o", output)
    return result.exit_code == 2 and result.stderr.count("\n") == 1


@pytest.mark.parametrize("writer", WRITERS, ids=" ".join)
def test_no_command_writes_over_the_book_it_reads(
    writer: tuple[str, ...], book: Path, fivebook: Fivebook
) -> None:
    (soft := book.with_name("soft.csv")).symlink_to(book)
    (hard := book.with_name("hard.csv")).hardlink_to(book)
    for output in (book, soft, hard, f"{book.parent}/./{book.name}", f"{book}-wal"):
        assert refuses(fivebook, writer, book, output), output
        assert is_whole(book)
    assert not os.path.exists(f"{book}-wal")


@pytest.mark.parametrize("command", ["export", "plot", "certify"])
def test_not_even_by_force(command: str, book: Path, fivebook: Fivebook) -> None:
    assert refuses(fivebook, (command, "--force"), book, book)
    assert is_whole(book)


@pytest.mark.parametrize("command", ["snapshot", "merge"])
def test_a_book_with_the_name_of_an_unfinished_one_is_kept(
    command: str, book: Path, fivebook: Fivebook
) -> None:
    partial = book.rename(book.with_name("new.db.partial"))
    assert refuses(fivebook, (command,), partial, book.with_name("new.db"))
    assert is_whole(partial)


@pytest.mark.parametrize("command", ["export", "plot", "certify"])
def test_what_is_no_earlier_output_is_replaced_by_force_only(
    command: str, book: Path, fivebook: Fivebook
) -> None:
    notes = book.with_name("notes.png")
    notes.write_text("ply 3 is wrong")
    assert refuses(fivebook, (command,), book, notes)
    assert notes.read_text() == "ply 3 is wrong"
    if command != "certify":
        assert fivebook(command, book, "-o", notes, "--force").exit_code == 0
        assert notes.read_bytes() != b"ply 3 is wrong"


@pytest.mark.parametrize("form", ["csv", "json", "jsonl"])
def test_an_earlier_export_is_replaced(
    form: str, book: Path, empty_book: Path, fivebook: Fivebook
) -> None:
    output = book.with_name("rows")
    for source in (book, empty_book, book):
        result = fivebook("export", source, "-o", output, "--format", form)
        assert result.exit_code == 0, result.output
    assert output.read_text().count("gomoku-9") == 50


def test_an_earlier_plot_is_replaced(book: Path, fivebook: Fivebook) -> None:
    for name in ("a.png", "a.svg"):
        for _ in range(2):
            assert fivebook("plot", book, "-o", book.with_name(name)).exit_code == 0


def test_a_link_to_an_output_stays_one_and_the_rights_stay(book: Path, fivebook: Fivebook) -> None:
    target, link = book.with_name("rows.csv"), book.with_name("link.csv")
    target.touch(0o640)
    link.symlink_to(target)
    assert fivebook("export", book, "-o", link).exit_code == 0
    assert link.is_symlink()
    assert target.read_text().count("\n") == 51
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_what_is_no_file_is_written_to(book: Path, fivebook: Fivebook) -> None:
    assert fivebook("export", book, "-o", "/dev/null").exit_code == 0
    assert not Path("/dev/null").is_file()


def test_what_fails_leaves_what_was_there_and_nothing_else(tmp_path: Path) -> None:
    output = tmp_path / "rows.csv"
    output.write_text("before")
    with suppress(KeyboardInterrupt), replacing(output) as partial:
        partial.write_text("half")
        raise KeyboardInterrupt
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]
    assert output.read_text() == "before"


def test_a_damaged_book_leaves_an_earlier_export(book: Path, fivebook: Fivebook) -> None:
    output = book.with_name("rows.csv")
    assert fivebook("export", book, "-o", output).exit_code == 0
    before = output.read_bytes()
    with book.open("r+b") as file:
        file.seek(3 * 4096)
        file.write(b"\xff" * 4096 * 8)
    assert fivebook("export", book, "-o", output).exit_code == 2
    assert output.read_bytes() == before
