"""Games to fit weights to, and a file to write them to."""

from pathlib import Path

import pytest

from engine.games.gomoku import Rule, features
from engine.games.gomoku.weights import file_of
from tests.tools.selfplayed import COUNT, PLAN
from tools.selfplay import play_games


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the games of `PLAN` are, played by one process."""
    folder = tmp_path_factory.mktemp("selfplay")
    assert list(play_games(PLAN, COUNT, folder, jobs=1)) == [COUNT // 2, COUNT]
    return folder


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the weights, for evaluations to read and to write."""
    copy = tmp_path / "weights.json"
    copy.write_bytes(file_of(Rule.FREESTYLE).read_bytes())
    monkeypatch.setattr(features, "file_of", lambda _: copy)
    return copy
