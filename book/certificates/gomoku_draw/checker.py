"""Checks a certificate of a draw whole, entry by entry.

For each entry it is worked out which cells it *needs* to be free, or the breaker's. The entries it
rests on come before it, so nothing is assumed in a circle: when all have passed, the breaker holds
the empty board, which is the last of them. Sets of cells are whole numbers, a bit for each cell.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from book.certificates.check import Hole, Progress
from book.certificates.gomoku.board import Board, Cell
from book.certificates.gomoku_draw.file import Certificate, Entry

_WINDOW = 5
_STEPS = ((1, 0), (0, 1), (1, 1), (-1, 1))
_SYMMETRIES = 8
_ENTRIES_A_STEP = 1000

Cells = int
"""A set of cells."""


@dataclass(frozen=True, slots=True)
class _Fault:
    """What is wrong with an entry, maybe after a move of the maker's, in its orientation."""

    reason: str
    move: Cell | None = None


@dataclass(frozen=True, slots=True)
class _Reached:
    """An entry on the way down: the moves so far, and the symmetry that takes it there."""

    entry: int
    moves: tuple[Cell, ...]
    where: tuple[Cell, ...]


class Checker:
    """One check of a certificate."""

    whole = True

    def __init__(self, certificate: Certificate) -> None:
        self._rules = certificate.rules
        self._entries = certificate.entries
        self._windows = tuple(windows(self._rules.size))
        self._needs: list[Cells] = []
        self._led_to: set[int] = set()
        self._stopping = False
        self._finished = False
        self.hole: Hole | None = None

    @property
    def start(self) -> str:
        """The empty board, as a picture."""
        return self._rules.picture(Board())

    @property
    def checked(self) -> int:
        """How many entries have been checked."""
        return len(self._needs)

    @property
    def complete(self) -> bool:
        """Whether all entries have been checked, or a hole was found."""
        return self._finished

    def stop(self) -> None:
        """Check no further entry."""
        self._stopping = True

    def steps(self, jobs: int = 1) -> Iterator[Progress]:
        """Check until the first hole; yields now and then. There is work for one job only."""
        started = time.monotonic()
        for number, entry in enumerate(self._entries):
            if self._stopping:
                return
            fault = self._fault(number, entry)
            if fault is not None:
                self.hole = self._hole(number, fault)
                break
            self._needs.append(self._needed(entry))
            self._led_to.update(answer.entry for answer in entry.answers)
            if self.checked % _ENTRIES_A_STEP == 0:
                yield Progress(self.checked, len(self._entries), time.monotonic() - started)
        self.hole = self.hole or self._hole_of_the_whole()
        self._finished = True

    def _fault(self, number: int, entry: Entry) -> _Fault | None:
        """What is wrong with an entry, given those before it."""
        fault = self._malformed(number, entry)
        if fault is not None:
            return fault
        return self._unanswered(entry) if entry.answers else self._window_left_open(entry)

    def _malformed(self, number: int, entry: Entry) -> _Fault | None:
        """What keeps an entry from saying anything: a wrong cell, an answer that leads nowhere."""
        rules = self._rules
        ends = [cell for pair in entry.pairs for cell in pair]
        if not rules.are_cells((*entry.stones, *ends)) or not all(
            rules.are_cells((*entry.stones, answer.cell)) for answer in entry.answers
        ):
            return _Fault("a cell is not on the board, or taken, or there twice")
        if entry.answers and entry.pairs:
            return _Fault("the entry has both pairs and answers")
        for answer in entry.answers:
            if answer.entry >= number or answer.symmetry >= _SYMMETRIES:
                return _Fault("an answer leads to no earlier entry")
            stones = self._entries[answer.entry].stones
            where = rules.maps[answer.symmetry]
            if not rules.are_cells(stones) or not (
                {where[cell] for cell in stones} <= {*entry.stones, answer.cell}
            ):
                return _Fault("an answer leads to an entry with stones that the breaker has not")
        return None

    def _window_left_open(self, entry: Entry) -> _Fault | None:
        """The first window that neither a stone nor a pair of a leaf closes."""
        stones = _set(entry.stones)
        pairs = [_set(pair) for pair in entry.pairs]
        for window in self._windows:
            if not window & stones and not any(window & pair == pair for pair in pairs):
                cells = [cell for cell in range(self._rules.cells) if window >> cell & 1]
                names = f"{self._rules.name(cells[0])} to {self._rules.name(cells[-1])}"
                return _Fault(f"no stone and no pair closes {names}")
        return None

    def _unanswered(self, entry: Entry) -> _Fault | None:
        """The first move of the maker's to which no answer is good; or an answer to no move."""
        left = _set(self._rules.free(Board(opponent=entry.stones)))
        for needed in self._needed_by_answers(entry):
            if not left & ~needed:
                return _Fault("an answer is to no move, or to those that others answer")
            left &= needed
        if left:
            return _Fault("no answer is good", (left & -left).bit_length() - 1)
        return None

    def _needed(self, entry: Entry) -> Cells:
        """The cells that have to be free, or the breaker's, besides those of his stones."""
        needed = _set(cell for pair in entry.pairs for cell in pair)
        for more in self._needed_by_answers(entry):
            needed |= more
        return needed

    def _needed_by_answers(self, entry: Entry) -> Iterator[Cells]:
        """The same for each answer, whose cell is one of them."""
        for answer in entry.answers:
            where = self._rules.maps[answer.symmetry]
            needed = _image(self._needs[answer.entry], where)
            yield needed & ~_set(entry.stones) | 1 << answer.cell

    def _hole_of_the_whole(self) -> Hole | None:
        """What is wrong with the certificate, given that each entry is right."""
        if not self._entries or self._entries[-1].stones:
            return Hole("the last entry is not the empty board", None, self.start)
        for number, entry in enumerate(self._entries[:-1]):
            if number not in self._led_to:
                reason = f"entry {number} is reached by no line of the strategy"
                return Hole(reason, None, self._rules.picture(Board(opponent=entry.stones)))
        return None

    def _hole(self, number: int, fault: _Fault) -> Hole:
        reason = f"{fault.reason} (entry {number})"
        reached = self._way(number)
        if reached is None:
            stones = tuple(cell for cell in self._entries[number].stones)
            known = self._rules.are_cells(stones)
            board = self._rules.picture(Board(opponent=stones if known else ()))
            return Hole(reason, None, board)
        moves = reached.moves
        if fault.move is not None and reached.where[fault.move] not in moves:
            moves = (*moves, reached.where[fault.move])
        board = self._rules.picture(Board(moves[::2], moves[1::2]))
        return Hole(reason, tuple(map(self._rules.name, moves)), board)

    def _way(self, number: int) -> _Reached | None:
        """A way from the empty board to an entry, by moves that the strategy so answers."""
        self._complete_needs()
        first = len(self._entries) - 1
        if self._entries[first].stones:
            return None
        waiting = [_Reached(first, (), self._rules.maps[0])]
        seen = {first}
        for at in waiting:
            if at.entry == number:
                return at
            for further in self._next(at):
                if further.entry not in seen:
                    seen.add(further.entry)
                    waiting.append(further)
        return None

    def _complete_needs(self) -> None:
        """Work out the needs of all further entries too, as far as they have any."""
        for number in range(self.checked, len(self._entries)):
            entry = self._entries[number]
            sound = self._malformed(number, entry) is None
            self._needs.append(self._needed(entry) if sound else 0)

    def _next(self, at: _Reached) -> Iterator[_Reached]:
        """What the first good answer to some move leads to, for each answer that is one."""
        entry = self._entries[at.entry]
        if self._malformed(at.entry, entry) is not None:
            return
        left = _set(self._rules.free(Board(opponent=entry.stones)))
        needs = list(self._needed_by_answers(entry))
        for answer, needed in zip(entry.answers, needs, strict=True):
            moves = [cell for cell in _cells(left & ~needed) if at.where[cell] not in at.moves]
            if moves and at.where[answer.cell] not in at.moves:
                child = self._rules.maps[answer.symmetry]
                yield _Reached(
                    answer.entry,
                    (*at.moves, at.where[moves[0]], at.where[answer.cell]),
                    tuple(at.where[child[cell]] for cell in range(self._rules.cells)),
                )
            left &= needed


def windows(size: int) -> Iterator[Cells]:
    """All rows of five cells on a board of `size` times `size`."""
    for column_step, row_step in _STEPS:
        for row in range(size):
            for column in range(size):
                cells = [(row + n * row_step, column + n * column_step) for n in range(_WINDOW)]
                if all(0 <= r < size and 0 <= c < size for r, c in cells):
                    yield _set(r * size + c for r, c in cells)


def _set(cells: Iterable[Cell]) -> Cells:
    together = 0
    for cell in cells:
        together |= 1 << cell
    return together


def _cells(cells: Cells) -> Iterator[Cell]:
    return (cell for cell in range(cells.bit_length()) if cells >> cell & 1)


def _image(cells: Cells, where: tuple[Cell, ...]) -> Cells:
    return _set(where[cell] for cell in _cells(cells))
