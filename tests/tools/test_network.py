"""The command that fits the network of a Gomoku rule."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from engine.games.gomoku import Rule, network
from engine.games.gomoku.board import WHOLE
from engine.games.gomoku.features import GomokuEvaluation
from engine.games.gomoku.searcher import GomokuSearcher
from engine.games.gomoku.weights import read
from engine.values import LOGISTIC_SCALE
from tests.tools.selfplayed import COUNT, GAME, PLAN
from tools.network import Model, _seen, main, positions_of
from tools.walks import Labels, label_walks


def run(folder: Path, *options: str, game: str = GAME.id) -> Result:
    size = ["--games", str(COUNT), "--nodes", "60", "--walks", "1"]
    arguments = [game, *size, "--folder", str(folder)]
    return CliRunner().invoke(main, [*arguments, *options])


@pytest.mark.slow
def test_the_command_writes_a_network_beside_the_other_weights(folder: Path, file: Path) -> None:
    before = read(Rule.FREESTYLE, file)
    assert run(folder, "--rounds", "3", "--walks", "2").exit_code == 0
    after = read(Rule.FREESTYLE, file)
    assert (after.worth == before.worth).all()
    assert not np.array_equal(after.network.embedding, before.network.embedding)
    origin = json.loads(file.read_text())["network"]["origin"]
    assert origin["error after"] < origin["error before"]
    assert "gomoku-7" in origin["made by"]


def test_a_dry_run_leaves_the_file_alone(folder: Path, file: Path) -> None:
    before = file.read_bytes()
    result = run(folder, "--rounds", "1", "--dry-run")
    assert result.exit_code == 0
    assert "error after: " in result.stdout
    assert file.read_bytes() == before


def test_a_game_without_a_network_is_refused(folder: Path) -> None:
    result = run(folder, game="pentago-swap")
    assert result.exit_code == 2
    assert "pentago-swap has no network" in result.stderr


def test_a_fit_can_go_on_from_the_network_in_a_file(
    folder: Path, file: Path, tmp_path: Path
) -> None:
    earlier = tmp_path / "earlier.json"
    earlier.write_bytes(file.read_bytes())
    begun = run(folder, "--rounds", "1", "--go-on", str(earlier))
    assert begun.exit_code == 0
    assert begun.stdout.startswith("0: held out ")
    assert "--go-on earlier.json" in json.loads(file.read_text())["network"]["origin"]["made by"]


@pytest.mark.slow
@pytest.mark.parametrize("play_on", [False, True])
def test_a_fit_that_goes_on_from_a_network_has_its_values(
    folder: Path, file: Path, play_on: bool
) -> None:
    labels = Labels(PLAN, folder, nodes=60, seed=0, play_on=play_on)
    list(label_walks(labels, 1, jobs=1))
    positions = positions_of([_seen(labels, 0)], tables=1)
    model = Model(1, np.random.default_rng(1))
    model.go_on_from(read(Rule.FREESTYLE, file).network)
    searcher, evaluation = GomokuSearcher(GAME), GomokuEvaluation(GAME)
    asked = [
        position
        for line, _ in labels.load(0)
        if evaluation.cells(position := GAME.play_line(line)) is not None
    ]
    values = [network.network_value(searcher.state_of(position)) for position in asked]
    # The whole numbers are cut at every layer.
    assert np.ptp(values) > 100
    differences = LOGISTIC_SCALE * model.additions(positions) - values
    assert np.abs(differences).max() < 0.05 * np.ptp(values)


def test_whole_numbers_say_what_the_fitted_ones_do(folder: Path, file: Path) -> None:
    labels = Labels(PLAN, folder, nodes=60, seed=0)
    list(label_walks(labels, 2, jobs=1))
    positions = positions_of([_seen(labels, block) for block in range(2)], tables=1)
    model = Model(1, np.random.default_rng(1))
    for number in range(4):
        model.go_over(positions, number / 4, (number + 1) / 4)
    found = model.whole(positions)
    GomokuEvaluation(GAME).write_network(found, {})
    searcher = GomokuSearcher(GAME, weights=read(Rule.FREESTYLE, file))
    evaluation, wanted = GomokuEvaluation(GAME), LOGISTIC_SCALE * model.additions(positions)
    lines = [line for block in range(2) for line, _ in labels.load(block)]
    asked = [position for line in lines if evaluation.cells(position := GAME.play_line(line))]
    assert len(asked) == len(positions) > 100
    differences = [
        network.network_value(searcher.state_of(position)) - value
        for position, value in zip(asked, wanted, strict=True)
    ]
    assert np.ptp(wanted) > 50
    assert np.abs(differences).max() < 0.05 * np.ptp(wanted)


def test_values_fade_where_they_say_too_much(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    labels = Labels(PLAN, folder, nodes=60, seed=0)
    list(label_walks(labels, 1, jobs=1))
    found = positions_of([_seen(labels, 0)], tables=1)
    step = np.arange(len(found)) % 3
    left = np.array([1.2, 0.5, 0.8], np.float32)
    monkeypatch.setattr("tools.network._FIRMNESS", 0.01)
    model = Model(1, np.random.default_rng(1))
    values = left[step] * (found.value + model.additions(found))
    score = (1 / (1 + np.exp(-values))).astype(np.float32)
    positions = replace(found, step=step, score=score)
    model.fade(positions)
    fading = model.whole(positions).fading / WHOLE
    assert fading[:3] == pytest.approx(left, abs=0.02)
    # Of fuller boards there is nothing to learn.
    assert fading[3:] == pytest.approx(left[2], abs=0.05)


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.network._BATCH", 64)
