"""The checker's rules are those of the engine, which it does not use."""

import random

import pytest

from book.audit.gomoku import find_rules
from book.audit.registry import knows, rules_of
from book.audit.rules import each
from engine import registry
from engine.game import Outcome

GAMES = (
    *("gomoku-6", "gomoku-9-standard", "gomoku-8-renju", "gomoku-17"),
    *("pentago", "pentago-twist", "pentago-swap"),
    *("connect-four-7x6", "connect-four-4x7"),
)


@pytest.mark.parametrize("game_id", GAMES)
def test_moves_boards_symmetries_and_endings_are_those_of_the_game(game_id: str) -> None:
    game, rules, rng = registry.get(game_id), rules_of(game_id), random.Random(1)
    endings = 0
    for _ in range(4):
        position, board = game.initial, rules.unpack(b"")
        while game.outcome(position) is None:
            assert rules.result(board) is None
            legal = game.legal_moves(position)
            canonical = game.canonical(position)
            assert rules.unpack(game.pack(position)) == board
            assert rules.pack(board) == canonical.stones
            assert rules.lookup(canonical.stones) == int.from_bytes(canonical.key[:4]) - 2**31
            if position.ply in (2, 9, 30):
                assert sorted(move for move, _ in rules.moves(board)) == legal
                after = [after for _, after in rules.children(board).values()]
                going_on = [one for one in after if rules.result(one) is None]
                assert len(going_on) == len(game.children(position))
            move = rng.choice(legal)
            assert rules.name(move) == game.format_move(move)
            assert rules.parse(rules.name(move), board) == move
            position = game.play(position, move)
            after_move = rules.play(board, move)
            assert after_move is not None
            board = after_move
        dark_won = {Outcome.DARK_WINS: 1, Outcome.LIGHT_WINS: -1, Outcome.DRAW: 0}
        sign = 1 if position.dark_to_move else -1
        outcome = game.outcome(position)
        assert outcome is not None
        assert rules.result(board) == sign * dark_won[outcome]
        endings += 1
    assert endings == 4


@pytest.mark.parametrize(
    "game_id", ["gomoku-5", "gomoku-15", "gomoku-9-standard", "gomoku-9-renju"]
)
def test_the_cells_that_win_are_those_on_which_a_stone_makes_five(game_id: str) -> None:
    rules, rng = find_rules(game_id), random.Random(3)
    assert rules is not None
    some = 0
    for _ in range(500):
        share = rng.random()
        own = sum(1 << bit for bit in rules.cells if rng.random() < share)
        other = sum(1 << bit for bit in rules.cells if rng.random() < 0.3) & ~own
        for dark in (True, False):
            if rules.has_five(own, dark=dark):
                continue
            wins = sum(
                stone
                for stone in each(rules.full & ~(own | other))
                if rules.has_five(own | stone, dark=dark)
            )
            assert rules.fives(own, other, dark=dark) == wins
            some += wins > 0
    assert some > 50


def test_in_renju_every_forbidden_point_is_known() -> None:
    game, rules, rng = registry.get("gomoku-9-renju"), rules_of("gomoku-9-renju"), random.Random(2)
    forbidden = 0
    for _ in range(80):
        cells = rng.sample([cell for cell in range(81) if rng.random() < 0.8], 24)
        # As many dark stones as light ones: dark is to move.
        stones = bytes(sorted(cells[:12]) + sorted(cells[12:]))
        position = game.unpack(stones)
        if game.outcome(position) is None:
            allowed = {move for move, _ in rules.moves(rules.unpack(stones))}
            free = set(range(81)) - set(cells)
            assert free - allowed == set(game.forbidden_moves(position))
            forbidden += len(free - allowed)
    assert forbidden > 10


def test_a_taken_cell_and_a_move_that_is_none_are_refused() -> None:
    rules = rules_of("gomoku-9")
    board = rules.play(rules.unpack(b""), 40)
    assert board is not None
    assert rules.play(board, 40) is None
    assert rules.play(board, 81) is None
    for text in ("j1", "a10", "", "a1:12"):
        with pytest.raises(ValueError, match="is no move"):
            rules.parse(text, board)
    with pytest.raises(ValueError, match="no board"):
        rules.unpack(bytes([3, 3]))


def test_it_knows_the_games_that_books_hold() -> None:
    assert all(knows(game_id) for game_id in GAMES)
    assert not knows("chess")
