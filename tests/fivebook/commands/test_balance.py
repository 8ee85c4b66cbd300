"""`fivebook balance`: even positions, with intervals, and the same ones again."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from engine import registry
from fivebook.cli import cli

GAME = registry.get("gomoku-9")


def balance(*arguments: object) -> Any:
    words = ["balance", GAME.id, *map(str, arguments), "--nodes", "400", "--json"]
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize("stones", [1, 2, 3])
def test_even_moves_can_be_played_and_come_most_even_first(stones: int) -> None:
    found = balance("e5 e6", "--stones", stones, "--lines", 4)
    assert found["position"] == "e5 e6"
    assert found["to_move_after"] == ("light" if stones % 2 else "dark")
    assert len(found["lines"]) == 4
    for line in found["lines"]:
        moves = GAME.parse_line(f"e5 e6 {line['moves']}")
        assert len(moves) == 2 + stones
        GAME.play_line(moves)
        low, high = line["interval"]["win_rate"]
        assert low <= line["win_rate"] <= high
        assert line["interval"]["value"] == sorted(line["interval"]["value"])
    uneven = [abs(line["win_rate"] - 0.5) for line in found["lines"]]
    assert uneven == sorted(uneven)


def test_the_same_command_finds_the_same() -> None:
    assert balance("e5 e6", "--stones", 2, "--seed", 1) == balance(
        "e5 e6", "--stones", 2, "--seed", 1
    )
    assert balance("e5 e6", "--stones", 2, "--seed", 1) != balance(
        "e5 e6", "--stones", 2, "--seed", 2
    )


def test_what_the_book_knows_is_taken_from_it(gomoku_book: Path) -> None:
    found = balance("--book", gomoku_book, "--lines", 15)
    sources = {line["source"] for line in found["lines"]}
    assert {"book", "live"} >= sources
    assert "book" in sources


def test_a_table_shows_chances_and_intervals() -> None:
    result = CliRunner().invoke(cli, ["balance", GAME.id, "e5", "--nodes", "200", "--lines", "2"])
    assert result.exit_code == 0
    assert "Values are for dark, who is to move afterwards." in result.output
    assert " to " in next(line for line in result.output.splitlines() if "%" in line)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gomoku-9", "z9"], "'z9' is no cell of gomoku-9"),
        (["gomoku-9", "a1 b1 a2 b2 a3 b3 a4 b4 a5"], "no such moves after which the game goes on"),
        (["no-game"], "unknown game 'no-game'"),
        (["gomoku-9", "--stones", "4"], "4 is not in the range"),
        (["gomoku-9", "--book", "missing.db"], "missing.db"),
    ],
)
def test_bad_input_is_one_sentence(arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(cli, ["balance", *arguments])
    assert result.exit_code == 2
    assert said in result.stderr
