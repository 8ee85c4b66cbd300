"""The figures of a checkout, of one that is made up so that each is known."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tools.copies import SHORTEST
from tools.structure import Structure, measure

ROOT = Path(__file__).parents[2]
PROJECT = """
[tool.hatch.build.targets.wheel]
packages = ["engine", "book", "precompute", "service"]
"""
BODY = """
def {name}(values, most):
    \"\"\"What differs in words alone.\"\"\"
    found = []
    for value in values:
        # A comment is no code.
        if value > {number}:
            found.append(value)

    found.sort()
    return found[:most]
"""


def checkout(folder: Path, **sources: str) -> Path:
    """A checkout of these modules; two underscores within a name stand for a slash."""
    (folder / "pyproject.toml").write_text(PROJECT)
    for name, source in sources.items():
        path = (folder / (name if "/" in name else name.replace("__", "/"))).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    return folder


def test_lines_and_modules_are_counted_and_tools_are_not_in_the_wheel(tmp_path: Path) -> None:
    structure = measure(
        checkout(
            tmp_path, engine__a="x = 1\ny = 2\n", engine__b="z = 3\n", tools__c="x = 1\n", other="1"
        )
    )
    assert structure.wheel_lines == 3
    assert structure.modules_by_folder == {"engine": 2, "tools": 1}
    assert list(structure.function_lengths) == ["engine", "tools"]


def test_functions_are_measured_by_room_nested_ones_too(tmp_path: Path) -> None:
    source = (
        "def one():\n    def two():\n        return 1\n\n    return two\n\n\ndef three(): ...\n"
    )
    structure = measure(checkout(tmp_path, engine__a=source, book__b="x = 1\n"))
    lengths = structure.function_lengths["engine"]
    assert (lengths.functions, lengths.median, lengths.longest) == (3, 2, 5)
    assert lengths.longest_name == "engine/a.py:one"
    assert structure.function_lengths["book"].functions == 0


def copies_in(folder: Path, **sources: str) -> list[tuple[str, str, int]]:
    found = measure(checkout(folder, **sources)).copies
    return [(copy.first, copy.second, copy.lines) for copy in found]


def test_code_that_differs_in_names_and_values_alone_is_a_copy(tmp_path: Path) -> None:
    first = BODY.format(name="largest", number=3)
    second = "import re\n" + BODY.format(name="best", number=77).replace("value", "move")
    assert copies_in(tmp_path, engine__a=first, book__b=second) == [
        ("engine/a.py:2", "book/b.py:3", 7)
    ]


def test_code_that_does_something_else_on_the_way_is_no_copy(tmp_path: Path) -> None:
    first = BODY.format(name="largest", number=3)
    second = first.replace("value > 3", "value < 3")
    assert copies_in(tmp_path, engine__a=first, book__b=second) == []


def test_a_copy_is_as_long_as_it_goes_and_told_once(tmp_path: Path) -> None:
    twice = BODY.format(name="one", number=1) + BODY.format(name="two", number=2)
    assert copies_in(tmp_path, engine__a=twice) == [("engine/a.py:2", "engine/a.py:13", 7)]


def test_declarations_and_lists_are_no_copies(tmp_path: Path) -> None:
    fields = "\n".join(f"    field_{n}: int" for n in range(SHORTEST + 2))
    rows = "\n".join(f"    ({n}, 'text')," for n in range(SHORTEST + 2))
    source = f"@dataclass\nclass Name:\n{fields}\n\n\nTABLE = [\n{rows}\n]\n"
    assert copies_in(tmp_path, engine__a=source, book__b=source.replace("Name", "Other")) == []


def names_in(folder: Path, **sources: str) -> dict[str, list[str]]:
    return measure(checkout(folder, **sources)).names_for_two


def test_names_of_modules_and_public_classes_are_to_stand_for_one_thing(tmp_path: Path) -> None:
    both = "class Board: ...\n\n\nclass _Private: ...\n"
    assert names_in(tmp_path, engine__board=both, book__board=both, book__errors="") == {
        "Board": ["engine/board.py", "book/board.py"],
        "board.py": ["engine/board.py", "book/board.py"],
    }


def test_packages_errors_and_commands_may_share_a_name(tmp_path: Path) -> None:
    sources = dict.fromkeys(
        ("engine/__init__", "book/__init__", "engine/errors", "book/errors"), ""
    )
    assert names_in(tmp_path, **sources, book__plot="", service__commands__plot="") == {}


def test_imports_run_down_even_late_ones(tmp_path: Path) -> None:
    late = "def load():\n    from service.play import game\n"
    structure = measure(
        checkout(tmp_path, engine__a="import book.b\n", book__b="", precompute__c=late)
    )
    assert structure.imports_up == [
        "engine/a.py -> book.b",
        "precompute/c.py -> service.play.game",
    ]


def test_modules_that_load_each_other_are_a_circle(tmp_path: Path) -> None:
    sources = {
        "engine__a": "from engine import b\n",
        "engine__b": "from engine.c import thing\n",
        "engine__c": "import engine.a\n",
        "engine__d": "import engine.a\n",
    }
    assert measure(checkout(tmp_path, **sources)).circles == [["engine.a", "engine.b", "engine.c"]]


def test_an_import_for_types_or_within_a_function_makes_no_circle(tmp_path: Path) -> None:
    late = "if TYPE_CHECKING:\n    import engine.a\n\n\ndef load():\n    import engine.a\n"
    structure = measure(checkout(tmp_path, engine__a="import engine.b\n", engine__b=late))
    assert structure.circles == []


@pytest.fixture(scope="module")
def here() -> Structure:
    return measure(ROOT)


def test_no_import_of_this_checkout_closes_a_circle(here: Structure) -> None:
    assert here.circles == []


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.structure", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_it_is_printed_as_a_table_or_as_json(tmp_path: Path, here: Structure) -> None:
    assert f"lines in the wheel    {here.wheel_lines:,}" in run().stdout
    checkout(tmp_path, engine__a=BODY.format(name="one", number=1))
    document = json.loads(run(str(tmp_path), "--json").stdout)
    assert document["function_lengths"]["engine"]["functions"] == 1
    assert document["copies"] == []


def test_a_folder_that_is_no_checkout_is_refused(tmp_path: Path) -> None:
    result = run(str(tmp_path))
    assert result.returncode == 2
    assert "is no checkout: it has no pyproject.toml" in result.stderr
    assert "Traceback" not in result.stderr
