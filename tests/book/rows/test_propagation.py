"""Book values and expansion costs flow up, whatever the order in which things change."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, delete, insert, select, text, update

from book.rows.counts import CountChanges
from book.rows.encoding import BOUND_NUMBERS, BOUNDS
from book.rows.propagation import BookValue, combine, flipped, propagate, step_cost
from book.storage.address import Address, AnyAddress
from book.storage.database import Access, open_engine
from book.storage.schema import RestState, Wish, moves, positions
from book.writer import BookWriter
from engine.game import Game
from engine.values import HEURISTIC_MAX, WIN, Bound, from_child, winning_probability
from tests.examples import examples
from tests.servers import postgresql_book

EXACT, LOWER, UPPER = Bound.EXACT, Bound.LOWER, Bound.UPPER


def believed(value: int) -> BookValue:
    return BookValue(value, EXACT, False)


def won(plies: int, bound: Bound = EXACT) -> BookValue:
    return BookValue(WIN - plies, bound, True)


def lost(plies: int, bound: Bound = EXACT) -> BookValue:
    return BookValue(plies - WIN, bound, True)


DRAWN = BookValue(0, EXACT, True)


@pytest.mark.parametrize(
    ("options", "complete", "expected"),
    [
        pytest.param([believed(30), believed(-5)], True, believed(30), id="the best counts"),
        pytest.param([believed(-30)], False, believed(-30), id="also if moves are missing"),
        pytest.param([won(3)], True, won(3), id="the only move wins"),
        pytest.param([won(3), lost(4), DRAWN], True, won(3), id="all is proven: exact"),
        pytest.param([won(3), won(7)], True, won(3), id="the shortest of two wins"),
        pytest.param([won(5), believed(90)], True, won(5, LOWER), id="others may win sooner"),
        pytest.param([won(5), lost(2)], False, won(5, LOWER), id="a missing one may win sooner"),
        pytest.param([won(5, LOWER), lost(2)], True, won(5, LOWER), id="the win may be shorter"),
        pytest.param([won(5, LOWER), won(5)], False, won(5, LOWER), id="bounds with moves missing"),
        pytest.param(
            [won(3), won(5, LOWER)], True, won(3, LOWER), id="the longer win may be the sooner one"
        ),
        pytest.param([lost(2), lost(6)], True, lost(6), id="of losses the longest"),
        pytest.param([lost(6), lost(4, UPPER)], True, lost(6), id="others lose sooner still"),
        pytest.param([lost(6, UPPER), lost(4)], True, lost(6, UPPER), id="the best may be sooner"),
        pytest.param([lost(6, UPPER), lost(6)], True, lost(6), id="one holds out for sure"),
        pytest.param([won(3), won(3, LOWER)], True, won(3, LOWER), id="one may be the sooner"),
        pytest.param([lost(6, UPPER)], True, lost(6, UPPER), id="a loss that may come sooner"),
        pytest.param([lost(2), lost(6)], False, believed(-HEURISTIC_MAX), id="no loss while moves"),
        pytest.param([lost(4), believed(-700)], True, believed(-700), id="hope is better"),
        pytest.param([DRAWN, lost(2)], True, DRAWN, id="a draw"),
        pytest.param([DRAWN, lost(4, UPPER)], True, DRAWN, id="a draw beside any loss"),
        pytest.param([DRAWN], False, believed(0), id="no draw while moves are missing"),
        pytest.param([DRAWN, believed(-40)], True, believed(0), id="no draw while one is open"),
        pytest.param([DRAWN, believed(40)], True, believed(40), id="better than a draw"),
        pytest.param([DRAWN, believed(0)], True, believed(0), id="equal, but not proven"),
    ],
)
def test_a_choice_is_worth_its_best_option(
    options: list[BookValue], complete: bool, expected: BookValue
) -> None:
    assert combine(options, complete=complete) == expected
    assert combine(options[::-1], complete=complete) == expected


def test_the_other_side_sees_the_opposite_bound() -> None:
    assert [flipped(bound) for bound in (EXACT, LOWER, UPPER)] == [EXACT, UPPER, LOWER]


@pytest.mark.parametrize(
    ("best", "value", "cost"),
    [
        (50, 50, 100),
        (-300, -300, 100),
        # 0.50 - 0.45 of a win
        (0, -80, 299),
        (0, -WIN, 2100),
        (WIN, -WIN, 4100),
        # Better than the best move as it was known: no gain is paid out.
        (0, 100, 100),
    ],
)
def test_a_step_costs_a_ply_and_the_winning_probability_given_away(
    best: int, value: int, cost: int
) -> None:
    assert step_cost(best, value) == cost


# A graph of positions in layers: a position is its layer and its place in it.
Place = tuple[int, int]


@dataclass
class Rest:
    """A rest slot as the table holds it."""

    state: RestState
    value: BookValue | None
    ends: bool = False
    """Whether its move ends the game, so that no position is behind it."""


@dataclass
class Graph:
    """Positions with their rest slots, and the links among them."""

    rests: dict[Place, Rest] = field(default_factory=dict)
    wishes: dict[Place, Wish] = field(default_factory=dict)
    links: set[tuple[Place, Place]] = field(default_factory=set)

    def children(self, place: Place) -> list[Place]:
        return [child for parent, child in self.links if parent == place]

    def parents(self, place: Place) -> list[Place]:
        return [parent for parent, child in self.links if child == place]


VALUES = st.one_of(
    st.builds(believed, st.sampled_from([-1500, -900, -80, -5, 0, 5, 80, 900, 1500])),
    st.builds(won, st.sampled_from([1, 3, 5]), st.sampled_from([EXACT, LOWER])),
    st.builds(lost, st.sampled_from([2, 4, 6]), st.sampled_from([EXACT, UPPER])),
    st.just(DRAWN),
)
OPEN_RESTS = st.builds(Rest, st.just(RestState.OPEN), VALUES, st.booleans())
CLOSED_RESTS = st.sampled_from([Rest(RestState.NONE, None), Rest(RestState.PENDING, None)])


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """A few layers of positions that all have open rest slots."""
    widths = draw(st.lists(st.integers(1, 3), min_size=2, max_size=5))
    layers = [[(ply, at) for at in range(width)] for ply, width in enumerate(widths)]
    graph = Graph()
    for place in [place for layer in layers for place in layer]:
        graph.rests[place] = draw(OPEN_RESTS)
    for above, below in pairwise(layers):
        for child in below:
            parents = draw(st.sets(st.sampled_from(above)))
            graph.links |= {(parent, child) for parent in parents}
    places = st.sampled_from(sorted(graph.rests))
    graph.wishes = draw(st.dictionaries(places, st.sampled_from(Wish), max_size=3))
    return graph


def id_of(place: Place) -> int:
    # Scattered, as numbers are: in no order of plies.
    ply, at = place
    return (37 * ply + 101 * at) % 256 << 16 | ply << 8 | at


def rest_columns(rest: Rest) -> dict[str, Any]:
    value = rest.value
    ends = value is not None and rest.ends
    return {
        "rest_state": int(RestState.ENDS if ends else rest.state),
        "rest_value": None if value is None else value.value,
        "rest_bound": None if value is None else BOUND_NUMBERS[value.bound],
        "rest_proven": None if value is None else value.proven,
        "rest_line": None if value is None else b"\x50",
    }


def insert_position(connection: Connection, place: Place, rest: Rest) -> None:
    """As the writer enters a search's result: worth its rest slot, at no cost yet."""
    assert rest.value is not None
    connection.execute(
        insert(positions).values(
            id=id_of(place),
            game=1,
            lookup=0,
            ply=place[0],
            stones=b"",
            value=rest.value.value,
            bound=BOUND_NUMBERS[rest.value.bound],
            proven=rest.value.proven,
            depth=1,
            nodes=1,
            milliseconds=0,
            run=1,
            **rest_columns(rest),
        )
    )


