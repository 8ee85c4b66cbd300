"""The Gomoku kernels beside the same search in plain Python: equal in all they return."""

from random import Random

import pytest

from engine import registry
from engine.game import Game
from engine.position import Move, Position
from engine.search import Limits, SearchOptions, SearchResult
from tests.checkout import DATA
from tests.oracles.reference_gomoku import ReferenceSearcher

BENCH = DATA / "bench" / "gomoku-15.txt"
SIZES = (5, 6, 9, 11, 15, 19)
NAMES = tuple(f"gomoku-{size}{rule}" for size in SIZES for rule in ("", "-standard"))

every_board = pytest.mark.parametrize("name", NAMES)


def early_position(game: Game, random: Random, most: int) -> Position:
    """Up to `most` random stones near the centre, none of which ended the game."""
    middle = game.size // 2
    near = [
        move
        for move in game.legal_moves(game.initial)
        if max(abs(move // game.size - middle), abs(move % game.size - middle)) <= 3
    ]
    random.shuffle(near)
    position = game.initial
    for move in near[: random.randrange(most + 1)]:
        after = game.play(position, move)
        if game.outcome(after) is not None:
            break
        position = after
    return position


def late_position(game: Game, random: Random, free: int) -> Position:
    """Random stones on all but `free` cells, or fewer where the game would be over."""
    position = game.initial
    for move in random.sample(range(game.cell_count), game.cell_count - free):
        after = game.play(position, move)
        if game.outcome(after) is None:
            position = after
    return position


def some_moves(game: Game, position: Position, random: Random) -> set[Move]:
    """Legal moves to leave out: none, one, or half of them."""
    moves = game.legal_moves(position)
    return set(random.sample(moves, random.choice((0, 1, len(moves) // 2))))


def without_time(result: SearchResult) -> tuple[object, ...]:
    return (
        result.move,
        result.value,
        result.line,
        result.nodes,
        result.depth,
        result.proven,
        result.bound,
    )


def compare(game: Game, random: Random, count: int, depths: range, most_nodes: int) -> None:
    """Search `count` positions by depth and by nodes with both."""
    kernels, plain = game.searcher(), ReferenceSearcher(game)
    for number in range(count):
        if number % 4 == 3:
            position = late_position(game, random, free=random.randrange(4, 9))
        else:
            position = early_position(game, random, most=20)
        exclude = some_moves(game, position, random)
        limits = Limits(depth=random.choice(depths), nodes=random.randrange(1, most_nodes))
        found = kernels.search(position, limits, exclude=exclude)
        expected = plain.search(position, limits, exclude=exclude)
        assert without_time(found) == without_time(expected), (position, limits, exclude)


@every_board
def test_results_and_nodes_are_those_of_plain_python(name: str) -> None:
    compare(registry.get(name), Random(name), count=4, depths=range(1, 7), most_nodes=3_000)


@every_board
@pytest.mark.slow
def test_many_results_and_nodes_are_those_of_plain_python(name: str) -> None:
    random = Random(f"slow {name}")
    compare(registry.get(name), random, count=30, depths=range(1, 12), most_nodes=40_000)


def quiet_positions(game: Game) -> list[Position]:
    lines = BENCH.read_text().splitlines()
    return [game.play_line(game.parse_line(line)) for line in lines if not line.startswith("#")]


def compare_quiet(depth: int, options: SearchOptions, chosen: slice = slice(None)) -> None:
    game = registry.get("gomoku-15")
    kernels, plain = game.searcher(options), ReferenceSearcher(game, options)
    for position in quiet_positions(game)[chosen]:
        found, expected = (
            without_time(searcher.search(position, Limits(depth=depth)))
            for searcher in (kernels, plain)
        )
        assert found == expected


@pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in (1, 2, 3))]
)
def test_quiet_positions_are_searched_as_by_plain_python(part: int) -> None:
    compare_quiet(5, SearchOptions(), slice(part, None, 4))


@pytest.mark.slow
def test_shorter_searches_end_the_same_nodes_as_in_plain_python() -> None:
    compare_quiet(9, SearchOptions(), slice(4))


@pytest.mark.slow
@pytest.mark.parametrize("table", [1, 4, 9])
def test_tables_of_all_sizes_replace_what_they_do_in_plain_python(table: int) -> None:
    compare_quiet(9, SearchOptions(table=table))
