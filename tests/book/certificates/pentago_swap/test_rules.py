"""The checker's own rules, against the slow ones and the published counts."""

import random

import numpy as np
import pytest

from book.certificates.pentago_swap import arrangements
from book.certificates.pentago_swap.single_board import Key, SingleBoard, board_of
from tests.book.certificates.pentago_swap.strategies import won_of
from tests.oracles import slow_pentago_swap as slow

SCRATCH = np.zeros(arrangements.SCRATCH, dtype=np.int64)


def name(move: slow.SlowMove) -> str:
    (row, column), (first, second) = move
    return f"{'abcdef'[column]}{6 - row}:{first}{second}"


@pytest.mark.parametrize("games", [25, pytest.param(400, marks=pytest.mark.slow)])
def test_boards_and_fives_are_those_of_the_rules_in_random_games(games: int) -> None:
    rng = random.Random(1)
    ends, moves = set(), 0
    for _ in range(games):
        board, checked = slow.EMPTY, SingleBoard()
        while slow.winner(board) is None:
            move = rng.choice(slow.moves(board))
            if rng.random() < 0.02:
                after = {name(m): "/".join(slow.after(board, m)) for m in slow.moves(board)}
                assert {text: str(result) for text, result in checked.moves()} == after
            board, checked = slow.after(board, move), dict(checked.moves())[name(move)]
            assert str(checked) == "/".join(board)
            moves += 1
            assert checked.has_five(white=True) == slow.fives(board, "X")
            assert checked.has_five(white=False) == slow.fives(board, "O")
        ends.add(slow.winner(board))
    assert ends == {"X", "O", "="}
    assert moves > 15 * games


@pytest.mark.slow
def test_fives_are_found_in_all_arrangements_at_once() -> None:
    rng = random.Random(2)
    some = 0
    for _ in range(2000):
        stones = sum(1 << bit for bit in rng.sample(range(36), rng.randrange(5, 19)))
        mask = arrangements.fives(stones, SCRATCH)
        for number in range(24):
            board = board_of_contents(stones, 0, number)
            found = slow.fives(tuple(str(board).split("/")), "X")
            assert bool(mask >> number & 1) == found
            some += found
    assert some > 1000


def test_the_cells_that_make_a_five_are_found_in_all_arrangements() -> None:
    rng = random.Random(3)
    row = 200
    for _ in range(400):
        bits = rng.sample(range(36), rng.randrange(8, 30))
        own = sum(1 << bit for bit in bits[::2])
        other = sum(1 << bit for bit in bits[1::2])
        five, once, twice = arrangements.completions(own, other, SCRATCH, row)
        assert five == arrangements.fives(own, SCRATCH)
        makes = [0] * 36
        for bit in range(36):
            if not (own | other) >> bit & 1:
                makes[bit] = arrangements.fives(own | 1 << bit, SCRATCH) & ~five
        assert [int(mask) & ~five for mask in SCRATCH[row : row + 36]] == makes
        for number in range(24):
            cells = 36 if five >> number & 1 else sum(mask >> number & 1 for mask in makes)
            assert (once >> number & 1, twice >> number & 1) == (cells > 0, cells > 1)


@pytest.mark.slow
def test_canonical_boards_and_supernodes_are_as_many_as_published() -> None:
    boards: dict[Key, SingleBoard] = {SingleBoard().key: SingleBoard()}
    counts, supernodes = [], []
    for _ in range(4):
        boards = {after.key: after for board in boards.values() for _, after in board.moves()}
        counts.append(len(boards))
        supernodes.append(len({key[:2] for key in boards}))
    assert counts == [6, 165, 2715, 44481]
    assert supernodes == [3, 27, 243, 2771]


@pytest.mark.parametrize("count", [200, pytest.param(500, marks=pytest.mark.slow)])
def test_a_key_gives_a_board_of_the_same_key(count: int) -> None:
    rng = random.Random(4)
    for _ in range(count):
        board = random_board(rng, rng.randrange(20))
        assert board_of(board.key).key == board.key


