"""A match gives the same result however it is played, and goes on from wherever it stopped."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine import registry
from engine.clock import Clock
from engine.game import Outcome
from engine.position import Move
from engine.search import Limits
from service.play.arena.folder import MatchFolder, MatchFolderError, saved_match
from service.play.arena.match import Match, MatchSettings, distinct_names
from service.play.arena.openings import InvalidOpenings, read_openings
from service.play.arena.referee import Effort, Forfeit, PlayedGame
from service.play.arena.statistics import Sprt, SprtVerdict
from service.play.arena.tally import Results, Tally
from service.play.arena.tournament import Tournament
from service.play.records import parse_records, read_records
from service.play.swapping import OpeningRule

GAME = registry.get("gomoku-7")
OPENINGS = ("d4 d5 e3", "d4 c3", "d4 e4 b2 f6", "c3 d4 e5", "a1 d4")
SETTINGS = MatchSettings(
    game=GAME,
    players=("engine:nodes=400", "engine:nodes=15"),
    limits=Limits(nodes=100),
    margin=0.05,
    openings=tuple(tuple(GAME.parse_line(line)) for line in OPENINGS),
)
WON = PlayedGame((0,), Outcome.DARK_WINS, (Effort(1, 1.0, 1.0), Effort(2, 2.0, 2.0)))
LOST = replace(WON, outcome=Outcome.LIGHT_WINS)
DRAWN = replace(WON, outcome=Outcome.DRAW)


def match(folder: Path, planned: int = 10, sprt: Sprt | None = None, **changes: Any) -> Match:
    return Match(replace(SETTINGS, **changes), planned, sprt, folder)


def content(folder: Path) -> list[tuple[object, ...]]:
    """The games in the order of the plan, without times."""
    lines = [json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines()]
    return sorted(
        (line["number"], line["moves"], line["outcome"], *(e["nodes"] for e in line["efforts"]))
        for line in lines
    )


def store(folder: Path, games: dict[int, PlayedGame], **changes: Any) -> None:
    """Have these games in the folder, as if they had been played."""
    settings = replace(SETTINGS, **changes)
    with MatchFolder(folder, settings.game, settings.as_dict()) as opened:
        for number, played in games.items():
            opened.add(number, played)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a match that one job played without a stop."""
    folder = tmp_path_factory.mktemp("arena") / "played"
    with match(folder) as whole:
        whole.play(jobs=1)
        assert whole.complete
    return folder


# The plan


