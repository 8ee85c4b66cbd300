"""Transposition tables by their size in memory."""

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import InvalidOptions

_MEBIBYTE = 1 << 20
_CACHE_LINE = 64


def require_memory(mebibytes: int) -> None:
    """Refuse a table that the machine has no memory for.

    Linux promises any memory, and kills whoever makes use of it.

    Raises:
        InvalidOptions: if it is larger than all memory of the machine.
    """
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // _MEBIBYTE
    if mebibytes > machine:
        raise InvalidOptions(
            f"there is no memory for a table of {mebibytes:,} MiB: this machine has {machine:,}"
        )


def new_table(mebibytes: int, entry: np.dtype[Any], most: int | None = None) -> NDArray[Any]:
    """An empty table of as many entries as fit, a power of two, and `most` at most.

    Shape (entries,), of dtype `entry`, all zero, from the beginning of a line of the processor's
    cache on. It is written to, so that the memory is there before the first deadline runs.

    Raises:
        InvalidOptions: if there is no memory for it.
    """
    entries = 1 << (mebibytes * _MEBIBYTE // entry.itemsize).bit_length() - 1
    entries = min(entries, most or entries)
    size = entries * entry.itemsize
    require_memory(size // _MEBIBYTE)
    try:
        memory = _zeros(size)
    except MemoryError as error:
        raise InvalidOptions(f"there is no memory for a table of {mebibytes} MiB") from error
    return memory.view(entry)


def new_record(layout: np.dtype[Any]) -> Any:
    """A record of `layout`, all zero and written to, for kernels to work in.

    It lies from the beginning of a line of the processor's cache on.
    """
    return _zeros(layout.itemsize).view(layout)[0]


def _zeros(size: int) -> NDArray[np.uint8]:
    """So many bytes from the beginning of a line of the processor's cache on, written to."""
    memory = np.empty(size + _CACHE_LINE, dtype=np.uint8)
    start = -memory.ctypes.data % _CACHE_LINE
    memory = memory[start : start + size]
    memory.fill(0)
    return memory
