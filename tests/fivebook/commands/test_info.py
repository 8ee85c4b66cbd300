"""The numbers of a book add up."""

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import engine
from book.reader import BookReader
from book.storage.address import AnyAddress
from book.whole.summary import Summary, summarise
from book.writer import BookWriter
from engine import registry
from engine.accuracy import class_of
from engine.game import Game
from engine.search import Limits
from precompute.builder import Builder, BuildOptions
from precompute.modes.explore import Explore
from tests.books import Fivebook, small_book


def fetch(book: AnyAddress, script: str) -> list[tuple[float, ...]]:
    # PostgreSQL's sums are decimal numbers.
    with BookReader(book) as reader, reader.connection() as connection:
        return [tuple(map(float, row)) for row in connection.exec_driver_sql(script)]


def summary_of(path: AnyAddress, name: str = "gomoku-9") -> Summary:
    with BookReader(path) as reader:
        return summarise(reader, registry.get(name))


def told(fivebook: Fivebook, path: AnyAddress) -> dict[str, Any]:
    result = fivebook("info", path, "--json")
    assert result.exit_code == 0, result.output
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def test_layers_are_what_the_table_holds(any_book: AnyAddress) -> None:
    with BookReader(any_book) as reader:
        summary = summarise(reader, reader.games[0])
    expected = fetch(
        any_book,
        "SELECT ply, count(*), sum(CASE WHEN proven THEN 1 ELSE 0 END), sum(nodes), sum(depth),"
        " max(depth) FROM positions GROUP BY ply ORDER BY ply",
    )
    # Databases round averages each in their own way.
    assert [
        (layer.ply, layer.positions, layer.proven, layer.nodes, layer.mean_depth, layer.deepest)
        for layer in summary.layers
    ] == [
        (ply, count, proven, nodes, depths / count, deepest)
        for ply, count, proven, nodes, depths, deepest in expected
    ]


def test_totals_are_the_sums(any_book: AnyAddress) -> None:
    with BookReader(any_book) as reader:
        summary = summarise(reader, reader.games[0])
        assert summary.positions == reader.positions(reader.games[0])
    assert [(summary.positions, summary.proven)] == fetch(
        any_book, "SELECT count(*), sum(CASE WHEN proven THEN 1 ELSE 0 END) FROM positions"
    )
    assert [(summary.nodes,)] == fetch(any_book, "SELECT sum(nodes) FROM runs")


def test_proofs_are_counted(won_book: Path) -> None:
    summary = summary_of(won_book)
    assert summary.proven == 3
    assert [(layer.ply, layer.proven) for layer in summary.layers] == [(6, 1), (7, 1), (8, 1)]


def test_each_invocation_of_the_builder_is_a_run(tmp_path: Path) -> None:
    path = small_book(tmp_path / "book.db", "gomoku-9", 10)
    small_book(path, "gomoku-9", 25)
    first, second = summary_of(path).runs
    assert (first.positions, second.positions) == (10, 15)
    assert all(run.ended is not None and run.started <= run.ended for run in (first, second))
    assert first.parameters["limits"]["nodes"] == 300
    assert [first.parameters["positions"], second.parameters["positions"]] == [10, 25]
    # A search is of a new position or of a rest slot; each spends nodes.
    assert all(run.searches >= run.positions and run.nodes > 0 for run in (first, second))


def test_a_run_that_is_going_on_or_was_killed_has_no_end(tmp_path: Path, gomoku: Game) -> None:
    with BookWriter(tmp_path / "book.db", gomoku) as writer:
        writer.start_run({"limits": {}})
    (run,) = summary_of(tmp_path / "book.db").runs
    assert run.ended is None


def test_what_is_planned_is_counted(tmp_path: Path, gomoku: Game, fivebook: Fivebook) -> None:
    path = tmp_path / "book.db"
    builder = Builder(
        path,
        BuildOptions(gomoku, Explore(50), Limits(nodes=300)),
        lambda state: builder.stop() if state.searches >= 20 else None,
    )
    builder.run()
    planned = summary_of(path).planned
    assert [(planned,)] == fetch(path, "SELECT count(*) FROM tasks")
    assert planned > 0
    assert f"{planned} searches are planned" in fivebook("info", path).stdout


def test_json_tells_what_the_summary_holds(any_book: AnyAddress, fivebook: Fivebook) -> None:
    document = told(fivebook, any_book)
    (found,) = document["games"]
    with BookReader(any_book) as reader:
        summary = summarise(reader, reader.games[0])
    assert document["book"] == str(any_book)
    assert found["game"] == summary.game.id
    for total in ("positions", "proven", "nodes"):
        assert found[total] == getattr(summary, total)
    assert sum(layer["positions"] for layer in found["layers"]) == found["positions"]
    assert sum(layer["proven"] for layer in found["layers"]) == found["proven"]
    assert sum(run["nodes"] for run in found["runs"]) == found["nodes"]
    assert sum(run["positions"] for run in found["runs"]) in (found["positions"], 3)


