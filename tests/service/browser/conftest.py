"""A service as people run it, and a browser that visits it."""

import shutil
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.books import small_book
from tests.checkout import ROOT
from tests.service.http.test_serve import get, served

_CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
_TIMEOUT_MS = 20_000
_PHONE = 600

Visit = Callable[..., Any]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service with books of proofs, and of estimates."""
    folder = tmp_path_factory.mktemp("site")
    # What is missed is counted beside a book.
    shipped = [
        shutil.copy(ROOT / "data" / f"{game}.db", folder) for game in ("gomoku-15", "pentago-swap")
    ]
    made = [small_book(folder / f"{game}.db", game, 20) for game in ("gomoku-9", "gomoku-15-renju")]
    with served(*map(str, (*shipped, *made)), "--live-searches", "1") as (_, url):
        yield url


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium without a window."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = next(filter(None, map(shutil.which, _CHROMIUM)), None)
    if program is None:
        pytest.skip("there is no Chromium to visit the page with (apt install chromium)")
    with playwright.sync_playwright() as running:
        # Without a sandbox: root, as which tests may run, has none.
        browser = running.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def context(browser: Any) -> Callable[..., Any]:
    """Makes a browser's context of these options, once: what it has loaded, it keeps."""

    @cache
    def context(**options: Any) -> Any:
        width = options.pop("width")
        context = browser.new_context(
            viewport={"width": width, "height": 900}, has_touch=width < _PHONE, **options
        )
        context.set_default_timeout(_TIMEOUT_MS)
        return context

    return context


@pytest.fixture
def visit(context: Callable[..., Any], site: str) -> Iterator[Visit]:
    """Opens a page of the site and waits until it is ready; nothing may go wrong on it."""
    pages, wrong = [], []

    def visit(path: str = "", *, width: int = 1280, scheme: str = "light", **options: Any) -> Any:
        page = context(width=width, color_scheme=scheme, **options).new_page()
        pages.append(page)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: wrong.extend(_elsewhere(request.url, site)))
        page.goto(f"{site}/{path}")
        page.wait_for_selector("html[data-ready]")
        return page

    yield visit
    for page in pages:
        page.close()
    assert not wrong


def _elsewhere(url: str, site: str) -> list[str]:
    """What asks another host than the site's."""
    return [] if url.startswith((site, "blob:", "data:")) else [f"asks {url}"]


@pytest.fixture(scope="session")
def missed_position(site: str) -> str:
    """A line to the canonical image of a position that was asked for and no book holds."""
    line = "a1"
    get(f"{site}/api/v1/best?game=gomoku-9&moves=i9&movetime=5")
    # A visitor counts once for each position, and of those that count alike the ones with the
    # fewest stones are told: the ten with one stone that the book lacks are always among them.
    # They are counted in memory first.
    while line not in _missed_in(site):
        time.sleep(0.2)
    return line


def _missed_in(site: str) -> list[str]:
    """Lines to the positions that were asked for most often and are not in the book."""
    (game,) = get(f"{site}/api/v1/books/gomoku-9.db")["games"]
    return [missed["moves"] for missed in game["missed"]]


@pytest.fixture
def sgf_file(tmp_path: Path) -> Callable[[str], Path]:
    """Writes an SGF file."""

    def sgf_file(text: str) -> Path:
        path = tmp_path / "game.sgf"
        path.write_text(text)
        return path

    return sgf_file
