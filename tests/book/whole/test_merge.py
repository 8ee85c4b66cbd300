"""A merged book holds what its books hold, and says of it what follows from that."""

import json
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import select

from book.errors import BookError, BookUnreadable
from book.reader import BookReader
from book.storage.address import Address, AnyAddress
from book.storage.schema import RestState, positions
from book.whole.export import records
from book.whole.merge import Conflict, Merged, merge
from book.whole.summary import summarise
from book.writer import BookWriter
from engine import registry as all_games
from engine.game import Game
from engine.search import Limits
from precompute.builder import Builder, BuildOptions
from precompute.modes.explore import Explore
from tests.book.handmade import GAME_ID, OPEN_FOUR, OPEN_THREE, enter
from tests.books import CopyOf, Fivebook, change, rows_of, seal, slowly_on_a_server, small_book
from tests.oracles.book_checker import assert_sound

Content = list[dict[str, object]]
Pair = tuple[Path, Path, str]


def random_book(path: Path, name: str, seed: int) -> Path:
    """A book as large, and searched as deep, as chance will have it."""
    random = Random(seed)
    limits = Limits(nodes=random.choice([40, 150, 600]))
    options = BuildOptions(all_games.get(name), Explore(random.randint(20, 60)), limits)
    Builder(path, options).run()
    return path


@pytest.fixture(scope="session", params=[("gomoku-5", 1), ("gomoku-9", 7), ("pentago-swap", 3)])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """Two books of one game, and the game's name."""
    name, seed = request.param
    folder = tmp_path_factory.mktemp("pair")
    first, second = (random_book(folder / f"{at}.db", name, seed + at) for at in range(2))
    return first, second, name


def merged(target: AnyAddress, *books: AnyAddress, **options: bool) -> Merged:
    return merge([Address.of(book) for book in books], Address.of(target), **options)


def content(book: AnyAddress) -> Content:
    return list(records(book, reproducible=True))


def rows(book: AnyAddress) -> dict[bytes, Any]:
    """The rows of a book by their stones."""
    with BookReader(book) as reader, reader.connection() as connection:
        return {row.stones: row for row in connection.execute(select(positions))}


def test_everything_in_a_merged_book_follows_from_its_rows(pair: Pair, place: AnyAddress) -> None:
    first, second, name = pair
    merged(place, first, second)
    assert_sound(place, all_games.get(name))


def test_a_merged_book_holds_the_positions_of_both(pair: Pair, tmp_path: Path) -> None:
    first, second, _ = pair
    done = merged(tmp_path / "both.db", first, second)
    assert set(rows(tmp_path / "both.db")) == set(rows(first)) | set(rows(second))
    assert done.positions == len(rows(tmp_path / "both.db"))


def test_slots_are_those_of_the_best_search_that_still_hold(pair: Pair, tmp_path: Path) -> None:
    first, second, name = pair
    merged(tmp_path / "both.db", first, second)
    game = all_games.get(name)
    both, one, other = rows(tmp_path / "both.db"), rows(first), rows(second)
    for stones, row in both.items():
        found = [books[stones] for books in (one, other) if stones in books]
        if row.rest_state == RestState.KEPT:
            assert any(r.proven for r in found)
            continue
        children = children_of(game, stones)
        holding = [r for r in found if slot_holds(game, r, children, both)]
        best = max(holding or found, key=lambda r: (r.proven, r.depth, r.nodes))
        assert (row.depth, row.nodes) == (best.depth, best.nodes)
        if not holding:
            assert row.rest_state == RestState.PENDING
            continue
        slots = [
            (r.rest_state, r.rest_line)
            for r in holding
            if (r.proven, r.depth, r.nodes) == (best.proven, best.depth, best.nodes)
        ]
        assert (row.rest_state, row.rest_line) in slots


def test_the_search_of_the_first_book_can_be_preferred_to_a_deeper_one(tmp_path: Path) -> None:
    game = all_games.get("gomoku-9")
    for name, nodes in {"shallow.db": 40, "deep.db": 600}.items():
        Builder(tmp_path / name, BuildOptions(game, Explore(40), Limits(nodes=nodes))).run()
    shallow, deep, both, usual = (
        tmp_path / name for name in ("shallow.db", "deep.db", "both.db", "usual.db")
    )
    merged(both, shallow, deep, prefer_first=True)
    merged(usual, shallow, deep)
    assert_sound(both, game)
    found, known = rows(both), rows(shallow)
    preferred = []
    for stones in set(known) & set(rows(deep)):
        children = children_of(game, stones)
        if not found[stones].proven and slot_holds(game, known[stones], children, found):
            assert found[stones].rest_line == known[stones].rest_line
            assert found[stones].nodes == known[stones].nodes
            preferred.append(stones)
    assert any(rows(usual)[stones].nodes > known[stones].nodes for stones in preferred)


