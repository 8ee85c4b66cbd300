"""``fivebook arena`` as a user has it: tables, JSON, stops, and what it refuses."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from book.lessons import Lessons
from engine import registry
from fivebook.cli import cli
from tests.books import Fivebook
from tests.checkout import ROOT

TIMEOUT = 120
STRONG, WEAK = "engine:nodes=400", "engine:nodes=15"
BRAIN = ROOT / "tests" / "service" / "play" / "brain.py"
OPENINGS = "d4 d5 e3\nd4 c3\nd4 e4 b2 f6\nc3 d4 e5\na1 d4\n"


@pytest.fixture(autouse=True)
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the commands run: an empty folder but for a file of openings."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "suite.txt").write_text(OPENINGS)
    return tmp_path


def match_options(folder: str, *, games: int = 10) -> list[str]:
    options = ["--game", "gomoku-7", "--games", str(games), "--openings", "suite.txt"]
    return [STRONG, WEAK, *options, "--save", folder]


def arena(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["arena", *arguments])


def document(*arguments: str) -> Any:
    result = arena(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def without_times(document: dict[str, Any]) -> dict[str, Any]:
    """A match's JSON without what differs from one run to the next."""
    players = [
        {key: value for key, value in player.items() if not key.endswith("_ms")}
        for player in document["players"]
    ]
    return {**document, "players": players, "folder": ""}


@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The command in a group of its own, as a terminal would run it; killed at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "fivebook.cli", "arena", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=TIMEOUT)


