"""Reads a certificate of Gomoku as docs/proofs.md describes the file."""

import json
import lzma
import re
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class SlowEntry:
    """An entry as it stands in the file; `replies` are those it names, in the file's order."""

    winner: tuple[int, ...]
    opponent: tuple[int, ...]
    lists: list[list[int]]
    replies: list[int]
    # By reply: the number of a list, or the winner's move.
    by_list: dict[int, int]
    by_move: dict[int, int]


@dataclass(frozen=True)
class SlowCertificate:
    header: dict[str, Any]
    size: int
    exact: bool
    entries: list[SlowEntry]


class _Columns:
    """The numbers of the file's columns, taken one column after the other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, count: int, width: int) -> list[int]:
        planes = []
        for _ in range(width):
            planes.append(self._data[self._at : self._at + count])
            self._at += count
        return [int.from_bytes(number, "little") for number in zip(*planes, strict=True)]

    @property
    def at_end(self) -> bool:
        return self._at == len(self._data)


def read(path: Path) -> SlowCertificate:
    """The certificate at `path`; ValueError if its bytes are not what the document says."""
    line, _, rest = path.read_bytes().partition(b"\n")
    header = json.loads(line)
    columns = lzma.decompress(rest)
    told = {key: value for key, value in header.items() if key != "checksum"}
    signed = json.dumps(told, sort_keys=True).encode() + b"\n" + columns
    if blake2b(signed, digest_size=32).hexdigest() != header["checksum"]:
        raise ValueError("another checksum")
    match = re.fullmatch(r"gomoku-(\d+)(-standard)?", header["game"])
    if match is None or header["format"] != "fivebook certificate" or header["version"] != 1:
        raise ValueError("another format, version or game")
    size = int(match[1])
    entries = _entries(header, _Columns(columns), 1 if size <= 16 else 2)
    return SlowCertificate(header, size, match[2] is not None, entries)


def _entries(header: dict[str, Any], columns: _Columns, wide: int) -> list[SlowEntry]:
    count = header["entries"]
    numbers, of_winner = columns.take(count, 2), columns.take(count, 2)
    stones = iter(columns.take(header["stones"], wide))
    list_counts = columns.take(count, 2)
    lengths = iter(columns.take(header["lists"], 2))
    cells = iter(columns.take(header["cells"], wide))
    named = columns.take(count, 2)
    replies = iter(columns.take(header["replies"], wide))
    answers = iter(columns.take(header["replies"], 2))
    moves = iter(columns.take(header["moves"], wide))
    if not columns.at_end:
        raise ValueError("another length")
    entries = []
    for number in range(count):
        winner = tuple(next(stones) for _ in range(of_winner[number]))
        opponent = tuple(next(stones) for _ in range(numbers[number] - of_winner[number]))
        lists = [[next(cells) for _ in range(next(lengths))] for _ in range(list_counts[number])]
        entry = SlowEntry(winner, opponent, lists, [], {}, {})
        for _ in range(named[number]):
            reply, answer = next(replies), next(answers)
            entry.replies.append(reply)
            if answer:
                entry.by_list[reply] = answer
            else:
                entry.by_move[reply] = next(moves)
        entries.append(entry)
    if any(next(left, None) is not None for left in (stones, lengths, cells, replies, moves)):
        raise ValueError("its numbers do not add up")
    return entries
