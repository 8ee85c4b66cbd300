"""What measures how sure values are."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from tools import accuracy


def measured(file: Path, game: str, *options: str) -> dict[str, list[float]]:
    size = ["--positions", "40", "--nodes", "20000", *options]
    result = CliRunner().invoke(accuracy.main, [game, *size])
    assert result.exit_code == 0, result.output
    return {name: said["moved"] for name, said in json.loads(file.read_text()).items()}


@pytest.mark.slow
def test_it_is_the_same_again_and_falls_and_leaves_other_games_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "accuracy.json"
    monkeypatch.setattr(accuracy, "FILE", file)
    moved = measured(file, "gomoku-9")["gomoku-11"]
    assert len(moved) >= 3
    assert all(0 < after <= before < 0.6 for before, after in pairwise(moved))
    # What is not searched is as unsure as what is searched least.
    assert moved[0] == moved[1]
    both = measured(file, "gomoku-9-renju")
    assert both["gomoku-11"] == moved != both["gomoku-11-renju"]
    assert measured(file, "gomoku-9", "--jobs", "2") == both
    assert measured(file, "gomoku-9", "--seed", "2")["gomoku-11"] != moved


def test_neighbours_that_rise_count_as_one() -> None:
    assert accuracy.falling([5, 1, 3, 2, 2]) == [5, 2, 2, 2, 2]
    assert accuracy.falling([4, 3, 1]) == [4, 3, 1]
    assert accuracy.falling([1, 2, 3]) == [2, 2, 2]
