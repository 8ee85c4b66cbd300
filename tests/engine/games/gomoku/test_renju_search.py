"""The engine plays renju: dark's fouls are no moves, no threats and no parries."""

from random import Random

import numpy as np
import pytest

from engine import registry
from engine.game import Outcome
from engine.games.gomoku import Gomoku, board
from engine.games.gomoku.searcher import GomokuSearcher
from engine.games.gomoku.threat_solver import ThreatSolver
from engine.position import Position, cells_of
from engine.search import Limits
from engine.values import WIN, Bound
from tests.oracles.boards import position_of

# The asterisk marks a forbidden point; light is to move where dark has one stone more.
PARRY_IS_A_DOUBLE_THREE = """
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . x . x . .
    . . . . . . x x . . .
    . x o o o . * . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    o . . . . . . . . . .
"""
PARRY_IS_AN_OVERLINE = """
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . x . . . .
    . . . . . . x . . . .
    . . . . . . x . . . .
    . x o o o . * . . . .
    . . . . . . x . . . .
    . . . . . . x . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    o . o . . . . . . . .
"""
PARRY_IS_A_DOUBLE_FOUR = """
    . . . . . . . . . . .
    . . . . . . o . . . .
    . . . . . . x . . . .
    . . . . . . x . x . .
    . . . . . . x x . . .
    . x o o o . * . . . .
    . . . . . x . . . . .
    . . . . o . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    o . . . . . . . . . .
"""
# Dark is to move, and could win with two open threes if that were allowed.
DOUBLE_THREE = """
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . x . . . . .
    . . . . . x . . . . .
    . . . x x * . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . o . . . . . . . o .
    . o . . . . . . . o .
"""
# Dark is to move; two fours, or a row of six, are all that looks like a win.
DOUBLE_FOUR = """
    . . . . . . . . . . .
    . . . . . o . . . . .
    . . . . . x . . . . .
    . . . . . x . . . . .
    . . . . . x . . . . .
    . o x x x * . . . . .
    . . . . . . . . . . .
    . . . . . o . . . . .
    . . . . . . . . . . .
    . o . o . . . . . . o
    . . . . . . . . . . .
"""
FALSE_DOUBLE_THREE = """
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . . . . . . .
    . . . . . x . . . . .
    . . . . . x . . . . .
    . o . x x . . . . . .
    . . . . . . x . . . .
    . . . . . . x . . . .
    . . . . . . x . . . .
    . . . . . . o . . . .
    o o . o . o . . o . .
"""

FORCED = {
    "a double three": PARRY_IS_A_DOUBLE_THREE,
    "an overline": PARRY_IS_AN_OVERLINE,
    "a double four": PARRY_IS_A_DOUBLE_FOUR,
}
forced = pytest.mark.parametrize("drawing", FORCED.values(), ids=FORCED)


def game_of(name: str) -> Gomoku:
    game = registry.get(name)
    assert isinstance(game, Gomoku)
    return game


RENJU = game_of("gomoku-11-renju")
FREESTYLE = game_of("gomoku-11")


def forbidden_point(drawing: str) -> int:
    (cell,) = cells_of(position_of(drawing.replace("*", "x")).dark ^ position_of(drawing).dark)
    return cell


@forced
def test_light_wins_with_a_four_that_dark_is_forbidden_to_parry(drawing: str) -> None:
    position = position_of(drawing)
    assert not position.dark_to_move
    four = RENJU.parse_move("f6")
    result = RENJU.searcher().search(position, Limits(depth=3))
    assert (result.move, result.value, result.proven) == (four, WIN - 3, True)
    solver = ThreatSolver(RENJU)
    for found in (solver.vcf(position), solver.vct(position)):
        assert (found.won, found.distance, found.line[0]) == (True, 3, four)
        after = RENJU.play_line(found.line, position)
        assert RENJU.outcome(after) is Outcome.LIGHT_WINS
    assert ThreatSolver(FREESTYLE).vcf(position).distance != 3


@forced
def test_dark_has_lost_where_the_only_parry_is_forbidden(drawing: str) -> None:
    position = RENJU.play_line(RENJU.parse_line("f6"), position_of(drawing))
    point = forbidden_point(drawing)
    assert RENJU.forbidden_moves(position) == [point]
    result = RENJU.searcher().search(position, Limits(depth=2))
    assert (result.value, result.bound, result.proven) == (-(WIN - 2), Bound.EXACT, True)
    assert result.move != point


