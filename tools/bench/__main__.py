"""The whole benchmark: ``python -m tools.bench``.

The parts here need a checkout, which has the positions, the puzzles and the search in plain
Python; `fivebook bench` has the others.
"""

from collections.abc import Mapping
from functools import partial

import click

from engine import registry
from engine.games.gomoku import Gomoku
from engine.search import SearchOptions
from fivebook.bench.parts import BenchSettings, Part, Rows, bench_command
from fivebook.commands.bench import PARTS as INSTALLED
from service.play.arena.openings import suite
from tools.bench import (
    fixed_positions,
    perfect_gomoku,
    perfect_play,
    plain_python,
    service_ratios,
    solved_puzzles,
    strategy_lines,
)
from tools.bench.checkout import path_of, positions_of, spread, suite_name
from tools.puzzles import KINDS

_DEPTHS = {"gomoku-15": 10, "pentago-swap": 5}
# The game whose search runs in threads, and has a twin in plain Python.
_MAIN = "gomoku-15"
_PERFECT_BOOK = f"data/{perfect_play.BOOK}"
_PERFECT_GAMES = 100
_LINES = 1_000
_LOOKUPS = 200
_GOMOKU_BOOK = f"data/{_MAIN}.db"
_OPENINGS = f"data/openings/{_MAIN}.txt"
# Threads gain little where a search takes but a moment.
_DEPTH_IN_THREADS = 16
# Where plain Python takes a second or two a position.
_DEPTH_TO_COMPARE = 8


def _search(settings: BenchSettings) -> Mapping[str, Rows]:
    rows = [
        fixed_positions.search_fixed(
            registry.get(name),
            positions_of(registry.get(name), settings.positions),
            settings.depth or depth,
            settings.table,
        )
        for name, depth in _DEPTHS.items()
    ]
    return {"search": rows}


def _threads(settings: BenchSettings) -> Mapping[str, Rows]:
    game = registry.get(_MAIN)
    # A few positions tell nothing: their times with two threads differ by half from run to run.
    positions = [game.play_line(line) for line in spread(suite(game), settings.positions)]
    depth = settings.depth or _DEPTH_IN_THREADS
    rows = fixed_positions.search_in_threads(
        game, positions, depth, settings.search, settings.repeats
    )
    return {"threads": rows}


def _depth(settings: BenchSettings) -> Mapping[str, Rows]:
    one = SearchOptions(table=settings.table)
    rows = [
        fixed_positions.depth_in_time(
            registry.get(name),
            positions_of(registry.get(name), settings.positions),
            settings.movetime,
            options,
        )
        for name, options in ((_MAIN, one), (_MAIN, settings.search), ("pentago-swap", one))
    ]
    return {"depth": rows}


def _compare(settings: BenchSettings) -> Mapping[str, Rows]:
    game = registry.get(_MAIN)
    positions = positions_of(game, settings.positions)
    depth = settings.depth or _DEPTH_TO_COMPARE
    return {"compare": [plain_python.compare(game, positions, depth, settings.table)]}


def _puzzles(settings: BenchSettings) -> Mapping[str, Rows]:
    rows = [solved_puzzles.solve_puzzles(kind, settings.positions) for kind in KINDS]
    return {"puzzles": rows}


def _perfect(settings: BenchSettings) -> Mapping[str, Rows]:
    count = settings.positions or _PERFECT_GAMES
    return {"perfect": list(perfect_play.play_all(path_of(_PERFECT_BOOK), count))}


def _perfect_gomoku(settings: BenchSettings) -> Mapping[str, Rows]:
    game = settings.game
    if not isinstance(game, Gomoku):
        raise click.UsageError("perfect-gomoku plays games of Gomoku only")
    book = path_of(f"data/{game.id}.db")
    count = settings.positions or _PERFECT_GAMES
    return {"perfect-gomoku": list(perfect_gomoku.play_all(game, book, count, settings.longer))}


def _lines(settings: BenchSettings) -> Mapping[str, Rows]:
    count = settings.positions or _LINES
    return {"lines": [strategy_lines.ask_lines(path_of(_GOMOKU_BOOK), count)]}


def _service(settings: BenchSettings) -> Mapping[str, Rows]:
    count = settings.positions or _LOOKUPS
    books = map(path_of, (_GOMOKU_BOOK, _PERFECT_BOOK))
    rows = [row for book in books for row in service_ratios.measure(book, count)]
    return {"service": rows}


def _require(*names: str) -> None:
    for name in names:
        path_of(name)


_SUITES = tuple(map(suite_name, _DEPTHS))

PARTS = {
    "search": Part(
        "nodes to a fixed depth, which change only when the search does; nodes a second",
        {"search": "search to a fixed depth, one thread"},
        _search,
        ("depth", "table", "positions"),
        partial(_require, *_SUITES),
    ),
    "threads": Part(
        "nodes a second, and time to a fixed depth, with several threads against one",
        {"threads": "several threads against one"},
        _threads,
        ("depth", "threads", "table", "repeats", "positions"),
        partial(_require, _OPENINGS),
    ),
    "depth": Part(
        "depth reached within a time",
        {"depth": "depth within a time"},
        _depth,
        ("movetime", "threads", "table", "positions"),
        partial(_require, *_SUITES),
    ),
    "compare": Part(
        "the same nodes by the kernels and by plain Python",
        {"compare": "kernels against plain Python, nodes a second"},
        _compare,
        ("depth", "table", "positions"),
        lambda: _require(*_SUITES, plain_python.SOURCE),
    ),
    "puzzles": Part(
        f"share of the forced wins found within {solved_puzzles.IN_TIME:g} s",
        {"puzzles": f"puzzles solved within {solved_puzzles.IN_TIME:g} s"},
        _puzzles,
        ("positions",),
        partial(_require, *map(solved_puzzles.file_name, KINDS)),
    ),
    "perfect": Part(
        "games won by the first player of Pentago-swap with the shipped book, and its times",
        {"perfect": "the first player with the shipped book, milliseconds a move"},
        _perfect,
        ("positions",),
        partial(_require, _PERFECT_BOOK),
    ),
    "perfect-gomoku": Part(
        "games won by the first player of Gomoku with the shipped book, and its times",
        {"perfect-gomoku": "the first player of Gomoku with the shipped book, 100 ms a move"},
        _perfect_gomoku,
        ("positions", "game", "longer"),
        partial(_require, _GOMOKU_BOOK),
    ),
    "lines": Part(
        "answers that are proofs along random lines of Gomoku's win over HTTP, and their times",
        {"lines": "the win of Gomoku over HTTP, milliseconds an answer"},
        _lines,
        ("positions",),
        partial(_require, _GOMOKU_BOOK),
    ),
    "service": Part(
        "what an answer from a book costs the service, beside a constant route of its length",
        {"service": "answers from a book beside a constant route, processor time"},
        _service,
        ("positions",),
        partial(_require, _GOMOKU_BOOK, _PERFECT_BOOK),
    ),
    **INSTALLED,
}

bench = bench_command(
    PARTS,
    f"The parts {', '.join(INSTALLED)} are those of fivebook bench.",
    (
        "python -m tools.bench",
        "python -m tools.bench search --json",
        "python -m tools.bench threads --threads 4 --depth 16 --table 64",
        "python -m tools.bench depth --movetime 5s",
        "python -m tools.bench perfect-gomoku --game gomoku-13 --longer 100 --positions 20",
    ),
)


if __name__ == "__main__":
    bench()
