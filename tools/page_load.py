"""How long the service's page takes until its board can be used, and what it weighs.

    python -m tools.page_load BOOK

Each load is timed in Chromium from the visit to the board that answers clicks: cold ones by
visitors who have never been there, warm ones by one who comes back. Prints JSON.
"""

import json
import time
from pathlib import Path
from statistics import median
from typing import Any

import click

from fivebook.local import free_port, served
from fivebook.options import POSITIVE
from tools.chromium import chromium

_READY = "html[data-ready] [role=gridcell]"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("book", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--loads", type=POSITIVE, default=20, show_default=True, help="Of each kind.")
def main(book: Path, loads: int) -> None:
    """Load the page of a service that answers from BOOK."""
    from playwright.sync_api import sync_playwright

    program = chromium()
    with served((book,), free_port()) as service, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        # What the service and the browser do once in their lives is nobody's load.
        _visit(browser.new_context(), service.address)
        cold = [_visit(browser.new_context(), service.address) for _ in range(loads)]
        context = browser.new_context()
        _visit(context, service.address)
        warm = [_visit(context, service.address) for _ in range(loads)]
        requests, bytes_, sent = _weigh(browser.new_context(), service.address)
        browser.close()
    told = {
        "loads": loads,
        "cold milliseconds": round(1000 * median(cold)),
        "warm milliseconds": round(1000 * median(warm)),
        "requests": requests,
        "bytes": bytes_,
        "bytes sent": sent,
    }
    click.echo(json.dumps(told, indent=1))


def _visit(context: Any, address: str) -> float:
    """The seconds that a load takes."""
    page = context.new_page()
    began = time.perf_counter()
    page.goto(address)
    page.wait_for_selector(_READY)
    seconds = time.perf_counter() - began
    page.close()
    return seconds


def _weigh(context: Any, address: str) -> tuple[int, int, int]:
    """The requests of a first load, the bytes of what they get, and as they are sent."""
    page = context.new_page()
    finished: list[Any] = []
    page.on("requestfinished", lambda request: finished.append(request))
    page.goto(address)
    page.wait_for_selector(_READY)
    page.wait_for_load_state("networkidle")
    files = [each for each in finished if "/api/" not in each.url]
    whole = sum(len(each.response().body()) for each in files)
    return len(files), whole, sum(each.sizes()["responseBodySize"] for each in files)


if __name__ == "__main__":
    main()
