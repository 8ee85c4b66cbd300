"""`fivebook import`: games, trees and databases become part of a book, or nothing does."""

import json
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from book.files.formats import formats
from book.reader import BookReader
from book.whole.export import records
from engine import registry
from engine.game import Game
from tests.book.integrity.alterations import alter, is_seen
from tests.books import CopyOf, Fivebook

GAMES = "# game: gomoku-9\ne5 f6 g7 1-0\ne5 d4 1-0\ne5 f5 0-1\ne5 f6 1/2-1/2\ne5 f6\n"
TREE = "(;GM[4]SZ[9];B[ee]C[the middle](;W[df]V[1])(;W[de]))"
# The head of a library, and a node a1 without a child.
LIBRARY = b"\xffRenLib\xff\x03\x04" + b"\xff" * 10 + b"\xe1\x40"
PSQ = "Piskvorky 9x9, 11:11, 0\r\n5,5,0\r\n6,4,0\r\n"


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.txt"
    path.write_text(GAMES)
    return path


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    path = tmp_path / "tree.sgf"
    path.write_text(TREE)
    return path


def asked(fivebook: Fivebook, book: Path, moves: str) -> Mapping[str, Any]:
    result = fivebook("query", book, moves, "--nodes", 50, "--json")
    assert result.exit_code == 0, result.stderr
    found: Mapping[str, Any] = json.loads(result.stdout)
    return found


def content(book: Path) -> list[dict[str, object]]:
    return list(records(book, reproducible=True))


def test_lines_of_moves_need_no_head_where_the_game_is_named(
    tmp_path: Path, fivebook: Fivebook
) -> None:
    book, plain = tmp_path / "new.db", tmp_path / "plain.txt"
    plain.write_text("e5 f6 g7\ne5 d4\n")
    result = fivebook("import", plain, "-o", book, "--game", "gomoku-9")
    assert result.exit_code == 0, result.stderr
    assert asked(fivebook, book, "e5")["imported"]["counts"]["games"] == 2
    assert "a position" not in fivebook("info", book).stdout


@pytest.mark.parametrize("form", sorted(each.name for each in formats().values() if each.write))
@pytest.mark.parametrize("game_id", sorted(each.examples[0] for each in registry.families()))
def test_a_format_holds_a_game_or_says_that_it_cannot(
    form: str, game_id: str, tmp_path: Path, fivebook: Fivebook
) -> None:
    game, plain = registry.get(game_id), tmp_path / "plain.txt"
    move = game.format_move(game.legal_moves(game.initial)[0])
    plain.write_text(move)
    book, again = tmp_path / "new.db", tmp_path / "again.db"
    assert fivebook("import", plain, "-o", book, "--game", game_id).exit_code == 0
    result = fivebook("export", book, "--format", form, "-o", tmp_path / "file")
    if formats()[form].holds(game):
        assert result.exit_code == 0, result.stderr
        options = ("-o", again, "--game", game_id, "--format", form)
        result = fivebook("import", tmp_path / "file", *options)
        assert result.exit_code == 0, result.stderr
        assert asked(fivebook, again, move)["imported"]
    else:
        assert result.exit_code == 2
        assert result.stderr == f"Error: a {formats()[form].title} cannot hold {game.title}\n"
        assert not (tmp_path / "file").exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [("game.psq", PSQ.encode()), ("game.pos", b"\x02\x70\x71"), ("game.lib", LIBRARY)],
)
def test_stones_of_another_family_are_not_taken_for_moves(
    name: str, content: bytes, tmp_path: Path, fivebook: Fivebook
) -> None:
    (tmp_path / name).write_bytes(content)
    result = fivebook("import", tmp_path / name, "-o", tmp_path / "b.db", "--game", "pentago-swap")
    assert result.exit_code == 2
    assert "nothing could be imported: 1 × a" in result.stderr
    assert "which cannot hold pentago-swap" in result.stderr


def test_a_short_text_is_no_database(tmp_path: Path, fivebook: Fivebook) -> None:
    (tmp_path / "game.psq").write_bytes(b"hello\n")
    result = fivebook("import", tmp_path / "game.psq", "-o", tmp_path / "b.db")
    assert result.exit_code == 2
    assert "is no game of Piskvork" in result.stderr


