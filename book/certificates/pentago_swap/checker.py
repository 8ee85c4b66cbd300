"""Checks a certificate whole, entry by entry.

Each entry is checked by itself, given that the others are right (`arrangements.check`). As a move
and its reply lead to entries with two stones more, nothing is assumed in a circle: when all entries
have passed, each board of each entry is won by White by the ply at which the certificate says he
has won, the start position among them.
"""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from book.certificates.check import Hole, Progress
from book.certificates.pentago_swap import arrangements
from book.certificates.pentago_swap.file import Certificate, CertificateError
from book.certificates.pentago_swap.single_board import Key, SingleBoard, board_of, key_of
from book.replacing import replacing

# A part is what a job does without looking up: some seconds if all its entries are long leaves.
_PART = 16
_SECONDS_BETWEEN_SAVES = 15.0
_BYTE = np.array([value.bit_count() for value in range(256)], dtype=np.int64)

Indices = NDArray[np.int64]


class Checker:
    """One check of a certificate.

    With `sample`, of that many entries drawn by `seed`. Otherwise of all, and whether each of them
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
        self._state = state
        self._checksum = checksum
        self.whole = sample is None or sample >= certificate.entries
        self._entries = _all_or_some(certificate.entries, None if self.whole else sample, seed)
        self._stones = _stones(certificate)
        self._levels = _levels(self._stones)
        self._last_ply = certificate.distance + (self.start.white | self.start.black).bit_count()
        self._rows, self._moves = _records(certificate)
        self._reached = np.zeros(certificate.entries, dtype=np.int64)
        self._done = np.zeros(-(-len(self._entries) // _PART), dtype=np.bool_)
        self._mine: list[Indices] = []
        self._stopping = False
        self.hole: Hole | None = None
        if self.whole:
            self._resume()

    @property
    def start(self) -> SingleBoard:
        """The position from which White is said to win."""
        return SingleBoard(*self._certificate.start)

    @property
    def complete(self) -> bool:
        """Whether everything that was to be checked has been."""
        return self.hole is not None or bool(self._done.all())

    @property
    def checked(self) -> int:
        """How many entries have been checked."""
        counts = np.minimum(_PART, len(self._entries) - _PART * np.arange(len(self._done)))
        return int(counts[self._done].sum())

    def stop(self) -> None:
        """Begin no further part; `steps` ends when those in flight have."""
        self._stopping = True

    def steps(self, jobs: int = 1) -> Iterator[Progress]:
        """Check with that many threads, until the first hole; yields after every part."""
        started = saved = time.monotonic()
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
        """Check the parts that are not done, side by side; what was wrong with each, if anything.

        Each thread marks what it reaches in an array of its own; they are joined as parts end.
        """
        spare: SimpleQueue[Indices] = SimpleQueue()
        self._mine = [np.zeros_like(self._reached) for _ in range(jobs)]
        for reached in self._mine:
            spare.put(reached)
        waiting = iter(np.flatnonzero(~self._done).tolist())
        running: dict[Future[tuple[int, Indices]], int] = {}
        with ThreadPoolExecutor(jobs) as pool:
            while True:
                while len(running) < 2 * jobs and not self._stopping and self.hole is None:
                    part = next(waiting, None)
                    if part is None:
                        break
                    running[pool.submit(self._check, part, spare)] = part
                if not running:
                    break
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    part = running.pop(future)
                    result, found = future.result()
                    if result == arrangements.RIGHT:
                        self._done[part] = True
                        yield None
                    else:
                        yield self._hole(result, found)
        for reached in self._mine:
            self._reached |= reached

    def _check(self, part: int, spare: "SimpleQueue[Indices]") -> tuple[int, Indices]:
        reached = spare.get()
        check = np.zeros(1, dtype=arrangements.CHECK)[0]
        check["levels"], check["last_ply"] = self._levels, self._last_ply
        check["short"], check["leaf"] = self._certificate.short, self._certificate.leaf
        numbers = self._entries[_PART * part : _PART * (part + 1)]
        try:
            result = arrangements.check(numbers, self._rows, self._moves, reached, check)
        finally:
            spare.put(reached)
        return result, check["found"]

    def _hole_at_the_start(self) -> Hole | None:
        """What is wrong with the certificate as a whole, before any entry is looked at."""
        c = self._certificate
        start = self.start
        if start.white & start.black or not start.white_to_move:
            return Hole("the start position does not have White to move", None, str(start))
        order = np.lexsort((c.low, c.high, self._stones))
        same = np.diff(c.high) | np.diff(c.low)
        if (order != np.arange(c.entries)).any() or not same.all():
            return Hole("the entries are not in order, or one is there twice", None, str(start))
        high, low, mask = start.key
        here = (c.high == high) & (c.low == low) & ((c.boards & mask) != 0)
        if not here.any():
            reason = f"no entry wins the start position within {c.distance} plies"
            return Hole(reason, (), str(start))
        self._reached[here] |= mask
        return None

    def _needless(self) -> Hole | None:
        """An entry that no move of another one leads to."""
        c = self._certificate
        for entry in np.flatnonzero(c.boards & ~self._reached)[:1].tolist():
            board = int(c.boards[entry] & ~self._reached[entry])
            reason = f"entry {entry} is reached by no line of the strategy"
            return Hole(reason, None, str(self._board(entry, board)))
        return None

    def _hole(self, result: int, found: Indices) -> Hole:
        entry, detail, after_move, reply, after_reply = found.tolist()
        c = self._certificate
        plies = self._last_ply - int(self._stones[entry])
        if result == arrangements.MALFORMED:
            reason = (
                f"entry {entry} is malformed: not in canonical form, over already, or with a "
                "stone on a taken cell"
            )
            return Hole(reason, None, str(self._board(entry, int(c.boards[entry]))))
        if result in (arrangements.NO_WIN, arrangements.NO_MOVE):
            key = self._key(entry, detail)
            what = (
                f"the search finds no win within {plies} plies"
                if result == arrangements.NO_WIN
                else "the entry has no move"
            )
            return self._told(f"{what} (entry {entry})", key, [])
        white = arrangements.white_of(c.high[entry], c.low[entry]) | 1 << int(c.stone[detail])
        black = arrangements.black_of(c.high[entry], c.low[entry])
        boards = int(c.boards[entry] & arrangements.reach(after_move)) or int(c.boards[entry])
        key = self._key(entry, boards)
        keys = [key_of(white, black, after_move)]
        if result == arrangements.BAD_MOVE:
            return self._told(f"White's last move does not win (entry {entry})", key, keys)
        keys.append(key_of(white, black | reply, after_reply))
        what = f"no answer wins within {plies - 2} plies (entry {entry})"
        return self._told(what, key, keys)

    def _told(self, reason: str, key: Key, further: Sequence[Key]) -> Hole:
        keys = self._way(key, {})
        if keys is None:
            return Hole(reason, None, str(board_of(further[-1] if further else key)))
        line, board = _played(self.start, [*keys[1:], *further])
        if line is None:
            return Hole(reason, None, str(board_of(further[-1] if further else key)))
        return Hole(reason, line, str(board))

    def _way(self, key: Key, without: dict[Key, None]) -> list[Key] | None:
        """The keys of the boards from the start to `key` by White's moves; None if there are none.

        `without` are keys that are known not to be on any way.
        """
        if key == self.start.key:
            return [key]
        stones = _stones_of(key)
        if key in without or stones < 2:
            return None
        without[key] = None
        start, stop = self._levels[stones - 2], self._levels[stones - 1]
        while True:
            packed = arrangements.leading_to(start, stop, *key, self._rows, self._moves)
            if packed < 0:
                return None
            entry, boards = packed >> 24, packed & arrangements.ALL
            while boards:
                before = self._key(entry, boards)
                way = self._way(before, without)
                if way is not None:
                    between = self._between(entry, before, key)
                    if between is not None:
                        return [*way, between, key]
                boards &= boards - 1
            start = entry + 1

    def _between(self, entry: int, before: Key, key: Key) -> Key | None:
        """The board between two, after the move of White's that leads from one to the other."""
        c = self._certificate
        white = arrangements.white_of(c.high[entry], c.low[entry])
        black = arrangements.black_of(c.high[entry], c.low[entry])
        for move in range(int(c.first[entry]), int(c.first[entry + 1])):
            more = white | 1 << int(c.stone[move])
            for board in _bits(int(c.swapped[move]) & arrangements.reach(before[2])):
                for reply in _bits(arrangements.CELLS & ~(more | black)):
                    after = _bits(arrangements.reach(board))
                    if any(key_of(more, black | reply, bit) == key for bit in after):
                        return key_of(more, black, board)
        return None

    def _key(self, entry: int, boards: int) -> Key:
        c = self._certificate
        return int(c.high[entry]), int(c.low[entry]), boards & -boards

    def _board(self, entry: int, boards: int) -> SingleBoard:
        return board_of(self._key(entry, boards & arrangements.ALL or 1))

    def _resume(self) -> None:
        if self._state is None or not self._state.exists():
            return
        try:
            with np.load(self._state) as kept:
                checksum, done, reached = (kept[name] for name in ("checksum", "done", "reached"))
        except (OSError, ValueError, KeyError, EOFError) as error:
            raise CertificateError(
                f"cannot read '{self._state}' as the state of a check"
            ) from error
        if str(checksum) != self._checksum or len(done) != len(self._done):
            raise CertificateError(f"'{self._state}' is the state of another certificate's check")
        self._done |= done
        self._reached |= reached

    def _save(self) -> None:
        if self._state is None or not self.whole:
            return
        reached = self._reached.copy()
        for more in self._mine:
            reached |= more
        with replacing(self._state) as partial, partial.open("wb") as file:
            np.savez_compressed(
                file, checksum=self._checksum, done=self._done, reached=reached.astype(np.uint32)
            )


