"""The proofs in books are accepted, and nothing that was tampered with is."""

from collections.abc import Callable
from pathlib import Path

import pytest

from book.audit.position import CheckedPosition, CheckStatus
from book.audit.walk import Walk
from book.storage.address import Address, AnyAddress
from engine import registry
from engine.position import Position
from precompute.modes.prove_by_solver import ProofOptions, ProveBySolver, StrategyBuilder
from tests.book.audit.grown import grown, late
from tests.book.handmade import OPEN_FOUR, OPEN_THREE
from tests.books import change, rows_of, slowly_on_a_server

NODES = 20_000
# Won by fours and threes.
LATE = "f7 k10 h5 h11 h7 i10"
THREES = "f7 e10 g10 k7 g8 h9 e8 h8"


def checked(
    book: AnyAddress, game_id: str, start: Position | None = None, *, jobs: int = 1
) -> list[CheckedPosition]:
    """What is doubted: of the position and all below it, or of every proven one."""
    with Walk(Address.of(book), game_id, NODES, jobs) as walk:
        steps = walk.check(walk.everything())
        if start is not None:
            id = walk.find(walk.rules.unpack(registry.get(game_id).pack(start)))
            assert id is not None
            steps = walk.check_below(id)
        *_, count = steps
        assert count == walk.checked > 0
        assert sum(walk.counts.values()) == walk.checked
        assert walk.complete
        return walk.doubts


@pytest.fixture
def solved(place: AnyAddress) -> AnyAddress:
    """The strategy from `OPEN_THREE`: his move, all replies, and his moves after these."""
    game = registry.get("gomoku-9")
    line = tuple(_line(OPEN_THREE))
    mode = ProveBySolver(plies=2, memory=1, nodes=200_000)
    StrategyBuilder(place, ProofOptions(game, mode, line=line)).run()
    return place


def _line(moves: str) -> list[int]:
    return registry.get("gomoku-9").parse_line(moves)


def after(moves: str) -> Position:
    return registry.get("gomoku-9").play_line(_line(moves))


def test_a_strategy_is_accepted_from_its_root(solved: AnyAddress) -> None:
    assert checked(solved, "gomoku-9", after(OPEN_THREE)) == []


def test_so_is_every_proven_position_and_with_several_jobs(solved: AnyAddress) -> None:
    assert checked(solved, "gomoku-9") == []
    assert checked(solved, "gomoku-9", jobs=2) == []


def test_a_win_found_by_search_alone_is_accepted(won_book: Path) -> None:
    assert checked(won_book, "gomoku-9") == []
    assert checked(won_book, "gomoku-9", after(OPEN_FOUR)) == []


ROOT, LOST, WON = 6, 7, 8

TAMPERED = {
    "a reply's row and its link removed": (
        "DELETE FROM moves WHERE child = (SELECT max(id) FROM positions WHERE ply = :won);"
        "DELETE FROM positions WHERE id = (SELECT max(id) FROM positions WHERE ply = :won)",
        "of the other moves the book has nothing",
    ),
    "only the row": (
        "DELETE FROM positions WHERE id = (SELECT max(id) FROM positions WHERE ply = :won)",
        "is missing",
    ),
    "a value flipped": (
        "UPDATE positions SET value = -value WHERE ply = :lost",
        "no move of it is proven to be as good",
    ),
    "the value of a reply flipped": (
        "UPDATE positions SET value = -value "
        "WHERE id = (SELECT max(id) FROM positions WHERE ply = :won)",
        "the book has a loss in",
    ),
    "a reply that is no longer proven": (
        "UPDATE positions SET proven = (1 = 0) "
        "WHERE id = (SELECT max(id) FROM positions WHERE ply = :won)",
        "the book has an unproven",
    ),
    "a proven mark on what is not": (
        "UPDATE positions SET value = 35 WHERE ply = :root",
        "a proven +35, and that is neither",
    ),
    "a move changed to another one": (
        "UPDATE moves SET move = CASE WHEN move = 80 THEN 79 ELSE 80 END "
        "WHERE parent = (SELECT id FROM positions WHERE ply = :root)",
        "the move",
    ),
    "a rest move that does not win": (
        "UPDATE positions SET rest_line = :free, rest_state = 0 WHERE ply = :won "
        "AND id = (SELECT max(id) FROM positions WHERE ply = :won)",
        "the rest move does not win",
    ),
    "a distance lowered below the truth": (
        "UPDATE positions SET value = value + 2 WHERE ply = :root",
        "no move of it is proven to be as good",
    ),
    "all of them lowered": (
        "UPDATE positions SET value = value + 2 WHERE ply = :root;"
        "UPDATE positions SET value = value - 2 WHERE ply = :lost",
        "no move of it is proven to be as good",
    ),
    "a win before it can come": (
        "UPDATE positions SET value = 30001, rest_value = 30001 WHERE ply = :won",
        "the book has a proven +30001",
    ),
    "an exact distance raised": (
        "UPDATE positions SET value = value - 2, bound = 0 WHERE ply = :root",
        "a win in 5, and its best move gives exactly a win in 3",
    ),
}


@slowly_on_a_server
@pytest.mark.parametrize("how", TAMPERED)
def test_what_was_tampered_with_is_wrong(solved: AnyAddress, how: str) -> None:
    script, reason = TAMPERED[how]
    for statement in script.split(";"):
        values = {"root": ROOT, "lost": LOST, "won": WON, "free": bytes([80])}
        used = {name: value for name, value in values.items() if f":{name}" in statement}
        change(solved, statement, **used)
    doubts = checked(solved, "gomoku-9", after(OPEN_THREE))
    assert {doubt.status for doubt in doubts} == {CheckStatus.WRONG}
    assert any(reason in doubt.reason for doubt in doubts), doubts


