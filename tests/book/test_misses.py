"""The file of what a book was asked for: counted once each, by any number of processes."""

import multiprocessing
import resource
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from book.errors import BookUnreadable, BookUnwritable
from book.misses import Asked
from engine import registry
from engine.game import Game
from tests.book.users import plain_user
from tests.books import CopyOf, Fivebook

GOMOKU = registry.get("gomoku-9")


def stones(line: str, game: Game = GOMOKU) -> bytes:
    return game.canonical(game.play_line(game.parse_line(line))).stones


def listed(asked: Asked, game: Game = GOMOKU) -> list[tuple[bytes, int]]:
    return [(position.stones, count) for position, count in asked.most_asked(game, 100)]


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    return Asked(tmp_path / "book.db")


def test_counts_of_a_position_add_up(asked: Asked) -> None:
    asked.add(GOMOKU, {stones("e5"): 2})
    asked.add(GOMOKU, {stones("e5"): 3})
    assert listed(asked) == [(stones("e5"), 5)]


def test_the_most_asked_come_first_then_fewer_stones_then_keys(asked: Asked) -> None:
    lines = ["e5 a1", "e5", "a1", "b2 a1"]
    asked.add(GOMOKU, {stones(line): 1 for line in lines} | {stones("e5 d4 e4"): 2})
    same = sorted([stones("e5"), stones("a1")], key=GOMOKU.key)
    more = sorted([stones("e5 a1"), stones("b2 a1")], key=GOMOKU.key)
    assert [each for each, _ in listed(asked)] == [stones("e5 d4 e4"), *same, *more]
    assert [each.stones for each, _ in asked.most_asked(GOMOKU, 2)] == [stones("e5 d4 e4"), same[0]]


def test_games_are_counted_apart(asked: Asked) -> None:
    swap = registry.get("pentago-swap")
    asked.add(GOMOKU, {stones("e5"): 1, stones("a1"): 1})
    asked.add(swap, {stones("a1:12", swap): 1})
    assert (asked.count(GOMOKU), asked.count(swap)) == (2, 1)
    assert listed(asked, swap) == [(stones("a1:12", swap), 1)]


def test_what_is_forgotten_is_gone(asked: Asked) -> None:
    asked.add(GOMOKU, {stones("e5"): 1, stones("a1"): 1})
    asked.forget(GOMOKU, [stones("e5")])
    assert listed(asked) == [(stones("a1"), 1)]


def test_of_too_many_the_least_asked_and_latest_in_a_game_go(tmp_path: Path) -> None:
    asked = Asked(tmp_path / "book.db", most=2)
    asked.add(GOMOKU, {stones("e5"): 1, stones("e5 a1"): 1, stones("e5 d4 e4"): 2})
    assert listed(asked) == [(stones("e5 d4 e4"), 2), (stones("e5"), 1)]


def test_nothing_was_asked_where_there_is_no_file(asked: Asked) -> None:
    assert (asked.count(GOMOKU), listed(asked)) == (0, [])
    assert not asked.path.exists()


def add_often(book: Path) -> None:
    for _ in range(50):
        Asked(book).add(GOMOKU, {stones("e5"): 1, stones("a1"): 1})


def test_processes_that_count_at_once_lose_nothing(tmp_path: Path) -> None:
    book = tmp_path / "book.db"
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=add_often, args=(book,)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert sorted(count for _, count in listed(Asked(book))) == [150, 150]


def test_all_may_be_the_first_at_once(tmp_path: Path) -> None:
    books = [Asked(tmp_path / f"{number}.db") for number in range(30)]
    with ThreadPoolExecutor(4) as pool:
        for asked in books:
            list(pool.map(asked.add, [GOMOKU] * 4, [{stones("e5"): 1}] * 4))
    assert [listed(asked) for asked in books] == [[(stones("e5"), 4)]] * len(books)


def test_the_file_of_a_database_is_in_the_current_folder() -> None:
    assert Asked("postgresql://me@there/books").path == Path("books.asked")


@pytest.mark.parametrize("damaged", [b"e", b"\x00\x00", b"\x50", b"\xff", bytes(range(10))])
def test_what_is_no_canonical_position_is_damage(asked: Asked, damaged: bytes) -> None:
    asked.add(GOMOKU, {stones("e5"): 1})
    with sqlite3.connect(asked.path) as connection:
        connection.execute("UPDATE asked SET stones = ?", (damaged,))
    connection.close()
    with pytest.raises(BookUnreadable, match="is damaged"):
        listed(asked)


def test_another_file_of_this_name_is_refused(asked: Asked) -> None:
    asked.path.write_text("something else\n" * 1000)
    with pytest.raises(BookUnreadable, match=r"cannot use '.*book\.db\.asked'"):
        listed(asked)
    with pytest.raises(BookUnwritable, match=r"cannot use '.*book\.db\.asked'"):
        asked.add(GOMOKU, {stones("e5"): 1})


def test_a_read_only_folder_is_told(open_folder: Path) -> None:
    asked = Asked(open_folder / "book.db")
    open_folder.chmod(0o555)
    with plain_user(open_folder), pytest.raises(BookUnwritable, match="unable to open"):
        asked.add(GOMOKU, {stones("e5"): 1})


def test_a_full_disk_is_told_and_costs_no_earlier_count(asked: Asked) -> None:
    asked.add(GOMOKU, {stones("e5"): 1})
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, unlimited[1]))
    try:
        with pytest.raises(BookUnwritable, match="disk I/O error"):
            asked.add(GOMOKU, {stones("a1"): 1})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    assert listed(asked) == [(stones("e5"), 1)]


def test_info_tells_how_many_wait(gomoku_book: Path, copy_of: CopyOf, fivebook: Fivebook) -> None:
    book = copy_of(gomoku_book)
    assert "wait for" not in fivebook("info", book).output
    Asked(book).add(GOMOKU, {stones("a1 i9 a9"): 1, stones("a1 i9 a8"): 7})
    assert "2 positions wait for fivebook build --mode learn" in fivebook("info", book).output
