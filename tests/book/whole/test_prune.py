"""Pruning takes out what it says and changes nothing of what the book says of the rest."""

import json
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from book.errors import BookUnreadable, PositionNotFound
from book.reader import BookReader
from book.rows.counts import recount
from book.rows.propagation import BookValue, combine, propagate_all
from book.storage.address import Address, AnyAddress
from book.storage.schema import RestState, moves, positions
from book.whole.diff import Comparison, compare
from book.whole.export import records
from book.whole.moment import Moment
from book.whole.prune import Cut, LastGame, prune, take_out_game
from book.writer import BookWriter, empty_slot
from engine import registry
from engine.values import HEURISTIC_MAX, WIN, Bound
from precompute.builder import Builder, BuildOptions
from precompute.modes.explore import Explore
from tests.book.handmade import OPEN_THREE, proven_book
from tests.books import (
    NODES,
    CopyOf,
    Fivebook,
    change,
    rows_of,
    seal,
    slowly_on_a_server,
    small_book,
)
from tests.checkout import DATA
from tests.oracles.book_checker import assert_sound

GOMOKU = registry.get("gomoku-9")
SOLVED = DATA / "pentago-swap.db"

CUTS = [
    pytest.param(Cut(plies=2), id="plies"),
    pytest.param(Cut(plies=0), id="all but the root"),
    pytest.param(Cut(max_loss=0.02), id="loss"),
    pytest.param(Cut(plies=3, max_loss=0.05), id="both"),
]


def kinds(first: AnyAddress, second: AnyAddress) -> set[Comparison]:
    with Moment(first) as one, Moment(second) as other:
        return {compared.kind for compared in compare(one, other)}


@slowly_on_a_server
@pytest.mark.parametrize("cut", CUTS)
def test_what_stays_keeps_value_proof_and_best_move(
    cut: Cut, gomoku_book: Path, place: AnyAddress
) -> None:
    small_book(str(place), "gomoku-9", 50)
    pruned = prune(Address.of(place), GOMOKU, cut)
    assert kinds(gomoku_book, place) == {Comparison.SAME, Comparison.ONLY_FIRST}
    assert len(list(records(place))) == pruned.left == 50 - pruned.removed
    assert_sound(place, GOMOKU)


def test_what_was_altered_does_not_become_sound(gomoku_book: Path, copy_of: CopyOf) -> None:
    altered = copy_of(gomoku_book)
    change(altered, "UPDATE positions SET value = value + 1 WHERE id = 1")
    with pytest.raises(BookUnreadable, match="row 1 of positions is not what was written"):
        prune(Address.of(altered), GOMOKU, Cut(plies=2))
    assert len(list(records(altered))) == len(list(records(gomoku_book)))


@pytest.mark.parametrize("name", ["swap", "wide"])
def test_other_games_are_pruned_alike(
    name: str, request: pytest.FixtureRequest, copy_of: CopyOf
) -> None:
    book = request.getfixturevalue(f"{name}_book")
    with BookReader(book) as reader:
        [game] = reader.games
    pruned = copy_of(book)
    prune(Address(pruned), game, Cut(plies=1))
    assert kinds(book, pruned) == {Comparison.SAME, Comparison.ONLY_FIRST}
    assert_sound(pruned, game)


def test_a_solved_game_stays_solved(tmp_path: Path) -> None:
    book = Path(shutil.copy(SOLVED, tmp_path / "solved.db"))
    game = registry.get("pentago-swap")
    pruned = prune(Address(book), game, Cut(plies=2))
    assert pruned.removed > 10_000
    assert kinds(SOLVED, book) == {Comparison.SAME, Comparison.ONLY_FIRST}
    assert_sound(book, game)


@pytest.mark.parametrize("plies", [6, 7])
def test_proven_slots_are_carried_up(plies: int, tmp_path: Path) -> None:
    book = proven_book(tmp_path / "book.db")
    prune(Address(book), GOMOKU, Cut(plies=plies))
    assert_sound(book, GOMOKU)
    with BookReader(book) as reader:
        entry = reader.find(GOMOKU, GOMOKU.play_line(GOMOKU.parse_line(OPEN_THREE)))
    assert (entry.value, entry.proven) == (WIN - 3, True)


