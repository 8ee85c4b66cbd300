"""Raw connections to a server, for what no well-behaved client sends."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

TIMEOUT = 120


@contextmanager
def connection(url: str) -> Iterator[socket.socket]:
    """A connection to the server at `url`."""
    place = urlsplit(url)
    with socket.create_connection((place.hostname, place.port), TIMEOUT) as opened:
        yield opened


def post(url: str, *headers: str) -> bytes:
    """The head of a POST of positions."""
    lines = [
        "POST /api/v1/positions HTTP/1.1",
        f"Host: {urlsplit(url).netloc}",
        "Content-Type: application/json",
        *headers,
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def received(opened: socket.socket) -> bytes:
    """Everything the server sends before it closes the connection."""
    parts = []
    while part := opened.recv(65536):
        parts.append(part)
    return b"".join(parts)
