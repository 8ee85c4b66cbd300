"""`docs/deploy`, for those who run the service: read, and its steps taken without Docker."""

import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import click
import pytest

from fivebook.commands.serve import serve
from tests.checkout import ROOT
from tests.wheel import build_wheel

DEPLOY = ROOT / "docs" / "deploy"


def steps() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile with what they are about."""
    text = (DEPLOY / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines)]


def stages() -> list[list[tuple[str, str]]]:
    """The instructions of each stage."""
    found: list[list[tuple[str, str]]] = []
    for step in steps():
        if step[0] == "FROM":
            found.append([])
        found[-1].append(step)
    return found


def options_of_serve() -> set[str]:
    return {text for param in serve.params for text in (*param.opts, *param.secondary_opts)}


def test_what_is_copied_is_all_that_a_wheel_needs(tmp_path: Path) -> None:
    source, here, there = tmp_path / "source", tmp_path / "here", tmp_path / "there"
    source.mkdir()
    for name, rest in stages()[0]:
        if name == "COPY":
            *given, target = rest.split()
            for each in given:
                if (ROOT / each).is_dir():
                    ignored = shutil.ignore_patterns("__pycache__")
                    shutil.copytree(ROOT / each, source / target, ignore=ignored)
                else:
                    shutil.copy(ROOT / each, source / target)
    command = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", there)
    subprocess.run([*command, source], check=True)
    (copied,) = there.glob("*.whl")
    with zipfile.ZipFile(copied) as one, zipfile.ZipFile(build_wheel(here)) as other:
        assert set(one.namelist()) == set(other.namelist())


def test_every_image_is_named_with_its_version() -> None:
    images = [rest.split()[0] for name, rest in steps() if name == "FROM"]
    assert all(re.fullmatch(r"[a-z/]+:[0-9][a-z0-9.-]*", image) for image in images)


def test_it_serves_as_a_user_without_rights_what_was_compiled_before() -> None:
    names = [name for name, _ in stages()[-1]]
    of_last = dict(stages()[-1])
    assert of_last["USER"].isdecimal()
    assert int(of_last["USER"]) > 0
    assert names.index("USER") < names.index("ENTRYPOINT")
    runs = [index for index, step in enumerate(stages()[-1]) if step == ("RUN", "fivebook compile")]
    assert names.index("ENV") < runs[0] < names.index("USER")


def test_what_it_starts_has_options_that_there_are() -> None:
    entry = dict(stages()[-1])["ENTRYPOINT"]
    compose = (DEPLOY / "compose.yaml").read_text()
    unit = (DEPLOY / "fivebook.service").read_text()
    given = re.findall(r"(?<![\w-])--[a-z][a-z-]*", entry + compose + unit)
    assert given
    assert set(given) <= options_of_serve()
    variables = re.findall(r"FIVEBOOK_SERVE_([A-Z_]+)", dict(stages()[-1])["ENV"])
    known = {param.name for param in serve.params if isinstance(param, click.Option)}
    assert {name.lower() for name in variables} <= known


def test_the_health_check_is_a_program() -> None:
    words = shlex.split(dict(stages()[-1])["HEALTHCHECK"].partition(" ")[2].strip("[]"))
    compile(words[-1], "health check", "exec")


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("there is no systemd-analyze on this machine")
    program = tmp_path / "fivebook"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    text = (DEPLOY / "fivebook.service").read_text()
    unit = tmp_path / "fivebook.service"
    unit.write_text(text.replace("/opt/fivebook/bin/fivebook", str(program)))
    done = subprocess.run(
        ["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False
    )
    # What it says of other units of the machine is not about this one.
    assert not [line for line in done.stderr.splitlines() if "fivebook" in line]
