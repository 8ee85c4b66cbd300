"""Live searches: how many at once, who waits, who shares."""

import time
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock

import pytest

from engine import registry
from engine.game import OF_A_SQUARE, Game
from engine.position import Move, Position
from engine.search import Limits, Searcher, SearchOptions, SearchResult
from engine.values import Bound
from service.errors import TooBusy
from service.live import LiveSearches

GAME = registry.get("gomoku-9")
LONG = Limits(movetime=60.0)


class GatedSearcher:
    """Finds the first legal move, once its gate is open."""

    def __init__(self, gate: "Gate") -> None:
        self.gate = gate

    def search(
        self, position: Position, limits: Limits, *, exclude: Collection[Move] = ()
    ) -> SearchResult:
        self.gate.enter(limits)
        move = GAME.legal_moves(position)[0]
        return SearchResult(move, 7, Bound.EXACT, False, 1, 1, 0.0, (move,))


class Gate:
    """Counts searches and holds them back until it is opened."""

    def __init__(self) -> None:
        self.searchers = 0
        self.searches: list[Limits] = []
        self.most_at_once = 0
        self._at_once = 0
        self._lock = Lock()
        self._open = Event()

    def searcher(self, game: Game) -> GatedSearcher:
        self.searchers += 1
        return GatedSearcher(self)

    def enter(self, limits: Limits) -> None:
        with self._lock:
            self.searches.append(limits)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        assert self._open.wait(60)
        with self._lock:
            self._at_once -= 1

    def open(self) -> None:
        self._open.set()

    def wait_for(self, searches: int) -> None:
        while len(self.searches) < searches:
            time.sleep(0.001)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Gate:
    gate = Gate()
    monkeypatch.setattr(type(GAME), "searcher", lambda game, options: gate.searcher(game))
    return gate


def after(moves: str) -> Position:
    return GAME.play_line(GAME.parse_line(moves))


def test_one_position_asked_at_once_in_all_orientations_is_searched_once(gate: Gate) -> None:
    live = LiveSearches(at_once=1, waiting=len(OF_A_SQUARE))
    position = after("a1 b3 i2")
    with ThreadPoolExecutor(len(OF_A_SQUARE)) as threads:
        asked = [
            threads.submit(live.search, GAME, GAME.map_position(position, symmetry), LONG)
            for symmetry in OF_A_SQUARE
        ]
        gate.wait_for(1)
        while live.asking < len(OF_A_SQUARE):
            time.sleep(0.001)
        gate.open()
        results = [each.result() for each in asked]
    assert len(gate.searches) == 1
    moves = [result.move for result in results]
    assert moves == [GAME.map_move(moves[0], symmetry) for symmetry in OF_A_SQUARE]
    assert [result.line for result in results] == [(move,) for move in moves]


def test_questions_for_more_lines_are_searched_for_themselves() -> None:
    live = LiveSearches(at_once=1, waiting=0)
    position = after("a1 b3 i2")
    for symmetry in OF_A_SQUARE:
        turned = GAME.map_position(position, symmetry)
        lines = live.search_lines(GAME, turned, Limits(nodes=900), 3)
        assert len({line.move for line in lines}) == 3
        for line in lines:
            assert line.line[0] == line.move
            GAME.play_line(line.line, turned)


def test_searchers_get_the_options_of_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[SearchOptions] = []
    make = type(GAME).searcher

    def noted(game: Game, options: SearchOptions) -> Searcher:
        asked.append(options)
        return make(game, options)

    monkeypatch.setattr(type(GAME), "searcher", noted)
    live = LiveSearches(at_once=1, waiting=0, options=SearchOptions(table=1))
    live.search(GAME, GAME.initial, Limits(nodes=1))
    assert asked == [SearchOptions(table=1)]


def test_no_more_searches_run_at_once_than_allowed(gate: Gate) -> None:
    live = LiveSearches(at_once=2, waiting=4)
    with ThreadPoolExecutor(6) as threads:
        asked = [threads.submit(live.search, GAME, after(f"a{n}"), LONG) for n in (1, 2, 3, 4)]
        gate.wait_for(2)
        gate.open()
        for each in asked:
            each.result()
    assert len(gate.searches) == 4
    assert gate.most_at_once == 2
    assert gate.searchers == 2


