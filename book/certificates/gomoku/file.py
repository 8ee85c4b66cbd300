"""The file of a certificate: what it says, and how it is written down.

docs/proofs.md describes it byte by byte: a line of JSON, the header, and one LZMA
(.xz) stream of columns, each written byte plane by byte plane, the least significant first.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
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
from book.certificates.gomoku.board import Board, Cell, Rules, Stones, rules_of

__all__ = [
    "Certificate",
    "CertificateError",
    "Entry",
    "Start",
    "certificate_of",
    "checksum_of",
    "read",
    "write",
]

VERSION = 1
_MOST = 1 << 32
_COUNTS = ("entries", "stones", "lists", "cells", "replies", "moves")
_BY_MOVE = 0

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Start:
    """Where the winner is said to win from, and his move there if it is his turn.

    Dark has moved first, so that the number of stones tells whose turn it is.
    """

    dark: Stones = ()
    light: Stones = ()
    winner_is_dark: bool = True
    move: Cell | None = None

    @property
    def board(self) -> Board:
        """The start as a board of the winner and the opponent."""
        dark, light = tuple(sorted(self.dark)), tuple(sorted(self.light))
        return Board(dark, light) if self.winner_is_dark else Board(light, dark)

    @property
    def opponents_board(self) -> Board:
        """The board on which the opponent is to move first."""
        return self.board if self.move is None else self.board.with_winner(self.move)

    @property
    def winner_to_move(self) -> bool:
        """Whether it is the winner's turn."""
        return (len(self.dark) == len(self.light)) == self.winner_is_dark


@dataclass(frozen=True, slots=True)
class Entry:
    """A position with the opponent to move, and what the winner has against each reply.

    The replies in `moves` are answered by the move there, which leads to another entry; those in
    `by_list` by the list with that number, 1 or more; all others by list 0, which is empty where
    there are no lists.
    """

    board: Board
    lists: tuple[Stones, ...] = ()
    by_list: Mapping[Cell, int] = field(default_factory=dict)
    moves: Mapping[Cell, Cell] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Certificate:
    """The strategy of the winner.

    Each array has its elements entry by entry; `stones` are an entry's stones of the winner, then
    of the opponent. The arrays with `first` in their names say where the elements of each entry,
    or of each list, begin.
    """

    rules: Rules
    start: Start
    effort: int
    first_stone: Numbers
    winner_stones: Numbers
    stones: Numbers
    first_list: Numbers
    first_cell: Numbers
    cells: NDArray[np.int16]
    first_reply: Numbers
    replies: Numbers
    answers: Numbers
    first_move: Numbers
    moves: Numbers

    @property
    def entries(self) -> int:
        """How many there are."""
        return len(self.winner_stones)

    @property
    def lists(self) -> int:
        """How many there are in all entries."""
        return len(self.first_cell) - 1

    def board(self, number: int) -> Board:
        """The board of an entry."""
        start, stop = self.first_stone[number], self.first_stone[number + 1]
        middle = start + self.winner_stones[number]
        return Board(
            tuple(self.stones[start:middle].tolist()), tuple(self.stones[middle:stop].tolist())
        )

    def entry(self, number: int) -> Entry:
        """An entry as an object."""
        lists = range(self.first_list[number], self.first_list[number + 1])
        named = slice(self.first_reply[number], self.first_reply[number + 1])
        moves = self.moves[self.first_move[number] : self.first_move[number + 1]].tolist()
        by_list: dict[Cell, int] = {}
        by_move: dict[Cell, Cell] = {}
        for reply, answer in zip(
            self.replies[named].tolist(), self.answers[named].tolist(), strict=True
        ):
            if answer == _BY_MOVE:
                by_move[reply] = moves[len(by_move)]
            else:
                by_list[reply] = answer
        return Entry(
            self.board(number),
            tuple(
                tuple(self.cells[self.first_cell[n] : self.first_cell[n + 1]].tolist())
                for n in lists
            ),
            by_list,
            by_move,
        )


def certificate_of(
    rules: Rules, start: Start, effort: int, entries: Iterable[Entry]
) -> Certificate:
    """A certificate with these entries, which are put in order and taken as they are."""
    ordered = sorted(entries, key=lambda entry: (entry.board.stones, entry.board))
    named = [
        [
            (reply, entry.by_list.get(reply, _BY_MOVE))
            for reply in sorted((*entry.by_list, *entry.moves))
        ]
        for entry in ordered
    ]
    lists = [cells for entry in ordered for cells in entry.lists]
    return Certificate(
        rules=rules,
        start=start,
        effort=effort,
        first_stone=_starts([entry.board.stones for entry in ordered]),
        winner_stones=_numbers(len(entry.board.winner) for entry in ordered),
        stones=_numbers(
            cell for entry in ordered for cell in (*entry.board.winner, *entry.board.opponent)
        ),
        first_list=_starts([len(entry.lists) for entry in ordered]),
        first_cell=_starts([len(cells) for cells in lists]),
        cells=_numbers(cell for cells in lists for cell in cells).astype(np.int16),
        first_reply=_starts([len(replies) for replies in named]),
        replies=_numbers(reply for replies in named for reply, _ in replies),
        answers=_numbers(answer for replies in named for _, answer in replies),
        first_move=_starts([len(entry.moves) for entry in ordered]),
        moves=_numbers(entry.moves[reply] for entry in ordered for reply in sorted(entry.moves)),
    )


