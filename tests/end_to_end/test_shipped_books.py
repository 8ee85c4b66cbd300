"""The books in data/: without a fault, and small."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from book.reader import BookReader
from engine import registry
from engine.position import Position
from engine.values import winning_probability
from fivebook.cli import cli
from service.play.arena.openings import read_openings
from tests.checkout import DATA

BOOKS = sorted(DATA.glob("*.db"))
SHIPPED = [
    "gomoku-11.db",
    "gomoku-13-standard.db",
    "gomoku-13.db",
    "gomoku-15-renju.db",
    "gomoku-15-standard.db",
    "gomoku-15.db",
    "gomoku-17.db",
    "gomoku-19.db",
    "gomoku-20.db",
    "pentago-swap.db",
]


def test_there_are_books() -> None:
    assert [book.name for book in BOOKS] == SHIPPED


of_each_book = pytest.mark.parametrize("book", BOOKS, ids=lambda book: str(book.name))


def verified(book: Path, *options: str) -> str:
    result = CliRunner().invoke(cli, ["verify", str(book), *options])
    assert result.exit_code == 0, result.output
    return result.stdout


@of_each_book
def test_a_shipped_book_is_small(book: Path) -> None:
    assert book.stat().st_size < 10_000_000


@of_each_book
def test_a_sample_of_a_shipped_book_has_no_fault(book: Path) -> None:
    assert verified(book, "--sample", "500") == f"{book}: 500 positions looked at, no fault\n"


@of_each_book
def test_a_shipped_book_knows_the_empty_board(book: Path) -> None:
    game = registry.get(book.stem)
    with BookReader(book) as reader:
        assert reader.get(game, game.initial) is not None


def test_of_11_all_second_moves_are_proved_to_lose_but_those_beside_the_first_stone() -> None:
    game = registry.get("gomoku-11")
    after_f6 = game.play_line(game.parse_line("f6"))
    with BookReader(DATA / "gomoku-11.db") as book:
        entries = {
            game.format_move(child.moves[0]): book.get(game, game.play(after_f6, child.moves[0]))
            for child in game.children(after_f6)
        }
    open_ = {move for move, entry in entries.items() if entry is None or not entry.proven}
    assert (len(entries), open_) == (20, {"e5", "f5"})
    assert all(entry is not None and entry.value > 0 for entry in entries.values())


@pytest.mark.slow
@of_each_book
def test_a_shipped_book_has_no_fault(book: Path) -> None:
    assert "no fault" in verified(book)


def test_the_26_openings_of_renju_are_reached_from_the_empty_board() -> None:
    game = registry.get("gomoku-15-renju")
    openings = read_openings(game, DATA / "roots" / "gomoku-15-renju.txt")
    beginnings = {opening[:stones] for opening in openings for stones in range(4)}
    assert len(beginnings) == 1 + 1 + 2 + 26
    with BookReader(DATA / "gomoku-15-renju.db") as book:
        assert all(book.get(game, game.play_line(each)) for each in beginnings)


def test_the_26_openings_of_renju_go_to_ply_8() -> None:
    """Wherever moves lead that give away at most 3 % together, unless a proof ends the line."""
    game = registry.get("gomoku-15-renju")
    openings = read_openings(game, DATA / "roots" / "gomoku-15-renju.txt")
    # The positions of a ply, with what may still be given away on the way to ply 8.
    left = {game.canonical(game.play_line(opening)).position: 0.03 for opening in openings}
    assert len(left) == 26
    missing = []
    with BookReader(DATA / "gomoku-15-renju.db") as book:
        for _ply in range(3, 9):
            after: dict[Position, float] = {}
            for position, may_lose in left.items():
                entry = book.get(game, position)
                if entry is None:
                    missing.append(position)
                if entry is None or entry.proven:
                    continue
                best = winning_probability(entry.value)
                for move in entry.moves:
                    rest = may_lose - (best - winning_probability(move.value))
                    if rest >= 0:
                        child = game.canonical(game.play(position, move.move)).position
                        after[child] = max(rest, after.get(child, 0.0))
            left = after
    assert not missing
