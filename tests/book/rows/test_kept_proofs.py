"""What a book proves its merger proves, and nothing that is not so."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import select, text

from book.integrity.findings import Kind as Fault
from book.integrity.repair import repair
from book.integrity.verify import Verification
from book.reader import BookReader
from book.rows.encoding import BOUNDS
from book.storage.address import Address, AnyAddress
from book.storage.database import at_one_moment
from book.storage.schema import RestState, positions
from book.whole.diff import Comparison, compare
from book.whole.export import records
from book.whole.merge import merge
from book.whole.moment import Moment
from book.whole.prune import Cut, prune
from engine import registry
from engine.values import WIN, Bound
from tests.book.threes import GAME, game_called, random_book, truth
from tests.books import change, rows_of, seal
from tests.oracles.book_checker import assert_sound

SEEDS = range(8)
OFTEN = 2
Books = tuple[Path, Path]


@pytest.fixture(autouse=True)
def threes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "get", game_called)


@pytest.fixture(
    params=[seed if seed < OFTEN else pytest.param(seed, marks=pytest.mark.slow) for seed in SEEDS]
)
def books(request: pytest.FixtureRequest, tmp_path: Path) -> Books:
    random = Random(request.param)
    first, second = (random_book(tmp_path / f"{name}.db", random) for name in "ab")
    return first, second


def merged(target: AnyAddress, *books: AnyAddress) -> AnyAddress:
    merge([Address.of(book) for book in books], Address.of(target))
    return target


def rows(book: AnyAddress) -> dict[bytes, Any]:
    with BookReader(book) as reader, reader.connection() as connection:
        return {row.stones: row for row in connection.execute(select(positions))}


def proven(book: AnyAddress) -> dict[bytes, tuple[int, int]]:
    """From where to where the value of each proven position lies, as the book says."""
    return {
        stones: (
            -WIN if BOUNDS[row.bound] is Bound.UPPER else row.value,
            WIN if BOUNDS[row.bound] is Bound.LOWER else row.value,
        )
        for stones, row in rows(book).items()
        if row.proven
    }


def test_every_proof_of_either_book_is_one_of_both(books: Books, tmp_path: Path) -> None:
    both = proven(merged(tmp_path / "c.db", *books))
    for book in books:
        for stones, (least, greatest) in proven(book).items():
            assert stones in both
            assert least <= both[stones][0] <= both[stones][1] <= greatest


def test_what_is_proven_is_true(books: Books, tmp_path: Path) -> None:
    for stones, (least, greatest) in proven(merged(tmp_path / "c.db", *books)).items():
        assert least <= truth(stones) <= greatest


def test_no_fault_is_found_in_it(books: Books, place: AnyAddress) -> None:
    merged(place, *books)
    with at_one_moment(Address.of(place)) as connection:
        assert list(Verification(connection).findings()) == []
    assert_sound(place, GAME)


def test_the_best_move_is_worth_what_the_position_is(books: Books, place: AnyAddress) -> None:
    merged(place, *books)
    with BookReader(place) as reader, reader.connection() as connection:
        told = dict(
            connection.execute(text("SELECT id, move || ' ' || value FROM best_moves")).all()  # type: ignore[arg-type]
        )
        for stones, row in rows(place).items():
            entry = reader.find(GAME, GAME.unpack(stones))
            best = entry.moves[0]
            assert best.value == row.value or not row.proven
            assert reader.find(GAME, GAME.unpack(stones), best_only=True).moves[0] == best
            assert told[row.id] == f"{GAME.format_move(best.move)} {best.value}"
            assert len({move.move for move in entry.moves}) == len(entry.moves)
            GAME.play_line(best.line, start=GAME.unpack(stones))


def test_merging_again_or_the_other_way_round_changes_nothing(books: Books, tmp_path: Path) -> None:
    def content(book: AnyAddress) -> list[dict[str, object]]:
        return list(records(book, reproducible=True))

    both = merged(tmp_path / "c.db", *books)
    for name, others in {"d": books[::-1], "e": (both, books[0]), "f": (books[1], both)}.items():
        assert content(merged(tmp_path / f"{name}.db", *others)) == content(both)


def test_what_stays_after_pruning_keeps_its_value(books: Books, tmp_path: Path) -> None:
    both = merged(tmp_path / "c.db", *books)
    pruned = merged(tmp_path / "d.db", *books)
    prune(Address.of(pruned), GAME, Cut(plies=5))
    with Moment(both) as before, Moment(pruned) as after:
        kinds = {one.kind for one in compare(before, after)}
    assert kinds <= {Comparison.SAME, Comparison.ONLY_FIRST}


@pytest.mark.slow
def test_some_proofs_had_to_be_kept(tmp_path: Path) -> None:
    states = set()
    for seed in SEEDS:
        random = Random(seed)
        pair = [random_book(tmp_path / f"{seed}{name}.db", random) for name in "ab"]
        found = rows(merged(tmp_path / f"{seed}.db", *pair)).values()
        states |= {row.value > 0 for row in found if row.rest_state == RestState.KEPT}
    assert states == {True, False}


def test_a_mark_that_does_not_follow_from_its_own_book_is_not_kept(tmp_path: Path) -> None:
    one = random_book(tmp_path / "a.db", Random(1))
    [open_one, *_] = rows_of(one, "SELECT id FROM positions WHERE NOT proven ORDER BY id")
    change(one, "UPDATE positions SET proven = true, value = 0 WHERE id = :id", id=open_one["id"])
    seal(one)
    done = merge([Address(one), Address(one)], Address(tmp_path / "c.db"))
    assert done.unproven == 1
    assert (
        proven(tmp_path / "c.db").keys() == proven(random_book(tmp_path / "b.db", Random(1))).keys()
    )


def test_a_kept_loss_with_a_stored_win_is_found_and_searched_anew(tmp_path: Path) -> None:
    kept_losses = (
        "SELECT p.id, m.child FROM positions p JOIN moves m ON m.parent = p.id"
        f" WHERE p.rest_state = {RestState.KEPT.value} AND p.value < 0"
    )
    for seed in SEEDS:
        random = Random(seed)
        pair = [random_book(tmp_path / f"{seed}{name}.db", random) for name in "ab"]
        both = merged(tmp_path / f"{seed}.db", *pair)
        if found := rows_of(both, kept_losses):
            break
    row = found[0]
    lost = "UPDATE positions SET proven = true, bound = 0, value = :value WHERE id = :id"
    change(both, lost, value=2 - WIN, id=row["child"])
    with at_one_moment(Address.of(both)) as connection:
        told = list(Verification(connection).findings())
    assert any(one.kind is Fault.SLOT and one.found.startswith("KEPT") for one in told)
    repair(Address.of(both), lambda finding: None)
    [mended] = rows_of(both, "SELECT rest_state FROM positions WHERE id = :id", id=row["id"])
    assert mended["rest_state"] == RestState.PENDING.value
    with at_one_moment(Address.of(both)) as connection:
        assert list(Verification(connection).findings()) == []
