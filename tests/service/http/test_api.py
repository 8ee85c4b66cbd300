"""What the API answers, from books and from live searches."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient

from engine import registry
from engine.game import OF_A_SQUARE, Game, Key
from engine.values import WIN
from service.answers import win_rate

Ask = Callable[..., dict[str, Any]]

# Positions without a symmetry of their own, far from any book's.
FAR = {"gomoku-9": "a1 b3 i2 h9 c9", "pentago-swap": "a1:12 c2:34 f5:13 b4:24 d6:23"}


def image(game: Game, moves: str, symmetry: int) -> str:
    """The moves turned by `symmetry`."""
    return game.format_line([game.map_move(move, symmetry) for move in game.parse_line(moves)])


def children(game: Game, answer: dict[str, Any]) -> dict[Key, tuple[int, int, str]]:
    """Value, depth and source of each answered move, by the position it leads to."""
    position = game.play_line(game.parse_line(answer["position"]))
    return {
        game.canonical(game.play(position, game.parse_move(move["move"]))).key: (
            move["value"],
            move["depth"],
            move["source"],
        )
        for move in answer["moves"]
    }


def stored_move(ask: Ask, game: Game) -> str:
    """A first move after which the book holds the position."""
    moves = ask("/api/v1/position", game=game.id)["moves"]
    return str(next(move["move"] for move in moves if move["source"] == "book"))


def test_the_empty_board_is_answered_from_the_book(ask: Ask, game: Game) -> None:
    answer = ask("/api/v1/position", game=game.id)
    assert answer["source"] in {"book", "proof"}
    assert (answer["position"], answer["ply"], answer["to_move"]) == ("", 0, "dark")
    assert answer["best"] == answer["moves"][0]["move"]
    assert answer["line"] == answer["moves"][0]["line"]
    assert answer["line"][0] == answer["best"]
    assert {move["method"] for move in (answer, *answer["moves"])} == {None}
    values = [move["value"] for move in answer["moves"]]
    assert values == sorted(values, reverse=True)
    assert answer["value"] == values[0]


def test_every_value_has_its_winning_chance_beside_it(ask: Ask, game: Game) -> None:
    for moves in ("", FAR[game.id]):
        answer = ask("/api/v1/position", game=game.id, moves=moves, movetime=20)
        for known in (answer, *answer["moves"]):
            assert known["win_rate"] == win_rate(known["value"], known["proven"])
            sure = game.accuracy.uncertainty(known["depth"], known["proven"])
            assert known["uncertainty"] == sure or known is answer
        assert answer["win_rate"] == answer["moves"][0]["win_rate"]
        assert answer["uncertainty"] == answer["moves"][0]["uncertainty"]
        short = ask("/api/v1/best", game=game.id, moves=moves, movetime=20)
        assert short["win_rate"] == win_rate(short["value"], short["proven"])


def test_each_line_of_a_book_answer_can_be_played(ask: Ask, game: Game) -> None:
    answer = ask("/api/v1/position", game=game.id)
    for move in answer["moves"]:
        assert move["line"][0] == move["move"]
        game.play_line(game.parse_line(" ".join(move["line"])))


def test_a_stored_position_is_answered_alike_in_all_orientations(ask: Ask, game: Game) -> None:
    stored = stored_move(ask, game)
    answers = [
        ask("/api/v1/position", game=game.id, moves=image(game, stored, symmetry))
        for symmetry in OF_A_SQUARE
    ]
    first = answers[0]
    assert first["source"] in {"book", "proof"}
    for answer in answers:
        assert answer["value"] == first["value"]
        assert answer["proven"] == first["proven"]
        assert children(game, answer) == children(game, first)


def test_a_live_answer_comes_back_in_the_orientation_asked(ask: Ask, game: Game) -> None:
    for symmetry in OF_A_SQUARE:
        moves = image(game, FAR[game.id], symmetry)
        answer = ask("/api/v1/position", game=game.id, moves=moves, movetime=20)
        assert answer["source"] == "live"
        assert answer["position"] == moves
        assert [move["source"] for move in answer["moves"]] == ["live"]
        assert [move["method"] for move in answer["moves"]] == [answer["method"]] == ["search"]
        start = game.play_line(game.parse_line(moves))
        game.play_line(game.parse_line(" ".join(answer["line"])), start)


def test_a_live_answer_has_as_many_lines_as_asked_for(ask: Ask, game: Game) -> None:
    moves = FAR[game.id]
    answer = ask("/api/v1/position", game=game.id, moves=moves, movetime=100, lines=3)
    assert answer["source"] == "live"
    assert 1 <= len(answer["moves"]) <= 3
    assert len(children(game, answer)) == len(answer["moves"])
    assert (answer["best"], answer["value"]) == (
        answer["moves"][0]["move"],
        answer["moves"][0]["value"],
    )
    start = game.play_line(game.parse_line(moves))
    for move in answer["moves"]:
        assert move["line"][0] == move["move"]
        game.play_line(game.parse_line(" ".join(move["line"])), start)


def test_a_book_answer_has_all_its_moves_and_follows_as_many_as_asked_for(
    ask: Ask, game: Game
) -> None:
    one, all_ = (ask("/api/v1/position", game=game.id, lines=lines) for lines in (1, 50))
    assert [move["move"] for move in one["moves"]] == [move["move"] for move in all_["moves"]]
    both = zip(one["moves"], all_["moves"], strict=True)
    stored = [(a, b) for a, b in both if b["source"] == "book"]
    assert one["moves"][0] == all_["moves"][0]
    assert all(len(b["line"]) > 1 for _, b in stored)
    assert any(len(a["line"]) == 1 for a, _ in stored)


def test_a_win_in_one_is_found_in_every_orientation(ask: Ask) -> None:
    game = registry.get("gomoku-9")
    for symmetry in OF_A_SQUARE:
        moves = image(game, "a1 a9 b1 b9 c1 c9 d1 i9", symmetry)
        answer = ask("/api/v1/position", game=game.id, moves=moves)
        assert answer["best"] == image(game, "e1", symmetry)
        assert (answer["proven"], answer["distance"], answer["value"]) == (True, 1, WIN - 1)


def test_a_live_answer_that_is_proven_is_a_proof_for_either_side(ask: Ask) -> None:
    """Dark wins by threats; after its first move light loses, which is no less proven."""
    moves = "e5 e6 f6 d4 g7 h8 f5 i9"
    won = ask("/api/v1/position", game="gomoku-9", moves=moves)
    assert (won["source"], won["method"], won["proven"]) == ("proof", "search", True)
    assert (won["value"], won["distance"]) == (WIN - len(won["line"]), len(won["line"]))
    lost = ask("/api/v1/position", game="gomoku-9", moves=f"{moves} {won['best']}")
    assert (lost["source"], lost["method"], lost["proven"]) == ("proof", "search", True)
    assert lost["value"] < 0
    assert lost["distance"] < won["distance"]
    assert lost["moves"][0]["source"] == "live"


def test_a_finished_game_has_an_outcome_and_no_moves(ask: Ask) -> None:
    answer = ask("/api/v1/position", game="gomoku-9", moves="a1 a2 b1 b2 c1 c2 d1 d2 e1")
    assert answer["outcome"] == "dark wins"
    assert (answer["source"], answer["value"], answer["distance"]) == ("proof", -WIN, 0)
    assert (answer["best"], answer["line"], answer["moves"]) == (None, [], [])


def test_case_and_separators_do_not_matter(ask: Ask) -> None:
    plain = ask("/api/v1/position", game="gomoku-9", moves="e5 d5", book_only=False)
    other = ask("/api/v1/position", game="gomoku-9", moves="E5,D5,", book_only=False)
    assert plain["position"] == other["position"] == "e5 d5"


def test_the_only_game_need_not_be_named(gomoku_client: FlaskClient) -> None:
    answer = gomoku_client.get("/api/v1/position").get_json()
    assert answer["game"] == "gomoku-9"


def test_best_is_the_best_move_of_the_full_answer(ask: Ask, game: Game) -> None:
    full = ask("/api/v1/position", game=game.id)
    short = ask("/api/v1/best", game=game.id)
    assert short.pop("elapsed_us") >= 0
    assert short.items() <= full.items()


def test_movetime_is_cut_to_the_cap(ask: Ask) -> None:
    answer = ask("/api/v1/position", game="gomoku-9", moves=FAR["gomoku-9"], movetime=3_600_000)
    assert answer["source"] == "live"


def test_any_game_is_answered_without_a_book(bookless_client: FlaskClient, game: Game) -> None:
    answer = bookless_client.get("/api/v1/position", query_string={"game": game.id}).get_json()
    assert answer["source"] == "live"
    assert game.parse_move(answer["best"]) in game.legal_moves(game.initial)


def test_a_batch_is_answered_in_its_order(client: FlaskClient, ask: Ask, game: Game) -> None:
    stored = stored_move(ask, game)
    positions = [FAR[game.id], "", stored, image(game, FAR[game.id], 3)]
    batch = {"game": game.id, "positions": positions, "movetime": 20}
    document = client.post("/api/v1/positions", json=batch).get_json()
    answers = document["answers"]
    assert [answer["position"] for answer in answers] == positions
    assert [answer["source"] == "live" for answer in answers] == [True, False, False, True]
    # The image of the first is searched only once.
    assert answers[3]["value"] == answers[0]["value"]
    assert answers[3]["line"] == image(game, " ".join(answers[0]["line"]), 3).split()


def test_a_batch_of_books_only_has_null_for_what_they_do_not_hold(
    client: FlaskClient, game: Game
) -> None:
    batch = {"game": game.id, "positions": [FAR[game.id], ""], "book_only": True}
    answers = client.post("/api/v1/positions", json=batch).get_json()["answers"]
    assert answers[0] is None
    assert answers[1]["position"] == ""


def test_an_empty_batch_has_no_answers(client: FlaskClient) -> None:
    response = client.post("/api/v1/positions", json={"game": "gomoku-9", "positions": []})
    assert response.get_json()["answers"] == []


def test_the_books_are_listed_by_file_name(ask: Ask) -> None:
    books = ask("/api/v1/books")["books"]
    assert [book["file"] for book in books] == ["gomoku.db", "swap.db"]
    assert [[game["game"] for game in book["games"]] for book in books] == [
        ["gomoku-9"],
        ["pentago-swap"],
    ]
    assert all(game["positions"] > 0 for book in books for game in book["games"])


def test_health_is_ok(ask: Ask) -> None:
    assert ask("/healthz")["status"] == "ok"


def test_it_is_ready_while_it_can_read_its_books(ask: Ask) -> None:
    assert ask("/readyz")["status"] == "ok"


def test_every_address_of_the_api_is_described(client: FlaskClient, ask: Ask) -> None:
    description = ask("/openapi.json")
    assert set(description["paths"]) == {
        "/api/v1/position",
        "/api/v1/best",
        "/api/v1/line",
        "/api/v1/live",
        "/api/v1/positions",
        "/api/v1/proof",
        "/api/v1/random",
        "/api/v1/books",
        "/api/v1/books/{name}",
        "/healthz",
        "/readyz",
    }
    position = description["paths"]["/api/v1/position"]["get"]
    assert {parameter["name"] for parameter in position["parameters"]} == {
        "game",
        "moves",
        "movetime",
        "book_only",
        "lines",
    }
    assert set(position["responses"]) == {"200", "304", "400", "404", "429", "500", "503"}
    assert description["paths"]["/api/v1/positions"]["post"]["requestBody"]["required"]


def test_the_page_of_the_api_has_every_operation_and_brings_nothing_from_elsewhere(
    client: FlaskClient, ask: Ask
) -> None:
    page = client.get("/docs").text
    for path, methods in ask("/openapi.json")["paths"].items():
        for method, told in methods.items():
            assert f"<code>{method.upper()} {path}</code>" in page
            assert f'id="{told["operationId"]}"' in page
    assert "<script" not in page
    assert not re.findall('(?:src|href)="(?:https?:)?//', page)


def test_a_margin_varies_the_move_and_a_seed_repeats_it(client: FlaskClient, ask: Ask) -> None:
    known = ask("/api/v1/position", game="gomoku-9", moves="e5")
    best = known["moves"][0]
    assert len(known["moves"]) > 1, "the book is to know of a choice"

    def chosen(seed: int) -> str:
        answer = ask("/api/v1/best", game="gomoku-9", moves="e5", book_margin=1, seed=seed)
        assert answer["value"] == known["value"]
        return str(answer["best"])

    found = [chosen(seed) for seed in range(30)]
    assert found == [chosen(seed) for seed in range(30)]
    assert len(set(found)) > 1
    assert set(found) <= {move["move"] for move in known["moves"]}
    assert ask("/api/v1/best", game="gomoku-9", moves="e5", seed=3)["best"] == best["move"]


def test_a_move_that_chance_chose_is_kept_by_nobody(client: FlaskClient) -> None:
    asked = "/api/v1/best?game=gomoku-9&moves=e5&book_margin=0.5"
    assert client.get(asked).headers["Cache-Control"] == "no-store"
    assert client.get(f"{asked}&seed=1").headers["Cache-Control"] == "public, no-cache"


@pytest.mark.parametrize("margin", ["-0.1", "1.5", "much"])
def test_a_margin_is_a_chance(client: FlaskClient, margin: str) -> None:
    response = client.get(f"/api/v1/best?game=gomoku-9&book_margin={margin}")
    assert response.status_code == 400
    assert "book_margin" in response.text
