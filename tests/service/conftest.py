from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient

from engine import registry
from engine.game import Game
from engine.search import Limits
from precompute.builder import Builder, BuildOptions
from precompute.modes.explore import Explore
from service.http.app import create_app
from service.http.settings import Settings

Ask = Callable[..., dict[str, Any]]

GAMES = ("gomoku-9", "pentago-swap")
POSITIONS = 40


def small_book(path: Path, game: Game) -> Path:
    """A book of a few dozen positions of `game`, at `path`; added to what is there."""
    Builder(path, BuildOptions(game, Explore(POSITIONS), Limits(nodes=300))).run()
    return path


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("books")


@pytest.fixture(scope="session", params=GAMES)
def game(request: pytest.FixtureRequest) -> Game:
    return registry.get(request.param)


@pytest.fixture(scope="session")
def gomoku_book(folder: Path) -> Path:
    return small_book(folder / "gomoku.db", registry.get(GAMES[0]))


@pytest.fixture(scope="session")
def swap_book(folder: Path) -> Path:
    return small_book(folder / "swap.db", registry.get(GAMES[1]))


@pytest.fixture(scope="session")
def app(gomoku_book: Path, swap_book: Path) -> Iterator[APIFlask]:
    app = create_app(Settings(books=(gomoku_book, swap_book), movetime=0.05, movetime_cap=0.2))
    app.testing = True
    # As it is served: an error is to become a document, not to end the test.
    app.config["PROPAGATE_EXCEPTIONS"] = False
    yield app
    app.extensions["answerer"].close()


@pytest.fixture
def client(app: APIFlask) -> FlaskClient:
    return app.test_client()


@pytest.fixture(scope="session")
def gomoku_client(gomoku_book: Path) -> FlaskClient:
    """Asks a service whose books hold one game."""
    return create_app(Settings(books=(gomoku_book,))).test_client()


@pytest.fixture(scope="session")
def bookless_client() -> FlaskClient:
    """Asks a service that has no book."""
    return create_app(Settings(movetime=0.05, movetime_cap=0.2)).test_client()


@pytest.fixture
def ask(client: FlaskClient) -> Ask:
    """Asks for the document at an address, which must be there."""

    def ask(address: str, **query: Any) -> dict[str, Any]:
        response = client.get(address, query_string=query)
        assert response.status_code == 200, response.text
        document: dict[str, Any] = response.get_json()
        return document

    return ask
