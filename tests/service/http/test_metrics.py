"""What is noted of requests: metrics, the access log, and ids."""

import json
import re
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from flask.testing import FlaskClient

from service.http.app import create_app
from service.http.settings import Settings
from tests.checkout import ROOT
from tests.service.http.test_serve import get, served

FAR = "a1 b3 i2 h9 c9"
DASHBOARD = ROOT / "docs" / "deploy" / "grafana.json"


def figures(text: str) -> dict[str, float]:
    """The samples of a page of metrics, by their names with labels."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


@pytest.fixture
def own_client(gomoku_book: Path) -> FlaskClient:
    return create_app(Settings((gomoku_book,), movetime=0.01, live_searches=3)).test_client()


def test_answers_are_counted_by_route_status_and_source(own_client: FlaskClient) -> None:
    for moves in ("", "", FAR):
        own_client.get("/api/v1/best", query_string={"moves": moves})
    own_client.get("/api/v1/best?moves=z9")
    own_client.get("/nowhere")
    found = figures(own_client.get("/metrics").text)
    route = 'fivebook_answers_total{route="/api/v1/best",'
    assert found[route + 'source="book",status="200"}'] == 2
    assert found[route + 'source="live",status="200"}'] == 1
    assert found[route + 'source="none",status="400"}'] == 1
    assert found['fivebook_answers_total{route="none",source="none",status="404"}'] == 1
    assert found["fivebook_misses_total"] == 1
    assert found['fivebook_answer_seconds_count{route="/api/v1/best"}'] == 4


def test_seats_and_books_are_told(own_client: FlaskClient, gomoku_book: Path) -> None:
    found = figures(own_client.get("/metrics").text)
    assert found["fivebook_live_seats"] == 3
    assert (found["fivebook_live_running"], found["fivebook_live_waiting"]) == (0, 0)
    name = gomoku_book.name
    assert found[f'fivebook_book_positions{{book="{name}",game="gomoku-9"}}'] > 0
    assert found[f'fivebook_book_generation{{book="{name}"}}'] == 1
    assert found[f'fivebook_book_away{{book="{name}"}}'] == 0


def test_the_dashboard_asks_for_metrics_that_there_are(own_client: FlaskClient) -> None:
    own_client.get("/api/v1/best")
    known = {name.partition("{")[0] for name in figures(own_client.get("/metrics").text)}
    panels = json.loads(DASHBOARD.read_text())["panels"]
    asked = {
        name
        for panel in panels
        for target in panel["targets"]
        for name in re.findall(r"fivebook_[a-z_]+", target["expr"])
    }
    assert asked <= known


def test_workers_count_together(gomoku_book: Path) -> None:
    with served(str(gomoku_book), "--workers", "2", "--live-searches", "4") as (_, url):
        for _ in range(20):
            get(f"{url}/api/v1/best")
        with urlopen(f"{url}/metrics") as response:
            found = figures(response.read().decode())
    answered = [value for name, value in found.items() if 'route="/api/v1/best"' in name]
    assert 20 in answered
    assert found["fivebook_live_seats"] == 4


@pytest.mark.parametrize("given", ["abc-1.2_3", "a" * 64])
def test_a_sane_id_is_taken_over(client: FlaskClient, given: str) -> None:
    response = client.get("/healthz", headers={"X-Request-Id": given})
    assert response.headers["X-Request-Id"] == given


@pytest.mark.parametrize("given", ["", "a" * 65, "a b", "ä", 'a"b'])
def test_any_other_id_is_replaced(client: FlaskClient, given: str) -> None:
    response = client.get("/nowhere", headers={"X-Request-Id": given})
    assert re.fullmatch("[0-9a-f]{32}", response.headers["X-Request-Id"])


def test_requests_are_logged_as_asked_for(gomoku_book: Path) -> None:
    for kind in ("json", "text"):
        with served(str(gomoku_book), "--access-log", kind) as (process, url):
            get(f"{url}/healthz")
            request = Request(f"{url}/api/v1/best?moves=e5%0A", headers={"X-Request-Id": "mine"})
            urlopen(request).close()
            process.terminate()
            output, errors = process.communicate(timeout=60)
        lines = [line for line in output.splitlines() if "mine" in line]
        assert errors == ""
        if kind == "json":
            told = json.loads(lines[0])
            assert told["address"] == "/api/v1/best?moves=e5%0A"
            assert (told["status"], told["client"], told["method"]) == (200, "127.0.0.1", "GET")
        else:
            assert " mine 127.0.0.1 GET /api/v1/best?moves=e5%0A 200 " in lines[0]
