"""The commands that write and check certificates, on those of a draw in Gomoku."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from book.certificates.gomoku_draw.file import write
from fivebook.cli import cli
from tests.book.certificates.gomoku_draw.samples import path_of, shipped


def test_a_draw_is_said_to_be_one_by_both_rules(runner: CliRunner) -> None:
    result = runner.invoke(cli, ["prove-check", str(path_of(6))])
    assert result.exit_code == 0, result.output
    first, second, verdict = result.output.splitlines()
    assert first.endswith("neither side can force a win in gomoku-6 or gomoku-6-standard")
    entries = len(shipped(6).entries)
    assert second.startswith(f"{entries} entries, ")
    assert verdict == f"accepted: {entries} entries checked, 100.00 % of them"
    told = json.loads(runner.invoke(cli, ["prove-check", str(path_of(6)), "--json"]).output)
    assert (told["accepted"], told["games"]) == (True, ["gomoku-6", "gomoku-6-standard"])


def test_a_rejection_names_the_hole(runner: CliRunner, tmp_path: Path) -> None:
    path = tmp_path / "wrong.cert"
    *others, last = shipped(6).entries
    entries = (*others, replace(last, answers=last.answers[1:]))
    write(replace(shipped(6), entries=entries), path)
    result = runner.invoke(cli, ["prove-check", str(path)])
    assert result.exit_code == 1
    assert "rejected: no answer is good (entry " in result.output
    assert " after '" in result.output


@pytest.mark.parametrize("option", ["--jobs", "--sample", "--state", "--nodes"])
def test_a_draw_is_checked_as_one_whole(runner: CliRunner, option: str) -> None:
    result = runner.invoke(cli, ["prove-check", str(path_of(5)), option, "2"])
    assert result.exit_code == 2
    assert f"there is no {option} for it" in result.output


@pytest.mark.parametrize("game", ["gomoku-6", "gomoku-6-standard"])
def test_a_draw_is_proved_and_certified(runner: CliRunner, tmp_path: Path, game: str) -> None:
    path = tmp_path / "draw.cert"
    arguments = ["certify", str(tmp_path / "b.db"), "-o", str(path), "--game", game, "--draw"]
    result = runner.invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    assert f" entries, {path.stat().st_size:,} bytes" in result.output
    # Nothing is kept of a search that is complete, and the result is that which is shipped.
    assert [other.name for other in tmp_path.iterdir()] == ["draw.cert"]
    assert path.read_bytes() == path_of(6).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--game", "gomoku-9"), "boards of 5 to 8 are searched, not of 9"),
        (("--game", "gomoku-7-renju"), "there are no certificates of a draw for gomoku-7-renju"),
        ((), "there are no certificates of a draw for pentago-swap"),
        (("--game", "gomoku-7", "--jobs", "2"), "a draw in gomoku-7 has no --jobs"),
        (("--game", "gomoku-7", "--root", "a1"), "a draw in gomoku-7 has no --root"),
        (("--game", "gomoku-7", "--leaf", "3"), "a draw in gomoku-7 has no --leaf"),
    ],
)
def test_what_makes_no_sense_for_a_draw_is_refused(
    runner: CliRunner, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    path = tmp_path / "none.cert"
    command = ["certify", str(tmp_path / "b.db"), "-o", str(path), "--draw", *arguments]
    result = runner.invoke(cli, command)
    assert (result.exit_code, message in result.output) == (2, True), result.output
    assert not list(tmp_path.iterdir())
