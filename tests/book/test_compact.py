"""Compact books: what the file holds, and what is refused."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from book.compact import CompactBook, header_of, key_of
from book.errors import BookError, BookMissing, BookUnreadable, NewerSchema, NotABook
from book.reader import BookReader
from book.storage.address import AnyAddress
from book.whole import compact
from book.whole.compact import write_compact
from engine import registry
from engine.game import Game
from engine.position import Position
from service.answers import Source
from service.compact import answer_of
from service.inquiry import Inquiry
from tests.book.threes import GAME as THREES
from tests.books import Fivebook, rows_of
from tests.checkout import ROOT
from tests.oracles.compact_key import slow_key

VECTORS = (ROOT / "docs" / "compact-vectors.tsv").read_text().splitlines()[1:]


def stored_in(book: AnyAddress, game: Game) -> list[Position]:
    return [
        game.unpack(bytes(row["stones"])) for row in rows_of(book, "SELECT stones FROM positions")
    ]


@pytest.fixture
def written(gomoku_book: Path, gomoku: Game, tmp_path: Path) -> Path:
    write_compact(gomoku_book, gomoku, tmp_path / "book.compact")
    return tmp_path / "book.compact"


def test_every_image_of_every_position_is_answered_as_by_the_book(
    any_book: AnyAddress, tmp_path: Path
) -> None:
    with BookReader(any_book) as reader:
        game = reader.games[0]
        size = write_compact(any_book, game, tmp_path / "book.compact")
        with CompactBook(tmp_path / "book.compact") as book:
            assert (len(book), book.game) == (size, game)
            for stored in stored_in(any_book, game):
                for symmetry in game.symmetries:
                    position = game.map_position(stored, symmetry)
                    entry, found = reader.find(game, position), book.get(position)
                    assert found is not None
                    assert (found.move, found.value, found.bound, found.proven) == (
                        entry.moves[0].move, entry.value, entry.bound, entry.proven,
                    )  # fmt: skip


def test_what_the_book_does_not_hold_is_not_found(written: Path, gomoku: Game) -> None:
    with CompactBook(written) as book:
        assert book.get(gomoku.play_line(gomoku.parse_line("a1 i9 b7"))) is None


@pytest.mark.parametrize("line", VECTORS)
def test_keys_are_those_documented(line: str) -> None:
    name, dark, light, key = line.split("\t")
    game = registry.get(name)
    stones = (sum(1 << game.parse_cell(cell) for cell in side.split()) for side in (dark, light))
    position = Position(*stones)
    random_image = game.map_position(position, Random(line).choice(game.symmetries))
    assert f"{slow_key(game, random_image):016x}" == key
    assert f"{key_of(game, game.canonical(position).position):016x}" == key


def test_the_table_in_the_documentation_is_of_the_vectors() -> None:
    rows = [
        line.strip("| ").split("|")
        for line in (ROOT / "docs" / "compact.md").read_text().splitlines()
        if line.startswith(("| gomoku", "| pentago", "| connect"))
    ]
    told = {"\t".join(cell.strip(" `") for cell in row) for row in rows}
    assert len(told) >= 7
    assert told <= set(VECTORS)


def test_equal_books_give_equal_files(gomoku_book: Path, written: Path, gomoku: Game) -> None:
    again = written.with_name("again.compact")
    write_compact(gomoku_book, gomoku, again)
    assert again.read_bytes() == written.read_bytes()


def test_keys_are_made_anew_where_two_positions_would_have_the_same(
    gomoku_book: Path, gomoku: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No two boards are known to meet, so the first two salts get keys of a few bits alone."""
    real = compact.keys_of

    def few(game: Game, stones: np.ndarray, salt: int) -> np.ndarray:
        return real(game, stones, salt) & np.uint64(0xF) if salt < 2 else real(game, stones, salt)

    monkeypatch.setattr(compact, "keys_of", few)
    size = write_compact(gomoku_book, gomoku, tmp_path / "book.compact")
    with CompactBook(tmp_path / "book.compact") as book:
        assert (book.salt, len(book)) == (2, size)
        assert all(book.get(position) for position in stored_in(gomoku_book, gomoku))


def test_a_position_takes_twelve_bytes(written: Path, gomoku: Game) -> None:
    with CompactBook(written) as book:
        size = len(book)
    assert written.stat().st_size == len(header_of(gomoku, size, 0)) + 12 * size


def test_an_empty_book_has_a_file_without_positions(
    empty_book: Path, gomoku: Game, tmp_path: Path
) -> None:
    assert write_compact(empty_book, gomoku, tmp_path / "book.compact") == 0
    with CompactBook(tmp_path / "book.compact") as book:
        assert book.get(Position()) is None


SPOILT: dict[str, tuple[Callable[[bytes], bytes], type[BookError]]] = {
    "empty": (lambda whole: b"", NotABook),
    "short": (lambda whole: whole[:20], NotABook),
    "cut": (lambda whole: whole[:-1], BookUnreadable),
    "something else": (lambda whole: b"SQLite format 3\0" + whole, NotABook),
    "later": (lambda whole: whole[:8] + b"\2" + whole[9:], NewerSchema),
    "of a huge count": (lambda whole: whole[:16] + b"\xff" * 8 + whole[24:], BookUnreadable),
    "of keys elsewhere": (lambda whole: whole[:12] + b"\0" * 4 + whole[16:], BookUnreadable),
    "of another board": (lambda whole: whole[:32] + b"\x0a\0" + whole[34:], BookUnreadable),
    "of no game": (lambda whole: whole.replace(b"gomoku-9", b"gomoku-0"), BookUnreadable),
    "of no text": (lambda whole: whole.replace(b"gomoku-9", b"\xff" * 8), BookUnreadable),
}


