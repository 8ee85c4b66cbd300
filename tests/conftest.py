"""Settings and fixtures for all tests: small books, and the command line in this process."""

import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, settings

from book.storage.address import AnyAddress
from book.writer import BookWriter
from engine import registry
from engine.game import Game
from fivebook.cli import cli
from tests.book.handmade import proven_book
from tests.books import CopyOf, Fivebook, small_book
from tests.examples import THOROUGH
from tests.servers import postgresql_book

# The same tests every time, and none that a slow machine fails.
settings.register_profile(
    "fivebook",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(THOROUGH, settings.get_profile("fivebook"))
settings.load_profile("fivebook")

_LONG = {"test_installation.py", "test_soak.py"}

# A shell has what it runs in the background ignore Ctrl-C, and all that is started there.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AnyAddress]:
    """Where a book may be made, in each kind of database."""
    if request.param == "sqlite":
        yield tmp_path / "book.db"
        return
    with postgresql_book() as address:
        yield address


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("books")


@pytest.fixture(scope="session")
def gomoku() -> Game:
    return registry.get("gomoku-9")


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


BOOKS: dict[str, Callable[[str], object]] = {
    "gomoku_book": lambda place: small_book(place, "gomoku-9", 50),
    "swap_book": lambda place: small_book(place, "pentago-swap", 25),
    "wide_book": lambda place: small_book(place, "gomoku-26", 10),
    "won_book": proven_book,
    "both_book": lambda place: [
        small_book(place, "gomoku-9", 20),
        small_book(place, "pentago-swap", 10),
    ],
    "empty_book": lambda place: BookWriter(place, registry.get("gomoku-9")).close(),
}
"""How the books called like the fixtures above are made where there is no file."""


@pytest.fixture(scope="session")
def on_server() -> Iterator[Callable[[str], str]]:
    """Makes the book of a name in PostgreSQL, once, and tells its address."""
    with ExitStack() as opened:

        @cache
        def made(name: str) -> str:
            place = opened.enter_context(postgresql_book())
            BOOKS[name](place)
            return place

        yield made


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def stored(request: pytest.FixtureRequest) -> Callable[[str], AnyAddress]:
    """Gives the book of a name, in each kind of database."""
    if request.param == "sqlite":
        return request.getfixturevalue  # type: ignore[no-any-return]
    on_server: Callable[[str], str] = request.getfixturevalue("on_server")
    return on_server


@pytest.fixture(scope="session", params=["gomoku_book", "swap_book", "wide_book", "won_book"])
def any_book(stored: Callable[[str], AnyAddress], request: pytest.FixtureRequest) -> AnyAddress:
    return stored(request.param)


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


@pytest.fixture
def runner() -> CliRunner:
    return CliRunner()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests that take minutes: at the end, only one worker would be busy."""
    items.sort(key=lambda item: item.path.name not in _LONG)
