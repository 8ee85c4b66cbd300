"""Books of several sizes: whether what a book does takes longer as it grows."""

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from book.whole.plot import image

SIZES = (100_000, 1_000_000)
_ROUNDS = 3
_TITLES = {
    "info_milliseconds": "fivebook info, ms",
    "lookup_microseconds": "a lookup, µs",
    "batch_milliseconds": "taking the next batch, ms",
    "entry_milliseconds": "entering one result, ms",
    "bytes_per_position": "bytes a position",
    "memory_mebibytes": "memory of the builder, MiB",
}


@dataclass(frozen=True, slots=True)
class Scale:
    """A synthetic book of `positions` positions: its size on disk, and medians of what is done.

    `info` is all that `fivebook info` asks, `lookup` a random stored position with all its moves,
    `batch` taking the next batch, `entry` one result with its way up through the book.
    `memory` is the most that a builder held of it all.
    """

    positions: int
    bytes_per_position: float
    info_milliseconds: float
    lookup_microseconds: float
    batch_milliseconds: float
    entry_milliseconds: float
    memory_mebibytes: int


def measure_scale(sizes: Sequence[int]) -> list[Scale]:
    """Fill and measure a book of each size, by processes of their own.

    The books are measured in turns, so that a machine that is busy for a while is so for all of
    them; of each figure the median counts.
    """
    with tempfile.TemporaryDirectory() as folder:
        books = [Path(folder) / f"{number}.db" for number in range(len(sizes))]
        for book, size in zip(books, sizes, strict=True):
            _run("fill", book, size)
        rounds = [[json.loads(_run("measure", book)) for book in books] for _ in range(_ROUNDS)]
    # The first round finds the books as they were filled; each adds a few positions.
    kept = ("positions", "bytes_per_position")
    return [
        Scale(
            **{
                name: figures[0][name]
                if name in kept
                else statistics.median(each[name] for each in figures)
                for name in figures[0]
            }
        )
        for figures in zip(*rounds, strict=True)
    ]


def _run(*arguments: object) -> str:
    command = [sys.executable, "-m", "fivebook.bench.book_scale", *map(str, arguments)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def plot(rows: Sequence[Scale], path: Path) -> None:
    """Draw one small chart for each figure into the image at `path`.

    Raises:
        NoPlot: if matplotlib is missing or the file cannot be written.
    """
    sizes = [row.positions for row in rows]
    with image(path, (10, 5.5)) as figure:
        for axes, (name, title) in zip(
            figure.subplots(2, 3, sharex=True).flat, _TITLES.items(), strict=True
        ):
            figures = [getattr(row, name) for row in rows]
            axes.plot(sizes, figures, marker="o")
            axes.set(title=title, xscale="log", ylim=(0, 1.1 * max(figures)))
            axes.grid(alpha=0.3)
        figure.supxlabel("positions in the book")