def children_of(game: Game, stones: bytes) -> set[bytes]:
    position = game.unpack(stones)
    return {game.canonical(game.play(position, m)).stones for m in game.legal_moves(position)}


def slot_holds(game: Game, row: Any, children: set[bytes], stored: dict[bytes, Any]) -> bool:
    """Whether a slot is one of a book that holds the positions `stored`."""
    if row.rest_state == RestState.NONE:
        return children <= set(stored)
    if row.rest_state == RestState.PENDING:
        return False
    move = row.rest_line[0] if game.move_count <= 256 else int.from_bytes(row.rest_line[:2], "big")
    return game.canonical(game.play(game.unpack(row.stones), move)).stones not in stored


def test_the_order_of_the_books_makes_no_difference(pair: Pair, tmp_path: Path) -> None:
    first, second, _ = pair
    merged(tmp_path / "one.db", first, second)
    merged(tmp_path / "other.db", second, first)
    assert content(tmp_path / "one.db") == content(tmp_path / "other.db")


def test_merging_a_book_with_itself_gives_the_same_book(pair: Pair, place: AnyAddress) -> None:
    first, _, _ = pair
    merged(place, first, first)
    assert content(place) == content(first)


def test_merging_a_book_in_that_was_merged_before_gives_the_same_book(
    pair: Pair, tmp_path: Path
) -> None:
    first, second, _ = pair
    merged(tmp_path / "both.db", first, second)
    merged(tmp_path / "again.db", tmp_path / "both.db", second)
    assert content(tmp_path / "again.db") == content(tmp_path / "both.db")


def test_books_are_merged_from_and_into_each_kind_of_database(
    place: AnyAddress, stored: Callable[[str], AnyAddress], swap_book: Path, tmp_path: Path
) -> None:
    merged(place, stored("gomoku_book"), swap_book)
    merged(tmp_path / "plain.db", stored("gomoku_book"), swap_book)
    assert content(place) == content(tmp_path / "plain.db")


def test_books_of_several_games_are_merged(
    both_book: Path, gomoku_book: Path, tmp_path: Path
) -> None:
    book = tmp_path / "all.db"
    merged(book, gomoku_book, both_book)
    for name in ("gomoku-9", "pentago-swap"):
        assert_sound(book, all_games.get(name))
    alone = [record for record in content(both_book) if record["game"] == "pentago-swap"]
    assert [record for record in content(book) if record["game"] == "pentago-swap"] == alone


@slowly_on_a_server
def test_building_goes_on_from_a_merged_book(pair: Pair, place: AnyAddress) -> None:
    first, second, name = pair
    done = merged(place, first, second)
    small_book(str(place), name, done.positions + 10)
    assert len(content(place)) == done.positions + 10
    assert_sound(place, all_games.get(name))


def test_every_row_names_the_run_that_searched_it(pair: Pair, tmp_path: Path) -> None:
    first, second, name = pair
    merged(tmp_path / "both.db", first, second)
    known = {
        (row["stones"], row["depth"], row["nodes"], row["parameters"])
        for book in (first, second)
        for row in rows_of(book, SEARCHES)
    }
    assert {tuple(row.values()) for row in rows_of(tmp_path / "both.db", SEARCHES)} <= known
    with BookReader(tmp_path / "both.db") as reader:
        runs = summarise(reader, all_games.get(name)).runs
    assert [(run.positions, run.searches) for run in runs] == [
        (row["positions"], row["searches"])
        for book in (first, second)
        for row in rows_of(book, "SELECT positions, searches FROM runs ORDER BY id")
    ]


SEARCHES = """
SELECT p.stones, p.depth, p.nodes, r.parameters
FROM positions AS p JOIN runs AS r ON r.id = p.run
"""


# Books of one position, the second behind a move in the first


def one_position(path: Path, line: str, *excluded: str, depth: int = 6) -> Path:
    game = all_games.get(GAME_ID)
    with BookWriter(path, game) as writer:
        run = writer.start_run({"limits": {"depth": depth}})
        enter(writer, game, line, run, *excluded, depth=depth)
    return path


def test_positions_of_different_books_are_linked(tmp_path: Path, place: AnyAddress) -> None:
    merged(
        place,
        one_position(tmp_path / "three.db", OPEN_THREE),
        one_position(tmp_path / "four.db", OPEN_FOUR),
    )
    assert rows_of(place, "SELECT count(*) AS links FROM moves") == [{"links": 1}]
    assert_sound(place, all_games.get(GAME_ID))


