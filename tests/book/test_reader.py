"""A reader answers in the orientation of whoever asks, whatever a builder does meanwhile."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from book.entry import BookMove, Entry
from book.errors import BookError, BookUnreadable, PositionNotFound
from book.reader import BookReader
from book.rows import recent
from book.rows.digests import digest_all
from book.storage.address import AnyAddress
from book.writer import BookWriter
from engine import registry
from engine.game import OF_A_SQUARE, Game, Key, Position
from engine.values import WIN, Bound, from_child
from tests.book.handmade import BLOCKED_ONCE, OPEN_FOUR, OPEN_THREE
from tests.books import CopyOf, Fivebook, change, rows_of, seal, small_book


@pytest.fixture
def reader(any_book: AnyAddress) -> Iterator[BookReader]:
    with BookReader(any_book) as reader:
        yield reader


@pytest.fixture
def game(reader: BookReader) -> Game:
    return reader.games[0]


@pytest.fixture
def positions(reader: BookReader, game: Game) -> list[Position]:
    return stored_positions(reader.address, game)


def stored_positions(book: AnyAddress, game: Game) -> list[Position]:
    """Every stored position of `game`, as its canonical image."""
    rows = rows_of(
        book,
        "SELECT stones FROM positions JOIN games ON games.id = game WHERE name = :name"
        " ORDER BY ply, lookup",
        name=game.id,
    )
    return [game.unpack(row["stones"]) for row in rows]


def stored_links(book: AnyAddress, game: Game) -> dict[Key, set[Key]]:
    links: dict[Key, set[Key]] = {}
    for row in rows_of(
        book,
        "SELECT p.stones AS parent, c.stones AS child FROM moves AS m"
        " JOIN positions AS p ON p.id = m.parent JOIN positions AS c ON c.id = m.child",
    ):
        links.setdefault(game.key(row["parent"]), set()).add(game.key(row["child"]))
    return links


def behind(game: Game, position: Position, move: BookMove) -> Key:
    return game.canonical(game.play(position, move.move)).key


def after(game: Game, line: str) -> Position:
    return game.play_line(game.parse_line(line))


@pytest.mark.parametrize("symmetry", OF_A_SQUARE)
def test_any_orientation_gets_the_same_moves_in_its_own(
    symmetry: int, reader: BookReader, game: Game, positions: list[Position]
) -> None:
    for position in positions:
        stored = reader.find(game, position)
        turned = game.map_position(position, symmetry)
        entry = reader.find(game, turned)
        assert entry.position == turned
        assert (entry.value, entry.bound, entry.proven) == (
            stored.value,
            stored.bound,
            stored.proven,
        )
        assert [(m.value, m.bound, m.proven, m.depth, m.in_book) for m in entry.moves] == [
            (m.value, m.bound, m.proven, m.depth, m.in_book) for m in stored.moves
        ]
        assert [behind(game, turned, move) for move in entry.moves] == [
            behind(game, position, move) for move in stored.moves
        ]


@pytest.mark.parametrize("symmetry", OF_A_SQUARE)
def test_lines_can_be_played_from_the_position_asked_about(
    symmetry: int, reader: BookReader, game: Game, positions: list[Position]
) -> None:
    for position in positions:
        turned = game.map_position(position, symmetry)
        for move in reader.find(game, turned, lines=3).moves:
            assert move.line[0] == move.move
            assert len(move.line) <= 8
            game.play_line(move.line, start=turned)


def test_all_stored_children_are_listed_and_at_most_one_other_move(
    reader: BookReader, game: Game, positions: list[Position]
) -> None:
    links = stored_links(reader.address, game)
    keys = {game.canonical(position).key for position in positions}
    rest_moves = 0
    for position in positions:
        entry = reader.find(game, position)
        children = {behind(game, position, move) for move in entry.moves if move.in_book}
        assert children == links.get(game.canonical(position).key, set())
        rest = [behind(game, position, move) for move in entry.moves if not move.in_book]
        assert len(rest) <= 1
        assert not keys.intersection(rest)
        rest_moves += len(rest)
    assert rest_moves > 0


def test_moves_come_best_first_and_the_first_gives_the_value(
    reader: BookReader, game: Game, positions: list[Position]
) -> None:
    for position in positions:
        entry = reader.find(game, position)
        assert all(better.value >= worse.value for better, worse in pairwise(entry.moves))
        assert entry.value == entry.moves[0].value


def test_a_moves_value_is_that_of_the_entry_behind_it(
    reader: BookReader, game: Game, positions: list[Position]
) -> None:
    for position in positions:
        for move in reader.find(game, position).moves:
            if move.in_book:
                child = reader.find(game, game.play(position, move.move))
                assert move.value == from_child(child.value)
                assert (move.proven, move.depth) == (child.proven, child.depth)


def test_lines_follow_the_best_moves_through_the_book(
    reader: BookReader, game: Game, positions: list[Position]
) -> None:
    for position in positions:
        line = reader.find(game, position).moves[0].line
        at = position
        for move in line:
            entry = reader.get(game, at)
            if entry is None:
                break
            assert entry.moves[0].value == next(m.value for m in entry.moves if m.move == move)
            at = game.play(at, move)


def test_only_as_many_lines_as_asked_for_are_followed(gomoku_book: Path, gomoku: Game) -> None:
    with BookReader(gomoku_book) as reader:
        all_lines = reader.find(gomoku, gomoku.initial, lines=99).moves
        none = reader.find(gomoku, gomoku.initial, lines=0).moves
        two = reader.find(gomoku, gomoku.initial, lines=2).moves
    assert len(all_lines) > 3
    assert all(len(move.line) > 1 for move in all_lines if move.in_book)
    assert all(move.line == (move.move,) for move in none if move.in_book)
    assert [move.line for move in two[:2]] == [move.line for move in all_lines[:2]]
    assert all(move.line == (move.move,) for move in two[2:] if move.in_book)


def test_what_is_not_stored_is_not_found(gomoku_book: Path, gomoku: Game) -> None:
    unknown = after(gomoku, "a1 i9 a9 i1 e5")
    with BookReader(gomoku_book) as reader:
        assert reader.get(gomoku, unknown) is None
        with pytest.raises(PositionNotFound) as refused:
            reader.find(gomoku, unknown)
    assert str(refused.value) == f"'{gomoku_book}' does not hold this position of gomoku-9"


def test_a_book_without_positions_has_games_and_no_entry(
    stored: Callable[[str], AnyAddress], gomoku: Game
) -> None:
    empty_book = stored("empty_book")
    with BookReader(empty_book) as reader:
        assert reader.games == (gomoku,)
        assert reader.positions(gomoku) == 0
        assert reader.get(gomoku, gomoku.initial) is None


def test_games_in_one_book_do_not_answer_for_each_other(
    stored: Callable[[str], AnyAddress],
) -> None:
    both_book = stored("both_book")
    with BookReader(both_book) as reader:
        gomoku, swap = reader.games
        assert (gomoku.id, swap.id) == ("gomoku-9", "pentago-swap")
        assert (reader.positions(gomoku), reader.positions(swap)) == (20, 10)
        for game in (gomoku, swap):
            for position in stored_positions(both_book, game):
                entry = reader.find(game, position)
                game.play_line(entry.moves[0].line, start=position)
        # The same stones, but another game.
        assert reader.find(gomoku, Position()).moves != reader.find(swap, Position()).moves
        assert reader.get(registry.get("gomoku-15"), Position()) is None
        assert reader.get(registry.get("gomoku-9-standard"), Position()) is None


def test_positions_with_the_same_lookup_number_are_told_apart(
    copy_of: CopyOf, gomoku_book: Path, gomoku: Game
) -> None:
    path = copy_of(gomoku_book)
    change(
        path,
        "UPDATE positions SET lookup = (SELECT lookup FROM positions WHERE ply = 0) WHERE ply = 1",
    )
    with BookReader(path) as reader, BookReader(gomoku_book) as good:
        entry = good.find(gomoku, gomoku.initial, lines=0)
        assert reader.find(gomoku, gomoku.initial, lines=0) == entry
        # Where another position has taken the number of one that is not stored.
        first = gomoku.canonical(gomoku.play(gomoku.initial, entry.moves[0].move))
        assert good.get(gomoku, first.position) is not None
        assert reader.get(gomoku, first.position) is None


def test_threads_may_share_a_reader(
    reader: BookReader, game: Game, positions: list[Position]
) -> None:
    alone = [reader.find(game, position) for position in positions]
    together = threading.Barrier(8)

    def read_all(_: int) -> list[Entry]:
        together.wait()
        return [reader.find(game, position) for position in positions]

    with ThreadPoolExecutor(8) as threads:
        assert all(found == alone for found in threads.map(read_all, range(8)))


def test_a_reader_is_closed_by_any_thread(
    stored: Callable[[str], AnyAddress], gomoku: Game
) -> None:
    gomoku_book = stored("gomoku_book")
    reader = BookReader(gomoku_book)
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda _: reader.find(gomoku, gomoku.initial), range(4)))
    reader.close()
    reader.close()


def test_each_answer_is_of_one_moment_while_a_writer_commits(place: Any, gomoku: Game) -> None:
    path = small_book(place, "gomoku-9", 50)
    seen: set[int] = set()
    worth = text("UPDATE positions SET value = :value, rest_value = -:value")
    commits = 30
    with BookReader(path) as reader, BookWriter(path, gomoku) as writer:

        def put(value: int) -> None:
            with writer.transaction() as connection:
                connection.execute(worth, {"value": value})
                digest_all(connection, writer.rows.number)

        def write() -> None:
            for value in range(1, commits + 1):
                put(value)

        # Every position is worth the same, so that every move is worth its opposite.
        put(0)
        thread = threading.Thread(target=write)
        thread.start()
        while thread.is_alive():
            entry = reader.find(gomoku, gomoku.initial, lines=0)
            assert {move.value for move in entry.moves} == {-entry.value}
            seen.add(entry.value)
        thread.join()
        assert reader.find(gomoku, gomoku.initial).value == commits
    assert seen <= set(range(commits + 1))


def test_what_was_read_before_is_read_anew_when_the_book_has_changed(
    copy_of: CopyOf, gomoku_book: Path, gomoku: Game, tmp_path: Path
) -> None:
    book = copy_of(gomoku_book)
    larger = small_book(copy_of(gomoku_book).rename(tmp_path / "larger.db"), "gomoku-9", 52)
    copy_of(gomoku_book)
    new = set(stored_positions(larger, gomoku)) - set(stored_positions(book, gomoku))
    with BookReader(book) as reader:
        before = reader.find(gomoku, gomoku.initial).nodes
        assert reader.find(gomoku, gomoku.initial).nodes == before
        change(book, "UPDATE positions SET nodes = nodes + 1 WHERE ply = 0")
        seal(book)
        assert reader.find(gomoku, gomoku.initial).nodes == before + 1
        # That a position is not there is remembered as well.
        assert [reader.get(gomoku, each) for each in new] == [None, None]
        small_book(book, "gomoku-9", 52)
        assert None not in [reader.get(gomoku, each) for each in new]


@pytest.mark.parametrize("most", [0, 40])
def test_a_reader_that_can_remember_little_answers_alike(
    most: int, gomoku_book: Path, gomoku: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    with BookReader(gomoku_book) as reader:
        usual = [reader.get(gomoku, each) for each in stored_positions(gomoku_book, gomoku)]
    monkeypatch.setattr(recent, "_MOST_MOVES", most)
    with BookReader(gomoku_book) as reader:
        for _ in range(2):
            for entry in usual:
                assert entry is not None
                assert reader.get(gomoku, entry.position) == entry
                best = reader.find(gomoku, entry.position, best_only=True).moves
                assert best[0].move == entry.moves[0].move


def test_an_error_does_not_spoil_the_reader(
    stored: Callable[[str], AnyAddress], gomoku: Game
) -> None:
    gomoku_book = stored("gomoku_book")
    with BookReader(gomoku_book) as reader:
        with pytest.raises(BookError), reader.connection() as connection:
            connection.exec_driver_sql("SELECT * FROM nothing")
        assert reader.find(gomoku, gomoku.initial).moves


def test_a_block_that_cannot_be_entered_holds_nothing(
    gomoku_book: Path, gomoku: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: recent.Recent) -> None:
        raise sqlite3.DatabaseError("database disk image is malformed")

    with BookReader(gomoku_book) as reader:
        with monkeypatch.context() as patch:
            patch.setattr(recent.Recent, "renew", fail)
            with pytest.raises(BookUnreadable, match="is damaged"), reader.at_hand():
                pass
        assert reader.find(gomoku, gomoku.initial).moves


# Proofs


@pytest.mark.parametrize("symmetry", OF_A_SQUARE)
@pytest.mark.parametrize(
    ("line", "value"), [(BLOCKED_ONCE, WIN - 1), (OPEN_FOUR, 2 - WIN), (OPEN_THREE, WIN - 3)]
)
def test_a_proven_position_says_so(
    line: str, value: int, symmetry: int, won_book: Path, gomoku: Game
) -> None:
    with BookReader(won_book) as reader:
        entry = reader.find(gomoku, gomoku.map_position(after(gomoku, line), symmetry))
    assert (entry.value, entry.proven) == (value, True)
    assert entry.moves[0].value == value
    if value > 0:
        end = gomoku.play_line(entry.moves[0].line, start=entry.position)
        assert gomoku.outcome(end) is not None


def test_a_win_in_one_is_exact(won_book: Path, gomoku: Game) -> None:
    with BookReader(won_book) as reader:
        entry = reader.find(gomoku, after(gomoku, BLOCKED_ONCE))
    assert entry.bound is Bound.EXACT
    # Nothing can be stored behind a move that ends the game.
    assert [(move.in_book, gomoku.format_line(move.line)) for move in entry.moves] == [
        (False, "d5")
    ]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (BLOCKED_ONCE, "dark to move, win in 1; proven in"),
        (OPEN_FOUR, "light to move, loss in 2; proven in"),
        (OPEN_THREE, "dark to move, win in 3; proven in"),
    ],
)
def test_a_query_tells_a_proof(line: str, told: str, won_book: Path, fivebook: Fivebook) -> None:
    result = fivebook("query", won_book, line, "--book-only")
    assert result.exit_code == 0
    assert told in result.stdout


def test_the_best_move_alone_is_the_first_of_all(any_book: AnyAddress) -> None:
    with BookReader(any_book) as reader:
        for game in reader.games:
            position = game.initial
            while (entry := reader.get(game, position)) is not None:
                best = reader.find(game, position, best_only=True)
                assert best == entry._replace(moves=entry.moves[:1])
                position = game.play(position, entry.moves[-1].move)
