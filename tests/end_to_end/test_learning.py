"""As a user: serve a small book, ask for what it lacks, build that, ask again."""

import json
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from book.misses import Misses
from engine import registry
from tests.end_to_end.test_whole_way import fivebook, served

GOMOKU = registry.get("gomoku-9")
OPTIONS = ("--game", "gomoku-9", "--nodes", "300")


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "gomoku.db"
    fivebook("build", path, *OPTIONS, "--positions", "10")
    return path


def source(address: str, moves: str, client: int = 1) -> str:
    """Where the answer comes from to one of several clients on this machine."""
    host = str(urlsplit(address).netloc)
    asking = HTTPConnection(host, timeout=60, source_address=(f"127.0.0.{client}", 0))
    with closing(asking):
        asking.request("GET", f"/api/v1/best?moves={moves}&movetime=5")
        return str(json.load(asking.getresponse())["source"])


@pytest.mark.slow
def test_what_a_service_was_asked_for_is_learnt(book: Path) -> None:
    with served(book, "--workers", "2") as (process, address):
        # A client counts once an hour for a position, whatever its orientation.
        for client, moves in enumerate(("a1,i9,a9", "i1,a9,a1", "a9,i1,i9", "b1,i9"), start=2):
            assert source(address, moves, client) == "live"
        process.terminate()
        assert process.wait() == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""
    assert [count for _, count in Misses(book).most_missed(GOMOKU, 10)] == [3, 1]
    learnt = json.loads(fivebook("build", book, *OPTIONS, "--mode", "learn", "--json"))
    assert (learnt["added"], learnt["complete"]) == (2, True)
    with served(book) as (_, address):
        assert {source(address, moves) for moves in ("i9,a1,i1", "h9,a1")} == {"book"}
