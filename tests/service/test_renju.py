"""What people and programs are told of the moves that renju forbids."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from engine import registry
from fivebook.cli import cli
from tests.service.conftest import small_book

# After these moves dark would make two open threes on e5, and a row of six nowhere.
FORK = "c5 a1 d5 i1 e6 a9 e7 i9"
RENJU, FREESTYLE = "gomoku-9-renju", "gomoku-9"


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_book(tmp_path_factory.mktemp("renju") / "renju.db", registry.get(RENJU))


def position(client: FlaskClient, route: str, moves: str, game: str = RENJU) -> dict[str, Any]:
    query = {"game": game, "moves": moves, "movetime": 20}
    response = client.get(f"/api/v1/{route}", query_string=query)
    document: dict[str, Any] = response.get_json()
    return {"status": response.status_code, **document}


@pytest.mark.parametrize("route", ["position", "best"])
def test_answers_list_the_forbidden_points(client: FlaskClient, route: str) -> None:
    answer = position(client, route, FORK)
    assert answer["forbidden"] == ["e5"]
    assert answer["best"] != "e5"
    assert position(client, route, f"{FORK} a5")["forbidden"] == []
    assert position(client, route, FORK, FREESTYLE)["forbidden"] == []


def test_answers_of_a_batch_list_them_too(client: FlaskClient) -> None:
    question = {"game": RENJU, "positions": [FORK, ""]}
    answers = client.post("/api/v1/positions", json=question).get_json()["answers"]
    assert [answer["forbidden"] for answer in answers] == [["e5"], []]


def test_a_forbidden_move_is_a_problem_with_its_reason(client: FlaskClient) -> None:
    answer = position(client, "position", f"{FORK} e5")
    assert answer["status"] == 400
    assert answer["detail"].endswith(": a double three is forbidden to dark")


def test_a_book_of_renju_answers_and_the_query_lists_forbidden_points(
    runner: CliRunner, book: Path
) -> None:
    assert "from renju.db" in runner.invoke(cli, ["query", str(book)]).output
    shown = runner.invoke(cli, ["query", str(book), FORK, "--nodes", "500"])
    assert "forbidden to dark: e5" in shown.output
    listed = runner.invoke(cli, ["query", str(book), FORK, "--nodes", "500", "--json"])
    assert json.loads(listed.output)["forbidden"] == ["e5"]
    refused = runner.invoke(cli, ["query", str(book), f"{FORK} e5"])
    assert refused.exit_code == 2
    assert "a double three is forbidden to dark" in refused.output
