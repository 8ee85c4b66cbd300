"""docs/adding-a-game.md, followed: its files are those shipped, and its commands work."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from fivebook.cli import cli
from service.http.app import create_app
from service.http.settings import Settings
from tests.checkout import ROOT

PAGE = (ROOT / "docs" / "adding-a-game.md").read_text()
FILES = dict(re.findall(r"^`(\S+\.py)`:\n\n```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
MOST_LINES = 250


def test_the_page_shows_the_files_as_they_are_shipped() -> None:
    assert [name.split("/")[0] for name in FILES] == ["engine", "book"]
    for name, text in FILES.items():
        assert text == (ROOT / name).read_text(), name
    assert sum(text.count("\n") for text in FILES.values()) < MOST_LINES


@pytest.mark.parametrize("room", ["engine", "book", "precompute", "service", "fivebook"])
def test_no_other_file_of_the_rooms_speaks_of_the_game(room: str) -> None:
    speaking = {
        str(path.relative_to(ROOT))
        for path in (ROOT / room).rglob("*.py")
        if re.search("connect.?four", path.read_text(), re.IGNORECASE)
    }
    assert speaking == {name for name in FILES if name.split("/")[0] == room}


def test_the_commands_of_the_page_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"^```console\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    printed: dict[str, str] = {}
    for line in block.splitlines():
        program, *arguments = shlex.split(line.removeprefix("$ "))
        if program == "curl":
            app = create_app(Settings(books=(tmp_path / "four.db",), movetime=0.05))
            url = arguments[0].removeprefix("http://127.0.0.1:8000")
            answer = app.test_client().get(url)
            app.extensions["answerer"].close()
            assert answer.status_code == 200
            found = answer.get_json()
            assert (found["game"], found["source"]) == ("connect-four-5x4", "book")
            assert found["position"] == "c1 c2"
        elif arguments[0] != "serve":
            result = CliRunner().invoke(cli, arguments, input="d\nquit\n")
            assert result.exit_code == 0, f"{line}: {result.output}"
            printed[line.removeprefix("$ fivebook ")] = result.output
    assert "c1 c2" in printed['query four.db "c c"']
    assert "dark wins in at most 3 plies" in printed['prove connect-four-7x6 "c c d d"']
    assert "a draw" in printed["prove connect-four-4x4"]
    assert "dark plays d1" in printed["play --game connect-four-7x6 --movetime 100ms"]
    checked = printed['prove-check won.db "c c d d"']
    assert "win in 3" in checked
