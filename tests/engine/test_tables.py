"""Transposition tables have the size that was asked for."""

import os

import numpy as np
import pytest

from engine.errors import InvalidOptions
from engine.search import MOST_TABLE, SearchOptions
from engine.tables import new_table, require_memory

ENTRY = np.dtype([("a", np.uint64), ("b", np.uint64), ("c", np.uint64)])


def test_a_table_has_as_many_entries_as_a_power_of_two_allows() -> None:
    for mebibytes in (1, 2, 3, 4):
        table = new_table(mebibytes, ENTRY)
        assert len(table) & len(table) - 1 == 0
        assert table.nbytes <= mebibytes << 20 < 2 * table.nbytes
        assert not table.view(np.uint64).any()
        assert table.ctypes.data % 64 == 0


def test_a_table_has_no_more_entries_than_can_be_told_apart() -> None:
    assert len(new_table(4, ENTRY, most=1 << 10)) == 1 << 10


def test_a_table_that_does_not_fit_into_memory_is_told_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(np, "empty", full)
    with pytest.raises(InvalidOptions, match="there is no memory for a table of 4 MiB"):
        new_table(4, ENTRY)


def test_a_table_larger_than_the_machine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 512}
    monkeypatch.setattr(os, "sysconf", pages.__getitem__)
    assert len(new_table(2, ENTRY))
    with pytest.raises(InvalidOptions, match="table of 3 MiB: this machine has 2"):
        new_table(4, ENTRY)
    with pytest.raises(InvalidOptions, match="table of 4,000 MiB: this machine has 2"):
        require_memory(4000)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"threads": 0}, "threads must be from 1 to 256, not 0"),
        ({"threads": 257}, "threads must be from 1 to 256, not 257"),
        ({"table": 0}, "table must be from 1 to 65,536, not 0"),
        ({"table": MOST_TABLE + 1}, "table must be from 1 to 65,536, not 65537"),
    ],
)
def test_options_out_of_range_are_refused_and_named(options: dict[str, int], sentence: str) -> None:
    with pytest.raises(InvalidOptions) as caught:
        SearchOptions(**options)
    assert str(caught.value) == sentence
