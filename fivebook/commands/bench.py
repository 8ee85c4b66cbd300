"""``fivebook bench``: the parts that need no checkout."""

from collections.abc import Mapping

from engine import registry
from fivebook.bench import book_times, random_positions, scale
from fivebook.bench.parts import BenchSettings, Part, Rows, bench_command

_BOOKS = ("gomoku-15", "pentago-swap")
# The game with an exact solver, and how many random positions of each kind it is put to.
_SOLVED = "pentago-swap"
_RANDOM_POSITIONS = 100


def _solved(settings: BenchSettings) -> Mapping[str, Rows]:
    rows = random_positions.settle_random(
        registry.get(_SOLVED),
        settings.positions or _RANDOM_POSITIONS,
        settings.movetime,
        settings.search,
    )
    return {"solved": list(rows)}


def _books(settings: BenchSettings) -> Mapping[str, Rows]:
    builds, lookups, faces = book_times.measure_books(_BOOKS, settings.book)
    return {"build": builds, "lookup": lookups, "face": faces}


def _build(settings: BenchSettings) -> Mapping[str, Rows]:
    return {"occupancy": book_times.measure_occupancy(_BOOKS[0], settings.book)}


def _scale(settings: BenchSettings) -> Mapping[str, Rows]:
    rows = scale.measure_scale(settings.size)
    if settings.plot:
        scale.plot(rows, settings.plot)
    return {"scale": rows}


PARTS = {
    "solved": Part(
        "share of random positions of Pentago-swap, by stones, that a search settles",
        {
            "solved": "random positions proven within movetime, and within "
            f"{random_positions.NODES:,} nodes"
        },
        _solved,
        ("movetime", "threads", "table", "positions"),
    ),
    "books": Part(
        "positions built a second, time of lookups",
        {
            "build": f"building, {book_times.BUILD_NODES:,} nodes a search",
            "lookup": "lookups along the main line, microseconds",
            "face": "the same from text to text by `import fivebook`, against its parts",
        },
        _books,
        ("book",),
    ),
    "build": Part(
        "share of their time that the jobs of a build are searching",
        {"occupancy": "share of their time that the jobs of a build are searching"},
        _build,
        ("book",),
    ),
    "scale": Part(
        "synthetic books of several sizes: bytes a position, and times that must not grow",
        {"scale": "synthetic books of several sizes"},
        _scale,
        ("size", "plot"),
    ),
}

bench = bench_command(
    PARTS,
    "In a checkout, python -m tools.bench has more parts.",
    (
        "fivebook bench",
        "fivebook bench books --book 1000",
        "fivebook bench solved --positions 20 --json",
        "fivebook bench scale --size 100000 --size 1000000 --plot scale.png",
    ),
)