def test_each_opening_is_played_twice_and_openings_come_round(played: Path) -> None:
    starts = [str(moves) for _, moves, *_ in content(played)]
    for number, moves in enumerate(starts):
        assert moves.startswith(OPENINGS[number // 2] + " ")
    assert SETTINGS.opening(10) == SETTINGS.opening(11) == SETTINGS.opening(0)


def test_colours_are_swapped_within_a_pair(played: Path) -> None:
    records = parse_records((played / "games.sgf").read_text())
    names = [(record.dark, record.light) for record in records]
    assert names == [SETTINGS.players, SETTINGS.players[::-1]] * 5


def test_saved_games_know_their_opening_and_outcome(played: Path) -> None:
    records = parse_records((played / "games.sgf").read_text())
    assert [record.opening for record in records] == [
        len(opening) for opening in SETTINGS.openings for _ in "AB"
    ]
    assert all(GAME.outcome(GAME.play_line(r.moves)) is r.outcome for r in records)


def test_players_that_are_described_alike_have_numbers() -> None:
    assert distinct_names(["engine", "random", "engine", "engine"]) == [
        "engine",
        "random",
        "engine (2)",
        "engine (3)",
    ]


# The count


def test_points_go_to_the_player_and_not_to_the_colour() -> None:
    tally = Tally()
    tally.add_pair((WON, LOST))
    tally.add_pair((WON, WON))
    tally.add_pair((DRAWN, LOST))
    assert tally.as_dark == Results(wins=2, draws=1)
    assert tally.as_light == Results(wins=2, losses=1)
    assert tally.pairs == (0, 0, 1, 1, 1)
    assert tally.total.points == 4.5
    assert tally.total.score == 0.75


def test_efforts_and_forfeits_go_to_the_player_and_not_to_the_colour() -> None:
    tally = Tally()
    tally.add_pair((replace(LOST, forfeit=Forfeit.TIME), replace(WON, forfeit=Forfeit.ILLEGAL)))
    assert [dict(forfeits) for forfeits in tally.forfeits] == [
        {Forfeit.TIME: 1, Forfeit.ILLEGAL: 1},
        {},
    ]
    tally.add_pair((WON, replace(LOST, forfeit=Forfeit.FAILED)))
    assert dict(tally.forfeits[1]) == {Forfeit.FAILED: 1}
    assert tally.efforts == [Effort(6, 6.0, 2.0), Effort(6, 6.0, 2.0)]


def test_only_whole_pairs_at_the_head_of_the_plan_count(tmp_path: Path) -> None:
    store(tmp_path, {0: WON, 1: LOST, 2: WON, 4: WON, 5: WON})
    with match(tmp_path) as resumed:
        assert (resumed.finished, resumed.counted) == (5, 2)
        assert resumed.tally.pairs == (0, 0, 0, 0, 1)


def test_the_count_stops_where_the_test_is_decided(tmp_path: Path) -> None:
    sprt = Sprt(0.0, 400.0)
    pairs = next(n for n in range(100) if sprt.verdict((0, 0, 0, 0, n)) is SprtVerdict.ACCEPTED)
    store(tmp_path, dict(enumerate([WON, LOST] * pairs + [LOST, WON] * 10)))
    with match(tmp_path, planned=100, sprt=sprt) as decided:
        assert decided.complete
        assert decided.verdict is SprtVerdict.ACCEPTED
        assert decided.counted == 2 * pairs
        assert decided.finished == 2 * pairs + 20


# One result, however it is played


def test_two_jobs_play_the_same_games_as_one(played: Path, tmp_path: Path) -> None:
    with match(tmp_path / "two") as two:
        two.play(jobs=2)
    assert content(tmp_path / "two") == content(played)
    assert (tmp_path / "two" / "games.sgf").read_text() == (played / "games.sgf").read_text()


def test_a_test_stops_at_the_same_game_for_one_job_and_for_two(tmp_path: Path) -> None:
    results = []
    for jobs in (1, 2):
        folder = tmp_path / str(jobs)
        with match(folder, planned=400, sprt=Sprt(0.0, 250.0)) as decided:
            decided.play(jobs)
            results.append((decided.tally.pairs, decided.counted, decided.verdict))
        assert len(parse_records((folder / "games.sgf").read_text())) == decided.counted
    assert results[0] == results[1]
    assert 0 < results[0][1] < 400
    assert results[0][2] is not SprtVerdict.RUNNING


def test_a_match_that_is_stopped_goes_on_to_the_same_games(played: Path, tmp_path: Path) -> None:
    def stop_after(games: int) -> Callable[[Match], None]:
        return lambda match: match.stop() if match.finished >= games else None

    with match(tmp_path / "stopped") as stopped:
        stopped.play(1, stop_after(3))
        assert not stopped.complete
        assert 3 <= stopped.finished < 10
    with match(tmp_path / "stopped") as resumed:
        resumed.play(1)
        assert resumed.played == 10 - stopped.finished
    assert content(tmp_path / "stopped") == content(played)


def test_a_complete_match_plays_nothing_more(played: Path) -> None:
    before = (played / "games.jsonl").read_bytes()
    with match(played) as again:
        again.play(jobs=1)
        assert (again.played, again.counted) == (0, 10)
    assert (played / "games.jsonl").read_bytes() == before


def test_fewer_games_of_the_plan_are_its_first(played: Path) -> None:
    with match(played, planned=4) as part:
        assert (part.finished, part.counted, part.complete) == (4, 4, True)
    with match(played) as whole:
        assert whole.counted == 10


def test_a_tournament_that_is_stopped_early_plays_nothing(tmp_path: Path) -> None:
    tournament = Tournament({tmp_path / "first": SETTINGS, tmp_path / "second": SETTINGS}, 10)
    tournament.stop()
    tournament.play(1, lambda match: None)
    assert [match.finished for match in tournament.matches] == [0]
    assert not tournament.complete


# The folder


def test_a_torn_last_line_is_dropped(tmp_path: Path) -> None:
    store(tmp_path, {0: WON, 1: LOST})
    truth = tmp_path / "games.jsonl"
    whole = truth.read_bytes()
    truth.write_bytes(whole + whole.splitlines()[0][:40])
    store(tmp_path, {2: DRAWN})
    with match(tmp_path) as resumed:
        assert (resumed.finished, resumed.counted) == (3, 2)
    assert truth.read_bytes().startswith(whole)


def test_what_was_stored_is_read_as_it_was(tmp_path: Path) -> None:
    game = PlayedGame(
        moves=tuple(GAME.parse_line("d4 e5 a1")),
        outcome=Outcome.LIGHT_WINS,
        efforts=(Effort(2, 0.5, 0.4, 30, 7), Effort(1, 0.1, 0.1, 5, 3)),
        forfeit=Forfeit.ILLEGAL,
        ending="engine played an illegal move: d4",
    )
    store(tmp_path, {3: game})
    with MatchFolder(tmp_path, GAME, SETTINGS.as_dict()) as reopened:
        assert reopened.games == {3: game}
    read = saved_match(tmp_path)
    assert (read.game, read.settings["margin"], read.games) == (GAME, 0.05, {3: game})


def test_a_match_is_read_while_it_is_played(tmp_path: Path) -> None:
    with MatchFolder(tmp_path, GAME, SETTINGS.as_dict()) as opened:
        opened.add(0, WON)
        truth = tmp_path / "games.jsonl"
        half_written = truth.read_bytes() + truth.read_bytes()[:40]
        truth.write_bytes(half_written)
        before = sorted(path.name for path in tmp_path.iterdir())
        assert saved_match(tmp_path).games == {0: WON}
        assert truth.read_bytes() == half_written
        assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_line_that_is_no_game_is_told(tmp_path: Path) -> None:
    store(tmp_path, {0: WON})
    with open(tmp_path / "games.jsonl", "a") as truth:
        truth.write('{"number": 1}\n')
    with pytest.raises(MatchFolderError, match=r"games\.jsonl, line 2: this is no game"):
        match(tmp_path)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"margin": 0.1}, "holds a match with margin 0.05 and not 0.1"),
        ({"limits": Limits(nodes=101)}, "holds a match with nodes 100 and not 101"),
        (
            {"limits": Limits(nodes=100, clock=Clock(9.0))},
            'holds a match with clock null and not {"left": 9.0, ',
        ),
        ({"players": ("engine", "random")}, "holds a match with players"),
        ({"openings": SETTINGS.openings[:4]}, "holds a match with other openings"),
        (
            {"game": registry.get("gomoku-8")},
            'holds a match with game "gomoku-7" and not "gomoku-8"',
        ),
    ],
)
def test_the_folder_of_another_match_is_refused(
    changes: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    store(tmp_path, {0: WON})
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(MatchFolderError, match=sentence):
        match(tmp_path, **changes)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("match.json", "not JSON", "holds no settings of a match"),
        ("match.json", "[1, 2]", "holds no settings of a match"),
        ("games.jsonl", "", "holds games but no match.json"),
    ],
)
def test_a_folder_that_is_no_match_is_refused(
    name: str, text: str, sentence: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(MatchFolderError, match=sentence):
        match(tmp_path)


def test_only_one_process_plays_in_a_folder(tmp_path: Path) -> None:
    with match(tmp_path), pytest.raises(MatchFolderError, match="another process is playing"):
        match(tmp_path)
    match(tmp_path).close()


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MatchFolderError, match="cannot use"):
        match(tmp_path / "file" / "match")


