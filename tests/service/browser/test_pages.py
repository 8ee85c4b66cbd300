"""What holds for all pages: weight, speed of loading, caching, accessibility, and no other host."""

import re
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.checkout import ROOT
from tests.service.browser.conftest import Visit
from tests.service.browser.visitors import wait_for_answer

_MOST_BYTES = 150_000
PAGES = [
    "#game=gomoku-9&mode=play",
    "#game=gomoku-15&moves=h8&mode=proof",
    "books/gomoku-9.db",
    "#game=pentago-swap&moves=b2:12",
    "#game=gomoku-9",
]


@pytest.mark.parametrize(
    ("path", "scheme", "width"),
    [*((path, "light", 1280) for path in PAGES), *((path, "dark", 360) for path in PAGES[-3:])],
)
def test_axe_finds_nothing_serious(visit: Visit, path: str, scheme: str, width: int) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    page = visit(path, scheme=scheme, width=width)
    if "mode" not in path and "books" not in path:
        wait_for_answer(page)
    found = axe.Axe().run(page).response["violations"]
    serious = [
        (each["id"], [node["html"][:200] for node in each["nodes"]][:5])
        for each in found
        if each["impact"] in {"serious", "critical"}
    ]
    assert serious == []


def test_the_page_weighs_under_150_kb(visit: Visit, browser: Any, site: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    sizes: dict[str, int] = {}
    page.on("response", lambda response: sizes.update({response.url: len(response.body())}))
    page.goto(site)
    page.wait_for_selector("html[data-ready]")
    wait_for_answer(page)
    context.close()
    assert sum(sizes.values()) < _MOST_BYTES, sizes


def test_no_module_waits_for_another_to_be_found(site: str) -> None:
    """Every module that a script imports, however far, is told of in the page's head."""
    static = ROOT / "service" / "http" / "static"
    for path, script in (("/", "app.js"), ("/books/gomoku-9.db", "book.js")):
        with urlopen(f"{site}{path}") as response:
            page = response.read().decode()
        told = set(re.findall(r'rel="modulepreload" href="[^"]*/([^/"]+)"', page))
        needed, waiting = set(), [script]
        while waiting:
            imported = re.findall(r'from "\./([^"]+)"', (static / waiting.pop()).read_text())
            waiting += set(imported) - needed
            needed |= set(imported)
        assert told == needed


def test_files_are_kept_for_ever_and_pages_asked_for_again(site: str) -> None:
    with urlopen(site) as response:
        page, headers = response.read().decode(), response.headers
    assert headers["Cache-Control"] == "no-cache"
    assert headers["Content-Security-Policy"].startswith("default-src 'self'")
    again = Request(site, headers={"If-None-Match": headers["ETag"]})
    with pytest.raises(OSError, match="304"):
        urlopen(again)
    style = re.findall(r'href="([^"]*page\.css)"', page)[0]
    with urlopen(f"{site}{style}") as response:
        assert "immutable" in response.headers["Cache-Control"]


def test_every_text_that_is_named_is_there() -> None:
    static = ROOT / "service" / "http" / "static"
    texts = (static / "texts.en.js").read_text()
    keys = re.findall(r'^  "([^"]+)":', texts, re.MULTILINE)
    assert len(keys) == len(set(keys))
    sources = [path.read_text() for path in static.glob("*.js") if path.name != "texts.en.js"]
    templates = (ROOT / "service" / "http" / "templates").glob("*.html")
    code = "\n".join([*sources, *(path.read_text() for path in templates)])
    asked = {*re.findall(r'\bt\("([^"]+)"', code), *re.findall(r'data-text="([\w.-]+)"', code)}
    bases = {re.sub(r"\.(one|other)$", "", key) for key in keys}
    assert asked <= bases
