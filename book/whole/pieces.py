"""A book in pieces that a page fetches as it needs them: files of a size that any host delivers.

A piece is a JSON object: by the packed stones of a position, in hexadecimal digits, its row. What
`row_of` says of a row is what a page relies on. Positions near each other in play lie in the same
piece. An index tells, by two hashes of the stones, which piece a position is in.
"""

import json
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import bindparam, select

from book.entry import BookMove
from book.rows.encoding import BOUND_NUMBERS
from book.rows.known_moves import CHILD
from book.storage.schema import moves
from book.whole.moment import Moment
from book.whole.stored import StoredPosition, stored_positions
from engine.game import Game

MOST_BYTES = 60_000
"""How many bytes a piece has at most, unless a single row has more."""
INDEX_ENTRIES = 1_024
"""How many positions a file of the index is for, more or less."""
PER_FOLDER = 1_000
"""How many pieces lie in one folder."""

INDEX_SEED = 0x2545F491
"""The seed of the hash whose first bits choose a file of the index."""

_ENTRY_SEED = 0x6C8E9CF5
_PROVEN, _IN_BOOK = 4, 8
_FACTOR = 0x9E3779B1
_WORD = 0xFFFFFFFF

_links = (
    select(moves.c.parent, moves.c.child)
    .join(CHILD, CHILD.c.id == moves.c.child)
    .where(CHILD.c.game == bindparam("game"))
    .order_by(moves.c.parent, CHILD.c.value, moves.c.move)
)

_Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pieces:
    """What was written: how many of what, and how many bits of the first hash choose the file of
    the index."""

    positions: int
    pieces: int
    index_bits: int