def test_a_file_that_is_not_what_its_ending_says_is_refused(
    tmp_path: Path, fivebook: Fivebook
) -> None:
    library = tmp_path / "spoilt.lib"
    library.write_bytes(bytes(range(100)))
    result = fivebook("import", library, "-o", tmp_path / "new.db")
    assert result.exit_code == 2
    assert "is no library of RenLib" in result.stderr
    assert not (tmp_path / "new.db").exists()


def test_games_are_counted_with_their_results(
    games: Path, tmp_path: Path, fivebook: Fivebook
) -> None:
    book = tmp_path / "new.db"
    result = fivebook("import", games, "-o", book)
    assert result.exit_code == 0, result.stderr
    assert "5 positions and 5 games from 1 files" in result.stdout
    imported = asked(fivebook, book, "e5")["imported"]
    assert imported["counts"] == {
        "games": 5,
        "dark_wins": 2,
        "draws": 1,
        "light_wins": 1,
        "dark_rate": 0.625,
    }
    # d4 and f6 are one move by symmetry, f5 is another.
    assert [each["counts"]["games"] for each in imported["moves"]] == [4, 1]
    shown = fivebook("query", book, "e5", "--nodes", 50).stdout
    assert "played 5 times, dark won 50 %, drawn 25 %, light won 25 %" in shown


def test_what_was_imported_is_the_same_in_every_orientation(
    games: Path, tmp_path: Path, fivebook: Fivebook
) -> None:
    book = tmp_path / "new.db"
    fivebook("import", games, "-o", book)
    counts = [asked(fivebook, book, line)["imported"]["counts"] for line in ("e5 f6", "e5 d6")]
    assert counts[0] == counts[1]
    assert counts[0]["games"] == 4


def test_a_tree_brings_comments_and_hints_that_are_not_proven(
    tree: Path, tmp_path: Path, fivebook: Fivebook
) -> None:
    book = tmp_path / "new.db"
    fivebook("import", tree, "-o", book)
    (hint,) = asked(fivebook, book, "e5")["imported"]["hints"]
    assert (hint["source"], hint["comment"]) == ("tree.sgf", "the middle")
    answer = asked(fivebook, book, "e5 d4")
    assert answer["imported"]["hints"][0]["value"] == 100
    assert not answer["proven"]


def test_a_book_keeps_all_that_it_knew(
    games: Path, tree: Path, gomoku_book: Path, copy_of: CopyOf, fivebook: Fivebook
) -> None:
    book = copy_of(gomoku_book)
    before = content(book)
    result = fivebook("import", games, tree, "-o", book)
    assert result.exit_code == 0, result.stderr
    assert content(book) == before
    assert fivebook("verify", book).exit_code == 0
    listed = json.loads(fivebook("info", book, "--json").stdout)["games"][0]["imported"]
    assert [each["name"] for each in listed] == ["games.txt", "tree.sgf"]


def test_a_file_does_not_count_twice(games: Path, tmp_path: Path, fivebook: Fivebook) -> None:
    book, again = tmp_path / "new.db", tmp_path / "again.txt"
    shutil.copy(games, again)
    fivebook("import", games, "-o", book)
    result = fivebook("import", again, "-o", book)
    assert "was imported before" in result.stdout
    assert asked(fivebook, book, "e5")["imported"]["counts"]["games"] == 5


def test_what_is_left_out_is_listed(tmp_path: Path, fivebook: Fivebook) -> None:
    path = tmp_path / "mixed.txt"
    path.write_text("# game: gomoku-9\ne5 e5\ne5 f6 g7\n")
    result = fivebook("import", path, "-o", tmp_path / "new.db", "--plies", 2)
    assert "1 × a line that cannot be read (line 2: " in result.stdout
    assert "1 × a position deeper than --plies" in result.stdout