def test_games_of_other_families_are_saved_as_text(tmp_path: Path) -> None:
    swap = registry.get("pentago-swap")
    store(tmp_path, {0: WON, 1: LOST}, game=swap, openings=((),))
    match(tmp_path, game=swap, openings=((),)).close()
    records = parse_records((tmp_path / "games.txt").read_text())
    assert [record.game.id for record in records] == ["pentago-swap"] * 2


# Openings


def test_openings_are_lines_of_moves_with_comments_between(tmp_path: Path) -> None:
    path = tmp_path / "suite.txt"
    path.write_text("# A suite.\n\nd4 e5\nc3  # the third\n")
    assert read_openings(GAME, path) == tuple(
        tuple(GAME.parse_line(line)) for line in ("d4 e5", "c3")
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("d4\nd4 e5 d4\n", "line 2: illegal move 'd4' in gomoku-7 after 'd4 e5'"),
        ("# one\nz9\n", "line 2: 'z9' is no cell of gomoku-7"),
        ("a1 a7 b1 b7 c1 c7 d1 d7 e1\n", r"line 1: the game is over after .* \(dark wins\)"),
        ("# nothing\n\n", "holds no opening"),
    ],
)
def test_a_bad_opening_is_told_with_its_line(text: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "suite.txt"
    path.write_text(text)
    with pytest.raises(InvalidOpenings, match=sentence):
        read_openings(GAME, path)


def test_a_file_that_is_no_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / "suite.txt"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidOpenings, match="is no text file"):
        read_openings(GAME, path)


def test_the_boards_of_the_games_that_are_played_can_be_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a fast machine the games are over in less than two looks as they are.
    monkeypatch.setattr("service.play.arena.match._SECONDS_BETWEEN_LOOKS", 0.001)
    settings = replace(SETTINGS, players=("engine:nodes=3000", "engine:nodes=3001"))
    seen: list[tuple[Move, ...]] = []

    def look(match: Match) -> None:
        for moves in match.boards.values():
            settings.game.play_line(moves)
            seen.append(moves)

    with Match(settings, 4, None, tmp_path / "match") as match:
        match.play(1, look, is_watched=True)
        assert match.boards == {}
    assert len(set(seen)) > 1


def test_nothing_is_written_for_nobody_to_watch(tmp_path: Path) -> None:
    seen: list[dict[int, tuple[Move, ...]]] = []
    with Match(SETTINGS, 2, None, tmp_path / "match") as match:
        match.play(1, lambda match: seen.append(match.boards))
    assert seen
    assert not any(seen)


def test_colours_that_were_chosen_count_for_whom_they_were(tmp_path: Path) -> None:
    settings = replace(SETTINGS, choosing=OpeningRule.SWAP, openings=((),))
    with Match(settings, 6, None, tmp_path / "match") as match:
        match.play(1)
    records = read_records(tmp_path / "match" / "games.sgf")
    first, _ = settings.names
    points = {Outcome.DARK_WINS: (1, 0), Outcome.DRAW: (0.5, 0.5), Outcome.LIGHT_WINS: (0, 1)}
    as_dark = [record for record in records if record.dark == first]
    as_light = [record for record in records if record.light == first]
    assert match.tally.as_dark.games == len(as_dark)
    assert match.tally.as_dark.points == sum(points[each.outcome][0] for each in as_dark)
    assert match.tally.as_light.points == sum(points[each.outcome][1] for each in as_light)
