"""A search in one thread, of which another sees what it has found, and which it ends."""

import time
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from engine import registry
from engine.game import Game
from engine.search import Limits, Searcher, SearchOptions, SearchResult

# One of each kind of searcher, far from any end.
STARTS = {
    "gomoku-15": "h8 a15 o1 d4",
    "gomoku-15-renju": "h8 a15 o1 d4",
    "pentago": "",
    "pentago-swap": "a1:12 c2:34 f5:13 b4:24 d6:23",
    "connect-four-7x6": "d1",
}
HOUR = Limits(movetime=3600.0)


@pytest.fixture(params=STARTS)
def game(request: pytest.FixtureRequest) -> Game:
    return registry.get(request.param)


def ended(searcher: Searcher, search: "Future[list[SearchResult]]") -> list[SearchResult]:
    while not search.done():
        searcher.end()
        time.sleep(0.001)
    return search.result()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("lines", [1, 3])
def test_a_search_is_ended_from_another_thread(game: Game, lines: int, threads: int) -> None:
    position = game.play_line(game.parse_line(STARTS[game.id]))
    searcher = game.searcher(SearchOptions(threads=threads))
    with ThreadPoolExecutor(1) as pool:
        search = pool.submit(searcher.search_lines, position, HOUR, lines)
        time.sleep(0.05)
        results = ended(searcher, search)
    assert results[0].move in game.legal_moves(position)
    assert sum(result.seconds for result in results) < 600


def test_what_is_found_so_far_grows_deeper(game: Game) -> None:
    position = game.play_line(game.parse_line(STARTS[game.id]))
    searcher = game.searcher()
    seen: list[SearchResult] = []
    with ThreadPoolExecutor(1) as pool:
        # A quarter of the time of Pentago-swap is its solver's, which tells of no depths.
        search = pool.submit(searcher.search_lines, position, Limits(movetime=10.0), 1)
        while not search.done() and len({result.depth for result in seen}) < 2:
            seen += searcher.so_far()
            time.sleep(0.001)
        last = ended(searcher, search)[0]
    depths = [result.depth for result in seen]
    assert depths
    assert depths == sorted(depths)
    assert depths[0] > 0
    assert {result.move for result in seen} <= set(game.legal_moves(position))
    assert last.depth >= depths[-1]


def test_nothing_is_found_before_the_first_search(game: Game) -> None:
    assert game.searcher().so_far() == []
