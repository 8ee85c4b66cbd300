"""The file of a book's misses: counted once each, by any number of processes."""

import multiprocessing
import resource
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from book.errors import BookUnreadable, BookUnwritable
from book.misses import Misses
from engine import registry
from engine.game import Game
from tests.book.users import plain_user
from tests.books import CopyOf, Fivebook

GOMOKU = registry.get("gomoku-9")


def stones(line: str, game: Game = GOMOKU) -> bytes:
    return game.canonical(game.play_line(game.parse_line(line))).stones


def listed(misses: Misses, game: Game = GOMOKU) -> list[tuple[bytes, int]]:
    return [(position.stones, count) for position, count in misses.most_missed(game, 100)]


@pytest.fixture
def misses(tmp_path: Path) -> Misses:
    return Misses(tmp_path / "book.db")


def test_counts_of_a_position_add_up(misses: Misses) -> None:
    misses.add(GOMOKU, {stones("e5"): 2})
    misses.add(GOMOKU, {stones("e5"): 3})
    assert listed(misses) == [(stones("e5"), 5)]


def test_those_missed_most_come_first_then_fewer_stones_then_keys(misses: Misses) -> None:
    lines = ["e5 a1", "e5", "a1", "b2 a1"]
    misses.add(GOMOKU, {stones(line): 1 for line in lines} | {stones("e5 d4 e4"): 2})
    same = sorted([stones("e5"), stones("a1")], key=GOMOKU.key)
    more = sorted([stones("e5 a1"), stones("b2 a1")], key=GOMOKU.key)
    assert [each for each, _ in listed(misses)] == [stones("e5 d4 e4"), *same, *more]
    assert [first.stones for first, _ in misses.most_missed(GOMOKU, 2)] == [
        stones("e5 d4 e4"),
        same[0],
    ]


def test_games_are_counted_apart(misses: Misses) -> None:
    swap = registry.get("pentago-swap")
    misses.add(GOMOKU, {stones("e5"): 1, stones("a1"): 1})
    misses.add(swap, {stones("a1:12", swap): 1})
    assert (misses.count(GOMOKU), misses.count(swap)) == (2, 1)
    assert listed(misses, swap) == [(stones("a1:12", swap), 1)]


def test_what_is_forgotten_is_gone(misses: Misses) -> None:
    misses.add(GOMOKU, {stones("e5"): 1, stones("a1"): 1})
    misses.forget(GOMOKU, [stones("e5")])
    assert listed(misses) == [(stones("a1"), 1)]


def test_of_too_many_those_asked_for_least_and_latest_in_a_game_go(tmp_path: Path) -> None:
    misses = Misses(tmp_path / "book.db", most=2)
    misses.add(GOMOKU, {stones("e5"): 1, stones("e5 a1"): 1, stones("e5 d4 e4"): 2})
    assert listed(misses) == [(stones("e5 d4 e4"), 2), (stones("e5"), 1)]


def test_nothing_is_missing_where_there_is_no_file(misses: Misses) -> None:
    assert (misses.count(GOMOKU), listed(misses)) == (0, [])
    assert not misses.path.exists()


def add_often(book: Path) -> None:
    for _ in range(50):
        Misses(book).add(GOMOKU, {stones("e5"): 1, stones("a1"): 1})


def test_processes_that_count_at_once_lose_nothing(tmp_path: Path) -> None:
    book = tmp_path / "book.db"
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=add_often, args=(book,)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert sorted(count for _, count in listed(Misses(book))) == [150, 150]


def test_all_may_be_the_first_at_once(tmp_path: Path) -> None:
    books = [Misses(tmp_path / f"{number}.db") for number in range(30)]
    with ThreadPoolExecutor(4) as pool:
        for misses in books:
            list(pool.map(misses.add, [GOMOKU] * 4, [{stones("e5"): 1}] * 4))
    assert [listed(misses) for misses in books] == [[(stones("e5"), 4)]] * len(books)


def test_the_file_of_a_database_is_in_the_current_folder() -> None:
    assert Misses("postgresql://me@there/books").path == Path("books.misses")


@pytest.mark.parametrize("damaged", [b"e", b"\x00\x00", b"\x50", b"\xff", bytes(range(10))])
def test_what_is_no_canonical_position_is_damage(misses: Misses, damaged: bytes) -> None:
    misses.add(GOMOKU, {stones("e5"): 1})
    with sqlite3.connect(misses.path) as connection:
        connection.execute("UPDATE misses SET stones = ?", (damaged,))
    connection.close()
    with pytest.raises(BookUnreadable, match="is damaged"):
        listed(misses)


def test_another_file_of_this_name_is_refused(misses: Misses) -> None:
    misses.path.write_text("something else\n" * 1000)
    with pytest.raises(BookUnreadable, match=r"cannot use '.*book\.db\.misses'"):
        listed(misses)
    with pytest.raises(BookUnwritable, match=r"cannot use '.*book\.db\.misses'"):
        misses.add(GOMOKU, {stones("e5"): 1})


