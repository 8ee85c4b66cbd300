"""The number of games of each length, against known counts and against the slow rules."""

from collections import Counter
from itertools import islice
from random import Random

import pytest

from engine import registry
from engine.game import Game
from engine.position import Position
from tests.engine.samples import random_game
from tests.oracles import batch_pentago_swap, slow_pentago
from tests.oracles.boards import board_of, position_of, slow_rules_of


def perft(game: Game, position: Position, depth: int) -> int:
    """The number of different games of `depth` more moves."""
    moves = game.legal_moves(position)
    if depth == 1:
        return len(moves)
    return sum(perft(game, game.play(position, move), depth - 1) for move in moves)


def endings(game: Game, position: Position, depth: int) -> Counter[tuple[int, str]]:
    """How many games end with which outcome after how many of `depth` more moves."""
    outcome = game.outcome(position)
    if outcome is not None:
        return Counter({(0, outcome.value): 1})
    counts: Counter[tuple[int, str]] = Counter()
    if depth > 0:
        for move in game.legal_moves(position):
            for (moves, result), count in endings(
                game, game.play(position, move), depth - 1
            ).items():
                counts[moves + 1, result] += count
    return counts


def position_before_the_end(game: Game, plies: int, seed: int) -> Position:
    """A position of an unfinished random game; other games follow if this one ends before."""
    random = Random(seed)
    while True:
        played = list(islice(random_game(game, random), plies))
        if len(played) == plies and game.outcome(played[-1][1]) is None:
            return played[-1][1]


@pytest.mark.parametrize(
    ("game_id", "counts"),
    [
        ("gomoku-5", [25, 600, 13_800, 303_600, 6_375_600]),
        ("gomoku-5-standard", [25, 600, 13_800, 303_600]),
        ("gomoku-15", [225, 50_400, 11_239_200]),
        ("gomoku-19", [361, 129_960]),
        ("gomoku-26", [676, 456_300]),
        ("pentago-swap", [216, 45_360, 9_253_440]),
        ("pentago", [288, 80_640]),
        ("pentago-twist", [288, 80_640]),
    ],
)
def test_the_number_of_games_from_the_empty_board_is_known(game_id: str, counts: list[int]) -> None:
    game = registry.get(game_id)
    assert [perft(game, game.initial, depth + 1) for depth in range(len(counts))] == counts


# Of Pentago-swap: the games of so many plies, and the canonical positions after them.
GAMES = [216, 45_360, 9_253_440, 1_832_181_120, 351_778_775_040, 65_430_852_157_440]
POSITIONS = [6, 165, 2_715, 44_481, 471_870, 4_871_510]


@pytest.mark.parametrize("plies", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_pentago_swap_has_the_known_number_of_canonical_positions(plies: int) -> None:
    game = registry.get("pentago-swap")
    positions = {game.canonical(game.initial).key: game.initial}
    leading = Counter(dict.fromkeys(positions, 1))
    for ply in range(plies):
        children, leading_here = {}, Counter[bytes]()
        for key, position in positions.items():
            for child in game.children(position):
                children[child.canonical.key] = child.canonical.position
                leading_here[child.canonical.key] += leading[key] * len(child.moves)
        positions, leading = children, leading_here
        assert (len(positions), leading.total()) == (POSITIONS[ply], GAMES[ply])


@pytest.mark.parametrize("plies", [5, pytest.param(6, marks=pytest.mark.slow)])
def test_pentago_swap_has_as_many_positions_counted_without_the_engine(plies: int) -> None:
    counts = [
        (len(codes), int(leading.sum()))
        for codes, leading in islice(batch_pentago_swap.levels(), plies)
    ]
    assert counts == list(zip(POSITIONS, GAMES, strict=True))[:plies]


@pytest.mark.parametrize(
    ("game_id", "depth"),
    [("gomoku-5", 3), ("gomoku-6-standard", 2), ("gomoku-5-renju", 2), ("pentago-swap", 2)],
)
def test_the_slow_rules_count_as_many_games(game_id: str, depth: int) -> None:
    game = registry.get(game_id)
    slow = slow_rules_of(game)
    assert perft(game, game.initial, depth) == slow.perft(slow.empty_board(), depth)


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))]
)
@pytest.mark.parametrize(
    ("game_id", "free_cells", "depth"),
    [
        ("gomoku-5", 6, 6),
        ("gomoku-5-standard", 6, 6),
        ("gomoku-6", 6, 6),
        ("gomoku-6-standard", 6, 6),
        ("gomoku-7", 14, 3),
        ("gomoku-7-standard", 14, 3),
        ("gomoku-6-renju", 5, 5),
        ("gomoku-7-renju", 14, 2),
        ("pentago-swap", 3, 3),
        ("pentago-swap", 9, 2),
        ("pentago", 3, 3),
        ("pentago", 9, 2),
        ("pentago-twist", 3, 3),
        ("pentago-twist", 9, 2),
    ],
)
def test_games_end_as_often_and_as_by_the_slow_rules(
    game_id: str, free_cells: int, depth: int, seed: int
) -> None:
    game = registry.get(game_id)
    slow = slow_rules_of(game)
    position = position_before_the_end(game, game.cell_count - free_cells, seed)
    board = board_of(game, position)
    assert endings(game, position, depth) == slow.endings(board, depth)
    assert perft(game, position, depth) == slow.perft(board, depth)


NEARLY_FULL = """
    o x o . x o
    x x o o . x
    o x x o x o
    x o x o o x
    o . x o x o
    x o . x o x
"""


@pytest.mark.parametrize(
    ("game_id", "rules", "counts"),
    [
        ("pentago", slow_pentago.PENTAGO, [32, 552, 5_600, 30_576]),
        ("pentago-twist", slow_pentago.TWIST, [32, 576, 6_448, 35_920]),
    ],
)
def test_the_number_of_games_from_a_nearly_full_board_is_known(
    game_id: str, rules: slow_pentago.Rules, counts: list[int]
) -> None:
    game = registry.get(game_id)
    board = NEARLY_FULL.replace(" ", "").replace("\n", "").upper()
    position = position_of(NEARLY_FULL)
    assert game.outcome(position) is None
    assert [perft(game, position, depth + 1) for depth in range(len(counts))] == counts
    assert [slow_pentago.perft(rules, board, depth) for depth in (1, 2, 3)] == counts[:3]
