"""The exact solver of Pentago-swap against brute force, and its promises to callers."""

import random
import time
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from engine.games.quadrants.alphabeta import CELL_OF_BIT, pack_board
from engine.games.quadrants.pentago_swap import PentagoSwap
from engine.games.quadrants.searcher import PentagoSwapSearcher
from engine.games.quadrants.swap import exact as kernels
from engine.games.quadrants.swap.claims import Claims
from engine.games.quadrants.swap.solver import ExactSolver, Solution, boards_of
from engine.games.quadrants.swap.supernodes import ARRANGEMENTS, canonical, fives
from engine.position import Position
from engine.search import Limits, Method
from engine.values import WIN, Bound
from tests.oracles import endgame_pentago_swap as endgame
from tests.oracles import quick_pentago_swap as quick
from tests.oracles import slow_pentago_swap as slow
from tests.oracles.boards import board_of

GAME = PentagoSwap()


@pytest.fixture(scope="module")
def solver() -> ExactSolver:
    return ExactSolver(GAME, table=16)


def random_position(rng: random.Random, empty: int) -> Position:
    """An unfinished position with so many empty cells."""
    while True:
        cells = rng.sample(range(36), 36 - empty)
        half = (len(cells) + 1) // 2
        dark = sum(1 << cell for cell in cells[:half])
        light = sum(1 << cell for cell in cells[half:])
        position = Position(dark, light)
        if GAME.outcome(position) is None:
            return position


def quiet_position(rng: random.Random, empty: int) -> Position:
    """An unfinished position in which no move wins at once."""
    while True:
        position = random_position(rng, empty)
        if not endgame.wins_now(*mover_first(position)):
            return position


def mover_first(position: Position) -> tuple[int, int]:
    """The stones of the side to move, then those of the other."""
    dark, light = position.dark, position.light
    return (dark, light) if position.dark_to_move else (light, dark)


