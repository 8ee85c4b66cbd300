"""Walking a proof: from a position to all that it rests on, or over all proven ones."""

import os
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from heapq import nsmallest
from itertools import islice

from joblib import Parallel, delayed

from book.audit.line import longest_line
from book.audit.position import CheckedPosition, CheckStatus, Examiner
from book.audit.proof_rows import ProofRows
from book.audit.rules import AuditBoard, AuditRules
from book.closing import Closing
from book.processes import begin_work
from book.storage.address import Address

# What a job does without looking up: of the hardest positions, some minutes of work.
_PART = 4
# All doubts are counted; this many are told.
_KEPT = 1000


class Walk(Closing):
    """A check of proven positions of one game in a book. A context manager.

    `nodes` limits each search. What came of it stands in the attributes: how many positions were
    `checked`, the ends confirmed by kind, and the `doubts`, of which there are `counts`.

    Raises:
        BookError: if the book cannot be read.
    """

    def __init__(
        self, address: Address, game_id: str, nodes: int | None = None, jobs: int = 1
    ) -> None:
        self._address, self._game_id, self._nodes, self._jobs = address, game_id, nodes, jobs
        self._rows = ProofRows(address, game_id)
        self._examiner = Examiner(self._rows, game_id, nodes)
        self._stopping = False
        self.checked = 0
        self.leaves: Counter[str] = Counter()
        self.counts: Counter[CheckStatus] = Counter()
        self.doubts: list[CheckedPosition] = []
        self.complete = False

    def close(self) -> None:
        """Let go of the book."""
        self._rows.close()

    @property
    def rules(self) -> AuditRules:
        """The rules of the game."""
        return self._examiner.rules

    def stop(self) -> None:
        """Begin no further part."""
        self._stopping = True

    def find(self, board: AuditBoard) -> int | None:
        """The number of a position, None if the book does not hold it."""
        stones = self.rules.pack(board)
        found = self._rows.find({stones: self.rules.lookup(stones)})
        return found[stones][0] if found else None

    def is_proven(self, id: int) -> bool:
        """Whether the book says so."""
        return self._rows.read([id])[id].claim.proven

    def longest_line(self, board: AuditBoard | None = None) -> tuple[AuditBoard, list[str], str]:
        """What `book.audit.line` tells of this book."""
        return longest_line(self.rules, self._rows, board)

    def everything(self) -> Iterator[int]:
        """The numbers of all proven positions."""
        return self._rows.proven()

    def some(self, count: int, seed: int) -> list[int]:
        """The numbers of that many proven positions, drawn by `seed`."""
        rng = random.Random(seed)
        return sorted(nsmallest(count, self._rows.proven(), key=lambda id: rng.random()))

    def check(self, ids: Iterable[int]) -> Iterator[int]:
        """Check these positions, each by itself; yields how many have been checked."""
        for _ in self._findings(ids):
            yield self.checked
        self.complete = not self._stopping

    def check_below(self, id: int) -> Iterator[int]:
        """Check a position and all that its proof rests on; yields as `check` does."""
        seen = level = {id}
        while level and not self._stopping:
            needed: set[int] = set()
            for finding in self._findings(sorted(level)):
                needed |= finding.needs
                yield self.checked
            level = needed - seen
            seen = seen | level
        self.complete = not self._stopping

    def _findings(self, ids: Iterable[int]) -> Iterator[CheckedPosition]:
        """What comes of each position, part by part, until stopped."""
        for findings in self._done(self._parts(ids)):
            for finding in findings:
                self._count(finding)
                yield finding

    def _done(self, parts: Iterator[list[int]]) -> Iterator[list[CheckedPosition]]:
        if self._jobs == 1:
            for part in parts:
                yield self._examiner.examine(part)
            return
        address = self._address.with_password
        with Parallel(
            n_jobs=self._jobs,
            return_as="generator_unordered",
            batch_size=1,
            initializer=begin_work,
            initargs=(os.getpid(),),
        ) as parallel:
            yield from parallel(
                delayed(_examine)(address, self._game_id, self._nodes, part) for part in parts
            )

    def _parts(self, ids: Iterable[int]) -> Iterator[list[int]]:
        left = iter(ids)
        while not self._stopping and (part := list(islice(left, _PART))):
            yield part

    def _count(self, finding: CheckedPosition) -> None:
        self.checked += 1
        self.counts[finding.status] += 1
        self.leaves += finding.leaves
        if finding.status is not CheckStatus.RIGHT and len(self.doubts) < _KEPT:
            self.doubts.append(finding)


@cache
def _workers_own(address: str, game_id: str, nodes: int | None) -> Examiner:
    """What a worker checks with, as long as it lives."""
    return Examiner(ProofRows(Address.of(address), game_id), game_id, nodes)


def _examine(
    address: str, game_id: str, nodes: int | None, part: list[int]
) -> list[CheckedPosition]:
    return _workers_own(address, game_id, nodes).examine(part)
