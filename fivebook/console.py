"""The terminal that commands print on, and what they all say and end with."""

import json
from collections.abc import Iterable

import click
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from book.visible import visible, visible_json


class _SafeConsole(Console):
    """Obeys no text: neither markup in it, nor what a terminal would take for a command."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            # Those with a `control` are the console's own.
            shown = segment.text if segment.control else visible(segment.text)
            yield segment if shown == segment.text else Segment(shown, segment.style)


console = _SafeConsole()
errors = _SafeConsole(stderr=True)

NOT_FINISHED = "Not finished: the same command goes on from here."

FOUND = 1
"""The exit status where a comparison or a check has found what it looks for."""


def say(text: str) -> None:
    """Print `text` as it is: in no colours, and not folded."""
    console.print(visible(text), highlight=False, soft_wrap=True)


def echo(text: object, *, nl: bool = True, err: bool = False) -> None:
    """Print at once, as `click.echo` does, what may come from a file, a name or a program."""
    click.echo(visible(str(text)), nl=nl, err=err)


def print_json(data: object) -> None:
    """Print `data` as indented JSON on standard output."""
    click.echo(visible_json(json.dumps(data, indent=2, ensure_ascii=False)))
