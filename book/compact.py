"""Compact books: one read-only file with the answer to each position, sorted by key.

docs/compact.md describes the file. Readers in other languages are in `clients`.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from book.closing import Closing
from book.entry import BookMove, Entry
from book.errors import BookMissing, BookUnreadable, NewerSchema, NotABook
from book.rows.encoding import BOUND_NUMBERS, BOUNDS
from engine import registry
from engine.errors import UnknownGame
from engine.game import Game, Symmetry
from engine.position import Move, Position
from engine.values import WIN, Bound, Value

MAGIC = b"FIVEBOOK"
VERSION = 1
# Magic, version, where the keys begin, positions, salt, width, height, moves a cell, symmetries,
# and the length of the text.
HEADER = struct.Struct("<8sIIQQHHBBH")
KEY_BYTES, ANSWER_BYTES = 8, 4
MOST_MOVES = 1 << 13
_VALUE_MASK, _MOVE_SHIFT, _BOUND_SHIFT, _PROVEN_SHIFT = 0xFFFF, 16, 29, 31

Numbers = NDArray[np.uint64]
Answers = NDArray[np.uint32]

_MASK = (1 << 64) - 1
_LINE_PLIES = 8
_FNV_BASIS, _FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3


@dataclass(frozen=True, slots=True)
class CompactAnswer:
    """What a compact book says of a position: its book value for the side to move.

    `move` is the best one, in the orientation of whoever asks. `proven` is what the book said when
    it was exported; the file holds nothing that could prove it.
    """

    move: Move
    value: Value
    bound: Bound
    proven: bool


class CompactBook(Closing):
    """Opens the compact book at `path`, which is mapped into memory. A context manager.

    Raises:
        BookError: if there is none that can be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        content = _mapped(path)
        header = _Header.read(path, content)
        self.game = header.game
        self.salt = header.salt
        ends = header.start + KEY_BYTES * header.count
        self._keys: Numbers = content[header.start : ends].view("<u8")
        self._answers: Answers = content[ends:].view("<u4")

    def __len__(self) -> int:
        return len(self._keys)

    def close(self) -> None:
        """Let go of the file."""
        del self._keys, self._answers

    def get(self, position: Position) -> CompactAnswer | None:
        """The answer for `position`, None if the book does not hold it.

        Of positions that it does not hold, one in 2**64 / positions is taken for one it holds.

        Raises:
            BookUnreadable: if the answer is none that a book can give.
        """
        canonical = self.game.canonical(position)
        key = key_of(self.game, canonical.position, self.salt)
        at = int(np.searchsorted(self._keys, np.uint64(key)))
        if at == len(self) or int(self._keys[at]) != key:
            return None
        stored = unpack_answer(int(self._answers[at]))
        if stored is None or stored.move >= self.game.move_count:
            raise BookUnreadable(f"'{self.path}' is damaged: answer {at} is none that a book gives")
        back = self.game.inverse(canonical.symmetry)
        move = self.game.map_move(stored.move, back)
        return CompactAnswer(move, stored.value, stored.bound, stored.proven)

    def entry(self, position: Position) -> Entry | None:
        """As `get`, in the shape of what a book says; depth, nodes and seconds are 0.

        The best move is the only one. Its line is followed through the file.
        """
        answer = self.get(position)
        if answer is None:
            return None
        line = tuple(self._line(position, answer))
        best = BookMove(
            answer.move, answer.value, answer.bound, answer.proven, 0, len(line) > 1, line
        )
        return Entry(position, answer.value, answer.bound, answer.proven, 0, 0, 0.0, (best,))

    def _line(self, position: Position, answer: CompactAnswer | None) -> Iterator[Move]:
        """The best moves from `position` on, as far as the file has them, `answer` the first."""
        for _ in range(_LINE_PLIES):
            if answer is None:
                return
            yield answer.move
            position = self.game.play(position, answer.move)
            answer = None if self.game.outcome(position) else self.get(position)


@dataclass(frozen=True, slots=True)
class _Header:
    game: Game
    start: int
    count: int
    salt: int

    @staticmethod
    def read(path: Path, content: NDArray[np.uint8]) -> "_Header":
        """What stands at the beginning of a file.

        Raises:
            BookError: if it is no compact book, or another than this version reads.
        """
        start = content[: HEADER.size].tobytes()
        if len(start) < HEADER.size or not start.startswith(MAGIC):
            raise NotABook(f"'{path}' is no compact book")
        _, version, begin, count, salt, *_, text_bytes = HEADER.unpack(start)
        if version != VERSION:
            raise NewerSchema(
                f"'{path}' is a compact book of version {version}: this fivebook reads {VERSION}"
            )
        if len(content) != begin + count * (KEY_BYTES + ANSWER_BYTES) or begin % KEY_BYTES:
            raise BookUnreadable(f"'{path}' is damaged: it is shorter or longer than it says")
        head = content[:begin].tobytes()
        name = head[begin - text_bytes :].partition(b"\n")[0]
        try:
            game = registry.get(name.decode())
        except (UnicodeDecodeError, UnknownGame) as error:
            raise BookUnreadable(f"'{path}' is of an unknown game: {error}") from None
        if head != header_of(game, count, salt):
            raise BookUnreadable(f"'{path}' is damaged: its header is not that of {game.id}")
        return _Header(game, begin, count, salt)


