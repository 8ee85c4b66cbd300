"""How kernels are compiled: once for each state of the sources, and kept for later processes.

Numba's own cache looks only at the file that defines a function, so that a change in what the
function calls would go unseen. The cache therefore lies in a folder named after all sources of
this room and the versions of compiler and Python; a change in any of them starts a new folder.
"""

import os
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import njit, types

from engine import __version__

_ROOM = Path(__file__).parent
_STATE = "kernels-"

# Numba's settings have no declared attributes.
_numba_config: Any = numba.config
_Function = TypeVar("_Function", bound=Callable[..., Any])


def _state_of_sources() -> str:
    digest = blake2b(digest_size=8)
    for version in (__version__, numba.__version__, np.__version__, sys.version):
        digest.update(version.encode())
    for source in sorted(_ROOM.rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _writable_home() -> Path:
    beside = _ROOM / "__pycache__"
    with suppress(OSError):
        beside.mkdir(exist_ok=True)
    if os.access(beside, os.W_OK):
        return beside
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fivebook"


def cache_folder() -> Path:
    """Where the machine code of this state of the sources is kept."""
    return Path(_numba_config.CACHE_DIR)


def drop_outdated_caches() -> None:
    """Delete the machine code of earlier states of the sources."""
    current = cache_folder()
    if current.name.startswith(_STATE):
        for folder in current.parent.glob(f"{_STATE}*"):
            if folder != current:
                shutil.rmtree(folder, ignore_errors=True)


if not os.environ.get("NUMBA_CACHE_DIR"):
    _numba_config.CACHE_DIR = str(_writable_home() / f"{_STATE}{_state_of_sources()}")


Word = Any
"""What annotations call an unsigned number of 64 bits in a kernel: numpy's own type would not meet
an int there, which to numba it does."""

i64 = cast(Callable[[Any], int], np.int64)
"""Makes a number in a kernel an int of 64 bits."""
u64 = np.uint64
"""For indices that are never negative, where time matters. Numba adds the length to an index below
zero, which costs a comparison at each access and keeps loops from becoming vector instructions."""


def kernel(signature: Any) -> Callable[[_Function], _Function]:
    """Compile a function for `signature`, or load it, when its module is imported.

    A stated signature also makes it safe to load a recursive function (numba issue 6061).
    """
    decorator: Callable[[_Function], _Function] = njit(signature, nogil=True, cache=True)
    return decorator


_clock_gettime: Any = types.ExternalFunction(
    "clock_gettime", types.intc(types.intc, types.CPointer(types.int64))
)
_CLOCK = time.CLOCK_MONOTONIC
LONG_AGO = 1
"""A deadline on the clock of `now` that is over; 0 often stands for none."""


@kernel(types.int64())
def now() -> int:
    """Nanoseconds on the clock of `time.monotonic_ns`, readable inside kernels."""
    timespec = np.empty(2, dtype=np.int64)
    _clock_gettime(_CLOCK, timespec.ctypes)
    return int(timespec[0] * 1_000_000_000 + timespec[1])
