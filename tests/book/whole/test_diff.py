"""The differences between two books are found, told in notation, and give the exit status."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest

from book.reader import BookReader
from book.storage.address import AnyAddress
from book.whole.diff import Comparison, compare
from book.whole.moment import Moment
from engine import registry
from tests.books import CopyOf, Fivebook, change, small_book


def test_a_book_does_not_differ_from_itself(any_book: AnyAddress, fivebook: Fivebook) -> None:
    assert fivebook("diff", any_book, any_book).exit_code == 0


def test_a_copy_in_another_database_does_not_differ(
    gomoku_book: Path, place: AnyAddress, fivebook: Fivebook
) -> None:
    small_book(str(place), "gomoku-9", 50)
    result = fivebook("diff", gomoku_book, place, "--list", "--csv")
    assert (result.exit_code, result.stdout.count("\n")) == (0, 1)


def test_what_is_compared_is_what_a_reader_says(any_book: AnyAddress) -> None:
    with Moment(any_book) as one, Moment(any_book) as other, BookReader(any_book) as reader:
        compared = list(compare(one, other))
        assert len(compared) == sum(map(reader.positions, reader.games))
        for found in compared:
            entry = reader.find(found.game, found.game.unpack(found.stones))
            assert found.first is not None
            value = found.first.value
            assert (value.value, value.bound, value.proven) == (
                *(entry.value, entry.bound, entry.proven),
            )
            assert found.first.move == entry.moves[0].move


def test_positions_that_only_one_book_holds_are_counted_by_ply(
    gomoku_book: Path, tmp_path: Path, fivebook: Fivebook
) -> None:
    small = small_book(tmp_path / "small.db", "gomoku-9", 20)
    result = fivebook("diff", small, gomoku_book, "--json")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert not found["equal"]
    assert sum(ply[Comparison.ONLY_SECOND] for ply in found["plies"]) == 30
    assert sum(ply[Comparison.ONLY_FIRST] for ply in found["plies"]) == 0
    assert {record["kind"] for record in found["positions"]} == {Comparison.DIFFERENT}


def test_positions_that_only_one_book_holds_are_listed_if_asked_for(
    gomoku_book: Path, tmp_path: Path, fivebook: Fivebook
) -> None:
    small = small_book(tmp_path / "small.db", "gomoku-9", 20)
    result = fivebook("diff", gomoku_book, small, "--list", "--csv")
    rows = list(csv.DictReader(StringIO(result.stdout)))
    missing = [row for row in rows if row["kind"] == Comparison.ONLY_FIRST]
    assert len(missing) == 30
    assert {row["second_value"] for row in missing} == {""}


@pytest.mark.parametrize(
    ("script", "told"),
    [
        pytest.param("value = 1234", "+1234", id="value"),
        pytest.param("value = 29995, proven = true", "win in 5", id="proof"),
        pytest.param(
            "value = 29995, proven = true, bound = 1", "win in 5 or sooner", id="a proof's bound"
        ),
    ],
)
def test_what_differs_is_told_in_notation(
    script: str, told: str, gomoku_book: Path, copy_of: CopyOf, fivebook: Fivebook
) -> None:
    changed = copy_of(gomoku_book)
    change(changed, f"UPDATE positions SET {script} WHERE ply = 0")
    result = fivebook("diff", gomoku_book, changed)
    game = registry.get("gomoku-9")
    with BookReader(gomoku_book) as reader:
        root = reader.find(game, game.initial)
    best = game.format_move(root.moves[0].move)
    assert result.exit_code == 1
    assert f"gomoku-9 dark - light -: {root.value:+d} {best} / {told} {best}" in result.stdout


def test_another_best_move_is_a_difference(
    gomoku_book: Path, copy_of: CopyOf, fivebook: Fivebook
) -> None:
    changed = copy_of(gomoku_book)
    change(changed, "UPDATE moves SET move = move + 1")
    result = fivebook("diff", gomoku_book, changed, "--json")
    found = json.loads(result.stdout)["positions"]
    assert found
    assert all(record["first_value"] == record["second_value"] for record in found)
    assert all(record["first_best"] != record["second_best"] for record in found)


def test_games_that_only_one_book_holds_differ(
    both_book: Path, swap_book: Path, fivebook: Fivebook
) -> None:
    found = json.loads(fivebook("diff", both_book, swap_book, "--json").stdout)
    gomoku = [ply for ply in found["plies"] if ply["game"] == "gomoku-9"]
    assert sum(ply[Comparison.ONLY_FIRST] for ply in gomoku) == 20


@pytest.mark.parametrize("options", [["none.db"], ["--csv", "--json"]])
def test_bad_input_has_the_exit_status_of_diff(
    options: list[str], gomoku_book: Path, fivebook: Fivebook
) -> None:
    books = [gomoku_book] * (2 if "--csv" in options else 1)
    result = fivebook("diff", *books, *options)
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr
