"""Refining by rounds, each with larger limits for fewer positions."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from book.reader import BookReader
from book.storage.schema import runs
from book.whole.export import records
from engine import registry
from engine.search import Limits
from fivebook.cli import cli
from precompute.builder import Builder, BuildOptions, BuildState
from precompute.modes.explore import Explore
from precompute.modes.refine import Refine
from precompute.rounds import rounds_of
from tests.oracles.book_checker import assert_sound

GAME = registry.get("gomoku-5")
REFINED = BuildOptions(GAME, Refine(searches=32), Limits(nodes=200))


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "book.db"
    Builder(path, BuildOptions(GAME, Explore(60), Limits(nodes=40))).run()
    return path


def rounds_in(path: Path) -> list[tuple[int, int]]:
    """The nodes of each run, and how many searches it made."""
    with BookReader(path) as reader, reader.connection() as connection:
        found = connection.execute(select(runs.c.parameters, runs.c.searches)).all()
    return [(json.loads(row.parameters)["limits"]["nodes"], row.searches) for row in found]


def content(path: Path) -> list[dict[str, object]]:
    return list(records(path, reproducible=True))


def refine(path: Path, **options: Any) -> None:
    for chosen in rounds_of(path, REFINED, 3):
        Builder(path, chosen).run()


def test_each_round_gives_fewer_positions_more_nodes(book: Path) -> None:
    refine(book)
    (_, explored), *rounds = rounds_in(book)
    assert explored >= 60
    assert [nodes for nodes, _ in rounds] == [200, 800, 3200]
    assert [searches for _, searches in rounds[1:]] == [8, 2]
    assert_sound(book, GAME)


def test_rounds_that_are_done_are_not_done_again(book: Path) -> None:
    refine(book)
    before = content(book)
    refine(book)
    assert content(book) == before


@pytest.mark.parametrize("most", [1, 5])
def test_rounds_go_on_where_they_were_stopped(book: Path, tmp_path: Path, most: int) -> None:
    whole = tmp_path / "whole.db"
    whole.write_bytes(book.read_bytes())
    refine(whole)

    def stop_soon(state: BuildState) -> None:
        if state.searches == most:
            builder.stop()

    stops, complete = 0, False
    while not complete:
        for chosen in rounds_of(book, REFINED, 3):
            builder = Builder(book, chosen, stop_soon)
            builder.run()
            complete = builder.complete
            if not complete:
                stops += 1
                break
    assert stops > 3
    assert content(book) == content(whole)


def test_the_time_is_that_of_all_rounds(book: Path) -> None:
    (first, *_) = rounds_of(book, BuildOptions(GAME, REFINED.mode, REFINED.limits, seconds=60), 3)
    assert first.seconds is not None
    assert 0 < first.seconds <= 60


def test_a_book_that_is_not_there_yet_begins_with_the_first_round(tmp_path: Path) -> None:
    assert [chosen.limits.nodes for chosen in rounds_of(tmp_path / "none.db", REFINED, 2)] == [
        200,
        800,
    ]


def test_the_command_tells_of_all_rounds_together(book: Path) -> None:
    before = sum(searches for _, searches in rounds_in(book))
    given = ["--mode", "refine", "--nodes", "200", "--searches", "32", "--rounds", "3", "--json"]
    result = CliRunner().invoke(cli, ["build", str(book), "--game", GAME.id, *given])
    assert result.exit_code == 0, result.output
    made = sum(searches for _, searches in rounds_in(book)) - before
    assert json.loads(result.stdout)["searches"] == made


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--mode refine --rounds 2 --nodes 9", "--rounds needs --nodes and --searches"),
        ("--mode refine --rounds 2 --searches 9", "--rounds needs --nodes and --searches"),
        ("--rounds 2", "--mode explore has no --rounds"),
    ],
)
def test_rounds_that_make_no_sense_are_refused(
    tmp_path: Path, arguments: str, message: str
) -> None:
    given = ["build", str(tmp_path / "book.db"), "--game", GAME.id, *arguments.split()]
    result = CliRunner().invoke(cli, given)
    assert result.exit_code == 2
    assert message in result.output


def test_a_database_has_no_rounds() -> None:
    rounds = "--mode refine --rounds 2 --nodes 9 --searches 9"
    given = ["build", "postgresql://localhost/none", "--game", GAME.id, *rounds.split()]
    result = CliRunner().invoke(cli, given)
    assert result.exit_code == 2
    assert "a book in a file" in result.output
