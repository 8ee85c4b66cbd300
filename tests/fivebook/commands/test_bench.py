"""``fivebook bench``: what it measures is there, and it needs no checkout."""

import json
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from engine import registry
from fivebook.bench import book_times
from fivebook.bench.random_positions import random_positions
from fivebook.cli import cli
from fivebook.commands.bench import PARTS

TINY = (
    *("--positions", "3", "--movetime", "10ms", "--book", "5"),
    *("--size", "1000", "--size", "2000"),
)


def measured(runner: CliRunner, *arguments: str) -> dict[str, list[dict[str, Any]]]:
    """The document of a small benchmark, which must succeed."""
    result = runner.invoke(cli, ["bench", *TINY, "--json", *arguments])
    assert result.exit_code == 0, result.output
    document: dict[str, list[dict[str, Any]]] = json.loads(result.stdout)
    return document


@pytest.mark.slow
def test_without_parts_everything_is_measured(runner: CliRunner) -> None:
    document = measured(runner)
    assert list(document) == ["solved", "build", "lookup", "face", "occupancy", "scale"]
    assert all(document.values())


@pytest.mark.slow
def test_lookups_are_timed_in_process_and_over_http(runner: CliRunner) -> None:
    document = measured(runner, "books")
    games = {row["game"] for row in document["build"]}
    assert {row["game"] for row in document["face"]} == games == {"gomoku-15", "pentago-swap"}
    ways = {row["way"] for row in document["lookup"]}
    assert ways == {
        "in process, all moves",
        "in process, best move",
        "HTTP, all moves",
        "HTTP, best move",
    }


def test_the_face_is_set_against_the_calls_it_makes(gomoku_book: Path) -> None:
    best, every = book_times.compare_face(gomoku_book, "gomoku-9")
    assert (best.answer, every.answer) == ("best move", "all moves")
    for row in (best, every):
        assert 0 < row.parts < 1_000_000
        assert row.ratio == pytest.approx(row.face / row.parts, abs=0.01)


def test_the_help_names_every_part_and_where_the_others_are(runner: CliRunner) -> None:
    text = runner.invoke(cli, ["bench", "--help"]).stdout
    for name, part in PARTS.items():
        assert f"{name:<6}  {part.help}" in text
    assert "python -m tools.bench" in text


def test_the_help_of_an_option_names_the_parts_that_it_is_for(runner: CliRunner) -> None:
    text = " ".join(runner.invoke(cli, ["bench", "--help"]).stdout.split())
    assert "Positions of each book; for books and build." in text
    assert "--depth" not in text


def test_random_positions_are_counted_by_their_stones(runner: CliRunner) -> None:
    first, second = (measured(runner, "solved")["solved"] for _ in range(2))
    assert [row["stones"] for row in first] == [8, 10, 12, 14, 16]
    for row, again in zip(first, second, strict=True):
        assert row["positions"] == 3
        assert 0 <= row["solver"] <= row["in_nodes"] <= 1
        assert 0 <= row["in_time"] <= 1
        assert (row["in_nodes"], row["solver"]) == (again["in_nodes"], again["solver"])
    assert first[-1]["solver"] > 0


def test_random_positions_are_not_finished() -> None:
    game = registry.get("pentago-swap")
    positions = list(islice(random_positions(game, 16, Random(1)), 20))
    assert {position.ply for position in positions} == {16}
    assert all(game.outcome(position) is None for position in positions)
    assert len(set(positions)) == 20


@pytest.mark.slow
def test_the_share_of_time_that_jobs_search_is_measured(
    runner: CliRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(book_times, "_LONG_NODES", 10_000)
    two, one = measured(runner, "build", "--book", "8")["occupancy"]
    assert (two["jobs"], one["jobs"]) == (2, 1)
    # The plan, and so the number of searches, is the same for any number of jobs.
    assert two["searches"] == one["searches"] > 2
    for row in (two, one):
        # A search in flight when measuring begins counts whole.
        assert 0 < row["searching"] < 2
        assert row["milliseconds"] > 0


@pytest.mark.slow
def test_books_of_several_sizes_are_filled_and_drawn(runner: CliRunner, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    image = tmp_path / "scale.png"
    small, large = measured(runner, "scale", "--plot", str(image))["scale"]
    assert (small["positions"], large["positions"]) == (1000, 2000)
    assert 0 < large["bytes_per_position"] < small["bytes_per_position"]
    assert image.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["search"], "'search' is not one of"),
        (["solved", "--threads", "1"], "1 is not in the range"),
        (["solved", "--movetime", "never"], "'never' is no duration"),
        (["scale", "--size", "10"], "10 is not in the range"),
    ],
)
def test_bad_input_gets_one_sentence(
    runner: CliRunner, arguments: list[str], sentence: str
) -> None:
    result = runner.invoke(cli, ["bench", *arguments])
    assert result.exit_code == 2
    assert sentence in result.stderr.splitlines()[-1]
