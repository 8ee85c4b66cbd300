import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from book.writer import BookWriter
from engine import games
from engine.games.base import Game
from engine.search import Limits
from precompute.builder import Builder, BuildOptions
from service.cli import cli
from tests.book.handmade import proven_book

NODES = Limits(nodes=300)

Fivebook = Callable[..., Result]
CopyOf = Callable[[Path], Path]


def small_book(path: Path, name: str, positions: int) -> Path:
    """A book of a few positions at `path`; added to what is there."""
    Builder(path, BuildOptions(games.get(name), NODES, positions=positions)).run()
    return path


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("books")


@pytest.fixture(scope="session")
def gomoku() -> Game:
    return games.get("gomoku-9")


@pytest.fixture(scope="session")
def gomoku_book(folder: Path) -> Path:
    return small_book(folder / "gomoku.db", "gomoku-9", 50)


@pytest.fixture(scope="session")
def swap_book(folder: Path) -> Path:
    return small_book(folder / "swap.db", "pentago-swap", 25)


@pytest.fixture(scope="session")
def wide_book(folder: Path) -> Path:
    """A book of a board with more than 256 cells."""
    return small_book(folder / "wide.db", "gomoku-26", 10)


@pytest.fixture(scope="session")
def both_book(folder: Path) -> Path:
    """A book of two games."""
    small_book(folder / "both.db", "gomoku-9", 20)
    return small_book(folder / "both.db", "pentago-swap", 10)


@pytest.fixture(scope="session")
def empty_book(folder: Path, gomoku: Game) -> Path:
    """A book in which a game is registered and no position stored."""
    path = folder / "empty.db"
    BookWriter(path, gomoku).close()
    return path


@pytest.fixture(scope="session")
def won_book(folder: Path) -> Path:
    """A book of a forced win: see `tests.book.handmade`."""
    return proven_book(folder / "won.db")


@pytest.fixture(scope="session", params=["gomoku_book", "swap_book", "wide_book", "won_book"])
def any_book(request: pytest.FixtureRequest) -> Path:
    path: Path = request.getfixturevalue(request.param)
    return path


@pytest.fixture
def fivebook() -> Fivebook:
    """Runs the command line in this process; an unforeseen error fails the test at once."""

    def too_late(number: int, frame: object) -> None:
        raise AssertionError("the command goes on where it should have refused")

    def fivebook(*arguments: object) -> Result:
        before = signal.signal(signal.SIGALRM, too_late)
        signal.alarm(120)
        try:
            result = CliRunner().invoke(cli, list(map(str, arguments)))
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return fivebook


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A temporary folder that every user may reach, unlike pytest's own."""
    path = Path(tempfile.mkdtemp(prefix="fivebook-"))
    path.chmod(0o777)
    yield path
    for inner in [path, *path.rglob("*")]:
        inner.chmod(0o777)
    shutil.rmtree(path)


@pytest.fixture
def copy_of(tmp_path: Path) -> CopyOf:
    """Copies a book to where a test may spoil it."""

    def copy_of(book: Path) -> Path:
        return Path(shutil.copy(book, tmp_path / book.name))

    return copy_of
