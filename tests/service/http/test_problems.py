"""Whatever is wrong with a request, one problem document of one shape tells it."""

from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.http.questions import MAX_BATCH

GAME = "gomoku-9"


def problem(response: TestResponse, status: int) -> dict[str, Any]:
    """The problem document in `response`, its shape checked."""
    assert response.status_code == status, response.text
    assert response.content_type == "application/problem+json"
    document: dict[str, Any] = response.get_json()
    assert list(document) == ["type", "title", "status", "detail", "instance"]
    assert document["status"] == status
    assert "Traceback" not in document["detail"]
    assert "\n" not in document["detail"]
    return document


@pytest.mark.parametrize("address", ["/api/v1/position", "/api/v1/best"])
@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"game": "gomoku-4"}, "unknown game 'gomoku-4'"),
        ({"game": ""}, "unknown game ''"),
        ({}, "name the game: the books hold gomoku-9 and pentago-swap"),
        ({"game": GAME, "moves": "e5,z9"}, "'z9' is no cell of gomoku-9"),
        ({"game": GAME, "moves": "e5,e5"}, "illegal move 'e5' in gomoku-9 after 'e5'"),
        (
            {"game": GAME, "moves": "a1 a2 b1 b2 c1 c2 d1 d2 e1 e2"},
            "the game is over (dark wins)",
        ),
        ({"game": "pentago-swap", "moves": "b2"}, "'b2' is no move of pentago-swap"),
        ({"game": "pentago-swap", "moves": "b2:11"}, "'b2:11' is no move of pentago-swap"),
        ({"game": GAME, "movetime": "0"}, "movetime '0': input should be greater than 0"),
        ({"game": GAME, "movetime": "-5"}, "movetime '-5': input should be greater than 0"),
        ({"game": GAME, "movetime": "soon"}, "movetime 'soon': input should be a valid number"),
        ({"game": GAME, "movetime": "nan"}, "movetime 'nan': input should be a finite number"),
        ({"game": GAME, "movetime": "inf"}, "movetime 'inf': input should be a finite number"),
        ({"game": GAME, "book_only": "perhaps"}, "book_only 'perhaps': input should be a valid"),
        ({"game": GAME, "move": "e5"}, "unknown parameter 'move'"),
    ],
)
def test_a_bad_question_is_told(
    client: FlaskClient, address: str, query: dict[str, str], detail: str
) -> None:
    response = client.get(address, query_string=query)
    assert detail in problem(response, 400)["detail"]


@pytest.mark.parametrize(
    ("lines", "detail"),
    [
        ("0", "lines '0': input should be greater than or equal to 1"),
        ("51", "lines '51': input should be less than or equal to 50"),
        ("all", "lines 'all': input should be a valid integer"),
    ],
)
def test_a_bad_number_of_lines_is_told(client: FlaskClient, lines: str, detail: str) -> None:
    response = client.get("/api/v1/position", query_string={"game": GAME, "lines": lines})
    assert detail in problem(response, 400)["detail"]


def test_the_best_move_has_no_number_of_lines(client: FlaskClient) -> None:
    response = client.get("/api/v1/best", query_string={"game": GAME, "lines": "2"})
    assert "unknown parameter 'lines'" in problem(response, 400)["detail"]


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b"", "the body is no JSON"),
        (b"{", "the body is no JSON"),
        (b"\xff\xfe\x00", "the body is no JSON"),
        (b"[" * 200_000, "the body is no JSON: it is nested too deeply"),
        (b"[]", "the body must be a JSON object"),
        (b"null", "the body must be a JSON object"),
        (b"{}", "parameter 'positions' is missing"),
        (b'{"positions": "e5"}', "positions 'e5': input should be a valid list"),
        (b'{"positions": [5]}', "positions.0 '5': input should be a valid string"),
        (b'{"positions": [], "movetimes": 5}', "unknown parameter 'movetimes'"),
        (b'{"positions": [""], "movetime": NaN}', "movetime 'nan': input should be a finite"),
        (b'{"positions": [""], "movetime": -1}', "movetime '-1': input should be greater than 0"),
        (b'{"positions": [""]}', "name the game"),
        (b'{"positions": [""], "game": "chess"}', "unknown game 'chess'"),
        (
            b'{"positions": ["", "e5 e5"], "game": "gomoku-9"}',
            "positions.1: illegal move 'e5' in gomoku-9 after 'e5'",
        ),
        (b'{"positions": ["e10"], "game": "gomoku-9"}', "positions.0: 'e10' is no cell"),
    ],
)
def test_a_bad_batch_is_told(client: FlaskClient, body: bytes, detail: str) -> None:
    response = client.post("/api/v1/positions", data=body, content_type="application/json")
    assert detail in problem(response, 400)["detail"]


def test_a_batch_of_too_many_positions_is_refused(client: FlaskClient) -> None:
    batch = {"game": GAME, "positions": [""] * (MAX_BATCH + 1)}
    response = client.post("/api/v1/positions", json=batch)
    assert "at most 1000" in problem(response, 400)["detail"]


def test_too_large_a_body_is_refused(client: FlaskClient) -> None:
    response = client.post("/api/v1/positions", data=b" " * (1 << 21))
    problem(response, 413)


@pytest.mark.parametrize("address", ["/api/v1/books", "/nowhere", "/api/v2/position"])
def test_parameters_and_addresses_that_do_not_exist_are_told(
    client: FlaskClient, address: str
) -> None:
    response = client.get(address, query_string={"nothing": 1})
    document = problem(response, 400 if address == "/api/v1/books" else 404)
    assert document["instance"] == f"{address}?nothing=1"


def test_a_wrong_method_is_told_with_those_that_are_right(client: FlaskClient) -> None:
    response = client.get("/api/v1/positions")
    assert "POST" in problem(response, 405)["detail"]
    assert "POST" in response.headers["Allow"]


def test_a_position_that_no_book_holds_is_not_found_where_only_books_are_asked(
    client: FlaskClient,
) -> None:
    query = {"game": "gomoku-19", "moves": "a1", "book_only": "true"}
    response = client.get("/api/v1/position", query_string=query)
    document = problem(response, 404)
    assert document["type"] == "urn:fivebook:position-not-found"
    assert document["detail"] == "no book holds gomoku-19 after 'a1'"


def test_a_mistake_of_the_program_tells_nothing_of_its_inside(
    app: APIFlask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr(app.extensions["answerer"], "answer", fail)
    response = client.get("/api/v1/position", query_string={"game": GAME})
    assert "a secret" not in problem(response, 500)["detail"]


def test_without_books_the_game_must_be_named(bookless_client: FlaskClient) -> None:
    response = bookless_client.get("/api/v1/position")
    assert "name the game" in problem(response, 400)["detail"]