def test_the_line_of_a_slot_is_what_the_book_expected(tmp_path: Path) -> None:
    book = proven_book(tmp_path / "book.db")
    position = GOMOKU.play_line(GOMOKU.parse_line(OPEN_THREE))
    with BookReader(book) as reader:
        before = reader.find(GOMOKU, position).moves[0].line
    prune(Address(book), GOMOKU, Cut(plies=6))
    with BookReader(book) as reader:
        assert reader.find(GOMOKU, position).moves[0].line == before


@slowly_on_a_server
def test_building_goes_on_after_pruning(place: AnyAddress) -> None:
    small_book(str(place), "gomoku-9", 50)
    prune(Address.of(place), GOMOKU, Cut(plies=1))
    small_book(str(place), "gomoku-9", 50)
    assert len(list(records(place))) == 50
    assert_sound(place, GOMOKU)


# Pending slots


def make_pending(book: Path, which: str) -> None:
    """Have all slots wait that meet a condition and belong to positions with stored children."""
    parents = "id IN (SELECT parent FROM moves)"
    columns = ", ".join(
        f"{name} = {'NULL' if value is None else value}"
        for name, value in empty_slot(RestState.PENDING).items()
    )
    change(book, f"UPDATE positions SET {columns} WHERE {parents} AND {which}")
    with BookWriter(book, GOMOKU) as writer, writer.transaction() as connection:
        for _ in propagate_all(connection, writer.rows.number):
            pass
        recount(connection, writer.rows.number)
    seal(book)


@pytest.mark.parametrize("plies", [0, 1, 2, 3])
def test_pending_positions_keep_their_values(
    plies: int, gomoku_book: Path, copy_of: CopyOf, tmp_path: Path
) -> None:
    book = copy_of(gomoku_book)
    make_pending(book, "ply >= 0")
    before = Path(shutil.copy(book, tmp_path / "before.db"))
    prune(Address(book), GOMOKU, Cut(plies=plies))
    assert kinds(before, book) == {Comparison.SAME, Comparison.ONLY_FIRST}
    assert_sound(book, GOMOKU)


def test_a_slot_stays_pending_while_the_stored_moves_give_the_value(
    gomoku_book: Path, copy_of: CopyOf
) -> None:
    book = copy_of(gomoku_book)
    make_pending(book, "ply = 0")
    [row] = rows_of(
        book,
        "SELECT count(*) AS children, min(value) AS best FROM positions WHERE ply = 1",
    )
    assert row["children"] > 1
    prune(Address(book), GOMOKU, Cut(max_loss=0.0))
    [root] = rows_of(book, "SELECT rest_state, value FROM positions WHERE ply = 0")
    assert root == {"rest_state": RestState.PENDING, "value": -row["best"]}


# Values that combine as wholes


values = st.one_of(
    st.builds(BookValue, st.integers(-60, 60), st.just(Bound.EXACT), st.booleans()).filter(
        lambda value: not value.proven or value.value == 0
    ),
    st.builds(BookValue, st.integers(WIN - 6, WIN - 1), st.sampled_from([Bound.EXACT, Bound.LOWER]),
              st.just(True)),
    st.builds(BookValue, st.integers(1 - WIN, 6 - WIN), st.sampled_from([Bound.EXACT, Bound.UPPER]),
              st.just(True)),
    st.just(BookValue(-HEURISTIC_MAX, Bound.EXACT, False)),
)  # fmt: skip


@given(
    some=st.lists(values, min_size=1, max_size=4),
    others=st.lists(values, max_size=3),
    complete=st.booleans(),
)
def test_a_slot_can_stand_for_several_moves(
    some: list[BookValue], others: list[BookValue], complete: bool
) -> None:
    slot = combine(some, complete=complete)
    assert combine([slot, *others], complete=True) == combine(some + others, complete=complete)


# Which positions go


