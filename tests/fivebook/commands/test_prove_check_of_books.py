"""The command that checks the proofs of books."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fivebook.cli import cli
from tests.book.handmade import OPEN_FOUR, OPEN_THREE, proven_book
from tests.checkout import DATA

SHIPPED = DATA / "pentago-swap.db"


@pytest.fixture(scope="module")
def won(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return proven_book(tmp_path_factory.mktemp("won") / "won.db")


def check(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["prove-check", *map(str, arguments)])


def test_a_proof_is_accepted_and_its_longest_line_told(won: Path) -> None:
    result = check(won, OPEN_THREE)
    assert result.exit_code == 0, result.output
    assert "3 positions checked" in result.output
    assert f"longest line, a win in 3 from {OPEN_THREE}: h5 " in result.output
    assert result.output.endswith("accepted\n")


def test_the_same_in_json_and_for_all(won: Path) -> None:
    for arguments in ([OPEN_THREE], ["--all"], ["--all", "--jobs", "2"]):
        answer = json.loads(check(won, *arguments, "--json").stdout)
        assert answer["accepted"] is True
        assert answer["checked"] == 3
        assert answer["game"] == "gomoku-9"
        assert sum(answer["leaves"].values()) > 0
        assert answer["doubts"] == []


def test_only_what_the_proof_rests_on_is_checked(won: Path) -> None:
    assert json.loads(check(won, OPEN_FOUR, "--json").stdout)["checked"] == 2


def test_a_wrong_proof_is_rejected(won: Path, tmp_path: Path) -> None:
    book = Path(shutil.copy(won, tmp_path / "wrong.db"))
    with closing(sqlite3.connect(book)) as connection, connection:
        connection.execute("UPDATE positions SET value = 29999 WHERE ply = 6")
    result = check(book, "--all")
    assert result.exit_code == 1
    assert "wrong: a win in 1, and no move of it is proven to be as good; dark " in result.output
    assert result.output.endswith("rejected: 1 wrong, 0 not confirmed\n")
    assert check(book, "--all", "--json").exit_code == 1


def test_a_sample_is_never_called_accepted(won: Path) -> None:
    result = check(won, "--sample", "2", "--seed", "3")
    assert result.exit_code == 0
    assert "2 positions checked" in result.output
    assert result.output.endswith("no hole found\n")


def test_a_sample_of_the_shipped_book_is_right() -> None:
    answer = json.loads(check(SHIPPED, "--sample", "60", "--json").stdout)
    assert (answer["checked"], answer["wrong"], answer["not_confirmed"]) == (60, 0, 0)


@pytest.mark.slow
def test_the_shipped_book_is_right_in_full() -> None:
    answer = json.loads(check(SHIPPED, "--jobs", "2", "--json").stdout)
    assert answer["accepted"] is True
    assert answer["checked"] > 10_000


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["{won}", "e5 e5"], "illegal move 'e5'"),
        (["{won}", "z9"], "'z9' is no move of gomoku-9"),
        (["{won}", "e5"], "does not hold the position after 'e5'"),
        (["{won}"], "does not hold the position of the empty board"),
        (["{won}", "--game", "gomoku-15"], "does not hold gomoku-15"),
        (["{won}", "e5", "--all"], "no MOVES"),
        (["{won}", "--state", "x"], "is a book: there is no --state for it"),
        (["{won}", "--nodes", "0"], "0 is not in the range"),
        (["{gomoku}"], "has no proof of the position of the empty board"),
        (["{text}", "--all"], "is no book"),
        (["mysql://x/y"], "is no address of a book"),
    ],
)
def test_bad_input_gets_one_sentence_and_status_2(
    won: Path, gomoku_book: Path, tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    text = tmp_path / "text"
    text.write_text("neither\n")
    filled = [argument.format(won=won, gomoku=gomoku_book, text=text) for argument in arguments]
    result = check(*filled)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stdout == ""
