"""What a book was asked for in vain is searched, the most asked first."""

from pathlib import Path

import pytest

from book.misses import Misses
from book.reader import BookReader
from book.storage.address import AnyAddress
from book.whole.export import records
from engine import registry
from engine.search import Limits
from precompute.backend import Backend
from precompute.builder import Builder, BuildOptions, BuildState
from precompute.modes.explore import Explore
from precompute.modes.learn import Learn
from tests.oracles.book_checker import assert_sound

GOMOKU = registry.get("gomoku-9")
NODES = Limits(nodes=300)
COUNTS = {"a1 i9 a9": 3, "e5 a1 e6": 9, "e5 a1": 3, "e5 a1 e6 i9": 1, "b1 i9 a8 h8": 1}


def stones(line: str) -> bytes:
    return GOMOKU.canonical(GOMOKU.play_line(GOMOKU.parse_line(line))).stones


def build(place: AnyAddress, **options: object) -> BuildState:
    given = {"mode": Learn(), "limits": NODES} | options
    return Builder(place, BuildOptions(GOMOKU, **given)).run()  # type: ignore[arg-type]


def held(place: AnyAddress) -> set[str]:
    """Which of the lines above lead to stored positions."""
    with BookReader(place) as reader:
        return {
            line
            for line in COUNTS
            if reader.get(GOMOKU, GOMOKU.play_line(GOMOKU.parse_line(line))) is not None
        }


@pytest.fixture(autouse=True)
def current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the counts of books in PostgreSQL are kept."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def book(place: AnyAddress) -> AnyAddress:
    """A small book, and counts of positions that it does not hold."""
    build(place, mode=Explore(10))
    Misses(place).add(GOMOKU, {stones(line): count for line, count in COUNTS.items()})
    return place


def test_all_that_was_asked_is_added_and_leaves_the_file(book: AnyAddress) -> None:
    state = build(book)
    assert (state.added, held(book)) == (len(COUNTS), set(COUNTS))
    assert Misses(book).count(GOMOKU) == 0
    assert_sound(book, GOMOKU)


def test_the_most_missed_come_first_up_to_as_many_positions_as_wanted(book: AnyAddress) -> None:
    build(book, mode=Learn(12))
    # Of two that are asked as often the one with fewer stones.
    assert held(book) == {"e5 a1 e6", "e5 a1"}


def test_what_the_book_holds_by_now_is_not_searched_again(book: AnyAddress) -> None:
    with BookReader(book) as reader:
        assert reader.get(GOMOKU, GOMOKU.initial) is not None
    Misses(book).add(GOMOKU, {stones(""): 100})
    assert build(book).added == len(COUNTS)
    assert Misses(book).count(GOMOKU) == 0


def test_nothing_asked_is_nothing_to_do(place: AnyAddress) -> None:
    build(place, mode=Explore(10))
    state = build(place)
    assert (state.added, state.searches) == (0, 0)


def test_another_game_is_left_alone(book: AnyAddress) -> None:
    swap = registry.get("pentago-swap")
    Misses(book).add(swap, {swap.canonical(swap.play_line(swap.parse_line("a1:12"))).stones: 1})
    build(book)
    assert Misses(book).count(swap) == 1


@pytest.mark.parametrize("stop", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_jobs_and_stops_make_no_difference(tmp_path: Path, stop: int) -> None:
    one, other = tmp_path / "one.db", tmp_path / "other.db"
    # More than the plan holds at a time.
    lines = [f"e5 {GOMOKU.format_cell(cell)} a1" for cell in range(1, 40)]
    for path in (one, other):
        build(path, mode=Explore(10))
        Misses(path).add(GOMOKU, {stones(line): number for number, line in enumerate(lines)})
    build(one)
    stopped = Builder(
        other,
        BuildOptions(GOMOKU, Learn(), NODES, jobs=3, backend=Backend.THREADING),
        lambda state: stopped.stop() if state.searches >= stop else None,
    )
    stopped.run()
    assert not stopped.complete
    build(other, jobs=3, backend=Backend.THREADING)
    assert list(records(other, reproducible=True)) == list(records(one, reproducible=True))
    assert_sound(one, GOMOKU)
