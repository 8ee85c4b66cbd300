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

import json
import lzma
import os
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FORMAT = "fivebook certificate"
VERSION = 2
GAME = "pentago-swap"
_LONGEST_HEADER = 10_000
_MOST_ENTRIES = 1 << 28

Keys = NDArray[np.int64]
Masks = NDArray[np.int64]


class CertificateError(ValueError):
    """The file cannot be read, or is no certificate."""


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
            _planes(np.diff(certificate.high, prepend=0), 8),
            _planes(np.diff(certificate.low, prepend=0), 8),
            _planes(certificate.boards, 4),
            _planes(np.diff(certificate.first), 1),
            _planes(certificate.stone, 1),
            _planes(certificate.swapped, 4),
        )
    )
    header = {
        "format": FORMAT,
        "version": VERSION,
        "game": GAME,
        "start": list(certificate.start),
        "distance": certificate.distance,
        "short": certificate.short,
        "leaf": certificate.leaf,
        "entries": certificate.entries,
        "moves": certificate.moves,
    }
    header["checksum"] = _checksum(header, columns)
    data = json.dumps(header).encode() + b"\n" + lzma.compress(columns, preset=9)
    partial = path.with_name(f"{path.name}.partial")
    with partial.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
    return len(data)


def read(path: Path) -> Certificate:
    """The certificate at `path`. What it claims is not looked at.

    Raises:
        CertificateError: if the file cannot be read, is no certificate, or is damaged.
    """
    try:
        with path.open("rb") as file:
            header = _header(path, file.readline(_LONGEST_HEADER))
            columns = _decompressed(path, file.read(), _size(header))
    except OSError as error:
        raise CertificateError(f"cannot read '{path}': {error.strerror}") from error
    if _checksum(header, columns) != header["checksum"]:
        raise CertificateError(f"'{path}' is damaged: its checksum is another")
    entries, moves = header["entries"], header["moves"]
    reader = _Columns(columns)
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
    try:
        with path.open("rb") as file:
            checksum: str = _header(path, file.readline(_LONGEST_HEADER))["checksum"]
    except OSError as error:
        raise CertificateError(f"cannot read '{path}': {error.strerror}") from error
    return checksum


def _checksum(header: dict[str, Any], columns: bytes) -> str:
    told = {name: value for name, value in header.items() if name != "checksum"}
    digest = blake2b(json.dumps(told, sort_keys=True).encode() + b"\n", digest_size=32)
    digest.update(columns)
    return digest.hexdigest()


def _planes(numbers: NDArray[Any], width: int) -> bytes:
    wide = np.ascontiguousarray(numbers, dtype="<i8").view(np.uint8).reshape(-1, 8)
    return wide[:, :width].T.tobytes()


class _Columns:
    """Takes the columns off their bytes, one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def next(self, count: int, width: int) -> NDArray[np.int64]:
        planes = np.frombuffer(self._data, np.uint8, count * width, self._at)
        self._at += count * width
        wide = np.zeros((count, 8), dtype=np.uint8)
        wide[:, :width] = planes.reshape(width, count).T
        return wide.view("<i8").reshape(count).astype(np.int64)


def _header(path: Path, line: bytes) -> dict[str, Any]:
    try:
        header = json.loads(line)
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise CertificateError(f"'{path}' is no certificate of fivebook")
    if header.get("version") != VERSION or header.get("game") != GAME:
        raise CertificateError(
            f"'{path}' is a certificate of version {header.get('version')} for the game "
            f"{header.get('game')}; this checker reads version {VERSION} for {GAME}"
        )
    limits = {"distance": 36, "short": 36, "leaf": 36, "entries": _MOST_ENTRIES}
    limits["moves"] = 24 * _MOST_ENTRIES
    start = header.get("start")
    if (
        not all(_whole(header.get(name), most) for name, most in limits.items())
        or not isinstance(start, list)
        or len(start) != 2
        or not all(_whole(stones, (1 << 36) - 1) for stones in start)
        or not isinstance(header.get("checksum"), str)
    ):
        raise CertificateError(f"'{path}' is damaged: its header is incomplete")
    return header


def _whole(number: object, most: int) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number <= most


def _size(header: dict[str, Any]) -> int:
    size: int = 21 * header["entries"] + 5 * header["moves"]
    return size


def _decompressed(path: Path, data: bytes, size: int) -> bytes:
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ)
    try:
        columns = decompressor.decompress(data, max_length=size + 1)
    except lzma.LZMAError as error:
        raise CertificateError(f"'{path}' is damaged: it cannot be decompressed") from error
    if len(columns) != size or not decompressor.eof or decompressor.unused_data:
        raise CertificateError(f"'{path}' is damaged: it is shorter or longer than it says")
    return columns