def ways(book: Path) -> Iterator[list[Any]]:
    """Every way from the empty board through a book, as rows."""
    with BookReader(book) as reader, reader.connection() as connection:
        rows = {row.id: row for row in connection.execute(select(positions))}
        links = connection.execute(select(moves)).all()
    children: dict[int, list[int]] = {}
    for link in links:
        children.setdefault(link.parent, []).append(link.child)
    open_ways = [[row] for row in rows.values() if row.ply == 0]
    while open_ways:
        way = open_ways.pop()
        yield way
        open_ways += [[*way, rows[child]] for child in children.get(way[-1].id, [])]


def losses(way: list[Any]) -> list[float]:
    def chance(value: int) -> float:
        return 1 / (1 + 2.718281828459045 ** (-value / 400))

    return [
        max(0.0, chance(parent.value) - chance(-child.value)) for parent, child in pairwise(way)
    ]


def stones_in(book: Path) -> set[bytes]:
    return {row["stones"] for row in rows_of(book, "SELECT stones FROM positions")}


@pytest.mark.parametrize("most", [0.01, 0.03, 0.1])
def test_what_is_reached_cheapest_by_a_bad_move_goes(
    most: float, gomoku_book: Path, copy_of: CopyOf
) -> None:
    cheapest: dict[bytes, tuple[int, bool]] = {}
    for way in ways(gomoku_book):
        cost = sum(100 + round(4000 * loss) for loss in losses(way))
        found = (cost, any(loss > most for loss in losses(way)))
        cheapest[way[-1].stones] = min(found, cheapest.get(way[-1].stones, found))
    book = copy_of(gomoku_book)
    prune(Address(book), GOMOKU, Cut(max_loss=most))
    assert stones_in(book) == {stones for stones, (_, is_bad) in cheapest.items() if not is_bad}


def test_what_is_reached_through_a_line_only_goes(gomoku_book: Path, copy_of: CopyOf) -> None:
    lines = {way[1].stones for way in ways(gomoku_book) if len(way) == 2}
    for stones in lines:
        book = copy_of(gomoku_book)
        left = {
            way[-1].stones
            for way in ways(gomoku_book)
            if stones not in {row.stones for row in way[:-1]}
        }
        prune(Address(book), GOMOKU, Cut(below=GOMOKU.unpack(stones)))
        assert stones_in(book) == left
        assert kinds(gomoku_book, book) <= {Comparison.SAME, Comparison.ONLY_FIRST}


def test_what_the_empty_board_does_not_lead_to_goes_by_its_ply_alone(tmp_path: Path) -> None:
    book = proven_book(tmp_path / "book.db")
    assert prune(Address(book), GOMOKU, Cut(max_loss=0.0)).removed == 0
    assert prune(Address(book), GOMOKU, Cut(plies=7)).removed == 1


def test_what_grew_elsewhere_goes(gomoku_book: Path, copy_of: CopyOf) -> None:
    book = copy_of(gomoku_book)
    line = (71, 80, 8)
    options = BuildOptions(GOMOKU, Explore(70), NODES, line=line)
    Builder(book, options).run()
    left = {way[-1].stones for way in ways(book)}
    shutil.copy(book, grown := book.with_suffix(".grown"))
    assert prune(Address(book), GOMOKU, Cut(unreached=True)).removed == 70 - len(left) > 0
    assert stones_in(book) == left
    assert kinds(grown, book) == {Comparison.SAME, Comparison.ONLY_FIRST}
    assert_sound(book, GOMOKU)


def test_what_leads_from_the_empty_board_needs_it(tmp_path: Path) -> None:
    book = tmp_path / "book.db"
    options = BuildOptions(GOMOKU, Explore(5), NODES, line=(71, 80))
    Builder(book, options).run()
    with pytest.raises(PositionNotFound, match="does not hold the empty board of gomoku-9"):
        prune(Address(book), GOMOKU, Cut(unreached=True))
    assert len(stones_in(book)) == 5


# The command


def test_a_dry_run_says_the_same_and_changes_nothing(
    gomoku_book: Path, copy_of: CopyOf, fivebook: Fivebook
) -> None:
    book = copy_of(gomoku_book)
    before = list(records(book))
    told = json.loads(fivebook("prune", book, "--plies", "2", "--dry-run", "--json").stdout)
    assert list(records(book)) == before
    done = json.loads(fivebook("prune", book, "--plies", "2", "--json").stdout)
    assert done == told | {"dry_run": False}
    assert done["removed"] > 0


