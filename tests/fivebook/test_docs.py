"""Documentation as a test: what docs and help say of commands and options is all there is."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from fivebook import cli as command_line
from fivebook.cli import cli

ROOT = Path(__file__).parents[2]
REFERENCE = (ROOT / "docs" / "commands.md").read_text()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS = cli.list_commands(click.Context(cli))


def command(name: str) -> click.Command:
    found = cli.get_command(click.Context(cli), name)
    assert found is not None
    return found


def options(name: str) -> set[str]:
    """Everything that starts with a dash and that the command takes."""
    context = click.Context(command(name), help_option_names=["-h", "--help"])
    return {
        text
        for param in command(name).get_params(context)
        for text in (*param.opts, *param.secondary_opts)
        if text.startswith("-")
    }


def section(name: str) -> str:
    found = re.search(rf"^### {name}\n(.*?)(?=^##|\Z)", REFERENCE, re.MULTILINE | re.DOTALL)
    assert found is not None, f"docs/commands.md does not tell of fivebook {name}"
    return found[1]


def command_lines(text: str) -> Iterator[list[str]]:
    """The words of every line of a code block that runs `fivebook`."""
    for block in re.findall(r"^```[a-z]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            line = line.strip().removeprefix("$ ").partition("  #")[0]
            if line.startswith("fivebook "):
                yield shlex.split(re.split(r" [|>&] ?|;", line)[0])[1:]


def test_the_reference_has_the_groups_of_the_help_in_their_order() -> None:
    groups = re.findall(r"^## (.*)|^### (.*)", REFERENCE, re.MULTILINE)
    expected = [
        entry
        for title, commands in command_line.GROUPS.items()
        for entry in ((title, ""), *(("", name) for name in commands))
    ]
    assert groups[: len(expected)] == expected


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_an_example_in_the_reference(name: str) -> None:
    lines = list(command_lines(section(name)))
    if name == "completion":
        assert f'eval "$(fivebook {name} bash)"' in section(name)
    else:
        assert any(words[0] == name for words in lines)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_reference_names_only_options_that_there_are(name: str) -> None:
    prose = re.sub(r"`fivebook [^`]*`", "", section(name))
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", prose)) <= options(name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_line_in_the_docs_has_a_command_and_options_that_there_are(
    page: Path,
) -> None:
    for words in command_lines(page.read_text()):
        if words[0].startswith("-") or words[0].isupper():
            continue
        assert words[0] in COMMANDS, words
        given = {word.partition("=")[0] for word in words[1:] if re.match(r"--?[a-z]", word)}
        assert given <= options(words[0]), words


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_in_the_help_what_it_does(name: str) -> None:
    shown = command(name).get_help(click.Context(command(name), info_name=name))
    for param in command(name).params:
        if isinstance(param, click.Option):
            assert param.help, f"fivebook {name} {param.opts[0]}"
            assert param.opts[-1] in shown


def test_the_variables_of_the_reference_are_read_by_an_option() -> None:
    named = set(re.findall(r"\bFIVEBOOK_[A-Z_]+", REFERENCE))
    known = {
        str(param.envvar)
        for name in COMMANDS
        for param in command(name).params
        if isinstance(param, click.Option)
    }
    assert named
    assert named <= known
