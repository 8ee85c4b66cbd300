"""Pictures of the service's page for the documents, taken in Chromium: docs/page-*.png.

    python -m tools.screenshots

Serves shipped books. Needs playwright and Chromium.
"""

import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.chromium import chromium

ROOT = Path(__file__).parents[1]
_SHIPPED = ("gomoku-15.db", "gomoku-15-renju.db", "pentago-swap.db")


@dataclass(frozen=True, slots=True)
class Shot:
    """What is seen: an address of the page, how wide and high, and in which scheme.

    `press` are the cells chosen before the picture is taken.
    """

    name: str
    address: str
    width: int
    height: int
    scheme: str
    press: tuple[str, ...] = ()


SHOTS = (
    Shot("explore", "#game=gomoku-15-renju&moves=h8,i9", 1180, 800, "light"),
    Shot("proof", "#game=gomoku-15&moves=h8,i9,g9&mode=proof", 1180, 800, "dark"),
    Shot("phone", "#game=gomoku-15-renju&moves=h8,i9", 390, 844, "dark"),
    Shot("swap", "#game=pentago-swap&moves=b2:12", 1080, 720, "light", ("e5", "a1")),
    Shot("book", "books/gomoku-15-renju.db", 1180, 760, "light"),
)


def main() -> None:
    """Take all pictures anew."""
    from playwright.sync_api import sync_playwright

    with _site() as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for shot in SHOTS:
            path = ROOT / "docs" / f"page-{shot.name}.png"
            _take(browser, site, shot, path)
            print(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1000} kB")
        browser.close()


def _take(browser: Any, site: str, shot: Shot, path: Path) -> None:
    context = browser.new_context(
        viewport={"width": shot.width, "height": shot.height},
        color_scheme=shot.scheme,
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(f"{site}/{shot.address}")
    page.wait_for_selector("html[data-ready]")
    page.wait_for_load_state("networkidle")
    for cell in shot.press:
        page.locator(f'[role=gridcell][aria-label^="{cell}:"]').click()
    page.mouse.move(0, 0)
    page.screenshot(path=path)
    context.close()


@contextmanager
def _site() -> Iterator[str]:
    """The address of a service with the books."""
    with tempfile.TemporaryDirectory() as folder:
        # What is missed is counted beside a book.
        books = [shutil.copy(ROOT / "data" / name, folder) for name in _SHIPPED]
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = str(free.getsockname()[1])
        command = [sys.executable, "-m", "fivebook", "serve", *books, "--port", port]
        server = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            assert server.stdout is not None
            server.stdout.readline()
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
