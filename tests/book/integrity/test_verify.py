"""Damage of every kind is found, named and mended; what is sound is left alone."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from book.integrity.findings import Finding, Kind
from book.integrity.repair import repair
from book.integrity.verify import Verification
from book.rows.encoding import lookup_of, pack_line
from book.storage.address import Address, AnyAddress
from book.storage.database import at_one_moment
from book.whole.export import records
from book.writer import BookWriter
from engine import registry
from engine.game import Game
from tests.book.handmade import BLOCKED_ONCE, OPEN_FOUR, OPEN_THREE
from tests.books import CopyOf, Fivebook, change, rows_of, seal, slowly_on_a_server, small_book
from tests.oracles.book_checker import assert_sound
from tests.servers import postgresql_book

Content = list[dict[str, Any]]

ALTERED = {Kind.DIGEST, Kind.SUM}
"""What is told besides of a row that was altered, or is one too many."""


def findings(book: AnyAddress, sample: int | None = None, seed: int = 0) -> list[Finding]:
    with at_one_moment(Address.of(book)) as connection:
        return list(Verification(connection, sample, seed).findings())


def kinds(book: AnyAddress) -> set[Kind]:
    return {finding.kind for finding in findings(book)}


def mended(book: AnyAddress) -> set[Kind]:
    """Repair the book; the kinds of what was told."""
    told: list[Finding] = []
    repair(Address.of(book), told.append)
    return {finding.kind for finding in told}


def content(book: AnyAddress) -> Content:
    return list(records(book))


def positions_in(path: Path) -> set[bytes]:
    return {bytes(row["stones"]) for row in rows_of(path, "SELECT stones FROM positions")}


# Sound books


def test_a_sound_book_has_no_fault(any_book: AnyAddress) -> None:
    assert findings(any_book) == []


def test_a_book_of_two_games_and_an_empty_one_have_no_fault(
    stored: Callable[[str], AnyAddress],
) -> None:
    assert findings(stored("both_book")) == []
    assert findings(stored("empty_book")) == []


def test_repairing_a_sound_book_changes_nothing(copy_of: CopyOf, both_book: Path) -> None:
    path = copy_of(both_book)
    assert mended(path) == set()
    with closing(sqlite3.connect(path)) as one, closing(sqlite3.connect(both_book)) as other:
        assert list(one.iterdump()) == list(other.iterdump())


# Damage inside the tables: what is done to the book, what it is called, and whether all of it
# can be derived again.

# The most useful rows to damage: one with a parent and a child, and one with a rest move.
_INNER = (
    "(SELECT min(p.id) FROM positions AS p WHERE p.ply > 0 AND p.rest_state = 0"
    " AND EXISTS (SELECT 1 FROM moves WHERE parent = p.id)"
    " AND EXISTS (SELECT 1 FROM moves WHERE child = p.id))"
)
_LEAF = (
    "(SELECT max(p.id) FROM positions AS p WHERE p.ply > 0 AND p.rest_state = 0"
    " AND NOT EXISTS (SELECT 1 FROM moves WHERE parent = p.id))"
)
_LINK = "child = (SELECT max(child) FROM moves)"
_COLUMNS = (
    "game, lookup, stones, ply, value, bound, proven, rest_state, rest_value, rest_bound,"
    " rest_proven, rest_line, open_cost, depth, nodes, milliseconds, run"
)

DERIVED: dict[str, tuple[str, Kind]] = {
    "value": (f"UPDATE positions SET value = value + 7 WHERE id = {_INNER}", Kind.VALUE),
    "value of a leaf": (f"UPDATE positions SET value = -60 WHERE id = {_LEAF}", Kind.VALUE),
    "bound": (f"UPDATE positions SET bound = 1 WHERE id = {_INNER}", Kind.BOUND),
    "proven": (f"UPDATE positions SET proven = true WHERE id = {_LEAF}", Kind.PROVEN),
    "open cost": (f"UPDATE positions SET open_cost = 1 WHERE id = {_INNER}", Kind.OPEN_COST),
    "no open cost": (f"UPDATE positions SET open_cost = NULL WHERE id = {_LEAF}", Kind.OPEN_COST),
    "no such wish": (f"UPDATE positions SET wish = 9 WHERE id = {_LEAF}", Kind.COLUMN),
    "lookup": (f"UPDATE positions SET lookup = lookup - 1 WHERE id = {_LEAF}", Kind.LOOKUP),
    "ply": (f"UPDATE positions SET ply = ply + 1 WHERE id = {_INNER}", Kind.PLY),
    "missing link": (f"DELETE FROM moves WHERE {_LINK}", Kind.NO_LINK),
    "all links": ("DELETE FROM moves", Kind.NO_LINK),
    "link's move": (f"UPDATE moves SET move = move + 1 WHERE {_LINK}", Kind.LINK_MOVE),
    "no such move": (f"UPDATE moves SET move = 9999 WHERE {_LINK}", Kind.LINK_MOVE),
    "link without child": (
        f"INSERT INTO moves (parent, child, move) VALUES ({_INNER}, 99999, 0)",
        Kind.LINK,
    ),
    "link without parent": (
        f"INSERT INTO moves (parent, child, move) VALUES (99999, {_INNER}, 0)",
        Kind.LINK,
    ),
    "link to elsewhere": (
        f"INSERT INTO moves (parent, child, move) VALUES ({_INNER}, {_INNER}, 0)",
        Kind.LINK,
    ),
    "slot said to end": (f"UPDATE positions SET rest_state = 3 WHERE id = {_INNER}", Kind.SLOT),
    "slot said to be none": (f"UPDATE positions SET rest_state = 1 WHERE id = {_LEAF}", Kind.SLOT),
    "slot said to be pending": (
        f"UPDATE positions SET rest_state = 2 WHERE id = {_INNER}",
        Kind.SLOT,
    ),
    "slot of no state": (f"UPDATE positions SET rest_state = 9 WHERE id = {_INNER}", Kind.SLOT),
    "counts": ("UPDATE counts SET positions = positions + 1 WHERE ply = 1", Kind.COUNTS),
    "no counts": ("DELETE FROM counts WHERE ply = 1", Kind.COUNTS),
    "counts of nothing": (
        "INSERT INTO counts (game, ply, depth, positions, proven, nodes)"
        " VALUES (1, 80, 1, 2, 0, 5)",
        Kind.COUNTS,
    ),
    "cell": ("UPDATE cells SET name = 'z9' WHERE number = 3", Kind.NOTATION),
    "move": ("DELETE FROM move_names WHERE move = 3", Kind.NOTATION),
    "move too many": (
        "INSERT INTO move_names SELECT game, 9999, code, name FROM move_names WHERE move = 3",
        Kind.NOTATION,
    ),
    "copied row": (
        f"INSERT INTO positions ({_COLUMNS}) SELECT {_COLUMNS.replace('nodes', 'nodes - 1')}"
        f" FROM positions WHERE id = {_INNER}",
        Kind.DUPLICATE,
    ),
    "task of nothing": (
        "INSERT INTO tasks (game, batch, key, stones, new, excluded, limits)"
        " VALUES (1, 1, :blob, :blob, false, :blob, 'what')",
        Kind.TASK,
    ),
}


def damaged(book: AnyAddress, script: str) -> None:
    change(book, script, **({"blob": b"\1\1\1"} if ":blob" in script else {}))


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)]
)
def lasting(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[AnyAddress]:
    """A book that each test leaves as it found it."""
    if request.param == "sqlite":
        yield small_book(tmp_path_factory.mktemp("lasting") / "book.db", "gomoku-9", 30)
        return
    with postgresql_book() as address:
        yield small_book(address, "gomoku-9", 30)


@pytest.mark.parametrize("name", DERIVED)
def test_what_can_be_derived_is_found_and_mended(name: str, lasting: AnyAddress) -> None:
    script, kind = DERIVED[name]
    before = content(lasting)
    damaged(lasting, script)
    assert kind in kinds(lasting)
    assert kind in mended(lasting)
    assert findings(lasting) == []
    assert content(lasting) == before
    assert_sound(lasting, registry.get("gomoku-9"))


def test_a_stored_position_behind_an_open_slot_is_found(copy_of: CopyOf, won_book: Path) -> None:
    path = copy_of(won_book)
    game = registry.get("gomoku-9")
    row, child = (canonical_of(game, line) for line in (OPEN_THREE, OPEN_FOUR))
    move = next(c.moves[0] for c in game.children(row.position) if c.canonical.key == child.key)
    change(
        path,
        "UPDATE positions SET rest_state = 0, rest_value = 12, rest_bound = 0, rest_proven = false,"
        " rest_line = :line WHERE stones = :stones",
        line=pack_line(game, [move]),
        stones=row.stones,
    )
    assert Kind.SLOT in kinds(path)
    mended(path)
    (slot,) = rows_of(path, "SELECT rest_state FROM positions WHERE stones = :s", s=row.stones)
    assert slot == {"rest_state": 2}
    assert findings(path) == []


def canonical_of(game: Game, line: str) -> Any:
    return game.canonical(game.play_line(game.parse_line(line)))


@pytest.mark.parametrize(
    "columns",
    [
        "rest_state = 0",
        "rest_state = 1",
        "rest_value = 29000",
        "rest_value = 5, rest_proven = false",
        "rest_bound = 2",
        "rest_bound = 77",
        "rest_proven = false",
        "rest_value = NULL",
    ],
)
def test_a_rest_move_that_ends_the_game_tells_the_whole_slot(
    columns: str, copy_of: CopyOf, won_book: Path
) -> None:
    path = copy_of(won_book)
    before = content(path)
    stones = canonical_of(registry.get("gomoku-9"), BLOCKED_ONCE).stones
    change(path, f"UPDATE positions SET {columns} WHERE stones = :stones", stones=stones)
    assert Kind.SLOT in kinds(path)
    mended(path)
    assert findings(path) == []
    assert content(path) == before


IMPOSSIBLE = [
    "rest_value = 29500",
    "rest_value = 12, rest_proven = true",
    "rest_value = 29999, rest_proven = true",
    "rest_value = 29001, rest_proven = true",
    "rest_value = 29991, rest_proven = true, rest_bound = 2",
    "rest_value = -29992, rest_proven = true, rest_bound = 1",
    "rest_value = 40000",
    "rest_value = NULL",
    "rest_bound = 3",
    "rest_proven = NULL",
    "rest_line = NULL",
    "rest_line = :blob",
]


@pytest.mark.parametrize("columns", IMPOSSIBLE)
def test_a_slot_that_cannot_be_so_is_to_be_searched_anew(
    columns: str, copy_of: CopyOf, gomoku_book: Path
) -> None:
    path = copy_of(gomoku_book)
    damaged(path, f"UPDATE positions SET {columns} WHERE id = {_INNER}")
    assert Kind.SLOT in kinds(path)
    mended(path)
    assert findings(path) == []
    assert len(rows_of(path, "SELECT id FROM positions WHERE rest_state = 2")) == 1
    assert [record["position"] for record in content(path)] == [
        record["position"] for record in content(gomoku_book)
    ]


def test_the_next_build_searches_what_was_given_up(copy_of: CopyOf, gomoku_book: Path) -> None:
    path = copy_of(gomoku_book)
    damaged(path, f"UPDATE positions SET rest_line = :blob WHERE id = {_INNER}")
    damaged(path, f"UPDATE positions SET rest_line = :blob WHERE id = {_LEAF}")
    mended(path)
    small_book(path, "gomoku-9", 51)
    assert len(content(path)) == 51
    assert rows_of(path, "SELECT id FROM positions WHERE rest_state = 2") == []
    assert findings(path) == []
    assert_sound(path, registry.get("gomoku-9"))


def test_an_impossible_slot_and_no_stored_move_leave_nothing_to_keep(
    copy_of: CopyOf, gomoku_book: Path
) -> None:
    path = copy_of(gomoku_book)
    before = positions_in(path)
    (leaf,) = rows_of(
        path,
        "SELECT p.id, p.stones FROM positions AS p JOIN moves AS m ON m.child = p.id"
        " WHERE p.id NOT IN (SELECT parent FROM moves) GROUP BY p.id"
        " HAVING min((SELECT count(*) FROM moves WHERE parent = m.parent)) > 1"
        " ORDER BY p.id DESC LIMIT 1",
    )
    damaged(path, f"UPDATE positions SET rest_line = :blob WHERE id = {leaf['id']}")
    assert kinds(path) == {Kind.NOTHING, *ALTERED}
    assert Kind.NOTHING in mended(path)
    assert findings(path) == []
    assert positions_in(path) == before - {bytes(leaf["stones"])}
    assert_sound(path, registry.get("gomoku-9"))


def test_what_knows_nothing_takes_along_what_knew_nothing_else(
    copy_of: CopyOf, won_book: Path
) -> None:
    path = copy_of(won_book)
    # The other two know no move but the one to the next.
    change(
        path,
        "UPDATE positions SET rest_state = 2, rest_value = NULL, rest_bound = NULL,"
        " rest_proven = NULL, rest_line = NULL WHERE ply < 8",
    )
    stones = canonical_of(registry.get("gomoku-9"), BLOCKED_ONCE).stones
    change(path, "UPDATE positions SET rest_line = NULL WHERE stones = :s", s=stones)
    mended(path)
    assert content(path) == []
    assert findings(path) == []


NO_STONES = {"blob": b"\1\1\1", "other": b"\1\2\3"}


@pytest.mark.parametrize("columns", ["stones = :blob", "stones = :other", "game = 2"])
def test_stones_that_a_link_and_the_lookup_tell_are_written_anew(
    columns: str, copy_of: CopyOf, gomoku_book: Path
) -> None:
    path = copy_of(gomoku_book)
    BookWriter(path, registry.get("gomoku-11")).close()
    before = content(path)
    change(
        path,
        f"UPDATE positions SET {columns} WHERE id = {_INNER}",
        # Of these the second are the stones of another position.
        **{name: blob for name, blob in NO_STONES.items() if f":{name}" in columns},
    )
    assert kinds(path) & {Kind.STONES, Kind.GAME}
    mended(path)
    assert findings(path) == []
    assert content(path) == before


@slowly_on_a_server
def test_a_position_that_cannot_be_read_is_taken_out(place: AnyAddress) -> None:
    small_book(place, "gomoku-9", 30)
    damaged(place, f"UPDATE positions SET stones = :blob, lookup = 5 WHERE id = {_INNER}")
    assert Kind.STONES in kinds(place)
    mended(place)
    assert findings(place) == []
    assert 0 < len(content(place)) < 30
    assert_sound(place, registry.get("gomoku-9"))


def test_a_finished_game_is_told_and_taken_out(
    copy_of: CopyOf, won_book: Path, gomoku: Game
) -> None:
    path = copy_of(won_book)
    before = content(path)
    row = rows_of(path, "SELECT * FROM positions WHERE rest_state = 3")[0]
    position = gomoku.unpack(row["stones"])
    over = gomoku.canonical(gomoku.play(position, row["rest_line"][0]))
    names = _COLUMNS.replace("lookup", ":lookup").replace("stones", ":stones")
    names = names.replace(" ply", " ply + 1")
    change(
        path,
        f"INSERT INTO positions ({_COLUMNS}) SELECT {names} FROM positions WHERE id = :id;",
        id=row["id"],
        lookup=lookup_of(over.key),
        stones=over.stones,
    )
    told = [one for one in findings(path) if one.kind is Kind.STONES]
    assert [one.expected for one in told] == [f"an unfinished position of {gomoku.id}"]
    mended(path)
    assert findings(path) == []
    assert len(content(path)) == len(before)


def turn(path: Path, game: Game, *, keep: bool) -> None:
    """Store a position in another orientation, with `keep` besides its own."""
    row = rows_of(path, "SELECT * FROM positions WHERE ply > 2 ORDER BY id")[0]
    position = game.unpack(row["stones"])
    symmetry = next(
        s for s in game.symmetries if game.pack(game.map_position(position, s)) != row["stones"]
    )
    line = [game.map_move(move, symmetry) for move in row["rest_line"]]
    values = {
        "stones": game.pack(game.map_position(position, symmetry)),
        "line": pack_line(game, line),
    }
    if keep:
        names = _COLUMNS.replace("stones", ":stones").replace("rest_line", ":line")
        names = names.replace("nodes", "nodes - 1")
        change(
            path,
            f"INSERT INTO positions ({_COLUMNS}) SELECT {names} FROM positions WHERE id = :id",
            id=row["id"],
            **values,
        )
    else:
        change(
            path,
            "UPDATE positions SET stones = :stones, rest_line = :line, lookup = 77 WHERE id = :id",
            id=row["id"],
            **values,
        )


@pytest.mark.parametrize("keep", [False, True])
def test_another_orientation_is_turned_back(keep: bool, copy_of: CopyOf, gomoku_book: Path) -> None:
    path = copy_of(gomoku_book)
    turn(path, registry.get("gomoku-9"), keep=keep)
    assert Kind.IMAGE in kinds(path)
    assert Kind.IMAGE in mended(path)
    assert findings(path) == []
    assert content(path) == content(gomoku_book)


def test_of_two_rows_the_proven_one_stays_then_the_one_with_more_nodes(
    copy_of: CopyOf, gomoku_book: Path
) -> None:
    path = copy_of(gomoku_book)
    (row,) = rows_of(path, f"SELECT * FROM positions WHERE id = {_LEAF}")
    for nodes, value, proven in ((5, 29_991, 1), (9_999, 41, 0)):
        names = _COLUMNS.replace("value, bound, proven, rest_state, rest_value", "{}", 1)
        given = f"{value}, 0, {proven}, 0, {value}"
        listed = _COLUMNS.replace("rest_proven", str(proven)).replace("nodes", str(nodes))
        listed = listed.replace("value, bound, proven, rest_state, rest_value", given, 1)
        assert names != _COLUMNS
        script = f"INSERT INTO positions ({_COLUMNS}) SELECT {listed} FROM positions WHERE id = :id"
        change(path, script, id=row["id"])
    seal(path)
    assert Kind.DUPLICATE in mended(path)
    (kept,) = rows_of(path, "SELECT * FROM positions WHERE stones = :s", s=row["stones"])
    assert (kept["nodes"], kept["proven"]) == (5, 1)
    assert findings(path) == []


def test_a_row_without_its_run_is_given_one_that_says_so(
    copy_of: CopyOf, gomoku_book: Path
) -> None:
    path = copy_of(gomoku_book)
    before = list(records(path, reproducible=True))
    raw(path, f"UPDATE positions SET run = 99 WHERE id = {_LEAF}")
    assert kinds(path) == {Kind.NO_RUN, Kind.DIGEST}
    mended(path)
    assert findings(path) == []
    assert list(records(path, reproducible=True)) == before
    (run,) = rows_of(path, "SELECT parameters FROM runs WHERE id <> 1")
    assert json.loads(run["parameters"])["mode"] == "repair"


@pytest.mark.parametrize("columns", ["game = 2", "game = 77", "parameters = '{'"])
def test_a_run_that_cannot_be_is_mended(columns: str, copy_of: CopyOf, both_book: Path) -> None:
    path = copy_of(both_book)
    before = list(records(path, reproducible=True))
    raw(path, f"UPDATE runs SET {columns} WHERE id = 1")
    assert Kind.RUN in kinds(path)
    mended(path)
    assert findings(path) == []
    assert list(records(path, reproducible=True)) == before


def raw(path: Path, script: str) -> None:
    """Change a file by SQL, without SQLite's own checks."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(script)
        connection.commit()


