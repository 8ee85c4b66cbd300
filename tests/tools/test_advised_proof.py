"""Parts that are proved with another program's moves are written and checked as all others."""

import math
import re
import shlex
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from book.certificates.gomoku.checker import Checker
from book.reader import BookReader
from book.writer import BookWriter
from engine.position import Move
from precompute.certificates.gomoku.part import game_of
from precompute.certificates.gomoku.part_file import PartFile
from precompute.certificates.gomoku.proof import NotProved, ProofByParts
from tests.book.handmade import enter
from tests.checkout import DATA, ROOT
from tools.advised_proof import FirstAdvice, GivenMoves, OtherBoard, Rapfi, main

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


def tried(parts: Path, program: Path | None, *options: str) -> str:
    """What is said of a try of all that is open in `parts`."""
    arguments = [str(parts), "--game", GAME.id, "--root", GAME.format_line(LINE)]
    if program is not None:
        arguments += ["--rapfi", str(program)]
    result = CliRunner().invoke(main, [*arguments, *options])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_part_without_the_time_stays_open(tmp_path: Path, program: Path) -> None:
    parts = tmp_path / "won.db.parts"
    with ProofByParts(GAME, parts, root=LINE):
        pass
    said = tried(parts, program, "--longest", "1e-9")
    assert said == "1 of 1: h8 c1 i9 e1 open, 0 nodes\n"
    assert tried(parts, program).startswith("1 of 1: h8 c1 i9 e1 won, ")


def nodes_of(parts: Path, program: Path | None, *options: str) -> int:
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


@pytest.mark.slow
def test_a_value_is_advice_from_the_least_one_on(
    tmp_path: Path, unadvised: tuple[int, Move]
) -> None:
    program = program_in(tmp_path, "hopes")
    # Without advice the finder goes on by itself.
    assert nodes_of(tmp_path / "parts", program, "--value", "400") < unadvised[0]


@pytest.mark.slow
def test_a_move_that_is_given_is_followed(tmp_path: Path, unadvised: tuple[int, Move]) -> None:
    program, (alone, move) = program_in(tmp_path, "hopes"), unadvised
    turned = GAME.map_line((*LINE, move), GAME.symmetries[3])
    options = ("--value", "401", "--move", GAME.format_line(turned))
    assert nodes_of(tmp_path / "parts", program, *options) < alone


@pytest.mark.slow
def test_a_books_moves_are_followed(tmp_path: Path, unadvised: tuple[int, Move]) -> None:
    book = str(DATA / "gomoku-15.db")
    with_book = nodes_of(tmp_path / "parts", None, "--book", GAME.id, book)
    assert with_book < unadvised[0] == nodes_of(tmp_path / "others", None)


def test_a_book_of_another_kind_of_game_is_refused(tmp_path: Path) -> None:
    (tmp_path / "parts").touch()
    arguments = [str(tmp_path / "parts"), "--game", GAME.id, "--book"]
    result = CliRunner().invoke(main, [*arguments, "pentago-swap", str(DATA / "pentago-swap.db")])
    assert result.exit_code == 2
    assert "--book needs a game of Gomoku, not pentago-swap" in result.stderr


@pytest.mark.slow
def test_a_move_can_be_given_in_any_orientation(program: Path) -> None:
    # Nobody would say so.
    move = GAME.parse_move("a15")
    position = GAME.play_line(LINE)
    with Rapfi(program, GAME) as rapfi:
        says = partial(rapfi.advice, seconds=1.0, least=math.inf)
        assert says(position) not in (move, None)
        for symmetry in GAME.symmetries:
            given = GivenMoves(GAME, [GAME.map_line((*LINE, move), symmetry)])
            assert FirstAdvice([given.advice, says]).advice(position, 0) == move


@pytest.fixture(scope="module")
def smaller() -> Iterator[BookReader]:
    """The win on 15×15."""
    with BookReader(DATA / "gomoku-15.db") as book:
        yield book


@pytest.mark.parametrize("size", [13, 14, 17, 19, 20, 26])
def test_another_boards_book_wins_the_same_stones(smaller: BookReader, size: int) -> None:
    other = game_of(f"gomoku-{size}")
    shift = size // 2 - GAME.size // 2

    def moved(move: Move) -> Move:
        row, column = divmod(move, GAME.size)
        return (row + shift) * size + column + shift

    line = GAME.parse_line("h8 h7 g7 g9")
    position = other.play_line([moved(move) for move in line])
    wins = {moved(each.move) for each in smaller.find(GAME, GAME.play_line(line)).moves}
    advice = OtherBoard(other, smaller, GAME)
    for symmetry in other.symmetries if size % 2 else other.symmetries[:1]:
        turned = other.map_position(position, symmetry)
        said = advice.advice(turned)
        assert said is not None
        assert other.map_move(said, other.inverse(symmetry)) in wins


def test_another_boards_book_says_nothing_of_what_it_does_not_know(smaller: BookReader) -> None:
    other = game_of("gomoku-19")
    advice = OtherBoard(other, smaller, GAME)
    beyond_its_board = "j10 a1 k11 b1"
    not_in_it = "j10 j9 c3 d3"
    light_to_move = "j10 j9 i9"
    for text in (beyond_its_board, not_in_it, light_to_move):
        assert advice.advice(other.play_line(other.parse_line(text))) is None


def test_a_move_without_room_on_this_board_is_no_advice(tmp_path: Path) -> None:
    large = game_of("gomoku-9")
    line = "d5 c5 e5 d4 f5 e4 g5 f3"
    with BookWriter(tmp_path / "book.db", large) as writer:
        enter(writer, large, line, writer.start_run({}))
    said = {}
    with BookReader(tmp_path / "book.db") as book:
        for small, same_stones in (
            ("gomoku-7", "c4 b4 d4 c3 e4 d3 f4 e2"),
            ("gomoku-5", "b3 a3 c3 b2 d3 c2 e3 d1"),
        ):
            game = game_of(small)
            advice = OtherBoard(game, book, large)
            said[small] = advice.advice(game.play_line(game.parse_line(same_stones)))
        entry = book.find(large, large.play_line(large.parse_line(line)))
        assert entry.moves[0].move == large.parse_move("h5")
    assert said == {"gomoku-7": game_of("gomoku-7").parse_move("g4"), "gomoku-5": None}
