"""A slow reader and checker of certificates of a draw in Gomoku, after docs/proofs.md alone."""

import json
import lzma
from hashlib import blake2b
from itertools import product
from pathlib import Path
from typing import NamedTuple

Cells = frozenset[int]


class SlowAnswer(NamedTuple):
    """A stone, the entry that it leads to, and the symmetry that takes that entry here."""

    cell: int
    entry: int
    symmetry: int


class SlowEntry(NamedTuple):
    """The breaker's stones with his pairs or answers."""

    stones: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
    answers: tuple[SlowAnswer, ...]


def read(path: Path) -> tuple[int, list[SlowEntry]]:
    """The size of the board and the entries of the certificate at `path`."""
    line, _, rest = path.read_bytes().partition(b"\n")
    header = json.loads(line)
    columns = lzma.decompress(rest)
    checksum = header.pop("checksum")
    told = json.dumps(header, sort_keys=True).encode() + b"\n" + columns
    assert blake2b(told, digest_size=32).hexdigest() == checksum
    size = int(header["game"].removeprefix("gomoku-"))
    wide = 1 if size <= 16 else 2
    at = 0

    def column(count: int, width: int) -> list[int]:
        nonlocal at
        numbers = [
            sum(columns[at + plane * count + n] << 8 * plane for plane in range(width))
            for n in range(count)
        ]
        at += count * width
        return numbers

    lengths = list(zip(*(column(header["entries"], 2) for _ in range(3)), strict=True))
    stones = column(header["stones"], wide)
    pairs = list(zip(*(column(header["pairs"], wide) for _ in range(2)), strict=True))
    answers = list(map(SlowAnswer, *(column(header["answers"], width) for width in (wide, 4, 1))))
    assert at == len(columns)
    entries = []
    for has_stones, has_pairs, has_answers in lengths:
        entries.append(
            SlowEntry(
                tuple(stones[:has_stones]), tuple(pairs[:has_pairs]), tuple(answers[:has_answers])
            )
        )
        del stones[:has_stones], pairs[:has_pairs], answers[:has_answers]
    assert not stones + pairs + answers
    return size, entries


def image(size: int, cell: int, symmetry: int) -> int:
    """Where a symmetry takes a cell."""
    row, column = divmod(cell, size)
    if symmetry & 1:
        row, column = column, row
    if symmetry & 2:
        column = size - 1 - column
    if symmetry & 4:
        row = size - 1 - row
    return row * size + column


def windows(size: int) -> list[Cells]:
    """All rows of five cells."""
    board = set(product(range(size), repeat=2))
    rows = [
        [(row + n * up, column + n * across) for n in range(5)]
        for row, column in board
        for up, across in ((0, 1), (1, 0), (1, 1), (1, -1))
    ]
    return [frozenset(r * size + c for r, c in row) for row in rows if board.issuperset(row)]


def needs(size: int, entries: list[SlowEntry]) -> list[Cells]:
    """What each entry needs; fails an assertion where one does not hold the board."""
    found: list[Cells] = []
    rows = windows(size)
    for number, (stones, pairs, answers) in enumerate(entries):
        board, taken = set(range(size * size)), set(stones)
        assert taken <= board
        assert len(taken) == len(stones)
        if not answers:
            ends = [cell for pair in pairs for cell in pair]
            assert set(ends) <= board - taken
            assert len(set(ends)) == len(ends)
            for window in rows:
                assert window & taken or any(window.issuperset(pair) for pair in pairs)
            found.append(frozenset(ends))
            continue
        assert not pairs
        zones = []
        for cell, child, symmetry in answers:
            assert child < number
            assert symmetry < 8
            assert cell in board - taken
            assert {image(size, s, symmetry) for s in entries[child].stones} <= taken | {cell}
            zone = {image(size, c, symmetry) for c in found[child]} - taken | {cell}
            zones.append(frozenset(zone))
        for move in board - taken:
            assert any(move not in zone for zone in zones)
        found.append(frozenset().union(*zones))
    assert not entries[-1].stones
    return found


class SlowBreaker:
    """Plays by a certificate, whatever the maker does; `needed` is what its entries need.

    It is told his last move alone, and asked for an answer, in which a cell that the breaker has
    already, or that nobody needs, is None: any free cell will do.
    """

    def __init__(self, size: int, entries: list[SlowEntry], needed: list[Cells]) -> None:
        self._size, self._entries, self._needs = size, entries, needed
        self._at = len(entries) - 1
        self._symmetries: list[int] = []

    def answer(self, move: int) -> int | None:
        """The breaker's cell against the maker's last move, in the board's orientation."""
        entry = self._entries[self._at]
        if not entry.answers:
            for pair in entry.pairs:
                first, second = map(self._to_board, pair)
                if move in (first, second):
                    return second if move == first else first
            return None
        for cell, child, symmetry in entry.answers:
            zone = {image(self._size, c, symmetry) for c in self._needs[child]} | {cell}
            if move not in map(self._to_board, zone):
                answered = self._to_board(cell)
                self._at = child
                self._symmetries.append(symmetry)
                return answered
        raise AssertionError("no answer is good")

    def _to_board(self, cell: int) -> int:
        for symmetry in reversed(self._symmetries):
            cell = image(self._size, cell, symmetry)
        return cell
