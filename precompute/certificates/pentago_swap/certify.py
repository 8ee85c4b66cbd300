"""Certifying a win: the answers of a solver become a strategy that anyone can check.

The checker in `book.certificates.pentago_swap` shares nothing with the engine. Here both meet, so
that nothing written here needs to be believed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

import numpy as np
from joblib import Parallel, delayed

from book.certificates.pentago_swap import arrangements
from book.certificates.pentago_swap.file import Certificate, write
from engine.position import Position
from precompute.certificates.pentago_swap.defaults import LEAF, NODES, NODES_FOR_MOVES, SHORT
from precompute.certificates.pentago_swap.strategy import (
    AnswerFile,
    EntryRules,
    SolverStrategy,
    Strategy,
    Supernode,
    SupernodeAnswer,
    SupernodeAnswerer,
    SupernodeMove,
    SupernodeSolver,
    numbers,
    to_board,
)

# Supernodes that a job takes at a time.
_BATCH = 16


@dataclass(frozen=True, slots=True)
class CertifyState:
    """How far it is: the ply, the supernodes of it that are done, and the entries so far."""

    ply: int
    done: int
    of: int
    entries: int


def make_certificate(
    solver: SupernodeSolver,
    start: Position,
    distance: int,
    path: Path,
    *,
    jobs: int = 1,
    answers: Path | None = None,
    short: int = SHORT,
    leaf: int = LEAF,
    nodes: int = NODES,
    nodes_for_moves: int = NODES_FOR_MOVES,
    report: Callable[[CertifyState], None] = lambda state: None,
) -> Certificate:
    """Write the certificate of a win from `start` within `distance` plies to `path`.

    Each of the `jobs` threads has a copy of the solver. A call with the same arguments goes on
    with the answers in the file `answers`. For the others see `EntryRules`.

    Raises:
        NoStrategy: if the solver does not win so soon.
        FivebookError: if `answers` belong to other arguments.
    """
    solvers = [solver, *(solver.copy() for _ in range(jobs - 1))]
    certifier = Certifier(
        [SolverStrategy(each) for each in solvers],
        start,
        distance,
        rules=EntryRules(short, leaf, nodes, nodes_for_moves),
        answers=answers,
        report=report,
    )
    certificate = certifier.certificate()
    write(certificate, path)
    return certificate


class Certifier:
    """Follows strategies from `start`, ply by ply, and takes down what it meets.

    Each of the `strategies` has a thread of its own.
    """

    def __init__(
        self,
        strategies: Sequence[Strategy],
        start: Position,
        distance: int,
        *,
        rules: EntryRules,
        answers: Path | None = None,
        report: Callable[[CertifyState], None] = lambda state: None,
    ) -> None:
        self._jobs = len(strategies)
        self._spare: SimpleQueue[SupernodeAnswerer] = SimpleQueue()
        for strategy in strategies:
            self._spare.put(SupernodeAnswerer(strategy, rules))
        self._start = to_board(start)
        self._distance = distance
        self._rules = rules
        self._answers = answers
        self._report = report
        self._entries: list[_Entry] = []
        self._scratch = np.zeros(arrangements.SCRATCH, dtype=np.int64)
        self._image = np.zeros(3, dtype=np.int64)

    def certificate(self) -> Certificate:
        """The certificate, as it is written.

        Raises:
            NoStrategy: if a board that a strategy leads to is not won by it in time.
            FivebookError: if the answers kept belong to other rules.
        """
        self._entries = []
        if self._answers is None:
            self._follow(None)
        else:
            with AnswerFile(self._answers, self._rules) as kept:
                self._follow(kept)
        return self._joined(sorted(self._entries, key=_Entry.order))

    def _follow(self, kept: AnswerFile | None) -> None:
        high, low, mask = self._start.key
        ply = (self._start.white | self._start.black).bit_count()
        last_ply = ply + self._distance
        level = {(high, low): mask}
        while level:
            following: dict[Supernode, int] = {}
            answers = self._answered(level, last_ply - ply, kept)
            for done, (supernode, answer) in enumerate(answers, 1):
                if answer.boards:
                    entry = _Entry(*supernode, answer.boards, answer.moves)
                    self._entries.append(entry)
                    self._add_children(entry, following)
                self._report(CertifyState(ply, done, len(level), len(self._entries)))
            level = following
            ply += 2

    def _answered(
        self, level: dict[Supernode, int], plies: int, kept: AnswerFile | None
    ) -> Iterator[tuple[Supernode, SupernodeAnswer]]:
        """Each supernode of a level with its answer: first those that are kept, then the others."""
        new = []
        for supernode, boards in level.items():
            answer = kept.get(supernode, boards, plies) if kept else None
            if answer is None:
                new.append((supernode, boards))
            else:
                yield supernode, answer
        parallel = Parallel(n_jobs=self._jobs, backend="threading", return_as="generator")
        parts = (new[at : at + _BATCH] for at in range(0, len(new), _BATCH))
        with closing(parallel(delayed(self._answer_all)(part, plies) for part in parts)) as results:
            for result in results:
                for supernode, boards, answer in result:
                    if kept:
                        kept.keep(supernode, boards, plies, answer)
                    yield supernode, answer

    def _answer_all(
        self, supernodes: Sequence[tuple[Supernode, int]], plies: int
    ) -> list[tuple[Supernode, int, SupernodeAnswer]]:
        answerer = self._spare.get()
        start = plies == self._distance
        try:
            return [
                (supernode, boards, answerer.answer(supernode, boards, plies, start=start))
                for supernode, boards in supernodes
            ]
        finally:
            self._spare.put(answerer)

    def _add_children(self, entry: "_Entry", following: dict[Supernode, int]) -> None:
        """Add the boards that Black's replies to the moves of `entry` lead to."""
        white = arrangements.white_of(entry.high, entry.low)
        black = arrangements.black_of(entry.high, entry.low)
        for stone, swapped in entry.moves:
            more = white | 1 << stone
            white_fives = arrangements.fives(more, self._scratch)
            after = arrangements.reach(swapped & ~white_fives) & ~white_fives
            for reply in numbers(arrangements.CELLS & ~(more | black)) if after else ():
                left = after & ~arrangements.fives(black | 1 << reply, self._scratch)
                if left:
                    arrangements.canonical(more, black | 1 << reply, left, self._image)
                    high, low, mask = self._image.tolist()
                    following[high, low] = following.get((high, low), 0) | mask

    def _joined(self, entries: list["_Entry"]) -> Certificate:
        moves = [move for entry in entries for move in entry.moves]
        counts = [len(entry.moves) for entry in entries]

        def column(values: Iterable[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
            return np.array(list(values), dtype=np.int64)

        return Certificate(
            start=(self._start.white, self._start.black),
            distance=self._distance,
            short=self._rules.short,
            leaf=self._rules.leaf,
            high=column(entry.high for entry in entries),
            low=column(entry.low for entry in entries),
            boards=column(entry.boards for entry in entries),
            first=np.concatenate(([0], np.cumsum(column(counts)))),
            stone=column(stone for stone, _ in moves),
            swapped=column(swapped for _, swapped in moves),
        )


@dataclass(frozen=True, slots=True)
class _Entry:
    high: int
    low: int
    boards: int
    moves: tuple[SupernodeMove, ...]

    def order(self) -> tuple[int, ...]:
        return self.high.bit_count() + self.low.bit_count(), self.high, self.low
