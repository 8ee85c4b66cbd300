"""What is drawn of a book, and the history behind it."""

import builtins
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from book.reader import BookReader
from book.storage.address import AnyAddress
from book.storage.schema import moves, positions
from book.whole.plot import picture
from engine.values import winning_probability
from tests.book.handmade import of_revision_0002
from tests.books import Fivebook, rows_of, small_book


def test_what_is_drawn_is_what_the_rows_say(any_book: AnyAddress) -> None:
    with BookReader(any_book) as reader:
        (game,) = reader.games
        drawn = picture(reader, game)
        with reader.connection() as connection:
            rows = connection.execute(select(positions)).all()
            parents = connection.execute(select(moves.c.parent)).scalars().all()
    for proven, counts in zip((True, False), drawn.chances, strict=True):
        here = [row for row in rows if bool(row.proven) == proven]
        assert sum(counts) == len(here)
        chances = [winning_probability(-r.value if r.ply % 2 else r.value) for r in here]
        mean = sum(n * (at + 0.5) / len(counts) for at, n in enumerate(counts))
        # No position is more than a bin away from where it is drawn.
        assert abs(mean - sum(chances)) <= len(here) / len(counts)
    plies = {row.id: row.ply for row in rows}
    for ply, children in drawn.branching.items():
        of_ply = [row for row in rows if row.ply == ply]
        assert children * len(of_ply) == pytest.approx(
            sum(plies[parent] == ply for parent in parents)
        )


def test_the_history_ends_with_what_the_empty_board_is_worth(place: AnyAddress) -> None:
    small_book(place, "gomoku-9", 20)
    small_book(place, "gomoku-9", 40)
    found = rows_of(place, "SELECT * FROM history ORDER BY id")
    (root,) = rows_of(place, "SELECT * FROM positions WHERE ply = 0")
    assert len(found) > 1
    assert (found[-1]["value"], found[-1]["proven"]) == (root["value"], root["proven"])
    assert found[0]["positions"] == 1
    assert [row["positions"] for row in found] == sorted(row["positions"] for row in found)
    for before, after in pairwise(found):
        assert (before["value"], before["proven"]) != (after["value"], after["proven"])
    with BookReader(place) as reader:
        (game,) = reader.games
        assert [m.value for m in picture(reader, game).recorded] == [r["value"] for r in found]


@pytest.mark.parametrize(("ending", "begins"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_the_command_draws_an_image(
    fivebook: Fivebook,
    stored: Callable[[str], AnyAddress],
    tmp_path: Path,
    ending: str,
    begins: bytes,
) -> None:
    pytest.importorskip("matplotlib")
    image = tmp_path / f"book.{ending}"
    result = fivebook("plot", stored("gomoku_book"), "-o", image)
    assert result.exit_code == 0, result.output
    assert image.read_bytes().startswith(begins)


@pytest.mark.parametrize("name", ["empty_book", "won_book"])
def test_a_book_with_little_in_it_is_drawn_as_well(
    fivebook: Fivebook, tmp_path: Path, request: pytest.FixtureRequest, name: str
) -> None:
    pytest.importorskip("matplotlib")
    result = fivebook("plot", request.getfixturevalue(name), "-o", tmp_path / "x.png")
    assert result.exit_code == 0, result.output


def test_without_matplotlib_it_says_what_to_install(
    fivebook: Fivebook, gomoku_book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = builtins.__import__

    def refuse(name: str, *rest: Any, **named: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return load(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", refuse)
    result = fivebook("plot", gomoku_book, "-o", tmp_path / "x.png")
    assert result.exit_code == 2
    assert "pip install 'fivebook[plot]'" in result.stderr


@pytest.mark.parametrize("output", ["none/x.png", "x.xyz"])
def test_a_file_that_cannot_be_written_gets_one_sentence(
    fivebook: Fivebook, gomoku_book: Path, tmp_path: Path, output: str
) -> None:
    pytest.importorskip("matplotlib")
    result = fivebook("plot", gomoku_book, "-o", tmp_path / output)
    assert result.exit_code == 2
    assert "cannot write the plot" in result.stderr
    assert not (tmp_path / output).exists()


def test_a_book_of_the_schema_before_gets_a_history_when_it_is_built_on(tmp_path: Path) -> None:
    book = small_book(tmp_path / "old.db", "gomoku-9", 10)
    of_revision_0002(book)
    small_book(book, "gomoku-9", 30)
    assert rows_of(book, "SELECT * FROM history")
