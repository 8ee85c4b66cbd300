"""Parts that are proved with another program's moves are written and checked as all others."""

import re
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from book.certificates.gomoku.checker import Checker
from precompute.certificates.gomoku.part import game_of
from precompute.certificates.gomoku.part_file import PartFile
from precompute.certificates.gomoku.proof import NotProved, ProofByParts
from tests.checkout import ROOT
from tools.advised_proof import main

GAME = game_of("gomoku-15")
# The finder alone takes more than the 200,000 nodes that it has before anybody is asked.
LINE = tuple(GAME.parse_line("h8 c1 i9 e1"))


def program_in(folder: Path, *options: str) -> Path:
    path = folder / "program"
    command = shlex.join([sys.executable, "-m", "tests.tools.adviser_program", *options])
    path.write_text(f"#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {command}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def program(tmp_path: Path) -> Path:
    return program_in(tmp_path)


def tried(parts: Path, program: Path, *options: str) -> str:
    """What is said of a try of all that is open in `parts`."""
    arguments = [str(parts), "--game", GAME.id, "--root", GAME.format_line(LINE)]
    result = CliRunner().invoke(main, [*arguments, "--rapfi", str(program), *options])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_checker_accepts_what_comes_of_another_programs_moves(
    tmp_path: Path, program: Path
) -> None:
    parts = tmp_path / "won.db.parts"
    with ProofByParts(GAME, parts, root=LINE) as proof, pytest.raises(NotProved):
        proof.certificate()
    assert tried(parts, program).startswith("1 of 1: h8 c1 i9 e1 won, ")
    with ProofByParts(GAME, parts, root=LINE) as proof:
        checker = Checker(proof.certificate())
    for _ in checker.steps():
        pass
    assert (checker.hole, checker.whole) == (None, True)
    assert tried(parts, program) == ""


def test_a_part_without_the_time_stays_open(tmp_path: Path, program: Path) -> None:
    parts = tmp_path / "won.db.parts"
    with ProofByParts(GAME, parts, root=LINE):
        pass
    said = tried(parts, program, "--longest", "1e-9")
    assert said == "1 of 1: h8 c1 i9 e1 open, 0 nodes\n"
    assert tried(parts, program).startswith("1 of 1: h8 c1 i9 e1 won, ")


def nodes_of(parts: Path, program: Path, *options: str) -> int:
    """What the one part took, in a new file."""
    with ProofByParts(GAME, parts, root=LINE):
        pass
    said = tried(parts, program, *options)
    found = re.fullmatch(r"1 of 1: h8 c1 i9 e1 won, .*, ([\d,]+) nodes\n", said)
    assert found is not None, said
    return int(found[1].replace(",", ""))


def test_a_value_is_advice_from_the_least_one_on(tmp_path: Path) -> None:
    program = program_in(tmp_path, "hopes")
    nodes = {
        least: nodes_of(tmp_path / least, program, "--value", least) for least in ("400", "401")
    }
    # Without advice the finder goes on by itself.
    assert nodes["400"] < nodes["401"]


def test_a_move_can_be_given_in_any_orientation(tmp_path: Path) -> None:
    program, value = program_in(tmp_path, "hopes"), ("--value", "401")
    alone = nodes_of(tmp_path / "alone", program, *value)
    with PartFile(tmp_path / "alone", GAME.id) as file:
        move = file.parts[LINE].move
    assert move is not None
    for number, symmetry in enumerate(GAME.symmetries):
        line = GAME.format_line([GAME.map_move(each, symmetry) for each in (*LINE, move)])
        given = nodes_of(tmp_path / str(number), program, *value, "--move", line)
        assert given < alone
