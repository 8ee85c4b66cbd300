"""What others say of a book is searched, and the end tells what has become of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from book.reader import BookReader
from engine import registry
from fivebook.corrections import InvalidCorrections, read_corrections
from tests.books import CopyOf, Fivebook

GAME = registry.get("gomoku-9")


@pytest.fixture
def book(copy_of: CopyOf, gomoku_book: Path) -> Path:
    return copy_of(gomoku_book)


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    return tmp_path / "claims.txt"


def checked(fivebook: Fivebook, book: Path, claims: Path, nodes: int = 3000) -> dict[str, Any]:
    mode = ("--mode", "check", "--corrections", claims, "--nodes", nodes)
    result = fivebook("build", book, "--game", "gomoku-9", *mode, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def value(book: Path, line: str) -> int | None:
    with BookReader(book) as reader:
        entry = reader.get(GAME, GAME.play_line(GAME.parse_line(line)))
    return None if entry is None else entry.value


def test_each_claim_is_searched_and_told_of(book: Path, claims: Path, fivebook: Fivebook) -> None:
    claims.write_text("e5 -20000 # lost\n\na1 i9 b2 90%\n")
    before = value(book, "e5")
    told = checked(fivebook, book, claims)
    stored, new = told["corrections"]
    assert (stored["moves"], stored["before"], stored["after"]) == ("e5", before, value(book, "e5"))
    found = value(book, "a1 i9 b2")
    assert (new["moves"], new["before"], new["after"]) == ("a1 i9 b2", None, found)
    assert stored["verdict"] == "differs"
    assert told["added"] == 1
    assert checked(fivebook, book, claims)["searches"] == 0
    assert checked(fivebook, book, claims, nodes=6000)["searches"] == 2


def test_a_claim_that_a_search_bears_out_agrees(
    book: Path, claims: Path, fivebook: Fivebook
) -> None:
    # Dark's next stone makes five.
    claims.write_text("e5 a1 f5 a3 g5 a7 h5 a9 +20000")
    told = checked(fivebook, book, claims)
    assert told["corrections"][0]["verdict"] == "agrees"


def test_what_follows_above_is_counted(book: Path, claims: Path, fivebook: Fivebook) -> None:
    with BookReader(book) as reader:
        lines = [
            GAME.format_line([first.move, reply.move])
            for first in reader.find(GAME, GAME.initial).moves
            if first.in_book
            for reply in reader.find(GAME, GAME.play(GAME.initial, first.move)).moves
        ]
    # What a reply is worth may come from below it, and then its own search changes nothing.
    for line in lines:
        claims.write_text(f"{line} +900")
        above = "", line.split()[0]
        before = [value(book, each) for each in above]
        told = checked(fivebook, book, claims, nodes=20_000)
        changed = [
            each for each, was in zip(above, before, strict=True) if value(book, each) != was
        ]
        assert told["above"] >= len(changed)
        if changed:
            break
    assert changed
    again = fivebook(
        *("build", book, "--game", "gomoku-9", "--mode", "check"),
        *("--corrections", claims, "--nodes", 20_000),
    )
    assert f"{line}: stands at" in again.stdout
    assert "above them 0 positions changed" in again.stdout


def test_a_book_may_begin_with_what_is_said(
    tmp_path: Path, claims: Path, fivebook: Fivebook
) -> None:
    claims.write_text("e5 d4 0")
    told = checked(fivebook, tmp_path / "new.db", claims)
    assert (told["positions"], told["above"]) == (1, 0)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("e5 d4", "line 1: 'd4' is no value"),
        ("\ne5 z9 +3", "line 2: 'z9' is no cell"),
        ("e5 a1 f5 a2 g5 a3 h5 a4 d5 +3", "line 1: the game is over"),
        ("e5 120%", "line 1: '120%' is no percentage"),
        ("# nothing", "holds no correction"),
    ],
)
def test_a_bad_line_is_named(text: str, told: str, claims: Path) -> None:
    claims.write_text(text)
    with pytest.raises(InvalidCorrections, match=told):
        read_corrections(GAME, claims)


def test_the_mode_and_its_file_belong_together(
    book: Path, claims: Path, fivebook: Fivebook
) -> None:
    claims.write_text("e5 +3")
    without = fivebook("build", book, "--game", "gomoku-9", "--mode", "check")
    assert "--mode check needs --corrections" in without.stderr
    other = fivebook("build", book, "--game", "gomoku-9", "--corrections", claims)
    assert "--mode explore has no --corrections" in other.stderr
