"""Checks a certificate whole, entry by entry.

Each entry is checked by itself, given that the others are right: every legal reply must be
answered by a list, with which the guided search wins (`kernels`), or by a move that leads, up to
symmetry, to another entry. That one has two stones more, so nothing is assumed in a circle: when
all entries have passed, the winner wins from each of them, and from the start.
"""

import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from book.certificates.check import Hole, Progress
from book.certificates.gomoku import kernels
from book.certificates.gomoku.board import Board, Cell, Rules
from book.certificates.gomoku.file import Certificate, CertificateError, Entry
from book.replacing import replacing

# A part is what a job does without looking up: a tenth of a second or so.
_PART = 32
_SECONDS_BETWEEN_SAVES = 15.0
# Instead of the number of the entry that a move leads to.
_UNKNOWN, _AT_ONCE = -1, -2

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Fault:
    """What is wrong with an entry, after these moves from its board, in its orientation."""

    reason: str
    entry: int
    moves: tuple[Cell, ...] = ()


class Checker:
    """One check of a certificate.

    With `sample`, of so many entries drawn by `seed`. Otherwise of all, and whether each of them
    is needed; `state` is a file that keeps which parts are done, for the next check of the same
    certificate, which `checksum` names.

    Raises:
        CertificateError: if `state` cannot be read or is of another certificate.
    """

    def __init__(
        self,
        certificate: Certificate,
        *,
        sample: int | None = None,
        seed: int = 0,
        state: Path | None = None,
        checksum: str = "",
    ) -> None:
        self._certificate = certificate
        self._rules = certificate.rules
        self._state = state
        self._checksum = checksum
        self.whole = sample is None or sample >= certificate.entries
        self._entries = _all_or_some(certificate.entries, None if self.whole else sample, seed)
        self._numbers: dict[Board, int] = {}
        # For each move its entry; for each entry the plies of the longest line that a list wins.
        self._children = np.full(len(certificate.moves), _UNKNOWN, dtype=np.int64)
        self._plies = np.zeros(certificate.entries, dtype=np.int64)
        self._first = _UNKNOWN
        self._done = np.zeros(-(-len(self._entries) // _PART), dtype=np.bool_)
        self._stopping = False
        self.hole: Hole | None = None
        if self.whole:
            self._resume()

    @property
    def start(self) -> str:
        """The position from which the winner is said to win, as a picture."""
        return self._rules.picture(self._certificate.start.board)

    @property
    def complete(self) -> bool:
        """Whether everything that was to be checked has been."""
        return self.hole is not None or bool(self._done.all())

    @property
    def checked(self) -> int:
        """How many entries have been checked."""
        counts = np.minimum(_PART, len(self._entries) - _PART * np.arange(len(self._done)))
        return int(counts[self._done].sum())

    @property
    def distance(self) -> int | None:
        """Plies within which the winner wins from the start; None before all has been accepted."""
        distances = self.distances
        if distances is None:
            return None
        if self._first == _AT_ONCE:
            return 1
        return int(distances[self._first]) + self._certificate.start.winner_to_move

    @property
    def distances(self) -> Numbers | None:
        """Plies within which the winner wins from each entry; None before all has been accepted."""
        if self.hole is not None or not self.complete or not self.whole:
            return None
        plies = self._plies.copy()
        first = self._certificate.first_move
        for number in reversed(range(len(plies))):
            for child in self._children[first[number] : first[number + 1]].tolist():
                plies[number] = max(plies[number], 2 if child == _AT_ONCE else 2 + plies[child])
        return plies

    def stop(self) -> None:
        """Begin no further part; `steps` ends when those in flight have."""
        self._stopping = True

    def steps(self, jobs: int = 1) -> Iterator[Progress]:
        """Check with so many threads, until the first hole; yields after every part."""
        started = saved = time.monotonic()
        self._numbers = {
            self._certificate.board(number): number for number in range(self._certificate.entries)
        }
        self.hole = self._hole_at_the_start()
        if self.hole is None:
            for hole in self._parts(jobs):
                self.hole = self.hole or hole
                now = time.monotonic()
                if now > saved + _SECONDS_BETWEEN_SAVES:
                    self._save()
                    saved = time.monotonic()
                yield Progress(self.checked, len(self._entries), now - started)
        self._save()
        if self.hole is None and self.complete and self.whole:
            self.hole = self._needless()

    def _parts(self, jobs: int) -> Iterator[Hole | None]:
        """Check the parts that are not done, side by side; what is wrong with each, if anything."""
        boards: SimpleQueue[Any] = SimpleQueue()
        for _ in range(jobs):
            boards.put(new_board(self._certificate))
        waiting = iter(np.flatnonzero(~self._done).tolist())
        running: dict[Future[_Fault | None], int] = {}
        with ThreadPoolExecutor(jobs) as pool:
            while True:
                while len(running) < 2 * jobs and not self._stopping and self.hole is None:
                    part = next(waiting, None)
                    if part is None:
                        break
                    running[pool.submit(self._check, part, boards)] = part
                if not running:
                    break
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    part = running.pop(future)
                    fault = future.result()
                    if fault is None:
                        self._done[part] = True
                        yield None
                    else:
                        yield self._hole(fault)

    def _check(self, part: int, boards: "SimpleQueue[Any]") -> _Fault | None:
        board = boards.get()
        try:
            for number in self._entries[_PART * part : _PART * (part + 1)].tolist():
                fault = self._fault(number, board)
                if fault is not None:
                    return fault
        finally:
            boards.put(board)
        return None

    def _fault(self, number: int, s: Any) -> _Fault | None:
        """What is wrong with an entry."""
        entry = self._certificate.entry(number)
        reason = self._malformed(number, entry)
        if reason is not None:
            return _Fault(reason, number)
        kernels.set_up(s, array_of(entry.board.winner), array_of(entry.board.opponent))
        if kernels.is_over(s):
            return _Fault("the game is over already", number)
        return self._unanswered_by_move(number, entry, s) or self._unanswered_by_list(
            number, entry, s
        )

    def _malformed(self, number: int, entry: Entry) -> str | None:
        """Why an entry does not say what an entry says; None if it does."""
        board, lists = entry.board, entry.lists
        rules = self._rules
        one_more = len(board.winner) - len(board.opponent)
        if (
            not rules.are_cells((*board.winner, *board.opponent))
            or one_more != self._certificate.start.winner_is_dark
        ):
            return "the stones are not those of a position with the opponent to move"
        if board != rules.canonical(board)[0]:
            return "the position is not in canonical form"
        if number:
            before = self._certificate.board(number - 1)
            if (before.stones, before) >= (board.stones, board):
                return "the entries are not in order, or one is there twice"
        free = set(rules.free(board))
        if not free:
            return "the board is full, and the game a draw"
        replies = self._certificate.replies[
            self._certificate.first_reply[number] : self._certificate.first_reply[number + 1]
        ].tolist()
        if not free.issuperset(replies) or any(
            reply >= after for reply, after in pairwise(replies)
        ):
            return "a reply is not to a free cell, or not in order"
        if not all(move in free and move != reply for reply, move in entry.moves.items()):
            return "a move is not to a free cell"
        if any(not rules.are_cells(cells) or not free.issuperset(cells) for cells in lists):
            return "a list has a cell that is not free, or one twice"
        used = set(entry.by_list.values())
        if len(replies) < len(free):
            used.add(0)
        if used != set(range(len(lists))) and not (used == {0} and not lists):
            return "a reply names a list that is not there, or no reply needs a list"
        return None

    def _unanswered_by_move(self, number: int, entry: Entry, s: Any) -> _Fault | None:
        """The first reply whose move does not lead to a win; notes the entries they lead to."""
        at = int(self._certificate.first_move[number])
        for index, (reply, move) in enumerate(sorted(entry.moves.items())):
            if kernels.makes_five(s, kernels.OPPONENT, reply):
                return _Fault("the opponent has won", number, (reply,))
            if kernels.makes_five(s, kernels.WINNER, move):
                self._children[at + index] = _AT_ONCE
                self._plies[number] = max(self._plies[number], 2)
                continue
            after, _ = self._rules.canonical(entry.board.with_opponent(reply).with_winner(move))
            child = self._numbers.get(after)
            if child is None:
                return _Fault("no entry has this position", number, (reply, move))
            self._children[at + index] = child
        return None

    def _unanswered_by_list(self, number: int, entry: Entry, s: Any) -> _Fault | None:
        """The first reply after which the search finds no win with its list."""
        plies, reply = replies_by_list(self._rules, entry, s)
        if reply is not None:
            found = "the search finds no win with the list that answers this reply"
            return _Fault(found, number, (reply,))
        self._plies[number] = max(self._plies[number], plies.max() + 1)
        return None

    def _hole_at_the_start(self) -> Hole | None:
        """What is wrong with the certificate as a whole, before any entry is looked at."""
        start, rules = self._certificate.start, self._rules
        board = start.board
        if not rules.are_cells((*start.dark, *start.light)) or not (
            0 <= len(start.dark) - len(start.light) <= 1
        ):
            return Hole("the start is no position", None, self.start)
        s = new_board(self._certificate)
        kernels.set_up(s, array_of(board.winner), array_of(board.opponent))
        if kernels.is_over(s):
            return Hole("the game is over at the start", (), self.start)
        if start.winner_to_move == (start.move is None):
            return Hole("the winner's first move is missing, or not his to make", (), self.start)
        if start.move is not None:
            if start.move not in set(rules.free(board)):
                return Hole("the first move is not to a free cell", (), self.start)
            if kernels.makes_five(s, kernels.WINNER, start.move):
                self._first = _AT_ONCE
                return None
            board = board.with_winner(start.move)
        first = self._numbers.get(rules.canonical(board)[0])
        if first is None:
            return Hole("no entry has this position", self._opening(), rules.picture(board))
        self._first = first
        return None

    def _opening(self) -> tuple[str, ...]:
        move = self._certificate.start.move
        return () if move is None else (self._rules.name(move),)

    def _needless(self) -> Hole | None:
        """An entry that no move leads to."""
        reached = np.zeros(self._certificate.entries, dtype=np.bool_)
        reached[self._children[self._children >= 0]] = True
        if self._first >= 0:
            reached[self._first] = True
        for number in np.flatnonzero(~reached)[:1].tolist():
            reason = f"entry {number} is reached by no line of the strategy"
            return Hole(reason, None, self._rules.picture(self._certificate.board(number)))
        return None

    def _hole(self, fault: _Fault) -> Hole:
        reason = f"{fault.reason} (entry {fault.entry})"
        way = self._way(fault.entry)
        if way is None:
            board = self._certificate.board(fault.entry)
            return Hole(reason, None, self._rules.picture(board))
        # In the start's orientation; each step is in that of the entry that it begins from.
        board, line = self._certificate.start.opponents_board, list(self._opening())
        for moves in (*way, fault.moves):
            _, symmetry = self._rules.canonical(board)
            back = self._rules.inverse(symmetry)
            for number, move in enumerate(moves):
                cell = back[move]
                board = board.with_winner(cell) if number else board.with_opponent(cell)
                line.append(self._rules.name(cell))
        return Hole(reason, tuple(line), self._rules.picture(board))

    def _way(self, number: int) -> list[tuple[Cell, Cell]] | None:
        """Replies and moves from the first entry to another one; None if none lead there."""
        if self._first < 0:
            return None
        before: dict[int, tuple[int, Cell, Cell] | None] = {self._first: None}
        waiting = [self._first]
        for at in waiting:
            if at == number:
                break
            entry = self._certificate.entry(at)
            free = set(self._rules.free(entry.board))
            for reply, move in sorted(entry.moves.items()):
                if reply == move or not {reply, move} <= free:
                    continue
                after = entry.board.with_opponent(reply).with_winner(move)
                child = self._numbers.get(self._rules.canonical(after)[0])
                if child is not None and child not in before:
                    before[child] = at, reply, move
                    waiting.append(child)
        if number not in before:
            return None
        way: list[tuple[Cell, Cell]] = []
        step = before[number]
        while step is not None:
            way.append(step[1:])
            step = before[step[0]]
        return way[::-1]

    def _resume(self) -> None:
        if self._state is None or not self._state.exists():
            return
        names = ("checksum", "done", "children", "plies")
        try:
            with np.load(self._state) as kept:
                checksum, done, children, plies = (kept[name] for name in names)
        except (OSError, ValueError, KeyError, EOFError) as error:
            raise CertificateError(
                f"cannot read '{self._state}' as the state of a check"
            ) from error
        if str(checksum) != self._checksum or len(done) != len(self._done):
            raise CertificateError(f"'{self._state}' is the state of another certificate's check")
        self._done |= done
        self._children[:] = children
        self._plies[:] = plies

    def _save(self) -> None:
        if self._state is None or not self.whole:
            return
        # First what is done: a part that ends meanwhile is then checked again.
        done = self._done.copy()
        with replacing(self._state) as partial, partial.open("wb") as file:
            np.savez_compressed(
                file,
                checksum=self._checksum,
                done=done,
                children=self._children,
                plies=self._plies,
            )


def replies_by_list(rules: Rules, entry: Entry, s: Any) -> tuple[Numbers, Cell | None]:
    """For each reply that a list answers the plies in which the winner then wins, else 0.

    Then the first such reply after which no win is found; what comes after it is not looked at.
    The board `s` has been set up.
    """
    which = np.full(rules.cells, _UNKNOWN, dtype=np.int64)
    which[list(rules.free(entry.board))] = 0
    for reply, answer in entry.by_list.items():
        which[reply] = answer
    which[list(entry.moves)] = _UNKNOWN
    lists = entry.lists or ((),)
    first = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    cells = np.array([cell for one in lists for cell in one], dtype=np.int16)
    plies = np.zeros(rules.cells, dtype=np.int64)
    unanswered = int(kernels.check_replies(s, which, first, cells, plies))
    return plies, None if unanswered < 0 else unanswered


def new_board(certificate: Certificate) -> Any:
    """An empty board for the searches of a certificate."""
    s = kernels.new_state(certificate.rules.size, exact=certificate.rules.exact)
    s["effort"] = certificate.effort
    return s


def array_of(cells: tuple[Cell, ...]) -> Numbers:
    """Cells as the kernels take them."""
    return np.array(cells, dtype=np.int64)


def _all_or_some(entries: int, sample: int | None, seed: int) -> Numbers:
    if sample is None:
        return np.arange(entries)
    chosen = np.random.default_rng(seed).choice(entries, size=sample, replace=False)
    return np.sort(chosen).astype(np.int64)