@pytest.mark.parametrize("count", [50, pytest.param(300, marks=pytest.mark.slow)])
def test_what_the_search_wins_is_won_and_what_it_does_not_is_not(count: int) -> None:
    rng = random.Random(5)
    found: dict[tuple[str, int], int] = {}
    while sum(found.values()) < count:
        board = random_board(rng, rng.choice((26, 28, 30, 32)))
        rows = tuple(str(board).split("/"))
        if slow.winner(rows) is None:
            stones = 36 - "".join(rows).count(".")
            plies = 1 if stones < 28 else 3 if stones < 30 else 5
            kind, distance = slow.result(rows, plies)
            for limit in range(1, plies + 1, 2):
                assert wins(board, limit) == (kind == "win" and distance <= limit)
            found[kind, distance] = found.get((kind, distance), 0) + 1
    assert {"win", "loss", "draw"} <= {kind for kind, _ in found}


@pytest.mark.parametrize("count", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_longer_wins_are_wins_by_the_slow_rules(count: int) -> None:
    rng = random.Random(8)
    found = 0
    while found < count:
        board = random_board(rng, rng.choice((26, 28)))
        rows = tuple(str(board).split("/"))
        if slow.winner(rows) is None and wins(board, 5) and not wins(board, 1):
            distance = 3 if wins(board, 3) else 5
            assert slow.result(rows, 5) == ("win", distance)
            found += 1


def test_the_search_says_the_same_of_one_board_and_of_many() -> None:
    rng = random.Random(6)
    for _ in range(200):
        board = random_board(rng, rng.choice((8, 10, 12)))
        over = arrangements.fives(board.white, SCRATCH) | arrangements.fives(board.black, SCRATCH)
        asked = arrangements.ALL & ~over
        alone = sum(
            won_of(board.white, board.black, asked & 1 << number, 3) for number in range(24)
        )
        assert won_of(board.white, board.black, asked, 3) == alone


def test_a_search_that_is_cut_off_wins_no_board_that_is_not_won() -> None:
    rng = random.Random(9)
    scratch = np.zeros(arrangements.SCRATCH, dtype=np.int64)
    fewer = 0
    for _ in range(60):
        board = random_board(rng, 14)
        over = arrangements.fives(board.white, SCRATCH) | arrangements.fives(board.black, SCRATCH)
        asked = arrangements.ALL & ~over
        everything = won_of(board.white, board.black, asked, 5)
        for nodes in (2, 20, 200):
            some = arrangements.won(board.white, board.black, asked, 5, nodes, scratch)
            assert some & ~everything == 0
            fewer += some != everything
        # What was cut off is not taken for lost.
        whole = arrangements.won(
            board.white, board.black, asked, 5, arrangements.UNLIMITED, scratch
        )
        assert whole == everything
    assert fewer > 20


def test_a_search_that_was_forgotten_changes_nothing() -> None:
    rng = random.Random(10)
    scratch = np.zeros(arrangements.SCRATCH, dtype=np.int64)
    boards = [random_board(rng, 14) for _ in range(20)]

    def results() -> list[tuple[int, list[int]]]:
        found = []
        for board in boards:
            arrangements.forget(scratch)
            won = arrangements.won(board.white, board.black, 1, 5, 100, scratch)
            found.append((won, scratch[arrangements.FOUND : arrangements.FOUND + 36].tolist()))
        return found

    assert results() == results()


def test_nothing_is_won_on_a_full_board() -> None:
    white = sum(1 << bit for bit in range(0, 36, 2))
    assert won_of(white, arrangements.CELLS & ~white, arrangements.ALL, 1) == 0


def wins(board: SingleBoard, plies: int) -> bool:
    return bool(won_of(board.white, board.black, 1, plies))


def random_board(rng: random.Random, ply: int) -> SingleBoard:
    board = SingleBoard()
    for _ in range(ply):
        board = rng.choice(list(board.moves()))[1]
    return board


def board_of_contents(white: int, black: int, number: int) -> SingleBoard:
    contents = arrangements.ARRANGEMENTS[number]

    def arranged(stones: int) -> int:
        return sum((stones >> 9 * c & 511) << 9 * place for place, c in enumerate(contents))

    return SingleBoard(arranged(white), arranged(black))
