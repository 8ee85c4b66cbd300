"""The OpenAPI document tells all that is answered, whatever is asked.

By schemathesis; its own plugin of pytest does not know the pytest of these tests.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from service.http.app import create_app
from service.http.settings import Settings
from tests.checkout import ROOT

# Each with what a generator of questions takes: those without parameters can be asked one way.
WITH_QUESTION = (
    ("GET", "/api/v1/position"),
    ("GET", "/api/v1/best"),
    ("GET", "/api/v1/live"),
    ("GET", "/api/v1/line"),
    ("GET", "/api/v1/random"),
    ("GET", "/api/v1/proof"),
    ("POST", "/api/v1/positions"),
)
OPERATIONS = (
    *WITH_QUESTION,
    ("GET", "/api/v1/books"),
    ("GET", "/api/v1/books/{name}"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
)
SOME, MANY = 100, 1_000
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
# What no generator finds: real games and positions, held and not, finished and impossible.
GAMES = st.sampled_from(
    ["gomoku-9", "pentago-swap", "gomoku-15-renju", "connect-four-7x6", "chess"]
)
LINES = st.sampled_from(
    ["", "e5", "E5,D5,", "a1 i9 a9", "e5 e5", "z9", "a1 a9 b1 b9 c1 c9 d1 d9 e1", "b2:12", "d1 d2"]
)
PROVEN = {"game": "pentago-swap", "moves": ""}
BOOKS = st.sampled_from(["gomoku.db", "pentago-swap.db", "nothing.db"])
EXTRAS = st.sampled_from([{}, {}, {"nothing": "1"}])
HOSTS = st.sampled_from(["localhost", "localhost", "localhost:8000", "example.org"])


@pytest.fixture(scope="module")
def description(gomoku_book: Path) -> Iterator[Any]:
    """The description of a service, by which it is asked; one of its books is a proof."""
    books = (gomoku_book, ROOT / "data" / "pentago-swap.db")
    app = create_app(Settings(books, movetime=0.001, movetime_cap=0.001, count_misses=False))
    # As it is served: an error is to become a document, not to end the test.
    app.config["PROPAGATE_EXCEPTIONS"] = False
    yield schemathesis.openapi.from_wsgi("/openapi.json", app)
    app.extensions["answerer"].close()


def asked(description: Any, method: str, path: str, mode: GenerationMode, most: int) -> set[int]:
    """The statuses of that many questions, to which the answers are what the description says."""
    statuses = set()

    @settings(max_examples=most, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(
        case=description[path][method].as_strategy(generation_mode=mode),
        known=st.fixed_dictionaries({}, optional={"game": GAMES, "moves": LINES}),
        book=BOOKS,
        extra=EXTRAS,
        host=HOSTS,
    )
    def check(
        case: Case, known: dict[str, str], book: str, extra: Mapping[str, str], host: str
    ) -> None:
        if case.path_parameters:
            case.path_parameters = {"name": book}
        if path == "/api/v1/proof" and len(known) == 1:
            known = PROVEN
        if method == "GET" and (method, path) in WITH_QUESTION:
            case.query = {**(case.query or {}), **known}
        elif isinstance(case.body, dict) and known:
            case.body = {**case.body, "game": known.get("game", "gomoku-9")}
            case.body["positions"] = [known.get("moves", "")]
        case.query = {**(case.query or {}), **extra}
        # In process nothing opens what is compressed.
        response = case.call(headers={"Host": host, "Accept-Encoding": "identity"})
        case.validate_response(response, checks=CHECKS)
        statuses.add(response.status_code)

    check()
    return statuses


def test_every_operation_is_asked_for(description: Any) -> None:
    described = {
        (found.ok().method.upper(), found.ok().path) for found in description.get_all_operations()
    }
    assert described == set(OPERATIONS)


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_every_answer_is_described(method: str, path: str, description: Any) -> None:
    assert {200, 400} <= asked(description, method, path, GenerationMode.POSITIVE, SOME)


@pytest.mark.parametrize(("method", "path"), WITH_QUESTION)
def test_every_refusal_is_described(method: str, path: str, description: Any) -> None:
    assert 400 in asked(description, method, path, GenerationMode.NEGATIVE, SOME)


def test_every_operation_has_an_id_a_description_and_an_example(description: Any) -> None:
    raw = description.raw_schema
    assert raw["openapi"].startswith("3.1")
    told = [operation for path in raw["paths"].values() for operation in path.values()]
    ids = [operation["operationId"] for operation in told]
    assert len(set(ids)) == len(ids)
    for operation in told:
        assert operation["summary"]
        for content in operation["responses"]["200"]["content"].values():
            assert content["example"]


def test_every_example_is_as_described(description: Any) -> None:
    raw = description.raw_schema
    for path in raw["paths"].values():
        for operation in path.values():
            for kind, content in operation["responses"]["200"]["content"].items():
                if kind == "application/json":
                    schema = {**content["schema"], "components": raw["components"]}
                    assert jsonschema_rs.is_valid(schema, content["example"])


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(GenerationMode))
@pytest.mark.parametrize(("method", "path"), WITH_QUESTION)
def test_whatever_is_asked_the_answer_is_described(
    method: str, path: str, mode: GenerationMode, description: Any
) -> None:
    assert asked(description, method, path, mode, MANY)
