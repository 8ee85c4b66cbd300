"""`fivebook referee`: two programs play, and what they do wrong is seen."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from engine import registry
from fivebook.cli import cli
from service.play.records import read_records

GAME = registry.get("gomoku-7")
BRAIN = Path(__file__).parents[2] / "service" / "play" / "brain.py"


def brain(fault: str = "") -> str:
    return shlex.join([sys.executable, str(BRAIN), *([fault] if fault else [])])


def referee(folder: Path, first: str, second: str, *arguments: str) -> tuple[int, dict[str, Any]]:
    """The exit status of two games, and the document about them."""
    arguments = ("--game", GAME.id, "--turn", "200ms", "--margin", "5s", *arguments)
    result = CliRunner().invoke(
        cli, ["referee", first, second, *arguments, "--save", str(folder), "--json"]
    )
    assert result.exit_code in (0, 1), result.output
    return result.exit_code, json.loads(result.stdout)


def stored(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines()]


def test_two_programs_that_keep_to_the_rules_play_all_games(tmp_path: Path) -> None:
    status, document = referee(tmp_path / "games", brain(), brain("swap"), "--games", "4")
    assert status == 0
    assert document["complete"]
    assert document["games"]["counted"] == 4
    assert document["settings"]["memory"] == 350 << 20
    assert all(not any(player["forfeits"].values()) for player in document["players"])
    records = read_records(tmp_path / "games" / "games.sgf")
    assert len(records) == 4
    assert all(record.outcome is not None for record in records)


@pytest.mark.parametrize(
    ("fault", "kind", "ending"),
    [
        ("mortal", "failed", "it has ended"),
        ("rude", "failed", "its answer 'never' is no cell"),
        ("greedy", "memory", "overstepped its memory: "),
    ],
)
def test_what_a_program_does_wrong_loses_and_is_the_exit_status(
    tmp_path: Path, fault: str, kind: str, ending: str
) -> None:
    folder = tmp_path / "games"
    status, document = referee(folder, brain(), brain(fault), "--memory", "100MB")
    assert status == 1
    good, bad = document["players"]
    assert not any(good["forfeits"].values())
    assert bad["forfeits"][kind] == 2
    assert document["wins"] == 2
    assert all(ending in game["ending"] for game in stored(folder))


def test_a_program_that_thinks_too_long_loses(tmp_path: Path) -> None:
    status, document = referee(
        tmp_path / "games", brain(), brain("slow"), "--margin", "300ms", "--empty-board"
    )
    assert status == 1
    assert document["players"][1]["forfeits"]["time"] == 2


@pytest.mark.parametrize(
    ("second", "stones", "swapped"), [("swap", 3, True), ("", 4, False), ("add", 5, False)]
)
def test_by_swap2_the_programs_choose_their_colours(
    tmp_path: Path, second: str, stones: int, swapped: bool
) -> None:
    folder = tmp_path / "games"
    status, _ = referee(folder, brain(), brain(second), "--opening-rule", "swap2")
    assert status == 0
    opened = stored(folder)[0]
    assert opened["moves"].startswith("a1 b1 d3 ")
    assert len(opened["moves"].split()) > stones
    # Where two more stones were put the first program stays as well, and so plays light.
    assert opened.get("swapped", False) == (swapped or second == "add")
    record = read_records(folder / "games.sgf")[0]
    second_is_dark = opened.get("swapped", False)
    assert record.dark.endswith(second if second_is_dark and second else "brain.py")


def test_an_opening_rule_that_is_broken_loses(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    status, document = referee(folder, brain("cheat"), brain(), "--opening-rule", "swap2")
    assert status == 1
    assert document["players"][0]["forfeits"]["illegal"] == 2
    # Once it puts a stone on another of its own, once it stays with a move to a taken cell.
    for game in stored(folder):
        assert "cheat broke the opening rule: illegal move 'a1'" in game["ending"]


@pytest.mark.slow
def test_this_program_plays_others_by_swap2_with_either_colour(tmp_path: Path) -> None:
    own = shlex.join([sys.executable, "-m", "fivebook.cli", "gomocup", "--seed", "3"])
    folder = tmp_path / "games"
    status, document = referee(
        folder,
        own,
        brain(),
        "--opening-rule",
        "swap2",
        "--clock",
        "20s",
        "--memory",
        "2GB",
        "--games",
        "4",
    )
    assert status == 0, stored(folder)
    assert document["wins"] == 4
    first, third = (game["moves"].split()[:3] for game in stored(folder)[::2])
    assert first != third


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a", "b", "--game", "gomoku-7"], "give a --clock, a --turn, or both"),
        (["a", "b", "--game", "gomoku-7", "--turn", "1s", "--games", "3"], "3 is odd"),
        (["no-such", "b", "--game", "gomoku-7", "--turn", "1s"], "it does not start"),
        (["a", "b", "--game", "pentago", "--turn", "1s"], "not pentago"),
    ],
)
def test_bad_input_is_one_sentence(arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(cli, ["referee", *arguments])
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") <= 4
