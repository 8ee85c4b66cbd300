"""The command that tells how far static values are from what searches say."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.games.gomoku import alphabeta
from tests.tools.selfplayed import COUNT, GAME
from tools import calibration


def told(folder: Path, game: str = GAME.id) -> str:
    arguments = [game, "--games", str(COUNT), "--nodes", "60", "--walks", "1"]
    result = CliRunner().invoke(calibration.main, [*arguments, "--folder", str(folder)])
    assert result.exit_code == 0, result.output
    return result.stdout


def numbers_in(text: str) -> tuple[int, float, float, float]:
    found = re.search(r"(\d+) positions: error ([0-9.]+); with ([-+]\d+) added, ([0-9.]+)", text)
    assert found is not None
    positions, error, added, least = found.groups()
    return int(positions), float(error), float(added), float(least)


def test_what_is_added_to_all_values_is_found(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    positions, error, added, least = numbers_in(told(folder))
    assert positions > 100
    assert 0 < least <= error
    evaluate = alphabeta.evaluate
    monkeypatch.setattr(alphabeta, "evaluate", lambda state: evaluate(state) + 300)
    again = numbers_in(told(folder))
    assert again[1] > error
    assert again[2] == pytest.approx(added - 300, abs=2)
    assert again[3] == pytest.approx(least, abs=1e-3)


def test_a_game_whose_static_value_is_not_asked_for_is_refused(folder: Path) -> None:
    result = CliRunner().invoke(calibration.main, ["pentago", "--folder", str(folder)])
    assert result.exit_code == 2
    assert "the static value of pentago is not asked for by itself" in result.stderr
