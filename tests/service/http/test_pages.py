"""The pages for people, without a browser."""

import gzip
import re
from html import unescape

import pytest
from flask.testing import FlaskClient


def links_of(client: FlaskClient, path: str) -> list[str]:
    """Where a page leads, on the page itself left out, and what it is made of."""
    page = client.get(path).text
    return [unescape(link) for link in re.findall('(?:href|src)="([^"#]+)', page)]


@pytest.mark.parametrize("path", ["/", "/about", "/books/", "/books/gomoku.db"])
def test_the_links_of_a_page_work(client: FlaskClient, path: str) -> None:
    links = links_of(client, path)
    assert links
    for link in links:
        assert client.get(link).status_code == 200


def test_below_a_prefix_the_page_asks_there(client: FlaskClient) -> None:
    page = client.get("/", environ_overrides={"SCRIPT_NAME": "/below"}).text
    assert 'data-base="/below/"' in page
    assert all(link.startswith("/below/") for link in re.findall('(?:href|src)="(/[^"]*)', page))


def test_the_books_are_listed(client: FlaskClient) -> None:
    page = client.get("/books/").text
    assert "gomoku.db" in page
    assert "swap.db" in page


def test_programs_are_told_of_the_served_games(client: FlaskClient) -> None:
    assert any("game=gomoku-9" in link for link in links_of(client, "/about"))


def test_without_books_the_pages_say_so(bookless_client: FlaskClient) -> None:
    assert "None: every answer" in bookless_client.get("/books/").text
    assert any("game=gomoku-15" in link for link in links_of(bookless_client, "/about"))


def test_files_are_packed_for_who_can_unpack_them(client: FlaskClient) -> None:
    (script,) = (link for link in links_of(client, "/") if link.endswith("/app.js"))
    plain = client.get(script)
    packed = client.get(script, headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert plain.headers["Vary"] == packed.headers["Vary"] == "Accept-Encoding"


@pytest.mark.parametrize("path", ["/books/nothing.db", "/api/v1/books/nothing.db"])
def test_a_book_that_is_not_served_is_not_found(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_book_is_told_at_a_glance(client: FlaskClient) -> None:
    book = client.get("/api/v1/books/swap.db").get_json()
    (game,) = book["games"]
    assert game["game"] == "pentago-swap"
    assert sum(layer["positions"] for layer in game["layers"]) == game["positions"]
    assert sum(game["proven_chances"] + game["other_chances"]) == game["positions"]
    assert game["layers"][0]["ply"] == 0
    assert game["runs"][0]["searches"] >= game["positions"]


@pytest.mark.parametrize(
    "file", ["app.js", "nothing.js", "../pages.py", "..%2Fpages.py", "%2e%2e/pages.py"]
)
def test_files_of_another_version_or_place_are_not_served(client: FlaskClient, file: str) -> None:
    assert client.get(f"/static/0/{file}").status_code == 404
    if file != "app.js":
        version = next(link for link in links_of(client, "/") if "app.js" in link).split("/")[-2]
        assert client.get(f"/static/{version}/{file}").status_code == 404
