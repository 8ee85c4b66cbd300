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
from numba import types
from numba.core.caching import FunctionCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.runtime.nrt import rtsys
from numba.core.typeinfer import register_dispatcher

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


class _Cache(FunctionCache):
    """Numba's cache of machine code, from which it is loaded without preparing to compile.

    That would load all of numba's own functions: a third of the time until a search can begin.
    """

    def load_overload(self: Any, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


class _Kernel(CPUDispatcher):
    """A function of one signature, which is loaded or compiled when it is first needed.

    A process calls few of the kernels that it imports: the machine code of a kernel holds that of
    all that it calls. Loading every one took most of the time in which a command starts.
    """

    signature: Any = None

    def enable_caching(self) -> None:
        self._cache = cast(Any, _Cache)(self.py_func)

    def load(self) -> Any:
        """Load or compile it, if that is not done; returns its entry point."""
        # Several threads may call it at once.
        with global_compiler_lock:
            if not self.overloads:
                self.compile(self.signature)
                self.disable_compile()
            compiled: Any = next(iter(self.overloads.values()))
        return compiled.entry_point

    def _compile_for_args(self, *args: Any) -> Any:
        """What numba calls with the arguments of the first call."""
        entry_point = self.load()
        (signature,) = self.nopython_signatures
        given = map(self.typeof_pyval, args)
        # The entry point itself takes an array of another kind for one of its own.
        if any(
            self.typingctx.can_convert(kind, wanted) is None
            for kind, wanted in zip(given, signature.args, strict=True)
        ):
            raise TypeError(f"{self.py_func.__name__} was called with what is not of {signature}")
        return entry_point

    def get_call_template(self, args: Any, named: Any) -> Any:
        """What numba asks for when it compiles another kernel that calls this one."""
        self.load()
        return super().get_call_template(args, named)

    def __reduce__(self) -> Any:
        # Of a signature numba pickles only that it is compiled.
        self.load()
        return super().__reduce__()


_kernels: list[_Kernel] = []


def kernel(signature: Any) -> Callable[[_Function], _Function]:
    """Make a function a kernel of `signature`, loaded or compiled when it is first needed.

    A stated signature also makes it safe to load a recursive function (numba issue 6061).
    """

    def decorator(function: _Function) -> _Function:
        return cast(_Function, _made(function, signature))

    return decorator


def entry_kernel(signature: Any) -> Callable[[_Function], _Function]:
    """As `kernel`, but load it, or compile it, when its module is imported.

    For what Python calls where time counts, or in workers, which would each compile it.
    """

    def decorator(function: _Function) -> _Function:
        made = _made(function, signature)
        # Its name does not stand for it yet, should it call itself.
        with register_dispatcher(made):
            made.load()
        return cast(_Function, made)

    return decorator


def _made(function: Callable[..., Any], signature: Any) -> _Kernel:
    made = _Kernel(function, targetoptions={"nogil": True, "nopython": True})
    made.signature = signature
    made.enable_caching()
    _kernels.append(made)
    return made


def load_all() -> None:
    """Load or compile all kernels of the modules that are imported."""
    for each in _kernels:
        each.load()


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