def behind(book: Path) -> str:
    """The line to the position behind the rest move of a book's only position."""
    game = all_games.get(GAME_ID)
    [row] = rows_of(book, "SELECT stones, rest_line FROM positions")
    position = game.play(game.unpack(row["stones"]), row["rest_line"][0])
    sides = [
        [game.format_cell(cell) for cell in range(81) if stones >> cell & 1]
        for stones in (position.dark, position.light)
    ]
    return " ".join(f"{dark} {light}" for dark, light in zip_longest(*sides, fillvalue=""))


def believe(book: Path) -> None:
    """Have the only position of a book be worth a little and not proven."""
    change(
        book,
        "UPDATE positions SET value = 5, proven = false, rest_value = 5,"
        " rest_proven = false, bound = 0, rest_bound = 0",
    )
    seal(book)


def test_a_slot_whose_position_another_book_holds_is_to_be_searched(tmp_path: Path) -> None:
    three = one_position(tmp_path / "three.db", OPEN_THREE)
    believe(three)
    merged(tmp_path / "both.db", three, one_position(tmp_path / "behind.db", behind(three)))
    [row] = [row for row in rows(tmp_path / "both.db").values() if row.ply == 6]
    assert (row.rest_state, row.rest_line) == (RestState.PENDING, None)
    # What is behind the move is proven.
    assert row.proven


def test_a_proof_is_kept_that_another_book_has_unproven_positions_behind(
    tmp_path: Path, place: AnyAddress
) -> None:
    three = one_position(tmp_path / "three.db", OPEN_THREE)
    shallow = one_position(tmp_path / "behind.db", behind(three), depth=1)
    believe(shallow)
    assert merged(place, three, shallow).unproven == 0
    [row] = [row for row in rows(place).values() if row.ply == 6]
    [alone] = rows(three).values()
    assert (row.rest_state, row.rest_line) == (RestState.KEPT, alone.rest_line)
    assert (row.value, row.bound, row.proven) == (alone.value, alone.bound, alone.proven)
    assert (row.depth, row.nodes) == (alone.depth, alone.nodes)
    assert_sound(place, all_games.get(GAME_ID))


def test_a_kept_proof_is_checked_without_the_engine(tmp_path: Path, fivebook: Fivebook) -> None:
    three = one_position(tmp_path / "three.db", OPEN_THREE)
    shallow = one_position(tmp_path / "behind.db", behind(three), depth=1)
    believe(shallow)
    merged(tmp_path / "both.db", three, shallow)
    result = fivebook("prove-check", tmp_path / "both.db", "--all")
    assert (result.exit_code, result.stderr) == (0, "")
    change(
        tmp_path / "both.db", "UPDATE positions SET value = 29999, rest_value = 29999 WHERE ply = 6"
    )
    assert fivebook("prove-check", tmp_path / "both.db", "--all").exit_code == 1


def test_a_mark_that_follows_from_no_book_is_counted_and_dropped(tmp_path: Path) -> None:
    three = one_position(tmp_path / "three.db", OPEN_THREE)
    believe(three)
    change(three, "UPDATE positions SET proven = true")
    seal(three)
    assert merged(tmp_path / "both.db", three, three).unproven == 1
    assert_sound(tmp_path / "both.db", all_games.get(GAME_ID))


@pytest.mark.parametrize(
    "alteration",
    ["positions SET value = value + 1", "positions SET ply = 2147483648", "runs SET nodes = 7"],
)
def test_what_was_altered_is_not_taken_into_a_sound_book(
    alteration: str, gomoku_book: Path, copy_of: CopyOf, place: AnyAddress
) -> None:
    altered = copy_of(gomoku_book)
    change(altered, f"UPDATE {alteration} WHERE id = 1")
    with pytest.raises(BookUnreadable, match=r"row 1 of (positions|runs) is not what was written"):
        merged(place, gomoku_book, altered)
    assert is_nothing_at(place)


# Conflicts


@pytest.fixture
def contradicting(tmp_path: Path) -> tuple[Path, Path]:
    """Two books of the same position: a win in 3 says the one, a loss in 4 the other."""
    one = one_position(tmp_path / "three.db", OPEN_THREE)
    other = one_position(tmp_path / "other.db", OPEN_THREE)
    claim(other, -29_996)
    return one, other


def claim(book: Path, value: int, bound: int = 0) -> None:
    change(
        book,
        "UPDATE positions SET value = :value, rest_value = :value, proven = true,"
        " rest_proven = true, bound = :bound, rest_bound = :bound",
        value=value,
        bound=bound,
    )
    seal(book)


