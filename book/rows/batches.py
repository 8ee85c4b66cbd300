"""Many values at a time: databases limit how many of them a statement may have."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

_Value = TypeVar("_Value")

AT_ONCE = 500
"""How many values a statement is given at most, and how many rows are held at a time."""


def in_batches(values: Iterable[_Value]) -> Iterator[list[_Value]]:
    """The `values` in their order, up to `AT_ONCE` in each batch."""
    left = iter(values)
    while batch := list(islice(left, AT_ONCE)):
        yield batch
