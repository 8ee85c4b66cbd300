"""The file of a certificate: what it says, and how it is written down.

docs/proofs.md describes it byte by byte.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np

from book.certificates.container import (
    CertificateError,
    Columns,
    Header,
    is_whole,
    planes,
    read_file,
    read_header,
    write_file,
)
from book.certificates.gomoku.board import Cell, Rules, Stones, rules_of
from book.certificates.kinds import DRAW

__all__ = [
    "Answer",
    "Certificate",
    "CertificateError",
    "Entry",
    "checksum_of",
    "read",
    "write",
]

VERSION = 1
_MOST = 1 << 32
_T = TypeVar("_T")
_COUNTS = ("entries", "stones", "pairs", "answers")


@dataclass(frozen=True, slots=True)
class Answer:
    """A stone of the breaker's, after which he goes on by another entry.

    `symmetry` takes the cells of that entry to those of this one.
    """

    cell: Cell
    entry: int
    symmetry: int


@dataclass(frozen=True, slots=True)
class Entry:
    """The breaker's stones, the maker to move, and how the breaker holds the board.

    Without answers it is a leaf: he answers in the pairs.
    """

    stones: Stones
    pairs: tuple[tuple[Cell, Cell], ...] = ()
    answers: tuple[Answer, ...] = ()


@dataclass(frozen=True, slots=True)
class Certificate:
    """The breaker's strategy on an empty board, whose entry is the last one."""

    rules: Rules
    entries: tuple[Entry, ...]


def write(certificate: Certificate, path: Path) -> int:
    """Write `certificate` to `path`, whole or not at all; returns the number of bytes."""
    entries, wide = certificate.entries, _width(certificate.rules)
    stones = [cell for entry in entries for cell in entry.stones]
    pairs = [pair for entry in entries for pair in entry.pairs]
    answers = [answer for entry in entries for answer in entry.answers]
    columns = (
        (_lengths(entry.stones for entry in entries), 2),
        (_lengths(entry.pairs for entry in entries), 2),
        (_lengths(entry.answers for entry in entries), 2),
        (stones, wide),
        ([pair[0] for pair in pairs], wide),
        ([pair[1] for pair in pairs], wide),
        ([answer.cell for answer in answers], wide),
        ([answer.entry for answer in answers], 4),
        ([answer.symmetry for answer in answers], 1),
    )
    header = {
        "version": VERSION,
        "game": certificate.rules.game,
        "result": DRAW,
        "entries": len(entries),
        "stones": len(stones),
        "pairs": len(pairs),
        "answers": len(answers),
    }
    data = b"".join(planes(np.array(numbers, np.int64), width) for numbers, width in columns)
    return write_file(path, header, data)


def read(path: Path) -> Certificate:
    """The certificate at `path`. What it claims is not looked at.

    Raises:
        CertificateError: if the file cannot be read, is no certificate, or is damaged.
    """
    header, columns = read_file(path, lambda header: _size(header, _rules(path, header)))
    rules = _rules(path, header)
    wide = _width(rules)
    reader = Columns(columns)
    lengths = [reader.next(header["entries"], 2).tolist() for _ in range(3)]
    stones = iter(reader.next(header["stones"], wide).tolist())
    ends = [reader.next(header["pairs"], wide).tolist() for _ in range(2)]
    pairs = zip(*ends, strict=True)
    cells = reader.next(header["answers"], wide).tolist()
    numbers = reader.next(header["answers"], 4).tolist()
    symmetries = reader.next(header["answers"], 1).tolist()
    answers = map(Answer, cells, numbers, symmetries)
    if [sum(counts) for counts in lengths] != [header[name] for name in _COUNTS[1:]]:
        raise CertificateError(f"'{path}' is damaged: its numbers do not add up")
    return Certificate(
        rules,
        tuple(
            Entry(_next(stones, has_stones), _next(pairs, has_pairs), _next(answers, has_answers))
            for has_stones, has_pairs, has_answers in zip(*lengths, strict=True)
        ),
    )


def checksum_of(path: Path) -> str:
    """The checksum that the header at `path` states; it names the content.

    Raises:
        CertificateError: as `read`.
    """
    header = read_header(path)
    _rules(path, header)
    checksum: str = header["checksum"]
    return checksum


def _lengths(columns: Iterable[tuple[object, ...]]) -> list[int]:
    return [len(column) for column in columns]


def _next(items: Iterator[_T], number: int) -> tuple[_T, ...]:
    return tuple(islice(items, number))


def _width(rules: Rules) -> int:
    """The bytes of a cell."""
    return 1 if rules.cells <= 256 else 2


def _rules(path: Path, header: Header) -> Rules:
    """The rules of a certificate, whose header is looked through."""
    rules = rules_of(str(header.get("game")))
    if header.get("version") != VERSION or rules is None or rules.exact:
        raise CertificateError(
            f"'{path}' is a certificate of version {header.get('version')} of a draw in the game "
            f"{header.get('game')}; this checker reads version {VERSION} for gomoku-5 to gomoku-26"
        )
    if (
        header.get("result") != DRAW
        or not all(is_whole(header.get(name), _MOST) for name in _COUNTS)
        or not isinstance(header.get("checksum"), str)
    ):
        raise CertificateError(f"'{path}' is damaged: its header is incomplete")
    return rules


def _size(header: Header, rules: Rules) -> int:
    wide = _width(rules)
    size: int = (
        6 * header["entries"]
        + wide * (header["stones"] + 2 * header["pairs"])
        + (wide + 5) * header["answers"]
    )
    return size
