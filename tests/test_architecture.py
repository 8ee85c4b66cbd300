"""Who may import whom: one direction, no circles."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.checkout import ROOT

MAY_IMPORT = {
    "engine": set(),
    "book": {"engine"},
    "precompute": {"engine", "book"},
    "service": {"engine", "book"},
    "fivebook": {"engine", "book", "precompute", "service"},
    "tools": {"engine", "book", "precompute", "service", "fivebook"},
}
ROOMS = set(MAY_IMPORT)
SOURCES = [path for room in sorted(ROOMS) for path in sorted((ROOT / room).rglob("*.py"))]
LEAVES_THE_PROCESS = {"asyncio", "dbm", "ftplib", "http", "socket", "sqlite3", "ssl", "urllib"}

A_GAME = re.compile("gomoku|pentago|connect.?four|quadrant", re.IGNORECASE)
# Kinds of games, published agents that play one of them, and protocols for Gomoku alone.
OF_ONE_KIND = (
    "engine/games/",
    "engine/players/",
    "service/play/brain.py",
    "service/play/bsdgames.py",
    "service/play/gomocup.py",
)


def imported(source: str) -> Iterator[str]:
    """The full name of every module that `source` imports, wherever in it the import is.

    A relative import comes with its dots.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


@cache
def imports_of(path: Path) -> frozenset[str]:
    """The full names of all modules that the file at `path` imports."""
    return frozenset(imported(path.read_text()))


def top_names(path: Path) -> set[str]:
    """The first parts of the names of all modules that the file at `path` imports."""
    return {name.split(".")[0] for name in imports_of(path)}


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0]


def of_rooms(*rooms: str) -> Iterator[Path]:
    return (path for path in SOURCES if room_of(path) in rooms)


def test_imports_are_found_wherever_they_are() -> None:
    source = """
import a.b, c
from d.e import f
from . import g
from ..h import i
if TYPE_CHECKING:
    from j import k
def function():
    try:
        import l as m
    except ImportError:
        from n import o
"""
    assert list(imported(source)) == ["a.b", "c", "d.e", ".", "..h", "j", "l", "n"]


def test_every_room_has_sources() -> None:
    assert {room_of(path) for path in SOURCES} == ROOMS


def test_a_room_imports_only_rooms_below_it() -> None:
    for path in SOURCES:
        room = room_of(path)
        assert top_names(path) & (ROOMS | {"tests", "data"}) <= MAY_IMPORT[room] | {room}, path


def test_imports_are_absolute() -> None:
    for path in SOURCES:
        assert not [name for name in imports_of(path) if name.startswith(".")], path


def test_the_engine_needs_no_more_than_numpy_and_numba() -> None:
    # llvmlite is what numba compiles with.
    needed = sys.stdlib_module_names | {"engine", "numpy", "numba", "llvmlite"}
    for path in of_rooms("engine"):
        assert top_names(path) <= needed, path


def test_the_engine_knows_no_database_and_no_network() -> None:
    for path in of_rooms("engine"):
        assert not top_names(path) & LEAVES_THE_PROCESS, path


def test_only_the_front_door_reads_a_command_line_and_draws_on_a_terminal() -> None:
    for path in of_rooms("engine", "book", "precompute", "service"):
        assert not top_names(path) & {"click", "rich"}, path


def is_of_one_kind(path: Path) -> bool:
    """Whether the file is there for one kind of games alone."""
    name = str(path.relative_to(ROOT))
    return bool(A_GAME.search(name)) or name.startswith(OF_ONE_KIND)


def names_in(source: str) -> Iterator[str]:
    """The names in a source and its strings; not those that are sentences, which may give examples.

    Docstrings mostly are sentences too.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield "" if " " in node.value else node.value
        for field in ("id", "attr", "name", "arg", "module"):
            yield str(getattr(node, field, ""))


def test_names_are_found_in_code_and_not_in_sentences() -> None:
    source = """
import a_gomoku_module
from b import Pentago as p
def f(connect_four, x="gomoku-15"):
    "For gomoku-15."
    return x.pentago, "such as gomoku-15"
"""
    assert [name for name in names_in(source) if A_GAME.search(name)] == [
        "a_gomoku_module", "Pentago", "connect_four", "gomoku-15", "pentago",
    ]  # fmt: skip


def test_what_serves_every_game_names_none() -> None:
    for path in of_rooms("engine", "book", "precompute", "service"):
        if not is_of_one_kind(path):
            names = names_in(path.read_text())
            assert not [name for name in names if A_GAME.search(name)], path


def test_the_rooms_above_know_no_module_of_a_single_game() -> None:
    for path in of_rooms("book", "precompute", "service"):
        if not is_of_one_kind(path):
            assert not {name for name in imports_of(path) if name.startswith("engine.games")}, path


def test_the_checker_of_certificates_shares_no_code_with_the_engine() -> None:
    folder = ROOT / "book" / "certificates"
    paths = sorted(folder.rglob("*.py"))
    assert paths
    # But for what puts files in place, which imports nothing of ours.
    foreign = {name for path in paths for name in imported(path.read_text())} - {"book.replacing"}
    own = {name for name in foreign if name.split(".")[0] == "book"}
    assert all(name.startswith("book.certificates.") for name in own)
    assert {name.split(".")[0] for name in foreign - own} <= sys.stdlib_module_names | {
        "numba",
        "numpy",
    }


def test_the_checker_of_books_has_no_rule_no_key_and_no_search_of_the_engine() -> None:
    paths = sorted((ROOT / "book" / "audit").rglob("*.py"))
    assert paths
    names = {name for path in paths for name in imported(path.read_text())}
    assert not {name for name in names if name.split(".")[0] in ROOMS - {"book"}}
    loaded = all_loaded_by("import book.audit.walk")
    assert "book.audit.position" in loaded
    # The errors that a book's address and file may give are the only thing of it.
    assert {name for name in loaded if name.split(".")[0] == "engine"} <= {
        "engine",
        "engine.errors",
    }
    assert not {"book.reader", "book.rows.encoding", "book.rows.lookup"} & loaded


def loaded_by(code: str) -> set[str]:
    """The top-level modules of a fresh process that has run `code`."""
    return {name.split(".")[0] for name in all_loaded_by(code)}


def all_loaded_by(code: str) -> set[str]:
    """All modules of such a process, by their full names."""
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(run.stdout.split())


def test_the_rules_of_all_games_work_without_loading_the_compiler() -> None:
    loaded = loaded_by(
        "from engine import registry\n"
        "for family in registry.families():\n"
        "    game = registry.get(family.examples[0])\n"
        "    position = game.play_line(game.legal_moves(game.initial)[:1])\n"
        "    game.canonical(position), game.children(position), game.outcome(position)\n"
    )
    assert "engine" in loaded
    assert not loaded & {"numba", "llvmlite", "numpy"}


def test_the_command_line_loads_neither_the_builder_nor_the_server_before_they_are_asked_for() -> (
    None
):
    loaded = loaded_by("import fivebook.cli")
    assert "fivebook" in loaded
    slow = {"precompute", "rich", "sqlalchemy", "numpy", "numba"}
    assert not loaded & {*slow, "joblib", "flask", "apiflask", "granian"}


def test_a_check_of_a_certificate_loads_no_room_but_its_own() -> None:
    loaded = loaded_by(
        "import book.certificates.pentago_swap.checker, book.certificates.pentago_swap.file"
    )
    assert "book" in loaded
    assert not loaded & {"engine", "precompute", "service", "sqlalchemy"}
