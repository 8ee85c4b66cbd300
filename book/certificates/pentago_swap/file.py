"""The file of a certificate: what it says, and how it is written down.

The first line is a JSON object, the header; what follows is one LZMA (.xz) stream of columns:

    high, low     the supernode of each entry, two keys (see `kernels.canonical`), int64
    boards        mask of the arrangements of the supernode that the entry is about, uint32
    moves         number of moves of the entry, 0 for a leaf, uint8
    stone         the free cell, 9 * content + cell, of each move of all entries in turn, uint8
    swapped       mask of the arrangements after White's swap that each move relies on, uint32

Entries are sorted by their number of stones and keys. Each column is written byte plane
by byte plane, the least significant first, all numbers little-endian; the keys are written as
differences from the entry before, modulo 2**64. The header's ``checksum`` is BLAKE2b with 32
bytes over the rest of the header, as Python's json writes it with sorted keys, a line feed, and the
decompressed columns.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

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

__all__ = ["Certificate", "CertificateError", "checksum_of", "read", "write"]

VERSION = 2
GAME = "pentago-swap"
_MOST_ENTRIES = 1 << 28

Keys = NDArray[np.int64]
Masks = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Certificate:
    """White's strategy from the start position, which has White, the first player, to move.

    `start` is (white stones, black stones) with contents in the order of the places, `distance`
    the plies within which White is said to win; an entry with more stones than the start has so
    many plies fewer. What the search is to win within `short` plies has no entry, and a leaf at
    most `leaf` plies left. The moves of entry ``i`` are ``first[i]:first[i + 1]`` of `stone` and
    `swapped`.
    """

    start: tuple[int, int]
    distance: int
    short: int
    leaf: int
    high: Keys
    low: Keys
    boards: Masks
    first: NDArray[np.int64]
    stone: NDArray[np.int64]
    swapped: Masks

    @property
    def entries(self) -> int:
        """How many there are, leaves included."""
        return len(self.high)

    @property
    def leaves(self) -> int:
        """How many entries have no move."""
        return int((np.diff(self.first) == 0).sum())

    @property
    def moves(self) -> int:
        """How many there are in all entries."""
        return len(self.stone)


def write(certificate: Certificate, path: Path) -> int:
    """Write `certificate` to `path`, whole or not at all; returns the number of bytes."""
    columns = b"".join(
        (
            planes(np.diff(certificate.high, prepend=0), 8),
            planes(np.diff(certificate.low, prepend=0), 8),
            planes(certificate.boards, 4),
            planes(np.diff(certificate.first), 1),
            planes(certificate.stone, 1),
            planes(certificate.swapped, 4),
        )
    )
    header = {
        "version": VERSION,
        "game": GAME,
        "start": list(certificate.start),
        "distance": certificate.distance,
        "short": certificate.short,
        "leaf": certificate.leaf,
        "entries": certificate.entries,
        "moves": certificate.moves,
    }
    return write_file(path, header, columns)


def read(path: Path) -> Certificate:
    """The certificate at `path`. What it claims is not looked at.

    Raises:
        CertificateError: if the file cannot be read, is no certificate, or is damaged.
    """
    header, columns = read_file(path, lambda header: _size(path, header))
    entries, moves = header["entries"], header["moves"]
    reader = Columns(columns)
    high = np.cumsum(reader.next(entries, 8), dtype=np.int64)
    low = np.cumsum(reader.next(entries, 8), dtype=np.int64)
    boards = reader.next(entries, 4)
    first = np.concatenate(([0], np.cumsum(reader.next(entries, 1))))
    if first[-1] != moves:
        raise CertificateError(f"'{path}' is damaged: the numbers of moves do not add up")
    white, black = header["start"]
    return Certificate(
        start=(white, black),
        distance=header["distance"],
        short=header["short"],
        leaf=header["leaf"],
        high=high,
        low=low,
        boards=boards,
        first=first,
        stone=reader.next(moves, 1),
        swapped=reader.next(moves, 4),
    )


def checksum_of(path: Path) -> str:
    """The checksum that the header at `path` states; it names the content.

    Raises:
        CertificateError: as `read`.
    """
    header = read_header(path)
    _size(path, header)
    checksum: str = header["checksum"]
    return checksum


def _size(path: Path, header: Header) -> int:
    """The bytes of the columns of a certificate, whose header is looked through."""
    if header.get("version") != VERSION or header.get("game") != GAME:
        raise CertificateError(
            f"'{path}' is a certificate of version {header.get('version')} for the game "
            f"{header.get('game')}; this checker reads version {VERSION} for {GAME}"
        )
    limits = {"distance": 36, "short": 36, "leaf": 36, "entries": _MOST_ENTRIES}
    limits["moves"] = 24 * _MOST_ENTRIES
    start = header.get("start")
    if (
        not all(is_whole(header.get(name), most) for name, most in limits.items())
        or not isinstance(start, list)
        or len(start) != 2
        or not all(is_whole(stones, (1 << 36) - 1) for stones in start)
        or not isinstance(header.get("checksum"), str)
    ):
        raise CertificateError(f"'{path}' is damaged: its header is incomplete")
    size: int = 21 * header["entries"] + 5 * header["moves"]
    return size
