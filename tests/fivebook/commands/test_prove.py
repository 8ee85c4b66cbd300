"""The command that proves: what it prints, how it fails, how it is interrupted."""

import json
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner

from engine import registry
from fivebook.cli import cli

FOUR_AND_THREE = "e7 a5 e6 a1 b5 b1 c5 e1 d5 i1"
OPEN_FOUR = "c5 a1 d5 i1 e5 a9 f5"


def test_a_win_is_told_with_its_line(runner: CliRunner) -> None:
    result = runner.invoke(cli, ["prove", "gomoku-9", "c5 a1 d5 i1 e5 a9"])
    assert result.exit_code == 0, result.output
    assert "dark to move: dark wins in at most 3 plies" in result.output
    assert "nodes, table 0.0 % full" in result.output
    line = result.output.splitlines()[-2].split()
    game = registry.get("gomoku-9")
    end = game.play_line(game.parse_line("c5 a1 d5 i1 e5 a9 " + " ".join(line)))
    assert game.outcome(end) is not None


def test_a_loss_is_told_with_the_winner(runner: CliRunner) -> None:
    result = runner.invoke(cli, ["prove", "gomoku-9", OPEN_FOUR])
    assert "light to move: dark wins in at most 2 plies" in result.output


def test_a_draw_is_told(runner: CliRunner) -> None:
    result = runner.invoke(cli, ["prove", "gomoku-5"])
    assert "dark to move: a draw, neither side can force a win" in result.output


def test_what_the_nodes_leave_open_is_told(runner: CliRunner) -> None:
    result = runner.invoke(cli, ["prove", "gomoku-15", "h8", "i9", "--nodes", "3000"])
    assert result.exit_code == 0
    assert "open, neither side's win was proven" in result.output


def test_only_the_side_that_is_asked_about_is_looked_at(runner: CliRunner) -> None:
    arguments = ["prove", "gomoku-9", OPEN_FOUR, "--nodes", "2000", "--side"]
    result = runner.invoke(cli, [*arguments, "dark"])
    assert "light to move: dark wins in at most 2 plies" in result.output
    result = runner.invoke(cli, [*arguments, "light"])
    assert "light to move: light cannot force a win; whether dark can is open" in result.output
    result = runner.invoke(cli, ["prove", "gomoku-9", "--side", "dark", "--nodes", "500"])
    assert "dark to move: open, dark's win was not proven\n" in result.output


def test_that_there_is_no_win_so_soon_is_told_of_each_side(runner: CliRunner) -> None:
    result = runner.invoke(cli, ["prove", "pentago-swap", "a1:12", "--plies", "10"])
    assert result.exit_code == 0, result.output
    sentence = "light to move: no win for light within 9 plies, no win for dark within 10 plies\n"
    assert sentence in result.output
    arguments = ["prove", "pentago-swap", "a1:12", "--plies", "10", "--side", "dark", "--json"]
    answer = json.loads(runner.invoke(cli, arguments).stdout)
    assert (answer["result"], answer["loses"], answer["within"]) == (None, None, 10)
    assert answer["no_loss_within"] == 10


def test_what_the_nodes_leave_open_within_the_plies_is_told(runner: CliRunner) -> None:
    arguments = ["prove", "pentago-swap", "--plies", "19", "--side", "dark", "--nodes", "9000"]
    result = runner.invoke(cli, arguments)
    assert "open, dark's win was not proven; no win for dark within 9 plies\n" in result.output


def test_each_first_move_is_told_once_with_those_alike(runner: CliRunner) -> None:
    arguments = ["prove", "pentago-swap", "--each-move", "--plies", "11", "--side", "dark"]
    result = runner.invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    rows = [line.split() for line in result.output.splitlines() if "dark within 11" in line]
    assert [(row[1], row[3]) for row in rows] == [("a1:12", "96"), ("b1:12", "96"), ("b2:12", "24")]
    answer = json.loads(runner.invoke(cli, [*arguments, "--json"]).stdout)
    game = registry.get("pentago-swap")
    moves = [move for row in answer["moves"] for move in row["moves"]]
    assert sorted(moves) == sorted(map(game.format_move, game.legal_moves(game.initial)))
    assert [row["no_win_within"] for row in answer["moves"]] == [11, 11, 11]
    assert answer["left"] == 0


