"""The whole way once: build two small books, serve them, ask over HTTP. Run by `make demo`."""

import json
import subprocess
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import click

from engine.values import describe_value
from fivebook.console import console
from fivebook.local import fivebook, free_port, served

_FOLDER = Path("demo")
_BUILDS = {
    "gomoku.db": ("--game", "gomoku-15", "--positions", "200", "--nodes", "20000"),
    "swap.db": ("--game", "pentago-swap", "--positions", "100", "--nodes", "20000"),
}
_QUESTIONS = (
    {"game": "gomoku-15", "moves": ""},
    {"game": "gomoku-15", "moves": "h8"},
    {"game": "gomoku-15", "moves": "h8,i9,j8,g8,i7,i8", "movetime": "500"},
    {"game": "pentago-swap", "moves": ""},
    {"game": "pentago-swap", "moves": "b2:12,e5:34,b5:13", "movetime": "500"},
)


@click.command()
@click.option("--exit", "leave", is_flag=True, help="End after the answers.")
def demo(leave: bool) -> None:
    """Build two small books in demo/, serve them, and print what they answer over HTTP."""
    _FOLDER.mkdir(exist_ok=True)
    for name, options in _BUILDS.items():
        console.rule(f"fivebook build demo/{name} {' '.join(options)}", align="left")
        subprocess.run(fivebook("build", _FOLDER / name, *options, "--jobs", "2"), check=True)
    books = [_FOLDER / name for name in _BUILDS]
    port = free_port()
    console.rule(f"fivebook serve {' '.join(map(str, books))} --port {port}", align="left")
    with served(books, port) as service:
        for question in _QUESTIONS:
            _ask(f"{service.address}/api/v1/position?{urlencode(question, safe=',:')}")
        console.print("\nTo try:")
        for path in ("/", "/api/v1/books", "/api/v1/best?game=gomoku-15&moves=h8,i9"):
            console.print(f"  {service.address}{path}", highlight=False)
        if not leave:
            console.print("\nServing until Ctrl-C.")
            _wait_for_interrupt()


def _ask(address: str) -> None:
    console.print(f"\n{address}", highlight=False, soft_wrap=True)
    with urlopen(address) as response:
        answer: dict[str, Any] = json.load(response)
    value = describe_value(answer["value"], answer["proven"])
    console.print(
        f"  source {answer['source']}, value {value}, depth {answer['depth']}, "
        f"line {' '.join(answer['line'])}; answered in {answer['elapsed_us']:,} µs",
        highlight=False,
        soft_wrap=True,
    )


def _wait_for_interrupt() -> None:
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        console.print()


if __name__ == "__main__":
    demo()
