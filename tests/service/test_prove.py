"""The command that proves: what it prints, how it fails, how it is interrupted."""

import json
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner

from engine import games
from service.cli import cli

FOUR_AND_THREE = "e7 a5 e6 a1 b5 b1 c5 e1 d5 i1"
OPEN_FOUR = "c5 a1 d5 i1 e5 a9 f5"


def test_a_win_is_told_with_its_line(runner: CliRunner) -> None:
    result = runner.invoke(cli, ["prove", "gomoku-9", "c5 a1 d5 i1 e5 a9"])
    assert result.exit_code == 0, result.output
    assert "dark to move: dark wins in at most 3 plies" in result.output
    assert "nodes, table 0.0 % full" in result.output
    line = result.output.splitlines()[-2].split()
    game = games.get("gomoku-9")
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


def test_a_proof_has_one_answer_in_json(runner: CliRunner) -> None:
    arguments = ["prove", "gomoku-9", OPEN_FOUR, "--table", "2", "--json"]
    first, second = (json.loads(runner.invoke(cli, arguments).stdout) for _ in range(2))
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
        (["gomoku-9", "--table", "0"], "0 is not in the range"),
        (["gomoku-9", "--table", "many"], "'many' is not a valid integer"),
        (["pentago"], "pentago cannot be proven: the game has no prover yet"),
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


def test_an_interrupt_ends_it_with_status_130_and_no_traceback() -> None:
    command = [sys.executable, "-m", "service.cli", "prove", "gomoku-15", "--nodes", "1000000000"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert "nodes, table" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
