"""The parts of a proof that are done, in a file: a proof that was cut off goes on with them.

The first line names the game, each other one is JSON: the choice of the winner's second stone
after a line of the opening, or a part. Lines are only ever added; one that was cut off is dropped.
"""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from book.certificates.gomoku.board import Board
from book.certificates.gomoku.file import Entry
from book.closing import Closing
from engine.errors import FivebookError
from engine.position import Move
from precompute.certificates.gomoku.opening import Line
from precompute.certificates.gomoku.part import Part

_FORMAT = "fivebook proof by parts"


class PartFileError(FivebookError):
    """The file cannot be used."""


class PartFile(Closing):
    """Choices and parts of one game's proof; of each part the last state, without its entries.

    Raises:
        PartFileError: if the file cannot be read or written, or is of something else.
    """

    def __init__(self, path: Path, game_id: str) -> None:
        self.path = path
        self.choices: dict[Line, list[Move]] = {}
        self.parts: dict[Line, Part] = {}
        self._where: dict[Line, int] = {}
        head = json.dumps({"format": _FORMAT, "game": game_id})
        try:
            self._file = path.open("a+b")
        except OSError as error:
            raise PartFileError(f"cannot keep a proof in '{path}': {error.strerror}") from error
        with ExitStack() as unless_read:
            unless_read.callback(self.close)
            self._file.seek(0)
            self._read(head.encode())
            unless_read.pop_all()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def choose(self, line: Line, move: Move) -> None:
        """Keep the choice of the winner's second stone after `line`."""
        self._note_choice(line, move)
        self._write({"line": line, "choice": move})

    @property
    def chosen(self) -> dict[Line, Move]:
        """The last of the `choices` after each line."""
        return {line: moves[-1] for line, moves in self.choices.items()}

    def keep(self, part: Part) -> None:
        """Keep a part, or that it has not been proved."""
        row: dict[str, Any] = {"line": part.line, "limit": part.limit, "nodes": part.nodes}
        if part.won:
            row |= {"move": part.move, "entries": [_numbers(entry) for entry in part.entries]}
        at = self._write(row)
        self._note(part, at)

    def entries(self, lines: Iterable[Line]) -> Iterator[tuple[Entry, ...]]:
        """The entries of the parts at these lines."""
        for line in lines:
            self._file.seek(self._where[line])
            yield tuple(map(_entry, json.loads(self._file.readline())["entries"]))

    def _read(self, head: bytes) -> None:
        first = self._file.readline()
        if first and first != head + b"\n":
            raise PartFileError(
                f"'{self.path}' is no proof by parts of this game: delete or rename it"
            )
        end = len(first)
        if not first:
            end = self._append(head)
        for row in self._file:
            if not row.endswith(b"\n"):
                break
            try:
                self._learn(json.loads(row), end)
            except (ValueError, KeyError, TypeError) as error:
                raise PartFileError(f"'{self.path}' is damaged at byte {end:,}") from error
            end += len(row)
        self._file.truncate(end)

    def _learn(self, row: dict[str, Any], at: int) -> None:
        line = tuple(row["line"])
        if "choice" in row:
            self._note_choice(line, row["choice"])
        else:
            self._note(Part(line, row["limit"], row["nodes"], row.get("move")), at)

    def _note_choice(self, line: Line, move: Move) -> None:
        self.choices.setdefault(line, []).append(move)

    def _note(self, part: Part, at: int) -> None:
        self.parts[part.line] = Part(part.line, part.limit, part.nodes, part.move)
        self._where[part.line] = at

    def _write(self, row: dict[str, Any]) -> int:
        """Add a line; returns where it begins."""
        text = json.dumps(row, separators=(",", ":")).encode()
        return self._append(text) - len(text) - 1

    def _append(self, text: bytes) -> int:
        """Add a line; returns where it ends."""
        self._file.seek(0, os.SEEK_END)
        self._file.write(text + b"\n")
        self._file.flush()
        return self._file.tell()


def _numbers(entry: Entry) -> list[Sequence[Any]]:
    return [
        entry.board.winner,
        entry.board.opponent,
        entry.lists,
        list(entry.by_list.items()),
        list(entry.moves.items()),
    ]


def _entry(numbers: list[Any]) -> Entry:
    winner, opponent, lists, by_list, moves = numbers
    return Entry(
        Board(tuple(winner), tuple(opponent)),
        tuple(map(tuple, lists)),
        dict(by_list),
        dict(moves),
    )
