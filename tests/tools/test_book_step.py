"""What compares first moves after a book."""

import json
from pathlib import Path

from click.testing import CliRunner

from tests.books import small_book
from tools.book_step import main


def test_every_kind_of_first_move_is_measured(tmp_path: Path) -> None:
    book = tmp_path / "book.db"
    small_book(book, "gomoku-9", 25)
    openings = tmp_path / "openings.txt"
    # The book has nothing of the last one.
    openings.write_text("e5\ne5 e6\na1 i9 a9 i1\n")
    options = ["--game", "gomoku-9", "--openings", openings, "--milliseconds", 20, "--nodes", 2_000]
    result = CliRunner().invoke(main, list(map(str, [book, *options])))
    assert result.exit_code == 0, result.output
    told = json.loads(result.output)
    assert told.pop("openings") == 2
    assert told.keys() == {"handed on", "cold", "warm"}
    for made in told.values():
        assert made["median milliseconds"] > 0
        assert made["mean depth"] > 0
