"""Parts that are proved with another program's moves are written and checked as all others."""

import math
import re
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from book.certificates.gomoku.checker import Checker
from engine.position import Move
from precompute.certificates.gomoku.part import game_of
from precompute.certificates.gomoku.part_file import PartFile
from precompute.certificates.gomoku.proof import NotProved, ProofByParts
from tests.checkout import ROOT
from tools.advised_proof import Rapfi, RapfiAdviser, main

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


@pytest.fixture(scope="module")
def unadvised(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, Move]:
    """The nodes and the move of the one part where what the program hopes for is not enough."""
    folder = tmp_path_factory.mktemp("unadvised")
    nodes = nodes_of(folder / "parts", program_in(folder, "hopes"), "--value", "401")
    with PartFile(folder / "parts", GAME.id) as file:
        move = file.parts[LINE].move
    assert move is not None
    return nodes, move


def test_a_value_is_advice_from_the_least_one_on(
    tmp_path: Path, unadvised: tuple[int, Move]
) -> None:
    program = program_in(tmp_path, "hopes")
    # Without advice the finder goes on by itself.
    assert nodes_of(tmp_path / "parts", program, "--value", "400") < unadvised[0]


def test_a_move_that_is_given_is_followed(tmp_path: Path, unadvised: tuple[int, Move]) -> None:
    program, (alone, move) = program_in(tmp_path, "hopes"), unadvised
    turned = GAME.map_line((*LINE, move), GAME.symmetries[3])
    options = ("--value", "401", "--move", GAME.format_line(turned))
    assert nodes_of(tmp_path / "parts", program, *options) < alone


def test_a_move_can_be_given_in_any_orientation(program: Path) -> None:
    # Nobody would say so.
    move = GAME.parse_move("a15")
    position = GAME.play_line(LINE)
    with Rapfi(program, GAME) as rapfi:
        for symmetry in GAME.symmetries:
            given = [GAME.map_line((*LINE, move), symmetry)]
            adviser = RapfiAdviser(GAME, rapfi, 1.0, math.inf, given)
            assert adviser.advice(position, 0) == move