def test_a_line_is_given_in_any_orientation(
    gomoku_book: Path, copy_of: CopyOf, fivebook: Fivebook
) -> None:
    stones = next(way[1].stones for way in ways(gomoku_book) if len(way) == 3)
    [cell] = stones
    for symmetry in GOMOKU.symmetries:
        line = GOMOKU.format_cell(GOMOKU.map_cell(cell, symmetry))
        result = fivebook("prune", gomoku_book, "--below", line, "--dry-run", "--json")
        assert json.loads(result.stdout)["removed"] > 0


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--max-loss", "5"],
        ["--max-loss", "101%"],
        ["--below", "a1 b9 c7 d3"],
        ["--below", "z9"],
        ["--plies", "2", "--game", "gomoku-15"],
    ],
)
def test_bad_input_gets_a_sentence(
    options: list[str], gomoku_book: Path, fivebook: Fivebook
) -> None:
    result = fivebook("prune", gomoku_book, *options)
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr


def test_a_book_of_several_games_needs_to_know_which(both_book: Path, fivebook: Fivebook) -> None:
    result = fivebook("prune", both_book, "--plies", "1")
    assert result.exit_code == 2
    assert "holds gomoku-9 and pentago-swap: use --game" in result.stderr


def test_an_interrupted_prune_changes_nothing(
    place: AnyAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    small_book(str(place), "gomoku-9", 20)
    before = list(records(place))
    monkeypatch.setattr("book.whole.prune.recount", interrupted)
    with pytest.raises(KeyboardInterrupt):
        prune(Address.of(place), GOMOKU, Cut(plies=1))
    assert list(records(place)) == before


# A whole game


@slowly_on_a_server
def test_a_game_is_taken_out_with_all_that_belongs_to_it(
    gomoku_book: Path, place: AnyAddress, fivebook: Fivebook
) -> None:
    small_book(str(place), "gomoku-9", 50)
    small_book(str(place), "pentago-swap", 10)
    told = json.loads(
        fivebook("prune", place, "--game", "pentago-swap", "--dry-run", "--json").output
    )
    assert (told["removed"], told["left"]) == (10, 50)
    result = fivebook("prune", place, "--game", "pentago-swap")
    assert result.exit_code == 0, result.output
    assert "10 positions are gone" in result.output
    with BookReader(place) as reader:
        assert list(reader.games) == [GOMOKU]
    exported = list(records(place, reproducible=True))
    assert exported == list(records(gomoku_book, reproducible=True))
    assert_sound(place, GOMOKU)
    assert fivebook("verify", place).exit_code == 0
    for table in ("runs", "history", "tasks", "counts", "cells", "move_names"):
        games = {row["game"] for row in rows_of(place, f"SELECT DISTINCT game FROM {table}")}
        assert len(games) <= 1, table


def test_the_only_game_of_a_book_is_not_taken_out(copy_of: CopyOf, gomoku_book: Path) -> None:
    book = copy_of(gomoku_book)
    with pytest.raises(LastGame, match="holds gomoku-9 and nothing else"):
        take_out_game(Address.of(book), GOMOKU)


def test_a_mistaken_game_is_not_added_to_a_book(
    copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    book = copy_of(gomoku_book)
    for more in ((), ("--plies", "1"), ("--mode", "prove", "--plies", "1")):
        result = fivebook("build", book, "--game", "pentago-swap", "--nodes", "100", *more)
        assert result.exit_code == 2
        assert "holds gomoku-9, and not pentago-swap" in result.stderr
    with BookReader(book) as reader:
        assert list(reader.games) == [GOMOKU]
    command = ("build", book, "--game", "pentago-swap", "--nodes", "100", "--positions", "2")
    assert fivebook(*command, "--add-game").exit_code == 0
    # From then on it is one of the book's.
    assert fivebook(*command).exit_code == 0
    with BookReader(book) as reader:
        assert len(reader.games) == 2
