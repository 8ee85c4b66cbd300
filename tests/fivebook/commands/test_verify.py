"""What `fivebook verify` and `fivebook repair` print, and how they end."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from book.integrity.verify import Verification
from book.storage.address import Address, AnyAddress
from book.storage.database import at_one_moment
from book.whole.export import records
from book.writer import BookWriter
from engine import registry
from engine.game import Game
from tests.books import CopyOf, Fivebook, change, small_book


def test_a_clean_book_ends_with_status_0(gomoku_book: Path, fivebook: Fivebook) -> None:
    result = fivebook("verify", gomoku_book)
    assert result.exit_code == 0
    assert result.stdout == f"{gomoku_book}: 50 positions looked at, no fault\n"


def test_a_fault_is_a_line_with_what_is_there_and_what_should_be(
    copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    path = copy_of(gomoku_book)
    change(path, "UPDATE positions SET ply = 7 WHERE ply = 0")
    result = fivebook("verify", path)
    assert result.exit_code == 1
    assert "wrong ply: gomoku-9 empty board: there is 7, should be 0" in result.stdout.splitlines()


def test_of_many_faults_of_a_kind_twenty_are_printed_and_the_rest_counted(
    copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    path = copy_of(gomoku_book)
    change(path, "UPDATE positions SET lookup = lookup + 1")
    lines = fivebook("verify", path).stdout.splitlines()
    assert sum(line.startswith("wrong lookup: gomoku-9") for line in lines) == 20
    assert "wrong lookup: 30 more" in lines
    document = json.loads(fivebook("verify", path, "--json").stdout)
    assert document["kinds"]["wrong lookup"] == 50
    assert document["clean"] is False
    shown = [finding["kind"] for finding in document["findings"]]
    assert shown.count("wrong lookup") == 20


def test_a_repair_says_what_it_mended(
    copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    path = copy_of(gomoku_book)
    change(path, "UPDATE positions SET ply = 7 WHERE ply = 0")
    result = fivebook("repair", path)
    assert result.exit_code == 0
    assert "wrong ply: gomoku-9 empty board: there is 7, should be 0" in result.stdout
    assert fivebook("verify", path).exit_code == 0
    assert fivebook("repair", path).stdout == f"{path}: nothing to mend\n"
    assert json.loads(fivebook("repair", path, "--json").stdout)["mended"] == []


def test_a_sample_is_as_large_as_asked_for_and_the_same_for_the_same_seed(
    gomoku_book: Path,
) -> None:
    def drawn(size: int, seed: int) -> list[int]:
        with at_one_moment(Address.of(gomoku_book)) as connection:
            rows = Verification(connection, size, seed).rows()
            return [row.id for batch in rows for row in batch]

    assert len(set(drawn(20, seed=1))) == 20
    assert drawn(20, seed=1) == drawn(20, seed=1) != drawn(20, seed=2)
    assert len(drawn(999, seed=1)) == 50
    assert {id for seed in range(40) for id in drawn(10, seed)} == set(range(1, 51))


def test_a_fault_outside_the_sample_is_not_looked_for(
    copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    path = copy_of(gomoku_book)
    change(path, "UPDATE positions SET milliseconds = -1 WHERE id = 7")
    found = [fivebook("verify", path, "--sample", 10, "--seed", s).exit_code for s in range(12)]
    assert set(found) == {0, 1}


def test_a_book_is_seen_at_one_moment_while_it_grows(place: AnyAddress, gomoku: Game) -> None:
    small_book(place, "gomoku-9", 10)
    with at_one_moment(Address.of(place)) as connection:
        verification = Verification(connection)
        findings = verification.findings()
        with BookWriter(place, gomoku) as writer, writer.transaction() as other:
            # The first look comes before the change, all others after it.
            other.exec_driver_sql("UPDATE positions SET ply = ply + 1")
        assert list(findings) == []
    first, *_ = records(place)
    assert first["ply"] == 1


def test_a_builder_at_work_keeps_the_repair_away(
    copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    path = copy_of(gomoku_book)
    with BookWriter(path, registry.get("gomoku-9")):
        result = fivebook("repair", path)
        assert fivebook("verify", path).exit_code == 0
    assert result.exit_code == 2
    assert "is being built by another process" in result.stderr


@pytest.mark.parametrize("command", ["verify", "repair"])
def test_where_there_is_no_book_a_sentence_says_so(
    command: str, tmp_path: Path, fivebook: Fivebook
) -> None:
    result = fivebook(command, tmp_path / "none.db")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: there is no book at ")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_the_book_as_it_was(copy_of: CopyOf, gomoku_book: Path) -> None:
    path = copy_of(gomoku_book)
    change(path, "UPDATE positions SET ply = ply + 1")
    change(path, "DELETE FROM moves")
    before = list(records(path))
    limited = ["bash", "-c", 'ulimit -f 8; exec "$@"', "limited"]
    command = [sys.executable, "-m", "fivebook.cli", "repair", str(path)]
    done = subprocess.run([*limited, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "the disk is full" in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(records(path)) == before
