"""The command that checks certificates."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from book.certificates.pentago_swap.file import read, write
from engine import registry
from fivebook.cli import cli
from tests.book.certificates.pentago_swap.samples import (
    POSITIONS,
    certificate,
    entries,
    position,
    rebuilt,
)

RIGHT = certificate(7, 1, 3)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "right.cert"
    write(RIGHT, path)
    return path


def test_a_right_certificate_is_accepted(runner: CliRunner, path: Path) -> None:
    result = runner.invoke(cli, ["prove-check", str(path), "--jobs", "2"])
    assert result.exit_code == 0, result.output
    assert "the first player wins within 7 plies" in result.output
    assert f"accepted: {RIGHT.entries} entries checked, 100.00 % of them" in result.output


def test_a_wrong_one_is_rejected_with_the_moves_to_the_hole(
    runner: CliRunner, tmp_path: Path
) -> None:
    path = tmp_path / "wrong.cert"
    some = entries(RIGHT)
    del some[-1]
    write(rebuilt(RIGHT, some), path)
    result = runner.invoke(cli, ["prove-check", str(path)])
    assert result.exit_code == 1
    assert "rejected: no answer wins within" in result.output
    answer = json.loads(runner.invoke(cli, ["prove-check", str(path), "--json"]).output)
    assert answer["accepted"] is False
    game, end = registry.get("pentago-swap"), position(POSITIONS[7])
    for text in answer["hole"]["line"]:
        end = game.play(end, game.parse_move(text))
    assert game.outcome(end) is None


def test_a_sample_is_told_as_its_share(runner: CliRunner, path: Path) -> None:
    arguments = ["prove-check", str(path), "--sample", "5"]
    result = runner.invoke(cli, arguments)
    assert result.exit_code == 0
    assert "no hole found: 5 entries checked, 25.00 % of them" in result.output
    assert "accepted" not in result.output
    assert json.loads(runner.invoke(cli, [*arguments, "--json"]).output)["accepted"] is False


def test_a_check_keeps_its_state(runner: CliRunner, path: Path, tmp_path: Path) -> None:
    state = tmp_path / "state.npz"
    for _ in range(2):
        result = runner.invoke(cli, ["prove-check", str(path), "--state", str(state)])
        assert "accepted" in result.output
        assert state.exists()


def test_what_is_written_is_what_is_read(path: Path) -> None:
    assert entries(read(path)) == entries(RIGHT)
    assert replace(read(path), **dict.fromkeys(("high", "low"), 0)).start == RIGHT.start


@pytest.mark.parametrize("kept", [0, 1, 50, 300, -1])
def test_a_truncated_file_is_refused(runner: CliRunner, path: Path, kept: int) -> None:
    path.write_bytes(path.read_bytes()[:kept])
    result = runner.invoke(cli, ["prove-check", str(path)])
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith("Error: ")
    assert result.stdout == ""


def test_a_damaged_file_is_refused_or_rejected(runner: CliRunner, path: Path) -> None:
    data = path.read_bytes()
    for at in range(0, len(data), 7):
        path.write_bytes(data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :])
        result = runner.invoke(cli, ["prove-check", str(path)])
        assert result.exit_code in (1, 2), (at, result.output)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["{folder}/none.cert"], "cannot read"),
        (["{folder}"], "cannot read"),
        (["{text}"], "is no book and no certificate of fivebook"),
        (["{text}", "--nodes", "5"], "is no book: there is no --nodes for it"),
        (["{text}", "h8"], "is no book: there is no [MOVES]... for it"),
        (["{other}"], "is a certificate for chess: no checker is for that game"),
        (["{text}", "--jobs", "0"], "0 is not in the range"),
        (["{text}", "--sample", "5", "--state", "x"], "--state and --sample cannot be combined"),
    ],
)
def test_bad_input_gets_one_sentence_and_status_2(
    runner: CliRunner, tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    text = tmp_path / "text"
    text.write_text("no certificate\n" * 10)
    other = tmp_path / "other.cert"
    other.write_text('{"format": "fivebook certificate", "game": "chess"}\n')
    filled = [argument.format(folder=tmp_path, text=text, other=other) for argument in arguments]
    result = runner.invoke(cli, ["prove-check", *filled])
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stdout == ""