def test_moves_that_win_come_first_and_those_that_lose_last(runner: CliRunner) -> None:
    arguments = ["--each-move", "--nodes", "2000", "--json"]
    won, lost = (
        json.loads(runner.invoke(cli, ["prove", "gomoku-9", line, *arguments]).stdout)["moves"]
        for line in (f"{OPEN_FOUR} i9", OPEN_FOUR)
    )
    assert (won[0]["moves"], won[0]["result"], won[0]["distance"]) == (["b5", "g5"], "win", 1)
    assert {(row["result"], row["distance"]) for row in lost} == {("loss", 2)}


def test_threads_tell_what_one_tells(runner: CliRunner) -> None:
    arguments = ["prove", "pentago-swap", "--each-move", "--plies", "11", "--json"]
    alone, shared = (
        json.loads(runner.invoke(cli, [*arguments, "--jobs", jobs]).stdout)["moves"]
        for jobs in ("1", "3")
    )
    for row in (*alone, *shared):
        del row["nodes"], row["seconds"]
    assert alone == shared


def test_a_proof_has_one_answer_in_json(runner: CliRunner) -> None:
    arguments = ["prove", "gomoku-9", OPEN_FOUR, "--table", "2", "--json"]
    first, second = (json.loads(runner.invoke(cli, arguments).stdout) for _ in range(2))
    del first["seconds"], second["seconds"]
    assert first == second
    assert first["game"] == "gomoku-9"
    assert first["position"] == OPEN_FOUR
    assert first["to_move"] == "light"
    assert (first["result"], first["wins"], first["loses"]) == ("loss", False, True)
    assert first["distance"] == len(first["line"]) == 2


def test_an_open_question_has_neither_line_nor_distance_in_json(runner: CliRunner) -> None:
    arguments = ["prove", "gomoku-15", "--nodes", "1000", "--json"]
    answer = json.loads(runner.invoke(cli, arguments).stdout)
    assert (answer["result"], answer["distance"], answer["line"]) == (None, None, [])
    assert 0 < answer["nodes"] <= 1000
    assert 0 < answer["table"] < 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["chess"], "unknown game 'chess'"),
        (["gomoku-9", "e5 e5"], "illegal move 'e5' in gomoku-9 after 'e5'"),
        (["gomoku-9", "z1"], "'z1' is no cell of gomoku-9"),
        (["gomoku-9", "a1 a9 b1 b9 c1 c9 d1 d9 e1"], "nothing is left to prove: dark wins"),
        (["gomoku-9", "--nodes", "0"], "0 is not in the range"),
        (["gomoku-9", "--table", "0"], "'0' is no size like 512MB or 4GB, up to 64GB"),
        (["gomoku-9", "--memory", "many"], "a plain number counts MiB"),
        (["gomoku-9", "--plies", "9"], "a limit of plies needs a prover that looks ply by ply"),
        (["pentago-swap", "--plies", "0"], "0 is not in the range"),
        (["pentago-swap", "--side", "white"], "'white' is not one of 'dark', 'light'"),
        (["pentago-swap", "--jobs", "0"], "0 is not in the range"),
        ([], "Missing argument 'GAME'"),
    ],
)
def test_bad_input_gets_one_sentence_and_status_2(
    runner: CliRunner, arguments: list[str], sentence: str
) -> None:
    result = runner.invoke(cli, ["prove", *arguments])
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.splitlines()[-1].startswith("Error: ")
    assert result.stdout == ""


def interrupted(first_line: str, *arguments: str) -> str:
    """What is printed when it is interrupted after its first line of progress."""
    command = [sys.executable, "-m", "fivebook.cli", "prove", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert first_line in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
    return output


@pytest.mark.slow
def test_an_interrupt_ends_it_with_status_130_and_no_traceback() -> None:
    interrupted("nodes, table", "gomoku-15", "--nodes", "1000000000")


def test_an_interrupt_leaves_what_is_known_of_the_moves() -> None:
    asked = ("pentago-swap", "--each-move", "--plies", "35", "--side", "dark")
    output = interrupted("a1:12, then 5 more; no win for dark within", *asked)
    assert "open, dark's win was not proven" in output
    assert "not looked at: 5 moves, up to symmetry" in output
