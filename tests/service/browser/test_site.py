"""A site of files alone in a browser: it is explored as a service is, and asks nobody else."""

from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from book.reader import BookReader
from book.storage.address import Address
from engine import registry
from engine.values import winning_probability
from fivebook.whole_exports import write_whole
from tests.checkout import DATA
from tests.service.browser.visitors import moves_of, wait_for_answer, wait_for_text

MOST_REQUESTS, MOST_BYTES = 3, 64_000

Open = Callable[..., Any]


class Server(ThreadingHTTPServer):
    """Python's own server of a folder; `served` has the paths it was asked for."""

    def __init__(self, folder: Path) -> None:
        self.served: list[tuple[str, int]] = []
        super().__init__(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))


class _Handler(SimpleHTTPRequestHandler):
    def log_request(self, code: Any = "-", size: Any = "-") -> None:
        assert isinstance(self.server, Server)
        self.server.served.append((self.path, int(code)))

    def log_message(self, format: str, *arguments: Any) -> None:
        """Tests print nothing."""


@pytest.fixture(scope="module", params=["gomoku-15", "pentago-swap"])
def game_id(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def server(game_id: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A site of a shipped book, in a folder below the server's own."""
    folder = tmp_path_factory.mktemp("host")
    write_whole("site", Address.of(DATA / f"{game_id}.db"), None, folder / "site", force=False)
    with Server(folder) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def visit(context: Callable[..., Any], server: Server) -> Iterator[Open]:
    """Opens the site; nothing may go wrong on it, and nobody else be asked."""
    wrong: list[str] = []
    address = f"http://127.0.0.1:{server.server_port}/site/"
    opened = []

    def visit(path: str = "", width: int = 1280) -> Any:
        page = context(width=width).new_page()
        opened.append(page)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda told: told.type == "error" and wrong.append(told.text))
        page.on(
            "request",
            lambda request: (
                None if request.url.startswith(address) else wrong.append(f"asks {request.url}")
            ),
        )
        page.goto(address + path)
        page.wait_for_selector("html[data-ready]")
        wait_for_answer(page)
        return page

    yield visit
    for page in opened:
        page.close()
    assert not wrong
    assert {status for _, status in server.served} <= {200, 304}


def test_moves_values_and_proofs_are_those_of_the_book(visit: Open, game_id: str) -> None:
    page = visit()
    game = registry.get(game_id)
    with BookReader(DATA / f"{game_id}.db") as reader:
        entry = reader.find(game, game.initial)
    assert page.locator(".badge").inner_text() == ("Proved" if entry.proven else "Book")
    rows = page.locator("#known tbody tr")
    names = rows.locator("button").all_inner_texts()
    assert names == [game.format_move(move.move) for move in entry.moves][: len(names)]
    shown = page.locator("#known tbody .value").all_inner_texts()
    for move, text in zip(entry.moves, shown, strict=False):
        if not move.proven:
            assert text == f"{round(100 * winning_probability(move.value))}\u00a0%"
        else:
            assert "win" in text or "lose" in text or "draw" in text.lower()
    assert page.locator("#mainline button").count() >= 1


def test_a_visitor_plays_known_moves_in_few_small_requests(
    visit: Open, server: Server, tmp_path: Path
) -> None:
    page = visit()
    responses: list[Any] = []

    def count(response: Any) -> None:
        # The browser asks for the page's icon when it likes. Bodies are read later: to wait for one
        # here would let the click go on before it counts.
        if not response.url.endswith("/favicon.svg"):
            responses.append(response)

    page.on("response", count)
    for played in range(1, 5):
        responses.clear()
        # Without a pointer, which would rest on another move and ask for its line.
        page.locator("#known tbody button").first.dispatch_event("click")
        page.locator("#moves li").nth(played - 1).wait_for()
        wait_for_answer(page)
        assert page.locator("#problem").is_hidden()
        assert page.locator(".badge").inner_text() in {"Proved", "Book"}
        assert len(responses) <= MOST_REQUESTS
        assert all(len(response.body()) < MOST_BYTES for response in responses)
    assert len(moves_of(page)) == 4


def test_what_needs_a_service_is_not_there(visit: Open) -> None:
    page = visit("#mode=play")
    for selector in (".tabs", "#movetime", "nav.more a", "#play", "#proof", "#family"):
        found = page.locator(selector)
        assert found.count() == 0 or not found.first.is_visible()
    assert page.locator("#explore").is_visible()


def test_a_position_that_the_book_does_not_hold_is_told_in_words(visit: Open, game_id: str) -> None:
    moves = {"gomoku-15": "a1,o15,a15", "pentago-swap": "a1:12,a2:34,b5:14,f1:23,c3:12"}[game_id]
    page = visit(f"#game={game_id}&moves={moves}")
    wait_for_text(page, "#problem", "The book does not hold this position.")
    page.locator("#first").click()
    wait_for_answer(page)
    assert page.locator("#problem").is_hidden()


def test_on_a_phone_nothing_is_wider_than_the_screen(visit: Open) -> None:
    page = visit(width=360)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
