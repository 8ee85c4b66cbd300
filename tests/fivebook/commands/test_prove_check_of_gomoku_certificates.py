"""The command that checks certificates, on those of Gomoku."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from book.certificates.gomoku.file import write
from fivebook.cli import cli
from tests.book.certificates.gomoku.strategies import rebuilt, written


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "right.cert"
    write(written(), path)
    return path


def test_an_accepted_certificate_is_said_to_be_won_within_its_plies(
    runner: CliRunner, path: Path
) -> None:
    result = runner.invoke(cli, ["prove-check", str(path), "--jobs", "2"])
    assert result.exit_code == 0, result.output
    first, second, verdict = result.output.splitlines()
    assert first.startswith(f"{path}: dark wins gomoku-15 within 23 plies from ....")
    assert second.startswith("5 entries with ")
    assert verdict == "accepted: 5 entries checked, 100.00 % of them"


def test_a_rejection_gives_the_moves_to_the_hole(runner: CliRunner, tmp_path: Path) -> None:
    path = tmp_path / "wrong.cert"
    write(rebuilt(written(), lambda some: some.pop()), path)
    result = runner.invoke(cli, ["prove-check", str(path)])
    assert result.exit_code == 1
    first, _, verdict = result.output.splitlines()
    assert "within" not in first
    assert verdict.startswith("rejected: no entry has this position (entry ")
    assert " after 'i7 " in verdict


def test_a_sample_is_told_as_its_share(runner: CliRunner, path: Path) -> None:
    result = runner.invoke(cli, ["prove-check", str(path), "--sample", "2", "--json"])
    assert result.exit_code == 0
    told = json.loads(result.output)
    assert (told["game"], told["winner"], told["entries"]) == ("gomoku-15", "dark", 5)
    assert (told["checked"], told["accepted"], told["distance"]) == (2, False, None)


def test_what_has_been_checked_is_kept(runner: CliRunner, path: Path, tmp_path: Path) -> None:
    state = tmp_path / "checked.npz"
    for _ in range(2):
        result = runner.invoke(cli, ["prove-check", str(path), "--state", str(state)])
        assert result.exit_code == 0, result.output
        assert "accepted: 5 entries checked" in result.output
    assert state.exists()