def is_compact(path: Path) -> bool:
    """Whether a file begins as a compact book does.

    Raises:
        OSError: if it cannot be read.
    """
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def header_of(game: Game, count: int, salt: int) -> bytes:
    """The header of a compact book of `count` positions of `game`, padded so that keys follow.

    Raises:
        ValueError: if the moves of `game` are not told by a cell and one of a few variants.
    """
    variants = variants_of(game)
    names = [game.format_move(variant)[len(game.format_cell(0)) :] for variant in range(variants)]
    text = "".join(f"{line}\n" for line in (game.id, *names)).encode()
    maps = bytes(
        game.map_move(variant, symmetry) % variants
        for symmetry in game.symmetries
        for variant in range(variants)
    )
    tables = bytes(game.symmetries) + maps
    padding = -(HEADER.size + len(tables) + len(text)) % KEY_BYTES
    fields = (game.width, game.height, variants, len(game.symmetries), len(text))
    start = HEADER.size + len(tables) + padding + len(text)
    return HEADER.pack(MAGIC, VERSION, start, count, salt, *fields) + tables + bytes(padding) + text


@cache
def variants_of(game: Game) -> int:
    """How many moves of `game` put a stone on one cell.

    Raises:
        ValueError: if move numbers are not ``cell * variants + variant``, with variants that a
            symmetry maps alike wherever the stone is.
    """
    variants = game.move_count // game.cell_count
    sound = game.move_count <= MOST_MOVES and all(
        game.cell_of(move) == move // variants
        and _is_mapped_by_parts(game, move, variants, symmetry)
        for move in range(game.move_count)
        for symmetry in game.symmetries
    )
    if not sound:
        raise ValueError(f"moves of {game.id} are not a cell and a variant")
    return variants


def _is_mapped_by_parts(game: Game, move: Move, variants: int, symmetry: Symmetry) -> bool:
    cell, variant = divmod(move, variants)
    of_first_cell = game.map_move(variant, symmetry) % variants
    return game.map_move(move, symmetry) == game.map_cell(cell, symmetry) * variants + of_first_cell


def key_of(game: Game, canonical: Position, salt: int = 0) -> int:
    """The 64-bit key of a canonical position."""
    return int(keys_of(game, cells_of_packed(game, [game.pack(canonical)]), salt)[0])


def keys_of(game: Game, stones: NDArray[Any], salt: int) -> Numbers:
    """The keys of canonical positions with equally many stones, see `cells_of_packed`.

    The numbers of a position's stones, joined by exclusive or (Zobrist 1970).
    """
    numbers = stone_numbers(game, salt)
    dark = (stones.shape[1] + 1) // 2
    keys = np.zeros(len(stones), np.uint64)
    for place, cells in enumerate(stones.T):
        keys ^= numbers[int(place >= dark), cells]
    return keys


@cache
def stone_numbers(game: Game, salt: int) -> Numbers:
    """The random number of each stone, of shape (2, cells): dark, then light.

    SplitMix64 (Steele, Lea, Flood 2014) from the FNV-1a hash of the game's id on.
    """
    seed = _FNV_BASIS
    for byte in game.id.encode():
        seed = (seed ^ byte) * _FNV_PRIME & _MASK
    numbers = np.arange(1, 2 * game.cell_count + 1, dtype=np.uint64)
    with np.errstate(over="ignore"):
        mixed = np.uint64(seed + salt & _MASK) + numbers * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ mixed >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ mixed >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
    return np.ascontiguousarray(mixed.reshape(-1, 2).T)


def cells_of_packed(game: Game, packed: list[bytes]) -> NDArray[Any]:
    """The cells in packed positions with equally many stones, a row each."""
    width = len(game.pack_cell(0))
    cells = np.frombuffer(b"".join(packed), f">u{width}")
    return cells.reshape(len(packed), len(packed[0]) // width)


def pack_answer(answer: CompactAnswer) -> int:
    """An answer as 32 bits."""
    return (
        answer.value & _VALUE_MASK
        | answer.move << _MOVE_SHIFT
        | BOUND_NUMBERS[answer.bound] << _BOUND_SHIFT
        | int(answer.proven) << _PROVEN_SHIFT
    )


def unpack_answer(number: int) -> CompactAnswer | None:
    """The answer that `pack_answer` packed; None if it packed none to `number`."""
    value = (number & _VALUE_MASK ^ 0x8000) - 0x8000
    bound = BOUNDS.get(number >> _BOUND_SHIFT & 3)
    if bound is None or abs(value) > WIN:
        return None
    move = number >> _MOVE_SHIFT & MOST_MOVES - 1
    return CompactAnswer(move, value, bound, bool(number >> _PROVEN_SHIFT))


def _mapped(path: Path) -> NDArray[np.uint8]:
    try:
        return np.memmap(path, np.uint8, "r")
    except FileNotFoundError:
        raise BookMissing(f"there is no book '{path}'") from None
    except ValueError:
        raise NotABook(f"'{path}' is empty and no compact book") from None
    except OSError as error:
        raise BookUnreadable(f"cannot read '{path}': {error.strerror}") from error
