"""Where a book grows: below a root, within limits on mistakes, deeper, and as somebody wishes."""

import json
import shutil
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import select, update

from book.reader import BookReader
from book.storage.address import AnyAddress
from book.storage.schema import Wish, runs
from book.whole.export import records
from book.whole.summary import root_states, summarise
from book.wishes import make_wish
from book.writer import BookWriter, Task
from engine import registry
from engine.game import Key
from engine.position import Side
from engine.search import Limits, SearchOptions
from fivebook.cli import cli
from precompute import job
from precompute.backend import Backend
from precompute.builder import Builder, BuildOptions, BuildState
from precompute.job import run_task
from precompute.modes.check import Check
from precompute.modes.deviate import Deviate
from precompute.modes.explore import Explore
from precompute.modes.frontier import SearchMode, Site
from precompute.modes.full import Full
from precompute.modes.prove_by_book import ProveByBook
from precompute.modes.refine import Refine, RefineFrontier
from tests.checkout import DATA
from tests.oracles.book_checker import assert_sound
from tests.oracles.slot_costs import Graph, costs_of_all_slots

GAME = registry.get("gomoku-5")
# Seven cells are free, and nobody has won.
LATE = "c2 e4 d4 e1 d3 e5 a5 c1 a1 d5 d2 e3 b2 c5 a4 c4 e2 a2"
NODES = Limits(nodes=40)
MORE_NODES = Limits(nodes=80)
SIZE = 24

CLAIMED = ("", "c3", "b2", "a1 e5", "a1 b1 c1", "b2 c3", "b2 c3 d4", "b2 c3 d4 a1", "e5 d4 c1")

# Each begins with the book of `SIZE` positions.
MODES: dict[str, dict[str, Any]] = {
    "explore": {"mode": Explore(SIZE + 16, max_loss=0.2), "line": "c3 b2"},
    "explore for light": {"mode": Explore(SIZE + 12, 0.3, Side.LIGHT, 0.02), "line": "c3 b2"},
    "refine for dark": {"mode": Refine(None, 0.5, Side.DARK, 0.1), "limits": MORE_NODES},
    "deviate": {"mode": Deviate(max_loss=0.02, total_loss=0.03), "line": LATE},
    "deviate to a ply": {"mode": Deviate(0.01, 0.02, plies=3), "roots": ("c3 b2 a1", "a1 e5")},
    "refine": {"mode": Refine(), "limits": MORE_NODES},
    "full": {"mode": Full(plies=1), "line": "c3 b2 a1"},
    "explore from roots": {"mode": Explore(SIZE + 20), "roots": ("a1 e5", "a5 a1", "a1 b1 c1")},
    "refine from roots": {"mode": Refine(), "roots": ("c3", "a1"), "limits": MORE_NODES},
    "check": {"mode": Check(), "roots": CLAIMED, "limits": MORE_NODES},
    "full from roots": {"mode": Full(plies=1), "roots": ("c3 b2 a1", "c3 b2 d3")},
}


def options(**given: Any) -> BuildOptions:
    line = GAME.parse_line(given.pop("line", ""))
    given["roots"] = tuple(tuple(GAME.parse_line(root)) for root in given.pop("roots", ()))
    usual = {"mode": Explore(), "limits": NODES, "line": tuple(line)}
    return BuildOptions(GAME, **usual | given)


def build(path: AnyAddress, **given: Any) -> BuildState:
    builder = Builder(path, options(**given))
    state = builder.run()
    assert builder.complete
    return state


def content(path: AnyAddress) -> list[dict[str, object]]:
    return list(records(path, reproducible=True))


def stored_keys(path: AnyAddress) -> set[Key]:
    return {bytes.fromhex(str(record["position"])) for record in content(path)}


def key_of(line: str) -> Key:
    return GAME.canonical(GAME.play_line(GAME.parse_line(line))).key


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("explored") / "book.db"
    build(path, mode=Explore(SIZE))
    return path


@pytest.fixture
def book(explored: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(explored, tmp_path / "book.db"))


@pytest.fixture(scope="module", params=MODES)
def mode(request: pytest.FixtureRequest) -> dict[str, Any]:
    return MODES[request.param]