def quick_moves(moves: list[quick.QuickMove]) -> tuple[int, ...]:
    """The moves of the rules that the oracle's moves are."""
    found = []
    for quadrant, cell, (first, second) in moves:
        row = 5 - (quadrant // 2 * 3 + cell // 3)
        column = quadrant % 2 * 3 + cell % 3
        found.append(GAME.parse_move(f"{'abcdef'[column]}{row + 1}:{first + 1}{second + 1}"))
    return tuple(sorted(found))


def said(solution: Solution) -> tuple[str, int]:
    """A solution in the oracle's words."""
    return solution.outcome or "open", solution.distance or 0


def check(solver: ExactSolver, position: Position, horizon: int) -> str:
    board = quick.board_of(position.dark, position.light)
    truth, moves = quick.solve(board, position.ply % 2, horizon)
    if truth[0] == "draw" and horizon < 36 - position.ply:
        # Fives of both can force a draw early; a horizon tells of wins alone.
        truth = "open", 0
    solution = solver.solve(position, horizon=horizon)
    assert said(solution) == truth, (position, horizon)
    assert solution.moves == quick_moves(moves), (position, horizon)
    assert solution.complete
    return truth[0]


# Positions by the number of their empty cells; half of them have no win in one.
ORDINARY = {1: 400, 2: 600, 3: 800, 4: 1000, 5: 1100, 6: 1100, 8: 25, 10: 10}
MANY = {1: 40_000, 2: 60_000, 3: 80_000, 4: 100_000, 5: 110_000, 6: 110_000, 8: 5000, 10: 500}


def check_many(solver: ExactSolver, seed: int, empty: int, count: int) -> None:
    """Solver and brute force agree on outcome, distance and best moves; print how many are what."""
    rng = random.Random(seed)
    kinds: Counter[str] = Counter()
    for index in range(count):
        position = (quiet_position if index % 2 else random_position)(rng, empty)
        value, moves = endgame.solve(*mover_first(position))
        solution = solver.solve(position)
        kind = "win" if value > 0 else "loss" if value < 0 else "draw"
        distance = endgame.WIN - abs(value) if value else None
        assert (solution.outcome, solution.distance) == (kind, distance), position
        assert (solution.moves, solution.complete) == (tuple(moves), True), position
        kinds[kind] += 1
    side = "dark" if position.dark_to_move else "light"
    print(f"{empty} empty cells, {side} to move: {count:,} positions, {dict(kinds)}")
    # The loss in one with a single empty cell is rare.
    assert set(kinds) >= {"win", "draw"} | ({"loss"} if empty > 1 else set())


@pytest.mark.parametrize("empty", ORDINARY)
def test_the_last_plies_are_solved_as_by_brute_force(solver: ExactSolver, empty: int) -> None:
    check_many(solver, empty, empty, ORDINARY[empty])


@pytest.mark.slow
@pytest.mark.parametrize("empty", MANY)
def test_very_many_last_plies_are_solved_as_by_brute_force(solver: ExactSolver, empty: int) -> None:
    check_many(solver, 100 + empty, empty, MANY[empty])


@pytest.mark.parametrize(("empty", "count"), [(1, 200), (2, 200), (3, 60), (4, 10)])
def test_the_brute_force_is_that_of_the_slow_rules(empty: int, count: int) -> None:
    def value(result: tuple[str, int]) -> int:
        kind, plies = result
        return {"win": endgame.WIN - plies, "loss": plies - endgame.WIN, "draw": 0}[kind]

    def number(move: slow.SlowMove) -> int:
        (row, column), quadrants = move
        return ((5 - row) * 6 + column) * 6 + slow.SWAPS.index(quadrants)

    rng = random.Random(400 + empty)
    for index in range(count):
        position = (quiet_position if index % 4 else random_position)(rng, empty)
        board = tuple("".join(row).upper() for row in board_of(GAME, position))
        replies = {
            number(move): value(slow.result(slow.after(board, move), empty - 1))
            for move in slow.moves(board)
        }
        worst = min(replies.values())
        best = sorted(move for move, reply in replies.items() if reply == worst)
        assert endgame.solve(*mover_first(position)) == (value(slow.result(board, empty)), best)


@pytest.mark.parametrize("empty", [3, 4, 5])
def test_a_table_of_a_few_entries_changes_no_answer(empty: int) -> None:
    tiny = ExactSolver(GAME, table=1)
    tiny.claims._table = tiny.claims._table[: kernels.WAYS]
    rng = random.Random(200 + empty)
    for _ in range(60):
        check(tiny, quiet_position(rng, empty), empty)


@pytest.mark.parametrize(
    ("empty", "horizon"),
    [(6, 3), (8, 2), (8, 3), (12, 2), (20, 2), pytest.param(26, 2, marks=pytest.mark.slow)],
)
def test_what_a_horizon_shows_is_what_brute_force_shows(
    solver: ExactSolver, empty: int, horizon: int
) -> None:
    rng = random.Random(empty * 10 + horizon)
    for _ in range(4):
        check(solver, quiet_position(rng, empty), horizon)


def test_a_horizon_seen_in_one_search_holds_in_all_others() -> None:
    """A solver that has seen more, and one with hardly a table, say the same."""
    rng = random.Random(7)
    seasoned = ExactSolver(GAME, table=4)
    tiny = ExactSolver(GAME, table=1)
    tiny.claims._table = tiny.claims._table[: 16 * kernels.WAYS]
    for _ in range(15):
        position = quiet_position(rng, rng.randint(9, 14))
        long = seasoned.solve(position, horizon=7, list_moves=False)
        for horizon in (1, 2, 3, 4, 5, 6, 7):
            answer = seasoned.solve(position, horizon=horizon)
            alone = tiny.solve(position, horizon=horizon)
            assert replace(answer, nodes=0) == replace(alone, nodes=0)
            if long.distance and long.distance <= horizon:
                assert (answer.outcome, answer.distance) == (long.outcome, long.distance)
            else:
                assert (answer.outcome, answer.horizon) == (None, horizon)


def test_the_alpha_beta_search_proves_the_same() -> None:
    rng = random.Random(8)
    searcher = PentagoSwapSearcher(GAME)
    solver = ExactSolver(GAME, table=16)
    for _ in range(40):
        position = quiet_position(rng, rng.randint(14, 26))
        found = searcher.search(position, Limits(depth=2))
        answer = solver.solve(position, horizon=3)
        if found.proven and found.value:
            assert answer.distance == found.distance
            assert answer.outcome == ("win" if found.value > 0 else "loss")
        else:
            assert answer.outcome is None


def test_symmetric_positions_have_the_same_answer(solver: ExactSolver) -> None:
    rng = random.Random(9)
    for _ in range(10):
        position = quiet_position(rng, rng.randint(6, 20))
        answer = solver.solve(position, horizon=5)
        for symmetry in range(1, 8):
            turned = ExactSolver(GAME, table=1).solve(
                GAME.map_position(position, symmetry), horizon=5
            )
            assert (turned.outcome, turned.distance) == (answer.outcome, answer.distance)
            moves = {GAME.map_move(move, symmetry) for move in answer.moves}
            assert set(turned.moves) == moves


def test_neither_side_wins_the_empty_board_within_thirteen_plies() -> None:
    answer = ExactSolver(GAME, table=64).solve(GAME.initial, horizon=13, list_moves=False)
    assert (answer.outcome, answer.horizon) == (None, 13)


def test_a_limit_by_nodes_is_kept_and_the_answer_is_the_same_again() -> None:
    position = quiet_position(random.Random(10), 24)
    solver = ExactSolver(GAME, table=4)
    for nodes in (1, 10, 1000, 5000):
        solver.forget()
        first = solver.solve(position, nodes=nodes)
        solver.forget()
        assert first.nodes <= nodes
        assert solver.solve(position, nodes=nodes) == first


def test_a_deadline_ends_a_search() -> None:
    answer = ExactSolver(GAME, table=4).solve(GAME.initial, deadline=time.monotonic_ns())
    assert answer.outcome is None
    assert answer.horizon < 36


def test_a_finished_game_is_refused(solver: ExactSolver) -> None:
    with pytest.raises(ValueError, match="over"):
        solver.solve(Position(0b11111, 0b1111 << 30))


def supernodes(plies: int) -> list[int]:
    """How many supernodes there are after each number of plies."""
    level = {(0, 0)}
    counts = []
    for _ in range(plies):
        found = {}
        for mine, theirs in level:
            for bit in range(36):
                if not (mine | theirs) >> bit & 1:
                    child = theirs, mine | 1 << bit
                    key = int(canonical(np.uint64(child[0]), np.uint64(child[1]))[0])
                    found.setdefault(key, child)
        level = set(found.values())
        counts.append(len(level))
    return counts


@pytest.mark.slow
def test_the_number_of_supernodes_is_known() -> None:
    assert supernodes(6) == [3, 27, 243, 2771, 24_102, 225_010]


def test_the_masks_of_fives_are_those_of_each_board() -> None:
    rng = random.Random(11)
    for _ in range(60):
        position = random_position(rng, rng.randint(3, 20))
        mine, theirs = pack_board(position.dark), pack_board(position.light)
        has, makes = map(int, fives(np.uint64(mine), np.uint64(theirs)))
        for index, places in enumerate(ARRANGEMENTS):
            board, taken = arranged(mine, places), arranged(theirs, places)
            free = [bit for bit in range(36) if not (board | taken) >> bit & 1]
            now = five(board)
            assert now == bool(has >> index & 1)
            soon = now or any(five(board | 1 << bit) for bit in free)
            assert soon == bool(makes >> index & 1)


def test_fives_after_a_stone_are_those_of_the_board_with_it() -> None:
    rng = random.Random(12)
    state = np.zeros(1, dtype=kernels.STATE_DTYPE)[0]
    made = brought_near = blocked = 0
    for _ in range(300):
        position = random_position(rng, rng.randint(4, 26))
        mine, theirs = (np.uint64(pack_board(stones)) for stones in mover_first(position))
        kernels.look(state, 0, 0, mine, theirs)
        kernels.look(state, 0, 1, theirs, mine)
        before = packed_fives(mine, theirs), packed_fives(theirs, mine)
        assert tuple(int(side) for side in state["fives"][0]) == before
        for cell in range(36):
            stone = np.uint64(1 << cell)
            if (mine | theirs) & stone:
                continue
            after = packed_fives(mine | stone, theirs), packed_fives(theirs, mine | stone)
            found = kernels.fives_after(state, 0, np.uint64(cell))
            assert tuple(int(side) for side in found) == after, (position, cell)
            has, makes = int(kernels.ALL), int(kernels.ALL) << 24
            made += after[0] & has != before[0] & has
            brought_near += after[0] & makes != before[0] & makes
            blocked += after[1] != before[1]
    assert min(made, brought_near, blocked) > 400


def test_what_comes_late_is_the_same_as_asked_ply_by_ply(solver: ExactSolver) -> None:
    won = Position(dark=12989760528, light=268581)
    drawn = Position(dark=101188364, light=9948889185)
    for position, outcome, distance in ((won, "win", 17), (drawn, "draw", None)):
        solver.forget()
        solution = solver.solve(position, list_moves=False)
        assert (solution.outcome, solution.distance) == (outcome, distance)
        claims = Claims(table=4)
        boards = boards_of(position)
        left = 36 - position.ply
        for plies in range(1, (distance or left + 1)):
            for attacks in (True, False):
                assert not claims.settle(*boards, attacks, plies, 1), (plies, attacks)
        if distance:
            assert claims.settle(*boards, True, distance, 1)


def test_a_limit_leaves_the_moves_that_are_settled(solver: ExactSolver) -> None:
    drawn = Position(dark=101188364, light=9948889185)
    solver.forget()
    claims = solver.solve(drawn, list_moves=False).nodes
    solver.forget()
    whole = solver.solve(drawn)
    assert whole.complete
    solver.forget()
    part = solver.solve(drawn, nodes=(claims + whole.nodes) // 2)
    assert (part.outcome, part.complete) == ("draw", False)
    assert 0 < len(part.moves) < len(whole.moves)
    assert set(part.moves) < set(whole.moves)


def packed_fives(mine: np.uint64, theirs: np.uint64) -> int:
    has, makes = fives(mine, theirs)
    return int(has) | int(makes) << 24


def arranged(board: int, places: tuple[int, ...]) -> int:
    """A packed board after slot *k* has been put at ``places[k]``."""
    return sum((board >> 9 * slot & 511) << 9 * place for slot, place in enumerate(places))


def five(board: int) -> bool:
    cells = {int(CELL_OF_BIT[bit]) for bit in range(36) if board >> bit & 1}
    return any(all((5 - row) * 6 + column in cells for row, column in line) for line in slow.LINES)


def test_a_lost_position_is_defended_where_fewest_replies_win() -> None:
    rng = random.Random(13)
    searcher = PentagoSwapSearcher(GAME)
    lost = chosen = 0
    while lost < 12:
        position = quiet_position(rng, rng.randint(4, 5))
        board, side = quick.board_of(position.dark, position.light), position.ply % 2
        (kind, plies), moves = quick.solve(board, side, 36 - position.ply)
        if kind != "loss" or plies < 2:
            continue
        lost += 1
        children = quick.children(board, side)
        winning = {}
        for move in moves:
            result, replies = quick.solve(children[move], 1 - side, 35 - position.ply)
            assert result == ("win", plies - 1)
            winning[move] = len(replies)
        fewest = [move for move, count in winning.items() if count == min(winning.values())]
        chosen += len(fewest) < len(moves)
        result = searcher.search(position, Limits(depth=36))
        assert (result.value, result.proven) == (plies - WIN, True)
        assert result.move in quick_moves(fewest)
    assert chosen > 3


def test_what_is_settled_is_proven_and_the_rest_is_searched_on() -> None:
    position = quiet_position(random.Random(14), 30)
    result = PentagoSwapSearcher(GAME).search(position, Limits(nodes=300))
    assert not result.proven
    assert result.nodes <= 300
    assert result.move in GAME.legal_moves(position)
    assert result.method is Method.SEARCH


def worths(position: Position) -> dict[int, int]:
    """What each move is worth by brute force, on the engine's scale."""
    values = endgame.values(*mover_first(position))
    return {move: value + (WIN - endgame.WIN) * sign(value) for move, value in values.items()}


def sign(value: int) -> int:
    return (value > 0) - (value < 0)


@pytest.mark.parametrize("empty", [2, 3, 4, 5, 6, 7])
def test_the_best_of_the_moves_that_are_left_is_known(solver: ExactSolver, empty: int) -> None:
    rng = random.Random(500 + empty)
    values = set()
    for _ in range(60):
        position = quiet_position(rng, empty)
        worth = worths(position)
        best = max(worth.values())
        excluded = {move for move, value in worth.items() if value == best or rng.random() < 0.3}
        left = {move: value for move, value in worth.items() if move not in excluded}
        if not left:
            continue
        result = PentagoSwapSearcher(GAME).search(position, Limits(depth=36), exclude=excluded)
        assert (result.value, result.proven) == (max(left.values()), True)
        assert (result.method, result.bound) == (Method.SOLVER, Bound.EXACT)
        solution = solver.solve(position, exclude=excluded)
        wanted = tuple(move for move, value in left.items() if value == result.value)
        assert (solution.moves, solution.complete) == (wanted, True)
        values.add(result.value)
    assert len(values) > 1


@pytest.mark.parametrize("empty", [1, 3, 4, 5, 6])
def test_every_move_of_a_settled_position_has_its_own_value(empty: int) -> None:
    rng = random.Random(600 + empty)
    searcher = PentagoSwapSearcher(GAME)
    for _ in range(12):
        position = quiet_position(rng, empty)
        worth = worths(position)
        lines = searcher.search_lines(position, Limits(nodes=3_000_000), len(worth))
        different = {GAME.canonical(GAME.play(position, move)).key: move for move in worth}
        assert len(lines) == len(different)
        values = [line.value for line in lines]
        assert values == sorted((worth[move] for move in different.values()), reverse=True)
        for line in lines:
            assert line.move is not None
            assert (line.value, line.proven) == (worth[line.move], True)
            assert line.method is Method.SOLVER


@pytest.mark.parametrize("empty", [3, 5, 7, 9])
def test_the_line_of_a_settled_position_is_best_play_to_the_end(empty: int) -> None:
    rng = random.Random(700 + empty)
    searcher = PentagoSwapSearcher(GAME)
    for _ in range(10):
        position = quiet_position(rng, empty)
        result = searcher.search(position, Limits(nodes=3_000_000))
        assert result.method is Method.SOLVER
        value = result.value
        for move in result.line:
            worth = worths(position)
            assert worth[move] == max(worth.values()) == value
            value = -(value + sign(value))
            position = GAME.play(position, move)
        assert GAME.outcome(position) is not None


def test_what_the_solver_leaves_open_of_several_lines_is_searched() -> None:
    """A win in three is settled, the moves that do not win are not."""
    rng = random.Random(15)
    searcher = PentagoSwapSearcher(GAME)
    limits = Limits(nodes=4_000)
    mixed = 0
    for _ in range(40):
        position = quiet_position(rng, 24)
        started = time.monotonic()
        lines = searcher.search_lines(position, limits, 8)
        assert 0 < sum(line.seconds for line in lines) <= time.monotonic() - started
        assert 0 < sum(line.nodes for line in lines) <= 4_000
        methods = [line.method for line in lines]
        assert methods == sorted(methods, reverse=True)
        assert all(line.proven for line in lines if line.method is Method.SOLVER)
        ends = {GAME.canonical(GAME.play_line(line.line[:1], position)).key for line in lines}
        assert len(ends) == len(lines)
        assert [replace(line, seconds=0.0) for line in lines] == [
            replace(line, seconds=0.0) for line in searcher.search_lines(position, limits, 8)
        ]
        mixed += len(set(methods)) == 2
    assert mixed > 3
