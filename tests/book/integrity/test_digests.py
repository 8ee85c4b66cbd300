"""No altered value goes unseen, and books that hold the same have the same digest."""

import shutil
import sqlite3
import struct
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from zlib import crc32

import pytest

from book.errors import BookUnreadable
from book.integrity.repair import repair
from book.reader import BookReader
from book.storage.address import Address, AnyAddress
from book.storage.schema import Wish
from book.whole.export import records
from book.whole.summary import summarise
from book.wishes import make_wish
from engine import registry
from engine.game import Game
from precompute.builder import Builder, BuildOptions
from precompute.modes.explore import Explore
from tests.book.handmade import of_revision_0006
from tests.book.integrity.alterations import alter, is_seen
from tests.books import NODES, CopyOf, Fivebook, change, rows_of, small_book
from tests.servers import postgresql_book

SEEDS = 200


def unfinished_book(place: AnyAddress, *, jobs: int = 1) -> None:
    """A book that was left while searches were planned, some of them done."""
    options = BuildOptions(registry.get("gomoku-9"), Explore(50), NODES, jobs=jobs)
    builder = Builder(
        place, options, lambda state: None if state.positions < 20 else builder.stop()
    )
    builder.run()


def content(book: AnyAddress, game: str = "gomoku-9") -> str | None:
    with BookReader(book) as reader:
        return summarise(reader, registry.get(game)).content


@pytest.fixture(scope="module")
def unfinished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    book = tmp_path_factory.mktemp("unfinished") / "book.db"
    unfinished_book(book)
    assert {row["has"] for row in rows_of(book, "SELECT result IS NULL AS has FROM tasks")} == {
        0,
        1,
    }
    return book


@pytest.mark.slow
def test_no_alteration_goes_unseen(unfinished: Path, tmp_path: Path) -> None:
    book = tmp_path / "book.db"
    assert not is_seen(unfinished)
    unseen = []
    for seed in range(SEEDS):
        shutil.copy(unfinished, book)
        told = alter(book, seed)
        if not is_seen(book):
            unseen.append(f"{seed}: {told}")
    assert unseen == []


def test_an_altered_row_is_named(copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook) -> None:
    book = copy_of(gomoku_book)
    change(book, "UPDATE positions SET milliseconds = milliseconds + 1 WHERE ply = 0")
    change(book, "UPDATE history SET positions = positions + 1 WHERE id = 2")
    change(book, "DELETE FROM history WHERE id = 3")
    result = fivebook("verify", book)
    assert result.exit_code == 1
    for line in (
        "not what was written: gomoku-9 empty board: ",
        "not what was written: row 2 of history: ",
        "wrong sum of digests: history of gomoku-9: ",
    ):
        assert any(told.startswith(line) for told in result.output.splitlines())


# The encoding, by docs/books.md


def test_a_digest_can_be_computed_by_others(gomoku_book: Path) -> None:
    nothing = -(1 << 63)
    with closing(sqlite3.connect(gomoku_book)) as connection:
        rows = connection.execute(
            "SELECT id, game, lookup, ply, value, bound, proven, rest_state, rest_value,"
            " rest_bound, rest_proven, open_cost, depth, nodes, milliseconds, run, wish,"
            " stones, rest_line, digest FROM positions"
        ).fetchall()
        [(name, game_digest)] = connection.execute("SELECT name, digest FROM games").fetchall()
        [(total,)] = connection.execute("SELECT total FROM digests WHERE name = 'positions'")
    assert len({row[-1] for row in rows}) == 50
    for *numbers, stones, line, digest in rows:
        known = [nothing if number is None else number for number in numbers]
        lengths = len(stones), nothing if line is None else len(line)
        packed = struct.pack("<19q", *known, *lengths) + stones + (line or b"")
        assert digest == crc32(packed) - (1 << 31)
    assert game_digest == crc32(struct.pack("<2q", 1, len(name)) + name.encode()) - (1 << 31)
    assert (total - sum(row[-1] for row in rows)) % (1 << 64) == 0


def test_the_content_can_be_computed_by_others(gomoku_book: Path) -> None:
    nothing = -(1 << 63)
    with closing(sqlite3.connect(gomoku_book)) as connection:
        rows = connection.execute(
            "SELECT value, bound, proven, CASE rest_state WHEN 3 THEN 0 ELSE rest_state END,"
            " rest_value, rest_proven, open_cost, depth, nodes, stones, rest_line FROM positions"
        ).fetchall()
    total = 0
    for *numbers, stones, line in rows:
        known = [nothing if number is None else number for number in numbers]
        lengths = len(stones), nothing if line is None else len(line)
        packed = struct.pack("<11q", *known, *lengths) + stones + (line or b"")
        total += int.from_bytes(blake2b(packed, digest_size=8).digest(), "big")
    named = b"gomoku-9" + (total % (1 << 64)).to_bytes(8, "big")
    assert content(gomoku_book) == blake2b(named, digest_size=8).hexdigest()


