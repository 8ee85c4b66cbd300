"""Self-played games and the command that fits the evaluation to them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine import registry
from engine.game import Outcome
from engine.games.gomoku.features import GomokuEvaluation
from tools import fit, selfplay
from tools.fit import main
from tools.selfplay import SelfPlay, SelfPlayedGame, load_games, play_games

GAME = registry.get("gomoku-7")
PLAN = SelfPlay(GAME.id, nodes=60, seed=1)
COUNT = 2 * selfplay.GAMES_IN_FILE


def kept(folder: Path, jobs: int, plan: SelfPlay = PLAN) -> list[SelfPlayedGame]:
    """The games after they were played by `jobs` processes, as far as they were missing."""
    list(play_games(plan, COUNT, folder, jobs))
    return list(load_games(plan, COUNT, folder))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the games of `PLAN` are, played by one process."""
    folder = tmp_path_factory.mktemp("selfplay")
    assert list(play_games(PLAN, COUNT, folder, jobs=1)) == [COUNT // 2, COUNT]
    return folder


def test_the_games_are_the_same_for_any_number_of_jobs(folder: Path, tmp_path: Path) -> None:
    assert kept(tmp_path, jobs=2) == list(load_games(PLAN, COUNT, folder))


def test_the_games_are_others_for_another_seed(folder: Path) -> None:
    first = PLAN.play(0)
    assert first == next(load_games(PLAN, COUNT, folder))
    assert SelfPlay(GAME.id, nodes=60, seed=2).play(0) != first


def test_games_that_are_there_are_not_played_again(folder: Path) -> None:
    before = {file: file.stat().st_mtime_ns for file in folder.iterdir()}
    assert list(play_games(PLAN, COUNT, folder, jobs=1)) == []
    assert {file: file.stat().st_mtime_ns for file in folder.iterdir()} == before


def test_a_game_that_is_missing_is_played_as_it_was(folder: Path) -> None:
    before = list(load_games(PLAN, COUNT, folder))
    PLAN.file(folder, 1).unlink()
    assert list(play_games(PLAN, COUNT, folder, jobs=1)) == [COUNT]
    assert list(load_games(PLAN, COUNT, folder)) == before


def test_scores_are_those_of_the_side_to_move(folder: Path) -> None:
    results = set()
    for played in load_games(PLAN, COUNT, folder):
        outcome = GAME.outcome(GAME.play_line(played.line))
        results.add(outcome)
        dark = {Outcome.DARK_WINS: 1.0, Outcome.DRAW: 0.5, Outcome.LIGHT_WINS: 0.0}[outcome]
        positions = list(played.positions(GAME))
        assert len(positions) == len(played.line) - played.opening > 0
        for position, score in positions:
            assert score == (dark if position.dark_to_move else 1 - dark)
            assert GAME.outcome(position) is None
    assert results >= {Outcome.DARK_WINS, Outcome.LIGHT_WINS}


@pytest.fixture(autouse=True)
def _few_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit, "_TEMPO_OPENINGS", 3)


def run(folder: Path, *options: str, game: str = GAME.id) -> Result:
    arguments = [game, "--games", str(COUNT), "--nodes", "60", "--folder", str(folder)]
    return CliRunner().invoke(main, [*arguments, *options])


def test_the_command_writes_weights_that_predict_the_games_better(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "weights.json"
    monkeypatch.setattr(GomokuEvaluation, "file", file)
    assert run(folder).exit_code == 0
    document = json.loads(file.read_text())
    assert document["origin"]["error after"] < document["origin"]["error before"]
    assert "gomoku-7" in document["origin"]["made by"]


def test_a_dry_run_prints_the_weights_and_leaves_the_file_alone(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GomokuEvaluation, "file", tmp_path / "weights.json")
    result = run(folder, "--dry-run")
    assert result.exit_code == 0
    assert "weights: [" in result.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_game_whose_weights_are_in_no_file_is_refused(folder: Path) -> None:
    result = run(folder, game="pentago-swap")
    assert result.exit_code == 2
    assert "pentago-swap has no weights" in result.stderr
