"""The search of Pentago and Pentago-Twist against a slow oracle and against published values."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from engine import registry
from engine.game import Game, Outcome
from engine.games.quadrants import alphabeta as kernels
from engine.games.quadrants.searcher import QuadrantSearcher
from engine.position import Position
from engine.search import Limits, Searcher, SearchResult
from engine.values import WIN, Bound, is_decisive
from tests.engine.games.quadrants.published_pentago import published
from tests.oracles import slow_pentago as slow

RULES = {"pentago": slow.PENTAGO, "pentago-twist": slow.TWIST}
KERNEL_GAMES = {"pentago": kernels.ROTATION, "pentago-twist": kernels.TWIST}
SEARCHERS = {name: registry.get(name).searcher() for name in RULES}
both_games = pytest.mark.parametrize("game", [registry.get(name) for name in RULES], ids=RULES)


def searcher_of(game: Game) -> Searcher:
    return SEARCHERS[game.id]


def position_of(board: str) -> Position:
    dark = light = 0
    for place, stone in enumerate(board):
        bit = 1 << (5 - place // 6) * 6 + place % 6
        dark |= bit * (stone == "X")
        light |= bit * (stone == "O")
    return Position(dark, light)


def slow_move(game: Game, move: int | None) -> slow.Move:
    assert move is not None
    name = game.format_move(move)
    return (6 - int(name[1])) * 6 + "abcdef".index(name[0]), name[3:]


def random_board(rules: slow.Rules, random: Random, stones: int, *, quiet: bool = True) -> str:
    """An unfinished board; a `quiet` one has no win in one move."""
    while True:
        letters = list("X" * ((stones + 1) // 2) + "O" * (stones // 2) + "." * (36 - stones))
        random.shuffle(letters)
        board = "".join(letters)
        if slow.winner(board) is None and not (quiet and slow.result(rules, board, 1)[0] == "win"):
            return board


def played_position(game: Game, random: Random, stones: int) -> Position:
    """An unfinished position from random moves, without a win in one move."""
    while True:
        position = game.initial
        while position.ply < stones and game.outcome(position) is None:
            position = game.play(position, random.choice(game.legal_moves(position)))
        over = position.ply < stones or game.outcome(position) is not None
        if not over and not wins_now(game, position):
            return position


def wins_now(game: Game, position: Position) -> list[int]:
    wanted = Outcome.DARK_WINS if position.dark_to_move else Outcome.LIGHT_WINS
    return [
        move
        for move in game.legal_moves(position)
        if game.outcome(game.play(position, move)) is wanted
    ]


def said(result: SearchResult) -> tuple[str, int]:
    """A result in the oracle's words."""
    if not result.proven:
        return "open", 0
    if result.value == 0:
        return "draw", 0
    return ("win" if result.value > 0 else "loss"), WIN - abs(result.value)


def check_line(game: Game, position: Position, result: SearchResult) -> None:
    assert result.line[0] == result.move
    outcome = game.outcome(game.play_line(result.line, position))
    if result.proven and result.value and len(result.line) == result.distance:
        dark = position.dark_to_move == (result.value > 0)
        assert outcome is (Outcome.DARK_WINS if dark else Outcome.LIGHT_WINS)


def check_end_of_the_game(game: Game, stones: int, count: int, seed: int) -> None:
    rules, searcher, random = RULES[game.id], searcher_of(game), Random(seed)
    left = 36 - stones
    for index in range(count):
        slow.fives.cache_clear()
        slow.result.cache_clear()
        board = random_board(rules, random, stones, quiet=index % 4 > 0)
        position = position_of(board)
        truth = slow.result(rules, board, left)
        for depth in range(1, left + 1):
            result = searcher.search(position, Limits(depth=depth))
            check_line(game, position, result)
            if result.proven:
                assert said(result)[0] == truth[0], board
            if depth == left or 0 < truth[1] <= depth + 1:
                assert said(result) == truth, board
                assert result.bound is Bound.EXACT


@both_games
@pytest.mark.parametrize(("stones", "count"), [(32, 5), (33, 50), (34, 300), (35, 500)])
def test_the_end_of_the_game_is_solved_as_by_brute_force(
    game: Game, stones: int, count: int
) -> None:
    check_end_of_the_game(game, stones, count, seed=stones)


@pytest.mark.slow
@both_games
@pytest.mark.parametrize(("stones", "count"), [(31, 6), (32, 300), (33, 4_000), (34, 10_000)])
def test_many_ends_of_the_game_are_solved_as_by_brute_force(
    game: Game, stones: int, count: int
) -> None:
    check_end_of_the_game(game, stones, count, seed=stones + 100)


