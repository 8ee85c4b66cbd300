"""A search by one thread, limited by depth or nodes, depends on what it is asked alone."""

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest

from engine import registry
from engine.game import Game
from engine.position import Position
from engine.search import Limits, Searcher, SearchResult

LINES = {
    "gomoku-6": ("", "c3 d4 d3"),
    "gomoku-15": ("h8 i9 h9 h7", "h8 g8 i9 g7 g9 j10 h6 f9"),
    "gomoku-15-standard": ("h8 i9 h9 h7", "h8 g8 i9 g7 g9 j10 h6 f9"),
    "gomoku-19": ("j10 k11 j11", "j10 j9 k9"),
    "pentago": ("", "b2:1R e5:3L", "b5:1L e5:2R e2:4L"),
    "pentago-twist": ("", "b2:1R e5:3F", "b5:1F e5:2R e2:4F"),
    "pentago-swap": ("", "b2:12 e5:34", "b5:13 e5:12 e2:34"),
}
LIMITS = (
    Limits(nodes=1),
    Limits(nodes=700),
    Limits(nodes=6_000),
    Limits(depth=3),
    Limits(depth=9, nodes=3_000),
)
# More than a generation of one byte can count.
MANY = 300

every_game = pytest.mark.parametrize("name", LINES)


def positions(game: Game) -> list[Position]:
    return [game.play_line(game.parse_line(line)) for line in LINES[game.id]]


def told(result: SearchResult) -> list[object]:
    """All of a result but its time, as JSON would have it."""
    return [
        result.move,
        result.value,
        str(result.bound),
        result.proven,
        result.depth,
        result.nodes,
        list(result.line),
    ]


def answers(game: Game, searcher: Searcher) -> Iterator[list[object]]:
    """What `searcher` tells of each position within each of the limits."""
    for position in positions(game):
        excluded = game.legal_moves(position)[::2]
        for limits in LIMITS:
            yield told(searcher.search(position, limits))
            yield told(searcher.search(position, limits, exclude=excluded))


@every_game
def test_a_second_run_and_a_second_searcher_find_the_same(name: str) -> None:
    game = registry.get(name)
    searcher = game.searcher()
    first = list(answers(game, searcher))
    assert list(answers(game, searcher)) == first
    assert list(answers(game, game.searcher())) == first


@every_game
def test_what_was_searched_before_does_not_matter(name: str) -> None:
    game = registry.get(name)
    searcher = game.searcher()
    position = positions(game)[1]
    first = told(searcher.search(position, Limits(nodes=6_000)))
    # The position itself to other depths, positions on the way to it, and all its children.
    others = [position, *positions(game), *(game.play(position, m) for m, _ in searched(game))]
    for number in range(MANY):
        searcher.search(others[number % len(others)], Limits(nodes=200 + number))
    assert told(searcher.search(position, Limits(nodes=6_000))) == first


def searched(game: Game) -> list[tuple[int, int]]:
    """Legal moves of the second position, by number."""
    moves = game.legal_moves(positions(game)[1])
    return [(move, number) for number, move in enumerate(moves[:40])]


def test_searchers_of_other_games_in_the_same_process_do_not_matter() -> None:
    alone = {
        name: list(answers(registry.get(name), registry.get(name).searcher())) for name in LINES
    }
    streams = {name: answers(registry.get(name), registry.get(name).searcher()) for name in LINES}
    together: dict[str, list[list[object]]] = {name: [] for name in LINES}
    for _ in range(max(map(len, alone.values()))):
        for name, stream in streams.items():
            together[name] += [answer for answer in [next(stream, None)] if answer is not None]
    assert together == alone


@every_game
def test_several_lines_of_a_search_by_nodes_are_always_the_same(name: str) -> None:
    game = registry.get(name)
    searcher = game.searcher()
    position = positions(game)[-1]
    first = [told(each) for each in searcher.search_lines(position, Limits(nodes=6_000), 3)]
    searcher.search(game.initial, Limits(nodes=2_000))
    for again in (searcher, game.searcher()):
        lines = again.search_lines(position, Limits(nodes=6_000), 3)
        assert [told(each) for each in lines] == first


def test_another_process_finds_the_same() -> None:
    expected = {
        name: list(answers(registry.get(name), registry.get(name).searcher())) for name in LINES
    }
    program = (
        "import json\n"
        "from engine import registry\n"
        "from tests.engine.test_determinism import LINES, answers\n"
        "print(json.dumps({\n"
        "    name: list(answers(game, game.searcher()))\n"
        "    for name in LINES for game in [registry.get(name)]\n"
        "}))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert json.loads(run.stdout) == expected