def test_a_position_of_another_game_proves_nothing(tmp_path: Path) -> None:
    book = tmp_path / "two.db"
    for game_id in ("gomoku-9", "gomoku-9-standard"):
        game = registry.get(game_id)
        grown(book, game_id, game.play_line(game.parse_line(OPEN_THREE)), share=0.3, plies=1)
    (root,) = rows_of(
        book,
        "SELECT p.id FROM positions AS p JOIN games AS g ON g.id = p.game "
        "WHERE g.name = 'gomoku-9-standard' AND p.ply = 6",
    )
    start = after(OPEN_THREE)
    assert checked(book, "gomoku-9-standard", start) == []
    twin = (
        "(SELECT other.id FROM positions AS p JOIN positions AS other "
        "ON other.stones = p.stones AND other.id <> p.id WHERE p.id = moves.child)"
    )
    change(
        book,
        f"UPDATE moves SET child = {twin} WHERE parent = :root AND {twin} IS NOT NULL",
        root=root["id"],
    )
    (doubt,) = checked(book, "gomoku-9-standard", start)
    assert doubt.status is CheckStatus.WRONG
    assert "is missing" in doubt.reason


def test_what_a_proof_needs_and_is_not_there_is_wrong(solved: AnyAddress) -> None:
    with Walk(Address.of(solved), "gomoku-9", NODES) as walk:
        list(walk.check([10**9]))
    (doubt,) = walk.doubts
    assert doubt.status is CheckStatus.WRONG


def test_a_proven_mark_set_by_hand_is_wrong(
    gomoku_book: Path, copy_of: Callable[[Path], Path]
) -> None:
    book = copy_of(gomoku_book)
    change(book, "UPDATE positions SET proven = 1, value = 29997 WHERE ply = 0")
    (doubt,) = checked(book, "gomoku-9")
    assert doubt.status is CheckStatus.WRONG
    assert "no move of it is proven to be as good" in doubt.reason


def test_what_needs_more_nodes_than_given_is_not_confirmed(tmp_path: Path) -> None:
    book = tmp_path / "threes.db"
    moves = registry.get("gomoku-15").parse_line(THREES)
    grown(book, "gomoku-15", registry.get("gomoku-15").play_line(moves), plies=0)
    assert checked(book, "gomoku-15") == []
    with Walk(Address.of(book), "gomoku-15", nodes=2) as walk:
        list(walk.check(walk.everything()))
    (doubt,) = walk.doubts
    assert doubt.status is CheckStatus.NOT_CONFIRMED
    assert "did not find the position after" in doubt.reason


def test_what_is_won_late_is_found_two_plies_below_the_last_move(tmp_path: Path) -> None:
    game, book = registry.get("gomoku-15"), tmp_path / "late.db"
    line = tuple(game.parse_line(LATE))
    mode = ProveBySolver(plies=0, memory=8, nodes=200_000)
    StrategyBuilder(book, ProofOptions(game, mode, line=line)).run()
    plies = [row["ply"] for row in rows_of(book, "SELECT ply FROM positions ORDER BY ply")]
    assert plies[0] == len(line)
    assert set(plies[1:]) == {len(line) + 2, len(line) + 4}
    assert checked(book, "gomoku-15", game.play_line(line)) == []
    change(book, "UPDATE positions SET value = value + 4 WHERE ply = :ply", ply=len(line) + 2)
    doubts = checked(book, "gomoku-15", game.play_line(line))
    assert {doubt.status for doubt in doubts} <= {CheckStatus.NOT_CONFIRMED, CheckStatus.WRONG}
    assert len(doubts) == plies.count(len(line) + 2)


@pytest.mark.parametrize(
    ("game_id", "plies"),
    [
        ("pentago", 32),
        ("pentago-twist", 31),
        ("pentago-swap", 31),
        ("gomoku-5", 18),
        ("gomoku-6-renju", 29),
        ("gomoku-6-standard", 29),
        ("connect-four-5x4", 10),
        ("connect-four-7x6", 33),
    ],
)
def test_wins_losses_and_draws_of_every_game_are_accepted(
    tmp_path: Path, game_id: str, plies: int
) -> None:
    game = registry.get(game_id)
    for share in (1.0, 0.4):
        book = tmp_path / f"{share}.db"
        for seed in range(2):
            grown(book, game_id, late(game, plies, seed, quiet=True), share=share, plies=1)
        proven = rows_of(book, "SELECT sign(value) AS sign FROM positions WHERE proven")
        assert len({row["sign"] for row in proven}) > 1
        assert checked(book, game_id) == []


@pytest.mark.parametrize(("game_id", "plies"), [("pentago", 32), ("connect-four-7x6", 33)])
def test_flipped_and_shortened_endings_are_wrong(tmp_path: Path, game_id: str, plies: int) -> None:
    game = registry.get(game_id)
    book = grown(tmp_path / "late.db", game_id, late(game, plies, 0, quiet=True), plies=1)
    for row in rows_of(book, "SELECT id, value FROM positions WHERE proven"):
        for value in {-row["value"], 29_999} - {row["value"]} - {0}:
            change(book, "UPDATE positions SET value = :v WHERE id = :id", v=value, id=row["id"])
            doubts = checked(book, game_id)
            assert row["id"] in {doubt.id for doubt in doubts}
        change(book, "UPDATE positions SET value = :v WHERE id = :id", v=row["value"], id=row["id"])
    assert checked(book, game_id) == []
