"""The command that tells how far static values are from what searches say."""

import math
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.games.gomoku import alphabeta
from engine.games.gomoku.searcher import GomokuSearcher
from engine.values import is_decisive, winning_probability
from tests.tools.selfplayed import COUNT, GAME, PLAN
from tools.calibration import main
from tools.labelled import Source


@pytest.mark.slow
def test_the_error_and_what_makes_it_least_are_those_counted_one_by_one(folder: Path) -> None:
    arguments = [GAME.id, "--games", str(COUNT), "--nodes", "60", "--walks", "1"]
    result = CliRunner().invoke(main, [*arguments, "--folder", str(folder)])
    assert result.exit_code == 0
    told = re.fullmatch(
        r"(\d+) positions: error ([0-9.]+); with ([-+]\d+) added, ([0-9.]+)\n", result.stdout
    )
    assert told is not None
    positions, error, added, least = map(float, told.groups())

    searcher = GomokuSearcher(GAME)
    values = [
        (alphabeta.evaluate(searcher.state_of(GAME.play_line(line))), value)
        for labels, block in Source((PLAN,), COUNT, 1, folder).parts
        for line, value in labels.load(block)
        if not is_decisive(value)
    ]

    def error_with(more: float) -> float:
        errors = []
        for static, found in values:
            chance, wanted = (winning_probability(each) for each in (static + more, found))
            errors.append(-wanted * math.log(chance) - (1 - wanted) * math.log(1 - chance))
        return sum(errors) / len(errors)

    assert positions == len(values) > 100
    assert error == pytest.approx(error_with(0), abs=1e-4)
    assert least == pytest.approx(error_with(added), abs=1e-4)
    assert error_with(added) < min(error_with(added - 20), error_with(added + 20))


def test_a_game_whose_static_value_is_not_asked_for_is_refused(folder: Path) -> None:
    result = CliRunner().invoke(main, ["pentago", "--folder", str(folder)])
    assert result.exit_code == 2
    assert "the static value of pentago is not asked for by itself" in result.stderr
