"""What a book says about one position, in the orientation of whoever asks."""

from typing import NamedTuple

from engine.position import Move, Position
from engine.values import Bound, Value


class BookMove(NamedTuple):
    """A move with its value for the side to move; in an entry as the caller sees the board, in
    `book.rows.known_moves` in the canonical orientation.

    `in_book` tells whether its value is that of a position stored in the book; the one move of a
    position for which it is not is the rest move, the best of all moves that are not stored, or
    the best of all in a position whose proof was kept.
    `depth` is that of the search behind the value. `line` starts with the move itself.
    """

    move: Move
    value: Value
    bound: Bound
    proven: bool
    depth: int
    in_book: bool
    line: tuple[Move, ...]


class Entry(NamedTuple):
    """A stored position: its book value for the side to move, and its moves, best first.

    `depth`, `nodes` and `seconds` are those of the last search of this position. Of moves that
    are equal by symmetry one is listed.
    """

    position: Position
    value: Value
    bound: Bound
    proven: bool
    depth: int
    nodes: int
    seconds: float
    moves: tuple[BookMove, ...]
