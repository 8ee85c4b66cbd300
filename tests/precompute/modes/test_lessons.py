"""A book learns from the games that were lost with it, before anything else."""

from pathlib import Path

import pytest

from book.lessons import Lesson, Lessons
from book.misses import Misses
from book.reader import BookReader
from book.storage.address import AnyAddress
from engine import registry
from engine.position import Side
from engine.search import Limits
from engine.values import WIN
from precompute.builder import Builder, BuildOptions, BuildState
from precompute.modes.explore import Explore
from precompute.modes.learn import Learn
from tests.oracles.book_checker import assert_sound

GAME = registry.get("gomoku-9")
# Light leaves a three alone, and then the four.
LOST = "e5 a1 f5 a3 g5 a7 h5 a9 d5"
SIDE = Side.LIGHT


def lesson(line: str = LOST, side: Side = SIDE, first: int = 0, wrong: int | None = None) -> Lesson:
    return Lesson(GAME, side, tuple(GAME.parse_line(line)), first, wrong)


def learn(place: AnyAddress, nodes: int = 2_000, **options: object) -> BuildState:
    given = {"mode": Learn(), "limits": Limits(nodes=nodes)} | options
    builder = Builder(place, BuildOptions(GAME, **given))  # type: ignore[arg-type]
    state = builder.run()
    assert builder.complete
    return state


def best_move(place: AnyAddress, line: str) -> str:
    with BookReader(place) as reader:
        entry = reader.find(GAME, GAME.play_line(GAME.parse_line(line)))
    return GAME.format_move(entry.moves[0].move)


@pytest.fixture(autouse=True)
def current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the lessons of books in PostgreSQL are kept."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def book(place: AnyAddress) -> AnyAddress:
    learn(place, mode=Explore(4), nodes=50)
    return place


def test_the_book_leaves_the_game_where_it_went_wrong(book: AnyAddress) -> None:
    Lessons(book).add(lesson(wrong=5))
    state = learn(book)
    assert Lessons(book).waiting(GAME) == []
    (learnt,) = Lessons(book).learnt(GAME)
    assert learnt.learnt is not None
    assert learnt.learnt <= 5
    assert learnt.instead is not None
    assert learnt.instead != learnt.moves[learnt.learnt]
    line = GAME.format_line(learnt.moves[: learnt.learnt])
    assert best_move(book, line) == GAME.format_move(learnt.instead)
    assert 0 < state.added <= len(learnt.moves)
    assert_sound(book, GAME)


def test_where_all_moves_lose_an_earlier_one_is_looked_at(book: AnyAddress) -> None:
    # An open four: whatever light plays at 7 is lost in two.
    Lessons(book).add(lesson(wrong=7))
    learn(book)
    with BookReader(book) as reader:
        entry = reader.find(GAME, GAME.play_line(GAME.parse_line(LOST)[:7]))
    assert entry.proven
    assert entry.value == 2 - WIN
    (learnt,) = Lessons(book).learnt(GAME)
    assert learnt.learnt is not None
    assert learnt.learnt < 7


def test_a_game_that_nobody_saw_coming_is_followed_from_where_the_book_ends(
    book: AnyAddress,
) -> None:
    Lessons(book).add(lesson(first=1))
    learn(book)
    (learnt,) = Lessons(book).learnt(GAME)
    assert learnt.learnt in (1, 3, 5)


def test_a_game_that_was_lost_when_it_began_teaches_nothing(book: AnyAddress) -> None:
    Lessons(book).add(lesson(first=7, wrong=7))
    learn(book)
    (learnt,) = Lessons(book).learnt(GAME)
    assert (learnt.learnt, learnt.instead) == (7, None)


def test_a_turned_game_is_answered_as_it_was_played(book: AnyAddress) -> None:
    turned = [GAME.map_move(move, 3) for move in GAME.parse_line(LOST)]
    Lessons(book).add(lesson(GAME.format_line(turned), wrong=5))
    learn(book)
    (learnt,) = Lessons(book).learnt(GAME)
    assert learnt.instead is not None
    assert learnt.learnt is not None
    before = learnt.moves[: learnt.learnt]
    assert learnt.instead in GAME.legal_moves(GAME.play_line(before))
    assert best_move(book, GAME.format_line(before)) == GAME.format_move(learnt.instead)


def test_lessons_come_before_misses(book: AnyAddress) -> None:
    missed = GAME.canonical(GAME.play_line(GAME.parse_line("a1 i9 a9")))
    Misses(book).add(GAME, {missed.stones: 1000})
    Lessons(book).add(lesson(wrong=5))
    learn(book, mode=Learn(5))
    with BookReader(book) as reader:
        assert reader.get(GAME, missed.position) is None
        assert reader.get(GAME, GAME.play_line(GAME.parse_line(LOST)[:5])) is not None
    learn(book)
    with BookReader(book) as reader:
        assert reader.get(GAME, missed.position) is not None


def test_who_loses_the_same_game_again_has_not_learnt(book: AnyAddress) -> None:
    Lessons(book).add(lesson(wrong=5))
    learn(book)
    assert not Lessons(book).waiting(GAME)
    Lessons(book).add(lesson(wrong=5))
    (again,) = Lessons(book).waiting(GAME)
    assert again == lesson(wrong=5)


def test_a_book_without_lessons_has_nothing_to_learn(book: AnyAddress) -> None:
    assert learn(book).searches == 0
    assert Lessons(book).learnt(GAME) == []


@pytest.mark.parametrize("count", [1, 6])
def test_every_game_is_learnt_from(book: AnyAddress, count: int) -> None:
    starts = ["e5", "e4", "d4", "c3", "b2", "a1"][:count]
    for start in starts:
        Lessons(book).add(lesson(f"{start} f8 g8 h8 i8 a9 b9", Side.DARK))
    learn(book, nodes=100)
    assert len(Lessons(book).learnt(GAME)) == count
    assert_sound(book, GAME)