def test_positions_are_counted_by_how_sure_they_are(
    gomoku_book: Path, gomoku: Game, fivebook: Fivebook
) -> None:
    (found,) = told(fivebook, gomoku_book)["games"]
    rows = fetch(gomoku_book, "SELECT depth FROM positions WHERE NOT proven")
    classes = Counter(class_of(gomoku.accuracy.uncertainty(int(depth), False)) for (depth,) in rows)
    assert found["accuracy"] == classes
    assert sum(found["accuracy"].values()) == found["positions"] - found["proven"]
    shown = fivebook("info", gomoku_book).stdout
    for name, number in classes.items():
        assert re.search(rf"{name} \(±[0-9.]+%\) {number:,}", shown)


def test_where_nobody_has_measured_it_nothing_is_said_of_it(
    swap_book: Path, fivebook: Fivebook
) -> None:
    assert told(fivebook, swap_book)["games"][0]["accuracy"] == {}
    assert "winning chances may" not in fivebook("info", swap_book).stdout


def test_json_tells_the_root(gomoku_book: Path, gomoku: Game, fivebook: Fivebook) -> None:
    root = told(fivebook, gomoku_book)["games"][0]["root"]
    with BookReader(gomoku_book) as reader:
        entry = reader.find(gomoku, gomoku.initial)
    assert (root["value"], root["proven"]) == (entry.value, entry.proven)
    assert " ".join(root["line"]) == gomoku.format_line(entry.moves[0].line)


def test_a_book_without_the_empty_board_has_no_root(won_book: Path, fivebook: Fivebook) -> None:
    assert "root" not in told(fivebook, won_book)["games"][0]
    assert fivebook("info", won_book).exit_code == 0


def test_an_empty_book_is_told_as_such(
    stored: Callable[[str], AnyAddress], fivebook: Fivebook
) -> None:
    empty_book = stored("empty_book")
    (found,) = told(fivebook, empty_book)["games"]
    assert (found["positions"], found["layers"], found["runs"]) == (0, [], [])
    result = fivebook("info", empty_book)
    assert result.exit_code == 0
    assert "0 positions" in result.stdout


def test_each_game_is_told_by_itself(
    stored: Callable[[str], AnyAddress], fivebook: Fivebook
) -> None:
    found = told(fivebook, stored("both_book"))["games"]
    assert [(game["game"], game["positions"]) for game in found] == [
        ("gomoku-9", 20),
        ("pentago-swap", 10),
    ]
    assert [len(game["runs"]) for game in found] == [1, 1]


def test_the_size_is_that_of_all_files_of_the_book(
    tmp_path: Path, gomoku: Game, fivebook: Fivebook
) -> None:
    path = small_book(tmp_path / "book.db", "gomoku-9", 5)
    assert told(fivebook, path)["bytes"] == path.stat().st_size
    with BookWriter(path, gomoku) as writer:
        writer.start_run({"limits": {}})
        log = path.with_name("book.db-wal").stat().st_size
        assert log > 0
        assert told(fivebook, path)["bytes"] == path.stat().st_size + log


def test_the_page_for_people_has_the_same_numbers(any_book: AnyAddress, fivebook: Fivebook) -> None:
    text = fivebook("info", any_book).stdout
    document = told(fivebook, any_book)
    (found,) = document["games"]
    unwrapped = " ".join(text.split())
    assert f"{document['bytes']:,} bytes on disk" in unwrapped
    assert f"{found['positions']:,} positions, {found['proven']:,} proven" in unwrapped
    assert f"{found['nodes']:,} nodes searched" in unwrapped
    for layer in found["layers"]:
        assert f" {layer['ply']} {layer['positions']:,} {layer['proven']:,} " in unwrapped


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_information_goes_to_standard_output_alone(
    options: list[str], gomoku_book: Path, fivebook: Fivebook
) -> None:
    assert fivebook("info", gomoku_book, *options).stderr == ""


def test_the_log_lists_the_runs_with_what_they_ran(
    stored: Callable[[str], AnyAddress], fivebook: Fivebook
) -> None:
    book = stored("both_book")
    runs = json.loads(fivebook("log", book, "--json").stdout)
    assert [(run["game"], run["positions"]) for run in runs] == [
        ("gomoku-9", 20),
        ("pentago-swap", 10),
    ]
    assert {run["version"] for run in runs} == {engine.__version__}
    # Gomoku's evaluation reads its weights from a file, that of Pentago-swap has none.
    assert [len(run["evaluation"]) for run in runs] == [16, 0]
    assert all(run["parameters"]["limits"]["nodes"] == 300 for run in runs)
    told = fivebook("log", book).stdout
    assert f"fivebook {engine.__version__}, evaluation {runs[0]['evaluation']}, nodes=300" in told
    assert "run 2 pentago-swap" in told
