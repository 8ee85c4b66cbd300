"""Several lines of one position."""

from collections.abc import Collection
from dataclasses import replace
from random import Random

import pytest

from engine import registry
from engine.clock import Clock
from engine.game import Game
from engine.multipv import lines_by_exclusion
from engine.position import Move, Position
from engine.search import Limits, SearchResult
from engine.values import WIN, Bound
from tests.engine.samples import random_game

GAMES = [
    registry.get(name)
    for name in ("gomoku-9", "gomoku-9-standard", "pentago-swap", "pentago", "pentago-twist")
]
of_every_kind = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
SMALL = registry.get("gomoku-5")


def search_lines(
    game: Game, position: Position, count: int, exclude: Collection[Move] = (), **limits: int
) -> list[SearchResult]:
    return game.searcher().search_lines(position, Limits(**limits), count, exclude=exclude)


def after(game: Game, position: Position, result: SearchResult) -> bytes:
    assert result.move is not None
    return game.canonical(game.play(position, result.move)).key


def middle(game: Game, seed: int) -> Position:
    """A position in the middle of a random game."""
    positions = [position for _, position in random_game(game, Random(seed))]
    return positions[len(positions) // 3]


@of_every_kind
@pytest.mark.parametrize("seed", range(3))
def test_lines_begin_with_different_moves_and_can_be_played(game: Game, seed: int) -> None:
    position = middle(game, seed)
    results = search_lines(game, position, 4, nodes=4_000)
    assert len(results) == 4
    assert len({after(game, position, result) for result in results}) == 4
    for result in results:
        assert result.line[0] == result.move
        game.play_line(result.line, position)


@of_every_kind
@pytest.mark.parametrize("seed", range(3))
def test_lines_are_best_first(game: Game, seed: int) -> None:
    results = search_lines(game, middle(game, seed), 5, depth=2)
    values = [result.value for result in results if not result.proven]
    assert values == sorted(values, reverse=True)


@of_every_kind
def test_one_line_is_what_a_search_finds(game: Game) -> None:
    position = middle(game, 3)
    (line,) = search_lines(game, position, 1, nodes=3_000)
    alone = game.searcher().search(position, Limits(nodes=3_000))
    assert replace(line, seconds=0.0) == replace(alone, seconds=0.0)


@of_every_kind
def test_lines_by_nodes_are_the_same_each_time(game: Game) -> None:
    def found() -> list[SearchResult]:
        return [
            replace(result, seconds=0.0)
            for result in search_lines(game, middle(game, 4), 3, nodes=3_000)
        ]

    assert found() == found()


@of_every_kind
@pytest.mark.parametrize("nodes", [1, 2, 10, 3_000])
def test_the_nodes_are_for_all_lines_together(game: Game, nodes: int) -> None:
    results = search_lines(game, middle(game, 5), 3, nodes=nodes)
    # Every search looks at one move at least.
    assert 0 < sum(result.nodes for result in results) <= nodes + len(results)


@of_every_kind
def test_moves_that_are_equal_by_symmetry_are_one_line(game: Game) -> None:
    results = search_lines(game, game.initial, 6, nodes=6_000)
    assert len({after(game, game.initial, result) for result in results}) == len(results) == 6


@of_every_kind
def test_excluded_moves_begin_no_line(game: Game) -> None:
    position = middle(game, 6)
    first = search_lines(game, position, 2, nodes=2_000)
    excluded = {result.move for result in first if result.move is not None}
    others = search_lines(game, position, 2, exclude=excluded, nodes=2_000)
    assert not excluded & {result.move for result in others}


def test_there_are_no_more_lines_than_different_moves() -> None:
    results = search_lines(SMALL, SMALL.initial, 100, depth=1)
    assert len(results) == len(SMALL.children(SMALL.initial)) == 6


@of_every_kind
def test_no_lines_at_all_are_refused(game: Game) -> None:
    with pytest.raises(ValueError, match="must be one or more, not 0"):
        search_lines(game, game.initial, 0, nodes=10)


def test_each_line_is_proven_for_its_own_move() -> None:
    game = registry.get("gomoku-9")
    position = game.play_line(game.parse_line("b5 a1 c5 a9 d5 i1 e5 i9"))
    results = search_lines(game, position, 3, nodes=30_000)
    assert {game.format_move(result.line[0]) for result in results[:2]} == {"a5", "f5"}
    assert [result.value for result in results[:2]] == [WIN - 1, WIN - 1]
    assert all(result.proven for result in results[:2])
    assert results[2].value < WIN - 1


class Scripted:
    """Gives each search the next of its values; the first free move is always the best."""

    def __init__(self, values: list[int], proven: Collection[int] = ()) -> None:
        self.values = values
        self.proven = proven
        self.limits: list[Limits] = []

    def search(
        self, position: Position, limits: Limits, *, exclude: Collection[Move] = ()
    ) -> SearchResult:
        value = self.values[len(self.limits)]
        self.limits.append(limits)
        move = next(move for move in SMALL.legal_moves(position) if move not in exclude)
        spent = (limits.nodes or 0) // 2 or 1
        proven = value in self.proven
        return SearchResult(move, value, Bound.EXACT, proven, 1, spent, 0.0, (move,))

    def search_lines(
        self, position: Position, limits: Limits, count: int, *, exclude: Collection[Move] = ()
    ) -> list[SearchResult]:
        return lines_by_exclusion(self, SMALL, position, limits, count, exclude)


def values(searcher: Scripted, limits: Limits) -> list[int]:
    count = len(searcher.values)
    return [line.value for line in searcher.search_lines(SMALL.initial, limits, count)]


def test_what_a_search_leaves_of_its_nodes_goes_to_those_after_it() -> None:
    searcher = Scripted([3, 2, 1])
    values(searcher, Limits(nodes=600))
    assert [limits.nodes for limits in searcher.limits] == [200, 250, 375]


def test_the_time_of_a_clock_is_shared() -> None:
    searcher = Scripted([3, 2, 1])
    clock = Limits(clock=Clock(left=1000.0, moves_to_go=2), depth=9)
    values(searcher, clock)
    allotment = clock.allotment(0, SMALL.cell_count)
    assert allotment is not None
    for limits, lines in zip(searcher.limits, (3, 2, 1), strict=True):
        assert limits.clock is None
        assert limits.depth == 9
        assert limits.movetime == pytest.approx(allotment.hard / lines, rel=0.1)


def test_a_later_line_that_is_better_comes_first() -> None:
    assert values(Scripted([3, 1, 7]), Limits(depth=1)) == [7, 3, 1]


def test_nothing_comes_before_a_proven_line() -> None:
    assert values(Scripted([0, 5, 9], proven={0}), Limits(depth=1)) == [0, 9, 5]
