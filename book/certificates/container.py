"""What the files of all kinds of certificates share: a header, and columns of numbers.

The header is one line, a JSON object. The rest is one LZMA (.xz) stream of columns, each written
byte plane by byte plane, the least significant first. The header's ``checksum`` is BLAKE2b with
32 bytes over the other fields, as Python's json writes them with sorted keys, a line feed, and the
decompressed columns.
"""

import json
import lzma
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from book.certificates.kinds import FORMAT, LONGEST_HEADER
from book.replacing import replacing

Header = dict[str, Any]
Numbers = NDArray[np.int64]


class CertificateError(ValueError):
    """The file cannot be read, or is no certificate."""


def write_file(path: Path, header: Header, columns: bytes) -> int:
    """Write a file whole or not at all; returns the number of bytes.

    Format and checksum are added to the header.
    """
    header = {"format": FORMAT, **header}
    header = {**header, "checksum": _checksum(header, columns)}
    data = json.dumps(header).encode() + b"\n" + lzma.compress(columns, preset=9)
    with replacing(path) as partial:
        partial.write_bytes(data)
    return len(data)


def read_header(path: Path) -> Header:
    """The header of the file at `path`, of whatever kind it is.

    Raises:
        CertificateError: if the file cannot be read or is no certificate.
    """
    try:
        with path.open("rb") as file:
            return _header(path, file.readline(LONGEST_HEADER))
    except OSError as error:
        raise CertificateError(f"cannot read '{path}': {error.strerror}") from error


def read_file(path: Path, size: Callable[[Header], int]) -> tuple[Header, bytes]:
    """The header and the columns of the file at `path`.

    `size` tells from the header how many bytes the columns have, and refuses a header that is not
    of its kind.

    Raises:
        CertificateError: if the file cannot be read, is no certificate, or is damaged.
    """
    try:
        with path.open("rb") as file:
            header = _header(path, file.readline(LONGEST_HEADER))
            columns = _decompressed(path, file.read(), size(header))
    except OSError as error:
        raise CertificateError(f"cannot read '{path}': {error.strerror}") from error
    if _checksum(header, columns) != header.get("checksum"):
        raise CertificateError(f"'{path}' is damaged: its checksum is another")
    return header, columns


def is_whole(number: object, most: int) -> bool:
    """Whether a field of a header is a whole number from 0 to `most`."""
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number <= most


def planes(numbers: NDArray[Any], width: int) -> bytes:
    """The lowest `width` bytes of each number, plane by plane."""
    wide = np.ascontiguousarray(numbers, dtype="<i8").view(np.uint8).reshape(-1, 8)
    return wide[:, :width].T.tobytes()


class Columns:
    """Takes the columns off their bytes, one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def next(self, count: int, width: int) -> Numbers:
        """The next `count` numbers, of `width` bytes each."""
        taken = np.frombuffer(self._data, np.uint8, count * width, self._at)
        self._at += count * width
        wide = np.zeros((count, 8), dtype=np.uint8)
        wide[:, :width] = taken.reshape(width, count).T
        return wide.view("<i8").reshape(count).astype(np.int64)


def _header(path: Path, line: bytes) -> Header:
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise CertificateError(f"'{path}' is no certificate of fivebook")
    return header


def _checksum(header: Header, columns: bytes) -> str:
    told = {name: value for name, value in header.items() if name != "checksum"}
    digest = blake2b(json.dumps(told, sort_keys=True).encode() + b"\n", digest_size=32)
    digest.update(columns)
    return digest.hexdigest()


def _decompressed(path: Path, data: bytes, size: int) -> bytes:
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ)
    try:
        columns = decompressor.decompress(data, max_length=size + 1)
    except lzma.LZMAError as error:
        raise CertificateError(f"'{path}' is damaged: it cannot be decompressed") from error
    if len(columns) != size or not decompressor.eof or decompressor.unused_data:
        raise CertificateError(f"'{path}' is damaged: it is shorter or longer than it says")
    return columns
