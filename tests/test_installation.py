"""The wheel in an environment of its own, used from a folder of its own: no file of the checkout.

What fivebook needs is taken from the environment of the tests, so that nothing is downloaded.
Every file that a program opens is watched by a hook in that environment.
"""

import json
import os
import re
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import click
import pytest

from fivebook.cli import cli
from fivebook.local import free_port
from tests.checkout import ROOT
from tests.wheel import build_wheel

COMMANDS = cli.list_commands(click.Context(cli))
WATCH = """
import os, sys

def _watch(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        path = os.path.realpath(arguments[0])
        if path.startswith({root!r} + os.sep) and not path.startswith({environment!r} + os.sep):
            if not getattr(sys, "dont_watch", False):
                sys.dont_watch = True
                with open({log!r}, "a") as log:
                    log.write(path + chr(10))
                sys.dont_watch = False

sys.addaudithook(_watch)
"""

HELP = """
import sys
from click.testing import CliRunner
from fivebook.cli import cli

for name in sys.argv[1:]:
    print(CliRunner().invoke(cli, [name, "--help"], prog_name="fivebook").output.split("[")[0])
assert "numba" not in sys.modules
"""


@dataclass(frozen=True)
class Example:
    """A game, a beginning of it, one from which dark wins in three plies or fewer, and a move."""

    game: str
    line: str
    won: str
    move: str

    @property
    def book(self) -> str:
        return f"{self.game}.db"


# Its searches are plain Python, so that nothing has to be compiled.
PLAIN = Example("connect-four-7x6", "d1 d2", "d1 a1 d2 a2 d3 a3", "d1")
COMPILED = Example("gomoku-15", "h8 i9", "h8 a1 i8 a3 j8 a7", "h8")


class Installation:
    """A virtual environment with fivebook, and a folder where its commands are run."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "work"
        self.folder.mkdir()
        self._log = home / "opened in the checkout"
        environment = home / "environment"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
        self.bin = environment / "bin"
        (packages,) = environment.glob("lib/python*/site-packages")
        # A folder named there is searched, but the .pth files in it are not read: an editable
        # fivebook stays out.
        (packages / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
        pip = [sys.executable, "-m", "pip", "--python", str(environment)]
        options = ("--no-deps", "--no-index", "--no-compile", "--quiet")
        wheel = build_wheel(home / "wheel")
        subprocess.run([*pip, "install", *options, str(wheel)], check=True)
        watch = WATCH.format(root=str(ROOT), environment=sys.prefix, log=str(self._log))
        # Not as sitecustomize: some systems' Python has one of its own, which comes first.
        (packages / "watch_opened.py").write_text(watch)
        (packages / "watch.pth").write_text("import watch_opened\n")

    @property
    def variables(self) -> dict[str, str]:
        """The variables of the environment of every program that is run."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return kept | {"HOME": str(self.folder), "PYTHONWARNINGS": "error"}

    def run(self, *arguments: str, typed: str = "") -> str:
        """What the command `fivebook` prints, which has to end well."""
        return self._output([str(self.bin / "fivebook"), *arguments], typed)

    def python(self, program: str, *arguments: str) -> str:
        """What a Python program prints, which has to end well."""
        return self._output([str(self.bin / "python"), "-c", program, *arguments])

    def _output(self, command: list[str], typed: str = "") -> str:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.variables,
            input=typed,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout

    @contextmanager
    def serving(self, book: str) -> Iterator[str]:
        """The address of a service of `book`."""
        port = free_port()
        server = subprocess.Popen(
            [str(self.bin / "fivebook"), "serve", book, "--port", str(port)],
            cwd=self.folder,
            env=self.variables,
            stdout=subprocess.DEVNULL,
        )
        try:
            address = f"http://127.0.0.1:{port}"
            while server.poll() is None and not answers(address):
                time.sleep(0.2)
            assert server.poll() is None, "the service did not start"
            yield address
        finally:
            server.terminate()
            server.wait()

    def opened_in_checkout(self) -> list[str]:
        """The files of the checkout that any program has opened so far."""
        return self._log.read_text().splitlines() if self._log.exists() else []

    def forget(self) -> None:
        """Take it that nothing has been opened."""
        self._log.unlink()


def answers(address: str) -> bool:
    try:
        urlopen(f"{address}/healthz").close()
    except URLError:
        return False
    return True


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return Installation(tmp_path_factory.mktemp("installation"))


@pytest.fixture(scope="module", params=[PLAIN, pytest.param(COMPILED, marks=pytest.mark.slow)])
def example(installation: Installation, request: pytest.FixtureRequest) -> Example:
    """A game of which a small book is in the installation's folder."""
    example: Example = request.param
    limits = ("--positions", "4", "--nodes", "500")
    options = ("--game", example.game, "--root", example.line)
    installation.run("build", example.book, *options, *limits)
    return example


@pytest.fixture(autouse=True)
def _no_file_of_the_checkout(installation: Installation) -> Iterator[None]:
    yield
    assert installation.opened_in_checkout() == []


def test_everything_is_imported_from_the_environment(installation: Installation) -> None:
    program = (
        "import fivebook, engine, book, precompute, service, sys\n"
        "for room in (fivebook, engine, book, precompute, service):\n"
        "    print(room.__file__)\n"
        "print(fivebook.__version__)\n"
    )
    *files, version = installation.python(program).splitlines()
    assert len(files) == 5
    assert all(file.startswith(str(installation.bin.parent.resolve())) for file in files)
    assert installation.run("--version") == f"fivebook, version {version}\n"


