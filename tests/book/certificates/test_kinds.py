"""Which game a certificate is about, by its header."""

import json
from pathlib import Path

import pytest

from book.certificates.kinds import kind_of
from book.certificates.pentago_swap.file import write
from tests.book.certificates.pentago_swap.samples import certificate


def test_the_header_names_the_game(tmp_path: Path) -> None:
    path = tmp_path / "right.cert"
    write(certificate(7, 1, 3), path)
    assert kind_of(path) == ("pentago-swap", "win")


def test_a_long_header_is_read_whole(tmp_path: Path) -> None:
    header = {"format": "fivebook certificate", "dark": list(range(676)), "game": "gomoku-26"}
    path = tmp_path / "long.cert"
    path.write_bytes(json.dumps(header).encode() + b"\n\xfd7zXZ")
    assert kind_of(path) == ("gomoku-26", "win")


def test_the_header_names_a_result_other_than_a_win(tmp_path: Path) -> None:
    path = tmp_path / "draw.cert"
    path.write_bytes(b'{"format": "fivebook certificate", "game": "gomoku-7", "result": "draw"}\n')
    assert kind_of(path) == ("gomoku-7", "draw")


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
        b'{"format": "fivebook certificate", "game": "gomoku-7", "result": 1}\n',
        b'{"format": "fivebook certificate", "game": "pen',
    ],
)
def test_any_other_file_is_about_no_game(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    assert kind_of(path) is None


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        kind_of(tmp_path / "none.cert")
