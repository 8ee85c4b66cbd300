"""What is left of a book whose file is damaged, and what every command says of such a file."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from book.integrity.findings import Kind
from book.integrity.repair import repair
from book.integrity.verify import Verification
from book.storage.address import Address
from book.storage.database import at_one_moment
from book.whole.export import records
from engine.game import Game
from tests.books import CopyOf, Fivebook
from tests.oracles.book_checker import assert_sound

PAGE = 4096
_MOST_DAMAGE = 200


def is_clean(path: Path) -> bool:
    with at_one_moment(Address.of(path)) as connection:
        return not any(Verification(connection).findings())


def scribble(path: Path, random: Random, size: int) -> None:
    """Overwrite `size` bytes somewhere behind the first page, which holds the schema."""
    at = random.randrange(PAGE, path.stat().st_size - size)
    with path.open("r+b") as file:
        file.seek(at)
        file.write(random.randbytes(size))


def assert_says(result: object, path: Path) -> None:
    assert result.exit_code == 2  # type: ignore[attr-defined]
    assert result.stderr.count("\n") == 1  # type: ignore[attr-defined]
    assert f"'{path}'" in result.stderr  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", range(6))
def test_random_bytes_in_a_file_are_found_or_change_nothing(
    seed: int, copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    path = copy_of(gomoku_book)
    scribble(path, Random(seed), 40)
    result = fivebook("verify", path)
    if result.exit_code == 0:
        assert list(records(path, reproducible=True)) == list(
            records(gomoku_book, reproducible=True)
        )
    elif result.exit_code == 1:
        assert "should be" in result.stdout
    else:
        assert_says(result, path)


@pytest.mark.parametrize("seed", range(6))
def test_a_salvaged_book_is_sound_and_holds_nothing_that_was_not_there(
    seed: int, copy_of: CopyOf, gomoku_book: Path, gomoku: Game, fivebook: Fivebook
) -> None:
    path, new = copy_of(gomoku_book), gomoku_book.parent / f"salvaged-{seed}.db"
    random = Random(seed)
    for _ in range(3):
        scribble(path, random, 600)
    before = path.read_bytes()
    result = fivebook("repair", path, "--salvage", new)
    assert path.read_bytes() == before
    if result.exit_code == 2:
        assert_says(result, path)
        assert not new.exists()
        return
    assert is_clean(new)
    assert_sound(new, gomoku)
    there = {record["position"] for record in records(gomoku_book)}
    assert {record["position"] for record in records(new)} <= there


def test_what_one_page_held_is_all_that_is_lost(
    copy_of: CopyOf, gomoku_book: Path, tmp_path: Path, fivebook: Fivebook
) -> None:
    path, new = copy_of(gomoku_book), tmp_path / "new.db"
    lose_a_page_of(path, "positions")
    refused = fivebook("repair", path)
    assert_says(refused, path)
    assert "rows of it are lost: fivebook repair --salvage NEW.db" in refused.stderr
    found = fivebook("verify", path)
    assert found.exit_code == 1
    assert Kind.FILE in found.stdout
    assert fivebook("repair", path, "--salvage", new).exit_code == 0
    # A page holds half a dozen of them; what knew no other move went with it.
    assert 30 < len(list(records(new))) < 50
    assert is_clean(new)


def lose_a_page_of(path: Path, table: str, size: int = 512) -> None:
    """Give the file pages of `size` bytes, and fill one with rows of `table` with zeros."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute(f"PRAGMA page_size = {size}")
        connection.execute("VACUUM")
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)
        ).fetchone()
    start = (root - 1) * size
    data = bytearray(path.read_bytes())
    # An inner page of a table: each cell begins with the number of a page below.
    assert data[start] == 0x05
    cell = start + int.from_bytes(data[start + 12 : start + 14], "big")
    leaf = int.from_bytes(data[cell : cell + 4], "big")
    data[(leaf - 1) * size : leaf * size] = bytes(size)
    path.write_bytes(data)


