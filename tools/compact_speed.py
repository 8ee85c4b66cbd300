"""How fast a compact book answers in C++, and how fast the book itself does, by SQLite.

python -m tools.compact_speed
"""

import sqlite3
import subprocess
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

import click
from sqlalchemy import select

from book.reader import BookReader
from book.rows.encoding import lookup_of
from book.storage.schema import positions
from book.whole.compact import write_compact
from engine import registry
from engine.game import Game
from engine.position import Position, cells_of
from fivebook.bench.synthetic import GAME_ID, fill
from fivebook.options import POSITIVE

_ROOT = Path(__file__).parents[1]
_LOOKUPS = 100_000
_BOOK_LOOKUPS = 10_000
_ROW = "SELECT value, bound, proven FROM positions WHERE lookup = ? AND stones = ?"
_COMPILER = (
    "g++",
    "-std=c++17",
    "-O2",
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wconversion",
    "-Werror",
)


@dataclass(frozen=True, slots=True)
class Speed:
    """Of one book: sizes, and the processor's time for a lookup of a stored position.

    The compact file is asked in C++. The book is asked for the best move through `BookReader`, and
    for no more than the value through SQLite alone, by a key that is computed already.
    """

    positions: int
    export_seconds: float
    bytes_a_position: float
    compact_nanoseconds: float
    book_nanoseconds: float
    sqlite_nanoseconds: float


@click.command()
@click.option("--size", type=POSITIVE, default=1_000_000, show_default=True, help="Positions.")
def main(size: int) -> None:
    """Fill a synthetic book, export it and measure both."""
    with tempfile.TemporaryDirectory() as folder:
        speed = measured(size, Path(folder))
    click.echo(
        f"{speed.positions:,} positions: exported in {speed.export_seconds:.0f} s, "
        f"{speed.bytes_a_position:.2f} bytes each; a lookup takes "
        f"{speed.compact_nanoseconds / 1000:.2f} µs in C++, "
        f"{speed.book_nanoseconds / 1000:.1f} µs by the book's reader, "
        f"{speed.sqlite_nanoseconds / 1000:.1f} µs for a row by SQLite alone"
    )


def measured(size: int, folder: Path) -> Speed:
    """The figures of a synthetic book of `size` positions, made in `folder`.

    Raises:
        AssertionError: if a stored position is not found.
    """
    game = registry.get(GAME_ID)
    book, compact = folder / "book.db", folder / "book.compact"
    fill(book, game, size)
    since = time.process_time()
    stored = write_compact(book, game, compact)
    export_seconds = time.process_time() - since
    asked = _some_of(book, game)
    by_book, by_sqlite = _times_of_book(book, game, asked[:_BOOK_LOOKUPS])
    return Speed(
        stored,
        export_seconds,
        compact.stat().st_size / stored,
        _time_in_cpp(compact, asked, folder),
        by_book,
        by_sqlite,
    )


def compiled_asker(program: Path, *options: str) -> Path:
    """The `program` that tests ask compact books with, made with the header in `clients`."""
    source = _ROOT / "tests" / "clients" / "ask_compact.cpp"
    command = [*_COMPILER, *options, "-I", str(_ROOT / "clients"), str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def _some_of(book: Path, game: Game) -> list[Position]:
    """Stored positions, drawn at random, in random orientations."""
    random = Random(1)
    with BookReader(book) as reader, reader.connection() as connection:
        stored = connection.execute(select(positions.c.stones)).scalars().all()
    return [
        game.map_position(game.unpack(random.choice(stored)), random.choice(game.symmetries))
        for _ in range(_LOOKUPS)
    ]


def _time_in_cpp(compact: Path, asked: list[Position], folder: Path) -> float:
    lines = "".join(
        " ".join(map(str, [*cells_of(each.dark), "|", *cells_of(each.light)])) + "\n"
        for each in asked
    )
    command = [str(compiled_asker(folder / "ask")), str(compact), "time"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    found, _, nanoseconds, *_ = done.stdout.splitlines()[-1].split()
    assert int(found) == len(asked)
    return float(nanoseconds)


def _times_of_book(book: Path, game: Game, asked: list[Position]) -> tuple[float, float]:
    """Nanoseconds of a lookup of the best move, and of SQLite alone for one row."""
    with BookReader(book) as reader:
        since = time.process_time_ns()
        for position in asked:
            assert reader.get(game, position, best_only=True, lines=0) is not None
        whole = time.process_time_ns() - since
    images = [game.canonical(position) for position in asked]
    keys = [(lookup_of(image.key), image.stones) for image in images]
    with closing(sqlite3.connect(f"file:{book}?mode=ro", uri=True)) as connection:
        since = time.process_time_ns()
        for key in keys:
            assert connection.execute(_ROW, key).fetchone() is not None
        return whole / len(asked), (time.process_time_ns() - since) / len(asked)


if __name__ == "__main__":
    main()
