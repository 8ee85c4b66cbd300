"""Main lines, random positions and proofs over HTTP."""

from collections.abc import Iterator
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient

from engine import registry
from engine.game import Game
from service.http.app import create_app
from service.http.settings import Settings
from tests.checkout import ROOT

SHIPPED = {"gomoku-15": "data/gomoku-15.db", "pentago-swap": "data/pentago-swap.db"}


@pytest.fixture(scope="module")
def shipped() -> Iterator[FlaskClient]:
    """Asks a service of the books that are proofs."""
    books = tuple(ROOT / path for path in SHIPPED.values())
    app: APIFlask = create_app(Settings(books, count_misses=False))
    yield app.test_client()
    app.extensions["answerer"].close()


def asked(client: FlaskClient, address: str, **query: Any) -> dict[str, Any]:
    response = client.get(f"/api/v1/{address}", query_string=query)
    assert response.status_code == 200, response.text
    document: dict[str, Any] = response.get_json()
    return document


def test_a_main_line_follows_the_best_moves(client: FlaskClient, game: Game) -> None:
    line = asked(client, "line", game=game.id, plies=4)["line"]
    played: list[str] = []
    for step in line:
        best = asked(client, "best", game=game.id, moves=" ".join(played))
        shared = ("value", "win_rate", "proven", "distance", "source")
        assert step == {"move": best["best"], **{name: best[name] for name in shared}}
        played.append(step["move"])
    assert 1 <= len(line) <= 4
    game.play_line(game.parse_line(" ".join(played)))


def test_a_main_line_ends_with_the_game(shipped: FlaskClient) -> None:
    line = asked(shipped, "line", game="pentago-swap", plies=300)["line"]
    distances = [step["distance"] for step in line]
    assert distances == list(range(distances[0], distances[0] - len(line), -1))


@pytest.mark.parametrize("seed", range(5))
def test_a_random_position_is_stored_and_its_seed_has_it_again(
    client: FlaskClient, game: Game, seed: int
) -> None:
    found = asked(client, "random", game=game.id, plies=1, seed=seed)
    assert (found["seed"], found["ply"]) == (seed, 1)
    assert found == asked(client, "random", game=game.id, plies=1, seed=seed)
    known = asked(client, "position", game=game.id, moves=found["position"], book_only=1)
    assert known["value"] == found["value"]


def test_without_a_seed_one_is_told(client: FlaskClient) -> None:
    found = asked(client, "random", game="gomoku-9", plies=1)
    again = asked(client, "random", game="gomoku-9", plies=1, seed=found["seed"])
    assert again == found


def test_a_balanced_position_is_no_proof(client: FlaskClient) -> None:
    found = []
    for game in ("gomoku-9", "pentago-swap"):
        for plies in range(4):
            query = {"game": game, "plies": plies, "balanced": 1, "seed": 1}
            response = client.get("/api/v1/random", query_string=query)
            found += [response.get_json()] if response.status_code == 200 else []
    assert found
    for position in found:
        assert not position["proven"]
        assert abs(position["win_rate"] - 0.5) < 0.07


@pytest.mark.parametrize(
    ("address", "query"),
    [
        ("line", {"game": "gomoku-9", "moves": "a1 i9 a9"}),
        ("random", {"game": "gomoku-9", "moves": "a1 i9 a9"}),
        ("random", {"game": "gomoku-9", "plies": 60}),
        ("proof", {"game": "gomoku-9"}),
        ("proof", {"game": "gomoku-9", "moves": "a1 i9 a9"}),
    ],
)
def test_what_no_book_has_is_not_found(
    client: FlaskClient, address: str, query: dict[str, Any]
) -> None:
    response = client.get(f"/api/v1/{address}", query_string=query)
    assert response.status_code == 404
    assert response.mimetype == "application/problem+json"


@pytest.mark.parametrize("game_id", SHIPPED)
def test_a_proof_answers_every_reply_of_the_loser(shipped: FlaskClient, game_id: str) -> None:
    game = registry.get(game_id)
    step = asked(shipped, "proof", game=game_id)
    assert (step["winner"], step["to_move"], step["proven"]) == ("dark", "dark", True)
    for turn in range(4):
        position = game.play_line(game.parse_line(f"{step['position']} {step['move']}"))
        replies = {each["reply"]: each for each in step["replies"]}
        assert list(map(game.parse_move, replies)) == game.legal_moves(position)
        stored = [each for each in replies.values() if each["source"] == "book"]
        if not stored:
            break
        taken = stored[turn % len(stored)]
        assert taken["distance"] < step["distance"]
        line = f"{step['position']} {step['move']} {taken['reply']}"
        step = asked(shipped, "proof", game=game_id, moves=line)
        assert (step["move"], step["distance"]) == (taken["answer"], taken["distance"])


def test_where_the_loser_is_to_move_the_proof_has_no_move(shipped: FlaskClient) -> None:
    step = asked(shipped, "proof", game="gomoku-15", moves="h8")
    assert (step["winner"], step["to_move"], step["move"]) == ("dark", "light", None)
    assert len(step["replies"]) == 224


def test_a_finished_game_is_proved_by_the_rules(shipped: FlaskClient) -> None:
    step = asked(shipped, "proof", game="gomoku-15", moves="a1 a2 b1 b2 c1 c2 d1 d2 e1")
    assert (step["outcome"], step["distance"], step["replies"]) == ("dark wins", 0, [])
