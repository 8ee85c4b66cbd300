"""How a checkout is built: sizes, repetitions, names and imports, of this one or of any other.

python -m tools.structure
python -m tools.structure ../before --json

Modules are read and never imported, so that any state of the project can be measured.
"""

import argparse
import ast
import json
import statistics
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from tools.copies import Copy, copies

# Each room may import those before it; two of the same rank do not know each other.
_RANK = {"engine": 0, "book": 1, "precompute": 2, "service": 2, "fivebook": 3, "tools": 4}
# Every package has the first two, every room its errors; a command is named after what it does.
_NAMES_FOR_ALL = {"__init__", "__main__", "errors"}
_COMMANDS = "commands"
_FOLDERS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Lengths:
    """Lines of the functions of a room, nested ones too, from `def` to the end."""

    functions: int
    median: float
    p90: float
    longest: int
    longest_name: str


@dataclass(frozen=True, slots=True)
class Structure:
    """The figures of a checkout. Modules and places are told by their path in it."""

    wheel_lines: int
    modules_by_folder: dict[str, int]
    function_lengths: dict[str, Lengths]
    copies: list[Copy]
    names_for_two: dict[str, list[str]]
    imports_up: list[str]
    circles: list[list[str]]


class _Module(NamedTuple):
    path: Path
    source: str
    tree: ast.Module

    @property
    def name(self) -> str:
        return ".".join(self.path.with_suffix("").parts).removesuffix(".__init__")

    @property
    def room(self) -> str:
        return self.path.parts[0]


def measure(root: Path) -> Structure:
    """The structure of the checkout at `root`: of its wheel's packages and its `tools`."""
    project = tomllib.loads((root / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    modules = [
        _Module(path.relative_to(root), source := path.read_text("utf-8"), ast.parse(source))
        for room in [*wheel, "tools"]
        for path in sorted((root / room).rglob("*.py"))
    ]
    rooms = dict.fromkeys(module.room for module in modules)
    names = {module.name for module in modules}
    return Structure(
        wheel_lines=sum(len(m.source.splitlines()) for m in modules if m.room in wheel),
        modules_by_folder=dict(Counter(str(m.path.parent) for m in modules).most_common()),
        function_lengths={room: _lengths([m for m in modules if m.room == room]) for room in rooms},
        copies=copies({str(m.path): (m.source, m.tree) for m in modules}),
        names_for_two=_names_for_two(modules),
        imports_up=sorted(_imports_up(modules)),
        circles=_circles({m.name: _loads(m, names) for m in modules}),
    )


def _lengths(modules: Sequence[_Module]) -> Lengths:
    found = sorted(
        ((node.end_lineno or 0) - node.lineno + 1, f"{module.path}:{node.name}")
        for module in modules
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    lines = [length for length, _ in found] or [0]
    longest = found[-1] if found else (0, "")
    p90 = lines[int(0.9 * (len(lines) - 1))]
    return Lengths(len(found), statistics.median(lines), p90, *longest)


def _names_for_two(modules: Sequence[_Module]) -> dict[str, list[str]]:
    """Names of modules, and of public classes, that there are several of."""
    homes: dict[str, list[str]] = defaultdict(list)
    for path, _, tree in modules:
        if path.stem not in _NAMES_FOR_ALL and path.parent.name != _COMMANDS:
            homes[path.name].append(str(path))
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(str(path))
    return {name: paths for name, paths in sorted(homes.items()) if len(paths) > 1}


def _imports_up(modules: Sequence[_Module]) -> Iterator[str]:
    for module in modules:
        for _, name in _import_names(module.tree, late=True):
            room = name.split(".")[0]
            if room in _RANK and room != module.room and _RANK[room] >= _RANK[module.room]:
                yield f"{module.path} -> {name}"


def _import_names(tree: ast.AST, late: bool) -> Iterator[tuple[str, str]]:
    """Package and full name of all that is imported; unless `late`, only while `tree` loads."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, f"{node.module}.{alias.name}") for alias in node.names)
        elif late or not (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
        ):
            yield from _import_names(node, late)


def _loads(module: _Module, names: set[str]) -> set[str]:
    """The modules, among `names`, that are loaded while `module` is, because it names them."""
    # What is imported from a package is a module in it, or something the package has.
    found = ({package, name} & names for package, name in _import_names(module.tree, late=False))
    return {max(either) for either in found if either} - {module.name}


def _circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The sets of modules that import each other, directly or not, while they load."""
    reached: dict[str, set[str]] = {name: set() for name in graph}
    for name, found in reached.items():
        waiting = set(graph[name])
        while waiting:
            found |= waiting
            waiting = {after for one in waiting for after in graph[one]} - found
    circles = {
        frozenset(other for other in found if name in reached[other])
        for name, found in reached.items()
        if name in found
    }
    return sorted(sorted(circle) for circle in circles)


def _table(structure: Structure) -> Iterator[str]:
    folders = [f"{folder} {n}" for folder, n in structure.modules_by_folder.items()]
    yield f"lines in the wheel    {structure.wheel_lines:,}"
    yield f"modules in a folder   {', '.join(folders[:_FOLDERS_SHOWN])}"
    yield f"{'functions':<22}{'number':>7}{'median':>8}{'p90':>6}{'longest':>9}"
    for room, each in structure.function_lengths.items():
        figures = f"{each.functions:>7,}{each.median:>8g}{each.p90:>6g}{each.longest:>9,}"
        yield f"  {room:<20}{figures}  {each.longest_name}"
    found = {
        "duplicated pairs": [
            f"{c.lines:>3} lines  {c.first}  {c.second}" for c in structure.copies
        ],
        "names for two things": [f"{k}: {' '.join(v)}" for k, v in structure.names_for_two.items()],
        "imports that run up": structure.imports_up,
        "circles of imports": [" ".join(circle) for circle in structure.circles],
    }
    for title, lines in found.items():
        yield "\n  ".join([f"{title:<22}{len(lines)}", *lines])


def main() -> None:
    """Print the structure of a checkout."""
    parser = argparse.ArgumentParser(prog="python -m tools.structure", description=main.__doc__)
    here = Path(__file__).parents[1]
    parser.add_argument("checkout", nargs="?", type=Path, default=here, help="default: this one")
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    arguments = parser.parse_args()
    if not (arguments.checkout / "pyproject.toml").is_file():
        parser.error(f"'{arguments.checkout}' is no checkout: it has no pyproject.toml")
    structure = measure(arguments.checkout)
    text = json.dumps(asdict(structure), indent=2)
    print(text if arguments.json else "\n".join(_table(structure)))


if __name__ == "__main__":
    main()
