"""The main lines of a book below a position."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from book.reader import BookReader
from book.storage.address import AnyAddress
from book.whole.tree import Branch, grow
from engine import registry
from engine.accuracy import class_of
from engine.game import Game
from tests.book.handmade import BLOCKED_ONCE, OPEN_THREE
from tests.books import Fivebook


@pytest.fixture(params=["gomoku_book", "swap_book"])
def reader(
    stored: Callable[[str], AnyAddress], request: pytest.FixtureRequest
) -> Iterator[BookReader]:
    with BookReader(stored(request.param)) as reader:
        yield reader


def told(branches: list[Branch]) -> Iterator[Branch]:
    for branch in branches:
        yield branch
        yield from told(branch.branches)


def depth(branches: list[Branch]) -> int:
    return max((1 + depth(branch.branches) for branch in branches), default=0)


def test_moves_are_those_of_the_book_best_first(reader: BookReader) -> None:
    (game,) = reader.games
    branches = grow(reader, game, game.initial, plies=1, width=3)
    known = reader.find(game, game.initial).moves[:3]
    assert [(b.move, b.value, b.proven, b.depth, b.in_book) for b in branches] == [
        (k.move, k.value, k.proven, k.depth, k.in_book) for k in known
    ]
    assert depth(branches) == 1


def test_a_tree_has_no_more_plies_and_moves_than_asked_for(reader: BookReader) -> None:
    (game,) = reader.games
    branches = grow(reader, game, game.initial, plies=3, width=2)
    assert depth(branches) == 3
    assert len(branches) == 2
    assert all(len(branch.branches) <= 2 for branch in told(branches))


def test_a_position_is_told_once(reader: BookReader) -> None:
    (game,) = reader.games
    branches = grow(reader, game, game.initial, plies=4, width=50)

    def keys(branches: list[Branch], position: object, game: Game) -> Iterator[tuple[bytes, bool]]:
        for branch in branches:
            after = game.play(position, branch.move)  # type: ignore[arg-type]
            if branch.in_book:
                yield game.canonical(after).key, branch.seen
            assert not (branch.seen and branch.branches)
            yield from keys(branch.branches, after, game)

    found = list(keys(branches, game.initial, game))
    first = [key for key, seen in found if not seen]
    assert len(first) == len(set(first))
    assert {key for key, _ in found} == set(first)
    if game.id == "gomoku-9":
        assert len(found) > len(first)


def test_it_stands_in_the_orientation_of_whoever_asks(won_book: Path) -> None:
    game = registry.get("gomoku-9")
    line = game.parse_line(OPEN_THREE)
    with BookReader(won_book) as reader:
        for symmetry in game.symmetries:
            turned = [game.map_move(move, symmetry) for move in line]
            branches = grow(reader, game, game.play_line(turned), plies=2, width=9)
            played = game.play_line([*turned, branches[0].move])
            assert (
                game.canonical(played).key
                == game.canonical(game.play_line(game.parse_line(BLOCKED_ONCE)[:-1])).key
            )
            game.play_line([*turned, branches[0].move, branches[0].branches[0].move])


def test_the_command_prints_it(fivebook: Fivebook, won_book: Path) -> None:
    result = fivebook("tree", won_book, OPEN_THREE)
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0] == f"{OPEN_THREE}  win in 3"
    assert lines[1].startswith("├── h5  win in 3  depth ")
    answer = json.loads(fivebook("tree", won_book, OPEN_THREE, "--json").stdout)
    assert (answer["value"], answer["proven"]) == (29_997, True)
    first = answer["moves"][0]
    assert (first["move"], first["source"], first["seen"]) == ("h5", "book", False)
    assert first["moves"]
    assert first["uncertainty"] == 0.0


def test_each_value_has_its_accuracy(fivebook: Fivebook, gomoku_book: Path) -> None:
    accuracy = registry.get("gomoku-9").accuracy
    branches = json.loads(fivebook("tree", gomoku_book, "--json").stdout)["moves"]
    for branch in branches:
        sure = accuracy.uncertainty(branch["depth"], branch["proven"])
        assert branch["uncertainty"] == sure
    best = next(branch for branch in branches if branch["source"] == "book")
    shown = fivebook("tree", gomoku_book).stdout
    assert f"depth {best['depth']}  {class_of(best['uncertainty'])}" in shown


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["{both}"], "holds gomoku-9 and pentago-swap: use --game"),
        (["{both}", "--game", "pentago"], "does not hold pentago"),
        (["{gomoku}", "a1 i9 a9"], "does not hold this position"),
        (["{gomoku}", "a1 a1"], "illegal move 'a1'"),
        (["{gomoku}", "--plies", "0"], "0 is not in the range"),
    ],
)
def test_bad_input_gets_one_sentence_and_status_2(
    fivebook: Fivebook,
    both_book: Path,
    gomoku_book: Path,
    arguments: list[str],
    sentence: str,
) -> None:
    result = fivebook("tree", *(a.format(both=both_book, gomoku=gomoku_book) for a in arguments))
    assert result.exit_code == 2
    assert sentence in result.stderr
