"""Which requests are looked at: by the host they are for, and by their parameters."""

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from engine.errors import InvalidOptions
from service.http.admission import check_hosts
from service.http.app import create_app
from service.http.settings import Settings
from tests.books import Fivebook


def detail(response: TestResponse) -> str:
    """What a problem document says is wrong."""
    document = response.get_json()
    assert isinstance(document, dict)
    return str(document["detail"])


@pytest.mark.parametrize("route", ["best", "position"])
def test_a_repeated_parameter_is_refused_by_name(client: FlaskClient, route: str) -> None:
    response = client.get(f"/api/v1/{route}?game=gomoku-9&moves=e5&moves=f6")
    assert response.status_code == 400
    assert response.mimetype == "application/problem+json"
    assert detail(response) == "parameter 'moves' is given 2 times"


@pytest.mark.parametrize(
    "address", ["/healthz?move=e5", "/?move=e5", "/openapi.json?move=e5", "/api/v1/books?move=e5"]
)
def test_an_unknown_parameter_is_refused_by_name(client: FlaskClient, address: str) -> None:
    response = client.get(address)
    assert response.status_code == 400
    assert "unknown parameter 'move'" in detail(response)


def test_a_batch_takes_no_parameter_of_its_address(client: FlaskClient) -> None:
    batch = {"game": "gomoku-9", "positions": ["e5"], "book_only": True}
    assert client.post("/api/v1/positions", json=batch).status_code == 200
    response = client.post("/api/v1/positions?book_only=1", json=batch)
    assert response.status_code == 400
    assert "unknown parameter 'book_only'" in detail(response)


def status(settings: Settings, host: str) -> int:
    return create_app(settings).test_client().get("/healthz", headers={"Host": host}).status_code


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8000", "127.0.0.1:8000", "[::1]:8000", "[::1]", "localhost."]
)
def test_the_names_of_this_machine_are_served(host: str) -> None:
    assert status(Settings(), host) == 200


@pytest.mark.parametrize(
    "host", ["example.org", "example.org:8000", "localhost.example.org", "[::2]", "", "a,localhost"]
)
def test_no_other_name_is(host: str) -> None:
    assert status(Settings(), host) == 400


def test_what_is_allowed_is_served_and_the_address_it_listens_on() -> None:
    settings = Settings(host="10.0.0.5", allowed_hosts="books.example.org, [fd00::1]")
    for host in ("10.0.0.5:8000", "Books.example.org", "[fd00::1]:80", "localhost"):
        assert status(settings, host) == 200
    assert status(settings, "example.org") == 400
    assert status(Settings(allowed_hosts="*"), "example.org") == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "::", ""])
def test_all_addresses_need_names(host: str, fivebook: Fivebook) -> None:
    result = fivebook("serve", "--host", host)
    assert result.exit_code == 2
    assert "--allowed-hosts" in result.stderr
    with pytest.raises(InvalidOptions):
        check_hosts(Settings(host=host))
    check_hosts(Settings(host=host, allowed_hosts="example.org"))
