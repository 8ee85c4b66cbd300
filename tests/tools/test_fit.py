"""Self-played games and the command that fits the evaluation to them."""

import json
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from engine.game import Outcome
from engine.search import Limits
from engine.values import HEURISTIC_MAX, WIN, is_decisive, winning_probability
from tests.tools.selfplayed import COUNT, GAME, PLAN
from tools import fit, regression, walks
from tools.blocks import split
from tools.fit import main
from tools.selfplay import (
    SelfPlay,
    SelfPlayedGame,
    load_block,
    load_games,
    play_games,
    value_of,
)
from tools.walks import Labels, label_walks, later_values


def kept(folder: Path, jobs: int, plan: SelfPlay = PLAN) -> list[SelfPlayedGame]:
    """The games after they were played by `jobs` processes, as far as they were missing."""
    list(play_games(plan, COUNT, folder, jobs))
    return list(load_games(plan, COUNT, folder))


@pytest.mark.slow
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


def test_walks_lead_to_positions_of_which_a_search_said_the_value(folder: Path) -> None:
    labels = Labels(PLAN, folder, nodes=80, seed=3)
    assert list(label_walks(labels, 1, jobs=1)) == [1]
    starts = {
        game.line[:ply] for game in load_block(PLAN, 0, folder) for ply in range(len(game.line) + 1)
    }
    walks = list(labels.load(0))
    assert len(walks) > 50
    searcher = GAME.searcher()
    for line, value in walks:
        assert any(line[: len(line) - plies] in starts for plies in range(1, 7))
        found = searcher.search(GAME.play_line(line), Limits(nodes=80))
        assert value == (0 if found.proven and not is_decisive(found.value) else found.value)


@pytest.mark.slow
def test_walks_depend_on_their_seed_alone(folder: Path) -> None:
    walks = Labels(PLAN, folder, nodes=80, seed=4)
    assert walks.make(1)["values"] == walks.make(1)["values"]
    assert walks.make(1)["values"] != Labels(PLAN, folder, nodes=80, seed=5).make(1)["values"]


def test_games_know_what_their_searches_said(folder: Path) -> None:
    searcher = GAME.searcher()
    for game in load_games(PLAN, 5, folder):
        assert len(game.values) == len(game.line) - game.opening
        for ply, value in enumerate(game.values, game.opening):
            found = searcher.search(GAME.play_line(game.line[:ply]), Limits(nodes=PLAN.nodes))
            assert value == value_of(found)


def test_what_follows_counts_the_less_the_later_it_comes() -> None:
    chances = [winning_probability(value) for value in later_values([0, 400, WIN - 3])]
    second = 0.15 * winning_probability(400) + 0.85 * 0.0
    assert chances == pytest.approx([0.15 * 0.5 + 0.85 * (1 - second), second, 1.0], abs=1e-3)


def test_a_game_that_nothing_decides_is_drawn() -> None:
    assert later_values([0, 0, 0]) == [0, 0, 0]
    assert 0 < later_values([900])[0] < 900


def test_what_is_decided_stays_as_it_is() -> None:
    decided = [WIN - 5, 4 - WIN, WIN - 3]
    assert later_values(decided) == decided
    assert not is_decisive(later_values([-HEURISTIC_MAX, WIN - 3])[0])


@pytest.mark.slow
def test_walks_played_on_go_to_the_end(folder: Path) -> None:
    labels = Labels(PLAN, folder, nodes=80, seed=1, play_on=True)
    assert list(label_walks(labels, 1, jobs=1)) == [1]
    games: list[list[tuple[tuple[int, ...], int]]] = []
    for line, value in labels.load(0):
        if not games or line[:-1] != games[-1][-1][0]:
            games.append([])
        games[-1].append((line, value))
    assert len(games) > 20
    assert max(map(len, games)) > 3
    searcher = GAME.searcher()
    for game in games:
        searched = [
            value_of(searcher.search(GAME.play_line(line), Limits(nodes=80))) for line, _ in game
        ]
        assert later_values(searched) == [value for _, value in game]
        last = GAME.play_line(game[-1][0])
        assert is_decisive(searched[-1]) or last.ply == GAME.cell_count - 1


def test_long_games_have_no_more_walks_played_on_than_others(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walks, "_SHARE_PLAYED_ON", 1.0)
    monkeypatch.setattr(walks, "_MOST_PLAYED_ON", 2)
    labels = Labels(PLAN, folder, nodes=80, seed=6, play_on=True)
    lines = split({name: np.asarray(array) for name, array in labels.make(0).items()})
    starts = [line for before, line in pairwise([(), *lines]) if line[:-1] != before]
    games = list(load_block(PLAN, 0, folder))
    assert len(games) < len(starts) <= 2 * len(games)


@pytest.mark.slow
def test_the_first_walks_played_on_have_the_games_as_well(folder: Path) -> None:
    labels = Labels(PLAN, folder, nodes=80, seed=0, play_on=True)
    assert list(label_walks(labels, 1, jobs=1)) == [1]
    found = labels.load(0)
    for game in load_block(PLAN, 0, folder):
        own = list(islice(found, len(game.values)))
        assert [line for line, _ in own] == [
            game.line[:ply] for ply in range(game.opening, len(game.line))
        ]
        assert [value for _, value in own] == later_values(game.values)


@pytest.fixture(autouse=True)
def _little_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit, "_TEMPO_OPENINGS", 3)
    monkeypatch.setitem(regression._OPTIONS, "maxiter", 20)


def run(folder: Path, *options: str, game: str = GAME.id) -> Result:
    arguments = [*game.split(), "--games", str(COUNT), "--nodes", "60", "--folder", str(folder)]
    return CliRunner().invoke(main, [*arguments, *options])


@pytest.mark.slow
def test_the_command_writes_weights_that_predict_searches_and_moves_better(
    folder: Path, file: Path
) -> None:
    assert run(folder).exit_code == 0
    origin = json.loads(file.read_text())["origin"]
    assert origin["error after"] < origin["error before"]
    assert origin["error of moves after"] < origin["error of moves before"]
    assert "gomoku-7" in origin["made by"]


@pytest.mark.slow
def test_a_dry_run_prints_what_came_of_it_and_leaves_the_file_alone(
    folder: Path, file: Path
) -> None:
    before = file.read_bytes()
    result = run(folder, "--dry-run")
    assert result.exit_code == 0
    assert "error after: " in result.stdout
    assert file.read_bytes() == before


def test_a_game_whose_weights_are_in_no_file_is_refused(folder: Path) -> None:
    result = run(folder, game="pentago-swap")
    assert result.exit_code == 2
    assert "pentago-swap has no weights" in result.stderr


@pytest.mark.slow
def test_boards_of_several_sizes_are_fitted_to_together(folder: Path, file: Path) -> None:
    assert run(folder, game="gomoku-7 gomoku-6").exit_code == 0
    origin = json.loads(file.read_text())["origin"]
    assert "gomoku-7 gomoku-6 --games" in origin["made by"]
    positions = sum(
        len(list(Labels(SelfPlay(game, 60, 1), folder, 60, walk).load(block)))
        for game in ("gomoku-7", "gomoku-6")
        for walk in range(2)
        for block in range(2)
    )
    assert 0 < origin["positions"] <= positions


@pytest.mark.parametrize("other", ["gomoku-7-standard", "pentago-swap"])
def test_games_with_weights_of_their_own_are_not_fitted_to_together(
    folder: Path, other: str
) -> None:
    result = run(folder, game=f"gomoku-7 {other}")
    assert result.exit_code == 2
    assert f"gomoku-7 and {other} do not share their weights" in result.stderr
