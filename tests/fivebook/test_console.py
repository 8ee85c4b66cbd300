"""Texts from files and names are shown, never obeyed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from book.visible import visible, visible_json
from tests.books import CopyOf, Fivebook, change

MARKUP = "[/red] [bold]:smile:.db"
ESCAPES = "\x1b]0;title\x07\x1b[2J\x9b31m\u202e.db"
READING = ("info", "log", "query", "tree", "verify", "export")
OBEYED = ("\x1b", "\x07", "\x9b", "\u202e")


def renamed(copy_of: CopyOf, book: Path, name: str) -> Path:
    place = copy_of(book).parent / name
    place.parent.mkdir(exist_ok=True)
    return copy_of(book).rename(place)


@pytest.mark.parametrize("command", [*READING, "vacuum", "diff"])
@pytest.mark.parametrize("name", [MARKUP, ESCAPES])
def test_a_name_is_shown_as_it_is_written(
    command: str, name: str, copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    book = renamed(copy_of, gomoku_book, name)
    result = fivebook(command, book, *([book] if command == "diff" else []))
    assert result.exit_code == 0, result.output
    assert not any(code in result.output for code in OBEYED)
    if command == "info":
        assert visible(name) in result.output


def test_a_name_in_a_refusal_is_too(tmp_path: Path, fivebook: Fivebook) -> None:
    result = fivebook("info", tmp_path / ESCAPES)
    assert result.exit_code == 2
    assert not any(code in result.output for code in OBEYED)
    assert "\\x1b]0;title\\x07" in result.stderr


@pytest.mark.parametrize("command", READING)
@pytest.mark.parametrize("text", [MARKUP, ESCAPES])
def test_what_a_run_says_of_itself_is_shown_as_it_is_written(
    command: str, text: str, copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    book = copy_of(gomoku_book)
    parameters = json.dumps({"limits": {"nodes": text}, "mode": text, "root": text})
    columns = ("version", "evaluation", "started", "ended")
    texts = ", ".join(f"{column} = :text" for column in columns)
    change(book, f"UPDATE runs SET {texts}, parameters = :p", text=text, p=parameters)
    for options in ((), ("--json",)):
        if options and command == "export":
            continue
        result = fivebook(command, book, *options)
        assert not any(code in result.output for code in OBEYED)
        if options and result.exit_code == 0:
            json.loads(result.output)


def test_a_name_that_is_no_text_is_shown(copy_of: CopyOf, gomoku_book: Path) -> None:
    book = os.fsencode(copy_of(gomoku_book))
    os.rename(book, odd := book + b"\xff")
    command = [sys.executable, "-m", "fivebook.cli", "info"]
    for options in ([], ["--json"]):
        done = subprocess.run([*command, odd, *options], capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"\\udcff" in done.stdout


def test_json_means_the_same_when_nothing_in_it_is_hidden() -> None:
    data = {"name": ESCAPES, "plain": "5×5 – 日本"}
    text = visible_json(json.dumps(data, indent=2, ensure_ascii=False))
    assert json.loads(text) == data
    assert visible(text) == text
