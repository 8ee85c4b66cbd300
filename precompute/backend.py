"""Which workers there are, by the names that users know them by."""

from dataclasses import dataclass
from enum import StrEnum

from engine.errors import InvalidOptions
from precompute.cluster import ClusterDispatch
from precompute.dispatch import Dispatch, ProcessDispatch, Result, Task, ThreadDispatch, Work


class Backend(StrEnum):
    """Where the work of a build is done."""

    LOKY = "loky"
    """In processes of this machine; a single one at a time is done in this process."""
    THREADING = "threading"
    """In threads of this process."""
    DASK = "dask"
    """By the workers of a dask scheduler."""


@dataclass(frozen=True, slots=True)
class Workers:
    """With the backend dask as much is done at a time as the workers of `scheduler` have threads,
    with the others `jobs`.

    Raises:
        InvalidOptions: if only one of dask and its scheduler is given.
    """

    jobs: int = 1
    backend: Backend = Backend.LOKY
    scheduler: str | None = None

    def __post_init__(self) -> None:
        if self.backend is Backend.DASK and self.scheduler is None:
            raise InvalidOptions("the backend dask needs a scheduler, such as tcp://HOST:8786")
        if self.backend is not Backend.DASK and self.scheduler is not None:
            raise InvalidOptions(f"a scheduler needs the backend dask, not {self.backend}")

    def open(self, work: Work[Task, Result]) -> Dispatch[Task, Result]:
        """Have them ready for `work`.

        Raises:
            WorkersLost: if there is no scheduler, it has no worker, or one of another edition.
        """
        if self.scheduler is not None:
            return ClusterDispatch(work, self.scheduler)
        # A process of its own would be one more copy of the engine, for nothing.
        if self.backend is Backend.THREADING or self.jobs == 1:
            return ThreadDispatch(work, self.jobs)
        return ProcessDispatch(work, self.jobs)
