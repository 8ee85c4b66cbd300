"""What no book held is counted beside the book, and never at the cost of an answer."""

import logging
from pathlib import Path

import pytest

from book.misses import Misses
from book.storage.address import Address
from engine import registry
from engine.errors import IllegalMove
from engine.search import Limits
from service.answerer import Answerer
from service.http.app import create_app
from service.http.settings import Settings
from service.inquiry import Inquiry
from service.miss_counter import MissCounter
from tests.books import small_book

GOMOKU = registry.get("gomoku-9")
FAR_OFF = "a1 i9 a9"
TURNED = "i1 a9 a1"
FINISHED = "a1 a9 b1 b9 c1 c9 d1 d9 e1"
NODES = Limits(nodes=100)


def stones(line: str) -> bytes:
    return GOMOKU.canonical(GOMOKU.play_line(GOMOKU.parse_line(line))).stones


def counted(book: Path) -> dict[bytes, int]:
    return {position.stones: count for position, count in Misses(book).most_missed(GOMOKU, 100)}


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return small_book(tmp_path / "book.db", "gomoku-9", 5)


def answerer_of(*books: Path) -> Answerer:
    return Answerer(books, misses=MissCounter(seconds=3600))


def test_images_of_a_position_are_counted_as_one(book: Path) -> None:
    with answerer_of(book) as answerer:
        answerer.answer(Inquiry.read(GOMOKU, FAR_OFF), NODES)
        answerer.answer(Inquiry.read(GOMOKU, TURNED), NODES)
        answerer.answer(Inquiry.read(GOMOKU, "a1 a9"), NODES)
    assert counted(book) == {stones(FAR_OFF): 2, stones("a1 a9"): 1}


def test_every_position_of_many_is_counted(book: Path) -> None:
    with answerer_of(book) as answerer:
        lines = ["", FAR_OFF, FINISHED, TURNED, "a1 a9"]
        asked = [Inquiry.read(GOMOKU, line) for line in lines]
        answerer.answer_each(asked, movetime=0.1, total=1, book_only=True)
    assert counted(book) == {stones(FAR_OFF): 2, stones("a1 a9"): 1}


def test_what_is_held_or_over_or_no_game_is_not_counted(book: Path) -> None:
    with answerer_of(book) as answerer:
        answerer.answer(Inquiry.read(GOMOKU, ""), NODES)
        answerer.answer(Inquiry.read(GOMOKU, FINISHED), NODES)
        with pytest.raises(IllegalMove):
            answerer.answer(Inquiry.read(GOMOKU, "a1 a1"), NODES)
    assert not Misses(book).path.exists()


def test_a_miss_belongs_to_the_first_book_of_its_game(book: Path, tmp_path: Path) -> None:
    swap = small_book(tmp_path / "swap.db", "pentago-swap", 5)
    other = small_book(tmp_path / "other.db", "gomoku-9", 5)
    with answerer_of(swap, book, other) as answerer:
        answerer.answer(Inquiry.read(GOMOKU, FAR_OFF), NODES)
        answerer.answer(Inquiry.read(registry.get("gomoku-11"), FAR_OFF), NODES)
    assert counted(book) == {stones(FAR_OFF): 1}
    assert not Misses(swap).path.exists()
    assert not Misses(other).path.exists()


def test_counts_are_written_while_the_service_runs(book: Path) -> None:
    with Answerer([book], misses=MissCounter(seconds=0.01)) as answerer:
        answerer.answer(Inquiry.read(GOMOKU, FAR_OFF), NODES)
        while not counted(book):
            pass
    assert counted(book) == {stones(FAR_OFF): 1}


def test_where_nothing_can_be_written_there_is_one_warning(
    book: Path, caplog: pytest.LogCaptureFixture
) -> None:
    Misses(book).path.mkdir()
    address = Address(book)
    with caplog.at_level(logging.WARNING), MissCounter(seconds=0.01) as misses:
        for _ in range(3):
            misses.add(address, GOMOKU, GOMOKU.initial)
            while misses.waiting:
                pass
    (warning,) = caplog.messages
    assert warning.startswith("positions that book.db lacks are no longer counted: cannot use")


@pytest.mark.parametrize("wanted", [True, False])
def test_the_setting_turns_counting_on_and_off(book: Path, wanted: bool) -> None:
    app = create_app(Settings(books=(book,), count_misses=wanted))
    app.test_client().get("/api/v1/position?game=gomoku-9&moves=a1,i9,a9&book_only=1")
    app.extensions["answerer"].close()
    assert Misses(book).path.exists() == wanted


def test_one_client_counts_once_however_often_it_asks(book: Path) -> None:
    app = create_app(Settings(books=(book,), movetime=0.05))
    client = app.test_client()
    positions = [FAR_OFF, TURNED, FAR_OFF.upper()] * 300
    batch = {"game": GOMOKU.id, "positions": positions, "book_only": True}
    for _ in range(3):
        assert client.post("/api/v1/positions", json=batch).status_code == 200
    other = {"REMOTE_ADDR": "192.0.2.7"}
    client.post("/api/v1/positions", json=batch, environ_base=other)
    app.extensions["answerer"].close()
    assert counted(book) == {stones(FAR_OFF): 2}


def test_one_client_cannot_push_out_the_positions_of_others(book: Path) -> None:
    asking = "192.0.2.1"
    with MissCounter(3600, client=lambda: asking, each_client=3) as counter:
        for move in GOMOKU.legal_moves(GOMOKU.initial):
            counter.add(Address.of(book), GOMOKU, GOMOKU.play_line([move]))
        assert counter.waiting == 3
        asking = "192.0.2.2"
        counter.add(Address.of(book), GOMOKU, GOMOKU.play_line([0]))
        assert counter.waiting == 4


def test_many_clients_shut_out_no_later_one(book: Path) -> None:
    asking = ""
    with MissCounter(3600, client=lambda: asking) as counter:
        for number in range(2_000):
            asking = f"192.0.{number // 256}.{number % 256}"
            counter.add(Address.of(book), GOMOKU, GOMOKU.initial)
        asking = "198.51.100.1"
        counter.add(Address.of(book), GOMOKU, GOMOKU.initial)
        assert counter.waiting == 2_001


@pytest.mark.parametrize(
    ("one", "other", "clients"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", 1),
        ("2001:db8::1", "2001:db8:0:1::1", 2),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", 2),
        ("::ffff:192.0.2.1", "192.0.2.1", 1),
    ],
)
def test_clients_are_told_apart_by_address_and_of_ipv6_by_network(
    book: Path, one: str, other: str, clients: int
) -> None:
    app = create_app(Settings(books=(book,)))
    for address in (one, other):
        question = "/api/v1/position?game=gomoku-9&moves=a1,i9,a9&book_only=1"
        app.test_client().get(question, environ_base={"REMOTE_ADDR": address})
    app.extensions["answerer"].close()
    assert counted(book) == {stones(FAR_OFF): clients}
