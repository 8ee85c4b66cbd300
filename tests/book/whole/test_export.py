"""A book's rows as text: every format and every view says what the tables hold."""

import csv
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from book.entry import BookMove
from book.reader import BookReader
from book.rows.encoding import BOUNDS, unpack_line
from book.storage.address import AnyAddress
from book.whole.export import WRITERS, Record, records
from engine.game import Game, Position
from tests.books import Fivebook, rows_of, small_book

COLUMNS = [
    *("game", "ply", "position", "dark", "light", "value", "bound", "proven", "moves"),
    *("rest", "rest_line", "rest_proven", "open_cost", "depth", "nodes"),
    *("milliseconds", "run", "version", "evaluation", "limits"),
    *("games", "dark_wins", "draws", "light_wins", "imported"),
]
# Those that stand in the table as they are.
PLAIN = [
    *("ply", "value", "proven", "rest_proven", "open_cost", "depth", "nodes"),
    *("milliseconds", "run"),
]


def exported(fivebook: Fivebook, path: AnyAddress, form: str, *options: str) -> str:
    result = fivebook("export", path, "--format", form, *options)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def position_of(game: Game, row: dict[str, Any]) -> Position:
    """The position whose stones a row names."""
    dark, light = (
        sum(1 << game.parse_cell(name) for name in (row[side] or "").split())
        for side in ("dark", "light")
    )
    return Position(dark, light)


def written(value: object) -> str:
    """A value as a CSV file has it."""
    return "" if value is None else str(value)


@pytest.fixture
def game(any_book: AnyAddress) -> Game:
    with BookReader(any_book) as reader:
        return reader.games[0]


@pytest.fixture
def reader(any_book: AnyAddress) -> Any:
    with BookReader(any_book) as reader:
        yield reader


# Formats


def test_all_formats_hold_the_same_records(any_book: AnyAddress, fivebook: Fivebook) -> None:
    found = list(records(any_book))
    assert json.loads(exported(fivebook, any_book, "json")) == found
    lines = exported(fivebook, any_book, "jsonl").splitlines()
    assert [json.loads(line) for line in lines] == found
    rows = list(csv.DictReader(StringIO(exported(fivebook, any_book, "csv"))))
    assert rows == [
        {column: written(value) for column, value in record.items()} for record in found
    ]
    assert all(list(record) == COLUMNS for record in found)


def test_records_hold_what_the_table_holds(any_book: AnyAddress, game: Game) -> None:
    rows = {
        game.key(row["stones"]).hex(): row for row in rows_of(any_book, "SELECT * FROM positions")
    }
    found = list(records(any_book))
    assert len(found) == len(rows)
    for record in found:
        row = rows[record["position"]]
        assert {column: record[column] for column in PLAIN} == {
            column: row[column] for column in PLAIN
        }
        assert record["bound"] == BOUNDS[row["bound"]].value
        assert record["rest"] == ("open", "none", "pending", "open")[row["rest_state"]]
        line = None if row["rest_line"] is None else unpack_line(game, row["rest_line"])
        assert record["rest_line"] == (None if line is None else game.format_line(line))


def test_records_say_what_a_reader_answers(
    any_book: AnyAddress, reader: BookReader, game: Game
) -> None:
    for record in records(any_book):
        position = position_of(game, record)
        canonical = game.canonical(position)
        assert (canonical.key.hex(), canonical.position) == (record["position"], position)
        entry = reader.find(game, position)
        assert (record["game"], record["ply"]) == (game.id, position.ply)
        assert (record["value"], record["bound"]) == (entry.value, entry.bound)
        assert record["moves"] == " ".join(
            f"{game.format_move(move.move)}={move.value}" for move in entry.moves
        )


def test_records_come_by_ply_and_key(any_book: AnyAddress) -> None:
    order = [(record["ply"], record["position"]) for record in records(any_book)]
    assert order == sorted(order)


def test_reproducible_leaves_out_times_and_runs_only(
    any_book: AnyAddress, fivebook: Fivebook
) -> None:
    found = json.loads(exported(fivebook, any_book, "json", "--reproducible"))
    kept = COLUMNS[: COLUMNS.index("milliseconds")]
    assert all(list(record) == kept for record in found)
    assert found == [{column: record[column] for column in kept} for record in records(any_book)]


@pytest.mark.parametrize("form", sorted(WRITERS))
def test_equal_books_give_equal_files(
    form: str, gomoku_book: Path, place: Any, fivebook: Fivebook
) -> None:
    # The same book, perhaps in another kind of database.
    again = small_book(place, "gomoku-9", 50)
    files = [exported(fivebook, path, form, "--reproducible") for path in (gomoku_book, again)]
    assert files[0] == files[1]


@pytest.mark.parametrize("form", sorted(WRITERS))
def test_a_file_gets_what_standard_output_would(
    form: str, any_book: AnyAddress, tmp_path: Path, fivebook: Fivebook
) -> None:
    output = tmp_path / "out"
    result = fivebook("export", any_book, "--format", form, "-o", output)
    assert (result.exit_code, result.output) == (0, "")
    assert output.read_text() == exported(fivebook, any_book, form)


def test_two_games_come_one_after_the_other(stored: Callable[[str], AnyAddress]) -> None:
    found = [record["game"] for record in records(stored("both_book"))]
    assert found == ["gomoku-9"] * 20 + ["pentago-swap"] * 10


def test_an_empty_book_is_a_table_without_rows(
    stored: Callable[[str], AnyAddress], fivebook: Fivebook
) -> None:
    empty_book = stored("empty_book")
    assert json.loads(exported(fivebook, empty_book, "json")) == []
    assert exported(fivebook, empty_book, "jsonl") == ""
    # Programs that load it look for the names of the columns.
    assert exported(fivebook, empty_book, "csv") == ",".join(COLUMNS) + "\n"


