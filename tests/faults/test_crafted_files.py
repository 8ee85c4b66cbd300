"""Books made to do harm: each reading command says in a sentence what is wrong, and soon."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from book.errors import BookUnreadable
from book.reader import BookReader
from book.storage import guarded
from book.storage.schema import RestState
from book.writer import BookWriter
from engine.game import Game
from tests.books import CopyOf, Fivebook, seal, small_book
from tests.checkout import ROOT

MANY = 10_000
SOME = 12
_PARTS = 20

ENDLESS = """CREATE VIEW {name} AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
SELECT i AS id, i AS name FROM n"""
TRIGGER = "CREATE TRIGGER t AFTER UPDATE ON runs BEGIN DELETE FROM positions WHERE id > 9; END"
READING = (
    ("info",),
    ("query", "--book-only"),
    ("verify",),
    ("tree",),
    ("export",),
    ("log",),
    ("prove-check", "--all"),
)


def crafted(book: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(book)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return book


@pytest.fixture
def with_endless_view(copy_of: CopyOf, gomoku_book: Path) -> Path:
    """The games are read from a view that never ends."""
    return crafted(copy_of(gomoku_book), "DROP TABLE games", ENDLESS.format(name="games"))


@pytest.mark.parametrize("command", READING, ids=lambda command: command[0])
def test_a_view_in_the_place_of_a_table_gets_a_sentence(
    command: tuple[str, ...], with_endless_view: Path, fivebook: Fivebook
) -> None:
    result = fivebook(command[0], with_endless_view, *command[1:])
    assert result.exit_code == 2, result.output
    assert result.stderr.count("\n") == 1


def test_salvage_reads_no_view_in_the_place_of_a_table(
    with_endless_view: Path, fivebook: Fivebook
) -> None:
    result = fivebook("repair", with_endless_view, "--salvage", f"{with_endless_view}.new")
    assert result.exit_code == 2, result.output
    assert "which games it holds cannot be read" in result.stderr


@pytest.mark.parametrize("command", READING, ids=lambda command: command[0])
def test_a_trigger_is_refused_by_name(
    command: tuple[str, ...], copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    book = crafted(copy_of(gomoku_book), TRIGGER)
    result = fivebook(command[0], book, *command[1:])
    assert result.exit_code == 2
    assert "has a trigger that no book has: 't'" in result.stderr


def test_a_trigger_takes_no_position_out_of_a_book_that_is_built_on(
    copy_of: CopyOf, gomoku_book: Path, gomoku: Game
) -> None:
    book = crafted(copy_of(gomoku_book), TRIGGER)
    before = book.read_bytes()
    with pytest.raises(BookUnreadable, match="has a trigger that no book has: 't'"):
        BookWriter(book, gomoku)
    assert book.read_bytes() == before


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("CREATE VIEW other AS SELECT 1", "a view that no book has: 'other'"),
        ("CREATE TABLE other (name TEXT)", "a table that no book has: 'other'"),
        ("CREATE INDEX other ON positions (abs(value))", "a index that no book has: 'other'"),
        ("DROP INDEX moves_by_child", "its schema has lost 'moves_by_child'"),
        ("UPDATE games SET name = x'ff'", "a game has lost its name"),
    ],
)
def test_what_no_book_has_is_named(
    statement: str, told: str, copy_of: CopyOf, gomoku_book: Path
) -> None:
    book = crafted(copy_of(gomoku_book), statement)
    with pytest.raises(BookUnreadable) as refused:
        BookReader(book)
    assert told.replace("a index", "an index") in str(refused.value)


@pytest.mark.parametrize(
    "columns",
    [
        "value = 'x'",
        "value = 99999",
        "bound = 7",
        "depth = x'00'",
        "rest_line = x''",
        "rest_line = x'ff'",
        "rest_line = 'h8'",
        "rest_value = NULL",
        "rest_value = 0.5",
    ],
)
def test_a_row_of_wrong_values_gets_a_sentence(
    columns: str, copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    book = crafted(copy_of(gomoku_book), f"UPDATE positions SET rest_state = 0, {columns}")
    result = fivebook("query", book, "--book-only")
    assert result.exit_code == 2, result.output
    assert "is damaged: the row of the key" in result.stderr


@pytest.mark.parametrize("parameters", ["", "[]", "{", '{"limits": 7}', "[" * 5_000])
@pytest.mark.parametrize("command", ["info", "log", "export"])
def test_unreadable_parameters_of_a_run_get_a_sentence(
    command: str, parameters: str, copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    book = crafted(copy_of(gomoku_book), f"UPDATE runs SET parameters = '{parameters}'")
    result = fivebook(command, book)
    assert result.exit_code == 2, result.output
    assert "a run has lost its limits" in result.stderr


@pytest.mark.parametrize("command", READING, ids=lambda command: command[0])
def test_stones_of_many_megabytes_are_not_read(
    command: tuple[str, ...], copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    book = crafted(copy_of(gomoku_book), "UPDATE positions SET stones = zeroblob(5000000)")
    result = fivebook(command[0], book, *command[1:])
    assert result.exit_code in (0, 1, 2)
    if command[0] in ("export", "verify"):
        assert result.exit_code == 2
        assert "holds a value longer than any of a book" in result.stderr


@pytest.mark.parametrize("command", READING, ids=lambda command: command[0])
def test_a_name_in_the_schema_that_is_no_text_gets_a_sentence(
    command: tuple[str, ...], copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    rename = "UPDATE sqlite_schema SET name = CAST(x'ff' AS TEXT) WHERE name = 'moves_by_child'"
    book = crafted(copy_of(gomoku_book), "PRAGMA writable_schema = ON", rename)
    result = fivebook(command[0], book, *command[1:])
    assert result.exit_code == 2, result.output
    assert "is damaged" in result.stderr


def test_a_wish_that_is_none_gets_a_sentence(
    copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    book = crafted(copy_of(gomoku_book), "UPDATE positions SET wish = -1 WHERE id = 3")
    result = fivebook("wish", book)
    assert result.exit_code == 2, result.output
    assert "a wish cannot be right; fivebook repair mends it" in result.stderr
    assert fivebook("repair", book).exit_code == 0
    assert fivebook("wish", book).exit_code == 0


@pytest.mark.parametrize("command", ["diff", "merge"])
def test_an_index_of_other_rows_gets_a_sentence(
    command: str, copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    swap = (
        "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema "
        "WHERE name = 'sqlite_autoindex_alembic_version_1') WHERE name = 'positions_by_lookup'"
    )
    book = crafted(copy_of(gomoku_book), "PRAGMA writable_schema = ON", swap)
    output = ["-o", f"{book}.merged"] if command == "merge" else []
    result = fivebook(command, book, gomoku_book, *output)
    assert result.exit_code == 2, result.output
    assert "an index has positions that the table has not" in result.stderr


def test_merging_refuses_a_rest_move_that_is_none(
    copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    spoil = f"UPDATE positions SET rest_line = x'ff' WHERE rest_state = {int(RestState.OPEN)}"
    book = crafted(copy_of(gomoku_book), spoil)
    seal(book)
    result = fivebook("merge", book, gomoku_book, "-o", f"{book}.merged")
    assert result.exit_code == 2, result.output
    assert "a rest move is no move of gomoku-9" in result.stderr


@pytest.mark.parametrize(
    ("command", "told"),
    [("merge", "a rest move is no move of gomoku-9"), ("diff", "a position has no move")],
)
def test_an_open_slot_without_a_move_gets_a_sentence(
    command: str, told: str, copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    spoil = f"UPDATE positions SET rest_line = NULL WHERE rest_state = {int(RestState.OPEN)}"
    book = crafted(copy_of(gomoku_book), spoil)
    seal(book)
    output = ["-o", f"{book}.merged"] if command == "merge" else []
    result = fivebook(command, book, gomoku_book, *output)
    assert result.exit_code == 2, result.output
    assert told in result.stderr


@pytest.mark.parametrize(
    "spoil",
    [
        "UPDATE counts SET nodes = 9e999",
        "INSERT INTO tasks (game, batch, key, stones, new, excluded, limits) "
        "SELECT game, iif(ply > 1, 5, 'x'), x'00', stones, 0, x'', '{}' FROM positions",
    ],
)
def test_verify_tells_of_numbers_that_are_none(
    spoil: str, copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    result = fivebook("verify", crafted(copy_of(gomoku_book), spoil))
    assert result.exit_code == 1, result.output


def test_a_statement_without_an_end_is_ended(
    copy_of: CopyOf, gomoku_book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guarded, "_STEPS", 100_000)
    monkeypatch.setattr(guarded, "_STEPS_FOR_A_BYTE", 1)
    monkeypatch.setattr(guarded, "_STEPS_BETWEEN_LOOKS", 10_000)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    with (
        BookReader(copy_of(gomoku_book)) as reader,
        pytest.raises(BookUnreadable, match="reading it comes to no end"),
        reader.connection() as connection,
    ):
        connection.exec_driver_sql(endless)


def test_a_reader_is_refused_nothing_however_long_it_reads(
    gomoku_book: Path, gomoku: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guarded, "_STEPS", 10_000)
    monkeypatch.setattr(guarded, "_STEPS_FOR_A_BYTE", 0)
    monkeypatch.setattr(guarded, "_STEPS_BETWEEN_LOOKS", 100)
    with BookReader(gomoku_book) as reader:
        for _ in range(500):
            assert reader.get(gomoku, gomoku.initial) is not None


def spoilt(folder: Path, first: int, last: int) -> str:
    """What goes wrong with copies of a small book that are spoilt by these seeds."""
    book = small_book(folder / "good.db", "gomoku-5", 12)
    ended = subprocess.run(
        [sys.executable, "-m", "tests.faults.reading", str(book), str(first), str(last)],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(folder)},
        capture_output=True,
        text=True,
    )
    return ended.stdout + (ended.stderr if ended.returncode else "")


def test_a_few_spoilt_books_are_told_by_each_reading_command(tmp_path: Path) -> None:
    assert spoilt(tmp_path, 0, SOME) == ""


@pytest.mark.parametrize("seed", [3548, 7937, 9224, 9654])
def test_what_only_the_whole_book_tells_gets_a_sentence(seed: int, tmp_path: Path) -> None:
    # Pages in each other's place: a game's name that is a number, a run that is none, times of day
    # that are not text.
    assert spoilt(tmp_path, seed, seed + 1) == ""


@pytest.mark.slow
@pytest.mark.parametrize("part", range(_PARTS))
def test_spoilt_books_are_told_by_each_reading_command(part: int, tmp_path: Path) -> None:
    each = MANY // _PARTS
    assert spoilt(tmp_path, part * each, (part + 1) * each) == ""