def wait_for(what: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    while not what():
        assert process.poll() is None, process.communicate(timeout=TIMEOUT)
        time.sleep(0.01)


def games_in(folder: Path) -> int:
    truth = folder / "games.jsonl"
    return truth.read_bytes().count(b"\n") if truth.exists() else 0


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The JSON of a match that was played without a stop."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "suite.txt").write_text(OPENINGS)
    options = match_options(str(folder / "whole"))
    options[options.index("suite.txt")] = str(folder / "suite.txt")
    return document(*options)


def test_the_result_is_one_json_document(whole: Any) -> None:
    assert whole["games"] == {"planned": 10, "finished": 10, "counted": 10, "different": 10}
    assert whole["complete"] is True
    assert whole["settings"]["game"] == "gomoku-7"
    assert whole["settings"]["openings"] == OPENINGS.splitlines()
    assert whole["wins"] + whole["draws"] + whole["losses"] == 10
    for result in ("wins", "draws", "losses"):
        assert whole["as_dark"][result] + whole["as_light"][result] == whole[result]
    assert sum(whole["pairs"]) == 5
    assert whole["score"] == sum(i * n / 4 for i, n in enumerate(whole["pairs"])) / 5
    assert set(whole["elo"]) == {"value", "low", "high"}
    assert whole["sprt"] is None
    strong, weak = whole["players"]
    assert (strong["name"], weak["name"]) == (STRONG, WEAK)
    assert strong["forfeits"] == {"time": 0, "illegal": 0, "failed": 0, "memory": 0}
    assert strong["longest_ms"] >= strong["average_ms"] > 0
    assert strong["average_nodes"] > weak["average_nodes"] > 0
    assert strong["average_depth"] > weak["average_depth"] > 0


@pytest.mark.slow
def test_a_match_killed_and_resumed_gives_the_result_of_one_that_was_not(
    whole: Any, somewhere: Path
) -> None:
    for games in (2, 5):
        with running(*match_options("killed"), "--jobs", "2") as process:
            wait_for(lambda: games_in(somewhere / "killed") >= games, process)  # noqa: B023
            process.kill()
    with open("killed/games.jsonl", "ab") as truth:
        truth.write(b'{"number": 9, "mov')
    assert games_in(somewhere / "killed") < 10
    result = document(*match_options("killed"))
    assert without_times(result) == without_times(whole)


def test_ctrl_c_stops_in_a_moment_and_keeps_what_was_finished(somewhere: Path) -> None:
    # A move of this match takes a minute.
    options = ("--game", "gomoku-15", "--movetime", "60s", "--save", "stopped", "--jobs", "2")
    with running("engine", "engine", *options) as process:
        wait_for((somewhere / "stopped" / "games.jsonl").exists, process)
        os.killpg(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 130, errors
    assert "Not finished: the same command goes on from here." in output
    assert "Traceback" not in errors
    assert (somewhere / "stopped" / "games.sgf").read_text() == ""


@pytest.mark.slow
def test_the_workers_of_a_killed_arena_end_by_themselves(somewhere: Path) -> None:
    options = ("--game", "gomoku-15", "--movetime", "100ms", "--save", "killed", "--jobs", "2")
    with running("engine", "random", *options) as process:
        wait_for(lambda: games_in(somewhere / "killed") > 0, process)
        process.kill()
        process.wait(TIMEOUT)
        for _ in range(600):
            try:
                os.killpg(process.pid, 0)
            except ProcessLookupError:
                return
            time.sleep(0.1)
        raise AssertionError("workers are still running")


def test_a_match_is_shown_as_a_table() -> None:
    result = arena("engine:nodes=300", "random", "--game", "gomoku-7", "--games", "4")
    assert result.exit_code == 0, result.output
    assert "engine:nodes=300 - random on gomoku-7: 4 of 4 games" in result.stdout
    assert "Elo   +inf (at least " in result.stdout
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["engine:nodes=300", "4", "0", "0", "100.0", "%"] in rows
    assert next(row for row in rows if row[:1] == ["random"])[-1] == "none"
    assert "The games are in matches/engine-nodes=300-vs-random-gomoku-7-" in result.stdout


def test_the_same_command_again_says_that_it_was_played_before() -> None:
    options = ["random", "random", "--game", "gomoku-5", "--games", "2"]
    assert "Played before" not in arena(*options).stdout
    again = arena(*options)
    assert "Played before: the games are in matches/random-vs-random-gomoku-5-" in again.stdout
    assert "To start anew, delete it or use --save." in again.stdout


def test_more_games_go_on_from_those_there_are() -> None:
    options = ["random", "random", "--game", "gomoku-5", "--save", "played"]
    first = document(*options, "--games", "4")
    more = document(*options, "--games", "8")
    assert more["games"] == {"planned": 8, "finished": 8, "counted": 8, "different": 8}
    for result in ("wins", "draws", "losses"):
        assert more[result] >= first[result]


def test_a_program_that_ends_loses_each_game_and_the_next_begins_with_a_new_one() -> None:
    program = f"gomocup:{shlex.join([sys.executable, str(BRAIN), 'mortal'])}"
    options = ("--game", "gomoku-7", "--games", "4", "--movetime", "50ms")
    result = document("random", program, *options)
    assert (result["wins"], result["games"]["counted"]) == (4, 4)
    assert [player["forfeits"]["failed"] for player in result["players"]] == [0, 4]
    records = (Path(result["folder"]) / "games.sgf").read_text()
    assert records.count("it has ended") == 4


def test_a_player_may_meet_itself() -> None:
    result = document("engine", "engine", "--nodes", "50", "--game", "gomoku-5", "--games", "2")
    assert [player["name"] for player in result["players"]] == ["engine", "engine (2)"]
    assert result["score"] == 0.5


def test_games_may_begin_with_the_empty_board_where_there_is_a_suite() -> None:
    players = ("random", "random", "--game", "gomoku-11", "--games", "2")
    assert document(*players, "--empty-board", "--save", "empty")["settings"]["openings"] == [""]
    assert "" not in document(*players, "--save", "suite")["settings"]["openings"]


def test_it_is_said_that_openings_repeat() -> None:
    sentence = "2 pairs of games share one opening"
    assert sentence in arena("random", "random", "--game", "gomoku-5", "--games", "4").stderr
    assert sentence not in arena("random", "random", "--game", "gomoku-5", "--games", "2").stderr


def test_a_test_that_is_decided_says_so_plainly() -> None:
    options = [
        "engine",
        "random",
        "--nodes",
        "300",
        "--game",
        "gomoku-7",
        "--sprt",
        "0,400",
        "--save",
        "decided",
    ]
    text = arena(*options, "--jobs", "2").stdout
    assert "accepted: at least +400 Elo" in text
    decided = document(*options)
    assert decided["sprt"]["state"] == "accepted"
    assert decided["sprt"]["llr"] >= decided["sprt"]["upper"] == 2.944
    assert decided["games"]["counted"] == 10
    assert decided["elo"] == {"value": None, "low": decided["elo"]["low"], "high": None}
    assert decided["elo"]["low"] > 0


def test_a_round_robin_prints_a_cross_table() -> None:
    # Random moves hold no game against either of these.
    other = "engine:nodes=150"
    options = [STRONG, "random", other, "--game", "gomoku-7", "--games", "4", "--save", "robin"]
    text = arena("--round-robin", *options).stdout
    rows = [line.split() for line in text.splitlines() if "/8" in line]
    assert {rows[0][1], rows[1][1]} == {STRONG, other}
    assert rows[2][1] == "random"
    assert rows[2][2:4] == ["0-0-4", "0-0-4"]
    assert rows[2][-3:] == ["0/8", "0.0", "%"]
    result = document("--round-robin", *options)
    assert result["complete"] is True
    assert [row["player"] for row in result["table"]] == [row[1] for row in rows]
    assert len(result["matches"]) == 3
    for row in result["table"]:
        assert row["points"] == row["wins"] + row["draws"] / 2
        assert set(row["against"]) == {STRONG, other, "random"} - {row["player"]}
    assert sum(row["points"] for row in result["table"]) == 12
    first, second, _ = result["table"]
    there = first["against"][second["player"]]
    back = second["against"][first["player"]]
    assert (there["wins"], there["draws"]) == (back["losses"], back["draws"])


@pytest.mark.slow
def test_a_full_disk_is_said_and_costs_nothing_that_was_stored(somewhere: Path) -> None:
    # Blocks of 1024 bytes: some games fit, not all of them.
    (somewhere / "full").mkdir()
    command = [sys.executable, "-m", "fivebook.cli", "arena", *match_options("full", games=40)]
    limited = ["bash", "-c", 'ulimit -f 4; exec "$@"', "limited", *command]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run(limited, capture_output=True, text=True, env=environment)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    assert result.stderr.splitlines()[-1].startswith("Error: cannot use 'full': ")
    assert 0 < games_in(somewhere / "full") < 40
    assert document(*match_options("full"))["games"]["counted"] == 10


@pytest.mark.slow
def test_a_match_by_the_clock_is_played_between_the_engine_and_itself_as_a_program() -> None:
    program = f"gomocup:{shlex.join([sys.executable, '-m', 'fivebook.cli', 'gomocup'])}"
    options = ("--game", "gomoku-7", "--games", "2", "--clock", "1s+20ms", "--margin", "10s")
    found = document("engine", program, *options)
    assert found["games"]["counted"] == 2
    assert found["settings"]["clock"] == {"left": 1.0, "increment": 0.02, "moves_to_go": None}
    for player in found["players"]:
        assert player["forfeits"] == {"time": 0, "illegal": 0, "failed": 0, "memory": 0}
        assert player["longest_ms"] > 0


def test_a_clock_that_nobody_can_keep_loses() -> None:
    program = f"gomocup:{shlex.join([sys.executable, str(BRAIN), 'slow'])}"
    options = ("--game", "gomoku-5", "--games", "2", "--clock", "100ms", "--margin", "1ms")
    found = document("random", program, *options)
    assert found["players"][1]["forfeits"]["time"] == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["random"], "name two players, A and B"),
        (["random", "random", "random"], "name two players, A and B"),
        (["--round-robin", "random"], "--round-robin needs two players or more"),
        (["--round-robin", "random", "engine", "--sprt", "0,20"], "--sprt is for one match"),
        (["random", "nobody"], "unknown player 'nobody'; there are "),
        (["random", "closeness"], "closeness"),
        (["random", "random", "--games", "7"], "7 is odd: every opening is played twice"),
        (["random", "random", "--games", "0"], "0 is not in the range x>=2"),
        (["random", "random", "--sprt", "20,0"], "'20,0' is no pair of Elo differences"),
        (["random", "random", "--sprt", "20"], "'20' is no pair of Elo differences"),
        (["random", "random", "--nodes", "0"], "0 is not in the range x>=1"),
        (["random", "random", "--movetime", "0"], "'0' is no duration"),
        (["random", "random", "--clock", "soon"], "'soon' is no duration"),
        (["random", "random", "--clock", "4//5s"], "'4//5s' is no clock, such as 60s, "),
        (["random", "random", "--margin", "soon"], "'soon' is no duration"),
        (["random", "random", "--jobs", "0"], "0 is not in the range x>=1"),
        (["random", "random", "--openings", "none.txt"], "'none.txt' does not exist"),
        (
            ["random", "random", "--openings", "suite.txt", "--empty-board"],
            "--openings and --empty-board cannot be combined",
        ),
        (["random", "random", "--openings", "bad.txt"], "bad.txt, line 1: 'z9' is no cell"),
        (["random", "random", "--save", "bad.txt"], "'bad.txt' is a file"),
        (["random", "random", "--game", "chess"], "unknown game 'chess'"),
    ],
)
def test_what_makes_no_sense_is_refused_with_one_sentence(
    arguments: Sequence[str], sentence: str, somewhere: Path
) -> None:
    (somewhere / "bad.txt").write_text("z9\n")
    game = [] if "--game" in arguments else ["--game", "gomoku-7"]
    result = arena(*arguments, *game)
    assert result.exit_code == 2
    assert result.stdout == ""
    errors = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert len(errors) == 1
    assert sentence in errors[0]
    assert not (somewhere / "matches").exists()