def test_the_watch_sees_a_file_of_the_checkout(installation: Installation) -> None:
    read = str(ROOT / "README.md")
    installation.python(f"open({read!r}).close()")
    assert installation.opened_in_checkout() == [os.path.realpath(read)]
    installation.forget()


def test_every_command_has_its_help_and_loads_no_compiler_for_it(
    installation: Installation,
) -> None:
    shown = installation.python(HELP, *COMMANDS)
    assert re.findall("Usage: fivebook ([a-z-]+) ", shown) == COMMANDS


def test_kernels_are_compiled_and_kept_in_the_environment(installation: Installation) -> None:
    program = (
        "from engine import kernels\n"
        "assert kernels.now()\n"
        "print(*kernels.cache_folder().rglob('*.nbc'), sep='\\n')"
    )
    (kept,) = installation.python(program).splitlines()
    assert kept.startswith(str(installation.bin.parent.resolve()))


@pytest.mark.parametrize("rule", ["FREESTYLE", "STANDARD", "RENJU"])
def test_the_weights_of_each_rule_are_installed(installation: Installation, rule: str) -> None:
    installation.python(
        f"from engine.games.gomoku import Rule, weights\nassert weights.read(Rule.{rule}).tempo"
    )


def test_the_games_are_listed(installation: Installation) -> None:
    families = json.loads(installation.run("games", "--json"))
    assert "gomoku-15" in {name for family in families for name in family["examples"]}


def test_books_searches_proofs_and_games_work(installation: Installation, example: Example) -> None:
    game, book, line = example.game, example.book, example.line
    assert json.loads(installation.run("info", book, "--json"))["games"][0]["positions"] == 4
    answer = json.loads(installation.run("query", book, line, "--book-only", "--json"))
    assert (answer["source"], answer["position"]) == ("book", line)
    rows = installation.run("export", book, "--format", "jsonl", "--reproducible").splitlines()
    assert len({json.loads(row)["position"] for row in rows}) == 4
    installation.run("verify", book)
    proof = json.loads(installation.run("prove", game, example.won, "--nodes", "10000", "--json"))
    assert (proof["result"], proof["distance"] <= 3) == ("win", True)
    options = ("--game", game, "--depth", "2", "--book", book)
    shown = installation.run("play", *options, typed=f"{example.move}\nquit\n")
    assert re.search(r"light plays [a-o][0-9]+ \(engine with a book: ", shown)


@pytest.mark.slow
def test_the_program_of_the_readme_works(installation: Installation) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    (book,) = re.findall(r'open_book\("(.*)"\)', program)
    limits = ("--positions", "4", "--nodes", "500")
    installation.run("build", book, "--game", COMPILED.game, "--root", COMPILED.line, *limits)
    moves = installation.python(program).split()
    assert len(moves) == 2
    for move in moves:
        assert re.fullmatch("[a-o][0-9]+", move)


@pytest.mark.slow
def test_a_book_is_served(installation: Installation, example: Example) -> None:
    moves = example.line.replace(" ", ",")
    with installation.serving(example.book) as address:
        with urlopen(f"{address}/api/v1/best?game={example.game}&moves={moves}") as response:
            answer = json.load(response)
        with urlopen(address) as response:
            assert "<html" in response.read().decode()
    best = installation.python(
        f"import fivebook\nprint(fivebook.open_book({example.book!r}).best({example.line!r}))"
    )
    assert (answer["source"], answer["best"]) == ("book", best.strip())


TYPED = """
import fivebook

with fivebook.open_book("gomoku.db") as book:
    best: str = book.best("h8 i9")
    number: int = book.lookup(["h8", 128]).best.number
    entry: fivebook.BookEntry | None = book.get("h8")
    missing: fivebook.BookEntry | str = book.get("h8", "nothing")
found = fivebook.search("gomoku-15", "h8 i9", movetime=0.5)
values: list[int] = [line.value for line in found.lines]
bound: fivebook.Bound = found.bound
proof = fivebook.prove("gomoku-15", "h8 i9", side=fivebook.Side.DARK, nodes=100)
if proof.result == "win" and proof.distance is not None:
    print(best, number, entry, missing, values, bound, proof.distance + 1)
"""
MISUSED = """
import fivebook

fivebook.open_books("gomoku.db")
fivebook.search("gomoku-15", 3.5)
fivebook.open_book("gomoku.db").best().value
"""


def checked(installation: Installation, program: str) -> list[str]:
    """What mypy has against a program of a user."""
    (installation.folder / "program.py").write_text(program)
    python = str(installation.bin / "python")
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", python]
    done = subprocess.run(
        [*command, "program.py"],
        cwd=installation.folder,
        env=installation.variables,
        capture_output=True,
        text=True,
        check=False,
    )
    return [line for line in done.stdout.splitlines() if ": error: " in line or "Success" in line]


@pytest.mark.slow
def test_types_reach_the_programs_of_users(installation: Installation) -> None:
    assert checked(installation, TYPED) == ["Success: no issues found in 1 source file"]
    misused = checked(installation, MISUSED)
    assert [re.match(r"program.py:(\d+): error", line)[1] for line in misused] == ["4", "5", "6"]
