"""Builds killed at random moments: what is in the book is always sound, and nothing is lost."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from book.whole.export import records
from engine import registry
from engine.search import Limits
from precompute.builder import Builder, BuildOptions
from precompute.modes.explore import Explore

NODES = 100
POSITIONS = 60

# Each build is a child of a process that has everything loaded, so that it is killed while it
# builds and not while it starts.
KILLS = """
import json, os, random, signal, sqlite3, sys, time
from contextlib import closing
from pathlib import Path
from book.storage.address import Address
from book.storage.database import at_one_moment
from book.errors import NotABook
from book.integrity.verify import Verification
from engine import registry
from engine.search import Limits
from precompute.builder import Builder, BuildOptions
from precompute.modes.explore import Explore

folder, name, nodes, positions, kills = sys.argv[1:]
folder, random = Path(folder), random.Random(int(kills))
options = BuildOptions(registry.get(name), Explore(int(positions)), Limits(nodes=int(nodes)))
# Loads and compiles what the children need.
Builder(folder / "first.db", BuildOptions(options.game, Explore(1), options.limits)).run()

def build_and_be_killed(path):
    child = os.fork()
    if not child:
        Builder(path, options).run()
        os._exit(0)
    time.sleep(random.uniform(0.0, 0.15))
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])

def faults(path):
    if Path(f"{path}-journal").exists():
        # Killed while its tables were made; who builds on takes that back.
        return []
    try:
        with at_one_moment(Address.of(path)) as connection:
            return [str(finding) for finding in Verification(connection).findings()]
    except NotABook:
        # Killed before the tables were there; none of them may be.
        with closing(sqlite3.connect(path)) as connection:
            return connection.execute("SELECT name FROM sqlite_schema").fetchall()

killed, found, books = 0, [], [folder / "0.db"]
while killed < int(kills):
    if build_and_be_killed(books[-1]):
        killed += 1
        found += faults(books[-1]) if books[-1].exists() and books[-1].stat().st_size else []
    else:
        books.append(folder / f"{len(books)}.db")
for path in books:
    Builder(path, options).run()
print(json.dumps({"faults": found, "books": list(map(str, books))}))
"""


def killed_often(folder: Path, name: str, kills: int) -> None:
    """Kill builds `kills` times, and compare what became of them with one never killed."""
    done = subprocess.run(
        [sys.executable, "-c", KILLS, *map(str, (folder, name, NODES, POSITIONS, kills))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["faults"] == []
    whole = folder / "whole.db"
    options = BuildOptions(registry.get(name), Explore(POSITIONS), Limits(nodes=NODES))
    Builder(whole, options).run()
    for book in told["books"]:
        assert list(records(book, reproducible=True)) == list(records(whole, reproducible=True))


def test_a_book_is_sound_after_every_kill_and_ends_as_if_there_had_been_none(
    tmp_path: Path,
) -> None:
    killed_often(tmp_path, "gomoku-9", 5)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gomoku-9", "pentago-swap"])
def test_two_hundred_kills_change_nothing(name: str, tmp_path: Path) -> None:
    killed_often(tmp_path, name, 200)
