"""The command that writes certificates, on those of Gomoku."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from fivebook.cli import cli

LOST = "e5 a1 f6 i1 e6 a9 f5"


def test_a_win_in_gomoku_is_proved_certified_and_checked(runner: CliRunner, tmp_path: Path) -> None:
    book, cert = tmp_path / "won.db", tmp_path / "won.cert"
    arguments = ["certify", str(book), "-o", str(cert), "--game", "gomoku-9", "--root", LOST]
    result = runner.invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    assert result.output.endswith(f" {cert.stat().st_size:,} bytes\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["won.cert", "won.db.parts"]
    checked = runner.invoke(cli, ["prove-check", str(cert)])
    assert checked.exit_code == 0, checked.output
    assert "dark wins gomoku-9 within " in checked.output
    assert "accepted: " in checked.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--game", "gomoku-9", "--leaf", "3"), "a certificate of gomoku-9 has no --leaf"),
        (
            (
                "--game",
                "gomoku-9-renju",
            ),
            "there are no certificates for gomoku-9-renju",
        ),
        (("--game", "pentago"), "there are no certificates for pentago"),
    ],
)
def test_what_makes_no_sense_is_refused(
    runner: CliRunner, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    cert = tmp_path / "none.cert"
    result = runner.invoke(cli, ["certify", str(tmp_path / "b.db"), "-o", str(cert), *arguments])
    assert (result.exit_code, message in result.output) == (2, True), result.output
    assert not list(tmp_path.iterdir())
