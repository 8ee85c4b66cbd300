"""What is told of supernodes: the solver's and the checker's ways to count are the same boards."""

import random
from itertools import permutations

import numpy as np
import pytest

from book.certificates.pentago_swap import arrangements
from engine import registry
from engine.games.quadrants.alphabeta import CELL_OF_BIT
from engine.games.quadrants.swap.claims import Claims
from engine.games.quadrants.swap.supernode_wins import SupernodeWins
from engine.games.quadrants.swap.supernodes import ARRANGEMENTS
from engine.position import Position
from precompute.certificates.pentago_swap.strategy import (
    EntryRules,
    SolverStrategy,
    SupernodeAnswerer,
    numbers,
    to_board,
    to_position,
    turned_over,
)
from tests.book.certificates.pentago_swap.strategies import Searched, won_of
from tests.book.certificates.pentago_swap.test_rules import board_of_contents

GAME = registry.get("pentago-swap")
SCRATCH = np.zeros(arrangements.SCRATCH, dtype=np.int64)


def random_stones(rng: random.Random, stones: int) -> tuple[int, int]:
    bits = rng.sample(range(36), stones)
    return sum(1 << bit for bit in bits[::2]), sum(1 << bit for bit in bits[1::2])


def position_of_slots(white: int, black: int, number: int) -> Position:
    """The solver's arrangement of a supernode, laid out slot by slot."""

    def arranged(stones: int) -> int:
        cells = 0
        for slot, place in enumerate(ARRANGEMENTS[number]):
            for bit in numbers(stones >> 9 * slot & 511):
                cells |= 1 << int(CELL_OF_BIT[9 * place + bit])
        return cells

    return Position(arranged(white), arranged(black))


def test_arrangements_are_the_same_boards_both_ways() -> None:
    rng = random.Random(1)
    for _ in range(100):
        white, black = random_stones(rng, 12)
        for number in range(24):
            other = turned_over(1 << number)
            assert turned_over(other) == 1 << number
            board = board_of_contents(white, black, other.bit_length() - 1)
            assert to_board(position_of_slots(white, black, number)) == board
    assert sorted(turned_over(1 << number) for number in range(24)) == [1 << n for n in range(24)]
    assert list(permutations(range(4))) == list(ARRANGEMENTS) == list(arrangements.ARRANGEMENTS)


def test_boards_of_both_sides_are_the_same() -> None:
    position = Position()
    for move in GAME.parse_line("b2:13 d4:24 a6:12 f1:34 c3:14"):
        position = GAME.play(position, move)
        assert to_position(to_board(position)) == position
    assert str(to_board(Position(1, 1 << 35))) == ".....O/....../....../....../....../X....."


@pytest.mark.parametrize(
    ("plies", "stones"), [(1, 16), (3, 16), (5, 16), (7, 16), (9, 18), (11, 20)]
)
def test_the_solver_wins_the_supernodes_that_the_checker_wins(plies: int, stones: int) -> None:
    rng = random.Random(plies)
    solver = SupernodeWins(Claims(table=8))
    partly = 0
    for _ in range(60):
        white, black = random_stones(rng, stones)
        over = arrangements.fives(white, SCRATCH) | arrangements.fives(black, SCRATCH)
        asked = arrangements.ALL & ~over
        wins = solver.wins(white, black, turned_over(asked), plies)
        assert wins is not None
        won = won_of(white, black, asked, plies)
        assert turned_over(wins) == won
        partly += won not in (0, asked)
    assert partly > 5


def test_the_solvers_moves_win_and_cover_all_boards() -> None:
    rng = random.Random(7)
    solved = SolverStrategy(SupernodeWins(Claims(table=8)))
    some = 0
    for _ in range(60):
        white, black = random_stones(rng, 14)
        over = arrangements.fives(white, SCRATCH) | arrangements.fives(black, SCRATCH)
        boards = won_of(white, black, arrangements.ALL & ~over, 5)
        if not boards:
            continue
        won = 0
        for cell, after in solved.moves(white, black, boards, 5):
            assert not (white | black) >> cell & 1
            assert after & ~Searched().won_by(white | 1 << cell, black, after, 5) == 0
            won |= arrangements.reach(after)
        assert boards & ~won == 0
        some += 1
    assert some > 20


def test_what_is_not_won_in_time_has_no_moves() -> None:
    white, black = to_board(Position()).white, to_board(Position()).black
    assert SolverStrategy(SupernodeWins(Claims(table=8))).moves(white, black, 1, 3) == ()


def test_an_answer_needs_no_move_where_the_search_is_soon_done() -> None:
    rng = random.Random(9)
    kinds = set()
    for _ in range(60):
        white, black = random_stones(rng, 14)
        over = arrangements.fives(white, SCRATCH) | arrangements.fives(black, SCRATCH)
        boards = won_of(white, black, arrangements.ALL & ~over, 5)
        *image, boards = _canonical(white, black, boards)
        if not boards:
            continue
        for nodes in (arrangements.UNLIMITED, 2):
            rules = EntryRules(short=3, leaf=5, nodes=nodes)
            answer = SupernodeAnswerer(Searched(), rules).answer((image[0], image[1]), boards, 5)
            left = boards & ~won_of(
                arrangements.white_of(*image), arrangements.black_of(*image), boards, 3
            )
            if nodes == arrangements.UNLIMITED:
                assert (answer.boards, answer.moves) == (left, ())
            else:
                assert answer.boards & left == left
            kinds.add((nodes, bool(answer.boards), bool(answer.moves)))
    assert {(arrangements.UNLIMITED, True, False), (2, True, True)} <= kinds


def _canonical(white: int, black: int, boards: int) -> list[int]:
    image = np.zeros(3, dtype=np.int64)
    arrangements.canonical(white, black, boards, image)
    return [int(number) for number in image]
