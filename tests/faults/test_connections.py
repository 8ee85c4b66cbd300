"""A builder on PostgreSQL whose connection is lost, at whatever moment, builds the same book."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

import pytest

from book.errors import BookOutOfReach, BookUnwritable
from book.plan import LeasedPlan
from book.storage.address import Address
from book.whole.export import records
from book.writer import BookWriter
from engine import registry
from engine.search import Limits
from precompute.backend import Backend
from precompute.builder import Builder, BuildOptions, BuildState
from precompute.modes.explore import Explore
from precompute.modes.frontier import SearchMode
from precompute.modes.full import Full
from tests.books import rows_of
from tests.servers import Server, Way, own_server, postgresql_book, way_to

GAME = registry.get("gomoku-5")
NODES = Limits(nodes=20)
MODES: dict[str, SearchMode] = {"explore": Explore(3), "full": Full(1)}
_PARTS = 8
# Before that there was no connection yet that could be lost.
_CONNECTED = 3

Made = tuple[list[dict[str, object]], tuple[int, int, int, int]]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with own_server() as server:
        yield server


def options(mode: str, patience: float = 60.0) -> BuildOptions:
    return BuildOptions(
        GAME, MODES[mode], NODES, 1, Backend.THREADING, patience=patience, lease=1e6
    )


def ignore(state: BuildState) -> None:
    pass


def made(way: Way, mode: str, report: Callable[[BuildState], None] = ignore) -> Made:
    """What a builder makes, and what it and the book tell of that."""
    return told_of(way, built(way, mode, report))


def built(way: Way, mode: str, report: Callable[[BuildState], None] = ignore) -> BuildState:
    builder = Builder(way.address, options(mode), report)
    state = builder.run()
    assert builder.complete
    return state


def told_of(way: Way, state: BuildState) -> Made:
    # The builder may have taken a request less than another time, and nothing been cut yet.
    address = way.straight
    assert rows_of(address, "SELECT * FROM tasks") == []
    runs = rows_of(address, "SELECT positions, searches, nodes FROM runs")
    told = (state.positions, state.added, state.searches, state.nodes)
    assert sum(run["searches"] for run in runs) == state.searches
    assert sum(run["nodes"] for run in runs) == state.nodes
    assert len(runs) == 1
    return list(records(address, reproducible=True)), told


@contextmanager
def empty_book(server: Server) -> Iterator[Way]:
    with postgresql_book(server.url) as address:
        BookWriter(address, GAME).close()
        with way_to(address) as way:
            yield way


@cache
def whole(mode: str, server: Server) -> tuple[Made, int]:
    """What a builder makes that nothing happens to, and the requests of the server for that."""
    with empty_book(server) as way:
        state = built(way, mode)
        return told_of(way, state), way.requests


def cut_at(request: int, mode: str, server: Server, *, arrives: bool) -> None:
    """Cut the connection at this request of a build, which ends as if nothing had been."""
    expected, _ = whole(mode, server)
    with empty_book(server) as way:
        way.cut_once(request, arrives=arrives)
        assert made(way, mode) == expected, f"cut at {request}, arrives: {arrives}"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("request_number", "arrives"), [(19, False), (41, True), (150, True)])
def test_a_connection_that_is_cut_changes_nothing(
    request_number: int, arrives: bool, mode: str, server: Server
) -> None:
    cut_at(request_number, mode, server, arrives=arrives)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(_PARTS))
@pytest.mark.parametrize("mode", MODES)
def test_a_connection_that_is_cut_at_any_request_changes_nothing(
    mode: str, part: int, server: Server
) -> None:
    _, requests = whole(mode, server)
    for request in range(_CONNECTED + part, requests + 1, _PARTS):
        # Half of what is cut at the same place arrives, in one mode or in the other.
        arrives = (request // _PARTS % 2 == 0) == (mode == "full")
        cut_at(request, mode, server, arrives=arrives)


def stopped_at(request: int, mode: str, how: str, server: Server, *, arrives: bool) -> None:
    """Stop the server at this request of a build, and start it when the builder waits for it."""
    expected, _ = whole(mode, server)

    def start(state: BuildState) -> None:
        if state.cut_off:
            server.start()

    with empty_book(server) as way:
        way.cut_once(request, arrives=arrives, also=lambda: server.stop(how))
        assert made(way, mode, start) == expected, f"{how} stop at {request}"


@pytest.mark.parametrize(("request_number", "how"), [(60, "fast"), (199, "immediate")])
def test_a_server_that_is_started_anew_has_the_same_book(
    request_number: int, how: str, server: Server
) -> None:
    stopped_at(request_number, "explore", how, server, arrives=True)


@pytest.mark.slow
@pytest.mark.parametrize("arrives", [False, True])
@pytest.mark.parametrize("how", ["fast", "immediate"])
def test_a_server_may_be_started_anew_in_each_phase_of_a_transaction(
    how: str, arrives: bool, server: Server
) -> None:
    # 17 and the number of requests of a step have no common divisor for long.
    _, requests = whole("explore", server)
    for request in range(14, requests + 1, 17):
        stopped_at(request, "explore", how, server, arrives=arrives)


@pytest.mark.parametrize("request_number", [25, 200])
def test_a_server_that_stays_away_ends_a_builder_in_a_sentence(
    request_number: int, server: Server
) -> None:
    with empty_book(server) as way:
        way.cut_once(request_number, arrives=False, also=server.stop)
        with pytest.raises(BookOutOfReach) as told:
            Builder(way.address, options("explore", patience=0.5)).run()
        assert str(told.value).startswith(f"cannot reach '{Address.of(way.address)}': ")
        assert str(told.value).endswith("the same command goes on from there")
        server.start()
        Builder(way.address, options("explore")).run()
        assert list(records(way.address, reproducible=True)) == whole("explore", server)[0][0]


def test_nobody_waits_for_a_server_to_take_leases_back(server: Server) -> None:
    with (
        empty_book(server) as way,
        BookWriter(way.address, GAME, shared={}) as writer,
        LeasedPlan(writer, "", 1e6) as plan,
    ):
        server.stop()
        plan.close()
        server.start()


def test_a_server_that_was_never_there_is_not_waited_for() -> None:
    with postgresql_book() as address, way_to(address) as way:
        way.cut()
        with pytest.raises(BookOutOfReach, match=r"^cannot reach"):
            Builder(way.address, options("explore", patience=1e6)).run()


def test_a_stop_ends_the_wait_for_a_server(server: Server) -> None:
    with empty_book(server) as way:
        builder = Builder(
            way.address,
            options("explore", patience=1e6),
            lambda state: builder.stop() if state.cut_off else None,
        )
        way.cut_once(100, arrives=False, also=server.stop)
        with pytest.raises(BookOutOfReach):
            builder.run()
        server.start()


def test_a_builder_with_other_limits_that_came_meanwhile_is_not_disturbed(server: Server) -> None:
    others = BuildOptions(GAME, Explore(9), Limits(nodes=30), 1, Backend.THREADING)

    def build_another(state: BuildState) -> None:
        if state.cut_off:
            server.start()
            Builder(way.address, others).run()

    with empty_book(server) as way:
        way.cut_once(250, arrives=False, also=server.stop)
        builder = Builder(way.address, options("explore"), build_another)
        with pytest.raises(BookUnwritable, match="limits nodes=30 instead of nodes=20"):
            builder.run()
