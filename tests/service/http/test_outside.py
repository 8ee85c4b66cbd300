"""The service as it is seen from outside: other sites, proxies, prefixes, and many questions."""

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from engine.errors import InvalidOptions
from service.http.app import create_app
from service.http.settings import Settings

ORIGIN = "https://example.org"


def client_of(settings: Settings) -> FlaskClient:
    return create_app(settings).test_client()


def test_pages_of_the_given_origins_may_ask() -> None:
    client = client_of(Settings(cors=f"{ORIGIN}, https://example.net"))
    response = client.get("/healthz", headers={"Origin": ORIGIN})
    assert response.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert "ETag" in response.headers["Access-Control-Expose-Headers"]
    asked_before = client.options("/api/v1/positions", headers={"Origin": ORIGIN})
    assert "Content-Type" in asked_before.headers["Access-Control-Allow-Headers"]
    refused = client.get("/nowhere", headers={"Origin": ORIGIN})
    assert refused.headers["Access-Control-Allow-Origin"] == ORIGIN


@pytest.mark.parametrize(("allowed", "origin"), [(ORIGIN, "https://a.example.org"), ("", ORIGIN)])
def test_no_others_may(allowed: str, origin: str) -> None:
    response = client_of(Settings(cors=allowed)).get("/healthz", headers={"Origin": origin})
    assert "Access-Control-Allow-Origin" not in response.headers


def test_all_may_if_any_is_allowed() -> None:
    response = client_of(Settings(cors="*")).get("/healthz", headers={"Origin": ORIGIN})
    assert response.headers["Access-Control-Allow-Origin"] == "*"


def test_the_description_names_the_address_by_which_it_is_asked() -> None:
    forwarded = {
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "books.example.org",
        "X-Forwarded-For": "192.0.2.7",
    }
    settings = Settings(proxies=1, url_prefix="/books", allowed_hosts="books.example.org")
    found = client_of(settings).get("/books/openapi.json", headers=forwarded).get_json()
    assert found["servers"] == [{"url": "https://books.example.org/books"}]
    plain = client_of(Settings()).get("/openapi.json", headers=forwarded).get_json()
    assert plain["servers"] == [{"url": "http://localhost"}]


@pytest.mark.parametrize("address", ["/books/healthz", "/healthz"])
def test_a_prefix_may_be_taken_away_by_a_proxy_or_not(address: str) -> None:
    assert client_of(Settings(url_prefix="/books/")).get(address).status_code == 200


def test_links_begin_with_the_prefix() -> None:
    page = client_of(Settings(url_prefix="/books")).get("/books/docs").text
    assert 'href="/books/openapi.json"' in page


def test_what_only_begins_like_the_prefix_is_not_below_it() -> None:
    assert client_of(Settings(url_prefix="/books")).get("/bookshealthz").status_code == 404


@pytest.mark.parametrize(
    "settings",
    [
        Settings(url_prefix="books"),
        Settings(live_rate="often"),
        Settings(live_rate="1/minute", rate_storage="nowhere://"),
    ],
)
def test_options_that_cannot_be_are_refused(settings: Settings) -> None:
    with pytest.raises(InvalidOptions):
        create_app(settings)


def test_one_client_may_ask_for_so_many_live_searches(gomoku_book: Path) -> None:
    client = client_of(Settings((gomoku_book,), movetime=0.001, live_rate="2/hour", proxies=1))

    def status(moves: str, who: str = "192.0.2.7") -> int:
        query = {"moves": moves}
        headers = {"X-Forwarded-For": who}
        return client.get("/api/v1/best", query_string=query, headers=headers).status_code

    assert [status(moves) for moves in ("a1 i9 a9", "a1 i9 b9", "a1 i9 c9")] == [200, 200, 429]
    assert status("") == 200
    assert status("a1 i9 a9", "192.0.2.8") == 200
    query = {"moves": "a1 i9 a9"}
    refused = client.get(
        "/api/v1/live", query_string=query, headers={"X-Forwarded-For": "192.0.2.7"}
    )
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) > 0