def test_a_file_that_cannot_be_read_leaves_no_book(
    games: Path, tmp_path: Path, fivebook: Fivebook
) -> None:
    book, broken = tmp_path / "new.db", tmp_path / "broken.sgf"
    broken.write_text("(;GM[4]SZ[9];B[ee]")
    result = fivebook("import", games, broken, "-o", book)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "breaks off" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == [
        "games.txt",
        "broken.sgf",
    ] or not book.exists()
    kept = fivebook("import", games, broken, "-o", book, "--keep-going")
    assert kept.exit_code == 0
    assert "left out: " in kept.stdout


def test_a_book_is_what_it_was_if_a_file_cannot_be_read(
    games: Path, gomoku_book: Path, copy_of: CopyOf, tmp_path: Path, fivebook: Fivebook
) -> None:
    book, broken = copy_of(gomoku_book), tmp_path / "broken.sgf"
    broken.write_text("(;GM[4]SZ[9];B[ee]")
    fivebook("import", games, broken, "-o", book)
    with BookReader(book) as reader, reader.connection() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM imported").scalar() == 0
    assert fivebook("verify", book).exit_code == 0


def test_a_book_is_no_file_to_import(gomoku_book: Path, tmp_path: Path, fivebook: Fivebook) -> None:
    result = fivebook("import", gomoku_book, "-o", tmp_path / "new.db")
    assert result.exit_code == 2
    assert "fivebook merge" in result.stderr


def test_other_games_need_leave(
    gomoku_book: Path, copy_of: CopyOf, tmp_path: Path, fivebook: Fivebook
) -> None:
    book, path = copy_of(gomoku_book), tmp_path / "other.sgf"
    path.write_text("(;GM[4]SZ[15];B[hh])")
    refused = fivebook("import", path, "-o", book, "--game", "gomoku-15")
    assert refused.exit_code == 2
    assert "--add-game" in refused.stderr
    done = fivebook("import", path, "-o", book, "--game", "gomoku-15", "--add-game")
    assert done.exit_code == 0, done.stderr


def test_the_rule_of_a_game_of_piskvork_is_the_books(tmp_path: Path, fivebook: Fivebook) -> None:
    book, path = tmp_path / "new.db", tmp_path / "game.psq"
    path.write_text(PSQ)
    assert fivebook("import", path, "-o", book, "--game", "gomoku-9-renju").exit_code == 0
    assert asked(fivebook, book, "5,5 6,6")["imported"]["counts"]["games"] == 1


@pytest.fixture
def imported_book(
    games: Path, tree: Path, gomoku_book: Path, copy_of: CopyOf, fivebook: Fivebook
) -> Path:
    book = copy_of(gomoku_book)
    assert fivebook("import", games, tree, "-o", book).exit_code == 0
    return book


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "sgf", "lib", "txt", "rapfi-db"])
def test_an_exported_book_is_imported_again(
    form: str, imported_book: Path, tmp_path: Path, fivebook: Fivebook
) -> None:
    """A copy of a copy is the copy: what a format cannot hold is gone the first time."""
    written: list[bytes] = []
    book = imported_book
    for number in range(3):
        path = tmp_path / f"{number}.{form}"
        result = fivebook("export", book, "--format", form, "-o", path, "--game", "gomoku-9")
        assert result.exit_code == 0, result.stderr
        written.append(path.read_bytes())
        book = tmp_path / f"{number}.db"
        done = fivebook("import", path, "-o", book, "--format", form, "--game", "gomoku-9")
        assert done.exit_code == 0, done.stderr
    with BookReader(imported_book) as first, BookReader(book) as last:
        game: Game = registry.get("gomoku-9")
        entry, copied = first.get(game, game.initial), last.imported(game, game.initial)
        assert entry is not None
        assert copied is not None
        assert abs((copied.hints[0].value or 0) - entry.value) < 2
    if form in ("sgf", "lib", "txt"):
        assert written[1] == written[2]


def test_a_merged_book_has_the_imports_of_both_once(
    imported_book: Path, games: Path, tmp_path: Path, fivebook: Fivebook
) -> None:
    other, merged = tmp_path / "other.db", tmp_path / "merged.db"
    fivebook("import", games, "-o", other)
    result = fivebook("merge", imported_book, other, "-o", merged)
    assert result.exit_code == 0, result.stderr
    assert fivebook("verify", merged).exit_code == 0
    assert asked(fivebook, merged, "e5")["imported"]["counts"]["games"] == 5


