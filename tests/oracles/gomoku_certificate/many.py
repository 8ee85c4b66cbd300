"""Checks many entries, with several processes."""

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path

from tests.oracles.gomoku_certificate.checker import Counts, SlowChecker
from tests.oracles.gomoku_certificate.reading import read

# A process is sent so many entries at a time: some seconds of work.
_TOGETHER = 8

_checkers: list[SlowChecker] = []


def checked(path: Path, numbers: Sequence[int], jobs: int) -> Iterator[Counts]:
    """Check these entries of the certificate at `path`; the counts so far, again and again.

    Raises:
        Hole: at one that is wrong.
    """
    parts = [numbers[at : at + _TOGETHER] for at in range(0, len(numbers), _TOGETHER)]
    total = Counts()
    # Not forked: the caller may have threads.
    with ProcessPoolExecutor(
        jobs, mp_context=get_context("spawn"), initializer=_set_up, initargs=(path,)
    ) as pool:
        running: set[Future[Counts]] = {pool.submit(_check, part) for part in parts}
        try:
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    total += future.result()
                yield total
        finally:
            pool.shutdown(cancel_futures=True)


def _set_up(path: Path) -> None:
    _checkers.append(SlowChecker(read(path)))


def _check(numbers: Sequence[int]) -> Counts:
    total = Counts()
    for number in numbers:
        total += _checkers[0].check(number)
    return total
