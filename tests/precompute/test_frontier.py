"""The frontier gives the cheapest slots of the whole book, without looking at all of it."""

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import select

from book.address import AnyAddress
from book.propagation import slot_cost, step_cost
from book.reader import BookReader
from book.schema import moves, positions
from engine import games
from engine.values import from_child
from precompute.frontier import Explore
from precompute.synthetic import GAME_ID, fill
from tests.oracles.book_checker import assert_sound
from tests.servers import postgresql_book

SIZE = 1_500


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def book(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[AnyAddress]:
    with ExitStack() as opened:
        place: AnyAddress = (
            tmp_path_factory.mktemp("synthetic") / "book.db"
            if request.param == "sqlite"
            else opened.enter_context(postgresql_book())
        )
        fill(place, games.get(GAME_ID), SIZE)
        yield place


def costs_of_all_slots(book: AnyAddress) -> dict[int, int]:
    """The cost of each open slot by its position, from the empty board down."""
    with BookReader(book) as reader, reader.connection() as connection:
        rows = connection.execute(select(positions).order_by(positions.c.ply)).all()
        links = connection.execute(select(moves)).all()
    by_id = {row.id: row for row in rows}
    parents: dict[int, list[int]] = {row.id: [] for row in rows}
    for link in links:
        parents[link.child].append(link.parent)
    costs: dict[int, int] = {}
    for row in rows:
        ways = [
            costs[parent] + step_cost(by_id[parent].value, from_child(row.value))
            for parent in parents[row.id]
        ]
        costs[row.id] = min(ways, default=0)
    steps = {row.id: slot_cost(row, row.value, row.proven) for row in rows}
    return {id: costs[id] + step for id, step in steps.items() if step is not None}


def test_a_synthetic_book_is_as_sound_as_any(book: AnyAddress) -> None:
    assert_sound(book, games.get(GAME_ID))


def test_slots_come_cheapest_first_and_none_is_left_out(book: AnyAddress) -> None:
    expected = costs_of_all_slots(book)
    with BookReader(book) as reader, reader.connection() as connection:
        frontier = Explore(games.get(GAME_ID), 1, batch_size=16)
        found = [row.id for row in frontier.cheapest_slots(connection)]
    assert sorted(found) == sorted(expected)
    assert all(expected[one] <= expected[other] for one, other in pairwise(found))


def test_a_synthetic_book_of_the_same_size_is_the_same(book: AnyAddress, tmp_path: Path) -> None:
    fill(tmp_path / "again.db", games.get(GAME_ID), SIZE)
    assert costs_of_all_slots(tmp_path / "again.db") == costs_of_all_slots(book)