def test_the_folder_of_another_match_is_refused(somewhere: Path) -> None:
    options = ["random", "random", "--game", "gomoku-5", "--games", "2", "--save", "played"]
    arena(*options)
    before = (somewhere / "played" / "games.jsonl").read_text()
    result = arena(*options, "--margin", "1s")
    assert result.exit_code == 2
    assert "Error: 'played' holds a match with margin 0.25 and not 1.0" in result.stderr
    assert (somewhere / "played" / "games.jsonl").read_text() == before


def test_a_gauntlet_is_the_first_player_against_each_of_the_others(tmp_path: Path) -> None:
    players = [STRONG, WEAK, "random:seed=3"]
    folder = tmp_path / "gauntlet"
    arguments = [*players, "--game", "gomoku-9", "--games", "2", "--nodes", "50"]
    result = arena(*arguments, "--gauntlet", "--empty-board", "--save", folder, "--json")
    document = json.loads(result.stdout)
    assert [match["settings"]["players"] for match in document["matches"]] == [
        [STRONG, WEAK],
        [STRONG, "random:seed=3"],
    ]
    games = {row["player"]: row["wins"] + row["draws"] + row["losses"] for row in document["table"]}
    assert games == {STRONG: 4, WEAK: 2, "random:seed=3": 2}


