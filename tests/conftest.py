"""Settings for all tests."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from book.storage.address import AnyAddress
from tests.servers import postgresql_book

# The same tests every time, and none that a slow machine fails.
settings.register_profile(
    "fivebook",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("fivebook")

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
