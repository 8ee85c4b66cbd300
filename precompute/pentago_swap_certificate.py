"""Writing a certificate: the answers of a solver become a strategy that anyone can check.

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
from precompute.pentago_swap_strategy import (
    Answer,
    Answerer,
    AnswerFile,
    Family,
    FamilyMove,
    FamilySolver,
    Rules,
    Solved,
    Strategy,
    numbers,
    to_board,
)

SHORT = 5
LEAF = 11
NODES = 50_000
NODES_FOR_MOVES = 3_000_000
# Families that a job takes at a time.
_BATCH = 16


@dataclass(frozen=True, slots=True)
class ExportState:
    """How far an export is: the ply, the families of it that are done, and the entries so far."""

    ply: int
    done: int
    of: int
    entries: int


def export(
    solver: FamilySolver,
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
    report: Callable[[ExportState], None] = lambda state: None,
) -> Certificate:
    """Write the certificate of a win from `start` within `distance` plies to `path`.

    Each of the `jobs` threads has a copy of the solver. An export with the same arguments goes on
    with the answers in the file `answers`. For the others see `Rules`.

    Raises:
        NoStrategy: if the solver does not win so soon.
        FivebookError: if `answers` are another export's.
    """
    solvers = [solver, *(solver.copy() for _ in range(jobs - 1))]
    exporter = Exporter(
        [Solved(each) for each in solvers],
        start,
        distance,
        rules=Rules(short, leaf, nodes, nodes_for_moves),
        answers=answers,
        report=report,
    )
    certificate = exporter.certificate()
    write(certificate, path)
    return certificate


class Exporter:
    """Follows strategies from `start`, ply by ply, and takes down what it meets.

    Each of the `strategies` has a thread of its own.
    """

    def __init__(
        self,
        strategies: Sequence[Strategy],
        start: Position,
        distance: int,
        *,
        rules: Rules,
        answers: Path | None = None,
        report: Callable[[ExportState], None] = lambda state: None,
    ) -> None:
        self._jobs = len(strategies)
        self._spare: SimpleQueue[Answerer] = SimpleQueue()
        for strategy in strategies:
            self._spare.put(Answerer(strategy, rules))
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
            FivebookError: if the answers kept are another export's.
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
            following: dict[Family, int] = {}
            answers = self._answered(level, last_ply - ply, kept)
            for done, (family, answer) in enumerate(answers, 1):
                if answer.boards:
                    entry = _Entry(*family, answer.boards, answer.moves)
                    self._entries.append(entry)
                    self._add_children(entry, following)
                self._report(ExportState(ply, done, len(level), len(self._entries)))
            level = following
            ply += 2

    def _answered(
        self, level: dict[Family, int], plies: int, kept: AnswerFile | None
    ) -> Iterator[tuple[Family, Answer]]:
        """Each family of a level with its answer: first those that are kept, then the others."""
        new = []
        for family, boards in level.items():
            answer = kept.get(family, boards, plies) if kept else None
            if answer is None:
                new.append((family, boards))
            else:
                yield family, answer
        parallel = Parallel(n_jobs=self._jobs, backend="threading", return_as="generator")
        parts = (new[at : at + _BATCH] for at in range(0, len(new), _BATCH))
        with closing(parallel(delayed(self._answer_all)(part, plies) for part in parts)) as results:
            for result in results:
                for family, boards, answer in result:
                    if kept:
                        kept.keep(family, boards, plies, answer)
                    yield family, answer

    def _answer_all(
        self, families: Sequence[tuple[Family, int]], plies: int
    ) -> list[tuple[Family, int, Answer]]:
        answerer = self._spare.get()
        start = plies == self._distance
        try:
            return [
                (family, boards, answerer.answer(family, boards, plies, start=start))
                for family, boards in families
            ]
        finally:
            self._spare.put(answerer)

    def _add_children(self, entry: "_Entry", following: dict[Family, int]) -> None:
        """Add the boards that Black's replies to the moves of `entry` lead to."""
        white = arrangements.white_of(entry.high, entry.low)
        black = arrangements.black_of(entry.high, entry.low)
        for stone, swapped in entry.moves:
            more = white | 1 << stone
            white_fives = arrangements.fives(more, self._scratch)
            after = arrangements.reach(swapped & ~white_fives) & ~white_fives
            for reply in numbers(arrangements.CELLS & ~(more | black)) if after else ():
                asked = after & ~arrangements.fives(black | 1 << reply, self._scratch)
                if asked:
                    arrangements.canonical(more, black | 1 << reply, asked, self._image)
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
    moves: tuple[FamilyMove, ...]

    def order(self) -> tuple[int, ...]:
        return self.high.bit_count() + self.low.bit_count(), self.high, self.low