def test_by_swap2_engines_open_every_game_in_another_way(tmp_path: Path) -> None:
    folder = tmp_path / "swap2"
    arguments = ["engine:nodes=60", "engine:nodes=61", "--game", "gomoku-9", "--games", "4"]
    arena(*arguments, "--opening-rule", "swap2", "--save", folder)
    games = [json.loads(line) for line in (folder / "games.jsonl").read_text().splitlines()]
    assert len({tuple(game["moves"].split()[:3]) for game in games}) > 1
    assert all(game["forfeit"] is None for game in games)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["engine", "random", "--opening-rule", "swap"], "random chooses no openings"),
        (["engine", "engine", "--opening-rule", "swap", "--openings", "suite.txt"], "combined"),
        (["engine", "random", WEAK, "--gauntlet", "--sprt", "0,20"], "combined with --gauntlet"),
        (["engine", "random", WEAK, "--gauntlet", "--round-robin"], "cannot be combined"),
        (["engine", "--gauntlet"], "--gauntlet needs two players or more"),
        (["engine", f"gomocup:{BRAIN}", "--opening-rule", "rif"], "does not start"),
        (
            ["engine", f"gomocup:{sys.executable} {BRAIN}", "--opening-rule", "swap"],
            "the Gomocup protocol has openings by swap2, and not by swap",
        ),
    ],
)
def test_openings_and_tournaments_that_make_no_sense_are_refused(
    arguments: list[str], said: str
) -> None:
    result = arena(*arguments, "--game", "gomoku-7")
    assert result.exit_code == 2
    assert said in result.stderr


def test_colours_are_not_chosen_where_a_move_is_more_than_a_stone() -> None:
    result = arena("engine", "engine", "--opening-rule", "swap2", "--game", "pentago-swap")
    assert result.exit_code == 2
    assert "where a move is a stone and no more, not in pentago-swap" in result.stderr


def test_lost_games_teach_the_book(somewhere: Path, fivebook: Fivebook) -> None:
    book = somewhere / "small.db"
    built = fivebook("build", book, "--game", "gomoku-9", "--positions", 3, "--nodes", 30)
    assert built.exit_code == 0
    players = ("engine:nodes=10,book=small.db", "engine:nodes=3000")
    match = (*players, "--game", "gomoku-9", "--games", "10", "--openings", "suite.txt")
    lost = document(*match, "--learn", "small.db")["losses"]
    game = registry.get("gomoku-9")
    assert len(Lessons(book).waiting(game)) == lost > 0
    told = fivebook(
        "build", book, "--game", "gomoku-9", "--mode", "learn", "--nodes", 3000, "--json"
    )
    assert told.exit_code == 0
    lessons = json.loads(told.stdout)["lessons"]
    assert len(lessons) == lost
    assert not Lessons(book).waiting(game)
    for lesson in lessons:
        if lesson["instead"] is not None:
            line = " ".join(lesson["game"].split()[: lesson["ply"]])
            asked = fivebook("query", book, line, "--game", "gomoku-9", "--book-only", "--json")
            assert json.loads(asked.stdout)["best"] == lesson["instead"]
