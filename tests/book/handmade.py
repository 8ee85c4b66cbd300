"""Books made row by row, for what a short build does not reach."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from book.rows.digests import DIGESTED
from book.storage.schema import imported, sources
from book.writer import BookWriter, Task
from engine import registry
from engine.game import Game
from engine.search import Limits
from precompute.job import run_task

GAME_ID = "gomoku-9"

Place = TypeVar("Place", str, Path)

# Dark has an open three and is to move.
OPEN_THREE = "e5 a1 f5 a3 g5 a7"
# Now light meets an open four.
OPEN_FOUR = "e5 a1 f5 a3 g5 a7 h5"
# Light has blocked one end.
BLOCKED_ONCE = "e5 a1 f5 a3 g5 a7 h5 i5"


def proven_book(place: Place) -> Place:
    """A book of the three positions above: won in 3, lost in 2, won in 1."""
    game = registry.get(GAME_ID)
    with BookWriter(place, game) as writer:
        run = writer.start_run({"limits": {"depth": 6}})
        # Children first, so that each search leaves out the move that leads to a stored one.
        enter(writer, game, BLOCKED_ONCE, run)
        enter(writer, game, OPEN_FOUR, run, BLOCKED_ONCE)
        enter(writer, game, OPEN_THREE, run, OPEN_FOUR)
        writer.end_run(run)
    return place


def enter(
    writer: BookWriter, game: Game, line: str, run: int, *excluded: str, depth: int = 6
) -> None:
    """Search the position after `line`, without the moves to `excluded` ones, and enter it."""
    canonical = game.canonical(game.play_line(game.parse_line(line)))
    keys = frozenset(
        game.canonical(game.play_line(game.parse_line(other))).key for other in excluded
    )
    task = Task(canonical.key, canonical.stones, True, keys)
    searched = run_task(game.id, task, Limits(depth=depth))
    with writer.transaction():
        writer.enter_batch([(task, searched)], 1, run)


def of_revision_0006(book: Path) -> None:
    """Make a book what it was before there were digests."""
    with closing(sqlite3.connect(book)) as connection:
        for view in ("played", "hints"):
            connection.execute(f"DROP VIEW {view}")
        for name in ("imported", "sources"):
            connection.execute(f"DROP TABLE {name}")
        for table in (table for table in DIGESTED if table not in (imported, sources)):
            connection.execute(f"ALTER TABLE {table.name} DROP COLUMN digest")
        connection.execute("DROP TABLE digests")
        connection.execute("UPDATE alembic_version SET version_num = '0006'")
        connection.commit()


def of_revision_0002(book: Path) -> None:
    """Make a book what it was before there were leases, wishes and a history."""
    of_revision_0006(book)
    with closing(sqlite3.connect(book)) as connection:
        connection.execute("ALTER TABLE tasks DROP COLUMN leased_by")
        connection.execute("ALTER TABLE tasks DROP COLUMN leased_until")
        connection.execute("ALTER TABLE positions DROP COLUMN wish")
        connection.execute("DROP TABLE history")
        connection.execute("UPDATE alembic_version SET version_num = '0002'")
        connection.commit()