@pytest.mark.parametrize("column", ["value", "bound", "proven", "depth", "nodes", "milliseconds"])
@pytest.mark.parametrize("put", ["'word'", "-1e9", "x'00ff'"])
def test_a_column_of_another_kind_is_named_and_mended(
    column: str, put: str, copy_of: CopyOf, gomoku_book: Path
) -> None:
    path = copy_of(gomoku_book)
    raw(path, f"UPDATE positions SET {column} = {put} WHERE id = {_INNER}")
    assert Kind.COLUMN in kinds(path)
    mended(path)
    assert findings(path) == []
    lost = {"depth", "nodes", "milliseconds"} & {column}
    for record, before in zip(content(path), content(gomoku_book), strict=True):
        assert {k: v for k, v in record.items() if k not in lost} == {
            k: v for k, v in before.items() if k not in lost
        }


def test_a_plan_goes_as_a_whole_from_its_first_unusable_task_on(
    copy_of: CopyOf, gomoku_book: Path, gomoku: Game
) -> None:
    path = copy_of(gomoku_book)
    raw(
        path,
        "INSERT INTO tasks (game, batch, key, stones, new, excluded, limits)"
        " SELECT 1, 5, x'', x'', 1, x'', '{}'",
    )
    stones = rows_of(path, "SELECT stones FROM positions WHERE ply = 1")[0]["stones"]
    with closing(sqlite3.connect(path)) as connection:
        for batch in (4, 5, 6):
            connection.execute(
                "INSERT INTO tasks (game, batch, key, stones, new, excluded, limits)"
                " VALUES (1, ?, ?, ?, 0, x'', '{}')",
                (batch, gomoku.key(stones), stones),
            )
        connection.commit()
    assert kinds(path) == {Kind.TASK, *ALTERED}
    mended(path)
    assert [row["batch"] for row in rows_of(path, "SELECT batch FROM tasks")] == [4]


def test_a_book_under_the_name_of_another_game_is_not_emptied(
    copy_of: CopyOf, gomoku_book: Path, fivebook: Fivebook
) -> None:
    path = copy_of(gomoku_book)
    raw(path, "UPDATE games SET name = 'gomoku-11'")
    before = path.read_bytes()
    result = fivebook("repair", path)
    assert result.exit_code == 2
    assert "most of it cannot be read as gomoku-11" in result.stderr
    assert "--salvage" not in result.stderr
    assert path.read_bytes() == before