def test_waiting_counts_against_movetime(gate: Gate) -> None:
    live = LiveSearches(at_once=1, waiting=1)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(live.search, GAME, after("a1"), LONG)
        gate.wait_for(1)
        second = threads.submit(live.search, GAME, after("a2"), LONG)
        while live.asking < 2:
            time.sleep(0.001)
        time.sleep(0.05)
        gate.open()
        first.result()
        second.result()
    first_movetime, second_movetime = (limits.movetime for limits in gate.searches)
    assert first_movetime is not None
    assert second_movetime is not None
    assert second_movetime < first_movetime <= 60.0


def test_a_search_that_cannot_begin_in_time_is_refused(gate: Gate) -> None:
    live = LiveSearches(at_once=1, waiting=1)
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(live.search, GAME, after("a1"), LONG)
        gate.wait_for(1)
        with pytest.raises(TooBusy) as refusal:
            live.search(GAME, after("a2"), Limits(movetime=0.02))
        gate.open()
        first.result()
    assert refusal.value.retry_after == 1


def test_one_more_than_may_wait_is_refused_at_once(gate: Gate) -> None:
    live = LiveSearches(at_once=1, waiting=0)
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(live.search, GAME, after("a1"), LONG)
        gate.wait_for(1)
        with pytest.raises(TooBusy):
            live.search(GAME, after("a2"), LONG)
        gate.open()
        first.result()


def test_a_failed_search_fails_for_all_and_leaves_nothing_behind(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = LiveSearches(at_once=1, waiting=0)
    with monkeypatch.context() as broken:
        broken.setattr(GatedSearcher, "search", lambda *_, **__: 1 // 0)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                live.search(GAME, after("a1"), LONG)
    gate.open()
    assert live.search(GAME, after("a1"), LONG).value == 7
    assert live.asking == 0


def test_a_batch_shares_its_total_among_its_positions(gate: Gate) -> None:
    gate.open()
    live = LiveSearches(at_once=1, waiting=0)
    positions = [after("a1"), after("a2"), after("i9"), after("a3")]
    results = list(live.search_each(GAME, positions, movetime=60.0, total=9.0))
    assert [result.value for result in results] == [7] * 4
    shares = [limits.movetime for limits in gate.searches]
    # a1 and i9 are one position; what the first leave of their share goes to the last.
    assert len(shares) == 3
    assert shares[0] is not None
    assert shares[2] is not None
    assert shares[0] <= 3.0
    assert 3.0 < shares[2] <= 9.0


def test_a_position_of_a_batch_gets_no_more_than_movetime(gate: Gate) -> None:
    gate.open()
    live = LiveSearches(at_once=1, waiting=0)
    list(live.search_each(GAME, [after("a1"), after("a2")], movetime=0.5, total=9.0))
    assert [limits.movetime for limits in gate.searches] == [0.5, 0.5]


def test_a_searcher_made_ready_is_the_one_that_searches(gate: Gate) -> None:
    gate.open()
    live = LiveSearches(at_once=1, waiting=0)
    live.prepare(GAME)
    assert (gate.searchers, gate.searches) == (1, [])
    live.search(GAME, after("a1"), LONG)
    assert (gate.searchers, len(gate.searches)) == (1, 1)


def test_a_search_by_nodes_needs_no_time(gate: Gate) -> None:
    gate.open()
    LiveSearches(at_once=1, waiting=0).search(GAME, after("a1"), Limits(nodes=5))
    assert gate.searches == [Limits(nodes=5)]


def test_searchers_of_many_games_are_not_all_kept(gate: Gate) -> None:
    gate.open()
    live = LiveSearches(at_once=1, waiting=0)
    for size in (5, 6, 7, 5):
        game = registry.get(f"gomoku-{size}")
        live.search(game, game.initial, Limits(nodes=5))
    assert gate.searchers == 4
