"""The service under twice its load: see `tests.faults.soak`, which `make soak` runs for an hour."""

from pathlib import Path

import pytest

from tests.faults.soak import Soak, soak


def assert_well(result: Soak) -> None:
    assert result.faults == []
    assert result.books > 0
    assert min(result.compared[kind] for kind in ("replaced", "batch", "growing")) > 0
    assert {"live 200", "missed 404", "bad 400"} <= set(result.statuses)


def test_a_service_under_load_answers_as_documented_and_from_its_books(tmp_path: Path) -> None:
    assert_well(soak(tmp_path, 6))


@pytest.mark.slow
def test_and_for_five_minutes_its_memory_stays_flat(tmp_path: Path) -> None:
    result = soak(tmp_path, 300)
    print(result.told())
    assert_well(result)