@pytest.mark.parametrize(("spoil", "error"), SPOILT.values(), ids=SPOILT)
def test_a_damaged_file_is_refused(
    spoil: Callable[[bytes], bytes], error: type[BookError], written: Path
) -> None:
    written.write_bytes(spoil(written.read_bytes()))
    with pytest.raises(error):
        CompactBook(written)


def test_a_file_that_is_not_there_is_missing(tmp_path: Path) -> None:
    with pytest.raises(BookMissing):
        CompactBook(tmp_path / "none.compact")


def test_an_answer_that_no_book_gives_is_refused(written: Path, gomoku: Game) -> None:
    whole = bytearray(written.read_bytes())
    with CompactBook(written) as book:
        size = len(book)
    whole[-4 * size :] = b"\xff" * (4 * size)
    written.write_bytes(whole)
    with CompactBook(written) as book, pytest.raises(BookUnreadable):
        book.get(Position())


def test_a_book_whose_rows_cannot_be_right_gives_no_file(
    gomoku_book: Path, copy_of: Callable[[Path], Path], gomoku: Game, fivebook: Fivebook
) -> None:
    book = copy_of(gomoku_book)
    with closing(sqlite3.connect(book)) as connection:
        connection.execute("UPDATE moves SET child = 99999 + child WHERE parent = 1")
        connection.commit()
    output = book.with_name("book.compact")
    result = fivebook("export", book, "--format", "compact", "-o", output)
    assert result.exit_code != 0
    assert result.stderr.count("\n") == 1
    assert not output.exists()


# The command


def test_the_command_needs_a_file_to_write_to(gomoku_book: Path, fivebook: Fivebook) -> None:
    result = fivebook("export", gomoku_book, "--format", "compact")
    assert result.exit_code == 2
    assert "-o" in result.stderr


def test_of_a_book_of_several_games_one_is_named(
    both_book: Path, fivebook: Fivebook, tmp_path: Path
) -> None:
    output = tmp_path / "book.compact"
    command = ("export", both_book, "--format", "compact", "-o", output)
    assert fivebook(*command).exit_code == 2
    assert not output.exists()
    assert fivebook(*command, "--game", "pentago-swap").exit_code == 0
    with CompactBook(output) as book:
        assert (book.game.id, len(book)) == ("pentago-swap", 10)
    # An earlier one is replaced, and nothing else is.
    assert fivebook(*command, "--game", "gomoku-9").exit_code == 0
    assert fivebook("export", both_book, "-o", output).exit_code == 2
    with CompactBook(output) as book:
        assert book.game.id == "gomoku-9"


def test_moves_that_are_no_cell_and_variant_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(THREES, "map_move", lambda move, symmetry: (move + symmetry) % 9)
    with pytest.raises(ValueError, match="not a cell and a variant"):
        header_of(THREES, 0, 0)


def test_a_compact_book_is_queried_as_a_book_is(
    gomoku_book: Path, written: Path, fivebook: Fivebook
) -> None:
    def told(book: Path, *options: str) -> dict[str, Any]:
        result = fivebook("query", book, "e5", "--json", *options)
        assert (result.exit_code, result.stderr) == (0, "")
        answer: dict[str, Any] = json.loads(result.stdout)
        return answer

    whole, short = told(gomoku_book), told(written, "--book-only")
    for name in ("source", "game", "position", "value", "bound", "proven", "best", "win_rate"):
        assert short[name] == whole[name]
    assert len(short["moves"]) == 1
    assert short["line"] == whole["line"][: len(short["line"])]
    shown = fivebook("query", written, "e5").stdout
    assert f"from {written.name}\n" in shown


def test_a_proof_mark_is_shown_as_a_value_and_not_as_a_proof(
    won_book: Path, tmp_path: Path
) -> None:
    with BookReader(won_book) as reader:
        game = reader.games[0]
    output = tmp_path / "won.compact"
    write_compact(won_book, game, output)
    with CompactBook(output) as book:
        won = next(p for p in stored_in(won_book, game) if (a := book.get(p)) and a.proven)
        answer = answer_of(book, Inquiry(game, (), won))
    assert (answer.source, answer.proven) == (Source.BOOK, True)


def test_an_empty_compact_book_is_queried_in_a_sentence(
    empty_book: Path, gomoku: Game, fivebook: Fivebook, tmp_path: Path
) -> None:
    output = tmp_path / "empty.compact"
    write_compact(empty_book, gomoku, output)
    result = fivebook("query", output, "--book-only")
    assert "does not hold this position" in result.stderr


def test_what_a_compact_book_does_not_hold_is_searched_for_or_refused(
    written: Path, fivebook: Fivebook
) -> None:
    refused = fivebook("query", written, "a1 i9 b7", "--book-only")
    assert refused.exit_code != 0
    assert refused.stderr.count("\n") == 1
    searched = fivebook("query", written, "a1 i9 b7", "--nodes", "100", "--json")
    assert json.loads(searched.stdout)["source"] == "live"
    assert fivebook("query", written, "--game", "gomoku-15").exit_code == 2
