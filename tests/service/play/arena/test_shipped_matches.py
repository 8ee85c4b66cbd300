"""The matches that are shipped: by the rules, and as the documents tell them."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from engine import registry
from engine.game import Game
from service.play.arena.folder import MatchFolder
from service.play.arena.openings import read_openings
from service.play.arena.referee import PlayedGame
from service.play.arena.statistics import estimate
from service.play.arena.tally import Tally
from tests.checkout import DATA, ROOT

# What the openings of a kind of match are from.
OPENINGS = {
    "rapfi-1s": DATA / "openings" / "held-out",
    "book-1s": DATA / "roots" / "level",
}
MATCHES = sorted((DATA / "matches").glob("*/*"))
# With signs of minus as Python writes them.
STRENGTH = (ROOT / "docs" / "strength.md").read_text().replace("−", "-")

shipped = pytest.mark.parametrize(
    "folder", MATCHES, ids=[f"{folder.parent.name}-{folder.name}" for folder in MATCHES]
)


def settings_of(folder: Path) -> dict[str, Any]:
    settings: dict[str, Any] = json.loads((folder / "match.json").read_text())
    return settings


def games_of(folder: Path, copy: Path) -> dict[int, PlayedGame]:
    shutil.copytree(folder, copy)
    with MatchFolder(copy, game_of(folder), settings_of(folder)) as match:
        return match.games


def game_of(folder: Path) -> Game:
    return registry.get(folder.name)


@shipped
def test_every_game_is_one_by_the_rules_from_its_opening(folder: Path, tmp_path: Path) -> None:
    game = game_of(folder)
    openings = read_openings(game, OPENINGS[folder.parent.name] / f"{game.id}.txt")
    assert settings_of(folder)["openings"] == list(map(game.format_line, openings))
    for number, played in games_of(folder, tmp_path / "copy").items():
        opening = openings[number // 2 % len(openings)]
        assert played.moves[: len(opening)] == opening
        ended = game.outcome(game.play_line(played.moves))
        assert ended == (None if played.forfeit else played.outcome)


@shipped
def test_the_documents_tell_what_came_of_it(folder: Path, tmp_path: Path) -> None:
    games = games_of(folder, tmp_path / "copy")
    tally = Tally()
    for number in range(0, len(games) - 1, 2):
        tally.add_pair((games[number], games[number + 1]))
    came, elo = tally.total, estimate(tally.pairs)
    assert elo is not None
    assert came.score is not None
    row = (
        f"| {folder.name} | {came.wins} | {came.draws} | {came.losses} | {100 * came.score:.1f} % "
        f"| {elo.value:+.0f} ({elo.low:+.0f} to {elo.high:+.0f}) |"
    )
    assert row in STRENGTH
