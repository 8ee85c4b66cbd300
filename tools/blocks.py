"""Results of long computations in files of blocks, so that what is there is not computed again."""

from collections.abc import Iterator, Mapping
from concurrent.futures import as_completed
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from book.processes import workers


class Plan(Protocol):
    """What is computed: block number *n* depends on nothing but the plan and *n*."""

    def file(self, folder: Path, block: int) -> Path:
        """Where the block is kept."""
        ...

    def make(self, block: int) -> Mapping[str, ArrayLike]:
        """What the block's file has, by name."""
        ...


def make_blocks(plan: Plan, count: int, folder: Path, jobs: int) -> Iterator[int]:
    """Make those of the first `count` blocks that are not in `folder`, and keep them.

    Yields, each time there are more, how many there are.
    """
    folder.mkdir(parents=True, exist_ok=True)
    missing = [block for block in range(count) if not plan.file(folder, block).exists()]
    done = count - len(missing)
    if not missing:
        return
    with workers(jobs) as executor:
        running = {executor.submit(plan.make, block): block for block in missing}
        for finished in as_completed(running):
            _save(plan.file(folder, running[finished]), finished.result())
            done += 1
            yield done


def joined(lines: list[tuple[int, ...]]) -> dict[str, ArrayLike]:
    """Lines of moves as a block has them; `split` is the inverse."""
    moves = np.concatenate(lines) if lines else np.empty(0, dtype=np.int64)
    return {"moves": moves, "lengths": [len(line) for line in lines]}


def split(block: Mapping[str, NDArray[Any]]) -> list[tuple[int, ...]]:
    """The lines of moves in a block."""
    lines = np.split(block["moves"], np.cumsum(block["lengths"]).astype(np.int64)[:-1])
    return [tuple(line.tolist()) for line in lines[: len(block["lengths"])]]


def _save(file: Path, arrays: Mapping[str, ArrayLike]) -> None:
    """Write `file`, which is either there as a whole or not at all."""
    unfinished = file.with_suffix(".new")
    with unfinished.open("wb") as stream:
        np.savez_compressed(stream, allow_pickle=False, **arrays)
    unfinished.replace(file)
