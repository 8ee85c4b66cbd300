"""Batches of positions: what they cost the others, and what comes of bad positions in them."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from flask.testing import FlaskClient

from engine import registry
from service.answerer import Answerer
from service.answers import Answer
from service.errors import AnswerTooLarge, TooBusy
from service.http.batches import Batches
from service.http.questions import MAX_BATCH
from service.inquiry import Inquiry
from service.miss_counter import MissCounter

GOMOKU = registry.get("gomoku-9")
FAR = "a1 b3 i2 h9 c9"


def ask(batches: Batches, positions: Sequence[str]) -> Any:
    document = batches.answer(
        GOMOKU, positions, movetime=0.1, total=0.1, book_only=True, each_error=False
    )
    return json.loads(document)["answers"]


class _Held(Answerer):
    """Looks nothing up before it is let go."""

    def __init__(self) -> None:
        super().__init__([])
        self.entered, self.let_go = Event(), Event()

    def stored_each(self, inquiries: Sequence[Inquiry]) -> list[Answer | None]:
        self.entered.set()
        assert self.let_go.wait(60)
        return super().stored_each(inquiries)


def test_equal_positions_are_looked_up_once(gomoku_book: Path) -> None:
    misses = MissCounter(seconds=3600)
    with Answerer([gomoku_book], misses=misses) as answerer:
        texts = [FAR, FAR.upper(), FAR.replace(" ", ","), "i2 b3 c9 h9 a1"] * 250
        assert ask(Batches(answerer), texts) == [None] * MAX_BATCH
        assert misses.waiting == 1


def test_equal_positions_are_answered_with_the_moves_that_were_asked(gomoku_book: Path) -> None:
    with Answerer([gomoku_book]) as answerer:
        root, other = ask(Batches(answerer), ["", ","])
        assert root["position"] == other["position"] == ""
        assert root["moves"] == other["moves"]


def test_batches_take_seats_by_their_size() -> None:
    lines = [GOMOKU.format_line([a, b]) for a in range(40) for b in range(40, 65)]
    assert len(lines) == MAX_BATCH
    with _Held() as answerer, ThreadPoolExecutor(2) as threads:
        batches = Batches(answerer)
        most = threads.submit(ask, batches, lines[1:])
        answerer.entered.wait(60)
        with pytest.raises(TooBusy, match="ask again later, or for fewer at once"):
            ask(batches, lines[:2])
        one = threads.submit(ask, batches, [""] * MAX_BATCH)
        answerer.let_go.set()
        assert most.result(60) == [None] * (MAX_BATCH - 1)
        assert one.result(60) == [None] * MAX_BATCH
        assert ask(batches, lines) == [None] * MAX_BATCH


def test_an_answer_that_would_be_too_long_is_refused(gomoku_book: Path) -> None:
    with Answerer([gomoku_book]) as answerer:
        batches = Batches(answerer, most_bytes=100_000)
        assert len(ask(batches, [""] * 10)) == 10
        with pytest.raises(AnswerTooLarge, match="ask for fewer positions at once"):
            ask(batches, [""] * MAX_BATCH)


def test_each_bad_position_has_its_own_error_where_that_is_asked(client: FlaskClient) -> None:
    positions = ["", "e5 e5", "z9", "", "e5"]
    batch = {"game": "gomoku-9", "positions": positions, "book_only": True, "errors": "each"}
    response = client.post("/api/v1/positions", json=batch)
    assert response.status_code == 200
    answers = response.get_json()["answers"]
    assert [answers[index]["position"] for index in (0, 3, 4)] == ["", "", "e5"]
    assert {key: answers[1][key] for key in ("type", "status", "instance")} == {
        "type": "urn:fivebook:illegal-move",
        "status": 400,
        "instance": "/api/v1/positions#/positions/1",
    }
    assert answers[1]["detail"].startswith("positions.1: illegal move 'e5'")
    assert answers[2]["type"] == "urn:fivebook:invalid-move"


def test_there_is_no_third_way_with_errors(client: FlaskClient) -> None:
    batch = {"game": "gomoku-9", "positions": [], "errors": "none"}
    response = client.post("/api/v1/positions", json=batch)
    assert response.status_code == 400
    assert "errors 'none'" in response.get_json()["detail"]