# Content


def test_the_content_depends_neither_on_jobs_nor_on_stops_nor_on_the_place(
    tmp_path: Path, gomoku_book: Path
) -> None:
    stopped, parallel = tmp_path / "stopped.db", tmp_path / "parallel.db"
    for place in (stopped, parallel):
        unfinished_book(place, jobs=2 if place == parallel else 1)
        before = content(place)
        small_book(place, "gomoku-9", 50)
        assert content(place) == content(gomoku_book) != before
        assert not is_seen(place)
        assert list(records(place, reproducible=True)) == list(
            records(gomoku_book, reproducible=True)
        )
    with postgresql_book() as server:
        unfinished_book(server)
        small_book(server, "gomoku-9", 50)
        assert content(server) == content(gomoku_book)


def test_each_game_of_a_book_has_a_content_of_its_own(both_book: Path, tmp_path: Path) -> None:
    alone = small_book(tmp_path / "swap.db", "pentago-swap", 10)
    assert content(both_book, "pentago-swap") == content(alone, "pentago-swap")
    assert content(both_book, "pentago-swap") != content(both_book, "gomoku-9")


def test_what_an_export_shows_changes_the_content(
    copy_of: CopyOf, gomoku_book: Path, gomoku: Game, fivebook: Fivebook
) -> None:
    book = copy_of(gomoku_book)
    found = [content(book)]
    make_wish(book, gomoku, gomoku.initial, Wish.NEVER)
    found.append(content(book))
    assert not is_seen(book)
    make_wish(book, gomoku, gomoku.initial, None)
    assert content(book) == found[0]
    assert fivebook("prune", book, "--plies", 2).exit_code == 0
    found.append(content(book))
    assert not is_seen(book)
    assert len(set(found)) == 3


def test_info_tells_the_content(gomoku_book: Path, fivebook: Fivebook) -> None:
    assert f"content: {content(gomoku_book)}" in fivebook("info", gomoku_book).output


# Altered rows before readers and builders


def test_a_lookup_refuses_an_altered_row_and_names_its_position(
    copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    book = copy_of(gomoku_book)
    change(book, "UPDATE positions SET rest_value = rest_value + 1 WHERE ply = 1")
    result = fivebook("query", book, "e5", "--book-only")
    assert result.exit_code == 2
    assert result.stderr == (
        f"Error: '{book}' is damaged: the row of gomoku-9 dark e5, light - is not what was "
        "written; fivebook repair mends it\n"
    )


@pytest.mark.parametrize(
    "script",
    [
        "UPDATE history SET value = value + 1 WHERE id = 1",
        "UPDATE runs SET started = 'yesterday'",
        "DELETE FROM history WHERE id = 2",
        "DELETE FROM positions WHERE id = 7",
    ],
)
def test_a_builder_refuses_an_altered_book(script: str, copy_of: CopyOf, gomoku_book: Path) -> None:
    book = copy_of(gomoku_book)
    change(book, script)
    with pytest.raises(BookUnreadable, match="fivebook verify tells more"):
        small_book(book, "gomoku-9", 60)


def test_a_builder_gives_no_altered_row_a_right_digest(copy_of: CopyOf, gomoku_book: Path) -> None:
    book = copy_of(gomoku_book)
    change(book, "UPDATE positions SET milliseconds = 77")
    with pytest.raises(BookUnreadable, match="is not what was written; fivebook repair mends it"):
        small_book(book, "gomoku-9", 60)


def test_a_slot_that_may_have_been_altered_is_searched_anew(
    copy_of: CopyOf, gomoku_book: Path
) -> None:
    book = copy_of(gomoku_book)
    change(book, "UPDATE positions SET rest_value = rest_value - 9 WHERE ply = 0")
    repair(Address.of(book), lambda finding: None)
    assert not is_seen(book)
    assert rows_of(book, "SELECT rest_state FROM positions WHERE ply = 0") == [{"rest_state": 2}]


# Books from before


def test_a_book_without_digests_is_read_and_verified_as_it_is(
    copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook, gomoku: Game
) -> None:
    book = copy_of(gomoku_book)
    of_revision_0006(book)
    before = book.read_bytes()
    result = fivebook("verify", book)
    assert result.exit_code == 0
    assert "by a version without digests" in result.output
    with BookReader(book) as old, BookReader(gomoku_book) as new:
        assert old.find(gomoku, gomoku.initial) == new.find(gomoku, gomoku.initial)
    assert content(book) is None
    assert book.read_bytes() == before


def test_a_builder_gives_a_book_its_digests(copy_of: CopyOf, gomoku_book: Path) -> None:
    book = copy_of(gomoku_book)
    of_revision_0006(book)
    small_book(book, "gomoku-9", 50)
    assert content(book) == content(gomoku_book)
    assert not is_seen(book)
    ids = "SELECT id, digest FROM positions"
    assert rows_of(book, ids) == rows_of(gomoku_book, ids)
