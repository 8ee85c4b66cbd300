"""Finds the breaker's strategy on an empty board: a search that can be cut off, kept and read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.games.gomoku.breaker.board import (
    BREAKER,
    MAKER,
    MAX_CELLS,
    MAX_SIZE,
    MIN_SIZE,
    SYMMETRIES,
    image_of,
    new_board,
    put,
)
from engine.games.gomoku.breaker.pairing import pair_up, paired
from engine.games.gomoku.breaker.search import (
    OPEN_ENTRY,
    PAIRED,
    PROVEN_ENTRY,
    SEARCH,
    STOPPED,
    WAYS,
    list_proofs,
    look_up,
    move_proofs,
    search,
)
from engine.position import Cell

_FIRST_PROOFS = 1 << 12
_ALL = 2**64 - 1
# The cells are known to have a pairing; only the order in which pairs are tried is another.
_NO_LIMIT = 1 << 62
_CONTRADICTION = "the table of proofs contradicts itself"

Stones = tuple[Cell, ...]


class Holds(Enum):
    """Whether the breaker holds the empty board, moving second."""

    YES = auto()
    NO = auto()
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class Answer:
    """A breaker's stone, after which he goes on by another step, turned by a symmetry."""

    cell: Cell
    step: int
    symmetry: int


@dataclass(frozen=True, slots=True)
class Step:
    """How the breaker, who has these stones, holds the board: by a pairing, or by answers.

    To each move of the maker's there is an answer whose step and cell do not need the cell moved
    to.
    """

    stones: Stones
    pairs: tuple[tuple[Cell, Cell], ...] = ()
    answers: tuple[Answer, ...] = ()


