"""The command line: what it loads, what it prints, how it fails."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.shell_completion import get_completion_class
from click.testing import CliRunner

from engine.game import Game
from engine.values import WIN
from fivebook.cli import COMPLETE_VARIABLE, PROGRAM, cli
from service.answerer import Answerer
from service.answers import Answer

GROUPS = {
    "Build a book": ("build", "wish", "import"),
    "Look into it": ("games", "query", "tree", "balance", "info", "log", "diff", "plot", "export"),
    "Prove": ("prove", "certify", "prove-check"),
    "Serve and play": ("serve", "play", "gobang", "gomocup", "arena", "referee"),
    "Keep books in order": ("merge", "prune", "verify", "repair", "vacuum", "snapshot"),
    "This machine": ("bench", "compile", "completion"),
}
COMMANDS = tuple(name for names in GROUPS.values() for name in names)


SEVEN_PLIES_TO_GO = (
    "b3:13 e6:14 f4:34 d3:14 a5:13 e1:13 a1:12 a4:13 f3:23 e3:34 e3:13 f3:23 c2:34 e4:14 b4:24 "
    "c6:23 f1:34 a2:34 f2:24 d1:23 d5:24 c3:24 d4:14 c5:23 c4:23 d6:24 d6:12 f2:34 e2:12"
)


def modules_loaded_by(*arguments: str) -> set[str]:
    """The top-level modules that a process running this command line ends with."""
    program = (
        "import sys\n"
        "from fivebook.cli import cli\n"
        f"cli.main({list(arguments)!r}, standalone_mode=False)\n"
        "print('\\n' + ' '.join({name.split('.')[0] for name in sys.modules}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    return set(done.stdout.splitlines()[-1].split())


def fivebook(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fivebook.cli", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_help_lists_every_command_and_loads_none() -> None:
    loaded = modules_loaded_by("--help")
    assert not loaded & {"rich", "numpy", "numba", "sqlalchemy", "joblib", "flask", "precompute"}


def test_help_groups_the_commands_by_purpose_one_line_each(runner: CliRunner) -> None:
    _, *groups = runner.invoke(cli, ["--help"]).output.split("\n\n")[-len(GROUPS) - 1 :]
    found = [group.splitlines() for group in groups]
    assert {
        lines[0].removesuffix(":"): tuple(line.split()[0] for line in lines[1:]) for lines in found
    } == GROUPS


def test_there_is_a_file_for_each_command_and_no_other() -> None:
    folder = Path(__file__).parents[2] / "fivebook" / "commands"
    names = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    # A word of Python is no name of a module: its file has a dash behind it.
    files = {name.removesuffix("_").replace("_", "-") for name in names}
    assert files == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_shows_examples(runner: CliRunner, command: str) -> None:
    result = runner.invoke(cli, [command, "--help"])
    assert result.exit_code == 0
    assert f"  fivebook {command}" in result.output


def test_a_query_that_the_book_answers_loads_no_more_than_it_needs(gomoku_book: Path) -> None:
    loaded = modules_loaded_by("query", str(gomoku_book))
    assert not loaded & {"joblib", "flask", "apiflask", "granian", "numba"}


def test_the_version_is_told(runner: CliRunner) -> None:
    assert runner.invoke(cli, ["--version"]).output.startswith("fivebook, version ")


def test_games_are_listed_with_examples(runner: CliRunner) -> None:
    assert "gomoku-15-standard" in runner.invoke(cli, ["games"]).output
    families = json.loads(runner.invoke(cli, ["games", "--json"]).output)
    names = [family["family"] for family in families]
    assert names == ["connect-four", "gomoku", "pentago", "pentago-swap"]


def test_query_prints_board_and_moves(runner: CliRunner, gomoku_book: Path) -> None:
    result = runner.invoke(cli, ["query", str(gomoku_book)])
    assert result.exit_code == 0, result.output
    assert "9  . . . . . . . . ." in result.output
    assert "dark to move" in result.output
    assert "from gomoku.db" in result.output


def test_query_says_when_it_had_to_search(runner: CliRunner, gomoku_book: Path) -> None:
    arguments = ["query", str(gomoku_book), "a1", "i9 a9", "--nodes", "500"]
    result = runner.invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    assert "not in gomoku.db, searched live" in result.output
    assert "light to move" in result.output


def test_loading_the_engine_takes_nothing_from_the_movetime_of_a_query(
    runner: CliRunner, gomoku_book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    happened: list[str] = []
    prepare, answer = Answerer.prepare, Answerer.answer

    def prepare_noted(self: Answerer, game: Game) -> None:
        happened.append("load")
        prepare(self, game)

    def answer_noted(self: Answerer, *asked: Any, **options: Any) -> Answer:
        happened.append("books" if options.get("book_only") else "search")
        return answer(self, *asked, **options)

    monkeypatch.setattr(Answerer, "prepare", prepare_noted)
    monkeypatch.setattr(Answerer, "answer", answer_noted)
    runner.invoke(cli, ["query", str(gomoku_book), "a1 i9 a9", "--movetime", "20ms"])
    assert happened == ["books", "load", "search"]


def test_query_follows_the_line_of_every_move(runner: CliRunner, gomoku_book: Path) -> None:
    result = runner.invoke(cli, ["query", str(gomoku_book), "--json"])
    stored = [move for move in json.loads(result.output)["moves"] if move["source"] == "book"]
    assert len(stored) > 1
    assert all(len(move["line"]) > 1 for move in stored)


@pytest.mark.parametrize("game_id", ["gomoku-9", "pentago-swap"])
def test_query_searches_for_as_many_lines_as_asked_for(
    runner: CliRunner, gomoku_book: Path, game_id: str
) -> None:
    moves = "a1 i9 a9" if game_id == "gomoku-9" else "a1:12 c2:34 f5:13"
    arguments = ["query", str(gomoku_book), moves, "--game", game_id, "--nodes", "2000"]
    answer = json.loads(runner.invoke(cli, [*arguments, "--lines", "3", "--json"]).output)
    assert answer["source"] == "live"
    assert len({move["move"] for move in answer["moves"]}) == 3
    assert answer["best"] == answer["moves"][0]["move"]
    assert answer["nodes"] <= 2000 + 3
    table = runner.invoke(cli, [*arguments, "--lines", "3"]).output
    assert table.count("│ search ") == 3


def test_query_tells_what_was_solved_from_what_was_searched(
    runner: CliRunner, swap_book: Path
) -> None:
    """Two moves draw, and it does not matter which is played; all others lose."""
    arguments = ["query", str(swap_book), SEVEN_PLIES_TO_GO, "--nodes", "100000", "--lines", "4"]
    answer = json.loads(runner.invoke(cli, [*arguments, "--json"]).output)
    assert (answer["source"], answer["method"], answer["proven"]) == ("proof", "solver", True)
    assert [move["value"] for move in answer["moves"]] == [0, 0, 4 - WIN, 4 - WIN]
    assert all(move["proven"] and move["method"] == "solver" for move in answer["moves"])
    assert [len(move["line"]) for move in answer["moves"]] == [7, 7, 4, 4]
    text = runner.invoke(cli, arguments).output
    assert "not in swap.db, solved live, exactly" in text
    assert text.count("│ solver ") == 4
    few = json.loads(runner.invoke(cli, [*arguments[:4], "2", "--json"]).output)
    assert {move["method"] for move in (few, *few["moves"])} == {"search"}


def test_query_searches_with_the_table_it_is_given(runner: CliRunner, gomoku_book: Path) -> None:
    arguments = ["query", str(gomoku_book), "a1 i9 a9", "--nodes", "500"]
    result = runner.invoke(cli, [*arguments, "--table", "1", "--threads", "1"])
    assert result.exit_code == 0, result.output


def test_query_tells_a_win_by_its_distance(runner: CliRunner, gomoku_book: Path) -> None:
    moves = "a1 a9 b1 b9 c1 c9 d1 i9"
    result = runner.invoke(cli, ["query", str(gomoku_book), moves, "--nodes", "5000"])
    assert "win in 1" in result.output
    assert "not in gomoku.db, proven live" in result.output


def test_query_tells_how_a_finished_game_ended(runner: CliRunner, gomoku_book: Path) -> None:
    result = runner.invoke(cli, ["query", str(gomoku_book), "a1 a9 b1 b9 c1 c9 d1 d9 e1"])
    assert "The game is over: dark wins." in result.output


def test_a_query_by_depth_searches_to_that_depth(runner: CliRunner, gomoku_book: Path) -> None:
    arguments = ["query", str(gomoku_book), "a1 i9 a9", "--depth", "3", "--json"]
    result = runner.invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert (answer["source"], answer["depth"]) == ("live", 3)


def test_a_query_by_nodes_has_one_answer_in_json(runner: CliRunner, swap_book: Path) -> None:
    arguments = ["query", str(swap_book), "a1:12 c2:34 f5:13", "--nodes", "500", "--json"]
    first, second = (json.loads(runner.invoke(cli, arguments).output) for _ in range(2))
    for answer in (first, second):
        assert answer["source"] == "live"
        del answer["elapsed_us"], answer["milliseconds"]
    assert first == second


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["query", "{book}", "e5 e5"], "illegal move 'e5' in gomoku-9 after 'e5'"),
        (["query", "{book}", "z1"], "'z1' is no cell of gomoku-9"),
        (["query", "{book}", "--game", "chess"], "unknown game 'chess'"),
        (["query", "{book}", "--movetime", "0"], "'0' is no duration"),
        (["query", "{book}", "--movetime", "-1s"], "'-1s' is no duration"),
        (["query", "{book}", "--nodes", "-3"], "-3 is not in the range"),
        (["query", "{book}", "--lines", "0"], "0 is not in the range 1<=x<=50"),
        (["query", "{book}", "--threads", "0"], "0 is not in the range 1<=x<=256"),
        (["query", "{book}", "--table", "65537"], "65537 is not in the range"),
        (["build", "{folder}/b.db", "--game", "gomoku-9", "--backend", "dask"], "a --scheduler"),
        (["build", "{folder}/b.db", "--game", "gomoku-9", "--insecure"], "needs --backend dask"),
        (
            ["build", "{folder}/b.db", "--game", "gomoku-9", "--scheduler", "tcp://x:1"],
            "--scheduler needs --backend dask",
        ),
        (
            ["build", "{folder}/b.db", "--game", "gomoku-9", "--mode", "prove", "--lease", "9s"],
            "--mode prove has no --lease",
        ),
        (["serve", "--threads", "0"], "0 is not in the range"),
        (["serve", "--table", "none"], "'none' is not a valid integer range"),
        (["play", "--clock", "never"], "'never' is no duration"),
        (["gobang", "--table", "0"], "0 is not in the range"),
        (["gomocup", "--threads", "0"], "0 is not in the range"),
        (["query", "{book}", "a1 i9 a9", "--book-only"], "no book holds gomoku-9 after"),
        (["query", "{folder}/none.db"], "none.db"),
        (["query", "{text}"], "text.db"),
        (["serve", "{folder}/none.db"], "none.db"),
        (["serve", "{text}"], "text.db"),
        (["serve", "--port", "70000"], "70000 is not in the range"),
        (["serve", "--movetime-cap", "never"], "'never' is no duration"),
        (["nothing"], "No such command 'nothing'."),
        (["qurey"], "No such command 'qurey'. Did you mean 'query'?"),
        (["prove_check"], "No such command 'prove_check'. Did you mean 'prove-check'?"),
        (["query", "{book}", "--jsn"], "No such option '--jsn'. Did you mean '--json'?"),
        (["query", "{book}", "--game", "gomoku9"], "did you mean 'gomoku-9'?"),
    ],
)
def test_bad_input_gets_one_sentence_and_status_2(
    runner: CliRunner, gomoku_book: Path, tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    text = tmp_path / "text.db"
    text.write_text("no book at all\n" * 1000)
    filled = [
        argument.format(book=gomoku_book, folder=tmp_path, text=text) for argument in arguments
    ]
    result = runner.invoke(cli, filled)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.splitlines()[-1].startswith("Error: ")
    assert result.stdout == ""


def test_the_process_ends_with_status_2_and_no_traceback(tmp_path: Path) -> None:
    done = fivebook("query", str(tmp_path / "none.db"))
    assert done.returncode == 2
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m fivebook.cli games --json | true"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("command", [["games"], ["games", "--json"], ["--version"]])
@pytest.mark.parametrize("buffered", [True, False])
def test_an_output_that_cannot_be_written_gets_one_sentence(
    command: list[str], buffered: bool
) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, *([] if buffered else ["-u"]), "-m", "fivebook.cli", *command],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (2, "Error: cannot write: No space left on device\n")


def test_an_option_is_read_from_a_variable_of_its_long_name(runner: CliRunner) -> None:
    shown = runner.invoke(cli, ["games", "--json"]).output
    assert runner.invoke(cli, ["games"], env={"FIVEBOOK_GAMES_JSON": "1"}).output == shown
    unknown = runner.invoke(cli, ["play"], env={"FIVEBOOK_PLAY_GAME": "chess"})
    assert (unknown.exit_code, unknown.stdout) == (2, "")
    assert "unknown game 'chess'" in unknown.stderr


def test_the_command_line_goes_before_the_environment(runner: CliRunner, tmp_path: Path) -> None:
    variables = {"FIVEBOOK_BUILD_TIME": "never", "FIVEBOOK_BUILD_GAME": "gomoku-9"}
    arguments = ["build", str(tmp_path / "b.db"), "--positions", "1", "--nodes", "50", "--json"]
    refused = runner.invoke(cli, arguments, env=variables)
    assert "'never' is no duration" in refused.stderr
    result = runner.invoke(cli, [*arguments, "--time", "1m"], env=variables)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["positions"] == 1


def test_help_and_version_are_no_variables(runner: CliRunner) -> None:
    variables = dict.fromkeys(("FIVEBOOK_HELP", "FIVEBOOK_VERSION", "FIVEBOOK_GAMES_HELP"), "1")
    assert "gomoku" in runner.invoke(cli, ["games"], env=variables).output


def test_variables_are_called_as_the_options_are() -> None:
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        options = [param for param in command.params if isinstance(param, click.Option)]
        variables = [str(option.envvar) for option in options]
        assert len(variables) == len(set(variables))
        for option, variable in zip(options, variables, strict=True):
            words = variable.removeprefix(f"FIVEBOOK_{name.replace('-', '_').upper()}_")
            assert f"--{words.replace('_', '-').lower()}" in option.opts


def completed(*words: str, shell: str = "bash") -> list[tuple[str, str]]:
    """What `fivebook` offers for the last of `words`, each with its kind."""
    kind = get_completion_class(shell)
    assert kind is not None
    items = kind(cli, {}, PROGRAM, COMPLETE_VARIABLE).get_completions([*words[:-1]], words[-1])
    return [(item.type, item.value) for item in items]


def test_commands_options_and_games_are_completed() -> None:
    assert completed("qu") == [("plain", "query")]
    assert [value for _, value in completed("")] == list(COMMANDS)
    assert ("plain", "--version") in completed("--")
    assert completed("query", "--mo") == [("plain", "--movetime")]
    assert completed("prove", "pentago-s") == [("plain", "pentago-swap")]
    assert ("plain", "gomoku-15-renju") in completed("build", "x.db", "--game", "gomoku-15")
    assert completed("build", "x.db", "--mode", "d") == [("plain", "deviate")]


def test_book_files_are_completed_and_folders_left_to_the_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inner").mkdir()
    for name in ("one.db", "other.db", "one.txt", "inner/two.db"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert completed("info", "on") == [("dir", "on"), ("plain", "one.db")]
    assert [value for _, value in completed("info", "")] == ["", "one.db", "other.db"]
    assert completed("query", "inner/") == [("dir", "inner/"), ("plain", "inner/two.db")]
    assert ("plain", "~/other.db") in completed("play", "--book", "~/o")
    assert completed("info", "~nobody-is-called-so/") == [("dir", "~nobody-is-called-so/")]
    assert completed("merge", "one.db", "-o", f"{tmp_path}/ot") == [
        ("dir", f"{tmp_path}/ot"),
        ("plain", f"{tmp_path}/other.db"),
    ]


def test_completion_of_a_command_loads_no_other() -> None:
    program = (
        "import sys, os\n"
        "asked = {'COMP_WORDS': 'fivebook ', 'COMP_CWORD': '1'}\n"
        "os.environ.update(_FIVEBOOK_COMPLETE='bash_complete', **asked)\n"
        "from fivebook.cli import main\n"
        "sys.argv = ['fivebook']\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        "    print(*(name for name in sys.modules if name.startswith('fivebook.commands')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    *offered, loaded = done.stdout.splitlines()
    assert offered == [f"plain,{name}" for name in COMMANDS]
    assert loaded == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(runner: CliRunner, shell: str) -> None:
    result = runner.invoke(cli, ["completion", shell])
    assert result.exit_code == 0, result.output
    assert f"{COMPLETE_VARIABLE}={shell}_complete" in result.stdout
    if shutil.which(shell):
        checked = subprocess.run(
            [shell, "-n"], input=result.stdout, text=True, capture_output=True, check=False
        )
        assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_completes_by_the_script(runner: CliRunner, tmp_path: Path) -> None:
    program = tmp_path / "fivebook"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m fivebook.cli "$@"\n')
    program.chmod(0o755)
    script = runner.invoke(cli, ["completion", "bash"]).stdout
    typed = (
        "compopt() { :; }\n"
        "COMP_WORDS=(fivebook query --game pen) COMP_CWORD=3\n"
        "_fivebook_completion fivebook\n"
        'echo "${COMPREPLY[*]}"\n'
    )
    done = subprocess.run(
        ["bash"],
        input=f"{script}\n{typed}",
        text=True,
        capture_output=True,
        check=True,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )
    assert done.stdout.split() == ["pentago", "pentago-twist", "pentago-swap"]