def set_rest(connection: Connection, place: Place, rest: Rest) -> None:
    connection.execute(
        update(positions).where(positions.c.id == id_of(place)).values(**rest_columns(rest))
    )


def set_wish(connection: Connection, place: Place, wish: Wish | None) -> None:
    number = None if wish is None else int(wish)
    connection.execute(update(positions).where(positions.c.id == id_of(place)).values(wish=number))


def insert_link(connection: Connection, parent: Place, child: Place) -> None:
    connection.execute(
        insert(moves).values(parent=id_of(parent), move=child[1], child=id_of(child))
    )


Found = dict[int, tuple[BookValue, int | None]]


def found_in(connection: Connection) -> Found:
    return {
        row.id: (BookValue(row.value, BOUNDS[row.bound], row.proven), row.open_cost)
        for row in connection.execute(select(positions))
    }


def from_scratch(graph: Graph) -> Found:
    """What the rows must hold, by recursion over the whole graph."""

    def value(place: Place) -> BookValue:
        rest = graph.rests[place]
        options = [
            BookValue(from_child(known.value), flipped(known.bound), known.proven)
            for known in map(value, graph.children(place))
        ]
        if rest.value is not None:
            options.append(rest.value)
        return combine(options, complete=rest.state != RestState.PENDING)

    def slot_cost(place: Place) -> int | None:
        rest = graph.rests[place]
        if rest.value is None or rest.ends or rest.value.proven or value(place).proven:
            return None
        usual = step_cost(value(place).value, rest.value.value)
        if winning_probability(value(place).value) < 0.05:
            return min(usual, 25 * len(graph.children(place)))
        return usual

    def step_into(child: Place, best: int) -> int:
        usual = step_cost(best, from_child(value(child).value))
        return {Wish.MORE: 0, Wish.LESS: usual + 1000}.get(graph.wishes.get(child), usual)

    def costs_below(place: Place) -> Iterator[int]:
        """Of every way from here to an open slot."""
        if graph.wishes.get(place) is Wish.NEVER:
            return
        own = slot_cost(place)
        if own is not None:
            yield own
        for child in graph.children(place):
            step = step_into(child, value(place).value)
            yield from (step + cost for cost in costs_below(child))

    return {
        id_of(place): (value(place), min(costs_below(place), default=None)) for place in graph.rests
    }


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def place_of_module(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[AnyAddress]:
    if request.param == "sqlite":
        yield tmp_path_factory.mktemp("propagation") / "book.db"
        return
    with postgresql_book() as address:
        yield address


@pytest.fixture(scope="module")
def connection(place_of_module: AnyAddress, gomoku: Game) -> Iterator[Connection]:
    """In a transaction that is never stored, on a book without positions."""
    with BookWriter(place_of_module, gomoku) as writer:
        writer.start_run({"limits": {}})
    engine = open_engine(Address.of(place_of_module), Access.WRITE)
    with engine.connect() as connection:
        yield connection
        connection.rollback()
    engine.dispose()


def emptied(connection: Connection) -> Connection:
    if connection.dialect.name == "postgresql":
        # Rows deleted within a transaction would have to be passed over until its end.
        connection.execute(text("TRUNCATE moves, positions"))
    else:
        connection.execute(delete(moves))
        connection.execute(delete(positions))
    return connection


def cut(items: list[Any], sizes: list[int]) -> Iterator[list[Any]]:
    """`items` in batches of the given sizes, the last one as large as it must be."""
    for size in sizes:
        if items:
            yield items[:size]
            items = items[size:]
    if items:
        yield items


SIZES = st.lists(st.integers(1, 5), max_size=6)


@examples(100)
@given(st.data())
def test_positions_may_come_in_any_order_and_in_batches_of_any_size(
    connection: Connection, data: st.DataObject
) -> None:
    whole = data.draw(graphs())
    order = data.draw(st.permutations(sorted(whole.rests)))
    emptied(connection)
    graph = Graph(wishes=whole.wishes)
    for batch in cut(order, data.draw(SIZES)):
        changed = set()
        for place in batch:
            graph.rests[place] = whole.rests[place]
            insert_position(connection, place, whole.rests[place])
            set_wish(connection, place, graph.wishes.get(place))
            new = {link for link in whole.links if place in link and graph.rests.keys() >= {*link}}
            for parent, child in new:
                insert_link(connection, parent, child)
            graph.links |= new
            changed |= {id_of(place), *(id_of(parent) for parent, _ in new)}
        propagate(connection, changed, CountChanges())
        assert found_in(connection) == from_scratch(graph)


@examples(100)
@given(st.data())
def test_rest_slots_may_change_in_any_order(connection: Connection, data: st.DataObject) -> None:
    graph = data.draw(graphs())
    emptied(connection)
    for place, rest in graph.rests.items():
        insert_position(connection, place, rest)
        set_wish(connection, place, graph.wishes.get(place))
    for parent, child in graph.links:
        insert_link(connection, parent, child)
    propagate(connection, map(id_of, graph.rests), CountChanges())
    assert found_in(connection) == from_scratch(graph)
    changes = data.draw(st.lists(st.sampled_from(sorted(graph.rests)), max_size=8))
    for batch in cut(changes, data.draw(SIZES)):
        for place in batch:
            # Only where children are stored can the slot be empty.
            kinds = OPEN_RESTS | CLOSED_RESTS if graph.children(place) else OPEN_RESTS
            graph.rests[place] = data.draw(kinds)
            set_rest(connection, place, graph.rests[place])
        propagate(connection, {id_of(place) for place in batch}, CountChanges())
        assert found_in(connection) == from_scratch(graph)


@examples(50)
@given(st.data())
def test_wishes_may_come_and_go_in_any_order(connection: Connection, data: st.DataObject) -> None:
    graph = data.draw(graphs())
    emptied(connection)
    for place, rest in graph.rests.items():
        insert_position(connection, place, rest)
        set_wish(connection, place, graph.wishes.get(place))
    for parent, child in graph.links:
        insert_link(connection, parent, child)
    propagate(connection, map(id_of, graph.rests), CountChanges())
    for place in data.draw(st.lists(st.sampled_from(sorted(graph.rests)), max_size=8)):
        graph.wishes.pop(place, None)
        wish = data.draw(st.sampled_from([*Wish, None]))
        if wish is not None:
            graph.wishes[place] = wish
        set_wish(connection, place, wish)
        propagate(connection, map(id_of, [place, *graph.parents(place)]), CountChanges())
        assert found_in(connection) == from_scratch(graph)


def test_nothing_changes_where_nothing_changed(connection: Connection) -> None:
    emptied(connection)
    insert_position(connection, (0, 0), Rest(RestState.OPEN, believed(20)))
    insert_position(connection, (1, 0), Rest(RestState.OPEN, believed(-35)))
    insert_link(connection, (0, 0), (1, 0))
    propagate(connection, [id_of((0, 0)), id_of((1, 0))], CountChanges())
    before = found_in(connection)
    assert before[id_of((0, 0))][0] == believed(35)
    propagate(connection, [id_of((1, 0))], CountChanges())
    propagate(connection, [], CountChanges())
    assert found_in(connection) == before


def test_a_proof_goes_all_the_way_up_and_closes_the_slots_on_its_way(
    connection: Connection,
) -> None:
    emptied(connection)
    for ply in range(4):
        insert_position(connection, (ply, 0), Rest(RestState.OPEN, believed(10)))
    for ply in range(3):
        insert_link(connection, (ply, 0), (ply + 1, 0))
        if ply % 2:
            # Light's only move.
            set_rest(connection, (ply, 0), Rest(RestState.NONE, None))
    propagate(connection, [id_of((ply, 0)) for ply in range(4)], CountChanges())
    set_rest(connection, (3, 0), Rest(RestState.NONE, None))
    insert_position(connection, (4, 0), Rest(RestState.OPEN, won(1), ends=True))
    insert_link(connection, (3, 0), (4, 0))
    propagate(connection, [id_of((3, 0)), id_of((4, 0))], CountChanges())
    found = found_in(connection)
    # Light lost by a forced move, so dark is the one who is won for on even plies.
    assert [found[id_of((ply, 0))][0].value for ply in (4, 3)] == [WIN - 1, 2 - WIN]
    assert found[id_of((2, 0))] == (won(3, LOWER), None)
    assert found[id_of((1, 0))][0] == lost(4, UPPER)
    assert found[id_of((0, 0))] == (won(5, LOWER), None)
