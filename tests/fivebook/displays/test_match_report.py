"""What is said of a match: in words, in tables, on a terminal and elsewhere."""

from collections.abc import Mapping
from dataclasses import replace
from io import StringIO
from math import inf
from pathlib import Path

import pytest
from rich.console import Console, RenderableType

from engine import registry
from engine.clock import Clock
from engine.game import Outcome
from engine.search import Limits
from fivebook.displays.match_report import (
    as_document,
    cross_table_view,
    describe_elo,
    describe_limits,
    describe_sprt,
    match_view,
    summary_line,
    table_document,
    time_left,
)
from fivebook.displays.progress import ProgressDisplay
from service.play.arena.folder import MatchFolder
from service.play.arena.match import Match, MatchSettings
from service.play.arena.referee import Effort, Forfeit, PlayedGame
from service.play.arena.statistics import EloEstimate, Sprt
from service.play.arena.tournament import cross_table

SETTINGS = MatchSettings(
    game=registry.get("gomoku-7"),
    players=("engine", "gomocup:[odd] program"),
    limits=Limits(nodes=1000),
    margin=0.05,
    openings=((),),
)
WON = PlayedGame((0,), Outcome.DARK_WINS, (Effort(2, 0.5, 0.4, 3000, 9), Effort(2, 0.1, 0.05)))
LOST = replace(WON, outcome=Outcome.LIGHT_WINS)
OVERSTEPPED = replace(WON, forfeit=Forfeit.TIME, ending="it overstepped its time")


def stored(
    folder: Path, played: Mapping[int, PlayedGame], planned: int = 10, sprt: Sprt | None = None
) -> Match:
    """A match with these games, closed."""
    with MatchFolder(folder, SETTINGS.game, SETTINGS.as_dict()) as opened:
        for number, game in played.items():
            opened.add(number, game)
    with Match(SETTINGS, planned, sprt, folder) as match:
        return match


def printed(view: RenderableType) -> list[str]:
    """The lines of a view, without the room around them."""
    console = Console(file=StringIO(), width=120)
    with console.capture() as capture:
        console.print(view)
    return [" ".join(line.split()) for line in capture.get().splitlines()]


@pytest.mark.parametrize(
    ("elo", "text"),
    [
        (EloEstimate(120.4, 79.6, 165.0), "+120 (+80 to +165)"),
        (EloEstimate(-0.3, -20.0, 19.4), "+0 (-20 to +19)"),
        (EloEstimate(inf, 562.9, inf), "+inf (at least +563)"),
        (EloEstimate(-inf, -inf, -562.9), "-inf (at most -563)"),
        (None, "unknown"),
    ],
)
def test_elo_is_told_with_its_interval(elo: EloEstimate | None, text: str) -> None:
    assert describe_elo(elo) == text


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        (Limits(movetime=0.1), "100 ms a move"),
        (Limits(nodes=20000), "20,000 nodes a move"),
        (Limits(depth=4, movetime=1.5), "1,500 ms, depth 4 a move"),
        (Limits(clock=Clock(60.0, 0.5)), "60 s + 0.5 s a side"),
        (Limits(movetime=2.0, clock=Clock(60.0)), "2,000 ms a move, 60 s a side"),
    ],
)
def test_limits_are_told(limits: Limits, text: str) -> None:
    assert describe_limits(limits) == text


@pytest.mark.parametrize(
    ("games_of_a_pair", "pairs", "end"),
    [
        ((WON, LOST), 1, "running"),
        ((WON, LOST), 60, "accepted: at least +20 Elo"),
        ((LOST, WON), 60, "rejected: at most 0 Elo"),
    ],
)
def test_a_verdict_is_told_plainly(
    games_of_a_pair: tuple[PlayedGame, PlayedGame], pairs: int, end: str, tmp_path: Path
) -> None:
    played = dict(enumerate(games_of_a_pair * pairs))
    match = stored(tmp_path, played, planned=200, sprt=Sprt(0.0, 20.0))
    assert describe_sprt(match).startswith("0 to +20 Elo: LLR ")
    assert describe_sprt(match).endswith(f"(-2.94 to 2.94), {end}")


def test_a_match_in_one_line(tmp_path: Path) -> None:
    match = stored(tmp_path, {0: WON, 1: WON, 2: WON})
    assert summary_line(match) == (
        "engine - gomocup:[odd] program: 3 of 10 games, 1-0-1, different games: 1, "
        "Elo +0 (-441 to +441)"
    )


def test_games_that_repeat_others_are_told(tmp_path: Path) -> None:
    other = replace(WON, moves=(1,))
    match = stored(tmp_path / "some", {0: WON, 1: other, 2: WON, 3: WON})
    assert "different games: 2" in printed(match_view(match))
    assert as_document(match)["games"]["different"] == 2
    match = stored(tmp_path / "none", {0: WON, 1: other})
    assert not any("different" in line for line in printed(match_view(match)))


def test_the_rest_is_as_slow_as_the_games_so_far(tmp_path: Path) -> None:
    match = stored(tmp_path, {0: WON, 1: WON, 2: WON, 3: WON})
    assert time_left(match) == ""
    match.played, match.seconds = 2, 40.0
    assert time_left(match) == "0:02:00 left"


