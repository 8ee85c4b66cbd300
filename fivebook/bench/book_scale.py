"""How a book behaves at its size: ``python -m fivebook.bench.book_scale``.

Each step has a process of its own, so that memory is that of the step alone.
"""

import json
import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from random import Random

import click
from sqlalchemy import select

from book.reader import BookReader
from book.rows.encoding import Rest, Searched
from book.storage.schema import positions
from book.whole.summary import summarise
from book.writer import BookWriter, Task
from engine import registry
from engine.game import Game
from engine.position import Position
from engine.search import Limits
from engine.values import Bound
from fivebook.bench.scale import Scale
from fivebook.bench.synthetic import GAME_ID, fill
from fivebook.options import POSITIVE
from precompute.modes.explore import Explore
from precompute.modes.frontier import Site

_REPEATS = 11
_LOOKUPS = 2_000
_BATCHES = 6


@click.group()
def main() -> None:
    """Fill a synthetic book, or measure one."""


@main.command("fill")
@click.argument("path", type=click.Path(path_type=Path))
@click.argument("size", type=POSITIVE)
def fill_book(path: Path, size: int) -> None:
    """Make a book of SIZE positions at PATH."""
    fill(path, registry.get(GAME_ID), size)


@main.command("measure")
@click.argument("path", type=click.Path(path_type=Path))
def measure_book(path: Path) -> None:
    """Measure the book at PATH, which grows a little, and print a JSON object."""
    print(json.dumps(asdict(measure(path))))


def measure(path: Path) -> Scale:
    """The figures of the book at `path`, to which a few batches are added."""
    game = registry.get(GAME_ID)
    random = Random(1)
    size = path.stat().st_size
    with BookReader(path) as reader:
        count = reader.positions(game)
        stored = _some_positions(reader, game, min(count, _LOOKUPS), random)
        lookups = [
            _seconds(lambda p=p: reader.find(game, p, lines=0))  # type: ignore[misc]
            for p in stored
        ]
    infos = [_seconds(lambda: _ask_info(path, game)) for _ in range(_REPEATS)]
    with BookWriter(path, game) as writer:
        batches, entries = _build(writer, game, random)
    return Scale(
        positions=count,
        bytes_per_position=round(size / count, 1),
        info_milliseconds=round(statistics.median(infos) * 1e3, 2),
        lookup_microseconds=round(statistics.median(lookups) * 1e6, 1),
        batch_milliseconds=round(statistics.median(batches) * 1e3, 1),
        entry_milliseconds=round(statistics.median(entries) * 1e3, 2),
        memory_mebibytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    )


def _seconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def _some_positions(reader: BookReader, game: Game, count: int, random: Random) -> list[Position]:
    """Random stored positions, turned any way round."""
    found = []
    with reader.connection() as connection:
        for id in random.sample(range(1, reader.positions(game) + 1), count):
            stones = connection.execute(
                select(positions.c.stones).where(positions.c.id == id)
            ).scalar_one()
            symmetry = random.choice(game.symmetries)
            found.append(game.map_position(game.unpack(stones), symmetry))
    return found


def _ask_info(path: Path, game: Game) -> None:
    with BookReader(path) as reader:
        summarise(reader, game)
        reader.get(game, game.initial)


def _build(writer: BookWriter, game: Game, random: Random) -> tuple[list[float], list[float]]:
    """Seconds for each of some batches to be chosen, and for each result of theirs to enter."""
    batches: list[float] = []
    entries: list[float] = []
    site = Site(writer.address, writer.rows, [game.initial], Limits(nodes=1))
    frontier = Explore().frontier(site)
    run = writer.start_run({"limits": {}, "synthetic": True})
    for number in range(1, _BATCHES + 1):
        with writer.transaction():
            started = time.perf_counter()
            tasks = frontier.next_batch([])
            batches.append(time.perf_counter() - started)
        for task in tasks:
            searched = _made_up(game, task, random)
            started = time.perf_counter()
            with writer.transaction():
                writer.enter_batch([(task, searched)], number, run)
            entries.append(time.perf_counter() - started)
    writer.end_run(run)
    return batches, entries


def _made_up(game: Game, task: Task, random: Random) -> Searched:
    """A result as a search might give it."""
    position = game.unpack(task.stones)
    children = game.children(position)
    free = [child for child in children if child.canonical.key not in task.excluded]
    rest = random.choice(free)
    move = rest.moves[0]
    return Searched(
        key=task.key,
        stones=task.stones,
        rest=Rest(
            move=move,
            value=round(random.gauss(0, 120)),
            bound=Bound.EXACT,
            proven=False,
            child=rest.canonical.key,
            line=(move,),
        ),
        depth=8,
        nodes=20_000,
        milliseconds=100,
        children={child.canonical.key: child.moves[0] for child in children} if task.new else {},
    )


if __name__ == "__main__":
    main()