def former(book: Path, counts: dict[str, int]) -> Path:
    """A file as fivebook 0.3 wrote it."""
    path = book.with_name(f"{book.name}.asked")
    with sqlite3.connect(path) as connection:
        connection.executescript(
            "CREATE TABLE asked (game TEXT, stones BLOB, key BLOB, ply INTEGER, count INTEGER, "
            "PRIMARY KEY (game, stones));"
            "CREATE INDEX idx_asked_game_count_ply_key ON asked (game, count, ply, key);"
        )
        rows = [
            (GOMOKU.id, stones(line), GOMOKU.key(stones(line)), len(line.split()), count)
            for line, count in counts.items()
        ]
        connection.executemany("INSERT INTO asked VALUES (?, ?, ?, ?, ?)", rows)
    connection.close()
    return path


def test_a_file_under_its_former_name_is_read_and_left_alone(
    misses: Misses, tmp_path: Path
) -> None:
    path = former(tmp_path / "book.db", {"e5": 2, "e5 d4": 3})
    before = path.read_bytes()
    assert misses.count(GOMOKU) == 2
    assert listed(misses) == [(stones("e5 d4"), 3), (stones("e5"), 2)]
    assert path.read_bytes() == before
    assert not misses.path.exists()


def test_whoever_writes_first_takes_over_a_file_under_its_former_name(
    misses: Misses, tmp_path: Path
) -> None:
    path = former(tmp_path / "book.db", {"e5": 2, "e5 d4": 3})
    misses.add(GOMOKU, {stones("e5"): 5})
    assert listed(misses) == [(stones("e5"), 7), (stones("e5 d4"), 3)]
    assert not path.exists()


def test_what_is_forgotten_is_not_taken_over(misses: Misses, tmp_path: Path) -> None:
    path = former(tmp_path / "book.db", {"e5": 2, "e5 d4": 3})
    misses.forget(GOMOKU, [stones("e5")])
    assert listed(misses) == [(stones("e5 d4"), 3)]
    assert not path.exists()


def test_counts_under_both_names_add_up(misses: Misses, tmp_path: Path) -> None:
    misses.add(GOMOKU, {stones("e5"): 1})
    path = former(tmp_path / "book.db", {"e5": 2, "e5 d4": 2})
    misses.add(GOMOKU, {stones("a1"): 1})
    assert listed(misses) == [(stones("e5"), 3), (stones("e5 d4"), 2), (stones("a1"), 1)]
    assert not path.exists()


def test_all_may_take_over_at_once_and_count_nothing_twice(tmp_path: Path) -> None:
    books = [tmp_path / f"{number}.db" for number in range(30)]
    for book in books:
        former(book, {"e5": 7})
    with ThreadPoolExecutor(4) as pool:
        for book in books:
            list(pool.map(Misses(book).add, [GOMOKU] * 4, [{stones("a1"): 1}] * 4))
    expected = [(stones("e5"), 7), (stones("a1"), 4)]
    assert [listed(Misses(book)) for book in books] == [expected] * len(books)


def test_what_was_taken_over_before_a_kill_is_not_taken_over_again(
    misses: Misses, tmp_path: Path
) -> None:
    former(tmp_path / "book.db", {"e5": 2})
    misses.add(GOMOKU, {})
    # As it is between the two transactions.
    path = former(tmp_path / "book.db", {"e5": 2})
    with sqlite3.connect(misses.path) as connection:
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    misses.add(GOMOKU, {stones("a1"): 1})
    assert listed(misses) == [(stones("e5"), 2), (stones("a1"), 1)]
    assert not path.exists()


def test_what_is_under_the_former_name_and_no_such_file_is_told(misses: Misses) -> None:
    path = misses.path.with_suffix(".asked")
    path.write_text("something else\n" * 1000)
    with pytest.raises(BookUnreadable, match=r"cannot use '.*book\.db\.asked'"):
        misses.count(GOMOKU)
    with pytest.raises(BookUnwritable, match=r"cannot use '.*book\.db\.asked'"):
        misses.add(GOMOKU, {stones("e5"): 1})
    assert path.exists()


def test_a_read_only_folder_is_told(open_folder: Path) -> None:
    misses = Misses(open_folder / "book.db")
    open_folder.chmod(0o555)
    with plain_user(open_folder), pytest.raises(BookUnwritable, match="unable to open"):
        misses.add(GOMOKU, {stones("e5"): 1})


def test_a_full_disk_is_told_and_costs_no_earlier_count(misses: Misses) -> None:
    misses.add(GOMOKU, {stones("e5"): 1})
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, unlimited[1]))
    try:
        with pytest.raises(BookUnwritable, match="disk I/O error"):
            misses.add(GOMOKU, {stones("a1"): 1})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    assert listed(misses) == [(stones("e5"), 1)]


def test_info_tells_how_many_wait(gomoku_book: Path, copy_of: CopyOf, fivebook: Fivebook) -> None:
    book = copy_of(gomoku_book)
    assert "wait for" not in fivebook("info", book).output
    Misses(book).add(GOMOKU, {stones("a1 i9 a9"): 1, stones("a1 i9 a8"): 7})
    assert "2 positions wait for fivebook build --mode learn" in fivebook("info", book).output
    misses = Misses(book)
    former(book, {"a1 i9 a9": 1})
    misses.path.unlink()
    assert "1 positions wait for fivebook build --mode learn" in fivebook("info", book).output