def test_an_index_that_lacks_rows_is_made_anew(copy_of: CopyOf, gomoku_book: Path) -> None:
    path = copy_of(gomoku_book)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        # Rows deleted while the index is out of sight stay in it, and those added do not.
        entry = connection.execute(
            "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema"
            " WHERE name = 'positions_by_lookup'"
        ).fetchone()
        connection.execute("DELETE FROM sqlite_schema WHERE name = 'positions_by_lookup'")
        connection.commit()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE positions SET lookup = lookup + 1 WHERE ply = 2")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", entry)
        connection.commit()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = RESET")
    assert not is_clean(path)
    repair(Address.of(path), lambda finding: None)
    assert is_clean(path)
    assert list(records(path)) == list(records(gomoku_book))


@pytest.mark.parametrize("command", ["verify", "repair"])
def test_a_file_cut_off_is_said_to_be(
    command: str, copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    path = copy_of(gomoku_book)
    path.write_bytes(gomoku_book.read_bytes()[: 5 * PAGE])
    assert_says(fivebook(command, path), path)


def test_salvaging_overwrites_nothing(
    copy_of: CopyOf, gomoku_book: Path, swap_book: Path, fivebook: Fivebook
) -> None:
    path = copy_of(swap_book)
    before = path.read_bytes()
    result = fivebook("repair", gomoku_book, "--salvage", path)
    assert result.exit_code == 2
    assert f"'{path}' is there already" in result.stderr
    assert path.read_bytes() == before


def test_nothing_is_left_where_nothing_can_be_salvaged(tmp_path: Path, fivebook: Fivebook) -> None:
    path = tmp_path / "text.db"
    path.write_text("no book at all\n" * 1000)
    assert fivebook("repair", path, "--salvage", tmp_path / "new.db").exit_code == 2
    assert [entry.name for entry in tmp_path.iterdir()] == ["text.db"]


# Random damage inside the tables


def overwrite(path: Path, random: Random) -> None:
    """Put something else into a random column of a random row."""
    table = random.choice(["positions", "positions", "positions", "moves", "counts"])
    with closing(sqlite3.connect(path)) as connection:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        columns = [name for name in columns if name not in ("id", "milliseconds")]
        column = random.choice(columns)
        rows = connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()
        keys = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[5]]
        order = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        row = dict(zip(order, random.choice(rows), strict=True))
        put = random.choice(
            [0, 1, 2, 3, random.randrange(-30_000, 30_000), None, "word", random.randbytes(3)]
            + [dict(zip(order, other, strict=True))[column] for other in random.choices(rows, k=3)]
        )
        where = " AND ".join(f"{key} = :{key}" for key in keys)
        try:
            connection.execute(
                f"UPDATE {table} SET {column} = :put WHERE {where}",
                {"put": put} | {key: row[key] for key in keys},
            )
            connection.commit()
        except sqlite3.IntegrityError:
            # SQLite itself keeps this away.
            connection.rollback()


def oracle_finds_fault(path: Path, game: Game) -> bool:
    try:
        assert_sound(path, game)
    except Exception:
        return True
    return False


def check_random_damage(path: Path, good: Path, game: Game, seeds: range) -> int:
    found = 0
    for seed in seeds:
        shutil.copy(good, path)
        random = Random(seed)
        for _ in range(random.randrange(1, 4)):
            overwrite(path, random)
        fault = oracle_finds_fault(path, game)
        clean = is_clean(path)
        assert not (clean and fault), f"seed {seed}: damage not found"
        repair(Address.of(path), lambda finding: None)
        assert is_clean(path), f"seed {seed}: not mended"
        assert not oracle_finds_fault(path, game), f"seed {seed}: not sound"
        found += fault
    return found


def test_verify_finds_what_the_oracle_finds_and_repair_mends_it(
    tmp_path: Path, won_book: Path, gomoku_book: Path, gomoku: Game
) -> None:
    for good in (won_book, gomoku_book):
        assert check_random_damage(tmp_path / "bad.db", good, gomoku, range(12)) > 6


@pytest.mark.slow
def test_verify_finds_what_the_oracle_finds_many_times(
    tmp_path: Path, gomoku_book: Path, gomoku: Game
) -> None:
    path = tmp_path / "bad.db"
    assert check_random_damage(path, gomoku_book, gomoku, range(_MOST_DAMAGE)) > _MOST_DAMAGE // 2
