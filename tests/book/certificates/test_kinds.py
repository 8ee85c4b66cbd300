"""Which game a certificate is about, by its header."""

import json
from pathlib import Path

import pytest

from book.certificates.kinds import game_of
from book.certificates.pentago_swap.file import write
from tests.book.certificates.pentago_swap.samples import certificate


def test_the_header_names_the_game(tmp_path: Path) -> None:
    path = tmp_path / "right.cert"
    write(certificate(7, 1, 3), path)
    assert game_of(path) == "pentago-swap"


def test_a_long_header_is_read_whole(tmp_path: Path) -> None:
    header = {"format": "fivebook certificate", "dark": list(range(676)), "game": "gomoku-26"}
    path = tmp_path / "long.cert"
    path.write_bytes(json.dumps(header).encode() + b"\n\xfd7zXZ")
    assert game_of(path) == "gomoku-26"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no certificate\n",
        b"\xff\xfe\n",
        b"[]\n",
        b"[" * 90_000,
        b'{"game": "pentago-swap"}\n',
        b'{"format": "another", "game": "pentago-swap"}\n',
        b'{"format": "fivebook certificate"}\n',
        b'{"format": "fivebook certificate", "game": 1}\n',
        b'{"format": "fivebook certificate", "game": "pen',
    ],
)
def test_any_other_file_is_about_no_game(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    assert game_of(path) is None


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        game_of(tmp_path / "none.cert")
