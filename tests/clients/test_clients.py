"""The examples of curl in docs/http.md, by curl and by the clients of Python and JavaScript.

They are asked of a service of the shipped books.
"""

import asyncio
import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest
from msgspec.json import encode

from fivebook.client import AsyncClient, Client, ServiceRefuses
from tests.checkout import ROOT
from tests.service.http.test_serve import served

DOCUMENTED = "http://127.0.0.1:8000"
# Not the same twice: how long it took, and how far a search came.
OF_THE_MOMENT = {"elapsed_us", "milliseconds", "nodes", "depth", "value", "win_rate", "best"}
OF_THE_MOMENT |= {"line", "moves", "seed", "distance", "bound", "proven", "source", "uncertainty"}


class Example(NamedTuple):
    """A call of curl, and what it asks for."""

    command: list[str]
    route: str
    query: dict[str, str]
    body: dict[str, Any] | None


def examples() -> Iterator[Example]:
    """The calls of curl in the documentation."""
    text = (ROOT / "docs" / "http.md").read_text().replace("\\\n", " ")
    for block in re.findall(r"^```[a-z]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            if line.startswith("curl "):
                command = shlex.split(line)
                address = urlsplit(next(word for word in command if word.startswith("http")))
                body = json.loads(command[command.index("-d") + 1]) if "-d" in command else None
                route = address.path.removeprefix("/api/v1/")
                yield Example(command, route, dict(parse_qsl(address.query)), body)


EXAMPLES = list(examples())
REFUSED = Example([], "best", {"game": "chess"}, None)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    books = (ROOT / "data" / "gomoku-15.db", ROOT / "data" / "pentago-swap.db")
    with served(*map(str, books), "--no-count-misses") as (_, url):
        yield url


@pytest.fixture(scope="module")
def by_curl(url: str) -> list[Any]:
    """What curl is answered, example by example."""
    if shutil.which("curl") is None:
        pytest.skip("there is no curl on this machine")
    answers = []
    for example in EXAMPLES:
        command = [word.replace(DOCUMENTED, url) for word in example.command]
        done = subprocess.run([*command, "-sS"], check=True, capture_output=True, text=True)
        answers.append(last_of(done.stdout))
    return answers


def last_of(text: str) -> Any:
    """The document in an answer, in the last of its events where it is a stream."""
    if not text.startswith("event: "):
        return json.loads(text)
    return json.loads(text.rstrip().rpartition("data: ")[2])


def lasting(example: Example, answer: Any) -> Any:
    """What of an answer is the same the next time."""
    if isinstance(answer, list):
        return [lasting(example, each) for each in answer]
    if example.route == "positions" and "answers" in answer:
        return lasting(example, answer["answers"])
    gone = OF_THE_MOMENT if example.route == "live" else {"elapsed_us"}
    return {name: value for name, value in answer.items() if name not in gone}


def test_there_is_an_example_of_every_route_of_the_api() -> None:
    routes = {"position", "best", "positions", "books", "live", "line", "random", "proof"}
    assert {example.route for example in EXAMPLES} == routes


def arguments(example: Example) -> tuple[list[Any], dict[str, Any]]:
    """How a client of Python is asked."""
    if example.body is not None:
        options = dict(example.body)
        return [options.pop("positions")], options
    return [], dict(example.query)


def test_the_client_of_python_is_answered_the_same(url: str, by_curl: list[Any]) -> None:
    with Client(url) as client:
        for example, expected in zip(EXAMPLES, by_curl, strict=True):
            given, options = arguments(example)
            answer = getattr(client, example.route)(*given, **options)
            if example.route == "live":
                answer = list(answer)[-1].answer
            assert lasting(example, json.loads(encode(answer))) == lasting(example, expected)


def test_the_client_for_asyncio_is_answered_the_same(url: str, by_curl: list[Any]) -> None:
    async def ask(client: AsyncClient, example: Example) -> Any:
        given, options = arguments(example)
        asked = getattr(client, example.route)(*given, **options)
        if example.route == "live":
            return [event async for event in asked][-1].answer
        return await asked

    async def ask_all() -> list[Any]:
        async with AsyncClient(url) as client:
            return [await ask(client, example) for example in EXAMPLES]

    for example, expected, answer in zip(EXAMPLES, by_curl, asyncio.run(ask_all()), strict=True):
        assert lasting(example, json.loads(encode(answer))) == lasting(example, expected)


def test_the_module_of_javascript_is_answered_the_same(url: str, by_curl: list[Any]) -> None:
    if shutil.which("node") is None:
        pytest.skip("there is no node on this machine")
    asked = [(example.route, example.query, example.body) for example in (*EXAMPLES, REFUSED)]
    program = Path(__file__).with_name("ask.mjs")
    done = subprocess.run(
        ["node", program, url], input=json.dumps(asked), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    *answers, refused = json.loads(done.stdout)
    for example, expected, answer in zip(EXAMPLES, by_curl, answers, strict=True):
        assert lasting(example, answer) == lasting(example, expected)
    assert refused["detail"].startswith("unknown game 'chess'")


def test_a_problem_is_raised(url: str) -> None:
    with Client(url) as client:
        with pytest.raises(ServiceRefuses, match="unknown game 'chess'") as refused:
            client.best("chess")
        assert refused.value.problem.status == 400
        with pytest.raises(ServiceRefuses, match="unknown game 'chess'"):
            list(client.live("chess"))


def test_each_bad_position_of_a_batch_is_a_problem(url: str) -> None:
    with Client(url) as client:
        good, bad = client.positions(["", "z99"], game="gomoku-15", errors="each")
    assert good is not None
    assert getattr(bad, "status", None) == 400


def test_a_busy_service_is_asked_again() -> None:
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        if len(asked) < 3:
            return httpx.Response(503, headers={"Retry-After": "0"}, json={})
        return httpx.Response(200, json={"books": []})

    with Client("http://service", transport=httpx.MockTransport(answer)) as client:
        assert client.books().books == ()
    assert len(asked) == 3