def write(certificate: Certificate, path: Path) -> int:
    """Write `certificate` to `path`, whole or not at all; returns the number of bytes."""
    c = certificate
    wide = _width(c.rules)
    columns = b"".join(
        (
            planes(np.diff(c.first_stone), 2),
            planes(c.winner_stones, 2),
            planes(c.stones, wide),
            planes(np.diff(c.first_list), 2),
            planes(np.diff(c.first_cell), 2),
            planes(c.cells, wide),
            planes(np.diff(c.first_reply), 2),
            planes(c.replies, wide),
            planes(c.answers, 2),
            planes(c.moves, wide),
        )
    )
    header = {
        "version": VERSION,
        "game": c.rules.game,
        "winner": "dark" if c.start.winner_is_dark else "light",
        "dark": list(c.start.dark),
        "light": list(c.start.light),
        "move": c.start.move,
        "effort": c.effort,
        "entries": c.entries,
        "stones": len(c.stones),
        "lists": c.lists,
        "cells": len(c.cells),
        "replies": len(c.replies),
        "moves": len(c.moves),
    }
    return write_file(path, header, columns)


def read(path: Path) -> Certificate:
    """The certificate at `path`. What it claims is not looked at.

    Raises:
        CertificateError: if the file cannot be read, is no certificate, or is damaged.
    """
    header, columns = read_file(path, lambda header: _size(header, _rules(path, header)))
    rules = _rules(path, header)
    entries, wide = header["entries"], _width(rules)
    reader = Columns(columns)
    first_stone = _starts(reader.next(entries, 2))
    winner_stones = reader.next(entries, 2)
    stones = reader.next(header["stones"], wide)
    first_list = _starts(reader.next(entries, 2))
    first_cell = _starts(reader.next(header["lists"], 2))
    cells = reader.next(header["cells"], wide).astype(np.int16)
    first_reply = _starts(reader.next(entries, 2))
    replies = reader.next(header["replies"], wide)
    answers = reader.next(header["replies"], 2)
    moves = reader.next(header["moves"], wide)
    by_move = np.concatenate(([0], np.cumsum(answers == _BY_MOVE)))
    if (
        first_stone[-1] != len(stones)
        or (winner_stones > np.diff(first_stone)).any()
        or first_list[-1] != len(first_cell) - 1
        or first_cell[-1] != len(cells)
        or first_reply[-1] != len(replies)
        or by_move[-1] != len(moves)
    ):
        raise CertificateError(f"'{path}' is damaged: its numbers do not add up")
    return Certificate(
        rules=rules,
        start=Start(
            tuple(header["dark"]),
            tuple(header["light"]),
            header["winner"] == "dark",
            header["move"],
        ),
        effort=header["effort"],
        first_stone=first_stone,
        winner_stones=winner_stones,
        stones=stones,
        first_list=first_list,
        first_cell=first_cell,
        cells=cells,
        first_reply=first_reply,
        replies=replies,
        answers=answers,
        first_move=by_move[first_reply],
        moves=moves,
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


def _numbers(values: Iterable[int]) -> Numbers:
    return np.fromiter(values, dtype=np.int64)


def _starts(lengths: Iterable[int]) -> Numbers:
    return np.concatenate(([0], np.cumsum(np.asarray(lengths, dtype=np.int64))))


def _width(rules: Rules) -> int:
    """The bytes of a cell."""
    return 1 if rules.cells <= 256 else 2


def _rules(path: Path, header: Header) -> Rules:
    """The rules of a certificate, whose header is looked through."""
    rules = rules_of(str(header.get("game")))
    if header.get("version") != VERSION or rules is None:
        raise CertificateError(
            f"'{path}' is a certificate of version {header.get('version')} for the game "
            f"{header.get('game')}; this checker reads version {VERSION} for Gomoku, freestyle or "
            "standard, on boards of 5 to 26"
        )
    if (
        not all(is_whole(header.get(name), _MOST) for name in (*_COUNTS, "effort"))
        or not all(_cells(header.get(side), rules) for side in ("dark", "light"))
        or not (header.get("move", "") is None or is_whole(header.get("move"), rules.cells - 1))
        or header.get("winner") not in ("dark", "light")
        or not isinstance(header.get("checksum"), str)
    ):
        raise CertificateError(f"'{path}' is damaged: its header is incomplete")
    return rules


def _cells(cells: object, rules: Rules) -> bool:
    return isinstance(cells, list) and all(is_whole(cell, rules.cells - 1) for cell in cells)


def _size(header: Header, rules: Rules) -> int:
    wide = _width(rules)
    size: int = (
        8 * header["entries"]
        + 2 * header["lists"]
        + (2 + wide) * header["replies"]
        + wide * (header["stones"] + header["cells"] + header["moves"])
    )
    return size
