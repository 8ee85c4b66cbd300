"""What clients and proxies may keep, and what is sent short."""

import gzip

import pytest
import zstandard
from flask.testing import FlaskClient

FAR = "a1 b3 i2 h9 c9"
STORED = "/api/v1/position?game=gomoku-9"


@pytest.mark.parametrize("route", ["best", "position"])
def test_a_book_answer_that_a_client_has_is_not_sent_again(client: FlaskClient, route: str) -> None:
    address = f"/api/v1/{route}?game=gomoku-9"
    first = client.get(address)
    assert first.headers["Cache-Control"] == "public, no-cache"
    tag = first.headers["ETag"]
    again = client.get(address, headers={"If-None-Match": tag})
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["ETag"] == tag
    assert client.get(address, headers={"If-None-Match": 'W/"other"'}).status_code == 200


def test_other_answers_have_other_tags(client: FlaskClient) -> None:
    tags = {
        client.get(f"/api/v1/{route}?game={game}").headers["ETag"]
        for route in ("best", "position")
        for game in ("gomoku-9", "pentago-swap")
    }
    assert len(tags) == 4


def test_a_live_answer_is_kept_by_nobody(client: FlaskClient) -> None:
    response = client.get(f"/api/v1/best?game=gomoku-9&moves={FAR}&movetime=5")
    assert response.headers["Cache-Control"] == "no-store"
    assert "ETag" not in response.headers


def test_a_proof_may_be_kept_for_an_hour(client: FlaskClient) -> None:
    over = client.get("/api/v1/best?game=gomoku-9&moves=a1 a2 b1 b2 c1 c2 d1 d2 e1")
    assert over.headers["Cache-Control"] == "public, max-age=3600"


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [("gzip", "gzip"), ("zstd, gzip", "zstd"), ("br", None), ("", None), ("gzip;q=0", None)],
)
def test_what_is_long_is_compressed_as_the_client_takes_it(
    client: FlaskClient, accepted: str, encoding: str | None
) -> None:
    plain = client.get("/openapi.json").data
    response = client.get("/openapi.json", headers={"Accept-Encoding": accepted})
    assert response.headers.get("Content-Encoding") == encoding
    assert response.headers["Vary"] == "Accept-Encoding"
    opened = {"gzip": gzip.decompress, "zstd": zstandard.decompress, None: bytes}[encoding]
    assert opened(response.data) == plain
    assert int(response.headers["Content-Length"]) == len(response.data)


def test_what_is_short_is_not(client: FlaskClient) -> None:
    response = client.get("/healthz", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in response.headers