@pytest.fixture(scope="module")
def grown(explored: Path, mode: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = Path(shutil.copy(explored, tmp_path_factory.mktemp("grown") / "book.db"))
    assert build(path, **mode).searches > 3
    return path


def test_each_mode_leaves_a_sound_book(grown: Path) -> None:
    assert_sound(grown, GAME)


def test_each_mode_comes_to_an_end(grown: Path, mode: dict[str, Any]) -> None:
    before = content(grown)
    assert build(grown, **mode).searches == 0
    assert content(grown) == before


def test_three_jobs_make_what_one_does(grown: Path, mode: dict[str, Any], book: Path) -> None:
    build(book, jobs=3, backend=Backend.THREADING, **mode)
    assert content(book) == content(grown)


def test_each_mode_goes_on_where_it_was_stopped(
    grown: Path, mode: dict[str, Any], book: Path
) -> None:
    def stop_soon(state: BuildState) -> None:
        if state.searches == 5 << stops:
            builder.stop()

    stops = 0
    while True:
        builder = Builder(book, options(**mode), stop_soon)
        builder.run()
        if builder.complete:
            break
        stops += 1
    assert stops
    assert content(book) == content(grown)


def below(graph: Graph, roots: Iterable[int], but: int | None = None) -> set[int]:
    """The positions that ways from `roots` lead to, other than by way of `but`."""
    found: set[int] = set()
    waiting = set(roots) - {but}
    while waiting:
        found |= waiting
        waiting = {child for id in waiting for child in graph.children[id]} - found - {but}
    return found


def number_of(graph: Graph, line: str) -> int:
    (found,) = [id for id, row in graph.rows.items() if GAME.key(row.stones) == key_of(line)]
    return found


def test_a_root_that_is_not_stored_is_searched_first_and_only_below_it_the_book_grows(
    book: Path,
) -> None:
    root = "a1 e5"
    before = stored_keys(book)
    assert key_of(root) not in before
    state = build(book, line=root, mode=Explore(SIZE + 10))
    graph = Graph(book)
    new = {id for id, row in graph.rows.items() if GAME.key(row.stones) not in before}
    assert state.added == len(new) == 10
    assert new <= below(graph, [number_of(graph, root)])


def test_no_root_is_added_to_a_book_that_holds_as_much_as_asked_for(book: Path) -> None:
    assert build(book, line="a1 e5", mode=Explore(SIZE)).added == 0


def test_a_book_may_begin_at_a_root(tmp_path: Path) -> None:
    build(tmp_path / "book.db", line="a1 e5", mode=Explore(8))
    assert min(record["ply"] for record in content(tmp_path / "book.db")) == 2  # type: ignore[type-var]


def test_roots_grow_by_turns(tmp_path: Path) -> None:
    path = tmp_path / "book.db"
    # After four moves none of them leads to another, nor is one settled with so few positions.
    roots = ("a1 a5 e1 e5", "c3 b3 c4 b4", "a1 c3 a2 c4")
    build(path, roots=roots, mode=Explore(30))
    with BookReader(path) as reader:
        states = root_states(reader, summarise(reader, GAME))
    assert [state.line for state in states] == list(roots)
    assert all(state.entry is not None for state in states)
    assert [state.positions for state in states] == [10, 10, 10]
    assert_sound(path, GAME)


def test_a_root_that_does_not_grow_leaves_its_turns_to_the_others(tmp_path: Path) -> None:
    path = tmp_path / "book.db"
    build(path, roots=(f"{LATE} b1 b3 b4 b5 c3 a3", "c3"), mode=Explore(60))
    with BookReader(path) as reader:
        late, early = root_states(reader, summarise(reader, GAME))
    assert late.positions < early.positions
    assert late.positions + early.positions == 60


@pytest.mark.parametrize(
    ("mode_up_to", "added"),
    [
        (Explore, 4),
        (partial(ProveByBook, Side.DARK), 4),
        # The root, and what comes after three stones without any symmetry.
        (lambda _: Full(1), 1 + 222),
    ],
    ids=["explore", "prove", "full"],
)
def test_growing_a_book_of_proofs_searches_no_position_that_is_proven(
    mode_up_to: Callable[[int], SearchMode], added: int, tmp_path: Path
) -> None:
    path = Path(shutil.copy(DATA / "gomoku-15.db", tmp_path / "book.db"))
    game = registry.get("gomoku-15")

    def proven_and_all() -> tuple[int, int]:
        with BookReader(path) as reader:
            summary = summarise(reader, game)
        return summary.proven, summary.positions

    proven, positions = proven_and_all()
    root = tuple(game.parse_line("a1 o15 a15"))
    mode = mode_up_to(positions + added)
    state = Builder(path, BuildOptions(game, mode=mode, limits=NODES, line=root)).run()
    assert proven_and_all() == (proven, positions + added)
    assert state.searches <= 3 * state.added


def test_a_full_build_holds_all_that_comes_after_its_root(tmp_path: Path) -> None:
    path = tmp_path / "book.db"
    build(path, line="c3 b2 d3", mode=Full(2), limits=Limits(nodes=5))
    layer = {GAME.canonical(GAME.play_line(GAME.parse_line("c3 b2 d3"))).stones}
    expected = set(layer)
    for _ in range(2):
        layer = {
            child.canonical.stones
            for stones in layer
            for child in GAME.children(GAME.unpack(stones))
        }
        expected |= layer
    assert len(expected) > 256
    assert {row.stones for row in Graph(path).rows.values()} == expected
    assert_sound(path, GAME)


@pytest.mark.slow
def test_a_deviation_leaves_no_slot_that_small_mistakes_lead_to(book: Path) -> None:
    root = LATE[: LATE.index(" e2")]
    build(book, line=root, mode=Deviate(0.002, 0.002), limits=Limits(nodes=10))
    graph = Graph(book)
    number = number_of(graph, root)
    assert len(below(graph, [number])) > 20
    assert costs_of_all_slots(graph, number, each=4, together=4) == {}
    # Those that larger ones lead to are still there.
    assert costs_of_all_slots(graph, number) != {}


def test_a_deviation_goes_as_far_as_it_is_told(tmp_path: Path) -> None:
    roots = ("c3", "b2 a1")
    path = tmp_path / "book.db"
    build(path, roots=roots, mode=Deviate(0.005, 0.01, plies=3))
    graph = Graph(path)
    for root in roots:
        number = number_of(graph, root)
        plies = {graph.rows[id].ply for id in below(graph, [number])}
        first = graph.rows[number].ply
        assert plies >= {first, first + 1, first + 2, first + 3}
        assert costs_of_all_slots(graph, number, each=20, together=40, plies=3) == {}
        assert costs_of_all_slots(graph, number, each=20, together=40) != {}
    assert max(row.ply for row in graph.rows.values()) == 5


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[Key]:
    """The keys of all searches from now on."""
    keys: list[Key] = []

    def noted(game_id: str, task: Task, limits: Limits, search: SearchOptions) -> Any:
        keys.append(task.key)
        return run_task(game_id, task, limits, search)

    monkeypatch.setattr(job, "run_task", noted)
    return keys


def test_refining_searches_each_open_slot_once_and_adds_nothing(
    book: Path, searched: list[Key]
) -> None:
    expected = {GAME.key(Graph(book).rows[id].stones) for id in costs_of_all_slots(Graph(book))}
    before = stored_keys(book)
    build(book, mode=Refine(), limits=MORE_NODES)
    assert len(searched) == len(set(searched))
    graph = Graph(book)
    open_still = {GAME.key(graph.rows[id].stones) for id in costs_of_all_slots(graph)}
    assert open_still <= set(searched)
    # What got open or was proven by a search of another slot aside, these are all.
    assert len(set(searched) ^ expected) <= 2
    assert stored_keys(book) == before


def test_refining_begins_with_the_cheapest_slots(book: Path, searched: list[Key]) -> None:
    graph = Graph(book)
    costs = {GAME.key(graph.rows[id].stones): c for id, c in costs_of_all_slots(graph).items()}
    build(book, mode=Refine(searches=10), limits=MORE_NODES)
    assert [costs[key] for key in searched] == sorted(costs.values())[:10]


def test_refining_stops_at_as_many_searches_as_asked_for(book: Path) -> None:
    first = build(book, mode=Refine(searches=7), limits=MORE_NODES)
    second = build(book, mode=Refine(searches=9), limits=MORE_NODES)
    assert (first.searches, second.searches) == (7, 2)


def test_refining_with_what_the_book_was_built_with_changes_nothing(book: Path) -> None:
    assert build(book, mode=Refine()).searches == 0
    assert build(book, mode=Refine(), limits=Limits(nodes=10)).searches == 0


def test_refining_ends_in_each_kind_of_database(place: AnyAddress) -> None:
    build(place, mode=Explore(8))
    refined = {"mode": Refine(searches=6), "limits": MORE_NODES}
    assert build(place, **refined).searches > 0
    assert build(place, **refined).searches == 0
    assert_sound(place, GAME)


@pytest.mark.parametrize(
    ("had", "wanted", "done"),
    [
        ({"nodes": 100}, Limits(nodes=100), True),
        ({"nodes": 100}, Limits(nodes=101), False),
        ({"nodes": 100}, Limits(nodes=100, depth=4), True),
        ({"nodes": 100, "depth": 3}, Limits(nodes=100), False),
        ({"nodes": 100, "depth": 3}, Limits(nodes=50, depth=3), True),
        ({"depth": 9}, Limits(nodes=100), False),
        ({"nodes": None, "movetime": 2.0}, Limits(movetime=1.5), True),
        ({"nodes": None, "movetime": 1.0}, Limits(movetime=1.5), False),
        ({}, Limits(nodes=1), False),
    ],
)
def test_a_slot_is_done_if_its_search_was_given_as_much_in_every_respect(
    book: Path, had: dict[str, object], wanted: Limits, done: bool
) -> None:
    assert nothing_is_left(book, {"limits": had}, wanted) is done


@pytest.mark.parametrize(
    ("proof", "done"), [({"mode": "prove"}, False), ({"mode": "prove", "side": "dark"}, True)]
)
def test_the_limits_of_a_whole_proof_are_not_those_of_its_positions(
    book: Path, proof: dict[str, object], done: bool
) -> None:
    assert nothing_is_left(book, proof | {"limits": {"nodes": 100}}, Limits(nodes=100)) is done


def nothing_is_left(book: Path, parameters: dict[str, object], wanted: Limits) -> bool:
    """Whether refining has nothing to search in a book all of whose runs had these parameters."""
    with BookWriter(book, GAME) as writer, writer.transaction() as connection:
        connection.execute(update(runs).values(parameters=json.dumps(parameters)))
        site = Site(writer.address, writer.rows, [GAME.initial], wanted)
        return RefineFrontier(site).next_batch([]) == []


def favourite(graph: Graph) -> int:
    """The child of the empty board that has most of the book below it."""
    return max(graph.children[1], key=lambda child: len(below(graph, [child])))


def only_by_way_of(graph: Graph, place: int) -> set[int]:
    return set(graph.rows) - below(graph, [1], but=place)


def grow_with(book: Path, wish: Wish | None) -> tuple[set[int], set[int]]:
    """The positions that only the favourite leads to, before a build with this wish and after."""
    graph = Graph(book)
    place = favourite(graph)
    make_wish(book, GAME, GAME.unpack(graph.rows[place].stones), wish)
    build(book, mode=Explore(SIZE + 120))
    return only_by_way_of(graph, place), only_by_way_of(Graph(book), place)


def test_nothing_is_added_by_way_of_a_position_where_that_is_never_wished(
    book: Path, tmp_path: Path
) -> None:
    other = Path(shutil.copy(book, tmp_path / "other.db"))
    before, after = grow_with(book, Wish.NEVER)
    assert after <= before
    assert_sound(book, GAME)
    before, usual = grow_with(other, None)
    assert not usual <= before


@pytest.mark.slow
def test_more_is_added_where_more_is_wished_and_less_where_less_is(
    book: Path, tmp_path: Path
) -> None:
    others = [Path(shutil.copy(book, tmp_path / f"{at}.db")) for at in range(2)]
    _, more = grow_with(book, Wish.MORE)
    _, usual = grow_with(others[0], None)
    _, less = grow_with(others[1], Wish.LESS)
    assert len(less) < len(usual) < len(more)


def test_what_was_planned_before_a_wish_is_planned_anew(book: Path) -> None:
    builder = Builder(book, options(mode=Explore(SIZE + 20)), lambda state: builder.stop())
    builder.run()
    assert not builder.complete
    before, after = grow_with(book, Wish.NEVER)
    assert after <= before


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("--mode explore --plies 2", "--mode explore has no --plies"),
        ("--mode refine --positions 5", "--mode refine has no --positions"),
        ("--mode deviate --abs 0.1 --rel 0.1 --max-loss 0.1", "--mode deviate has no --max-loss"),
        ("--mode full --plies 1 --searches 5", "--mode full has no --searches"),
        ("--mode prove --table 4", "--mode prove has no --table"),
        ("--memory 1GB", "--mode explore has no --memory"),
        ("--plies 1 --max-loss 0.1", "--mode full has no --max-loss"),
        ("--mode full", "--mode full needs --plies"),
        ("--margin 1%", "--margin is of the moves of a side: name it with --for"),
        ("--mode full --plies 1 --for dark", "--mode full has no --for"),
        ("--mode deviate --abs 10%", "--mode deviate needs --abs and --rel"),
        ("--max-loss 11", "'11' is no probability, such as 0.1 or 10%"),
        ("--max-loss -1%", "no probability"),
        ("--root a1,a1", "illegal move 'a1'"),
        ("--root a1,a2,b1,b2,c1,c2,d1,d2,e1", "the game is over after"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(
    tmp_path: Path, arguments: str, sentence: str
) -> None:
    path = tmp_path / "book.db"
    result = CliRunner().invoke(cli, ["build", str(path), "--game", GAME.id, *arguments.split()])
    assert result.exit_code == 2
    assert sentence in result.stderr.splitlines()[-1]
    assert not path.exists()


def test_the_command_deviates_and_refines(tmp_path: Path) -> None:
    path = str(tmp_path / "book.db")
    commands = (
        ["--mode", "deviate", "--abs", "1%", "--rel", "0.01", "--nodes", "40", "--positions", "9"],
        ["--mode", "refine", "--nodes", "80", "--searches", "3"],
        ["--mode", "deviate", "--abs", "1%", "--rel", "1%", "--nodes", "40", "--plies", "1"],
    )
    for arguments in commands:
        given = ["build", path, "--game", GAME.id, "--root", "c3,d4", *arguments]
        result = CliRunner().invoke(cli, given)
        assert result.exit_code == 0, result.output
    with BookReader(path) as reader, reader.connection() as connection:
        found = connection.execute(select(runs.c.parameters, runs.c.searches)).all()
    assert '"root": "c3 d4"' in found[1].parameters
    assert found[1].searches == 3
    assert '"plies": 1' in found[2].parameters


@pytest.mark.slow
@pytest.mark.parametrize("own", Side)
def test_a_book_for_a_side_goes_deeper_than_one_for_both(own: Side, tmp_path: Path) -> None:
    plies = {}
    for name, mode in (("both", Explore(100, 0.2)), ("one", Explore(100, 0.2, own))):
        build(tmp_path / f"{name}.db", mode=mode, limits=Limits(nodes=300))
        graph = Graph(tmp_path / f"{name}.db")
        plies[name] = sorted(row.ply for row in graph.rows.values())
    assert max(plies["one"]) > max(plies["both"])
    assert mean(plies["one"]) > mean(plies["both"])
    # Where no value has changed one move is kept; each change can bring one more.
    own_rows = [row for row in graph.rows.values() if row.ply % 2 == (own is Side.LIGHT)]
    assert sum(len(graph.children[row.id]) for row in own_rows) < 2 * len(own_rows)


def test_the_command_makes_a_book_for_a_side(tmp_path: Path) -> None:
    made = tmp_path / "made.db"
    build(made, mode=Explore(20, 0.2, Side.LIGHT, 0.01))
    command = ["build", str(tmp_path / "told.db"), "--game", GAME.id, "--positions", "20"]
    growth = ["--max-loss", "20%", "--for", "light", "--margin", "1%", "--nodes", str(NODES.nodes)]
    result = CliRunner().invoke(cli, [*command, *growth])
    assert result.exit_code == 0, result.output
    assert content(tmp_path / "told.db") == content(made)
    told = CliRunner().invoke(cli, ["log", str(tmp_path / "told.db")]).output
    assert "side light, max_loss 0.2, margin 0.01" in " ".join(told.split())