def write_pieces(book: Moment, game: Game, folder: Path) -> Pieces:
    """Write `folder`/pieces and `folder`/index, of all positions of `game`.

    Raises:
        BookError: if the book cannot be read.
        OSError: if the files cannot be written.
    """
    with TemporaryFile() as spool:
        rows = _Rows.spooled(stored_positions(book, game), game, spool)
        pieces = _together(rows, _children(book, game, rows))
        piece_of = np.zeros(len(rows.sizes), np.int64)
        for number, members in enumerate(pieces):
            piece_of[members] = number
            path = folder / "pieces" / str(number // PER_FOLDER) / f"{number % PER_FOLDER}.json"
            _write(path, b"{" + b",\n".join(rows.text(spool, at) for at in members) + b"}")
    bits = max(0, (len(rows.sizes) - 1) // INDEX_ENTRIES).bit_length()
    for name, content in _index(rows, piece_of, bits):
        _write(folder / "index" / name, content)
    return Pieces(len(rows.sizes), len(pieces), bits)


def hash_of(stones: bytes, seed: int) -> int:
    """A hash of 32 bits of packed stones."""
    number = seed
    for byte in stones:
        number = (number ^ byte) * _FACTOR & _WORD
        number ^= number >> 15
    return number


def row_of(game: Game, stored: StoredPosition) -> list[Any]:
    """A position as a page is told it, in canonical orientation.

    Value, marks (the bound's number, and 4 if it is proven), depth, nodes, moves, the line of the
    rest move, and what a rule forbids; lines and moves in notation. Of each move: name, value,
    marks (8 if the position after it is stored), and depth. Times are left out, so that equal
    books give equal pieces.
    """
    row = stored.row
    marks = row.bound + (_PROVEN if row.proven else 0)
    known = [[game.format_move(m.move), m.value, _marks(m), m.depth] for m in stored.moves]
    rest = next((game.format_line(m.line) for m in stored.moves if not m.in_book), "")
    forbidden = game.forbidden_moves(game.unpack(stored.stones)) if game.forbids_moves else []
    return [row.value, marks, row.depth, row.nodes, known, rest, game.format_line(forbidden)]


def _marks(move: BookMove) -> int:
    proven = _PROVEN if move.proven else 0
    return BOUND_NUMBERS[move.bound] + proven + (_IN_BOOK if move.in_book else 0)


@dataclass(slots=True)
class _Rows:
    """The rows of all positions, whose texts lie in a file one after the other.

    Everything here is by a position's place in that file.
    """

    ids: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    hashes: list[list[int]] = field(default_factory=list)

    @staticmethod
    def spooled(found: Iterable[StoredPosition], game: Game, spool: IO[bytes]) -> "_Rows":
        rows, start = _Rows(), 0
        for stored in found:
            row = json.dumps(row_of(game, stored), separators=(",", ":"))
            text = f'"{stored.stones.hex()}":{row}'.encode()
            spool.write(text)
            rows.ids.append(stored.row.id)
            rows.lengths.append(len(stored.stones))
            rows.sizes.append(len(text))
            rows.starts.append(start)
            seeds = (INDEX_SEED, _ENTRY_SEED)
            rows.hashes.append([hash_of(stored.stones, seed) for seed in seeds])
            start += len(text)
        return rows

    def text(self, spool: IO[bytes], at: int) -> bytes:
        spool.seek(self.starts[at])
        return spool.read(self.sizes[at])


def _children(book: Moment, game: Game, rows: _Rows) -> tuple[_Numbers, _Numbers]:
    """The places of each position's stored children, those best for it first.

    Two arrays: where in the second the children of a position begin, with one number more at the
    end; and the places of all children.
    """
    ids = np.array(rows.ids, np.int64)
    found = book.rows(_links, game=book.numbers[game.id])
    ends = np.fromiter((end for row in found for end in row), np.int64).reshape(-1, 2)
    parents, children = (np.searchsorted(ids, ends[:, side]) for side in (0, 1))
    starts = np.searchsorted(parents, np.arange(len(ids) + 1))
    return starts, children


def _together(rows: _Rows, children: tuple[_Numbers, _Numbers]) -> list[list[int]]:
    """The places of the positions in each piece.

    A piece is filled with a position and what comes soon after it, the best moves first. When
    nothing is left below it, the next position with the fewest stones goes on with the piece.
    """
    starts, places = children
    is_taken = np.zeros(len(rows.sizes), np.bool_)
    pieces: list[list[int]] = [[]]
    size = 0
    hashes = np.array(rows.hashes, np.uint64).reshape(-1, 2)
    # By their content, since equal books may hold them in another order.
    for first in np.lexsort((hashes[:, 1], hashes[:, 0], np.array(rows.lengths))).tolist():
        below = deque([first])
        while below:
            at = below.popleft()
            if is_taken[at]:
                continue
            # A comma or a brace, and a line feed, come with each.
            if pieces[-1] and size + rows.sizes[at] + 2 > MOST_BYTES:
                pieces.append([])
                size = 0
                # What is left below begins a piece of its own later, near its own children.
                below.clear()
            is_taken[at] = True
            pieces[-1].append(at)
            size += rows.sizes[at] + 2
            below.extend(places[starts[at] : starts[at + 1]].tolist())
    return pieces


def _index(rows: _Rows, piece_of: _Numbers, bits: int) -> Iterator[tuple[str, bytes]]:
    """The files of the index: by the first bits of the first hash, second hashes with pieces.

    Each entry is two numbers of 32 bits, little-endian, and entries ascend.
    """
    hashes = np.array(rows.hashes, np.uint64).reshape(-1, 2)
    chosen = hashes[:, 0] >> np.uint64(32 - bits)
    order = np.lexsort((piece_of, hashes[:, 1], chosen))
    entries = np.stack((hashes[:, 1], piece_of.astype(np.uint64)), axis=1)[order].astype("<u4")
    ends = np.searchsorted(chosen[order], np.arange(2**bits + 1))
    for number in range(2**bits):
        yield f"{number}.bin", entries[ends[number] : ends[number + 1]].tobytes()


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
