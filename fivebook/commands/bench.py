"""``fivebook bench``."""

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
from rich.box import SIMPLE
from rich.table import Table

from engine import registry
from engine.games.gomoku.puzzles import KINDS
from engine.search import MOST_THREADS, SearchOptions
from fivebook.bench import books
from fivebook.console import console, print_json
from fivebook.options import DURATION, POSITIVE, TABLE, json_option
from tools.bench import perfect, puzzles, reference, scale, search, solved
from tools.bench.checkout import fixed_positions, path_of, suite_name

_DEPTHS = {"gomoku-15": 10, "pentago-swap": 5}
# The game whose search runs in threads, and has a twin in plain Python.
_MAIN = "gomoku-15"
# The game with an exact solver, and how many random positions of each kind it is put to.
_SOLVED = "pentago-swap"
_RANDOM_POSITIONS = 100
_PERFECT_BOOK = f"data/{perfect.BOOK}"
_PERFECT_GAMES = 100
# Threads gain little where a search takes but a moment.
_DEPTH_IN_THREADS = 14
# Where plain Python takes a second or two a position.
_DEPTH_TO_COMPARE = 8


@dataclass(frozen=True, slots=True)
class _Settings:
    depth: int | None
    movetime: float
    options: SearchOptions
    repeats: int
    positions: int | None
    book: int
    sizes: tuple[int, ...]
    plot: Path | None


_Rows = Sequence[Any]
"""Instances of one dataclass."""


@dataclass(frozen=True, slots=True)
class _Part:
    """`measure` gives tables of rows by title; `needs` are files that only a checkout has."""

    measure: Callable[[_Settings], dict[str, _Rows]]
    needs: tuple[str, ...] = ()


def _search(settings: _Settings) -> dict[str, _Rows]:
    rows = [
        search.search_fixed(
            registry.get(name),
            fixed_positions(registry.get(name), settings.positions),
            settings.depth or depth,
            settings.options.table,
        )
        for name, depth in _DEPTHS.items()
    ]
    return {"search": rows}


def _threads(settings: _Settings) -> dict[str, _Rows]:
    game = registry.get(_MAIN)
    positions = fixed_positions(game, settings.positions)
    depth = settings.depth or _DEPTH_IN_THREADS
    rows = search.search_in_threads(game, positions, depth, settings.options, settings.repeats)
    return {"threads": rows}


def _depth(settings: _Settings) -> dict[str, _Rows]:
    one = SearchOptions(table=settings.options.table)
    rows = [
        search.depth_in_time(
            registry.get(name),
            fixed_positions(registry.get(name), settings.positions),
            settings.movetime,
            options,
        )
        for name, options in ((_MAIN, one), (_MAIN, settings.options), ("pentago-swap", one))
    ]
    return {"depth": rows}


def _compare(settings: _Settings) -> dict[str, _Rows]:
    game = registry.get(_MAIN)
    positions = fixed_positions(game, settings.positions)
    depth = settings.depth or _DEPTH_TO_COMPARE
    return {"compare": [reference.compare(game, positions, depth, settings.options.table)]}


def _puzzles(settings: _Settings) -> dict[str, _Rows]:
    return {"puzzles": [puzzles.solve_puzzles(kind, settings.positions) for kind in KINDS]}


def _books(settings: _Settings) -> dict[str, _Rows]:
    builds, lookups = books.measure_books(tuple(_DEPTHS), settings.book)
    return {"build": builds, "lookup": lookups}


def _build(settings: _Settings) -> dict[str, _Rows]:
    return {"occupancy": books.measure_occupancy(_MAIN, settings.book)}


def _solved(settings: _Settings) -> dict[str, _Rows]:
    rows = solved.settle_random(
        registry.get(_SOLVED),
        settings.positions or _RANDOM_POSITIONS,
        settings.movetime,
        settings.options,
    )
    return {"solved": list(rows)}


def _perfect(settings: _Settings) -> dict[str, _Rows]:
    rows = perfect.play_all(path_of(_PERFECT_BOOK), settings.positions or _PERFECT_GAMES)
    return {"perfect": list(rows)}


def _scale(settings: _Settings) -> dict[str, _Rows]:
    rows = scale.measure_scale(settings.sizes)
    if settings.plot:
        scale.plot(rows, settings.plot)
    return {"scale": rows}


