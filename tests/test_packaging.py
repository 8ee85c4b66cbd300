"""What is installed, and at which versions."""

import ast
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.checkout import ROOT
from tests.wheel import build_wheel

ROOMS = {"fivebook", "engine", "book", "precompute", "service"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
# pip comes with the environment; editables is needed only while pip builds an editable install.
NOT_PINNED = {"pip"}
ONLY_WHILE_BUILDING = {"editables"}


def constraints() -> list[str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def pinned() -> dict[str, str]:
    """Version by normalised name."""
    pairs = (line.split("==") for line in constraints())
    return {canonicalize_name(name): version for name, version in pairs}


def required() -> dict[str, str]:
    """Versions by name of all installed distributions that the project needs, directly or not."""
    project = PROJECT["project"]
    waiting = [
        Requirement(text)
        for text in (
            *project["dependencies"],
            *project["optional-dependencies"]["dev"],
            *PROJECT["build-system"]["requires"],
        )
    ]
    found: dict[str, str] = {}
    seen = set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        for extra in ("", *requirement.extras):
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            installed = distribution(name)
            found[name] = installed.version
            waiting += [
                needed
                for needed in map(Requirement, installed.requires or ())
                if needed.marker is None or needed.marker.evaluate({"extra": extra})
            ]
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    return ZipFile(build_wheel(tmp_path_factory.mktemp("wheel")))


def test_the_wheel_holds_the_rooms_and_nothing_else(wheel: ZipFile) -> None:
    names = {name.split("/")[0] for name in wheel.namelist()}
    (metadata,) = names - ROOMS
    assert re.fullmatch(r"fivebook-[0-9.]+\.dist-info", metadata)
    assert names > ROOMS


def test_the_wheel_holds_every_file_of_the_rooms(wheel: ZipFile) -> None:
    tracked = {
        str(path.relative_to(ROOT))
        for room in ROOMS
        for path in (ROOT / room).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert set(wheel.namelist()) >= tracked
    assert "book/storage/migrations/env.py" in tracked
    assert any(name.startswith("book/storage/migrations/versions/0002") for name in tracked)


def test_every_package_of_the_wheel_says_that_it_is_typed(wheel: ZipFile) -> None:
    assert {f"{room}/py.typed" for room in ROOMS} <= set(wheel.namelist())


def test_the_wheel_holds_no_compiled_code(wheel: ZipFile) -> None:
    assert not [name for name in wheel.namelist() if "__pycache__" in name]


def test_the_wheel_installs_the_command_and_the_program_for_managers(wheel: ZipFile) -> None:
    (entry_points,) = (name for name in wheel.namelist() if name.endswith("/entry_points.txt"))
    lines = wheel.read(entry_points).decode().split("\n")
    assert [line for line in lines if line] == [
        "[console_scripts]",
        "fivebook = fivebook.cli:main",
        "pbrain-fivebook = fivebook.cli:pbrain",
    ]


def test_the_wheel_is_free_software_for_python_3_11_and_later(wheel: ZipFile) -> None:
    (metadata,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
    lines = wheel.read(metadata).decode().split("\n")
    assert "Requires-Python: >=3.11" in lines
    assert "License-Expression: MIT" in lines


def test_constraints_are_names_and_versions_and_name_no_address() -> None:
    for line in constraints():
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9._!+]+", line)
    assert "/" not in "".join(constraints())


def test_constraints_are_sorted_and_name_each_distribution_once() -> None:
    names = [line.split("==")[0].lower() for line in constraints()]
    assert names == sorted(set(names))


def test_everything_the_project_requires_is_pinned_at_the_version_it_is_tested_with() -> None:
    needed = {name: version for name, version in required().items() if name not in NOT_PINNED}
    pins = pinned()
    assert {name: pins.get(name) for name in needed} == needed


def test_nothing_is_pinned_that_the_project_does_not_require() -> None:
    assert set(pinned()) - set(required()) == ONLY_WHILE_BUILDING


def test_every_package_the_rooms_import_is_a_declared_dependency() -> None:
    project = PROJECT["project"]
    extras = project["optional-dependencies"]
    declared = {
        canonicalize_name(Requirement(text).name)
        for text in (
            project["dependencies"]
            + extras["client"]
            + extras["dask"]
            + extras["parquet"]
            + extras["plot"]
            + extras["postgresql"]
        )
    }
    modules = {
        name.split(".")[0]
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    foreign = modules - ROOMS - sys.stdlib_module_names
    homes = packages_distributions()
    unknown = {name for name in foreign if name not in homes}
    assert unknown == set()
    used = {canonicalize_name(home) for name in foreign for home in homes[name]}
    assert used <= declared


def test_the_installed_command_is_the_one_of_this_folder() -> None:
    try:
        installed = distribution("fivebook")
    except PackageNotFoundError:
        pytest.skip("fivebook is not installed here: make test installs it")
    scripts = {entry.name: entry.value for entry in installed.entry_points}
    assert scripts == {
        "fivebook": "fivebook.cli:main",
        "pbrain-fivebook": "fivebook.cli:pbrain",
    }