def test_an_unknown_format_is_refused(gomoku_book: Path, fivebook: Fivebook) -> None:
    result = fivebook("export", gomoku_book, "--format", "xml")
    assert result.exit_code == 2
    assert "'xml' is not one of 'boards', 'compact', 'csv'" in result.stderr


def test_writing_begins_before_reading_ends() -> None:
    def endless() -> Any:
        while True:
            yield {"ply": 0}

    class Enough(Exception):
        pass

    class Small(StringIO):
        def write(self, text: str) -> int:
            if self.tell() > 1000:
                raise Enough
            return super().write(text)

    for write in WRITERS.values():
        with pytest.raises(Enough):
            write(["ply"], endless(), Small())


# Views


def test_boards_names_the_stones(any_book: AnyAddress, game: Game) -> None:
    rows = rows_of(
        any_book, "SELECT boards.*, stones FROM boards JOIN positions ON positions.id = boards.id"
    )
    for row in rows:
        assert game.pack(position_of(game, row)) == row["stones"]
        assert (row["game"], len((row["dark"] or "").split())) == (game.id, (row["ply"] + 1) // 2)


def as_row(game: Game, move: BookMove) -> tuple[object, ...]:
    return (
        game.format_move(move.move),
        move.value,
        move.proven,
        "book" if move.in_book else "rest",
    )


def best_first(rows: list[dict[str, Any]], game: Game) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: (-row["value"], game.parse_move(row["move"])))


def test_lines_lists_the_moves_that_a_reader_gives(
    any_book: AnyAddress, reader: BookReader, game: Game
) -> None:
    for board in rows_of(any_book, "SELECT * FROM boards"):
        position = position_of(game, board)
        rows = rows_of(any_book, "SELECT * FROM lines WHERE id = :id", id=board["id"])
        entry = reader.find(game, position, lines=0)
        assert [
            (row["move"], row["value"], bool(row["proven"]), row["source"])
            for row in best_first(rows, game)
        ] == [as_row(game, move) for move in entry.moves]
        for row in rows:
            line = game.parse_line(row["line"])
            assert game.format_move(line[0]) == row["move"]
            game.play_line(line, start=position)
            assert (row["game"], row["ply"]) == (game.id, position.ply)
            assert (row["dark"], row["light"]) == (board["dark"], board["light"])


def test_best_moves_has_the_best_of_each_position(
    any_book: AnyAddress, reader: BookReader, game: Game
) -> None:
    rows = rows_of(any_book, "SELECT * FROM best_moves")
    assert len(rows) == reader.positions(game)
    for row in rows:
        entry = reader.find(game, position_of(game, row), lines=0)
        found = (row["move"], row["value"], bool(row["proven"]), row["source"])
        assert found == as_row(game, entry.moves[0])


def test_known_moves_has_no_more_and_no_less_than_lines(any_book: AnyAddress) -> None:
    known = rows_of(any_book, "SELECT id, name AS move FROM known_moves")
    lines = rows_of(any_book, "SELECT id, move FROM lines")

    def order(row: dict[str, Any]) -> tuple[int, str]:
        return row["id"], row["move"]

    assert sorted(known, key=order) == sorted(lines, key=order)


def test_cells_of_a_large_board_are_named_right(wide_book: Path) -> None:
    stones = " ".join(
        f"{row['dark'] or ''} {row['light'] or ''}"
        for row in rows_of(wide_book, "SELECT * FROM boards")
    ).split()
    # Sensible first stones are near the middle, whose cell numbers need two bytes.
    assert set(stones) <= {f"{column}{row}" for column in "jklmnopq" for row in range(10, 18)}


# The sqlite-utils command


def sqlite_utils(*arguments: object) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "sqlite_utils", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_sqlite_utils_reads_the_views(gomoku_book: Path, gomoku: Game) -> None:
    names = {row["view"] for row in json.loads(sqlite_utils("views", gomoku_book))}
    assert names == {"boards", "known_moves", "lines", "best_moves", "played", "hints"}
    script = "select ply, dark, light, move, value from best_moves where ply < 2 order by id"
    found = json.loads(sqlite_utils("query", gomoku_book, script))
    assert found == rows_of(gomoku_book, script)
    with BookReader(gomoku_book) as reader:
        for row in found:
            entry = reader.find(gomoku, position_of(gomoku, row))
            assert row["move"] == gomoku.format_move(entry.moves[0].move)
            assert row["value"] == entry.value


def test_sqlite_utils_draws_a_table(gomoku_book: Path) -> None:
    script = "select * from best_moves where ply < 4"
    table = sqlite_utils("query", gomoku_book, script, "-t").splitlines()
    assert table[0].split()[:4] == ["game", "ply", "dark", "light"]
    assert len(table) - 2 == rows_of(gomoku_book, f"SELECT count(*) AS n FROM ({script})")[0]["n"]


def test_what_is_exported_can_be_loaded_again(
    gomoku_book: Path, tmp_path: Path, fivebook: Fivebook
) -> None:
    output = tmp_path / "rows.jsonl"
    fivebook("export", gomoku_book, "--format", "jsonl", "-o", output)
    sqlite_utils("insert", tmp_path / "rows.db", "rows", output, "--nl")
    with closing(sqlite3.connect(tmp_path / "rows.db")) as connection:
        connection.row_factory = sqlite3.Row
        loaded: list[Record] = [dict(row) for row in connection.execute("SELECT * FROM rows")]
    assert loaded == list(records(gomoku_book))
