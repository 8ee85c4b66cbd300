"""Clients that send half of a request, or too much, keep nobody from an answer."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from tests.service.http.connections import TIMEOUT, connection, post, received
from tests.service.http.test_serve import get, served

# Many times the threads of the server.
MANY = 100


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with served("--live-searches", "1") as (_, url):
        yield url


def test_half_sent_requests_hold_no_thread_and_are_closed_after_a_while(url: str) -> None:
    with ExitStack() as opened:
        halves = [opened.enter_context(connection(url)) for _ in range(2 * MANY)]
        for announced in halves[:MANY]:
            announced.sendall(post(url, "Content-Length: 40") + b'{"game')
        for chunked in halves[MANY:]:
            chunked.sendall(post(url, "Transfer-Encoding: chunked") + b"5\r\n{" + b'"gam')
        heads = [opened.enter_context(connection(url)) for _ in range(MANY)]
        for head in heads:
            head.sendall(b"GET /healthz HTTP/1.1\r\nHost:")
        used = opened.enter_context(connection(url))
        used.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")

        assert get(f"{url}/healthz")["status"] == "ok"
        assert get(f"{url}/api/v1/best?game=gomoku-9&movetime=5")["best"]

        for half in halves:
            answer = received(half)
            assert answer.startswith(b"HTTP/1.1 408 ")
            problem = json.loads(answer.partition(b"\r\n\r\n")[2])
            assert problem["status"] == 408
            assert "was not there within 10 seconds" in problem["detail"]
        for head in heads:
            assert b"200 OK" not in received(head)
        # The one that was answered is closed too: it had nothing more to ask.
        assert received(used).startswith(b"HTTP/1.1 200 ")


def test_a_body_that_grows_without_an_end_is_refused(url: str) -> None:
    with connection(url) as endless:
        endless.sendall(post(url, "Transfer-Encoding: chunked"))
        chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        answer = b""
        try:
            for _ in range(100):
                endless.sendall(chunk)
        except OSError:
            pass
        try:
            answer = endless.recv(65536)
        except ConnectionResetError:
            # Closed with much unread: the answer may be lost on the way, the end is not.
            return
        assert answer.startswith(b"HTTP/1.1 413 ")


def test_a_body_that_is_announced_as_too_large_is_refused_before_it_is_sent(url: str) -> None:
    with connection(url) as large:
        large.sendall(post(url, "Content-Length: 2000000"))
        answer = received(large)
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert b"application/problem+json" in answer


def test_a_whole_body_is_answered_however_it_is_sent(url: str) -> None:
    body = json.dumps({"game": "gomoku-9", "positions": ["e5"], "book_only": True}).encode()
    for chunked in (False, True):
        client = HTTPConnection(urlsplit(url).netloc, timeout=TIMEOUT)
        client.request(
            "POST",
            "/api/v1/positions",
            iter([body[:5], body[5:]]) if chunked else body,
            {"Content-Type": "application/json"},
            encode_chunked=chunked,
        )
        response = client.getresponse()
        assert (response.status, json.load(response)["answers"]) == (200, [None])
        client.close()
