"""``python -m tools.bench``: what it measures is there, and what it needs is asked for."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from engine import registry
from engine.search import Limits
from fivebook.commands.bench import PARTS as INSTALLED
from tools.bench import checkout, plain_python
from tools.bench.__main__ import PARTS, bench
from tools.bench.checkout import path_of, positions_of, spread

TINY = (
    *("--positions", "3", "--depth", "3", "--movetime", "10ms", "--repeats", "1"),
    *("--book", "5", "--size", "1000", "--size", "2000"),
)


def measured(runner: CliRunner, *arguments: str) -> dict[str, list[dict[str, Any]]]:
    """The document of a small benchmark, which must succeed."""
    result = runner.invoke(bench, [*TINY, "--json", *arguments])
    assert result.exit_code == 0, result.output
    document: dict[str, list[dict[str, Any]]] = json.loads(result.stdout)
    return document


@pytest.mark.slow
def test_without_parts_everything_is_measured(runner: CliRunner) -> None:
    document = measured(runner)
    assert list(document) == [title for part in PARTS.values() for title in part.titles]
    assert {"search", "compare", "perfect", "lookup", "face", "scale"} <= set(document)
    assert all(document.values())


def test_the_parts_of_an_installation_are_among_those_of_a_checkout() -> None:
    assert set(INSTALLED) < set(PARTS)


def test_parts_are_printed_as_tables(runner: CliRunner) -> None:
    result = runner.invoke(bench, [*TINY, "puzzles", "search"])
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
        results = [searcher.search(each, Limits(depth=3)) for each in positions_of(game, 3)]
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


@pytest.mark.slow
def test_plain_python_makes_the_same_nodes(runner: CliRunner) -> None:
    (row,) = measured(runner, "compare")["compare"]
    assert row["nodes"] == measured(runner, "search")["search"][0]["nodes"]
    assert row["kernels"] > 0
    assert row["plain_python"] > 0


def test_a_difference_to_plain_python_is_an_error(
    runner: CliRunner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = path_of(plain_python.SOURCE).read_text()
    other = tmp_path / "other.py"
    other.write_text(source.replace("_REPLY_DEEPER = 2", "_REPLY_DEEPER = 3"))
    assert other.read_text() != source
    monkeypatch.setattr(plain_python, "SOURCE", str(other))
    result = runner.invoke(bench, ["compare", "--depth", "6", "--positions", "8"])
    assert result.exit_code == 1
    assert "the kernels and plain Python differ in nodes at depth 6" in result.stderr


def test_solved_puzzles_are_counted_for_each_kind(runner: CliRunner) -> None:
    rows = measured(runner, "puzzles")["puzzles"]
    assert [(row["kind"], row["puzzles"]) for row in rows] == [("vcf", 3), ("vct", 3)]
    for row in rows:
        assert 0 <= row["solved"] <= 1
        assert row["nodes"] > 0


def test_a_part_of_a_suite_is_from_all_over_it() -> None:
    assert spread("abcdefgh", 4) == ["a", "c", "e", "g"]
    assert spread("abc", 9) == spread("abc", None) == ["a", "b", "c"]


@pytest.mark.parametrize("part", sorted(set(PARTS) - set(INSTALLED)))
def test_parts_whose_files_are_missing_are_refused_before_anything_is_measured(
    runner: CliRunner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, part: str
) -> None:
    monkeypatch.setattr(checkout, "_ROOT", tmp_path)
    result = runner.invoke(bench, ["books", part])
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert "needs a whole checkout: there is no" in line
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
    result = runner.invoke(bench, arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr.splitlines()[-1]