def test_published_values_of_pentago_are_found() -> None:
    game = registry.get("pentago")
    searcher = searcher_of(game)
    sides = {Outcome.DARK_WINS: 1, Outcome.LIGHT_WINS: -1, Outcome.DRAW: 0}
    searched = set()
    for position, value in published():
        outcome = game.outcome(position)
        if outcome is not None:
            assert sides[outcome] == value
            continue
        result = searcher.search(position, Limits(depth=36))
        assert result.proven
        sign = (result.value > 0) - (result.value < 0)
        assert (sign if position.dark_to_move else -sign) == value
        searched.add((position.ply, value))
    assert len(searched) >= 5


@both_games
@pytest.mark.parametrize("stones", [28, 30])
def test_what_is_proven_early_is_true(game: Game, stones: int) -> None:
    rules, random = RULES[game.id], Random(stones)
    for _ in range(5):
        board = random_board(rules, random, stones)
        for depth in (1, 2):
            result = searcher_of(game).search(position_of(board), Limits(depth=depth))
            least, most = slow.bounds(rules, board, depth + 1)
            kind, plies = slow.result(rules, board, depth + 1)
            if result.proven:
                assert least == most == (result.value > 0) - (result.value < 0)
            if kind in ("win", "loss"):
                assert said(result) == (kind, plies)


@both_games
@pytest.mark.parametrize("stones", [9, 14, 19])
def test_wins_and_losses_of_two_plies_are_seen_in_the_middle_game(game: Game, stones: int) -> None:
    rules, random = RULES[game.id], Random(stones)
    for _ in range(12):
        board = random_board(rules, random, stones, quiet=False)
        truth = slow.result(rules, board, 1)
        result = searcher_of(game).search(position_of(board), Limits(depth=1))
        if truth[0] == "win":
            assert said(result) == truth
            child = slow.after(rules, board, slow_move(game, result.move))
            assert slow.winner(child) == slow.to_move(board)
    for _ in range(2):
        board = random_board(rules, random, stones)
        result = searcher_of(game).search(position_of(board), Limits(depth=1))
        children = {slow.after(rules, board, move) for move in slow.moves(rules, board)}
        lost = all(slow.result(rules, child, 1) == ("win", 1) for child in children)
        assert said(result) == (("loss", 2) if lost else ("open", 0))


def plain_negamax(game: Game, position: Position, depth: int, ply: int = 0) -> int:
    """The search without anything that makes it fast; the evaluation is the kernels'."""
    outcome = game.outcome(position)
    if outcome is not None:
        sign = {Outcome.DARK_WINS: 1, Outcome.LIGHT_WINS: -1, Outcome.DRAW: 0}[outcome]
        return (sign if position.dark_to_move else -sign) * (WIN - ply)
    if depth == 0:
        boards = [np.uint64(kernels.pack_board(side)) for side in (position.dark, position.light)]
        if not position.dark_to_move:
            boards.reverse()
        view = kernels.outlook(KERNEL_GAMES[game.id], *boards)
        value = kernels.ending(view, 36 - position.ply, ply)
        return int(view >> kernels.SCORE) if value == kernels.NO_ENDING else int(value)
    children = {game.play(position, move) for move in game.legal_moves(position)}
    return max(-plain_negamax(game, child, depth - 1, ply + 1) for child in children)


@both_games
@pytest.mark.parametrize(
    ("stones", "depth", "count"),
    [
        (0, 1, 1),
        (1, 1, 3),
        (5, 1, 5),
        (28, 2, 5),
        pytest.param(31, 3, 2, marks=pytest.mark.slow),
    ],
)
def test_a_search_to_a_depth_has_the_value_of_plain_negamax(
    game: Game, stones: int, depth: int, count: int
) -> None:
    random = Random(stones * depth)
    for _ in range(count):
        position = played_position(game, random, stones)
        expected = plain_negamax(game, position, depth)
        assert searcher_of(game).search(position, Limits(depth=depth)).value == expected


@both_games
def test_a_proven_win_holds_against_every_reply(game: Game) -> None:
    random = Random(3)
    found = 0
    while found < 3:
        position = played_position(game, random, random.randint(9, 14))
        result = searcher_of(game).search(position, Limits(nodes=20_000))
        check_line(game, position, result)
        if result.proven and result.value == WIN - 3:
            assert result.move is not None
            found += 1
            child = game.play(position, result.move)
            replies = sorted({game.play(child, move) for move in game.legal_moves(child)}, key=repr)
            assert all(wins_now(game, reply) for reply in random.sample(replies, 30))


