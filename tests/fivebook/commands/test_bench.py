"""``fivebook bench``: what it measures is there, and what it needs is asked for."""

import json
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from engine import registry
from engine.search import Limits
from fivebook.bench import books
from fivebook.cli import cli
from tools.bench import checkout, reference
from tools.bench.checkout import fixed_positions, path_of, spread
from tools.bench.solved import random_positions

TINY = (
    *("--positions", "3", "--depth", "3", "--movetime", "10ms", "--repeats", "1"),
    *("--book", "5", "--size", "1000", "--size", "2000"),
)
PARTS = (
    *("search", "threads", "depth", "compare", "puzzles", "solved", "perfect"),
    *("books", "build", "scale"),
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
    tables = (
        "search",
        "threads",
        "depth",
        "compare",
        "puzzles",
        "solved",
        "perfect",
        "build",
        "lookup",
        "occupancy",
        "scale",
    )
    assert tuple(document) == tables
    assert all(document.values())


def test_parts_are_printed_as_tables(runner: CliRunner) -> None:
    result = runner.invoke(cli, ["bench", *TINY, "puzzles", "search"])
    assert result.exit_code == 0, result.output
    assert "search to a fixed depth, one thread" in result.stdout
    assert "puzzles solved within 1 s" in result.stdout
    assert "lookups" not in result.stdout


def test_nodes_to_a_fixed_depth_are_those_of_the_searcher_every_time(runner: CliRunner) -> None:
    first, second = (measured(runner, "search")["search"] for _ in range(2))
    assert [row["nodes"] for row in first] == [row["nodes"] for row in second]
    for row in first:
        game = registry.get(row["game"])
        searcher = game.searcher()
        results = [searcher.search(each, Limits(depth=3)) for each in fixed_positions(game, 3)]
        assert row["nodes"] == sum(result.nodes for result in results)
        assert (row["positions"], row["depth"]) == (3, 3)


def test_several_threads_are_set_against_one(runner: CliRunner) -> None:
    one, several = measured(runner, "threads", "--threads", "2", "--repeats", "2")["threads"]
    assert (one["threads"], several["threads"]) == (1, 2)
    assert one["searches"] == several["searches"] == 6
    assert one["speed"] == one["sooner"] == one["sooner_on_average"] == 1
    for row in (one, several):
        assert row["nodes_per_second"] > 0
        assert row["sooner_on_average"] > 0


def test_every_position_has_a_depth_within_the_time(runner: CliRunner) -> None:
    rows = measured(runner, "depth", "--threads", "2")["depth"]
    assert [row["threads"] for row in rows] == [1, 2, 1]
    for row in rows:
        assert sum(row["depths"].values()) == row["positions"] == 3
        depths = [int(depth) for depth in row["depths"]]
        assert min(depths) <= row["median"] <= max(depths)


def test_plain_python_makes_the_same_nodes(runner: CliRunner) -> None:
    (row,) = measured(runner, "compare")["compare"]
    assert row["nodes"] == measured(runner, "search")["search"][0]["nodes"]
    assert row["kernels"] > 0
    assert row["plain_python"] > 0


def test_a_difference_to_plain_python_is_an_error(
    runner: CliRunner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = path_of(reference.SOURCE).read_text()
    other = tmp_path / "other.py"
    other.write_text(source.replace("_FOURS_AT_HORIZON = 2", "_FOURS_AT_HORIZON = 0"))
    assert other.read_text() != source
    monkeypatch.setattr(reference, "SOURCE", str(other))
    result = runner.invoke(cli, ["bench", "compare", "--depth", "6", "--positions", "8"])
    assert result.exit_code == 1
    assert "the kernels and plain Python differ in nodes at depth 6" in result.stderr


def test_solved_puzzles_are_counted_for_each_kind(runner: CliRunner) -> None:
    rows = measured(runner, "puzzles")["puzzles"]
    assert [(row["kind"], row["puzzles"]) for row in rows] == [("vcf", 3), ("vct", 3)]
    for row in rows:
        assert 0 <= row["solved"] <= 1
        assert row["nodes"] > 0


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


@pytest.mark.parametrize(
    "part", [part for part in PARTS if part not in ("solved", "books", "build", "scale")]
)
def test_outside_a_checkout_parts_are_refused_before_anything_is_measured(
    runner: CliRunner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, part: str
) -> None:
    monkeypatch.setattr(checkout, "_ROOT", tmp_path)
    result = runner.invoke(cli, ["bench", "books", part])
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert "needs a checkout of fivebook: there is no" in line
    assert str(tmp_path) in line
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["speed"], "'speed' is not one of"),
        (["threads", "--threads", "1"], "1 is not in the range"),
        (["search", "--depth", "0"], "0 is not in the range"),
        (["search", "--table", "0"], "0 is not in the range"),
        (["depth", "--movetime", "never"], "'never' is no duration"),
    ],
)
def test_bad_input_gets_one_sentence(
    runner: CliRunner, arguments: list[str], sentence: str
) -> None:
    result = runner.invoke(cli, ["bench", *arguments])
    assert result.exit_code == 2
    assert sentence in result.stderr.splitlines()[-1]


def test_the_share_of_time_that_jobs_search_is_measured(
    runner: CliRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(books, "_LONG_NODES", 10_000)
    two, one = measured(runner, "build", "--book", "8")["occupancy"]
    assert (two["jobs"], one["jobs"]) == (2, 1)
    # The plan, and so the number of searches, is the same for any number of jobs.
    assert two["searches"] == one["searches"] > 2
    for row in (two, one):
        # A search in flight when measuring begins counts whole.
        assert 0 < row["searching"] < 2
        assert row["milliseconds"] > 0


def test_a_part_of_a_suite_is_from_all_over_it() -> None:
    assert spread("abcdefgh", 4) == ["a", "c", "e", "g"]
    assert spread("abc", 9) == spread("abc", None) == ["a", "b", "c"]


@pytest.mark.slow
def test_books_of_several_sizes_are_filled_and_drawn(runner: CliRunner, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    image = tmp_path / "scale.png"
    small, large = measured(runner, "scale", "--plot", str(image))["scale"]
    assert (small["positions"], large["positions"]) == (1000, 2000)
    assert 0 < large["bytes_per_position"] < small["bytes_per_position"]
    assert image.read_bytes().startswith(b"\x89PNG")
