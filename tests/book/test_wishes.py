"""Wishes are kept, listed and refused in one sentence, in each kind of database."""

import json

import pytest

from book.errors import BookUnwritable
from book.reader import BookReader
from book.storage.address import AnyAddress
from book.storage.schema import Wish
from book.wishes import make_wish, wishes_of
from book.writer import BookWriter
from engine import registry
from engine.game import Game
from tests.books import Fivebook, small_book
from tests.oracles.book_checker import assert_sound


def stored_line(book: AnyAddress, game: Game) -> str:
    """Two moves to a position of the book, turned by a symmetry."""
    with BookReader(book) as reader:
        entry = reader.find(game, game.initial)
        lines = (move.line[:2] for move in entry.moves)
        line = next(line for line in lines if reader.get(game, game.play_line(line)) is not None)
    return game.format_line([game.map_move(move, 5) for move in line])


def test_wishes_are_kept_in_any_orientation_and_taken_back(
    place: AnyAddress, gomoku: Game, fivebook: Fivebook
) -> None:
    small_book(place, "gomoku-9", 12)
    line = stored_line(place, gomoku)
    for word in ("more", "less", "never"):
        assert fivebook("wish", place, line, word).exit_code == 0
        with BookReader(place) as reader:
            assert [wished.wish for wished in wishes_of(reader)] == [word]
        assert_sound(place, gomoku)
    assert fivebook("wish", place, line, "none").exit_code == 0
    assert "no wishes" in fivebook("wish", place).output
    assert_sound(place, gomoku)


def test_wishes_are_listed_by_game(place: AnyAddress, fivebook: Fivebook) -> None:
    for name in ("gomoku-9", "pentago-swap"):
        small_book(place, name, 5)
        game = registry.get(name)
        make_wish(place, game, game.initial, Wish.LESS)
    listed = json.loads(fivebook("wish", place, "--json").output)
    nothing = {"dark": "", "light": "", "wish": "less"}
    both = [{"game": name, **nothing} for name in ("gomoku-9", "pentago-swap")]
    assert listed["wishes"] == both
    listed = json.loads(fivebook("wish", place, "--game", "gomoku-9", "--json").output)
    assert listed["wishes"] == both[:1]


def test_no_wish_is_made_while_a_builder_is_at_work(place: AnyAddress, gomoku: Game) -> None:
    with (
        BookWriter(place, gomoku),
        pytest.raises(BookUnwritable, match="being built by another"),
    ):
        make_wish(place, gomoku, gomoku.initial, Wish.MORE)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("a1 i9 a9", "more"), '--game gomoku-9 --root "a1 i9 a9" adds it'),
        (("a1 a2 b1 b2 c1 c2 d1 d2 e1", "more"), "the game is over"),
        (("a1 a1", "more"), "illegal move"),
        (("a1",), "say what is wished of 'a1': more, less, never, none"),
        (("a1", "perhaps"), "'perhaps' is not one of"),
        (("", "more", "--game", "gomoku-15"), "does not hold gomoku-15"),
    ],
)
def test_what_cannot_be_wished_is_refused_in_one_sentence(
    gomoku_book: AnyAddress, fivebook: Fivebook, arguments: tuple[str, ...], sentence: str
) -> None:
    result = fivebook("wish", gomoku_book, *arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr.splitlines()[-1]


def test_the_game_must_be_named_where_there_are_several(
    both_book: AnyAddress, fivebook: Fivebook
) -> None:
    result = fivebook("wish", both_book, "", "more")
    assert result.exit_code == 2
    assert "holds gomoku-9 and pentago-swap: use --game" in result.stderr
