"""The file of settings of `fivebook serve`, and what goes before it."""

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from book.storage.address import Address
from fivebook.cli import cli

FILE = """\
books = ["books/one.db", "/absolute/two.db", "postgresql://me@host/books"]
host = "0.0.0.0"
port = 9000
movetime = "200ms"
movetime-cap = 3000
count-misses = false
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "service.toml"
    file.write_text(FILE)
    return file


def parsed(*arguments: object) -> dict[str, Any]:
    """What `fivebook serve` understands."""
    command = cli.get_command(click.Context(cli), "serve")
    assert command is not None
    return command.make_context("serve", [*map(str, arguments)]).params


def test_a_file_sets_options_by_their_names_and_books_beside_it(file: Path) -> None:
    found = parsed("--config", file)
    assert found["books"] == (
        Address(file.parent / "books/one.db"),
        Address(Path("/absolute/two.db")),
        Address.of("postgresql://me@host/books"),
    )
    assert (found["host"], found["port"], found["workers"]) == ("0.0.0.0", 9000, 1)
    assert found["movetime"] == pytest.approx(0.2)
    # As on the command line, a plain number counts milliseconds.
    assert found["movetime_cap"] == pytest.approx(3.0)
    assert found["count_misses"] is False


def test_the_environment_goes_before_the_file_and_the_command_line_before_both(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIVEBOOK_SERVE_CONFIG", str(file))
    assert parsed()["port"] == 9000
    monkeypatch.setenv("FIVEBOOK_SERVE_PORT", "9001")
    monkeypatch.setenv("FIVEBOOK_SERVE_COUNT_MISSES", "true")
    assert parsed()["port"] == 9001
    assert parsed()["count_misses"] is True
    found = parsed("--port", 9002, "--no-count-misses", "other.db")
    assert (found["port"], found["count_misses"]) == (9002, False)
    assert found["books"] == (Address(Path("other.db")),)
    assert found["host"] == "0.0.0.0"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("prot = 8000", "sets 'prot', which there is not: did you mean 'port'?"),
        (
            "movetime_cap = 5",
            "sets 'movetime_cap', which there is not: did you mean 'movetime-cap'",
        ),
        ("zz = 1", "sets 'zz', which there is not: it knows books, host, port, "),
        ("config = 'x'", "sets 'config', which there is not"),
        ("[serve]\nport = 1", "sets 'serve', which there is not"),
        ("books = 'one.db'", "'books' in '{file}' is no list of texts"),
        ("books = [1]", "'books' in '{file}' is no list of texts"),
        ("books = ['mysql://x/y']", "is no address of a book"),
        ("port = [1]", "'port' in '{file}' is no text, number, true or false"),
        ("port = 70000", "70000 is not in the range"),
        ("movetime = 'never'", "'never' is no duration"),
        ("port =", "is no TOML file: "),
        ("port = '\xff'", "is no TOML file: "),
        (None, "cannot read '{file}': No such file or directory"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(
    runner: CliRunner, tmp_path: Path, text: str | None, sentence: str
) -> None:
    file = tmp_path / "service.toml"
    if text is not None:
        file.write_bytes(text.encode("latin-1"))
    result = runner.invoke(cli, ["serve", "--config", str(file)])
    assert (result.exit_code, result.stdout) == (2, "")
    last = result.stderr.splitlines()[-1]
    assert last.startswith("Error: ")
    assert sentence.format(file=file) in last