@both_games
@pytest.mark.parametrize("nodes", [1, 2, 50, 255, 256, 257, 1000, 20_001])
def test_a_limit_by_nodes_is_kept(game: Game, nodes: int) -> None:
    position = played_position(game, Random(5), 5)
    result = searcher_of(game).search(position, Limits(nodes=nodes))
    assert result.nodes <= nodes
    assert result.move in game.legal_moves(position)
    check_line(game, position, result)


@both_games
def test_the_same_question_has_the_same_answer(game: Game) -> None:
    position = played_position(game, Random(1), 7)
    limits = Limits(nodes=30_000)
    first = replace(searcher_of(game).search(position, limits), seconds=0.0)
    searcher_of(game).search(played_position(game, Random(2), 12), limits)
    assert replace(searcher_of(game).search(position, limits), seconds=0.0) == first
    assert replace(game.searcher().search(position, limits), seconds=0.0) == first


@both_games
def test_without_its_winning_moves_a_position_is_searched_on(game: Game) -> None:
    rules, random = RULES[game.id], Random(10)
    rank = {"loss": 1, "draw": 0, "win": -1}
    for _ in range(60):
        board = random_board(rules, random, 34, quiet=False)
        position = position_of(board)
        wins = wins_now(game, position)
        rest = [move for move in game.legal_moves(position) if move not in wins]
        result = searcher_of(game).search(position, Limits(depth=2), exclude=wins)
        if not rest:
            assert result.move is None
            continue
        ends = [
            slow.result(rules, slow.after(rules, board, slow_move(game, move)), 1) for move in rest
        ]
        assert result.proven
        assert result.move in rest
        assert np.sign(result.value) == max(rank[kind] for kind, _ in ends)
        if result.value < 0:
            assert WIN + result.value == max(plies + 1 for _, plies in ends)


def test_a_stone_that_wins_before_the_turn_is_found_within_any_limit() -> None:
    game = registry.get("pentago")
    random = Random(4)
    found = 0
    while found < 20:
        board = random_board(slow.PENTAGO, random, 30, quiet=False)
        stone = slow.to_move(board)
        free = [place for place in range(36) if board[place] == "."]
        if any(slow.fives(board[:place] + stone + board[place + 1 :], stone) for place in free):
            found += 1
            result = searcher_of(game).search(position_of(board), Limits(nodes=1))
            assert (result.value, result.proven) == (WIN - 1, True)
            assert result.move in wins_now(game, position_of(board))


@both_games
def test_excluding_all_but_one_move_leaves_that_move(game: Game) -> None:
    position = played_position(game, Random(11), 11)
    *others, left = game.legal_moves(position)
    assert searcher_of(game).search(position, Limits(depth=3), exclude=others).move == left


@both_games
def test_beliefs_stay_within_the_scale(game: Game) -> None:
    random = Random(12)
    for _ in range(30):
        position = played_position(game, random, random.randint(0, 30))
        result = searcher_of(game).search(position, Limits(nodes=3000))
        assert not is_decisive(result.value) or result.proven
        assert result.proven or abs(result.value) < kernels.HEURISTIC_MAX


@both_games
def test_search_knows_a_position_by_its_stones_not_by_its_orientation(game: Game) -> None:
    random = Random(15)
    for stones in (0, 1, 2, 3, 4, 8):
        position = played_position(game, random, stones)
        values = {
            searcher_of(game).search(game.map_position(position, symmetry), Limits(depth=2)).value
            for symmetry in game.symmetries
        }
        assert len(values) == 1


@both_games
def test_a_finished_game_is_refused(game: Game) -> None:
    with pytest.raises(ValueError, match="over"):
        searcher_of(game).search(Position(0b11111, 0b1111 << 30), Limits(depth=1))


@both_games
@pytest.mark.parametrize("stones", [33, 34])
def test_every_line_at_the_end_of_the_game_is_proven_for_its_move_as_by_brute_force(
    game: Game, stones: int
) -> None:
    rules, random = RULES[game.id], Random(stones)
    left = 36 - stones
    for _ in range(6):
        board = random_board(rules, random, stones, quiet=False)
        position = position_of(board)
        lines = searcher_of(game).search_lines(position, Limits(depth=left), 1000)
        children = [slow.after(rules, board, slow_move(game, line.move)) for line in lines]
        assert len(set(children)) == len(lines)
        for line, child in zip(lines, children, strict=True):
            kind, plies = slow.result(rules, child, left - 1)
            opposite = {"win": "loss", "loss": "win", "draw": "draw"}[kind]
            assert said(line) == (opposite, 0 if kind == "draw" else plies + 1)


def test_both_games_are_searched_by_one_searcher() -> None:
    assert all(isinstance(searcher, QuadrantSearcher) for searcher in SEARCHERS.values())
