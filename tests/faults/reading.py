"""Every reading command over spoilt books, in this process, within limits of time and memory.

`python -m tests.faults.reading BOOK FIRST LAST` spoils copies of BOOK by the seeds from FIRST to
before LAST, and prints a line for each command that ended otherwise than a command may.
"""

import gc
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path

from click.testing import CliRunner

from book.storage import log
from fivebook.cli import cli
from tests.faults.compiling import compile_once
from tests.faults.mutations import mutate

MOST_MEMORY = 6 << 30
MOST_SECONDS = 60
"""Of computing, for one command."""

_ALLOWED = {0, 1, 2}


class _TooLate(BaseException):
    """The command took more computing than it may."""


def commands(book: Path, good: Path, folder: Path, seed: int) -> list[list[str]]:
    """Whatever reads a book, `book`; `good` is another. Their options take turns by the seed."""
    plain = seed % 2 == 0
    return [
        ["info", str(book), *([] if plain else ["--json"])],
        ["log", str(book)],
        ["query", str(book), "--book-only", *([] if plain else ["c3", "--json"])],
        ["tree", str(book)],
        ["export", str(book), *([] if plain else ["--reproducible"])],
        ["verify", str(book), *([] if plain else ["--sample", "5"])],
        ["prove-check", str(book), "--all"],
        ["wish", str(book)],
        ["snapshot", str(book), "-o", str(folder / "snapshot.db")],
        ["merge", str(book), str(good), "-o", str(folder / "merged.db")]
        if plain
        else ["diff", str(book), str(good)],
    ]


def faults(good: Path, seeds: range) -> Iterator[str]:
    """What went wrong with each of the spoilt books, by its seed."""
    # What was loaded for good need not be looked through after each book.
    gc.freeze()
    with tempfile.TemporaryDirectory(prefix="fivebook-") as name:
        for seed in seeds:
            folder = Path(name) / str(seed)
            folder.mkdir()
            book = Path(shutil.copy(good, folder / "book.db"))
            done = mutate(book, seed)
            kept = {path: path.read_bytes() for path in folder.iterdir()}
            for command in commands(book, good, folder, seed):
                wrong = _fault(command)
                if wrong:
                    yield f"seed {seed} ({done}): {' '.join(command)}: {wrong}"
                for path, content in kept.items():
                    if not path.exists() or path.read_bytes() != content:
                        yield f"seed {seed} ({done}): {command[0]} changed {path.name}"
                        path.write_bytes(content)
            shutil.rmtree(folder)
            gc.collect()


def _fault(command: list[str]) -> str | None:
    """How a command ended, if that is not as it should."""
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    try:
        result = CliRunner().invoke(cli, command)
    except _TooLate:
        return "no end"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    error = result.exception
    if error is not None and not isinstance(error, SystemExit):
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if "site-packages" not in frame.filename] or frames
        place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"
        return f"{type(error).__name__} at {place}: {str(error).splitlines()[:1]}"
    if result.exit_code not in _ALLOWED:
        return f"status {result.exit_code}"
    if "\x1b" in result.output or "\x07" in result.output:
        return "control characters"
    return None


def _stop(number: int, frame: object) -> None:
    raise _TooLate


def main(book: Path, first: int, last: int) -> None:
    """Try the seeds from `first` to before `last`."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    signal.signal(signal.SIGPROF, _stop)
    compile_once()
    # Nobody writes here, so that to look at a log again is to see the same.
    log._SECONDS_BETWEEN_LOOKS = 0
    for fault in faults(book, range(first, last)):
        print(fault, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