def _played(board: SingleBoard, keys: Sequence[Key]) -> tuple[tuple[str, ...] | None, SingleBoard]:
    """The moves from `board` by boards with these keys, and the last board.

    No moves where there are none, which malformed entries can make it seem.
    """
    line = []
    for key in keys:
        move = next((move for move in board.moves() if move[1].key == key), None)
        if move is None:
            return None, board
        line.append(move[0])
        board = move[1]
    return tuple(line), board


def _bits(mask: int) -> list[int]:
    return [1 << bit for bit in range(mask.bit_length()) if mask >> bit & 1]


def _all_or_some(entries: int, sample: int | None, seed: int) -> Indices:
    if sample is None:
        return np.arange(entries)
    chosen = np.random.default_rng(seed).choice(entries, size=sample, replace=False)
    return np.sort(chosen).astype(np.int64)


def _stones(certificate: Certificate) -> Indices:
    """The number of stones of each entry."""
    both = np.stack((certificate.high, certificate.low)).view(np.uint8)
    counts: Indices = _BYTE[both].reshape(2, -1, 8).sum(axis=(0, 2))
    return counts


def _stones_of(key: Key) -> int:
    return key[0].bit_count() + key[1].bit_count()


def _levels(stones: Indices) -> Indices:
    """The number of the first entry with at least 0, 1, 2, … stones."""
    levels = np.arange(arrangements.LEVELS)
    return np.searchsorted(np.sort(stones), levels).astype(np.int64)


def _records(certificate: Certificate) -> tuple[NDArray[Any], NDArray[Any]]:
    """The entries and the moves, each as a record, as the kernels take them."""
    entries = np.empty(certificate.entries, dtype=arrangements.ENTRY)
    for name in ("high", "low", "boards"):
        entries[name] = getattr(certificate, name)
    entries["first"], entries["last"] = certificate.first[:-1], certificate.first[1:]
    moves = np.empty(certificate.moves, dtype=arrangements.MOVE)
    moves["stone"], moves["swapped"] = certificate.stone, certificate.swapped
    return entries, moves
