"""The books in data/: without a fault, and small."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from fivebook.cli import cli
from tests.checkout import DATA

BOOKS = sorted(DATA.glob("*.db"))
SHIPPED = [
    "gomoku-11.db",
    "gomoku-13-standard.db",
    "gomoku-13.db",
    "gomoku-15-renju.db",
    "gomoku-15-standard.db",
    "gomoku-15.db",
    "gomoku-17.db",
    "gomoku-19.db",
    "gomoku-20.db",
    "pentago-swap.db",
]


def test_there_are_books() -> None:
    assert [book.name for book in BOOKS] == SHIPPED


of_each_book = pytest.mark.parametrize("book", BOOKS, ids=lambda book: str(book.name))


def verified(book: Path, *options: str) -> str:
    result = CliRunner().invoke(cli, ["verify", str(book), *options])
    assert result.exit_code == 0, result.output
    return result.stdout


@of_each_book
def test_a_shipped_book_is_small(book: Path) -> None:
    assert book.stat().st_size < 10_000_000


@of_each_book
def test_a_sample_of_a_shipped_book_has_no_fault(book: Path) -> None:
    assert verified(book, "--sample", "500") == f"{book}: 500 positions looked at, no fault\n"


@pytest.mark.slow
@of_each_book
def test_a_shipped_book_has_no_fault(book: Path) -> None:
    assert "no fault" in verified(book)
