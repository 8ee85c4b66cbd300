"""A live search that is watched over HTTP."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit

import pytest
from flask.testing import FlaskClient

from engine import registry
from tests.service.http.connections import connection
from tests.service.http.test_serve import get, served

FAR = {"gomoku-9": "a1 b3 i2 h9 c9", "pentago-swap": "a1:12 c2:34 f5:13 b4:24 d6:23"}
HOUR = 3_600_000
# A game whose search tells of its first depths at once: no proof comes before.
PLAIN = "connect-four-7x6"


def events(text: str) -> list[tuple[str, dict[str, Any]]]:
    """The names of the events in a stream, with their documents."""
    found = []
    for event in text.removesuffix("\n\n").split("\n\n"):
        name, data = event.split("\n")
        assert name.startswith("event: ")
        assert data.startswith("data: ")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


def asked(client: FlaskClient, **query: Any) -> list[tuple[str, dict[str, Any]]]:
    response = client.get("/api/v1/live", query_string=query)
    assert response.status_code == 200, response.text
    assert response.mimetype == "text/event-stream"
    return events(response.text)


@pytest.mark.parametrize("game", FAR)
def test_progress_grows_deeper_until_the_answer(client: FlaskClient, game: str) -> None:
    *progress, (last, answer) = asked(client, game=game, moves=FAR[game], movetime=200)
    assert last == "answer"
    assert {name for name, _ in progress} <= {"progress"}
    depths = [document["depth"] for _, document in progress]
    assert depths == sorted(depths)
    rules = registry.get(game)
    start = rules.play_line(rules.parse_line(FAR[game]))
    for document in (answer, *(document for _, document in progress)):
        assert document["method"] is not None
        assert document["position"] == FAR[game]
        rules.play_line(rules.parse_line(" ".join(document["line"])), start)


def test_what_a_book_holds_is_answered_at_once(client: FlaskClient) -> None:
    ((name, answer),) = asked(client, game="gomoku-9", movetime=HOUR)
    assert name == "answer"
    stored = client.get("/api/v1/position?game=gomoku-9").get_json()
    del answer["elapsed_us"], stored["elapsed_us"]
    assert answer == stored


def test_as_many_lines_are_answered_as_asked_for(client: FlaskClient) -> None:
    found = asked(client, game="gomoku-9", moves=FAR["gomoku-9"], lines=3, movetime=100)
    assert len(found[-1][1]["moves"]) == 3


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"game": "chess"}, 400),
        ({"game": "gomoku-9", "moves": "e5 e5"}, 400),
        ({"game": "gomoku-9", "movetime": "0"}, 400),
        ({"game": "gomoku-9", "move": "e5"}, 400),
        ({"game": "gomoku-9", "moves": FAR["gomoku-9"], "book_only": "1"}, 404),
    ],
)
def test_a_bad_question_is_told_by_its_status(
    client: FlaskClient, query: dict[str, str], status: int
) -> None:
    response = client.get("/api/v1/live", query_string=query)
    assert response.status_code == status
    assert response.mimetype == "application/problem+json"


def first_event(opened: socket.socket, url: str, moves: str) -> str:
    """Ask for an hour's search, and read until its first event is whole."""
    address = f"/api/v1/live?game={PLAIN}&moves={moves}&movetime={HOUR}"
    opened.sendall(f"GET {address} HTTP/1.1\r\nHost: {urlsplit(url).netloc}\r\n\r\n".encode())
    text = ""
    while "\n\n" not in text.partition("\r\n\r\n")[2]:
        part = opened.recv(65536)
        assert part, text
        text += part.decode()
    return text


@pytest.fixture(scope="module")
def url(gomoku_book: Path) -> Iterator[str]:
    """A service with one seat for live searches and one to wait, of an hour each."""
    with served(str(gomoku_book), "--live-searches", "1", "--movetime-cap", "1h") as (_, url):
        yield url


def test_each_event_is_sent_when_it_happens(url: str) -> None:
    with connection(url) as opened:
        assert "event: progress" in first_event(opened, url, "d1")


def test_a_reader_that_goes_away_gives_its_seat_back(url: str) -> None:
    for _ in range(3):
        with connection(url) as opened:
            first_event(opened, url, "d1,d2")
            with pytest.raises(HTTPError, match="503"):
                get(f"{url}/api/v1/best?game={PLAIN}&moves=c1&movetime=1")
        # Within a second, which is the half of its movetime.
        answer = get(f"{url}/api/v1/best?game={PLAIN}&moves=c1&movetime=2000")
        assert answer["source"] in {"live", "proof"}


def test_no_seat_is_told_by_the_status(url: str) -> None:
    with connection(url) as opened:
        first_event(opened, url, "d1,c1")
        with pytest.raises(HTTPError, match="503"):
            get(f"{url}/api/v1/live?game={PLAIN}&moves=c1&movetime=1")