def test_a_match_as_a_table(tmp_path: Path) -> None:
    lines = printed(match_view(stored(tmp_path, {0: WON, 1: OVERSTEPPED, 2: WON, 3: LOST})))
    assert lines[0] == (
        "engine - gomocup:[odd] program on gomoku-7, 1,000 nodes a move: 4 of 10 games"
    )
    assert "engine as dark 2 0 0 100.0 %" in lines
    assert "engine as light 1 0 1 50.0 %" in lines
    assert "engine 3 0 1 75.0 %" in lines
    assert "engine 8 150.0 ms 400.0 ms 2.2 750 1 time" in lines
    assert "gomocup:[odd] program 8 150.0 ms 400.0 ms 2.2 750 none" in lines


@pytest.mark.parametrize(
    ("players", "limits", "title"),
    [
        (("engine:table=8", "random"), Limits(nodes=9), "on gomoku-7, 9 nodes a move: "),
        (("gomocup:x", "random"), Limits(movetime=1.0), "on gomoku-7, 1,000 ms a move: "),
        (("engine:nodes=5", "random"), Limits(nodes=9), "on gomoku-7: "),
        (("engine:book=a.db,depth=5", "random"), Limits(nodes=9), "on gomoku-7: "),
        (
            ("engine:nodes=5", "random"),
            Limits(nodes=9, clock=Clock(60.0)),
            "on gomoku-7, 60 s a side: ",
        ),
    ],
)
def test_limits_that_no_player_uses_are_not_shown(
    players: tuple[str, str], limits: Limits, title: str, tmp_path: Path
) -> None:
    settings = replace(SETTINGS, players=players, limits=limits)
    with Match(settings, 2, None, tmp_path) as match:
        line = printed(match_view(match))[0]
    assert line == f"{players[0]} - {players[1]} {title}0 of 2 games"


def test_forfeits_and_efforts_are_in_the_json(tmp_path: Path) -> None:
    match = stored(tmp_path, {0: WON, 1: OVERSTEPPED})
    engine, other = as_document(match)["players"]
    assert engine["forfeits"] == {"time": 1, "illegal": 0, "failed": 0, "memory": 0}
    assert other["forfeits"] == {"time": 0, "illegal": 0, "failed": 0, "memory": 0}
    assert (engine["moves"], engine["longest_ms"], engine["average_ms"]) == (4, 400.0, 150.0)
    assert (engine["average_depth"], engine["average_nodes"]) == (2.25, 750)


def test_a_cross_table_is_sorted_by_points_and_reads_the_same_both_ways(tmp_path: Path) -> None:
    matches = [
        stored(tmp_path / "1-2", {0: LOST, 1: WON}),
        stored(tmp_path / "1-3", {0: WON, 1: OVERSTEPPED}),
        stored(tmp_path / "2-3", {0: WON, 1: LOST}),
    ]
    rows = cross_table(["Ann", "Ben", "Cy"], matches)
    lines = printed(cross_table_view(rows))
    assert "1 Ben 2-0-0 2-0-0 4/4 100.0 % none" in lines
    assert "2 Ann 0-0-2 1-0-1 1/4 25.0 % 1 time" in lines
    document = {row["player"]: row for row in table_document(rows)}
    assert document["Ann"]["against"]["Ben"] == {"wins": 0, "draws": 0, "losses": 2}
    assert document["Ben"]["points"] == 4
    assert document["Ann"]["forfeits"]["time"] == 1


def test_a_cross_table_may_lack_the_last_matches(tmp_path: Path) -> None:
    rows = cross_table(["Ann", "Ben", "Cy"], [stored(tmp_path, {0: WON, 1: LOST})])
    assert [(row.player, row.total.games) for row in rows] == [("Ann", 2), ("Ben", 2), ("Cy", 0)]


@pytest.mark.parametrize("terminal", [True, False])
def test_a_match_is_shown_while_it_is_played(
    terminal: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    console = Console(file=StringIO(), force_terminal=terminal, width=120)
    monkeypatch.setattr("fivebook.displays.progress._SECONDS_BETWEEN_LINES", 0.0)
    match = stored(tmp_path, {0: WON, 1: WON, 2: WON})
    shown = ProgressDisplay(summary_line, match_view, terminal=console)
    with console.capture() as capture, shown:
        shown.show(match)
    assert "engine - gomocup:[odd] program" in capture.get()
    assert ("engine as dark" in capture.get()) == terminal
    assert ("3 of 10 games, 1-0-1" in capture.get()) == (not terminal)


def test_a_game_that_is_watched_is_drawn_with_its_last_stone(tmp_path: Path) -> None:
    boards = tmp_path / "boards"
    boards.mkdir()
    (boards / "2").write_text("d4 d5 e3")
    watched = stored(tmp_path, {0: WON, 1: LOST})
    watched._boards = boards
    text = "\n".join(printed(match_view(watched)))
    assert "game 3, 3 moves" in text
    assert "4 . . . X . . ." in text
    assert "3 . . . .(X). ." in text


def test_a_board_that_is_being_written_is_left_out(tmp_path: Path) -> None:
    boards = tmp_path / "boards"
    boards.mkdir()
    (boards / "2").write_text("d4 d")
    (boards / ".2.partial").write_text("d4")
    watched = stored(tmp_path, {0: WON, 1: LOST})
    watched._boards = boards
    assert watched.boards == {}