def is_nothing_at(place: AnyAddress) -> bool:
    if isinstance(place, Path):
        return not list(place.parent.glob(f"{place.name}*"))
    with pytest.raises(BookError, match="there is no book"):
        BookReader(place)
    return True


def test_a_conflict_is_listed_and_nothing_is_written(
    contradicting: tuple[Path, Path], place: AnyAddress, fivebook: Fivebook
) -> None:
    result = fivebook("merge", *contradicting, "-o", place)
    assert result.exit_code == 1
    assert result.stdout.startswith("gomoku-9 dark ")
    assert "win in 3 in" in result.stdout
    assert "loss in 4 in" in result.stdout
    assert "contradict each other in 1 positions" in result.stderr
    assert is_nothing_at(place)


def test_kept_conflicts_are_settled_by_the_first_book(
    contradicting: tuple[Path, Path], tmp_path: Path, fivebook: Fivebook
) -> None:
    one, other = contradicting
    for name, books in {"win": (one, other), "loss": (other, one)}.items():
        result = fivebook("merge", *books, "-o", tmp_path / name, "--keep-conflicts")
        assert result.exit_code == 0
        assert "win in 3 in" in result.stdout
        [record] = content(tmp_path / name)
        assert record["value"] == {"win": 29_997, "loss": -29_996}[name]


@pytest.mark.parametrize(
    ("value", "bound", "contradicts"),
    [
        pytest.param(29_997, 0, False, id="the same win"),
        pytest.param(29_995, 0, True, id="another exact distance"),
        pytest.param(29_995, 1, False, id="a win that may be shorter"),
        pytest.param(29_999, 1, True, id="a win that is shorter at the least"),
        pytest.param(0, 0, True, id="a draw"),
        pytest.param(-29_996, 2, True, id="a loss"),
    ],
)
def test_books_contradict_each_other_where_no_value_agrees_with_both(
    value: int, bound: int, contradicts: bool, tmp_path: Path
) -> None:
    one = one_position(tmp_path / "one.db", OPEN_THREE)
    other = one_position(tmp_path / "other.db", OPEN_THREE)
    claim(one, 29_997)
    claim(other, value, bound)
    conflicts: list[Conflict] = []
    merge(
        [Address(one), Address(other)],
        Address(tmp_path / "both.db"),
        keep_conflicts=True,
        tell=conflicts.append,
    )
    assert len(conflicts) == contradicts


def test_a_contradiction_that_only_both_books_show_is_a_conflict(
    tmp_path: Path, fivebook: Fivebook
) -> None:
    # Lost for the side to move says the one book, and the other that a move of theirs wins.
    three = one_position(tmp_path / "three.db", OPEN_THREE, OPEN_FOUR)
    four = one_position(tmp_path / "four.db", OPEN_FOUR)
    claim(three, -29_990)
    result = fivebook("merge", three, four, "-o", tmp_path / "both.db", "--json")
    assert result.exit_code == 1
    [conflict] = json.loads(result.stdout)["conflicts"]
    assert [claim["value"] for claim in conflict["claims"]] == [-29_990, 29_997]
    assert not (tmp_path / "both.db").exists()


# What is refused


def test_an_existing_book_is_never_overwritten(
    gomoku_book: Path, swap_book: Path, place: AnyAddress, fivebook: Fivebook
) -> None:
    small_book(str(place), "gomoku-9", 5)
    before = content(place)
    result = fivebook("merge", gomoku_book, swap_book, "-o", place)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert content(place) == before


def test_a_missing_book_leaves_nothing_behind(
    gomoku_book: Path, place: AnyAddress, tmp_path: Path, fivebook: Fivebook
) -> None:
    result = fivebook("merge", gomoku_book, tmp_path / "none.db", "-o", place)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert is_nothing_at(place)


def test_an_interrupted_merge_leaves_nothing_behind(
    gomoku_book: Path, swap_book: Path, place: AnyAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("book.whole.merge.recount", interrupted)
    with pytest.raises(KeyboardInterrupt):
        merged(place, gomoku_book, swap_book)
    assert is_nothing_at(place)


def test_progress_is_told(
    gomoku_book: Path,
    swap_book: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fivebook: Fivebook,
) -> None:
    monkeypatch.setattr("book.whole.merge._REPORT_EVERY", 25)
    monkeypatch.setattr("fivebook.displays.progress._SECONDS_BETWEEN_LINES", 0)
    result = fivebook("merge", gomoku_book, swap_book, "-o", tmp_path / "both.db")
    assert "gomoku-9 valued: 50 positions, " in result.stderr
    assert result.stdout.startswith(f"{tmp_path / 'both.db'}: 75 positions of 2 books in ")
