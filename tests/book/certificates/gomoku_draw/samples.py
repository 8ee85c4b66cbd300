"""Certificates of draws that come with fivebook, whole and as parts to change."""

from functools import cache
from pathlib import Path

from book.certificates.gomoku_draw.file import Certificate, read
from tests.checkout import ROOT

SIZES = (5, 6, 7)


def path_of(size: int) -> Path:
    """Where the certificate for this size is."""
    return ROOT / "data" / f"gomoku-{size}-draw.cert"


@cache
def shipped(size: int) -> Certificate:
    """The certificate for this size."""
    return read(path_of(size))
