"""Searching a book's slots again finds what was written into them by no search."""

import json
import shutil
from pathlib import Path

import pytest

from book.integrity.findings import Finding, Kind
from book.integrity.repair import repair
from book.integrity.verify import Verification
from book.storage.address import Address
from book.storage.database import at_one_moment
from precompute.deep_check import DeepCheck
from tests.book.handmade import proven_book
from tests.books import Fivebook, change, seal, small_book

# Enough for the short wins of the handmade book.
NODES = 20_000


def searched_again(path: Path, nodes: int = NODES) -> tuple[list[Finding], dict[str, int]]:
    with at_one_moment(Address.of(path)) as connection:
        verification = Verification(connection)
        assert list(verification.findings()) == []
        check = DeepCheck(verification, nodes)
        return list(check.findings()), check.as_dict()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_book(tmp_path_factory.mktemp("deep") / "book.db", "gomoku-9", 20)


@pytest.fixture(scope="module")
def won(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return proven_book(tmp_path_factory.mktemp("deep") / "won.db")


@pytest.fixture
def copied(built: Path, won: Path, tmp_path: Path) -> dict[str, Path]:
    return {book.stem: Path(shutil.copy(book, tmp_path / book.name)) for book in (built, won)}


def settle(path: Path) -> None:
    """Have all that follows from the slots follow, so that only a search can tell."""
    seal(path)
    repair(Address.of(path), lambda finding: None)


def test_every_slot_of_a_built_book_is_found_again(built: Path) -> None:
    findings, tally = searched_again(built)
    assert findings == []
    assert tally["repeated"] == 20


def test_another_value_in_a_slot_is_found(copied: dict[str, Path]) -> None:
    path = copied["book"]
    leaf = (
        "(SELECT max(id) FROM positions"
        " WHERE id NOT IN (SELECT parent FROM moves) AND rest_state = 0)"
    )
    change(path, f"UPDATE positions SET rest_value = rest_value + 1 WHERE id = {leaf}")
    settle(path)
    findings, _ = searched_again(path)
    assert [finding.kind for finding in findings] == [Kind.NOT_REPEATED]


def test_where_positions_were_taken_out_another_value_is_no_fault(
    copied: dict[str, Path],
) -> None:
    path = copied["book"]
    # One run entered more than is there: what went may live on in the slots above it.
    change(path, "UPDATE runs SET positions = positions + 1")
    change(path, "UPDATE positions SET rest_value = rest_value + 1 WHERE id = 20")
    settle(path)
    findings, tally = searched_again(path)
    assert findings == []
    assert (tally["repeated"], tally["not_repeated"]) == (19, 1)


@pytest.mark.parametrize(
    "columns", ["version = 'other'", "evaluation = 'other'", "parameters = '{\"limits\": {}}'"]
)
def test_what_another_version_searched_is_not_compared(
    columns: str, copied: dict[str, Path]
) -> None:
    change(copied["book"], f"UPDATE runs SET {columns}")
    seal(copied["book"])
    findings, tally = searched_again(copied["book"])
    assert findings == []
    assert (tally["repeated"], tally["left_out"]) == (0, 20)


def test_the_proofs_of_a_forced_win_are_proven_again(won: Path) -> None:
    findings, tally = searched_again(won)
    assert findings == []
    assert (tally["proven"] > 0, tally["not_reproved"]) == (True, 0)


@pytest.mark.parametrize(
    ("sign", "columns"),
    [
        # The open four is lost in two; the row says in four, and that it is no shorter.
        ("<", "rest_value = -29996"),
        # Lost, the row says won.
        ("<", "rest_value = 29997"),
        ("<", "rest_value = 0"),
    ],
)
def test_a_proof_of_something_else_is_contradicted(
    sign: str, columns: str, copied: dict[str, Path]
) -> None:
    path = copied["won"]
    change(
        path,
        f"UPDATE positions SET {columns} WHERE rest_proven AND rest_state = 0"
        f" AND rest_value {sign} 0",
    )
    settle(path)
    findings, _ = searched_again(path)
    assert [finding.kind for finding in findings] == [Kind.CONTRADICTED]


def test_what_is_not_proven_again_within_the_nodes_is_no_fault(copied: dict[str, Path]) -> None:
    path = copied["book"]
    change(
        path,
        "UPDATE positions SET rest_value = 29989, rest_bound = 1, rest_proven = true"
        " WHERE id = (SELECT max(id) FROM positions WHERE ply = 2)",
    )
    settle(path)
    findings, tally = searched_again(path, nodes=50)
    assert findings == []
    assert tally["not_reproved"] == 1


def keep(path: Path, columns: str) -> None:
    """Have the open three's slot be the proof of the position, whatever its moves lead to."""
    change(
        path,
        f"UPDATE positions SET rest_state = 4, rest_proven = true, rest_bound = 0, {columns}"
        " WHERE ply = 6",
    )
    settle(path)


def test_a_kept_proof_is_searched_as_one_of_the_whole_position(copied: dict[str, Path]) -> None:
    keep(copied["won"], "rest_value = 29997")
    findings, tally = searched_again(copied["won"])
    assert findings == []
    assert (tally["proven"], tally["not_reproved"]) == (3, 0)


def test_a_kept_proof_of_something_else_is_contradicted(copied: dict[str, Path]) -> None:
    # The move that wins leads to a stored position.
    keep(copied["won"], "rest_value = 29995")
    findings, _ = searched_again(copied["won"])
    assert [finding.kind for finding in findings] == [Kind.CONTRADICTED]


def test_what_could_not_be_checked_is_told(copied: dict[str, Path], fivebook: Fivebook) -> None:
    path = copied["book"]
    parent = "SELECT parent FROM moves GROUP BY parent ORDER BY count(*), parent LIMIT 1"
    slot = "rest_value = NULL, rest_bound = NULL, rest_proven = NULL, rest_line = NULL"
    change(path, f"UPDATE positions SET rest_state = 2, {slot} WHERE id = ({parent})")
    change(path, "UPDATE runs SET version = 'other'")
    settle(path)
    findings, tally = searched_again(path)
    assert findings == []
    assert (tally["no_slot"], tally["left_out"]) == (1, 19)
    told = fivebook("verify", path, "--deep").stdout
    assert "not checked: 19 that cannot be searched alike" in told
    assert "1 without a slot" in told


def test_the_command_tells_what_was_searched_again(built: Path, fivebook: Fivebook) -> None:
    result = fivebook("verify", built, "--deep", "--sample", 5, "--json")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["looked_at"], told["clean"]) == (0, 5, True)
    assert told["deep"]["repeated"] == 5
    assert "searched again: 0 proofs" in fivebook("verify", built, "--deep", "--sample", 5).stdout