class BreakerSearch:
    """One search; `memory`, in bytes, bounds the table of open positions but not that of proofs.

    Its course, and so the strategy, depends on nothing but the size, the memory and the nodes at
    which it is cut off.

    Raises:
        ValueError: if boards of this size are not searched.
    """

    def __init__(self, size: int, memory: int) -> None:
        if not MIN_SIZE <= size <= MAX_SIZE:
            raise ValueError(f"boards of {MIN_SIZE} to {MAX_SIZE} are searched, not of {size}")
        self._board = new_board(size)
        self._search = np.zeros(1, dtype=SEARCH)[0]
        slots = max(WAYS, memory // OPEN_ENTRY.itemsize)
        self.open = np.zeros(1 << (slots.bit_length() - 1), dtype=OPEN_ENTRY)
        self.proven = np.zeros(_FIRST_PROOFS, dtype=PROVEN_ENTRY)

    @property
    def nodes(self) -> int:
        """Positions visited so far."""
        return int(self._search["nodes"])

    @property
    def proofs(self) -> int:
        """Positions proven so far."""
        return int(self._search["proven"])

    def go_on_from(self, open_: NDArray[Any], proven: NDArray[Any], nodes: int) -> None:
        """Take over the tables and nodes of a search of this size that was cut off."""
        self.open, self.proven = open_, proven
        self._search["nodes"] = nodes
        self._search["proven"] = np.count_nonzero(proven["hash"])

    def run(self, nodes: int) -> Holds:
        """Search on, for so many nodes at most."""
        q = self._search
        q["limit"] = self.nodes + nodes
        while True:
            search(self._board, q, self.open, self.proven)
            if q["proof"] == 0:
                return Holds.YES
            if q["disproof"] == 0:
                return Holds.NO
            if q["state"] == STOPPED:
                return Holds.UNKNOWN
            larger = np.zeros(2 * len(self.proven), dtype=PROVEN_ENTRY)
            move_proofs(self.proven, larger)
            self.proven = larger

    def strategy(self) -> list[Step]:
        """The strategy, after `Holds.YES`: each step after those it needs, the empty board last."""
        return _Reader(self._board, self._search, self.open, self.proven).read()


class _Reader:
    """Reads a strategy off the table of proofs."""

    def __init__(self, board: Any, found: Any, open_: Any, proven: Any) -> None:
        self._s, self._q, self._tables = board, found, (open_, proven)
        self._steps: list[Step] = []
        self._needs: list[int] = []
        self._numbers: dict[tuple[Stones, Stones], int] = {}
        self._same: dict[Step, int] = {}

    def read(self) -> list[Step]:
        """The steps that the empty board needs, each after those it needs itself."""
        last, _, _ = self._read((), (), _ALL)
        needed = {last}
        for number in range(last, -1, -1):
            if number in needed:
                needed.update(answer.step for answer in self._steps[number].answers)
        order = {number: place for place, number in enumerate(sorted(needed))}
        return [
            replace(
                self._steps[number],
                answers=tuple(
                    replace(answer, step=order[answer.step])
                    for answer in self._steps[number].answers
                ),
            )
            for number in order
        ]

    def _read(self, maker: Stones, breaker: Stones, zone: int) -> tuple[int, int, int]:
        """The number of a position's step, the symmetry that takes it there, and what it needs.

        Where several symmetries do, one is taken by which it needs no cell outside `zone`.
        """
        s = self._s
        self._flip(maker, breaker)
        hashes = s["hash"].tolist()
        self._flip(maker, breaker)
        leading = [symmetry for symmetry in range(SYMMETRIES) if hashes[symmetry] == min(hashes)]
        canonical = self._turned(maker, leading[0]), self._turned(breaker, leading[0])
        if canonical not in self._numbers:
            self._numbers[canonical] = self._number(*self._step(*canonical))
        number = self._numbers[canonical]
        for symmetry in leading:
            back = int(s["inverse"][symmetry])
            needs = int(image_of(s, back, np.uint64(self._needs[number])))
            if needs | zone == zone:
                return number, back, needs
        raise AssertionError(_CONTRADICTION)

    def _number(self, step: Step, needs: int) -> int:
        """The number of a step, which is kept if no other position has the same."""
        if step not in self._same:
            self._same[step] = len(self._steps)
            self._steps.append(step)
            self._needs.append(needs)
        return self._same[step]

    def _step(self, maker: Stones, breaker: Stones) -> tuple[Step, int]:
        """The step of a canonical position, and the cells that it needs."""
        s, q = self._s, self._q
        self._flip(maker, breaker)
        look_up(s, q, *self._tables, True)
        if q["answer"] == PAIRED:
            s["pairing_limit"] = _NO_LIMIT
            pair_up(s, q["zone"])
            needs = int(paired(s))
            cells = s["pair"][: 2 * s["pairs"]].tolist()
            self._flip(maker, breaker)
            return Step(breaker, tuple(zip(cells[::2], cells[1::2], strict=True))), needs
        zone = int(q["zone"])
        # What was proven later may need other cells.
        proofs = [proof for proof in self._proofs() if proof[2] | zone == zone]
        self._flip(maker, breaker)
        answers, zones = [], []
        for number in _enough([zone for _, _, zone in proofs]):
            move, cell, zone = proofs[number]
            after = tuple(sorted((*maker, move))), tuple(sorted((*breaker, cell)))
            child, symmetry, more = self._read(*after, zone)
            answers.append(Answer(cell, child, symmetry))
            zones.append(more | 1 << cell)
        # A pairing may need fewer cells than its position was proven with.
        chosen = _enough(zones)
        needs = reduce(or_, (zones[number] for number in chosen))
        return Step(breaker, answers=tuple(answers[number] for number in chosen)), needs

    def _proofs(self) -> list[tuple[Cell, Cell, int]]:
        """The maker's moves to which an answer is proven, with the answer and the zone."""
        q = self._q
        end = int(list_proofs(self._s, q, self._tables[1]))
        columns = (q[name][:end].tolist() for name in ("cell", "cell_proof", "cell_zone"))
        return list(zip(*columns, strict=True))

    def _flip(self, maker: Stones, breaker: Stones) -> None:
        """Put these stones on the board, or take them off."""
        for side, stones in ((MAKER, maker), (BREAKER, breaker)):
            for cell in stones:
                put(self._s, side, cell)

    def _turned(self, stones: Stones, symmetry: int) -> Stones:
        images = self._s["image"][symmetry * MAX_CELLS :]
        return tuple(sorted(int(images[cell]) for cell in stones))


def _enough(zones: Sequence[int]) -> list[int]:
    """The numbers of zones, as few as may be, that have no cell in common."""
    left, chosen = _ALL, []
    while left:
        fewest = min(
            range(len(zones)), key=lambda n: ((left & zones[n]).bit_count(), zones[n].bit_count())
        )
        if left & zones[fewest] == left:
            raise AssertionError(_CONTRADICTION)
        left &= zones[fewest]
        chosen.append(fewest)
    return chosen