@pytest.mark.parametrize("drawing", [DOUBLE_THREE, DOUBLE_FOUR], ids=["3-3", "4-4"])
def test_what_wins_in_freestyle_is_no_win_for_dark_where_it_is_forbidden(drawing: str) -> None:
    position, point = position_of(drawing), forbidden_point(drawing)
    assert position.dark_to_move
    assert ThreatSolver(FREESTYLE).vct(position).line[0] == point
    found = ThreatSolver(RENJU).vct(position)
    assert point not in found.line[:1]
    result = RENJU.searcher().search(position, Limits(nodes=20_000))
    assert result.move != point
    assert not result.proven or (result.distance or 0) > 3


def test_a_double_three_of_which_one_is_false_is_a_move() -> None:
    position = position_of(FALSE_DOUBLE_THREE)
    point = RENJU.parse_move("f6")
    assert position.dark_to_move
    assert level(position, point) == board.DOUBLE_THREE
    others = set(RENJU.legal_moves(position)) - {point}
    result = RENJU.searcher().search(position, Limits(depth=2), exclude=others)
    assert result.move == point


def level(position: Position, cell: int) -> int:
    """What the kernels say that dark would achieve on `cell`."""
    state = GomokuSearcher(RENJU).state_of(position)
    return int(state["level"][board.padded(cell, RENJU.size)])


def test_the_kernels_forbid_what_the_rules_forbid() -> None:
    random, forbidden = Random(1), 0
    searchers = {n: GomokuSearcher(game_of(f"gomoku-{n}-renju")) for n in (5, 7, 9, 11, 15, 26)}
    for _ in range(150):
        size = random.choice(tuple(searchers))
        game = game_of(f"gomoku-{size}-renju")
        cells = random.sample(range(game.cell_count), game.cell_count)
        dark = cells[: round(len(cells) * random.uniform(0.1, 0.35))]
        light = cells[len(dark) :][: round(len(cells) * random.uniform(0, 0.2))]
        state = searchers[size].state_of(game.initial)
        for colour, stones in enumerate((dark, light)):
            for cell in stones:
                state["colour"] = colour
                board.place(state, board.padded(cell, game.size))
        before = state.copy()
        boards = [sum(1 << cell for cell in stones) for stones in (dark, light)]
        listed = set(game._forbidden_points.all(*boards))
        for cell in cells[len(dark) + len(light) :]:
            at = board.padded(cell, game.size)
            assert board.is_forbidden_to(state, board.DARK_COLOUR, at) == (cell in listed)
            assert not board.is_forbidden_to(state, board.LIGHT_COLOUR, at)
        assert np.array_equal(state, before)
        forbidden += len(listed)
    assert forbidden > 300


@pytest.mark.parametrize("size", [6, 7, 8])
def test_the_engine_plays_whole_legal_games(size: int) -> None:
    game = game_of(f"gomoku-{size}-renju")
    searcher, random, position = game.searcher(), Random(size), game.initial
    while game.outcome(position) is None:
        limits = Limits(nodes=300)
        if position.dark_to_move:
            move = searcher.search(position, limits).line[0]
        else:
            move = random.choice(game.legal_moves(position))
        position = game.play_line([move], position)
    assert game.outcome(position) is not Outcome.LIGHT_WINS


def test_all_moves_are_searched_but_the_forbidden_ones() -> None:
    position = position_of(DOUBLE_THREE)
    legal = RENJU.legal_moves(position)
    for move in legal[::10]:
        result = RENJU.searcher().search(position, Limits(depth=2), exclude=set(legal) - {move})
        assert result.move == move
    with pytest.raises(ValueError, match="no move"):
        RENJU.searcher().search(position, Limits(depth=1), exclude=legal)


def test_a_draw_is_proven_though_earlier_iterations_guessed() -> None:
    game = game_of("gomoku-6-renju")
    position = Position(0xA73164CE, 0xF40C69A11)
    result = game.searcher().search(position, Limits(depth=5))
    assert (result.value, result.proven) == (0, True)