_SUITES = tuple(suite_name(name) for name in _DEPTHS)
_PARTS = {
    "search": _Part(_search, _SUITES),
    "threads": _Part(_threads, _SUITES),
    "depth": _Part(_depth, _SUITES),
    "compare": _Part(_compare, (*_SUITES, reference.SOURCE)),
    "puzzles": _Part(_puzzles, tuple(puzzles.file_name(kind) for kind in KINDS)),
    "solved": _Part(_solved),
    "perfect": _Part(_perfect, (_PERFECT_BOOK,)),
    "books": _Part(_books),
    "build": _Part(_build),
    "scale": _Part(_scale),
}
_TITLES = {
    "search": "search to a fixed depth, one thread",
    "threads": "several threads against one",
    "depth": "depth within a time",
    "compare": "kernels against plain Python, nodes a second",
    "puzzles": f"puzzles solved within {puzzles.IN_TIME:g} s",
    "solved": f"random positions proven within movetime, and within {solved.NODES:,} nodes",
    "perfect": "the first player of Pentago-swap with the shipped book, milliseconds a move",
    "build": f"building, {books.BUILD_NODES:,} nodes a search",
    "occupancy": "share of their time that the jobs of a build are searching",
    "lookup": "lookups along the main line, microseconds",
    "scale": "synthetic books of several sizes",
}


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(list(_PARTS)), metavar="[PART]...")
@click.option("--depth", type=POSITIVE, help="Of searches to a fixed depth, for all parts alike.")
@click.option(
    "--movetime", type=DURATION, default="1s", show_default=True, help="For depth and solved."
)
@click.option(
    "--threads",
    type=click.IntRange(2, MOST_THREADS),
    default=lambda: min(max(os.cpu_count() or 1, 2), MOST_THREADS),
    help="For threads, depth and solved.  [default: one for each processor]",
)
@click.option(
    "--table",
    type=TABLE,
    default=SearchOptions().table,
    show_default=True,
    help="Transposition table of every search, in MiB.",
)
@click.option("--repeats", type=POSITIVE, default=3, show_default=True, help="For threads.")
@click.option(
    "--positions",
    type=POSITIVE,
    help="Of each suite, at most; for solved of each number of stones.  [default: all; 100]",
)
@click.option(
    "--book", type=POSITIVE, default=200, show_default=True, help="Positions of each book."
)
@click.option(
    "--size",
    "sizes",
    type=click.IntRange(min=1_000),
    multiple=True,
    default=scale.SIZES,
    show_default=True,
    help="Positions of a synthetic book, for scale; may be given several times.",
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Image file to draw scale into; needs matplotlib.",
)
@json_option
def bench(
    parts: tuple[str, ...],
    depth: int | None,
    movetime: float,
    threads: int,
    table: int,
    repeats: int,
    positions: int | None,
    book: int,
    sizes: tuple[int, ...],
    plot: Path | None,
    as_json: bool,
) -> None:
    """Measure this machine: all PARTs, or those named.

    \b
    search   nodes to a fixed depth, which change only when the search does; nodes a second
    threads  nodes a second, and time to a fixed depth, with several threads against one
    depth    depth reached within a time
    compare  the same nodes by the kernels and by plain Python
    puzzles  share of the forced wins found within a second
    solved   share of random positions of Pentago-swap, by stones, that a search settles
    perfect  games won by the first player of Pentago-swap with the shipped book, and its times
    books    positions built a second, time of lookups
    build    share of their time that the jobs of a build are searching
    scale    synthetic books of several sizes: bytes a position, and times that must not grow

    Times are those of this machine as busy as it is: compare them only with others taken side by
    side. All parts but solved, books, build and scale need a checkout.

    \b
    Examples:
      fivebook bench
      fivebook bench search --json
      fivebook bench threads --threads 4 --depth 16 --table 64
      fivebook bench depth --movetime 5s
      fivebook bench solved --positions 20
      fivebook bench books --book 1000
      fivebook bench scale --size 100000 --size 1000000 --plot scale.png
    """
    settings = _Settings(
        depth, movetime, SearchOptions(threads, table), repeats, positions, book, sizes, plot
    )
    chosen = [part for name, part in _PARTS.items() if name in parts or not parts]
    for part in chosen:
        for name in part.needs:
            path_of(name)
    document: dict[str, list[dict[str, Any]]] = {}
    for part in chosen:
        for name, rows in part.measure(settings).items():
            document[name] = [asdict(row) for row in rows]
            if not as_json:
                _print(_TITLES[name], document[name])
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
