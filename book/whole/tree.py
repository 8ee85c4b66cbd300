"""The main lines below a position: its best moves, the best replies to these, and so on."""

from collections import deque
from dataclasses import dataclass, field

from book.reader import BookReader
from engine.game import Game
from engine.position import Move, Position
from engine.values import Value


@dataclass(slots=True)
class Branch:
    """A move in the caller's orientation, its value for the side that plays it, and what follows.

    `depth` is that of the search behind the value, and `in_book` tells whether the position
    behind the move is stored. `seen` says that it stands elsewhere in the tree, reached by other
    moves, and is not told again.
    """

    move: Move
    value: Value
    proven: bool
    depth: int
    in_book: bool
    seen: bool = False
    branches: list["Branch"] = field(default_factory=list)


def grow(
    reader: BookReader, game: Game, position: Position, *, plies: int, width: int
) -> list[Branch]:
    """The `width` best moves of a stored position, best first, each with its own replies, as far
    as `plies` plies.

    Of positions that several ways lead to, the one with the fewest moves to it has the branches.

    Raises:
        PositionNotFound: if the book does not hold it.
    """
    first = reader.find(game, position).moves
    told = {game.canonical(position).key}
    roots: list[Branch] = []
    # Level by level, so that a position is told where it comes first.
    waiting = deque([(position, first, 1, roots)])
    while waiting:
        here, known, ply, branches = waiting.popleft()
        for move in known[:width]:
            branch = Branch(move.move, move.value, move.proven, move.depth, move.in_book)
            branches.append(branch)
            if not move.in_book:
                continue
            after = game.play(here, move.move)
            key = game.canonical(after).key
            branch.seen = key in told
            entry = None if branch.seen or ply == plies else reader.get(game, after)
            told.add(key)
            if entry is not None:
                waiting.append((after, entry.moves, ply + 1, branch.branches))
    return roots
