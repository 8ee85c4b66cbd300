"""The search of Pentago-swap against a slow oracle, and its promises to callers."""

import random
import time
from dataclasses import replace

import numpy as np
import pytest

from engine.clock import Allotment, Clock
from engine.games.quadrants import alphabeta as kernels
from engine.games.quadrants.pentago_swap import PentagoSwap
from engine.games.quadrants.searcher import PentagoSwapSearcher, QuadrantSearcher
from engine.position import Position
from engine.search import Limits, Method, SearchOptions, SearchResult
from engine.values import HEURISTIC_MAX, WIN, Bound, is_decisive
from tests.oracles import slow_pentago_swap as slow

GAME = PentagoSwap()


@pytest.fixture(scope="module")
def searcher() -> PentagoSwapSearcher:
    return PentagoSwapSearcher(GAME)


def position_of(board: tuple[str, ...]) -> Position:
    dark = light = 0
    for row, line in enumerate(board):
        for column, stone in enumerate(line):
            bit = 1 << (5 - row) * 6 + column
            dark |= bit * (stone == "X")
            light |= bit * (stone == "O")
    return Position(dark, light)


def slow_move(move: int | None) -> tuple[tuple[int, int], tuple[int, int]]:
    assert move is not None
    cell, swap = divmod(move, 6)
    return (5 - cell // 6, cell % 6), slow.SWAPS[swap]


def random_board(rng: random.Random, stones: int, *, quiet: bool = True) -> tuple[str, ...]:
    """An unfinished board; a `quiet` one has no win in one move."""
    while True:
        cells = list("X" * ((stones + 1) // 2) + "O" * (stones // 2) + "." * (36 - stones))
        rng.shuffle(cells)
        board = tuple("".join(cells[row * 6 : row * 6 + 6]) for row in range(6))
        if slow.winner(board) is None and not (quiet and slow.result(board, 1)[0] == "win"):
            return board


def played_position(rng: random.Random, stones: int) -> Position:
    """An unfinished position from random moves, without a win in one move."""
    while True:
        position = GAME.initial
        while position.ply < stones and GAME.outcome(position) is None:
            position = GAME.play(position, rng.choice(GAME.legal_moves(position)))
        if position.ply == stones and GAME.outcome(position) is None and not wins_now(position):
            return position


def wins_now(position: Position) -> list[int]:
    wanted = "dark wins" if position.dark_to_move else "light wins"
    moves = GAME.legal_moves(position)
    ends = [GAME.outcome(GAME.play(position, move)) for move in moves]
    return [move for move, end in zip(moves, ends, strict=True) if end and end.value == wanted]


def said(result: SearchResult) -> tuple[str, int]:
    """A result in the oracle's words."""
    if not result.proven:
        return "open", 0
    if result.value == 0:
        return "draw", 0
    return ("win" if result.value > 0 else "loss"), WIN - abs(result.value)


def essence(result: SearchResult) -> tuple[object, ...]:
    """All of a result but the time it took."""
    return (
        result.move,
        result.value,
        result.bound,
        result.proven,
        result.depth,
        result.nodes,
        result.line,
    )


def check_line(position: Position, result: SearchResult) -> None:
    assert result.line[0] == result.move
    end = GAME.play_line(result.line, position)
    if result.proven and result.value and len(result.line) == result.distance:
        winner = "dark wins" if position.dark_to_move == (result.value > 0) else "light wins"
        outcome = GAME.outcome(end)
        assert outcome
        assert outcome.value == winner


@pytest.mark.parametrize("stones", [32, 33, 34, 35])
def test_the_end_of_the_game_is_solved_as_by_brute_force(
    searcher: PentagoSwapSearcher, stones: int
) -> None:
    rng = random.Random(stones)
    for index in range(60):
        board = random_board(rng, stones, quiet=index % 10 > 0)
        truth = slow.result(board, 36 - stones)
        for depth in range(1, 37 - stones):
            result = searcher.search(position_of(board), Limits(depth=depth))
            check_line(position_of(board), result)
            if result.proven:
                assert said(result)[0] == truth[0]
            if depth == 36 - stones or 0 < truth[1] <= depth + 1:
                assert said(result) == truth
                assert result.bound is Bound.EXACT


@pytest.mark.parametrize("stones", [12, 15, 20, 26])
def test_two_threads_come_to_the_results_of_one(searcher: PentagoSwapSearcher, stones: int) -> None:
    two = PentagoSwapSearcher(GAME, SearchOptions(threads=2))
    rng = random.Random(stones)
    for _ in range(5):
        position = played_position(rng, stones)
        one, other = (each.search(position, Limits(depth=7)) for each in (searcher, two))
        assert (other.value, other.bound, other.proven) == (one.value, one.bound, one.proven)
        check_line(position, other)


def told(result: SearchResult) -> SearchResult:
    """All of a result but what time and threads change."""
    return replace(result, nodes=0, seconds=0.0)


def test_solver_and_alpha_beta_side_by_side_end_with_whoever_knows(
    searcher: PentagoSwapSearcher,
) -> None:
    two = PentagoSwapSearcher(GAME, SearchOptions(threads=2))
    rng = random.Random(17)
    long, few = 60.0, Limits(depth=2)
    for stones in (22, 24, 26, 28):
        position = played_position(rng, stones)
        truth = searcher.search(position, Limits(depth=36))
        before = time.monotonic()
        result = two.search(position, Limits(movetime=long))
        # Neither waits for the other.
        assert time.monotonic() - before < long
        assert (result.value, result.bound, result.proven) == (truth.value, Bound.EXACT, True)
        assert result.method is Method.SOLVER
        check_line(position, result)
        others = set(GAME.legal_moves(position)) - {result.move}
        assert result.move is not None
        kept = two.search(position, Limits(movetime=long), exclude=others)
        assert (kept.move, kept.value) == (result.move, truth.value)
        # What ended the one does not end the next.
        fresh = PentagoSwapSearcher(GAME, SearchOptions(threads=2))
        assert told(two.search(GAME.initial, few)) == told(fresh.search(GAME.initial, few))
        lines = [each.search_lines(GAME.initial, few, 2) for each in (two, fresh)]
        assert [told(line) for line in lines[0]] == [told(line) for line in lines[1]]
    # Nobody knows: the whole time is for alpha-beta.
    opening = two.search(GAME.initial, Limits(movetime=1.0))
    assert opening.move in GAME.legal_moves(GAME.initial)
    assert (opening.proven, opening.method) == (False, Method.SEARCH)
    assert opening.depth > 0
    check_line(GAME.initial, opening)
    with pytest.raises(ValueError, match="is over"):
        two.search(position_of(("XXXXX.", "OOOO..", *["......"] * 4)), Limits(movetime=long))


@pytest.mark.parametrize("stones", [28, 29, 30, 31])
def test_what_is_proven_early_is_true(searcher: PentagoSwapSearcher, stones: int) -> None:
    rng = random.Random(stones)
    for _ in range(8):
        board = random_board(rng, stones)
        for depth in (1, 2):
            result = searcher.search(position_of(board), Limits(depth=depth))
            least, most = slow.bounds(board, depth + 1)
            kind, plies = slow.result(board, depth + 1)
            if result.proven:
                assert least == most == (result.value > 0) - (result.value < 0)
            if kind in ("win", "loss"):
                assert said(result) == (kind, plies)


def check_reduced(position: Position, result: SearchResult, truth: tuple[str, int]) -> bool:
    """Whether late moves reduced found a win or loss, which has to be true within its bound."""
    check_line(position, result)
    kind, plies = said(result)
    if kind == "open":
        return False
    assert kind == truth[0]
    assert plies == truth[1] or (result.bound is not Bound.EXACT and plies > truth[1])
    return kind != "draw"


@pytest.mark.parametrize("stones", [20, 22, 24, 26, 28])
def test_what_late_moves_reduced_prove_is_true_by_the_solver(
    searcher: PentagoSwapSearcher, stones: int
) -> None:
    alone = QuadrantSearcher(GAME, kernels.SWAP, reduces=True)
    rng = random.Random(stones)
    decided = 0
    for _ in range(12):
        position = played_position(rng, stones)
        truth = said(searcher.search(position, Limits(depth=36)))
        for nodes in (30_000, 300_000):
            decided += check_reduced(position, alone.search(position, Limits(nodes=nodes)), truth)
    assert decided > 4


@pytest.mark.parametrize("stones", [31, 32, 33])
def test_what_late_moves_reduced_prove_is_true_by_brute_force(stones: int) -> None:
    alone = QuadrantSearcher(GAME, kernels.SWAP, reduces=True)
    rng = random.Random(stones)
    decided = 0
    for _ in range(20):
        board = random_board(rng, stones)
        position, truth = position_of(board), slow.result(board, 36 - stones)
        for nodes in (300, 3_000, 30_000):
            decided += check_reduced(position, alone.search(position, Limits(nodes=nodes)), truth)
    assert decided > 4


@pytest.mark.parametrize("stones", [9, 14, 19])
def test_wins_and_losses_of_two_plies_are_seen_in_the_middle_game(
    searcher: PentagoSwapSearcher, stones: int
) -> None:
    rng = random.Random(stones)
    for _ in range(12):
        board = random_board(rng, stones, quiet=False)
        truth = slow.result(board, 1)
        if truth[0] == "win":
            result = searcher.search(position_of(board), Limits(depth=1))
            assert said(result) == truth
            assert slow.winner(slow.after(board, slow_move(result.move))) == slow.to_move(board)
    for _ in range(3):
        board = random_board(rng, stones)
        result = searcher.search(position_of(board), Limits(depth=1))
        children = {slow.after(board, move) for move in slow.moves(board)}
        lost = all(slow.result(child, 1) == ("win", 1) for child in children)
        assert said(result) == (("loss", 2) if lost else ("open", 0))


def plain_negamax(position: Position, depth: int, ply: int = 0) -> int:
    """The search without anything that makes it fast; the evaluation is the kernels'."""
    outcome = GAME.outcome(position)
    if outcome is not None:
        sign = {"dark wins": 1, "light wins": -1, "draw": 0}[outcome.value]
        return (sign if position.dark_to_move else -sign) * (WIN - ply)
    if depth == 0:
        boards = [kernels.pack_board(board) for board in (position.dark, position.light)]
        if not position.dark_to_move:
            boards.reverse()
        view = kernels.outlook(kernels.SWAP, np.uint64(boards[0]), np.uint64(boards[1]))
        value = kernels.ending(view, 36 - position.ply, ply)
        return int(view >> kernels.SCORE) if value == kernels.NO_ENDING else int(value)
    children = {GAME.play(position, move) for move in GAME.legal_moves(position)}
    return max(-plain_negamax(child, depth - 1, ply + 1) for child in children)


@pytest.mark.parametrize(
    ("stones", "depth", "count"), [(2, 2, 1), (5, 1, 5), (10, 1, 10), (27, 2, 10), (30, 3, 2)]
)
def test_a_search_to_a_depth_has_the_value_of_plain_negamax(
    searcher: PentagoSwapSearcher, stones: int, depth: int, count: int
) -> None:
    rng = random.Random(stones * depth)
    for _ in range(count):
        position = played_position(rng, stones)
        expected = plain_negamax(position, depth)
        assert searcher.search(position, Limits(depth=depth)).value == expected


def test_a_proven_win_holds_against_every_reply(searcher: PentagoSwapSearcher) -> None:
    rng = random.Random(3)
    found = 0
    while found < 4:
        position = played_position(rng, rng.randint(10, 16))
        result = searcher.search(position, Limits(nodes=20_000))
        check_line(position, result)
        if result.proven and result.value == WIN - 3:
            assert result.move is not None
            found += 1
            child = GAME.play(position, result.move)
            replies = {GAME.play(child, move) for move in GAME.legal_moves(child)}
            assert all(wins_now(reply) for reply in rng.sample(sorted(replies, key=repr), 40))


def test_the_same_question_has_the_same_answer(searcher: PentagoSwapSearcher) -> None:
    position = played_position(random.Random(1), 7)
    other = played_position(random.Random(2), 12)
    limits = Limits(nodes=30_000)
    first = searcher.search(position, limits)
    searcher.search(other, limits)
    searcher.search(position, Limits(depth=2))
    assert essence(searcher.search(position, limits)) == essence(first)
    assert essence(PentagoSwapSearcher(GAME).search(position, limits)) == essence(first)


@pytest.mark.parametrize("nodes", [1, 2, 50, 150, 255, 256, 257, 1000, 20_001])
def test_a_limit_by_nodes_is_kept(searcher: PentagoSwapSearcher, nodes: int) -> None:
    position = played_position(random.Random(5), 5)
    result = searcher.search(position, Limits(nodes=nodes))
    assert result.nodes <= nodes
    assert result.move in GAME.legal_moves(position)
    check_line(position, result)


def test_any_limit_finds_a_win_in_one(searcher: PentagoSwapSearcher) -> None:
    rng = random.Random(6)
    boards = iter(lambda: random_board(rng, 12, quiet=False), None)
    board = next(board for board in boards if slow.result(board, 1)[0] == "win")
    result = searcher.search(position_of(board), Limits(nodes=1))
    assert (result.value, result.bound, result.proven) == (WIN - 1, Bound.EXACT, True)
    assert result.move in wins_now(position_of(board))
    assert result.line == (result.move,)


@pytest.mark.slow
def test_a_threat_is_parried_where_it_can_be(searcher: PentagoSwapSearcher) -> None:
    rng = random.Random(8)
    parried = 0
    while parried < 2:
        position = played_position(rng, rng.randint(9, 14))
        children = {move: GAME.play(position, move) for move in GAME.legal_moves(position)}
        safe = [move for move, child in children.items() if not wins_now(child)]
        if 0 < len(safe) < len(children) / 2:
            parried += 1
            assert searcher.search(position, Limits(depth=1)).move in safe


def test_excluded_moves_are_left_out(searcher: PentagoSwapSearcher) -> None:
    position = played_position(random.Random(9), 9)
    excluded: list[int] = []
    last = WIN
    for _ in range(4):
        result = searcher.search(position, Limits(depth=2), exclude=excluded)
        assert result.move not in excluded
        assert result.value <= last
        last = result.value
        excluded.append(result.move or 0)


def test_without_its_winning_moves_a_position_is_searched_on(
    searcher: PentagoSwapSearcher,
) -> None:
    rng = random.Random(10)
    for _ in range(20):
        board = random_board(rng, 33, quiet=False)
        position = position_of(board)
        wins = wins_now(position)
        rest = [move for move in GAME.legal_moves(position) if move not in wins]
        result = searcher.search(position, Limits(depth=3), exclude=wins)
        if not rest:
            assert result.move is None
            assert result.line == ()
            continue
        ends = [slow.result(slow.after(board, slow_move(move)), 2) for move in rest]
        rank = {"loss": 1, "draw": 0, "win": -1}
        assert np.sign(result.value) == max(rank[kind] for kind, _ in ends)
        assert result.proven


def test_excluding_all_but_one_move_leaves_that_move(searcher: PentagoSwapSearcher) -> None:
    position = played_position(random.Random(11), 11)
    *others, left = GAME.legal_moves(position)
    assert searcher.search(position, Limits(depth=3), exclude=others).move == left


@pytest.mark.parametrize("movetime", [1e-6, 0.02])
def test_a_deadline_leaves_a_legal_move(searcher: PentagoSwapSearcher, movetime: float) -> None:
    result = searcher.search(GAME.initial, Limits(movetime=movetime))
    assert result.move in GAME.legal_moves(GAME.initial)
    check_line(GAME.initial, result)


def test_a_finished_game_is_refused(searcher: PentagoSwapSearcher) -> None:
    with pytest.raises(ValueError, match="over"):
        searcher.search(Position(0b11111, 0b1111 << 30), Limits(depth=1))


def test_beliefs_stay_within_the_scale(searcher: PentagoSwapSearcher) -> None:
    rng = random.Random(12)
    for _ in range(50):
        result = searcher.search(played_position(rng, rng.randint(0, 30)), Limits(nodes=3000))
        assert result.proven == is_decisive(result.value) or (result.proven and result.value == 0)
        assert result.proven or abs(result.value) < HEURISTIC_MAX


def evaluation(board: tuple[str, ...]) -> int:
    position = position_of(board)
    boards = [kernels.pack_board(stones) for stones in (position.dark, position.light)]
    if not position.dark_to_move:
        boards.reverse()
    view = kernels.outlook(kernels.SWAP, np.uint64(boards[0]), np.uint64(boards[1]))
    return int(view >> kernels.SCORE)


def most_in_a_window(board: tuple[str, ...]) -> int:
    return max(sum(board[row][column] == "X" for row, column in line) for line in slow.LINES)


def test_the_evaluation_looks_past_the_swap() -> None:
    # With quadrants 2 and 4 exchanged d4 lies beside b1 c1; d6 comes to lie in another row.
    promising = ("......", "OO....", "...X..", "......", "....O.", ".XX...")
    scattered = ("...X..", "OO....", "......", "......", "....O.", ".XX...")
    assert most_in_a_window(promising) == most_in_a_window(scattered) == 2
    assert evaluation(promising) > evaluation(scattered) + 50


def test_a_five_that_only_a_swap_completes_is_seen(searcher: PentagoSwapSearcher) -> None:
    board = ("......", "OO....", "...XX.", "......", "....OO", ".XX...")
    assert most_in_a_window(board) == 2
    result = searcher.search(position_of(board), Limits(depth=1))
    assert said(result) == ("win", 1)
    assert slow.winner(slow.after(board, slow_move(result.move))) == "X"


@pytest.mark.parametrize(
    "board",
    [
        ("XOXOOX", "OOXOXX", "XXOOXO", "XOOXOO", "XXOXOO", "X.OXXX"),
        ("OOXXOX", "XXOOXO", "XOXOXX", "OOXXXX", "X.XOXO", "OXOOOO"),
        ("X.XOXX", "OX.XOX", "OXOO.O", "OO.O.O", "XX.O.O", "X.XOXX"),
    ],
)
def test_a_five_for_both_is_a_draw(searcher: PentagoSwapSearcher, board: tuple[str, ...]) -> None:
    position = position_of(board)
    others = [
        move
        for move in GAME.legal_moves(position)
        if not all(slow.fives(slow.after(board, slow_move(move)), stone) for stone in "XO")
    ]
    result = searcher.search(position, Limits(depth=2), exclude=others)
    assert result.move is not None
    assert (result.value, result.proven, result.line) == (0, True, (result.move,))
    assert searcher.search(position, Limits(depth=1)).value >= 0


def test_search_knows_a_position_by_its_stones_not_by_its_orientation(
    searcher: PentagoSwapSearcher,
) -> None:
    rng = random.Random(15)
    for stones in (0, 1, 2, 3, 4, 8):
        position = played_position(rng, stones)
        values = {
            searcher.search(GAME.map_position(position, symmetry), Limits(depth=2)).value
            for symmetry in range(8)
        }
        assert len(values) == 1


class SoftlyLimited(Limits):
    """Is over softly at once, and never hard."""

    def allotment(self, ply: int, cells: int) -> Allotment:
        return Allotment(soft=1e-9, hard=3600.0)


def test_no_depth_is_begun_after_the_soft_limit(searcher: PentagoSwapSearcher) -> None:
    position = played_position(random.Random(16), 6)
    result = searcher.search(position, SoftlyLimited(depth=9))
    assert result.depth == 1
    alone = searcher.search(position, Limits(depth=1))
    assert (result.move, result.value) == (alone.move, alone.value)


def test_a_clock_that_has_nearly_run_out_still_gets_a_move(searcher: PentagoSwapSearcher) -> None:
    result = searcher.search(GAME.initial, Limits(clock=Clock(left=1e-6)))
    assert result.move in GAME.legal_moves(GAME.initial)


@pytest.mark.parametrize("table", [1, 3, 16])
def test_a_table_of_any_size_solves_the_end_of_the_game(table: int) -> None:
    searcher = PentagoSwapSearcher(GAME, SearchOptions(table=table))
    rng = random.Random(17)
    for _ in range(20):
        board = random_board(rng, 33)
        assert said(searcher.search(position_of(board), Limits(depth=3))) == slow.result(board, 3)


def test_nothing_of_earlier_searches_is_left_even_when_their_numbers_come_round(
    searcher: PentagoSwapSearcher,
) -> None:
    position = played_position(random.Random(18), 8)
    first = searcher.search(position, Limits(depth=4))
    searcher._generation = np.iinfo(np.uint16).max
    again = searcher.search(position, Limits(depth=4))
    once_more = searcher.search(position, Limits(depth=4))
    assert first.nodes == again.nodes == once_more.nodes


@pytest.mark.parametrize("stones", [33, 34])
def test_every_line_at_the_end_of_the_game_is_proven_for_its_move_as_by_brute_force(
    searcher: PentagoSwapSearcher, stones: int
) -> None:
    rng = random.Random(stones)
    left = 36 - stones
    for _ in range(10):
        board = random_board(rng, stones, quiet=False)
        position = position_of(board)
        lines = searcher.search_lines(position, Limits(depth=left), 1000)
        assert len(lines) == len({slow_key(board, line) for line in lines})
        for line in lines:
            kind, plies = slow.result(slow.after(board, slow_move(line.move)), left - 1)
            opposite = {"win": "loss", "loss": "win", "draw": "draw"}[kind]
            assert said(line) == (opposite, 0 if kind == "draw" else plies + 1)


def slow_key(board: tuple[str, ...], line: SearchResult) -> tuple[str, ...]:
    """The board after the line's first move."""
    return slow.after(board, slow_move(line.move))
