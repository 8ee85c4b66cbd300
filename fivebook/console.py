"""The terminal that commands print on, and what they all say and end with."""

import json

import click
from rich.console import Console

console = Console()
errors = Console(stderr=True)

NOT_FINISHED = "Not finished: the same command goes on from here."

FOUND = 1
"""The exit status where a comparison or a check has found what it looks for."""
INTERRUPTED = 130


def say(text: str) -> None:
    """Print `text` as it is: in no colours, and not folded."""
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def print_json(data: object) -> None:
    """Print `data` as indented JSON on standard output."""
    click.echo(json.dumps(data, indent=2, ensure_ascii=False))
