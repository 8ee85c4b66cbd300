"""The matches that are shipped: by the rules, and as the documents tell them."""

from pathlib import Path

import pytest

from service.play.arena.folder import saved_match
from service.play.arena.openings import read_openings
from service.play.arena.statistics import estimate
from service.play.arena.tally import Tally
from tests.checkout import DATA, ROOT

# What the openings of a kind of match are from.
OPENINGS = {
    "rapfi-1s": DATA / "openings" / "held-out",
    "rapfi-1s-0.16": DATA / "openings" / "held-out",
    "book-1s": DATA / "roots" / "level",
}
MATCHES = sorted((DATA / "matches").glob("*/*"))
# With signs of minus as Python writes them.
STRENGTH = (ROOT / "docs" / "strength.md").read_text().replace("−", "-")

shipped = pytest.mark.parametrize(
    "folder", MATCHES, ids=[f"{folder.parent.name}-{folder.name}" for folder in MATCHES]
)


@shipped
def test_every_game_is_one_by_the_rules_from_its_opening(folder: Path) -> None:
    game, settings, games = saved_match(folder)
    assert game.id == folder.name
    openings = read_openings(game, OPENINGS[folder.parent.name] / f"{game.id}.txt")
    assert settings["openings"] == list(map(game.format_line, openings))
    for number, played in games.items():
        opening = openings[number // 2 % len(openings)]
        assert played.moves[: len(opening)] == opening
        ended = game.outcome(game.play_line(played.moves))
        assert ended == (None if played.forfeit else played.outcome)


@shipped
def test_the_documents_tell_what_came_of_it(folder: Path) -> None:
    games = saved_match(folder).games
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
