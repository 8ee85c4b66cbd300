"""The frontier gives the cheapest slots of the whole book, without looking at all of it."""

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from sqlalchemy import bindparam, select, update

from book.reader import BookReader
from book.rows.counts import CountChanges
from book.rows.digests import digest_all
from book.rows.lookup import GameRows
from book.rows.propagation import propagate
from book.storage.address import AnyAddress
from book.storage.schema import Wish, positions
from book.writer import BookWriter, PlannedTask
from engine import registry
from engine.position import Position, Side
from engine.search import Limits
from engine.values import WIN
from fivebook.bench.synthetic import GAME_ID, fill, is_over
from precompute.job import run_task
from precompute.modes.explore import ExploreFrontier
from precompute.modes.frontier import Site
from precompute.modes.refine import RefineFrontier
from precompute.slots import CheapestSlots, WayLimits
from tests.oracles.book_checker import assert_sound, cost_of_slot
from tests.oracles.slot_costs import Graph, costs_of_all_slots
from tests.servers import postgresql_book

SIZE = 1_500
WILD_SIZE = 400
GAME = registry.get(GAME_ID)
NODES = Limits(nodes=20)
MORE_NODES = Limits(nodes=40_000)


@contextmanager
def somewhere(kind: str, folder: Path) -> Iterator[AnyAddress]:
    """Where a book may be made."""
    with ExitStack() as opened:
        yield (folder / "book.db" if kind == "sqlite" else opened.enter_context(postgresql_book()))


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)]
)
def book(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[AnyAddress]:
    with somewhere(request.param, tmp_path_factory.mktemp("synthetic")) as place:
        fill(place, GAME, SIZE)
        yield place


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)]
)
def wild_book(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[AnyAddress]:
    """A book with positions that are all but lost or proven, and with wishes."""
    with somewhere(request.param, tmp_path_factory.mktemp("wild")) as place:
        fill(place, GAME, WILD_SIZE)
        make_wild(place, Random(2))
        yield place


def make_wild(book: AnyAddress, random: Random) -> None:
    change = update(positions).where(positions.c.id == bindparam("at"))
    with BookWriter(book, GAME) as writer, writer.transaction() as connection:
        ids = connection.execute(select(positions.c.id).order_by(positions.c.id)).scalars().all()
        for id in ids:
            extreme = random.random() < 0.3
            value = random.choice((-1500, 1500, 1500)) if extreme else random.randrange(-150, 150)
            columns = {
                "rest_value": value,
                "wish": random.choice((None,) * 8 + tuple(map(int, Wish))) if id != 1 else None,
            }
            if random.random() < 0.05:
                columns |= {"rest_value": random.choice((5 - WIN, 0, WIN - 5)), "rest_proven": True}
            connection.execute(change, columns | {"at": id})
        propagate(connection, ids, counts := CountChanges())
        counts.store(connection, writer.rows.number)
        digest_all(connection, writer.rows.number)


def site_of(book: BookReader | BookWriter, rows: GameRows, root: Position = GAME.initial) -> Site:
    return Site(book.address, rows, [root], MORE_NODES)


def found_slots(book: AnyAddress, root: int = 1, ways: WayLimits = WayLimits()) -> list[int]:
    """The slots that the frontier gives, in its order, by their positions."""
    return [row.id for row in searched_slots(book, root, ways)[1]]


def searched_slots(book: AnyAddress, root: int, ways: WayLimits) -> tuple[CheapestSlots, list[Any]]:
    with BookReader(book) as reader, reader.rows_of(GAME) as rows:
        [stored] = rows.select(select(positions.c.stones).where(positions.c.id == root))
        site = site_of(reader, rows, GAME.unpack(stored.stones))
        frontier = ExploreFrontier(site, ways=ways)
        slots = frontier.cheapest_slots()
        return slots, list(slots)


def assert_cheapest_first(found: list[int], expected: dict[int, int]) -> None:
    assert sorted(found) == sorted(expected)
    assert all(expected[one] <= expected[other] for one, other in pairwise(found))


def test_a_synthetic_book_is_as_sound_as_any(book: AnyAddress) -> None:
    assert_sound(book, GAME)


def test_slots_come_cheapest_first_and_none_is_left_out(book: AnyAddress) -> None:
    expected = costs_of_all_slots(Graph(book))
    # Each leads to a position outside of the synthetic ones.
    assert len(expected) == SIZE
    assert_cheapest_first(found_slots(book), expected)


def test_synthetic_positions_with_five_in_a_row_would_be_seen() -> None:
    game, random = registry.get("gomoku-9"), Random(1)
    positions, over = [], []
    for _ in range(2000):
        cells = random.sample([cell for cell in range(81) if cell % 9 > 3 and cell > 30], 21)
        dark, light = sorted(cells[:11]), sorted(cells[11:])
        positions.append(dark + light)
        stones = (sum(1 << cell for cell in side) for side in (dark, light))
        over.append(game.outcome(Position(*stones)) is not None)
    assert 100 < sum(over) < 1900
    assert is_over(np.array(positions, dtype=np.uint8), 9).tolist() == over


def test_a_synthetic_book_of_the_same_size_is_the_same(book: AnyAddress, tmp_path: Path) -> None:
    fill(tmp_path / "again.db", GAME, SIZE)
    assert costs_of_all_slots(Graph(tmp_path / "again.db")) == costs_of_all_slots(Graph(book))


def test_costs_follow_from_wishes_and_lost_positions(wild_book: AnyAddress) -> None:
    assert_sound(wild_book, GAME)


def test_lost_positions_and_wishes_change_the_order(wild_book: AnyAddress) -> None:
    graph = Graph(wild_book)
    tries = [
        id
        for id, row in graph.rows.items()
        if row.value < -1177
        and 0 < len(graph.children[id]) < 4
        and cost_of_slot(row, len(graph.children[id])) is not None
    ]
    assert len(tries) > 2
    expected = costs_of_all_slots(graph)
    assert len(expected) < len(graph.rows)
    assert_cheapest_first(found_slots(wild_book), expected)


@pytest.mark.parametrize("root", [2, 3, 17, 100])
def test_below_a_root_only_slots_of_its_own_come(wild_book: AnyAddress, root: int) -> None:
    assert_cheapest_first(found_slots(wild_book, root), costs_of_all_slots(Graph(wild_book), root))


@pytest.mark.parametrize("each", [0.02, 0.05, 0.2])
def test_no_way_with_a_larger_mistake_is_taken(wild_book: AnyAddress, each: float) -> None:
    expected = costs_of_all_slots(Graph(wild_book), each=4000 * each)
    found = found_slots(wild_book, ways=WayLimits(each))
    assert 0 < len(found) < len(found_slots(wild_book))
    assert_cheapest_first(found, expected)


@pytest.mark.parametrize("own", Side)
@pytest.mark.parametrize(("each", "margin"), [(None, 0.0), (0.2, 0.05), (0.05, 0.2)])
def test_a_book_for_a_side_takes_fewer_of_its_own_moves(
    wild_book: AnyAddress, own: Side, each: float | None, margin: float
) -> None:
    expected = costs_of_all_slots(
        Graph(wild_book),
        each=math.inf if each is None else 4000 * each,
        own=(0 if own is Side.DARK else 1, 4000 * margin),
    )
    found = found_slots(wild_book, ways=WayLimits(each, own=own, margin=margin))
    assert 0 < len(found) < len(found_slots(wild_book))
    assert_cheapest_first(found, expected)


@pytest.mark.parametrize(("each", "together"), [(0.2, 0.2), (0.1, 0.25), (0.4, 0.3), (1.0, 0.4)])
def test_no_way_is_taken_whose_mistakes_add_up_to_too_much(
    wild_book: AnyAddress, each: float, together: float
) -> None:
    expected = costs_of_all_slots(Graph(wild_book), each=4000 * each, together=4000 * together)
    found = found_slots(wild_book, ways=WayLimits(each, together))
    assert 0 < len(found) < len(found_slots(wild_book, ways=WayLimits(each)))
    assert_cheapest_first(found, expected)


@pytest.mark.parametrize("plies", [0, 1, 3])
def test_no_way_has_more_moves_than_it_may(wild_book: AnyAddress, plies: int) -> None:
    expected = costs_of_all_slots(Graph(wild_book), plies=plies)
    found = found_slots(wild_book, ways=WayLimits(plies=plies))
    assert len(found) < len(found_slots(wild_book))
    assert_cheapest_first(found, expected)


def test_the_next_slots_are_found_without_looking_at_the_whole_book(book: AnyAddress) -> None:
    with BookReader(book) as reader, reader.rows_of(GAME) as rows:
        slots = ExploreFrontier(site_of(reader, rows)).cheapest_slots()
        for _ in zip(range(16), slots, strict=False):
            pass
    assert slots.looked_at < SIZE / 10


# Refining


LIMITS = {
    "refine": WayLimits(),
    "refine within limits": WayLimits(0.3),
    "refine for light": WayLimits(0.3, own=Side.LIGHT, margin=0.1),
}


def refine(writer: BookWriter, ways: WayLimits = WayLimits()) -> RefineFrontier:
    return RefineFrontier(site_of(writer, writer.rows), most=200, ways=ways)


def finish(writer: BookWriter, share: float) -> None:
    """Have this share of the slots, the cheapest ones, be searched with more nodes."""
    run = writer.start_run({"limits": MORE_NODES.as_dict()})
    change = update(positions).where(positions.c.id == bindparam("at")).values(run=run)
    with writer.transaction() as connection:
        slots = ExploreFrontier(site_of(writer, writer.rows)).cheapest_slots()
        cheapest = [row.id for row in slots]
        some = cheapest[: round(share * len(cheapest))]
        connection.execute(change, [{"at": id} for id in some])


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_what_is_done_is_not_looked_at_again(share: float, tmp_path: Path) -> None:
    fill(tmp_path / "book.db", GAME, SIZE)
    with BookWriter(tmp_path / "book.db", GAME) as writer:
        finish(writer, share)
        with writer.transaction():
            slots = refine(writer).cheapest_slots()
            found = [slot for _, slot in zip(range(16), slots, strict=False)]
    assert len(found) == 16
    assert slots.looked_at < 100


@pytest.mark.parametrize("ways", LIMITS.values(), ids=LIMITS)
def test_whoever_has_seen_all_results_come_plans_what_a_newcomer_does(
    ways: WayLimits, tmp_path: Path
) -> None:
    book = tmp_path / "book.db"
    fill(book, GAME, WILD_SIZE)
    make_wild(book, Random(4))
    planned: list[PlannedTask] = []
    entered = 0
    with BookWriter(book, GAME) as writer:
        there_all_along = refine(writer, ways)
        run = writer.start_run({"limits": MORE_NODES.as_dict()})
        for number in range(1, 7):
            with writer.transaction():
                batch = there_all_along.next_batch(planned)
                assert batch == refine(writer, ways).next_batch(planned)
                # One batch is always in the plan when the next one is chosen.
                results = [(each.task, run_task(GAME_ID, each.task, NODES)) for each in planned]
                writer.enter_batch(results, number, run)
                entered += len(results)
            planned = [PlannedTask(at, number, task, None) for at, task in enumerate(batch)]
    assert entered > 40