def test_pruning_by_plies_takes_out_what_was_imported_deeper(
    imported_book: Path, fivebook: Fivebook
) -> None:
    assert fivebook("prune", imported_book, "--plies", 1).exit_code == 0
    assert fivebook("verify", imported_book).exit_code == 0
    with closing(sqlite3.connect(imported_book)) as connection:
        assert connection.execute("SELECT max(ply) FROM imported").fetchone() == (1,)


@pytest.mark.parametrize("seed", range(12))
def test_any_altered_row_is_seen(seed: int, imported_book: Path) -> None:
    done = alter(imported_book, seed)
    assert is_seen(imported_book), done


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE imported SET games = games + 1 WHERE id = 2",
        "UPDATE imported SET comment = 'other' WHERE id = 2",
        "DELETE FROM imported WHERE id = 2",
        "UPDATE sources SET name = 'other' WHERE id = 1",
        "UPDATE imported SET stones = x'0000' WHERE id = 3",
        "UPDATE imported SET source = 99 WHERE id = 3",
    ],
)
def test_altered_imports_are_seen_and_repaired(
    statement: str, imported_book: Path, fivebook: Fivebook
) -> None:
    before = content(imported_book)
    with closing(sqlite3.connect(imported_book)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(statement)
        connection.commit()
    assert fivebook("verify", imported_book).exit_code == 1
    assert fivebook("repair", imported_book).exit_code == 0
    assert fivebook("verify", imported_book).exit_code == 0
    assert content(imported_book) == before


def test_views_are_for_people(imported_book: Path) -> None:
    with closing(sqlite3.connect(imported_book)) as connection:
        played = connection.execute(
            "SELECT dark, light, games FROM played WHERE ply < 2"
        ).fetchall()
        hints = connection.execute(
            "SELECT dark, comment, source FROM hints WHERE ply = 1"
        ).fetchall()
    assert played == [(None, None, 5), ("e5", None, 5)]
    assert hints == [("e5", "the middle", "tree.sgf")]


def test_a_wish_for_a_file_is_one_for_all_its_positions(
    imported_book: Path, games: Path, fivebook: Fivebook
) -> None:
    result = fivebook("wish", imported_book, games, "more", "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["stored"] >= 1
    assert found["stored"] + found["asked"] == 5
    waiting = json.loads(fivebook("info", imported_book, "--json").stdout)["games"][0]["asked"]
    assert waiting == found["asked"]


def test_books_differ_by_the_files_that_were_imported(
    imported_book: Path, gomoku_book: Path, fivebook: Fivebook
) -> None:
    result = fivebook("diff", gomoku_book, imported_book)
    assert result.exit_code == 1
    assert "only B has imported games.txt" in result.stdout
    told = json.loads(fivebook("diff", gomoku_book, imported_book, "--json").stdout)
    assert [each["file"] for each in told["imports"]] == ["games.txt", "tree.sgf"]
    assert not told["equal"]


@pytest.mark.parametrize("command", ["export", "query", "info"])
def test_imports_that_cannot_be_right_get_a_sentence(
    command: str, imported_book: Path, fivebook: Fivebook
) -> None:
    with closing(sqlite3.connect(imported_book)) as connection:
        connection.execute("UPDATE imported SET stones = x'ffff', bound = 9")
        connection.commit()
    result = fivebook(command, imported_book)
    assert result.exit_code in (0, 2)
    assert "Traceback" not in result.output


def test_a_salvaged_book_has_its_imports(
    imported_book: Path, tmp_path: Path, fivebook: Fivebook
) -> None:
    new = tmp_path / "salvaged.db"
    result = fivebook("repair", imported_book, "--salvage", new)
    assert result.exit_code == 0, result.stderr
    assert fivebook("diff", imported_book, new).exit_code == 0


def test_a_wish_for_moves_takes_every_habit(imported_book: Path, fivebook: Fivebook) -> None:
    result = fivebook("wish", imported_book, "4,4", "more", "--coordinates", "piskvork")
    assert result.exit_code == 0, result.stderr
    assert "e5" in result.stdout
