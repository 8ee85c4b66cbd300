"""A book that is replaced, deleted or out of reach while it is served."""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from msgspec.structs import replace
from sqlalchemy import make_url

from book.errors import BookAway
from book.reader import BookReader
from book.storage.address import AnyAddress
from engine import registry
from engine.search import Limits
from service.answerer import Answerer
from service.http.app import create_app
from service.http.settings import Settings
from service.inquiry import Inquiry
from service.notated import NotatedAnswer
from service.served_book import ServedBook
from tests.books import change, small_book
from tests.servers import postgresql_book, way_to

GOMOKU = registry.get("gomoku-9")
SHORT = Limits(nodes=100)
REQUESTS, SWAPS = 10_000, 50


@pytest.fixture(scope="module")
def editions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two books of one game that agree about no line."""
    folder = tmp_path_factory.mktemp("editions")
    return (
        small_book(folder / "short.db", GOMOKU.id, 12),
        small_book(folder / "long.db", GOMOKU.id, 60),
    )


def put(book: Path, place: Path) -> None:
    """Replace what is at `place`, in one step."""
    copy = place.with_suffix(".new")
    shutil.copy(book, copy)
    os.replace(copy, place)


def told(book: AnyAddress) -> NotatedAnswer:
    with Answerer([book]) as answerer:
        return notated(answerer)


def notated(answerer: Answerer) -> NotatedAnswer:
    answer = answerer.answer(Inquiry.read(GOMOKU, ""), SHORT, book_only=True, lines=50)
    shown = NotatedAnswer.of(answer)
    return replace(shown, elapsed_us=0)


def test_a_replaced_book_is_answered_from_at_once(
    editions: tuple[Path, Path], tmp_path: Path
) -> None:
    old, new = map(told, editions)
    assert old != new
    place = tmp_path / "live.db"
    put(editions[0], place)
    with Answerer([place]) as answerer:
        assert notated(answerer) == old
        put(editions[1], place)
        assert notated(answerer) == new


def test_who_began_on_the_old_book_finishes_on_it(
    editions: tuple[Path, Path], tmp_path: Path
) -> None:
    place = tmp_path / "live.db"
    put(editions[0], place)
    old, new = map(BookReader, editions)
    with old, new, ServedBook(place) as book, book.at_hand() as reader:
        put(editions[1], place)
        with ThreadPoolExecutor(1) as thread:
            assert thread.submit(_positions_now, book).result() == new.positions(GOMOKU)
        assert reader.positions(GOMOKU) == old.positions(GOMOKU)
        root = GOMOKU.initial
        assert reader.find(GOMOKU, root, lines=50) == old.find(GOMOKU, root, lines=50)


def _positions_now(book: ServedBook) -> int:
    with book.at_hand() as reader:
        return reader.positions(GOMOKU)


def test_a_deleted_book_answers_no_more_and_one_put_back_does(
    editions: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.served_book._SECONDS_BETWEEN_TRIES", 0.0)
    place = tmp_path / "live.db"
    put(editions[0], place)
    with Answerer([place]) as answerer:
        before = notated(answerer)
        place.unlink()
        with pytest.raises(BookAway, match=r"live\.db cannot be reached"):
            notated(answerer)
        assert answerer.away == ("live.db",)
        with pytest.raises(BookAway):
            answerer.check()
        searched = answerer.answer(Inquiry.read(GOMOKU, ""), SHORT)
        assert searched.source in {"live", "proof"}
        place.write_text("this is no book")
        with pytest.raises(BookAway):
            notated(answerer)
        put(editions[0], place)
        assert notated(answerer) == before
        assert answerer.away == ()


@pytest.mark.parametrize(
    ("requests", "swaps"),
    [(300, 10), pytest.param(REQUESTS, SWAPS, marks=pytest.mark.slow)],
)
def test_no_answer_mixes_two_books_and_none_fails(
    editions: tuple[Path, Path], tmp_path: Path, requests: int, swaps: int
) -> None:
    possible = list(map(told, editions))
    place = tmp_path / "live.db"
    put(editions[0], place)
    started = Event()
    with Answerer([place]) as answerer, ThreadPoolExecutor(4) as threads:

        def ask(_: int) -> NotatedAnswer:
            started.set()
            return notated(answerer)

        asked = [threads.submit(ask, number) for number in range(requests)]
        started.wait(60)
        for swap in range(1, swaps + 1):
            put(editions[swap % 2], place)
            # Requests are answered by this edition before the next comes.
            done = sum(each.done() for each in asked)
            while sum(each.done() for each in asked) < min(done + 4, requests):
                pass
        answers = [each.result() for each in asked]
    assert all(answer in possible for answer in answers)
    assert all(answer in answers for answer in possible)


def test_a_connection_that_died_at_rest_costs_no_answer() -> None:
    with postgresql_book() as address:
        small_book(address, GOMOKU.id, 12)
        with way_to(address) as way, Answerer([way.address]) as answerer:
            before = notated(answerer)
            way.cut()
            way.mend()
            assert notated(answerer) == before
            assert answerer.away == ()


def test_answers_are_live_while_the_database_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.served_book._SECONDS_BETWEEN_TRIES", 0.0)
    with postgresql_book() as address:
        small_book(address, GOMOKU.id, 12)
        with way_to(address) as way:
            app = create_app(Settings(books=(way.address,), movetime=0.05))
            client = app.test_client()
            before = client.get("/api/v1/position").get_json()
            assert before["source"] in {"book", "proof"}
            way.cut()
            live = client.get("/api/v1/position")
            assert (live.status_code, live.get_json()["source"]) == (200, "live")
            assert live.headers["Fivebook-Away"] == make_url(address).database
            assert client.get("/api/v1/position?book_only=1").status_code == 503
            assert client.get("/readyz").status_code == 503
            assert client.get("/healthz").status_code == 200
            assert client.get("/").status_code == 200
            way.mend()
            assert client.get("/readyz").status_code == 200
            again = client.get("/api/v1/position")
            assert again.get_json()["moves"] == before["moves"]
            assert "Fivebook-Away" not in again.headers
            app.extensions["answerer"].close()


def test_a_book_restored_on_a_server_is_answered_from_at_once() -> None:
    with postgresql_book() as address, postgresql_book() as other:
        small_book(address, GOMOKU.id, 12)
        # The game has another number there.
        small_book(other, "gomoku-7", 5)
        small_book(other, GOMOKU.id, 60)
        expected = told(other)
        here, there = map(_schema_of, (address, other))
        with Answerer([address]) as answerer:
            assert notated(answerer) != expected
            change(
                address,
                f"DROP SCHEMA {here} CASCADE; ALTER SCHEMA {there} RENAME TO {here};"
                f"CREATE SCHEMA {there}",
            )
            assert notated(answerer) == expected
            assert answerer.away == ()


def _schema_of(address: str) -> str:
    return str(make_url(address).query["options"]).rpartition("=")[2]
