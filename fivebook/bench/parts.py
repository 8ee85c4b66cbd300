"""The benchmark's command: its parts, the options they take, and how figures are printed."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
from rich.box import SIMPLE
from rich.table import Table

from engine.game import Game
from engine.search import MOST_THREADS, SearchOptions
from fivebook.bench.scale import SIZES
from fivebook.console import console, print_json
from fivebook.options import DURATION, GAME, POSITIVE, TABLE, json_option

Rows = Sequence[Any]
"""Instances of one dataclass."""

_CONTEXT = {"help_option_names": ["-h", "--help"]}
_OPTIONS: dict[str, dict[str, Any]] = {
    "depth": {"type": POSITIVE, "help": "Depth of searches, for all games alike;"},
    "movetime": {"type": DURATION, "default": "1s", "help": "Time of a search;"},
    "threads": {
        "type": click.IntRange(2, MOST_THREADS),
        "default": lambda: min(max(os.cpu_count() or 1, 2), MOST_THREADS),
        "help": "By default one for each processor;",
    },
    "table": {
        "type": TABLE,
        "default": SearchOptions().table,
        "help": "Transposition table of every search, in MiB;",
    },
    "repeats": {"type": POSITIVE, "default": 3, "help": "Searches of each position;"},
    "positions": {"type": POSITIVE, "help": "Positions, puzzles or games of each kind, at most;"},
    "game": {"type": GAME, "default": "gomoku-15", "help": "The game that is won, with its book;"},
    "longer": {
        "type": POSITIVE,
        "default": 3,
        "help": "How many times as long as the first player the engine may think;",
    },
    "book": {"type": POSITIVE, "default": 200, "help": "Positions of each book;"},
    "size": {
        "type": click.IntRange(min=1_000),
        "multiple": True,
        "default": SIZES,
        "help": "Positions of a synthetic book, several times for several;",
    },
    "plot": {
        "type": click.Path(path_type=Path, dir_okay=False),
        "help": "Image file to draw into, which needs matplotlib;",
    },
}


@dataclass(frozen=True, slots=True)
class BenchSettings:
    """What the options say. A part looks only at those that it takes."""

    movetime: float
    threads: int
    table: int
    book: int
    size: tuple[int, ...]
    plot: Path | None
    positions: int | None
    depth: int | None = None
    repeats: int = 1
    game: Game | None = None
    longer: int = 1

    @property
    def search(self) -> SearchOptions:
        """For a searcher of several threads."""
        return SearchOptions(self.threads, self.table)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the benchmark, and what it says of itself in one line.

    `titles` are those of the tables that `measure` gives. `options` are the names of those that
    count for it. `require` raises a FivebookError where what it needs is not there.
    """

    help: str
    titles: Mapping[str, str]
    measure: Callable[[BenchSettings], Mapping[str, Rows]]
    options: tuple[str, ...]
    require: Callable[[], object] = lambda: None


def bench_command(parts: Mapping[str, Part], text: str, examples: Sequence[str]) -> click.Command:
    """The command that measures `parts`, all or those named; `text` is what its help adds."""
    width = max(map(len, parts))
    told = [f"{name:<{width}}  {part.help}" for name, part in parts.items()]
    help = "\n\n".join(
        (
            "Measure this machine: all PARTs, or those named.",
            "\n".join(("\b", *told)),
            "Times are those of this machine as busy as it is: compare them only with others taken "
            f"side by side. {text}",
            "\n".join(("\b", "Examples:", *(f"  {example}" for example in examples))),
        )
    )

    def bench(chosen: tuple[str, ...], as_json: bool, **options: Any) -> None:
        _measure(
            {name: part for name, part in parts.items() if name in chosen or not chosen},
            BenchSettings(**options),
            as_json,
        )

    command = json_option(click.command("bench", help=help, context_settings=_CONTEXT)(bench))
    command.params.insert(0, _parts_argument(list(parts)))
    command.params[1:1] = [
        click.Option(
            [f"--{name}"],
            show_default=not callable(option.get("default")),
            **option | {"help": f"{option['help']} for {_and(takers)}."},
        )
        for name, option in _OPTIONS.items()
        if (takers := [part for part in parts if name in parts[part].options])
    ]
    return command


def _parts_argument(names: list[str]) -> click.Argument:
    return click.Argument(["chosen"], nargs=-1, type=click.Choice(names), metavar="[PART]...")


def _and(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _measure(parts: Mapping[str, Part], settings: BenchSettings, as_json: bool) -> None:
    for part in parts.values():
        part.require()
    document: dict[str, list[dict[str, Any]]] = {}
    for part in parts.values():
        for name, rows in part.measure(settings).items():
            document[name] = [asdict(row) for row in rows]
            if not as_json:
                _print(part.titles[name], document[name])
    if as_json:
        print_json(document)


def _print(title: str, rows: list[dict[str, Any]]) -> None:
    table = Table(title=title, box=SIMPLE, pad_edge=False, collapse_padding=True)
    for name, value in rows[0].items():
        is_text = isinstance(value, str)
        table.add_column(
            name.replace("_per_second", "/s").replace("_", " "),
            justify="left" if is_text or isinstance(value, dict) else "right",
            no_wrap=is_text,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*map(_cell, row.values()))
    console.print(table)


def _cell(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {count}" for key, count in value.items())
    return value if isinstance(value, str) else f"{value:,}"
